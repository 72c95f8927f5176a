//! Reporters: each consumes run events and writes one format.
//!
//! | for | reporter |
//! |---|---|
//! | people | [`Console`], and [`Progress`] during the run (feature `cli`) |
//! | programs that read the output | [`Json`] |
//! | programs that read the files of the official suite | [`ResultFiles`]: `checks.json`, and our `summary.json` |
//! | CI systems | [`FileReports`]: JUnit XML, Markdown, SARIF, CTRF, TAP; [`GitHub`]: annotations and the step summary (feature `cli`) |
//!
//! Reporters decide nothing: verdicts, counts and exit codes come with the events. [`failure`] formats failing checks for
//! all of them.

mod cell_names;
mod checks_json;
#[cfg(feature = "cli")]
mod ci;
#[cfg(feature = "cli")]
mod console;
mod coverage;
#[cfg(feature = "cli")]
mod coverage_table;
#[cfg(feature = "cli")]
mod digest;
mod error;
pub mod failure;
mod json;
#[cfg(feature = "cli")]
mod problem_details;
#[cfg(feature = "cli")]
mod progress;
#[cfg(test)]
mod sample;
mod secrets;
#[cfg(all(test, feature = "cli"))]
mod sign_in_secrets;
mod summary;
#[cfg(feature = "cli")]
mod wrap;

pub use cell_names::CellNames;
pub use checks_json::{ResultFiles, rows};
#[cfg(feature = "cli")]
pub use ci::{FileFormat, FileReports, GitHub};
#[cfg(feature = "cli")]
pub use console::{Console, ConsoleOptions};
pub use error::ReportError;
pub use failure::Rerun;
pub use json::Json;
#[cfg(feature = "cli")]
pub use progress::Progress;
pub use secrets::{LearnedSecrets, Secrets};
pub use summary::{RunInfo, SummaryJson};
#[cfg(feature = "cli")]
pub(crate) use wrap::wrap_lines;
