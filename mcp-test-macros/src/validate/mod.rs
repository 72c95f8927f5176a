//! Validates the attribute and the function, and reports all errors at once, each at its tokens.

use syn::{Expr, Ident, Path};

use crate::model::{Errors, Function, ParsedOption, Scenario};

mod attributes;
mod cases;
mod known;
pub(crate) mod options;
mod revisions;
mod signature;

pub(crate) use attributes::{belongs_to_tests, is_lint_level};
pub(crate) use signature::{Tests, borrows_mutably, is_unit};

/// The scenario that the options and the function describe, unless there are errors.
pub(crate) fn scenario<'a>(
    written: &'a [ParsedOption],
    function: &'a Function,
    mut errors: Errors,
) -> Result<Scenario<'a>, Errors> {
    let options = options::validate(written, &mut errors);
    let ignored = attributes::validate(&function.attributes, &mut errors);
    // The signature is otherwise what another attribute has made of it.
    if !function.attributes.iter().any(attributes::is_expanded_test) {
        signature::validate(&function.signature, Tests::of(written), &mut errors);
    }
    let takes_values = cases::takes_values(&function.signature, &options, &mut errors);
    // Only after everything was validated: all mistakes are reported at once.
    if !errors.is_empty() {
        return Err(errors);
    }
    let (context_span, outcome_span) = signature::spans(&function.signature);
    Ok(Scenario {
        function,
        krate: crate_path(written),
        context_span,
        outcome_span,
        ignored,
        takes_values,
        options,
    })
}

/// The path of `crate = path`; `::mcp_test` without it, or if it is not a path.
pub(crate) fn crate_path(written: &[ParsedOption]) -> Path {
    let named = written.iter().find(|option| option.name == "crate");
    match named.and_then(|option| option.value.as_ref()) {
        Some(Expr::Path(found)) if found.qself.is_none() => found.path.clone(),
        // A wrong value is reported elsewhere; the default lets the rest expand without a second error.
        _ => syn::parse_quote!(::mcp_test),
    }
}

