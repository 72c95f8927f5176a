//! Reports that CI systems read.
//!
//! | file | contents |
//! |---|---|
//! | `cell_reports` | what is kept of each scenario run until the end |
//! | `distinct_problems` | equal problems of several scenario runs, as one |
//! | `run_problems` | what makes a run fail beside its scenario runs |
//! | `file_reports` | the files that are written, and their formats |
//! | `junit` | JUnit XML |
//! | `github` | workflow commands of GitHub Actions |
//! | `step_summary` | the step summary of GitHub Actions |
//!
//! What a peer sent is only text in each of them: [`words::inert`](crate::expect::words::inert) removes what controls a display,
//! and each format escapes its own markup.

mod cell_reports;
mod distinct_problems;
mod file_reports;
mod github;
mod junit;
mod run_problems;
mod step_summary;
#[cfg(test)]
mod tests;

pub use file_reports::{FileFormat, FileReports};
pub use github::GitHub;
