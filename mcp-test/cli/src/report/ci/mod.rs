//! Reports that CI systems read.
//!
//! | file | contents |
//! |---|---|
//! | `scenario_run_reports` | what is kept of each scenario run until the end |
//! | `distinct_problems` | equal problems of several scenario runs, as one |
//! | `run_problems` | what makes a run fail beside its scenario runs |
//! | `file_reports` | the files that are written, and their formats |
//! | `junit` | JUnit XML |
//! | `markdown` | Markdown for comments, and for the step summary of GitHub Actions |
//! | `sarif` | SARIF 2.1.0 |
//! | `ctrf` | CTRF |
//! | `tap` | TAP 14 |
//! | `github` | workflow commands of GitHub Actions |
//!
//! What a peer sent is only text in each of them: [`words::inert`](mcp_test_core::expect::words::inert) removes what controls a display,
//! and each format escapes its own markup.

mod ctrf;
mod distinct_problems;
mod file_reports;
mod github;
mod junit;
mod markdown;
mod run_problems;
mod sarif;
mod scenario_run_reports;
mod tap;
#[cfg(test)]
mod tests;

pub use file_reports::{FileFormat, FileReports};
pub use github::GitHub;
