//! The attribute `#[mcp_scenario]` and the macro `cases!`; use them through the `mcp-test` crate, which re-exports them.
//!
//! | module | what it does |
//! |---|---|
//! | `attr` | parses the arguments of the attribute |
//! | `model` | the parsed attribute and function, and the validated scenario |
//! | `validate` | validates the scenario, and reports all errors at once |
//! | `expand` | expands a valid scenario to a definition, a registration and a `#[test]` |
//! | `fallback` | expands an invalid scenario to a plain function, so that no other error or hint is lost |
//! | `cases` | expands the cases of YAML files to tests |
//! | `suggest` | "did you mean …?" |
//!
//! The expansion only names items of `mcp_test::__private`; how scenarios and cases run is implemented there.

use proc_macro2::TokenStream;

mod attr;
mod cases;
mod expand;
mod fallback;
mod model;
mod suggest;
mod validate;

/// Makes an `async fn name(ctx: &mut Ctx) -> Result<()>` a scenario; `mcp_test` documents it.
#[proc_macro_attribute]
pub fn mcp_scenario(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    scenario(arguments.into(), &item.into()).into()
}

/// Makes each case in files of MCP Cases a test; `mcp_test` documents it.
#[proc_macro]
pub fn cases(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    // Cargo sets it for every crate that it compiles.
    let root = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    cases::cases(input.into(), std::path::Path::new(&root)).into()
}

/// The attribute as a function of token streams that unit tests can call.
fn scenario(arguments: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = model::Errors::default();
    let options = attr::options(arguments, &mut errors);
    let krate = validate::crate_path(&options);
    let tests = validate::Tests::of(&options);
    match syn::parse2::<model::Function>(item.clone()) {
        Ok(function) => match validate::scenario(&options, &function, errors) {
            Ok(scenario) => expand::expand(&scenario),
            Err(errors) => fallback::repaired(&errors, function, &krate, tests),
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
