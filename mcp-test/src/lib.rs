//! Test harness for the Model Context Protocol (MCP).
//!
//! # The house
//!
//! A module imports only from lower floors; neighbours on a floor do not know each other.
//!
//! | floor | modules |
//! |---|---|
//! | 0 | `json` `clock` |
//! | 1 | `wire` `expect` |
//! | 2 | `spec` |
//! | 3 | `trace` `process` |
//! | 4 | `transport` `check` |
//! | 5 | `client` `server` |
//! | 6 | `scenario` `assert` |
//! | 7 | `scenarios` |
//! | 8 | `run` |
//! | 9 | `report` |
//! | 10 | `harness` |
//! | 11 | `cli` |

pub mod assert;
pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod client;
pub mod clock;
pub mod expect;
#[cfg(feature = "harness")]
pub mod harness;
pub mod json;
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
