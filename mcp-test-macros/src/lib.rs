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

/// Makes each case in files of [MCP Cases](https://docs.rs/mcp-test/latest/mcp_test/cases/format/index.html) a test.
///
/// In a plain test target each case is a `#[test]`, in a target with `harness = false` and `mcp_test::main!()` a trial; the
/// names are the same. The files are selected by a path, by a directory (its `*.yaml` and `*.yml`), or by a pattern (`*`, `?`,
/// `[ab]`, `**` for directories), relative to the `Cargo.toml` of the package.
///
/// ```ignore
/// use mcp_test::prelude::*;
///
/// mcp_test::target!(my_server);
///
/// mcp_test::cases!("contracts/*.yaml");
/// mcp_test::cases!("contracts/login.yaml", target = other_server, inputs = [("token", "1234")], strict);
/// mcp_test::cases!("contracts/*.yaml", client = my_client, name = client_contracts);
/// ```
///
/// The first one expands the case `Adds two numbers` in `contracts/calculator.yaml` to the test
/// `contracts::calculator::adds_two_numbers`: a module named after the pattern, in it a module for each file, and in that a
/// function for each case. With the path of a single file there is no module for the file:
/// `contracts_login::takes_a_token`. Names keep only ASCII letters and digits; a case without any is named after its number,
/// `case_3`.
///
/// The cases are read when the test is compiled, and again when a file has changed. The compiler does not notice a new file;
/// the test `contracts::every_case_is_a_test` fails then. It also reports why a file cannot be read.
///
/// With `client` the files are served to a client, and each file is a test: it passes when the client has sent everything
/// that the cases of the file expect.
///
/// # Options
///
/// | option | meaning |
/// |---|---|
/// | `target = my_server` | the server to test: a function or closure that makes a `Target`, or a `Target`; without it, that of `mcp_test::target!`, or else the environment's |
/// | `client = my_client` | the client to test instead: a function or closure that makes a `ClientTarget`, or a `ClientTarget` |
/// | `name = over_http` | the name of the module, if two would have the same |
/// | `revisions = "2025-06-18.."` | run each case at all of these revisions, instead of one that it allows |
/// | `transports = [duplex, http]` | the transports to run over; without it, the first one of the target that a case allows |
/// | `timeout = "5s"` | how long a case without a `_timeout` may take |
/// | `baseline = "tests/known.yml"` | the expected failures |
/// | `tags = ["fast"]`, `skip_tags = ["slow"]` | only cases with one of these tags, or with none of these |
/// | `inputs = [("token", "1234")]` | the values for `_inputs`; others are read from `MCP_TEST_INPUT_<NAME>` |
/// | `given = my_states` | sets up the states of `_given`: a function or closure that takes a `State` and a `Phase` and returns a future, or a `Given` |
/// | `allow_commands` | `_before` and `_after` may run commands; otherwise a case that has them fails |
/// | `allow_skip` | a case that is skipped at run time passes; otherwise it fails and says why |
/// | `strict` | fail on what is tolerated otherwise, such as messages that the case does not have |
/// | `crate = path` | where `mcp_test` is found, when the dependency was renamed |
///
/// A case with `_skip` is an ignored test, and so is every other one while a case has `_only`.
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
    match syn::parse2::<model::Function>(item.clone()) {
        Ok(function) => match validate::scenario(&options, &function, errors) {
            Ok(scenario) => expand::expand(&scenario),
            Err(errors) => fallback::repaired(&errors, function, &krate),
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
