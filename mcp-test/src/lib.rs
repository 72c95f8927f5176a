//! A test harness for [Model Context Protocol](https://modelcontextprotocol.io) (MCP) servers and clients.
//!
//! # Quick start
//!
//! Add the crate with `cargo add --dev mcp-test`, and put this in `tests/mcp.rs`:
//!
//! ```no_run
//! use mcp_test::prelude::*;
//!
//! mcp_test::target!(Target::command(Command::new("my-mcp-server")));
//!
//! #[mcp_scenario]
//! async fn adds_two_numbers(ctx: &mut Ctx) -> Result<()> {
//!     ctx.list_tools().await?.assert_tool("add").assert_requires("a").assert_requires("b");
//!     ctx.call_tool("add", json!({"a": 1, "b": 2})).await?.assert_ok().assert_text("3");
//!     Ok(())
//! }
//! ```
//!
//! `cargo test` starts the server, runs the scenario, and stops the server. In addition to the scenario's own assertions, it
//! validates every message from the server against the MCP revision in use.
//!
//! `my-mcp-server` is looked up in `PATH`; `env!("CARGO_BIN_EXE_my-mcp-server")` is the binary of your own package.
//!
//! # Targets
//!
//! | target | what is tested | feature |
//! |---|---|---|
//! | `Target::duplex(\|io\| async move { … })` | a server in this process, over an in-memory pipe | |
//! | `Target::command(Command::new("my-mcp-server"))` | a program, over stdio | |
//! | `Target::router(\|\| my_router())`, `Target::service(\|\| …)` | an axum router or tower service in this process, without a port | `http` |
//! | `Target::url("http://127.0.0.1:3000/mcp")` | a running server, over Streamable HTTP | `http` |
//! | `Target::sse("http://127.0.0.1:3000/sse")` | a running server, over the legacy HTTP+SSE transport (2024-11-05) | `http` |
//!
//! # Where to go next
//!
//! | To … | See | feature |
//! |---|---|---|
//! | write scenarios | [`guide::testing_servers`], [`Ctx`](prelude::Ctx), [`mod@assert`] | |
//! | answer elicitations, sampling and roots | [`guide::handlers`] | |
//! | test a client | [`guide::testing_clients`], [`server::Server`], [`transport::ClientTarget`] | `http` |
//! | run the built-in scenarios | [`guide::command_line`] | `cli`, `harness` |
//! | write contracts in YAML | [`guide::contracts`] | `cases` |
//! | validate messages in front of your own server or client | [`guide::guarding_servers`] | `guard` |
//! | run all of this in CI | [`guide::continuous_integration`] | |
//! | look up revisions and requirements | [`spec`] | |

#[cfg(feature = "harness")]
pub use harness::{client_conformance, conformance};
#[cfg(feature = "cases")]
pub use mcp_test_macros::cases;
pub use mcp_test_macros::mcp_scenario;

/// The error type of test code; `?` converts any error into it.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// What scenario functions return; `?` accepts any error.
pub type Result<T = (), E = Error> = std::result::Result<T, E>;

pub mod assert;
#[cfg(feature = "cases")]
pub mod cases;
pub mod check;
pub mod client;
pub mod clock;
pub mod expect;
mod files;
#[cfg(feature = "guard")]
pub mod guard;
pub mod guide;
pub mod harness;
pub mod json;
pub mod prelude;
pub mod process;
pub mod scenario;
pub mod server;
pub mod spec;
pub mod trace;
pub mod transport;
pub mod wire;

// For the binary, the fuzz targets and the tests of this repository; nothing in them is meant for users.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "schema")]
#[doc(hidden)]
pub mod json_schema;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod run;
#[cfg(any(test, feature = "scenarios"))]
#[doc(hidden)]
pub mod scenarios;
#[doc(hidden)]
pub mod yaml;

/// What the macros expand to; not part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use crate::__call_site as call_site;
    pub use crate::__golden_fn as golden_fn;
    #[cfg(feature = "cases")]
    pub use crate::cases::{
        CaseTest, CasesFile, CasesPeer, IntoClientTarget, IntoGiven, RegisteredCases, UserCases,
        case_inputs, user_cases,
    };
    #[cfg(feature = "harness")]
    pub use crate::harness::main;
    #[cfg(feature = "cases")]
    pub use crate::harness::run_case;
    pub use crate::harness::run_test;
    pub use crate::scenario::Ctx;
    pub use crate::scenario::{
        CallSite, DefaultTarget, IntoTarget, Registered, ScenarioOutcome, UserScenario,
        user_scenarios,
    };
    #[cfg(feature = "golden")]
    pub use insta;
    pub use inventory;
}
