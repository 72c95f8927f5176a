//! Reporters: each is a [`Reporter`], which consumes run events and writes one format.
//!
//! | for | reporter |
//! |---|---|
//! | people | [`Console`], and [`Progress`] during the run |
//! | programs that read the output | [`Json`] |
//! | programs that read the files of the official suite | [`ResultFiles`]: `checks.json`, and our `summary.json` |
//! | CI systems | [`FileReports`]: JUnit XML, Markdown, SARIF, CTRF, TAP; [`GitHub`]: annotations and the step summary |
//!
//! Reporters decide nothing: verdicts, counts and exit codes come with the events. [`failure_report`](mcp_test_core::failure_report) formats failing checks for
//! all of them.

mod checks_json;
mod ci;
mod console;
mod coverage;
mod coverage_table;
mod digest;
mod error;
mod json;
mod problem_details;
mod progress;
mod reporter;
#[cfg(test)]
pub(crate) mod sample;
mod scenario_run_names;
mod secrets;
mod summary;
mod wrap;

pub use checks_json::{ResultFiles, rows};
pub use ci::{FileFormat, FileReports, GitHub};
pub use console::{Console, ConsoleOptions};
pub use error::ReportError;
pub use json::Json;
pub use mcp_test_core::failure_report::Rerun;
pub use progress::Progress;
pub use reporter::Reporter;
pub use scenario_run_names::ScenarioRunNames;
pub use secrets::{LearnedSecrets, Secrets};
pub use summary::{RunInfo, SummaryJson};
pub(crate) use wrap::wrap_lines;
