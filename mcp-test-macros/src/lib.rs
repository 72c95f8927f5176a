//! The attribute `#[mcp_scenario]`; use it through the `mcp-test` crate, which re-exports it.
//!
//! | module | what it does |
//! |---|---|
//! | `attr` | reads what is written between the attribute's parentheses, option by option |
//! | `model` | what was written, and what it means once it is known to be right |
//! | `validate` | from the one to the other, or to every mistake at once, each at the user's word |
//! | `expand` | a right scenario as definition, registration and `#[test]` |
//! | `fallback` | a wrong one as a plain function, so that no other error or hint is lost |
//! | `suggest` | "did you mean …?" |
//!
//! What a scenario is and how it runs is not known here: the expansion only names items of `mcp_test::__private`.

use proc_macro2::TokenStream;

mod attr;
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
