//! The report of the profiles `adaptive` and `strict`: the details of each problem, and a digest.
//!
//! It is printed at the end: while the run goes on, the status line shows how far it is. The digest comes last, where a terminal
//! shows it.

use std::fmt::Write as _;
use std::io;

use anstyle::Style;
use mcp_test_core::expect::words;
use mcp_test_core::run::{ExitCode, Level, Summary};
use mcp_test_core::scenario::Kind;

use super::palette::{BAD, FAINT, GOOD, UNSURE};
use super::{Console, baseline, client, group, verdict_line};
use crate::report::digest::{self, Ranked};
use crate::report::problem_details::ProblemDetails;
use crate::report::wrap::wrap;

impl<W: io::Write> Console<W> {
    /// The whole report on a run that has ended, or was interrupted.
    pub(super) fn brief(&self, summary: &Summary) -> String {
        let (ranked, _) = digest::ranked(summary);
        let parts =
            [self.details(summary, &ranked), self.not_tested(summary), self.scenarios(summary)]
                .concat();
        // A blank line is between the parts, and before the digest.
        let mut text = parts.strip_prefix('\n').unwrap_or(&parts).to_owned();
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&self.digest(summary, &ranked));
        text.extend(summary.client_speaks.map(client::speaks));
        if let Some(comparison) = &summary.baseline {
            text.push_str(&baseline::text(comparison));
        }
        text
    }

    fn digest(&self, summary: &Summary, ranked: &[Ranked<'_>]) -> String {
        let mut text = String::new();
        if summary.interrupted.is_some() {
            let (ended, planned) = (summary.lines.len(), self.names.scenario_runs());
            let _ = writeln!(
                text,
                "{UNSURE}Interrupted{UNSURE:#} after {ended} of {}",
                words::count(planned, "scenario run")
            );
        }
        let style = match (ranked.first().map(|first| first.level), summary.exit) {
            (Some(Level::Failing | Level::NotRun), _) => BAD,
            (Some(Level::Warning | Level::Advisory), _) => UNSURE,
            (None, _) if summary.has_tested_nothing() => UNSURE,
            (None, ExitCode::Passed) => GOOD,
            (None, _) => BAD,
        };
        let (totals, checks) = (digest::totals(summary), digest::checks(summary));
        let bold = style.bold();
        let _ = writeln!(text, "{bold}{totals}{bold:#}; {checks}");
        for (number, ranked) in ranked.iter().enumerate() {
            let line = digest::line(ranked.problem, summary);
            text.push_str(&marked(ranked.level, &format!("{}. {line}", number + 1)));
        }
        for line in digest::exceptions(summary).chain(digest::not_scored(summary)) {
            let lines = wrap(&line, "- ", "  ");
            text.extend(lines.lines().map(|line| format!("{UNSURE}{line}{UNSURE:#}\n")));
        }
        if let Some(line) = digest::not_tested(summary) {
            let how = if self.lists_untested(summary) { "" } else { "; `--verbose` lists them" };
            let line = wrap(&format!("{line}{how}"), "- ", "  ");
            text.push_str(&faint(&line));
        }
        text
    }

    fn details(&self, summary: &Summary, ranked: &[Ranked<'_>]) -> String {
        let mut details = ProblemDetails::default();
        let mut text = String::new();
        for (number, ranked) in ranked.iter().enumerate() {
            let headline = words::inert(ranked.problem.headline());
            text.push('\n');
            text.push_str(&marked(ranked.level, &format!("{}. {headline}", number + 1)));
            text.push_str(&details.text(ranked.problem, summary, &self.options.rerun));
            if let Some(out) = &self.options.results {
                let out = words::inert(&out.display().to_string());
                let _ = writeln!(text, "   Results: {out}");
            }
        }
        text
    }

    /// Whether the reasons why something was not tested are listed; where nothing was, they are the result.
    fn lists_untested(&self, summary: &Summary) -> bool {
        self.options.verbose || summary.has_tested_nothing()
    }

    /// What was not tested, by reason.
    fn not_tested(&self, summary: &Summary) -> String {
        if !self.lists_untested(summary) {
            return String::new();
        }
        let reasons = digest::reasons_not_tested(summary);
        let lines: String = reasons.iter().map(|reason| wrap(reason, "  - ", "    ")).collect();
        if lines.is_empty() { lines } else { format!("\nNot tested:\n{lines}") }
    }

    /// One line for each scenario: of cases, which are the user's own, and with `--verbose`.
    fn scenarios(&self, summary: &Summary) -> String {
        let is_case = |kind| kind == Kind::Case;
        let shown = summary.lines.iter().any(|line| is_case(line.scenario_run.scenario.kind));
        if !(shown || self.options.verbose) || self.options.single {
            return String::new();
        }
        let groups = group::group(&summary.lines, |scenario_run| self.reason(scenario_run));
        let lines = groups.iter().map(|group| {
            verdict_line(group.verdict, &group.label(), &group.outcome(), group.reason)
        });
        format!("\n=== SUMMARY ===\n{}", lines.collect::<String>())
    }
}

/// A line with the mark of its level; a warning is not drawn as a failure.
fn marked(level: Level, line: &str) -> String {
    let (style, mark): (Style, char) = match level {
        Level::Failing | Level::NotRun => (BAD, '✗'),
        Level::Warning => (UNSURE, '!'),
        Level::Advisory => (FAINT, 'i'),
    };
    let wrapped = wrap(line, &format!("{mark} "), "     ");
    wrapped.replacen(mark, &format!("{style}{mark}{style:#}"), 1)
}

fn faint(lines: &str) -> String {
    let lines = lines.lines().map(|line| format!("{FAINT}{line}{FAINT:#}\n"));
    lines.collect()
}
