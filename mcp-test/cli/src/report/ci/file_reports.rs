//! Reports that are files of their own, each in one format.

use std::fmt;
use std::path::{Path, PathBuf};

use mcp_test_core::files;
use mcp_test_core::run::{MaskedEvent, Summary};

use super::distinct_problems::distinct_problems;
use super::scenario_run_reports::ScenarioRunReports;
use super::{ctrf, junit, markdown, sarif, tap};
use crate::report::{ReportError, Reporter, Rerun, RunInfo};

/// The format of a report that is a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileFormat {
    /// JUnit XML.
    Junit,
    /// Markdown, short enough for a comment on GitHub.
    Markdown,
    /// SARIF 2.1.0.
    Sarif,
    /// CTRF, the Common Test Report Format.
    Ctrf,
    /// TAP 14, the Test Anything Protocol.
    Tap,
}

impl FileFormat {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Junit, Self::Markdown, Self::Sarif, Self::Ctrf, Self::Tap];

    /// Its name, as an argument of `--report`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Junit => "junit",
            Self::Markdown => "markdown",
            Self::Sarif => "sarif",
            Self::Ctrf => "ctrf",
            Self::Tap => "tap",
        }
    }

    fn text(self, reports: &ScenarioRunReports, summary: &Summary) -> String {
        match self {
            Self::Junit => junit::text(reports, summary),
            Self::Markdown => {
                let problems = distinct_problems(reports, summary);
                markdown::text(reports, summary, &problems, markdown::COMMENT)
            }
            Self::Sarif => sarif::text(reports, summary),
            Self::Ctrf => ctrf::text(reports, summary),
            Self::Tap => tap::text(reports, summary),
        }
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Writes files when the run has ended, each completely or not at all.
#[derive(Debug)]
pub struct FileReports {
    files: Vec<(FileFormat, PathBuf)>,
    reports: ScenarioRunReports,
}

impl FileReports {
    /// Without a file.
    #[must_use]
    pub fn new(info: RunInfo, rerun: Rerun) -> Self {
        Self { files: Vec::new(), reports: ScenarioRunReports::new(info, rerun) }
    }

    /// Writes to the file at `path` as well.
    pub fn add(&mut self, format: FileFormat, path: &Path) {
        self.files.push((format, path.to_owned()));
    }

    /// Whether there is no file to write.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

impl Reporter for FileReports {
    fn event(&mut self, event: &MaskedEvent) -> Result<(), ReportError> {
        if self.is_empty() {
            return Ok(());
        }
        let Some(summary) = self.reports.event(event) else { return Ok(()) };
        let write = |(format, path): &(FileFormat, PathBuf)| {
            let text = format.text(&self.reports, summary);
            files::replace(path, text).map_err(ReportError::write(path))
        };
        let results: Vec<_> = self.files.iter().map(write).collect();
        results.into_iter().collect()
    }
}
