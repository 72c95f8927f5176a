//! The reports that `--report` and GitHub Actions select.

use std::io::Write;
use std::path::{Path, PathBuf};

use mcp_test_core::files;

use super::{RunRequest, rerun};
use crate::error::CliError;
use crate::option_value::ReportKind;
use crate::output;
use crate::report::{FileReports, GitHub, Reporter, RunInfo};

/// The reports of a run for CI systems; that their files can be written is checked before a long run.
pub(super) fn ci_reports(
    request: &RunRequest<'_>,
    info: &RunInfo,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Box<dyn Reporter>>, CliError> {
    let selected = &request.options.common.reports;
    let mut reporters: Vec<Box<dyn Reporter>> = Vec::new();
    let mut files = FileReports::new(info.clone(), rerun(request));
    for kind in selected {
        if let ReportKind::File(format, path) = kind {
            files::check_replaceable(path).map_err(CliError::unwritable("--report", path))?;
            files.add(*format, path);
        }
    }
    if !files.is_empty() {
        reporters.push(Box::new(files));
    }
    let is_selected = selected.contains(&ReportKind::GitHub);
    let by_default = selected.is_empty() && variable("GITHUB_ACTIONS").as_deref() == Some("true");
    if !is_selected && !by_default {
        return Ok(reporters);
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
    let log = Box::new(output::stderr()) as Box<dyn Write>;
    reporters.push(Box::new(GitHub::new(log, summary, info.clone(), rerun(request))));
    Ok(reporters)
}
