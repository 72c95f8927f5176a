//! The attribute `#[mcp_scenario]` and the macro `cases!`; use them through the `mcp-test` crate, which re-exports them.
//!
//! | module | what it does |
//! |---|---|
//! | `attr` | reads what is written between the attribute's parentheses, option by option |
//! | `model` | what was written, and what it means once it is known to be right |
//! | `validate` | from the one to the other, or to every mistake at once, each at the user's word |
//! | `expand` | a right scenario as definition, registration and `#[test]` |
//! | `fallback` | a wrong one as a plain function, so that no other error or hint is lost |
//! | `cases` | the cases of YAML files as tests |
//! | `suggest` | "did you mean …?" |
//!
//! What a scenario or a case is and how it runs is not known here: the expansion only names items of
//! `mcp_test::__private`.

use proc_macro2::TokenStream;

mod attr;
mod cases;
mod expand;
mod fallback;
mod model;
mod suggest;
mod validate;

/// Makes an `async fn name(ctx: &mut Ctx) -> Result<()>` a scenario: a test of the target of this test binary.
///
/// In a plain test target it is one `#[test]`, which runs the scenario's cells (a revision on a transport) one after the
/// other. In a target with `harness = false` and `mcp_test::main!()` every cell is a test of its own.
///
/// ```ignore
/// use mcp_test::prelude::*;
///
/// #[mcp_scenario]
/// async fn adds_two_numbers(ctx: &mut Ctx) -> Result<()> {
///     ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_ok().assert_text("3");
///     Ok(())
/// }
///
/// #[mcp_scenario(target = other_server, revisions = "2025-06-18..", transports = [duplex, http], timeout = "5s")]
/// async fn lists_its_tools(ctx: &mut Ctx) -> Result<()> {
///     ctx.list_tools().await?.assert_tool("add");
///     Ok(())
/// }
/// ```
///
/// # Options
///
/// | option | meaning |
/// |---|---|
/// | `target = my_server` | the server to test: a function or closure that makes a `Target`, or a `Target`; without it, that of `mcp_test::target!` |
/// | `revisions = "2025-06-18.."` | the revisions to run at: one, a range (`"a.."`, `"a..b"` with both ends, `"..b"`), several of these with commas, or `"all"`; without it, the newest that both sides speak |
/// | `transports = [duplex, stdio, http, router, sse]` | the transports to run over; without it, the first one of the target |
/// | `matrix` | run at every revision and over every transport of the target, within `revisions` and `transports` |
/// | `allow_skip` | a scenario that skips itself passes; otherwise it fails and says why it was skipped |
/// | `timeout = "5s"` | how long one cell may take: a whole number with `ms`, `s` or `m` |
/// | `crate = path` | where `mcp_test` is found, when the dependency was renamed |
///
/// `#[ignore]` and `#[ignore = "why"]` work as on any test. `#[should_panic]`, and a second test attribute such as
/// `#[tokio::test]`, are refused.
#[proc_macro_attribute]
pub fn mcp_scenario(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    scenario(arguments.into(), &item.into()).into()
}

/// Makes each case of some files of [MCP Cases](https://modelcontextprotocol.io) a test.
///
/// In a plain test target each case is a `#[test]`, in a target with `harness = false` and `mcp_test::main!()` a trial; the
/// names are the same. The files are named by a path, by that of a directory, which stands for its `*.yaml` and `*.yml`, or by
/// a pattern (`*`, `?`, `[ab]`, `**` for directories), as seen from the `Cargo.toml` of the package.
///
/// ```ignore
/// use mcp_test::prelude::*;
///
/// mcp_test::target!(my_server);
///
/// mcp_test::cases!("contracts/*.yaml");
/// mcp_test::cases!("contracts/login.yaml", target = other_server, inputs = [("token", "1234")], strict);
/// mcp_test::cases!("contracts/*.yaml", client = my_client, name = of_the_client);
/// ```
///
/// The first one makes, of the case `Adds two numbers` in `contracts/calculator.yaml`, the test
/// `contracts::calculator::adds_two_numbers`: the module is named after the pattern, in it there is one for each file, and
/// in that a function for each case. The path of a file needs no module for the file:
/// `contracts_login::takes_a_token`. Of names only the letters and digits of ASCII remain, and a case that has none is called
/// by its number, `case_3`.
///
/// Which cases there are is read when the test is compiled, which happens again when one of the files is changed. That a
/// file was added is nothing that the compiler sees; the test `contracts::every_case_is_a_test` fails then. It also tells
/// what is wrong with a file that cannot be read.
///
/// With `client` the files are served to a client, and each file is a test: it passes when the client has said everything
/// that the cases of the file demand.
///
/// # Options
///
/// | option | meaning |
/// |---|---|
/// | `target = my_server` | the server to test: a function or closure that makes a `Target`, or a `Target`; without it, that of `mcp_test::target!`, or else the environment's |
/// | `client = my_client` | the client to test instead: a function or closure that makes a `ClientTarget`, or a `ClientTarget` |
/// | `name = over_http` | what the module is called; two that would be called the same need it |
/// | `revisions = "2025-06-18.."` | run each case at all of these revisions, and not only at one of those in which it holds |
/// | `transports = [duplex, http]` | the transports to run over; without it, the first one of the target over which a case holds |
/// | `timeout = "5s"` | how long a case may take that does not say so itself |
/// | `baseline = "tests/known.yml"` | the failures that are expected |
/// | `tags = ["fast"]`, `skip_tags = ["slow"]` | only cases with one of these tags, or with none of these |
/// | `inputs = [("token", "1234")]` | the values for `_inputs`; what is not given is looked for in `MCP_TEST_INPUT_<NAME>` |
/// | `given = my_states` | who brings the states of `_given` about: a function or closure that takes a `State` and a `Phase` and returns a future, or a `Given` |
/// | `allow_commands` | `_before` and `_after` may run commands; otherwise a case that has them fails |
/// | `allow_skip` | a case that is skipped at run time passes; otherwise it fails and says why |
/// | `strict` | what is tolerated elsewhere fails, such as messages that the case does not have |
/// | `crate = path` | where `mcp_test` is found, when the dependency was renamed |
///
/// A case with `_skip` is an ignored test, and so is every other one while a case has `_only`.
#[proc_macro]
pub fn cases(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    // Cargo sets it for every crate that it compiles.
    let root = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    cases::cases(input.into(), std::path::Path::new(&root)).into()
}

/// The attribute on token streams that need no compiler, for the unit tests.
fn scenario(arguments: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = model::Errors::default();
    let options = attr::options(arguments, &mut errors);
    let krate = validate::crate_path(&options);
    match syn::parse2::<model::Function>(item.clone()) {
        Ok(function) => match validate::scenario(&options, &function, errors) {
            Ok(scenario) => expand::expand(&scenario),
            Err(errors) => fallback::mended(&errors, function, &krate),
        },
        Err(reason) => {
            errors.push(syn::Error::new(
                reason.span(),
                "`#[mcp_scenario]` goes on a function with a body: \
                 `async fn name(ctx: &mut Ctx) -> Result<()> { … }`",
            ));
            fallback::untouched(&errors, item)
        }
    }
}