/// The last segment of a path: `test` of `tokio::test`.
fn last_segment(path: &Path) -> Option<&Ident> {
    path.segments.last().map(|segment| &segment.ident)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attr;

    const RIGHT: &str = "async fn works(ctx: &mut Ctx) -> Result<()> { Ok(()) }";

    /// The errors of an attribute with these arguments on this function, one line each.
    fn mistakes(arguments: &str, item: &str) -> String {
        let mut errors = Errors::default();
        let options = attr::options(arguments.parse().expect("tokens"), &mut errors);
        let function = syn::parse_str(item).expect("a function");
        match scenario(&options, &function, errors) {
            Ok(_) => String::new(),
            Err(errors) => errors.lines(),
        }
    }

    #[test]
    fn everything_right_at_once() {
        let arguments = r#"target = || my::<u8, u8>(), revisions = "..2024-11-05, 2025-06-18..", timeout = "5s",
                           transports = [duplex, stdio, http, router], matrix, allow_skip, crate = other::mcp"#;
        let item = r#"
            /// What it shows.
            #[ignore = "slow"] #[allow(clippy::all)]
            pub(crate) async fn works(mut ctx: &'_ mut mcp_test::Ctx) -> std::result::Result<(), String> { Ok(()) }
        "#;
        assert_eq!(mistakes(arguments, item), "");
    }

    #[test]
    fn cases_that_do_not_fit() {
        let two = "async fn f(ctx: &mut Ctx, a: u8, b: u8) -> Result<()> { Ok(()) }";
        let one = "async fn f(ctx: &mut Ctx, a: u8) -> Result<()> { Ok(()) }";
        let shown = [
            ("case, case = 5, case(), case::named(), case::a::b(1), case::<u8>(1)", RIGHT),
            ("case(1, 2), case(1), case(1, 2, 3)", two),
            ("case::same(1), case::same(2)", one),
            ("case(1)", RIGHT),
            ("case(1)", two),
            ("", two),
            ("setup = my_setup", two),
            ("setup_ctx = my_setup", two),
            ("setup = my_setup, setup_ctx = my_other_setup", one),
            ("setup = my_setup, case(1, 2)", one),
            ("setup = || async { Ok(()) }, setup_ctx = \"later\", teardown", RIGHT),
        ];
        let shown = shown.map(|(arguments, item)| mistakes(arguments, item));
        insta::assert_snapshot!(shown.join("\n"), @r#"
        case -> expected the arguments of a case: `case(1, 2)` or `case::name(1, 2)`
        5 -> expected the arguments of a case: `case(1, 2)` or `case::name(1, 2)`
        case() -> a case has arguments: `case(1, "two")`
        case::named() -> a case has arguments: `case::named(1, "two")`
        case::a::b(1) -> expected the arguments of a case: `case(1, 2)` or `case::name(1, 2)`
        case::<u8>(1) -> expected the arguments of a case: `case(1, 2)` or `case::name(1, 2)`
        case(1) -> this case has 1 argument, the first one has 2
        case(1, 2, 3) -> this case has 3 arguments, the first one has 2
        same -> two cases have the name `same`
        case(1) -> a case has 1 argument, but the function takes 0 after its context
        case(1) -> a case has 1 argument, but the function takes 2 after its context
        a: u8, b: u8 -> a scenario takes one argument, its context; `setup = …` and `case(…)` give it others
        a: u8, b: u8 -> a scenario takes its context and the value of its setup; `case(…)` gives it others
        a: u8, b: u8 -> a scenario takes its context and the value of its setup; `case(…)` gives it others
        a: u8 -> a scenario takes its context and the values of `setup` and of `setup_ctx`, in this order, or neither of them
        case(1, 2) -> a case has 2 arguments, but the function takes 1 after its context
        || async { Ok(()) } -> expected the path of a function: `setup = my_setup`
        "later" -> expected the path of a function: `setup_ctx = my_setup`
        teardown -> `teardown` needs a value: `teardown = my_teardown`
        "#);
        for (arguments, item) in [
            ("setup = a::b, teardown = c", RIGHT),
            ("setup = a::b", one),
            ("setup = a::b, case(1), case(2)", two),
            ("setup = a::b, case(1), case(2)", one),
            ("setup_ctx = a::b, case(1), case(2)", two),
            ("setup = a::b, setup_ctx = c", two),
            ("setup = a::b, setup_ctx = c", RIGHT),
            ("setup = a::b, target = |it| my_server(it)", RIGHT),
            ("setup = a::b, target = |it| my_server(it), matrix, transports = [http]", RIGHT),
        ] {
            assert_eq!(mistakes(arguments, item), "", "{arguments}");
        }
    }

    #[test]
    fn a_target_that_takes_the_value_of_the_setup_has_one() {
        let client = "async fn f(server: &mut ServerCtx) -> Result<()> { Ok(()) }";
        let shown = [
            ("target = |it| my_server(it), setup_ctx = a", RIGHT),
            ("client = |it| my_client(it)", client),
            ("client = |it| my_client(it), setup = a, matrix", client),
            ("target = |a, b| my_server(a, b), setup = a", RIGHT),
        ];
        let shown = shown.map(|(arguments, item)| mistakes(arguments, item));
        insta::assert_snapshot!(shown.join("\n"), @"
        it -> it would be the value of the setup, which is not among the options: `setup = my_setup`
        it -> it would be the value of the setup, which is not among the options: `setup = my_setup`
        |it| my_client(it) -> it is made after the setup, so that `matrix` does not know its transports: add `transports = [..]`
        ");
    }

    #[test]
    fn cases_are_named_after_their_values() {
        let named = |arguments: &str| {
            let mut errors = Errors::default();
            let options = attr::options(arguments.parse().expect("tokens"), &mut errors);
            let cases = cases::validate(&options, &mut errors);
            assert!(errors.is_empty(), "{}", errors.lines());
            cases.iter().map(|case| case.name.to_string()).collect::<Vec<_>>().join(" ")
        };
        insta::assert_snapshot!(
            named(r#"case(2.5, "a B"), case(-1, 'x'), case(Kind::Small, &json!({"a": [1]})), case(true, 1), case(true, 1)"#),
            @"case_2_5_a_b case_minus_1_x case_kind_small_json_a_1 case_true_1 case_5"
        );
        insta::assert_snapshot!(
            named(r#"case(1), case::case_1(2), case("éé"), case::r#match("x"), case("a very long text that would make a name nobody reads")"#),
            @"case_2 case_1 case_3 r#match case_5"
        );
    }

    #[test]
    fn known_violations_are_ids_of_requirements() {
        let arguments = r#"known = ["transport.http.event-id-uniq", ("ping.result-empty", 5), ("x", "y"), (), id]"#;
        insta::assert_snapshot!(mistakes(arguments, RIGHT), @r#"
        "transport.http.event-id-uniq" -> no requirement has the id "transport.http.event-id-uniq": did you mean "transport.http.event-id-unique"?
        ("ping.result-empty", 5) -> expected the id of a requirement, alone or with a reason and a link: `"ping.result-empty"`, `("ping.result-empty", "fixed in 2.0", "https://…")`
        "x" -> no requirement has the id "x"; `mcp-test requirements` lists them
        () -> expected the id of a requirement, alone or with a reason and a link: `"ping.result-empty"`, `("ping.result-empty", "fixed in 2.0", "https://…")`
        id -> expected the id of a requirement, alone or with a reason and a link: `"ping.result-empty"`, `("ping.result-empty", "fixed in 2.0", "https://…")`
        "#);
        insta::assert_snapshot!(mistakes("known, known = []", RIGHT), @r#"
        known -> duplicate option `known`
        known -> `known` needs a value: `known = ["transport.http.event-id-unique"]`
        "#);
        insta::assert_snapshot!(mistakes("known = []", RIGHT), @"[] -> expected at least one requirement: name one, or leave `known` out");
        let right = r#"known = ["ping.result-empty", ("ping.result-empty", "a reason"), ("ping.result-empty", "b", "https://c")]"#;
        assert_eq!(mistakes(right, RIGHT), "");
    }

    #[test]
    fn options_that_do_not_exist_or_come_twice() {
        insta::assert_snapshot!(mistakes("timout = \"5s\", colour, matrix, matrix, crate = a, crate = b", RIGHT), @"
        timout -> unknown option `timout`: did you mean `timeout`?
        colour -> unknown option `colour`: expected one of `target`, `client`, `revisions`, `transports`, `matrix`, `allow_skip`, `timeout`, `known`, `setup`, `setup_ctx`, `teardown`, `case`, `crate`
        matrix -> duplicate option `matrix`
        crate -> duplicate option `crate`
        ");
    }

    #[test]
    fn options_with_the_wrong_kind_of_value() {
        let arguments = "target, revisions = 5, transports = http, matrix = true, allow_skip = \"yes\", timeout = 5, \
                         crate = \"mcp\"";
        insta::assert_snapshot!(mistakes(arguments, RIGHT), @r#"
        target -> `target` needs a value: `target = my_server`
        5 -> expected a string: `revisions = "2025-06-18.."`
        http -> expected a list: `transports = [duplex, http]`
        true -> `matrix` takes no value: write it alone, or leave it out
        "yes" -> `allow_skip` takes no value: write it alone, or leave it out
        5 -> expected a string with a unit: `timeout = "5s"`
        "mcp" -> expected a path: `crate = path::to::mcp_test`
        "#);
    }

    #[test]
    fn transports_are_known_words_each_once() {
        insta::assert_snapshot!(mistakes("transports = [htpp, \"http\", duplex, a::b, duplex, tcp, 1]", RIGHT), @r#"
        htpp -> unknown transport `htpp`: did you mean `http`?
        "http" -> a transport is written without quotes: `http`
        a::b -> expected a transport: one of `duplex`, `stdio`, `http`, `router`, `sse`
        duplex -> duplicate transport `duplex`
        tcp -> unknown transport `tcp`: expected one of `duplex`, `stdio`, `http`, `router`, `sse`
        1 -> expected a transport: one of `duplex`, `stdio`, `http`, `router`, `sse`
        "#);
        insta::assert_snapshot!(mistakes("transports = []", RIGHT), @"[] -> expected at least one transport: name one, or leave `transports` out");
    }

    #[test]
    fn a_timeout_is_a_whole_number_with_a_unit() {
        for wrong in [
            "",
            "5",
            "s",
            "1.5s",
            "5 parsecs",
            "-5s",
            "99999999999999999999s",
            "18446744073709551615m",
        ] {
            let message = mistakes(&format!("timeout = {wrong:?}"), RIGHT);
            assert!(message.contains("a whole number with its unit"), "{wrong}: {message}");
        }
        insta::assert_snapshot!(mistakes("timeout = \"0s\"", RIGHT), @r#""0s" -> a timeout must be more than zero"#);
        for right in ["5s", "5 s", "250ms", "2m"] {
            assert_eq!(mistakes(&format!("timeout = {right:?}"), RIGHT), "", "{right}");
        }
    }

    #[test]
    fn arguments_of_the_wrong_form() {
        let arguments = [
            "",
            "self",
            "&mut self",
            "ctx: Ctx",
            "ctx: &Ctx",
            "ctx: &'static mut Ctx",
            "Ctx { a, .. }: &mut Ctx",
            "ctx: &mut Ctx, more: u8, _: u8",
            "ref ctx: &mut Ctx",
            "self, more: u8",
            "ctx: impl Scenario",
        ];
        let shown = arguments.map(|arguments| {
            mistakes("", &format!("async fn f({arguments}) -> Result<()> {{ Ok(()) }}"))
        });
        insta::assert_snapshot!(shown.join("\n"), @"
        () -> a scenario takes its context: `ctx: &mut Ctx`
        self -> a scenario is a free function, not a method: it takes `ctx: &mut Ctx`
        &mut self -> a scenario is a free function, not a method: it takes `ctx: &mut Ctx`
        Ctx -> a scenario borrows its context: `&mut Ctx`
        &Ctx -> a scenario borrows its context mutably: `&mut Ctx`
        'static -> the context is borrowed only for one run of the scenario: `&mut Ctx`
        Ctx { a, .. } -> a scenario's argument is a plain name: `ctx: &mut Ctx`
        more: u8, _: u8 -> a scenario takes one argument, its context; `setup = …` and `case(…)` give it others
        ref ctx -> a scenario's argument is a plain name: `ctx: &mut Ctx`
        self -> a scenario is a free function, not a method: it takes `ctx: &mut Ctx`
        more: u8 -> a scenario takes one argument, its context; `setup = …` and `case(…)` give it others
        impl Scenario -> a scenario borrows its context: `&mut Ctx`
        ");
        for right in [
            "_: &mut Ctx",
            "_ctx: &mut Ctx",
            "mut ctx: &mut Ctx",
            "ctx: (&mut Ctx)",
            "ctx: context!()",
        ] {
            let item = format!("async fn f({right}) -> Result<()> {{ Ok(()) }}");
            assert_eq!(mistakes("", &item), "", "{right}");
        }
    }

    #[test]
    fn functions_of_the_wrong_kind() {
        let heads = [
            "fn f(ctx: &mut Ctx) -> Result<()>",
            "const unsafe extern \"C\" fn f(ctx: &mut Ctx) -> Result<()>",
            "async fn f<'a, T>(ctx: &mut Ctx) -> Result<T> where T: Copy",
            "async fn f(ctx: &mut Ctx)",
            "async fn f(ctx: &mut Ctx) -> ()",
        ];
        let shown = heads.map(|head| mistakes("", &format!("{head} {{}}")));
        insta::assert_snapshot!(shown.join("\n"), @r#"
        fn -> a scenario must be asynchronous: `async fn`
        const -> a scenario cannot be `const`
        unsafe -> a scenario cannot be `unsafe`: put an `unsafe` block into its body
        extern "C" -> a scenario cannot be `extern`
        fn -> a scenario must be asynchronous: `async fn`
        <'a, T> -> a scenario cannot have generic parameters: nothing would determine them
        where T: Copy -> a scenario cannot have generic parameters: nothing would determine them
        ) -> a scenario returns a `Result`: add `-> Result<()>`
        () -> a scenario returns a `Result`: `-> Result<()>`
        "#);
    }

    #[test]
    fn the_context_belongs_to_what_is_tested() {
        let with =
            |context: &str| format!("async fn f(it: &mut {context}) -> Result<()> {{ Ok(()) }}");
        let shown = [
            ("client = my_client", with("Ctx")),
            ("client = my_client", with("mcp_test::prelude::Ctx")),
            ("", with("ServerCtx")),
            ("client = my_client, target = my_server", with("ServerCtx")),
            ("client", with("ServerCtx")),
            ("client = my_client", "async fn f() -> Result<()> { Ok(()) }".to_owned()),
        ];
        let shown = shown.map(|(arguments, item)| mistakes(arguments, &item));
        insta::assert_snapshot!(shown.join("\n"), @"
        Ctx -> with `client = …` a scenario tests a client, and its context is the server: `server: &mut ServerCtx`
        mcp_test::prelude::Ctx -> with `client = …` a scenario tests a client, and its context is the server: `server: &mut ServerCtx`
        ServerCtx -> `ServerCtx` is the context of a test of a client: add `client = my_client` to the options of `#[mcp_scenario]`, or take `ctx: &mut Ctx` to test a server
        client -> `client` and `target` exclude each other: a scenario tests a client or a server
        client -> `client` needs a value: `client = my_client`
        () -> a scenario takes its context: `server: &mut ServerCtx`
        ");
        for arguments in ["client = my_client", "client = || my_client(1), matrix"] {
            // The compiler checks a type of another name, which may be an alias.
            for context in ["ServerCtx", "mcp_test::scenario::ServerCtx", "Alias"] {
                assert_eq!(mistakes(arguments, &with(context)), "", "{arguments} {context}");
            }
        }
    }

    #[test]
    fn attributes_that_do_not_go_with_a_scenario() {
        let item = r#"
            #[test] #[tokio::test(start_paused = true)] #[should_panic(expected = "x")] #[ignore("why")]
            #[mcp_test::mcp_scenario] #[rstest] #[doc = "kept"] #[cfg(all())]
            async fn f(ctx: &mut Ctx) -> Result<()> { Ok(()) }
        "#;
        insta::assert_snapshot!(mistakes("", item), @r#"
        #[test] -> `#[mcp_scenario]` already makes this a test: remove `#[test]`
        #[tokio::test(start_paused = true)] -> `#[mcp_scenario]` already makes this a test: remove `#[tokio::test]`
        #[should_panic(expected = "x")] -> `#[should_panic]` would count every failure as a success, including those of the harness: assert the error reply that is expected instead
        #[ignore("why")] -> write `#[ignore]`, or `#[ignore = "why"]`
        #[mcp_test::mcp_scenario] -> duplicate `#[mcp_scenario]`
        #[rstest] -> `#[mcp_scenario]` already makes this a test: remove `#[rstest]`
        "#);
    }

    #[test]
    fn what_an_attribute_above_has_left_is_the_only_mistake() {
        let item = r#"
            #[::core::prelude::v1::test]
            fn f(ctx: &mut Ctx) -> Result<()> { let body = async { Ok(()) }; block_on(body) }
        "#;
        insta::assert_snapshot!(mistakes("", item), @"#[::core::prelude::v1::test] -> `#[mcp_scenario]` already makes this a test: remove the attribute above it that makes one, such as `#[tokio::test]`");
    }

    #[test]
    fn mistakes_of_all_kinds_are_reported_together() {
        let item = "#[should_panic] fn f() {}";
        assert_eq!(mistakes("matrx, timeout = 5, , ", item).lines().count(), 7);
    }

    #[test]
    fn the_crate_path_is_known_in_spite_of_other_mistakes() {
        let mut errors = Errors::default();
        let path = |source: &str, errors: &mut Errors| {
            let path = crate_path(&attr::options(source.parse().expect("tokens"), errors));
            quote::quote!(#path).to_string()
        };
        assert_eq!(path("bogus, crate = a::b", &mut errors), "a :: b");
        assert_eq!(path("crate = 5", &mut errors), ":: mcp_test");
        assert_eq!(path("crate = crate", &mut errors), "crate");
    }
}
