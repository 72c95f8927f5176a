//! Scenarios under `cargo test`: plain `#[test]`s, and the trials of a test target without libtest.
//!
//! | | plain test target | `harness = false` and `mcp_test::main!()` (feature `harness`) |
//! |---|---|---|
//! | `#[mcp_scenario]` | one `#[test]`: its runs one after the other, all reported | one trial per run |
//! | skipped at run time | fails and says so, unless `allow_skip` | ignored, with the reason |
//! | `cases!("contracts/*.yaml")` | one `#[test]` per case | one trial per case, of the same name |
//! | `conformance(target)`, `client_conformance(client)` | - | one trial per built-in scenario |
//!
//! Either way each run has a thread and a current-thread runtime of its own, and a deadline on the machine's clock: that
//! of the attribute, else `MCP_TEST_TIMEOUT`, else 30 seconds. Code that blocks its thread fails its test; the others go on.
//!
//! # What fails a scenario
//!
//! - a panic, for example of an assertion, and an error that it returns; a finding is reported as the finding it is
//! - a check of its own that fails
//! - anything in the whole conversation by which the server breaks a MUST of JSON-RPC, of MCP's messages or of the
//!   transport; what breaks only a SHOULD is reported when the scenario fails for another reason
//! - an error reply, or the failure of a tool, that it never examined
//! - an end without a single message from each side, not counting its teardown
//! - an error or panic of its setups or teardown
//! - a reply, or its own end, that does not come in time
//!
//! `setup` runs before the target is made; [`#[mcp_scenario]`](macro@crate::mcp_scenario#setup-and-teardown) has the order of all phases.
//!
//! A test of a client also fails for how the client ends, and for a request that the test has scripted no answer to;
//! [`ServerCtx`](mcp_test_core::scenario::ServerCtx) describes it.
//!
//! The conversation and what child processes write to stderr are shown only when a scenario fails. What the test itself
//! prints passes through.
//!
//! # Which runs, and their names
//!
//! With nothing declared there is one run: the newest revision that both sides speak, over the first transport of the
//! target. `revisions`, `transports` and `matrix` declare more. A trial is named after its function and what the
//! attribute declares of its run: `adds_two_numbers`, `adds_two_numbers::2025-11-25`,
//! `adds_two_numbers::2025-11-25::http`. So listing tests starts no server, and the names never change. If
//! the server does not speak a revision of a range, the trial is ignored; a revision that is named by itself must be
//! supported. A client under test chooses the revision itself if none is declared.
//!
//! # One process or many
//!
//! Within a process, the first test asks which revisions a target speaks, and later ones reuse the answer. Programs behind
//! a URL run one at a time, since they use the same port. Under nextest every test is a process of its own: give such
//! tests a [test group](https://nexte.st/docs/configuration/test-groups/) with one thread.
//!
//! nextest learns from the list of tests which of them are ignored, and afterwards only whether a process has failed. So a trial
//! that is skipped at run time counts as passed there: its output has the reason, which `--success-output final` and
//! `store-success-output` (for JUnit) show. `cargo test` counts it as ignored.
//!
//! # Cases
//!
//! A case of `cases!` runs as in [`run`](mcp_test_core::run): at one of its revisions, over the first transport of the target that it
//! allows, unless the macro names others. It fails if one of its checks fails, or one that every scenario has, such as the
//! shapes of the server's messages. In a plain target each test starts the target for itself; trials share one run.
//!
//! # Snapshots
//!
//! `ctx.assert_golden()` compares the conversation with the insta snapshot of the scenario, `ctx.assert_golden_of("name")` with
//! another one. If the attribute declares several runs, each has snapshots of its own, whose names end with the declaration
//! after an `@`. The first line of a snapshot names the revision and the transport. insta shows the differences; with
//! `INSTA_OUTPUT=none`, the failure shows them.

#[cfg(feature = "harness")]
mod arguments;
#[cfg(feature = "cases")]
mod cases;
#[cfg(feature = "harness")]
mod conformance;
mod environment;
mod error;
mod exit_hook;
mod known;
mod output;
mod plain;
mod recording;
mod scenario_runs;
mod source;
#[cfg(feature = "harness")]
mod stray;
#[cfg(any(feature = "harness", feature = "cases"))]
mod suite;
mod test_run;
#[cfg(feature = "harness")]
mod trials;
mod watchdog;

#[cfg(feature = "cases")]
#[doc(hidden)]
pub use cases::run_case;
#[cfg(feature = "harness")]
pub use conformance::{Conformance, client_conformance, conformance};
#[doc(hidden)]
pub use error::InvalidTest;
#[doc(hidden)]
pub use plain::run_test;
#[cfg(feature = "harness")]
#[doc(hidden)]
pub use trials::main;

/// The `main` of a test target with `harness = false`: each run of each scenario is a test of its own.
///
/// It takes the arguments that libtest takes, and works with nextest. Given [`conformance`]s, it also runs the built-in
/// scenarios.
///
/// ```toml
/// [dev-dependencies]
/// mcp-test = { version = "0.1", features = ["harness"] }
///
/// [[test]]
/// name = "calculator"
/// harness = false
/// ```
///
/// ```no_run
/// # use mcp_test::prelude::*;
/// # fn my_server() -> Target { Target::command(Command::new("my-mcp-server")) }
/// mcp_test::main!(mcp_test::conformance(my_server).baseline("tests/known-failures.yml"));
/// ```
///
/// Without `harness = false`, the macro is a compiler error.
///
/// A plain `#[test]` would never run in such a target, since the compiler drops it; the binary warns about
/// those in the files with scenarios.
#[cfg(feature = "harness")]
#[macro_export]
macro_rules! main {
    ($($conformance:expr),* $(,)?) => {
        fn main() -> ::std::process::ExitCode {
            $crate::__private::main($crate::__private::call_site!(), ::std::vec![$($conformance),*])
        }

        // libtest has a `main` of its own, so that this one would never run. Only libtest compiles a `#[test]`, which editors
        // show in every target.
        #[allow(unexpected_cfgs, unnameable_test_items)]
        const _: () = {
            #[cfg(not(rust_analyzer))]
            #[::core::prelude::v1::test]
            fn the_target_needs_harness_false() {
                ::core::compile_error!(
                    "`mcp_test::main!` needs a test target without libtest, in which the built-in scenarios would \
                     never run: add `harness = false` to this `[[test]]` in Cargo.toml"
                );
            }
        };
    };
}

/// Needs the feature `harness`.
#[cfg(not(feature = "harness"))]
#[doc(hidden)]
#[macro_export]
macro_rules! main {
    ($($conformance:expr),* $(,)?) => {
        ::core::compile_error!(
            "`mcp_test::main!` needs the feature `harness`: cargo add --dev mcp-test --features harness"
        );
        fn main() {}
    };
}
