//! The parts of [mcp-test](https://docs.rs/mcp-test) that talk to MCP servers and clients, record what is sent, and judge it.
//!
//! Use them through the crate `mcp-test`, which re-exports what test authors need. This crate promises no stable API: what only
//! the other packages of mcp-test use is public here, and hidden in the documentation.

// What only the suite uses is neither reached nor public without it.
#![cfg_attr(not(feature = "suite"), allow(dead_code, unreachable_pub, unused_imports))]

/// The version of insta that compares golden snapshots: its `Settings` apply to `ctx.assert_golden()`.
#[cfg(feature = "golden")]
#[doc(no_inline)]
pub use insta;

/// The error type of test code; `?` converts any error into it.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// What scenario functions return; `?` accepts any error.
pub type Result<T = (), E = Error> = std::result::Result<T, E>;

pub mod assert;
pub mod check;
pub mod client;
pub mod clock;
pub mod expect;
#[doc(hidden)]
pub mod failure_report;
#[doc(hidden)]
pub mod files;
#[cfg(feature = "auth")]
pub mod jose;
pub mod json;
#[cfg(feature = "schema")]
#[doc(hidden)]
pub mod json_schema;
#[cfg(feature = "auth")]
pub mod oauth;
pub mod prelude;
pub mod process;
#[doc(hidden)]
pub mod run;
pub mod scenario;
pub mod server;
#[doc(hidden)]
pub mod skill_file;
pub mod spec;
pub mod trace;
pub mod transport;
pub mod wire;
#[doc(hidden)]
pub mod yaml;

/// What the macros expand to; not part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use crate::__call_site as call_site;
    pub use crate::__golden_fn as golden_fn;
    pub use crate::scenario::Ctx;
    pub use crate::scenario::ServerCtx;
    pub use crate::scenario::{
        CallSite, DefaultTarget, IntoClientTarget, IntoTarget, Maker, Registered, ScenarioOutcome,
        SetupFunction, UserBody, UserScenario, user_scenarios, value_of_setup,
    };
    pub use crate::spec::KnownViolation;
    #[cfg(feature = "golden")]
    pub use insta;
    pub use inventory;
}
