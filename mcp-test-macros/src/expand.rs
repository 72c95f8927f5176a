//! Expands a valid scenario to a definition, a registration and a `#[test]`.
//!
//! The function moves into the definition, because in a plain test target its name belongs to the test. Without the
//! compiler's test harness the `#[test]` disappears, and the registration remains.

use std::time::Duration;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Meta};

use crate::model::{Case, Function, Known, Scenario};
use crate::validate::{belongs_to_tests, is_lint_level};

mod body;

/// The items that take the place of the function.
pub(crate) fn expand(scenario: &Scenario<'_>) -> TokenStream {
    let krate = &scenario.krate;
    let private = quote!(#krate::__private);
    let attributes = &scenario.function.attributes;
    let name = &scenario.function.signature.ident;
    // The span of the name, for the compiler's messages; not its hygiene, so that no name of the user is shadowed.
    let own = Span::mixed_site().located_at(name.span());
    // Without the `r#` of a raw identifier, which cannot be within another one.
    let definition = format_ident!("__mcp_scenario_{}", name.unraw(), span = own);
    // A `cfg` that removes the function has to remove the definition and the registration as well.
    let conditions: Vec<_> = attributes.iter().filter(|a| a.path().is_ident("cfg")).collect();

    let function = inner_function(scenario.function);
    let cases = &scenario.options.cases;
    let (ty, value) = match &cases[..] {
        [] => (quote!(#private::UserScenario), value(scenario, None, &private)),
        cases => {
            let count = cases.len();
            let values = cases.iter().map(|case| value(scenario, Some(case), &private));
            (quote!([#private::UserScenario; #count]), quote!([#(#values),*]))
        }
    };
    // Each of several by its index.
    let indices: Vec<_> = match cases.len() {
        0 => vec![None],
        count => (0..count).map(|index| Some(quote!([#index]))).collect(),
    };
    let registrations = indices.iter().map(|index| {
        quote! {
            #(#conditions)*
            #private::inventory::submit! { #private::Registered(&#definition #index) }
        }
    });
    let test = match &cases[..] {
        [] => test(scenario.function, &quote_spanned!(own=> #private::run_test(&#definition))),
        cases => tests(scenario.function, &definition, cases),
    };
    quote! {
        #(#conditions)*
        #[doc(hidden)]
        #[allow(non_upper_case_globals)]
        static #definition: #ty = {
            #function
            #value
        };

        #(#registrations)*

        #test
    }
}

/// The user's function, inside the definition; the attributes that only make sense on a test stay outside.
fn inner_function(function: &Function) -> TokenStream {
    let attributes = function.attributes.iter().filter(|a| !belongs_to_tests(a));
    let Function { signature, body, .. } = function;
    quote!(#(#attributes)* #signature #body)
}

/// The definition's value; everything in it has an absolute path, since the user's function is in scope.
fn value(scenario: &Scenario<'_>, case: Option<&Case<'_>>, private: &TokenStream) -> TokenStream {
    let ident = &scenario.function.signature.ident;
    let case_name = case.map(|case| format!("::{}", case.name.unraw())).unwrap_or_default();
    let name = format!("{}{case_name}", ident.unraw());
    let site = call_site(ident.span(), private);
    let options = &scenario.options;
    let revisions = option(options.revisions.as_ref().map(|text| quote!(#text)));
    let ignored = option(scenario.ignored.as_ref().map(|reason| quote!(#reason)));
    let timeout = option(options.timeout.map(duration));
    let known = options.known.iter().map(|known| known_violation(known, private));
    let transports = &options.transports;
    let (matrix, allow_skip) = (options.matrix, options.allow_skip);
    let setup =
        options.setup.map(|it| quote_spanned!(it.span()=> || #private::SetupFunction::start(#it)));
    let setup = option(setup);
    let body = body::body(scenario, case, private);
    // What the snapshots say that they show.
    let golden = options.client.map(|_| quote!(server));
    // Closures that capture nothing coerce to the function pointers of the fields, which a static needs.
    quote! {
        #private::UserScenario {
            name: #name,
            site: #site,
            revisions: #revisions,
            transports: &[#(#transports),*],
            matrix: #matrix,
            allow_skip: #allow_skip,
            ignored: #ignored,
            timeout: #timeout,
            known: || ::std::vec![#(#known),*],
            golden: #private::golden_fn!(#golden),
            setup: #setup,
            body: #body,
            run_test: #private::run_test,
        }
    }
}

/// An expression that makes a known violation.
fn known_violation(known: &Known<'_>, private: &TokenStream) -> TokenStream {
    let id = known.id;
    let reason = known.reason.map(|reason| quote!(.reason(#reason)));
    let link = known.link.map(|link| quote!(.link(#link)));
    quote!(#private::KnownViolation::new(#id) #reason #link)
}

/// The `#[test]` of each case, in a module under the user's name.
fn tests(function: &Function, definition: &Ident, cases: &[Case<'_>]) -> TokenStream {
    let (of_tests, of_module): (Vec<_>, Vec<_>) =
        function.attributes.iter().partition(|attribute| attribute.path().is_ident("ignore"));
    let of_module = of_module.into_iter().filter_map(attribute_of_test);
    let module = &function.signature.ident;
    let tests = cases.iter().enumerate().map(|(index, Case { name, .. })| {
        quote! {
            #(#of_tests)*
            #[::core::prelude::v1::test]
            fn #name() {
                super::#definition[#index].run_test();
            }
        }
    });
    quote! {
        #(#of_module)*
        mod #module {
            #(#tests)*
        }
    }
}

/// The `#[test]`, under the user's name.
fn test(function: &Function, call: &TokenStream) -> TokenStream {
    // The path of `test` is absolute: the user may have imported another attribute of that name.
    let attributes = function.attributes.iter().filter_map(attribute_of_test);
    let (visibility, name) = (&function.visibility, &function.signature.ident);
    quote! {
        #(#attributes)*
        #[::core::prelude::v1::test]
        #visibility fn #name() {
            #call;
        }
    }
}

/// The attributes that the test has in common with the function. An `#[expect]` becomes an `#[allow]`: the function fulfils it,
/// but the test may not.
fn attribute_of_test(attribute: &Attribute) -> Option<TokenStream> {
    let path = attribute.path();
    if path.is_ident("expect") {
        let Meta::List(list) = &attribute.meta else { return None };
        let lints = &list.tokens;
        return Some(quote!(#[allow(#lints)]));
    }
    let kept =
        is_lint_level(attribute) || ["cfg", "doc", "ignore"].iter().any(|kept| path.is_ident(kept));
    kept.then(|| quote!(#attribute))
}

/// The position of a token of the user, not of the macro.
pub(crate) fn call_site(place: Span, private: &TokenStream) -> TokenStream {
    // `line!` and `column!` expand to the position of their own tokens.
    let at = |which| {
        let which = Ident::new(which, place);
        quote_spanned!(place=> ::core::#which!())
    };
    let (line, column) = (at("line"), at("column"));
    quote! {
        #private::CallSite {
            module_path: ::core::module_path!(),
            file: ::core::file!(),
            line: #line,
            column: #column,
            manifest_dir: ::core::env!("CARGO_MANIFEST_DIR"),
        }
    }
}

/// An `Option` as tokens.
pub(crate) fn option(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

/// A `Duration` as tokens.
pub(crate) fn duration(duration: Duration) -> TokenStream {
    let seconds = duration.as_secs();
    let nanoseconds = duration.subsec_nanos();
    quote!(::core::time::Duration::new(#seconds, #nanoseconds))
}

#[cfg(test)]
mod tests {
    use quote::ToTokens;
    use syn::{File, Item, parse_str};

    /// The items that a scenario becomes, each without spaces around its tokens.
    fn items(arguments: &str, item: &str) -> Vec<String> {
        let expanded =
            crate::scenario(arguments.parse().expect("tokens"), &item.parse().expect("tokens"));
        let file: File = parse_str(&expanded.to_string()).expect("items");
        let kinds = file.items.iter().map(|item| match item {
            Item::Static(_) | Item::Macro(_) | Item::Fn(_) | Item::Mod(_) => dense(item),
            other => panic!("not expected: {}", dense(other)),
        });
        kinds.collect()
    }

    fn dense(item: &dyn ToTokens) -> String {
        let words = item.to_token_stream().to_string();
        let mut dense = String::new();
        for word in words.split_whitespace() {
            let glued = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            if glued(dense.chars().last()) && glued(word.chars().next()) {
                dense.push(' ');
            }
            dense.push_str(word);
        }
        dense
    }

    #[test]
    fn the_smallest_scenario() {
        let items = items("", "async fn works(ctx: &mut Ctx) -> Result<()> { Ok(()) }");
        insta::assert_snapshot!(items.join("\n\n"), @r#"
        #[doc(hidden)]#[allow(non_upper_case_globals)]static __mcp_scenario_works:::mcp_test::__private::UserScenario={async fn works(ctx:&mut Ctx)->Result<()>{Ok(())}::mcp_test::__private::UserScenario{name:"works",site:::mcp_test::__private::CallSite{module_path:::core::module_path!(),file:::core::file!(),line:::core::line!(),column:::core::column!(),manifest_dir:::core::env!("CARGO_MANIFEST_DIR"),},revisions:::core::option::Option::None,transports:&[],matrix:false,allow_skip:false,ignored:::core::option::Option::None,timeout:::core::option::Option::None,known:||::std::vec![],golden:::mcp_test::__private::golden_fn!(),setup:::core::option::Option::None,body:::mcp_test::__private::UserBody::Server{target:::core::option::Option::None,run:|context|::std::boxed::Box::pin(async move{let outcome=works(context).await;::mcp_test::__private::ScenarioOutcome::into_outcome(outcome)}),teardown:::core::option::Option::None,},run_test:::mcp_test::__private::run_test,}};

        ::mcp_test::__private::inventory::submit!{::mcp_test::__private::Registered(&__mcp_scenario_works)}

        #[::core::prelude::v1::test]fn works(){::mcp_test::__private::run_test(&__mcp_scenario_works);}
        "#);
    }

    #[test]
    fn all_options_end_up_in_the_definition() {
        let arguments = r#"target = || my_server(1), revisions = " 2025-06-18 .. ", transports = [http, duplex], matrix,
                           known = ["ping.result-empty", ("tools.list.respond", "why", "https://x")],
                           allow_skip, timeout = "1500ms", crate = crate::renamed"#;
        let item = "#[ignore = \"slow\"] async fn r#match(_: &mut Ctx) -> Result<()> { Ok(()) }";
        let items = items(arguments, item);
        for part in [
            "static __mcp_scenario_match:crate::renamed::__private::UserScenario=",
            "name:\"match\",",
            "target:::core::option::Option::Some(crate::renamed::__private::Maker::Alone(||crate::renamed::__private::IntoTarget::into_target(||my_server(1)))),",
            "revisions:::core::option::Option::Some(\"2025-06-18..\"),",
            "transports:&[\"http\",\"duplex\"],",
            "matrix:true,",
            "allow_skip:true,",
            "ignored:::core::option::Option::Some(\"slow\"),",
            "timeout:::core::option::Option::Some(::core::time::Duration::new(1u64,500000000u32)),",
            "known:||::std::vec![crate::renamed::__private::KnownViolation::new(\"ping.result-empty\"),\
             crate::renamed::__private::KnownViolation::new(\"tools.list.respond\").reason(\"why\").link(\"https://x\")],",
            "let outcome=r#match(context).await;",
        ] {
            assert!(items[0].contains(part), "{part} is not in {}", items[0]);
        }
        assert!(items[2].contains("#[ignore=\"slow\"]"), "{}", items[2]);
        assert!(items[2].contains("fn r#match()"), "{}", items[2]);
    }

    #[test]
    fn each_case_is_a_test_in_a_module_of_the_function() {
        let items = items(
            r#"case(1, "two"), case::far_off(-1, &X)"#,
            "/// Docs.\n#[ignore] #[cfg(unix)] async fn adds(ctx: &mut Ctx, a: i64, b: &str) -> Result<()> { Ok(()) }",
        );
        assert!(
            items[0].contains(":[::mcp_test::__private::UserScenario;2usize]="),
            "{}",
            items[0]
        );
        for part in [
            r#"name:"adds::case_1_two","#,
            "adds(context,1,\"two\").await;",
            r#"name:"adds::far_off","#,
            "adds(context,-1,&X).await;",
        ] {
            assert!(items[0].contains(part), "{part} is not in {}", items[0]);
        }
        assert!(items[1].ends_with("Registered(&__mcp_scenario_adds[0usize])}"), "{}", items[1]);
        insta::assert_snapshot!(items[3], @r#"#[doc="Docs."]#[cfg(unix)]mod adds{#[ignore]#[::core::prelude::v1::test]fn case_1_two(){super::__mcp_scenario_adds[0usize].run_test();}#[ignore]#[::core::prelude::v1::test]fn far_off(){super::__mcp_scenario_adds[1usize].run_test();}}"#);
    }

    #[test]
    fn the_setup_runs_before_the_target_is_made() {
        let definition = |options: &str, signature: &str| {
            let item = format!("async fn f({signature}) -> Result<()> {{ Ok(()) }}");
            items(&format!("setup = a::b, {options}"), &item).remove(0)
        };
        let with_target = definition("target = |it| my_server(it)", "ctx: &mut Ctx");
        for part in [
            "setup:::core::option::Option::Some(||::mcp_test::__private::SetupFunction::start(a::b)),",
            "target:::core::option::Option::Some(::mcp_test::__private::Maker::WithSetup(|value|{#[allow(clippy::redundant_closure,clippy::redundant_closure_for_method_calls)]let given=value.give(a::b,|it|my_server(it));given.map(::mcp_test::__private::IntoTarget::into_target)})),",
            "Box::pin(async move{let outcome=f(context).await;",
        ] {
            assert!(with_target.contains(part), "{part} is not in {with_target}");
        }
        for (signature, part) in [
            (
                "ctx: &mut Ctx, it: Db",
                "let mut made=context.setup_value().await;let value=made.take(a::b)?;let outcome=f(context,value).await;",
            ),
            (
                "ctx: &mut Ctx, it: &Db",
                "let made=context.setup_value().await;let value=made.get(a::b)?;let outcome=f(context,value).await;",
            ),
            (
                "ctx: &mut Ctx, it: &mut Db",
                "let value=made.get_mut(a::b)?;let outcome=f(context,value).await;",
            ),
        ] {
            let definition = definition("", signature);
            assert!(definition.contains(part), "{part} is not in {definition}");
        }
        let both = definition("setup_ctx = c", "ctx: &mut Ctx, it: &Db, note: Note");
        let part = "let value=made.get(a::b)?;context.begin_setup();let value_with_context=::mcp_test::__private::value_of_setup(c(context).await)?;context.end_setup();let outcome=f(context,value,value_with_context).await;";
        assert!(both.contains(part), "{part} is not in {both}");
    }

    #[test]
    fn the_setup_with_the_context_runs_before_the_function_and_the_teardown_is_a_function_of_its_own()
     {
        let definition = |signature: &str| {
            let item = format!("async fn f({signature}) -> Result<()> {{ Ok(()) }}");
            items("setup_ctx = a::b, teardown = c", &item).remove(0)
        };
        let by_value = definition("ctx: &mut Ctx, it: Note");
        insta::assert_snapshot!(by_value.split_once("run:").expect("a field").1, @"|context|::std::boxed::Box::pin(async move{context.begin_setup();let value_with_context=::mcp_test::__private::value_of_setup(a::b(context).await)?;context.end_setup();let outcome=f(context,value_with_context).await;::mcp_test::__private::ScenarioOutcome::into_outcome(outcome)}),teardown:::core::option::Option::Some(|context|::std::boxed::Box::pin(async move{::mcp_test::__private::ScenarioOutcome::into_outcome(c(context).await)})),},run_test:::mcp_test::__private::run_test,}};");
        for (signature, part) in [
            (
                "ctx: &mut Ctx",
                "let _unused=::mcp_test::__private::value_of_setup(a::b(context).await)?;",
            ),
            ("ctx: &mut Ctx, it: &Note", "let outcome=f(context,&value_with_context).await;"),
            ("ctx: &mut Ctx, it: &mut Note", "let mut value_with_context="),
            (
                "ctx: &mut Ctx, it: &mut Note",
                "let outcome=f(context,&mut value_with_context).await;",
            ),
        ] {
            let definition = definition(signature);
            assert!(definition.contains(part), "{part} is not in {definition}");
        }
    }

    #[test]
    fn a_test_of_a_client_has_the_client_and_its_own_functions() {
        let item = "async fn works(server: &mut ServerCtx) -> Result<()> { Ok(()) }";
        let definition = items("client = my_client, teardown = c", item).remove(0);
        insta::assert_snapshot!(definition.split_once("body:").expect("a field").1, @"::mcp_test::__private::UserBody::Client{client:::mcp_test::__private::Maker::Alone(||::mcp_test::__private::IntoClientTarget::into_client_target(my_client)),run:|context|::std::boxed::Box::pin(async move{let outcome=works(context).await;::mcp_test::__private::ScenarioOutcome::into_outcome(outcome)}),teardown:::core::option::Option::Some(|context|::std::boxed::Box::pin(async move{::mcp_test::__private::ScenarioOutcome::into_outcome(c(context).await)})),},run_test:::mcp_test::__private::run_test,}};");
    }

    #[test]
    fn attributes_go_where_they_belong() {
        let item = r#"
            /// What it shows.
            #[cfg(unix)] #[ignore] #[expect(non_snake_case)] #[allow(clippy::all)] #[instrument]
            pub async fn Works(ctx: &mut Ctx) -> Result<()> { Ok(()) }
        "#;
        let items = items("", item);
        assert!(items[0].starts_with("#[cfg(unix)]#[doc(hidden)]"), "{}", items[0]);
        let function = "={#[doc=\"What it shows.\"]#[cfg(unix)]#[expect(non_snake_case)]#[allow(clippy::all)]\
                        #[instrument]async fn Works(ctx:&mut Ctx)->Result<()>{Ok(())}";
        assert!(items[0].contains(function), "{}", items[0]);
        assert!(
            items[1].starts_with("#[cfg(unix)]::mcp_test::__private::inventory::submit!"),
            "{}",
            items[1]
        );
        insta::assert_snapshot!(items[2], @r#"#[doc="What it shows."]#[cfg(unix)]#[ignore]#[allow(non_snake_case)]#[allow(clippy::all)]#[::core::prelude::v1::test]pub fn Works(){::mcp_test::__private::run_test(&__mcp_scenario_Works);}"#);
    }
}
