//! Annotations and the step summary of GitHub Actions.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use mcp_test_core::expect::words;
use mcp_test_core::run::MaskedEvent;

use super::distinct_problems::{DistinctProblem, Level, distinct_problems};
use super::markdown;
use super::scenario_run_reports::ScenarioRunReports;
use crate::report::{ReportError, Reporter, Rerun, RunInfo};

/// How many annotations of each level GitHub keeps of a step; it drops what follows.
const MOST: usize = 10;

/// How many characters of a problem an annotation shows; GitHub shows about 4,000.
const CHARACTERS: usize = 3_000;

/// Writes workflow commands and a step summary when the run has ended.
///
/// Each distinct problem is one annotation: `error` if it makes the run fail, otherwise `warning`. The step summary is added to
/// the file, as Markdown.
#[derive(Debug)]
pub struct GitHub<W> {
    out: W,
    step_summary: Option<PathBuf>,
    reports: ScenarioRunReports,
}

impl<W: Write> GitHub<W> {
    /// Writes commands to `out`, and the step summary to the end of a file.
    #[must_use]
    pub fn new(out: W, step_summary: Option<&Path>, info: RunInfo, rerun: Rerun) -> Self {
        let step_summary = step_summary.map(Path::to_owned);
        Self { out, step_summary, reports: ScenarioRunReports::new(info, rerun) }
    }
}

impl<W: Write> Reporter for GitHub<W> {
    fn event(&mut self, event: &MaskedEvent) -> Result<(), ReportError> {
        let Some(summary) = self.reports.event(event) else { return Ok(()) };
        let problems = distinct_problems(&self.reports, summary);
        // A log that nobody reads is not an error: the step summary is still written.
        let _ = self.out.write_all(commands(&problems).as_bytes()).and_then(|()| self.out.flush());
        let Some(path) = &self.step_summary else { return Ok(()) };
        let text = markdown::text(&self.reports, summary, &problems, markdown::STEP_SUMMARY);
        let file = OpenOptions::new().append(true).create(true).open(path);
        file.and_then(|mut file| write!(file, "\n{text}")).map_err(ReportError::write(path))
    }
}

/// One command per line.
fn commands(problems: &[DistinctProblem<'_>]) -> String {
    let mut text = String::new();
    for (level, name) in [(Level::Error, "error"), (Level::Warning, "warning")] {
        let of_level: Vec<_> = problems.iter().filter(|problem| problem.level == level).collect();
        // The last one that GitHub keeps says how many others there are.
        let shown = if of_level.len() > MOST { MOST - 1 } else { of_level.len() };
        text.extend(of_level[..shown].iter().map(|problem| command(name, problem)));
        if shown < of_level.len() {
            let left = of_level.len() - shown;
            text.push_str(&format!("::{name} title=mcp-test::{left} more; see the step summary\n"));
        }
    }
    text
}

fn command(name: &str, problem: &DistinctProblem<'_>) -> String {
    let mut message = cut(&problem.reason);
    let places = problem.places();
    if !places.is_empty() {
        message.push_str(&format!("\nFound by {places}"));
    }
    let file = problem.file.as_ref().map(|file| format!("file={},", property(file)));
    let title = property(&format!("mcp-test: {}", problem.title));
    format!("::{name} {}title={title}::{}\n", file.unwrap_or_default(), data(&message))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The message of a command, escaped as the runner unescapes it.
fn data(text: &str) -> String {
    // A carriage return would have to be escaped, too, but is one of the characters that are replaced.
    words::inert(text).replace('%', "%25").replace('\n', "%0A")
}

/// A property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
