//! The reports that `--report` and GitHub Actions select.

use std::io::Write;
use std::path::{Path, PathBuf};

use mcp_test_core::files;
use mcp_test_core::run::MaskedEvent;

use super::{RunRequest, rerun};
use crate::error::CliError;
use crate::option_value::ReportKind;
use crate::output;
use crate::report::{FileReports, GitHub, ReportError, RunInfo};

/// The reports of a run for CI systems.
pub(super) struct CiReports {
    files: FileReports,
    github: Option<GitHub<Box<dyn Write>>>,
}

impl CiReports {
    /// Checks before a long run that the files can be written.
    pub(super) fn new(
        request: &RunRequest<'_>,
        info: &RunInfo,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, CliError> {
        let selected = &request.options.common.reports;
        let mut files = FileReports::new(info.clone(), rerun(request));
        for kind in selected {
            if let ReportKind::File(format, path) = kind {
                files::check_replaceable(path).map_err(CliError::unwritable("--report", path))?;
                files.add(*format, path);
            }
        }
        let is_selected = selected.contains(&ReportKind::GitHub);
        let by_default =
            selected.is_empty() && variable("GITHUB_ACTIONS").as_deref() == Some("true");
        if !is_selected && !by_default {
            return Ok(Self { files, github: None });
        }
        let mut step_summary = variable("GITHUB_STEP_SUMMARY").map(PathBuf::from);
        if let Some(path) = step_summary.as_deref()
            && let Err(error) = files::check_appendable(path)
        {
            let error = CliError::unwritable("GITHUB_STEP_SUMMARY", path)(error);
            // In a container the variable may be set although the file is outside; only who asked for it has to know.
            if is_selected {
                return Err(error);
            }
            output::warn(&error.to_string());
            step_summary = None;
        }
        // On standard error, which the runner reads as well: standard output may be a document, or be read by a script.
        let summary = step_summary.as_deref().map(Path::new);
        let github = GitHub::new(
            Box::new(output::stderr()) as Box<dyn Write>,
            summary,
            info.clone(),
            rerun(request),
        );
        Ok(Self { files, github: Some(github) })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.github.is_none()
    }

    /// Passes an event to every report, and returns the first error.
    pub(super) fn event(&mut self, event: &MaskedEvent) -> Result<(), ReportError> {
        let results = [
            self.files.event(event),
            self.github.as_mut().map_or(Ok(()), |github| github.event(event)),
        ];
        // After both were passed on: a full disk must not keep the annotations from the log.
        results.into_iter().collect()
    }
}
