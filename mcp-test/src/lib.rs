//! Test harness for the Model Context Protocol (MCP).
//!
//! # The house
//!
//! A module imports only from lower floors; neighbours on a floor do not know each other. `assert` lies below `scenario`:
//! it needs no context, only replies and traces, and the context compares golden traces with it.
//!
//! | floor | modules |
//! |---|---|
//! | 0 | `json` `clock` |
//! | 1 | `wire` `expect` `yaml` |
//! | 2 | `json_schema` |
//! | 3 | `spec` |
//! | 4 | `trace` `process` |
//! | 5 | `transport` `check` |
//! | 6 | `client` `server` `guard` |
//! | 7 | `assert` |
//! | 8 | `scenario` |
//! | 9 | `scenarios` `cases` |
//! | 10 | `run` |
//! | 11 | `report` |
//! | 12 | `harness` |
//! | 13 | `cli` |

#[cfg(feature = "harness")]
pub use harness::{client_conformance, conformance};
#[cfg(feature = "cases")]
pub use mcp_test_macros::cases;
pub use mcp_test_macros::mcp_scenario;

/// The error that test code may end with: anything that is an error.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// What scenario functions return; `?` accepts any error.
pub type Result<T = (), E = Error> = std::result::Result<T, E>;

pub mod assert;
#[cfg(feature = "cases")]
pub mod cases;
pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod client;
pub mod clock;
pub mod expect;
#[cfg(feature = "schema")]
pub mod guard;
pub mod harness;
pub mod json;
#[cfg(feature = "schema")]
pub mod json_schema;
pub mod prelude;
pub mod process;
pub mod report;
pub mod run;
pub mod scenario;
pub mod scenarios;
pub mod server;
pub mod spec;
pub mod trace;
pub mod transport;
pub mod wire;
pub mod yaml;

/// What the macros expand to; no part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use crate::__golden_fn as golden_fn;
    #[cfg(feature = "cases")]
    pub use crate::cases::{
        CaseTest, CasesFile, CasesPeer, IntoClientTarget, IntoGiven, RegisteredCases, UserCases,
        case_inputs, user_cases,
    };
    #[cfg(feature = "cases")]
    pub use crate::harness::run_case;
    pub use crate::harness::run_test;
    #[cfg(feature = "harness")]
    pub use crate::harness::{Place, main};
    pub use crate::scenario::Ctx;
    pub use crate::scenario::{
        DefaultTarget, IntoTarget, Registered, ScenarioOutcome, UserScenario, user_scenarios,
    };
    #[cfg(feature = "golden")]
    pub use insta;
    pub use inventory;
}

/// The code of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}
