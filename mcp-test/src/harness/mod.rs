//! Scenarios as tests of cargo: plain `#[test]`s, and the trials of a test target without libtest.
//!
//! | | plain test target | `harness = false` and `mcp_test::main!()` (feature `harness`) |
//! |---|---|---|
//! | `#[mcp_scenario]` | one `#[test]`: its cells one after the other, all reported | one trial per cell |
//! | skipped at run time | fails and says so, unless `allow_skip` | ignored, with the reason |
//! | `cases!("contracts/*.yaml")` | one `#[test]` per case | one trial per case, of the same name |
//! | `conformance(target)`, `client_conformance(client)` | - | one trial per built-in scenario |
//!
//! Either way a cell has a thread and a current-thread runtime of its own, and a deadline on the machine's clock: that
//! of the attribute, else `MCP_TEST_TIMEOUT`, else 30 seconds. Code that blocks its thread is noticed from outside and
//! fails its test; the others go on.
//!
//! # What fails a scenario
//!
//! - a panic, for example of an assertion, and an error that it ends with; a finding is told as the finding it is
//! - a check of its own that fails
//! - anything in the whole conversation by which the server breaks a MUST of JSON-RPC, of MCP's messages or of the
//!   carrier; what breaks only a SHOULD is told when the scenario fails for another reason
//! - an error reply that it never looked at
//! - an end without a single message from each side
//! - silence: a reply, or its own end, that does not come in time
//!
//! What the harness observes, what was said and what children write on stderr is held back, and told of a scenario
//! that fails. What the test itself prints passes through.
//!
//! # Which cells, and their names
//!
//! With nothing declared there is one cell: the newest revision that both sides speak, over the first carrier of the
//! target. `revisions`, `transports` and `matrix` declare more. A trial is named after its function and what the
//! attribute declares of its cell: `adds_two_numbers`, `adds_two_numbers::2025-11-25`,
//! `adds_two_numbers::2025-11-25::http`. So listing tests asks no server, and gives the same names every time. Of a
//! revision in a range, a server that does not speak it makes an ignored trial, not a failure; a revision that is named
//! by itself has to be spoken.
//!
//! # One process or many
//!
//! Within a process, what a target speaks is asked by whoever comes first and then known; trials that come at the same
//! time ask each for itself. Programs behind a URL run one at a time, since they want the same port. Under nextest every test is a process of its own: give such tests a
//! [test group](https://nexte.st/docs/configuration/test-groups/) with one thread.
//!
//! # Cases
//!
//! A case of `cases!` is played as [`run`](crate::run) plays it: at one of the revisions in which it holds, over the first
//! transport of the target that it holds for, unless the macro names some. What fails it is what a check of it says, and what
//! every scenario is checked for, the form of the server's messages among it. In a plain target each test brings the target
//! up for itself; trials share one run.
//!
//! # Snapshots
//!
//! `ctx.assert_golden()` compares the conversation with one insta snapshot per scenario; only when several cells are
//! declared, each has its own, with what is declared of it after an `@`. insta shows the differences. Where it is told
//! not to (`INSTA_OUTPUT=none`), mcp-test shows them in the failure.

#[cfg(feature = "harness")]
mod arguments;
#[cfg(feature = "cases")]
mod cases;
mod cells;
#[cfg(feature = "harness")]
mod conformance;
mod ending;
mod environment;
mod error;
mod panics;
mod plain;
mod source;
mod speaking;
mod stage;
#[cfg(feature = "harness")]
mod stray;
#[cfg(any(feature = "harness", feature = "cases"))]
mod suite;
mod telling;
#[cfg(feature = "harness")]
mod trials;

#[cfg(feature = "cases")]
pub use cases::run_case;
#[cfg(feature = "harness")]
pub use conformance::{Conformance, client_conformance, conformance};
pub use error::Unplayable;
pub use plain::run_test;
#[cfg(feature = "harness")]
pub use trials::{Place, main};

/// The `main` of a test target with `harness = false`: each cell of each scenario is a test of its own.
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
/// ```ignore
/// mcp_test::main!(mcp_test::conformance(my_server).baseline("tests/known-failures.yml"));
/// ```
///
/// A plain `#[test]` would never run in such a target, since the compiler drops it; the binary warns of those that it
/// finds in the files with scenarios.
#[cfg(feature = "harness")]
#[macro_export]
macro_rules! main {
    ($($conformance:expr),* $(,)?) => {
        fn main() -> ::std::process::ExitCode {
            let place = $crate::__private::Place {
                file: ::core::file!(),
                manifest_dir: ::core::env!("CARGO_MANIFEST_DIR"),
            };
            $crate::__private::main(&place, ::std::vec![$($conformance),*])
        }
    };
}
