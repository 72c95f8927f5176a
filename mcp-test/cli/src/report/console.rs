//! The run as text for a terminal.
//!
//! In profile `official`, lines that the official suite prints are printed in the same words, because scripts parse them;
//! additions are on separate lines. The other profiles have a report of their own, `brief`. Colours are always written: the caller passes a stream that strips them where they are not wanted.

mod baseline;
mod brief;
mod client;
mod group;
mod palette;
mod preflight;
mod rows;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::PathBuf;

use mcp_test_core::check::Status;
use mcp_test_core::expect::words;
use mcp_test_core::failure_report;
use mcp_test_core::run::{
    Counts, Inapplicable, Line, MaskedEvent, Outcome, Preflight, RunEvent, ScenarioRun, Summary,
    Verdict,
};
use mcp_test_core::scenario::{Kind, Profile, TestedSide};
use mcp_test_core::spec::{Revision, Revisions};
use mcp_test_suite::scenarios;

use self::palette::{BAD, FAINT, GOOD, UNSURE};
use super::wrap::wrap;
use super::{ReportError, Reporter, Rerun, ScenarioRunNames, checks_json, coverage_table, digest};

/// What the console shows, and what it needs to know before the run.
#[derive(Debug, Clone)]
pub struct ConsoleOptions {
    /// The side under test.
    pub tested_side: TestedSide,
    /// What is tested.
    pub target: String,
    /// What is selected, such as `active suite`.
    pub selection: String,
    /// The rules for verdicts.
    pub profile: Profile,
    /// Shows a run of a single scenario run as the official suite does with `--scenario`: check by check, without a summary.
    pub single: bool,
    /// Shows a digest and each problem once, at the end, instead of each scenario run as the official suite does.
    pub brief: bool,
    /// Shows all checks: as lines, and as the official suite does for a single scenario run as JSON. A brief report also says which
    /// scenarios were not tested, and why.
    pub verbose: bool,
    /// Shows at the end which requirements were tested.
    pub coverage: bool,
    /// Where the results are written.
    pub results: Option<PathBuf>,
    /// Whether the names of their folders have the time.
    pub timestamps: bool,
    /// How to run a scenario run again.
    pub rerun: Rerun,
}

/// Writes the run as text.
#[derive(Debug)]
pub struct Console<W> {
    out: W,
    options: ConsoleOptions,
    names: ScenarioRunNames,
    preflight: Preflight,
    /// Why scenario runs were skipped, by scenario.
    skip_reasons: ByScenario<String>,
    /// The problems of scenario runs that were reported in full, by scenario.
    reported: ByScenario<Vec<Problem>>,
    /// The line about scenarios that do not apply to the transports of the target.
    ///
    /// It waits until the run begins, because it is of no interest if the target cannot be tested at all.
    not_applicable: String,
}

/// Something about scenario runs, by their scenarios.
type ByScenario<T> = HashMap<(TestedSide, String), Vec<(ScenarioRun, T)>>;

/// What identifies a scenario.
fn key(scenario_run: &ScenarioRun) -> (TestedSide, String) {
    (scenario_run.scenario.tested_side, scenario_run.scenario.id.to_string())
}

/// A problem in a scenario run, for comparison with other scenario runs: check, status, reason.
type Problem = (String, Status, String);

impl<W: Write> Console<W> {
    /// Writes to `out`.
    #[must_use]
    pub fn new(out: W, options: ConsoleOptions) -> Self {
        let (target, selection) = (words::inert(&options.target), words::inert(&options.selection));
        Self {
            out,
            options: ConsoleOptions { target, selection, ..options },
            names: ScenarioRunNames::default(),
            preflight: Preflight::default(),
            skip_reasons: HashMap::new(),
            reported: HashMap::new(),
            not_applicable: String::new(),
        }
    }

    /// Reports the scenarios that are not run: those of other revisions at once, in the official words; those of other
    /// transports when the run begins.
    ///
    /// # Errors
    ///
    /// If `out` cannot be written.
    pub fn inapplicable(&mut self, inapplicable: &[Inapplicable]) -> io::Result<()> {
        let at_revisions = inapplicable.iter().filter(|it| it.transport.is_none());
        let text: String = at_revisions.map(not_at_revision).collect();
        if let Some(transport) = inapplicable.iter().find_map(|it| it.transport) {
            let elsewhere = inapplicable.iter().filter(|it| it.transport.is_some());
            let ids: Vec<&str> = elsewhere.map(|it| &*it.scenario.id).collect();
            let ids = ids.join(", ");
            self.not_applicable = format!("Not applicable over {transport} (HTTP only): {ids}\n");
            if self.options.brief {
                self.not_applicable = wrap(&self.not_applicable, "", "  ");
            }
        }
        self.show(&words::inert(&text))
    }

    /// Reports the scenarios of other transports.
    fn report_not_applicable(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.not_applicable);
        self.show(&line)
    }

    /// Writes and flushes, so that the status line is never painted before the text that precedes it.
    fn show(&mut self, text: &str) -> io::Result<()> {
        // Whatever a peer or a file said is in the text as well.
        self.out.write_all(words::inert_but_colours(text).as_bytes())?;
        self.out.flush()
    }

    fn header(&self) -> String {
        // The official line says "1 scenarios", too.
        let scenarios = match self.names.scenarios() {
            1 if self.options.brief => "1 scenario".to_owned(),
            count => format!("{count} scenarios"),
        };
        // Only where scenarios have several scenario runs does their number say something new.
        let scenario_runs = match self.names.scenario_runs() {
            scenario_runs if scenario_runs == self.names.scenarios() => String::new(),
            scenario_runs => format!(", {scenario_runs} runs"),
        };
        let ConsoleOptions { selection, target, .. } = &self.options;
        let mut text = match self.options.tested_side {
            TestedSide::Client => {
                client::header(selection, &format!("{scenarios}{scenario_runs}"), target)
            }
            _ => format!("Running {selection} ({scenarios}{scenario_runs}) against {target}\n"),
        };
        if self.options.brief {
            text = wrap(&words::inert(&text), "", "  ");
            text.push_str(&preflight::text(&self.preflight));
        }
        text.push('\n');
        text
    }

    fn record_skip_reason(&mut self, outcome: &Outcome) {
        let skipped = outcome.checks.iter().find(|check| check.status == Status::Skipped);
        if let (Verdict::Skipped, Some(reason)) =
            (outcome.verdict, skipped.and_then(|check| check.message.clone()))
        {
            let reasons = self.skip_reasons.entry(key(&outcome.scenario_run)).or_default();
            reasons.push((outcome.scenario_run.clone(), reason));
        }
    }

    /// The checks of a scenario run in a brief report, if they are shown.
    fn checks(&self, outcome: &Outcome) -> String {
        if !(self.options.single || self.options.verbose) {
            return String::new();
        }
        format!("{}:\n{}\n", self.names.label(&outcome.scenario_run), rows::text(outcome))
    }

    fn finished(&mut self, outcome: &Outcome) -> String {
        let mut text = String::new();
        let sections = problem_sections(outcome);
        let problems = problems(outcome);
        let earlier = self.same_as(outcome, &problems);
        text.push_str(&self.beginning(outcome));
        text.push_str(&self.results(outcome));
        if sections.is_empty() {
            return text;
        }
        if let Some(earlier) = earlier {
            text.push_str(&format!("The same as in {earlier}: {}\n", ids(&problems)));
            text.push_str(&failure_report::format_rerun(outcome, &self.options.rerun));
            return text;
        }
        text.push_str(&sections);
        text.push('\n');
        text.push_str(&failure_report::format_scenario_run(outcome, Some(&self.options.rerun)));
        let known = scenarios::find(self.options.tested_side, &outcome.scenario_run.scenario.id);
        // A file of cases may have the name of a built-in scenario.
        if known.is_some() && outcome.scenario_run.scenario.kind == Kind::BuiltIn {
            let explain = format!("mcp-test explain {}", outcome.scenario_run.scenario.id);
            text.push_str(&format!("  What it checks and why: {explain}\n"));
        }
        let reported = self.reported.entry(key(&outcome.scenario_run)).or_default();
        reported.push((outcome.scenario_run.clone(), problems));
        text
    }

    /// The lines before the results of a scenario run: what was run, and where its files are.
    fn beginning(&self, outcome: &Outcome) -> String {
        let mut text = String::new();
        if !self.options.single {
            let label = self.names.label(&outcome.scenario_run);
            text.push_str(&format!("\n=== Running scenario: {label} ===\n"));
        }
        let (id, target) = (words::name(&outcome.scenario_run.scenario.id), &self.options.target);
        text.push_str(&match self.options.tested_side {
            // The official line says "client scenario" for both tested sides.
            TestedSide::Server => format!("Running client scenario '{id}' against server: {target}\n"),
            TestedSide::Client => client::started(outcome, target),
            TestedSide::Authorization => {
                format!("Running client scenario for authorization server '{id}' against server: {target}\n")
            }
        });
        if let Some(out) = &self.options.results {
            let directory = out.join(self.names.directory(outcome));
            let directory = words::inert(&directory.display().to_string());
            text.push_str(&format!("Results saved to {directory}\n"));
        }
        text
    }

    /// The checks of a scenario run as far as they are shown, and for a single scenario run their counts.
    fn results(&self, outcome: &Outcome) -> String {
        let mut text = String::new();
        // As in the official suite, which prints lines about a client here, and its JSON on stdout.
        if self.options.single
            && self.options.verbose
            && self.options.tested_side != TestedSide::Client
        {
            text.push_str(&checks_json::rows(&outcome.checks).pretty());
            text.push('\n');
        } else if self.options.single || self.options.verbose {
            text.push_str("Checks:\n");
            text.push_str(&rows::text(outcome));
        }
        if self.options.single {
            let counts = counts(outcome);
            let (success, failure) = (counts.success, counts.failure);
            text.push_str(&format!(
                "\nTest Results:\nPassed: {success}/{}, {failure} failed, {} warnings\n",
                success + failure,
                counts.warning
            ));
            if self.options.tested_side == TestedSide::Client {
                text.push_str(&client::verdict(outcome));
            }
        }
        text
    }

    /// An earlier scenario run of the same scenario with the same problems.
    fn same_as(&self, outcome: &Outcome, problems: &[Problem]) -> Option<String> {
        let mut of_scenario = self.reported.get(&key(&outcome.scenario_run)).into_iter().flatten();
        let known = of_scenario.find(|(_, reported)| reported == problems);
        known
            .filter(|_| !problems.is_empty())
            .map(|(scenario_run, _)| self.names.label(scenario_run))
    }

    fn ended(&self, summary: &Summary) -> String {
        let mut text = String::new();
        if !self.options.single {
            text.push_str(match self.options.tested_side {
                TestedSide::Client => "\n=== SUITE SUMMARY ===\n\n",
                _ => "\n=== SUMMARY ===\n",
            });
            text.extend(summary.lines.iter().map(|line| self.line(line)));
            let Counts { success, failure, warning, skipped, .. } = summary.counts;
            text.push_str(&format!("\nTotal: {success} passed, {failure} failed"));
            match (self.options.tested_side, self.options.profile) {
                (_, Profile::Adaptive | Profile::Strict) => {
                    text.push_str(&warnings(warning, self.options.profile));
                    text.push_str(&nonzero(skipped, "skipped"));
                }
                (TestedSide::Client, Profile::Official) => {
                    text.push_str(&format!(", {warning} warnings"));
                    text.push_str(&nonzero(skipped, "skipped"));
                }
                // The official line for servers ends here.
                (_, Profile::Official) => {}
            }
            text.push('\n');
        }
        text.extend(digest::exceptions(summary).map(|line| format!("{line}\n")));
        let not_scored = digest::not_scored(summary);
        if !not_scored.is_empty() {
            text.push_str(&format!("\n{}\n", not_scored.join("\n")));
        }
        text.extend(summary.client_speaks.map(client::speaks));
        let advisory = summary.advisory;
        if advisory != Counts::default() {
            let Counts { success, failure, warning, .. } = advisory;
            text.push_str(&format!(
                "{FAINT}Advisory: {success} passed, {failure} failed{} (mcp-test's own checks; they do not count in profile {}){FAINT:#}\n",
                warnings(warning, Profile::Adaptive),
                self.options.profile
            ));
        }
        if !self.options.single && summary.counts.failure + advisory.failure > 1 {
            text.push_str(&format!(
                "{FAINT}`--profile adaptive` reports each cause once{FAINT:#}\n"
            ));
        }
        if let Some(comparison) = &summary.baseline {
            text.push_str(&baseline::text(comparison));
        }
        text
    }

    fn line(&self, line: &Line) -> String {
        let label = self.names.label(&line.scenario_run);
        let counts = format!("{} passed, {} failed", line.counts.success, line.counts.failure);
        let warnings = match (self.options.tested_side, self.options.profile) {
            (TestedSide::Server | TestedSide::Authorization, Profile::Official) => String::new(),
            (_, profile) => warnings(line.counts.warning, profile),
        };
        let counts = format!("{counts}{warnings}");
        verdict_line(line.verdict, &label, &counts, self.reason(&line.scenario_run))
    }

    fn reason(&self, scenario_run: &ScenarioRun) -> Option<&str> {
        let mut of_scenario = self.skip_reasons.get(&key(scenario_run)).into_iter().flatten();
        of_scenario.find(|(skipped, _)| skipped == scenario_run).map(|(_, reason)| reason.as_str())
    }
}

impl<W: Write> Reporter for Console<W> {
    fn event(&mut self, event: &MaskedEvent) -> Result<(), ReportError> {
        match &**event {
            RunEvent::PreflightDone(preflight) => self.preflight = preflight.clone(),
            RunEvent::Planned(scenario_runs) => {
                self.names =
                    ScenarioRunNames::of(scenario_runs).timestamps(self.options.timestamps);
                // A single scenario may have several scenario runs, which need labels and a summary.
                self.options.single &= scenario_runs.len() == 1;
                // Cases are the user's own.
                let is_ours =
                    |scenario_run: &ScenarioRun| scenario_run.scenario.kind == Kind::BuiltIn;
                let is_known = self.options.brief && scenario_runs.iter().all(is_ours);
                if self.options.verbose || !is_known {
                    self.report_not_applicable()?;
                }
                if !self.options.single {
                    let text = self.header();
                    self.show(&text)?;
                }
            }
            RunEvent::Finished(outcome) => {
                self.record_skip_reason(outcome);
                let text = match self.options.brief {
                    true => self.checks(outcome),
                    false => self.finished(outcome),
                };
                self.show(&text)?;
            }
            // The official suite has no words for an incomplete run.
            RunEvent::Ended(Summary { interrupted: Some(_), .. }) if !self.options.brief => {}
            RunEvent::Ended(summary) if summary.not_run.is_none() => {
                let text = match self.options.brief {
                    true => self.brief(summary),
                    false => self.ended(summary),
                };
                self.show(&text)?;
                if self.options.coverage {
                    let table = coverage_table::table(&summary.coverage, self.options.tested_side);
                    self.show(&format!("\n{table}"))?;
                }
            }
            RunEvent::PreflightFailed { .. } | RunEvent::Started(_) | RunEvent::Ended(_) => {}
        }
        Ok(())
    }

    fn nothing_to_run(&mut self) -> Result<(), ReportError> {
        Ok(self.report_not_applicable()?)
    }

    fn needs_end(&self) -> bool {
        // The official suite shows each scenario run when it has ended.
        false
    }
}

/// The line of the summary for scenario runs with this verdict; `skip_reason` is why they were skipped.
fn verdict_line(verdict: Verdict, label: &str, counts: &str, skip_reason: Option<&str>) -> String {
    match verdict {
        Verdict::Passed => format!("{GOOD}✓{GOOD:#} {label}: {counts}\n"),
        Verdict::Failed => format!("{BAD}✗{BAD:#} {label}: {counts}\n"),
        Verdict::NotRun => format!("{BAD}✗{BAD:#} {label}: {counts} (could not be run)\n"),
        Verdict::Flaky => {
            format!("{BAD}✗{BAD:#} {label}: {counts} (flaky: failed, and then did not)\n")
        }
        Verdict::Skipped => {
            let reason = skip_reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
            format!("{FAINT}-{FAINT:#} {label}: skipped{reason}\n")
        }
    }
}

/// `, 1 warning`; empty if there are none. The official suite has only the plural.
fn warnings(count: usize, profile: Profile) -> String {
    match (count, profile) {
        (1, Profile::Adaptive | Profile::Strict) => ", 1 warning".to_owned(),
        _ => nonzero(count, "warnings"),
    }
}

/// `, 2 skipped`; empty if there are none.
fn nonzero(count: usize, what: &str) -> String {
    if count == 0 { String::new() } else { format!(", {count} {what}") }
}

fn counts(outcome: &Outcome) -> Counts {
    Counts::of(outcome.checks.iter().filter(|check| outcome.counts(check)))
}

/// The ids of the checks with problems, as a list.
fn ids(problems: &[Problem]) -> String {
    problems.iter().map(|(id, ..)| id.as_str()).collect::<Vec<_>>().join(", ")
}

fn problems(outcome: &Outcome) -> Vec<Problem> {
    let failing = outcome.checks.iter().filter(|check| check.status.is_failing());
    failing
        .map(|check| {
            let message = check.message.clone().unwrap_or_default();
            let found = check.finding.as_ref().map(ToString::to_string).unwrap_or_default();
            (check.id.clone(), check.status, message + &found)
        })
        .collect()
}

/// The failures and the warnings of a scenario run, in separate sections.
fn problem_sections(outcome: &Outcome) -> String {
    // The official suite fails a client for a warning, but not a server.
    let warned =
        if outcome.scenario_run.scenario.tested_side == TestedSide::Client { BAD } else { UNSURE };
    let mut formatter = failure_report::FailureFormatter::new(outcome);
    let mut text = String::new();
    for (heading, style, status) in
        [("Failed Checks", BAD, Status::Failure), ("Warnings", warned, Status::Warning)]
    {
        let mut checks = outcome.checks.iter().filter(|check| check.status == status).peekable();
        if checks.peek().is_some() {
            text.push_str(&format!("\n{style}=== {heading} ==={style:#}\n"));
        }
        for check in checks {
            text.push_str(&format!("\n{}", formatter.check(check)));
        }
    }
    text
}

/// The official line for a scenario that is not applicable at a revision.
fn not_at_revision(inapplicable: &Inapplicable) -> String {
    let is_extension = inapplicable.scenario.official.is_some_and(|it| it.is_extension());
    let why = match is_extension {
        true => "extension scenario, not on the spec timeline".to_owned(),
        false => window(inapplicable.window()),
    };
    format!(
        "SKIPPED: scenario '{}' is not applicable at spec version {} ({why}). Use --force to run it anyway.\n",
        inapplicable.scenario.id, inapplicable.revision
    )
}

/// The official words for the revisions that have a scenario.
fn window(window: Revisions) -> String {
    let introduced = window.oldest().map_or("none", Revision::as_str);
    // The official suite names the revision that lacks the scenario, not the last one that has it.
    let removed = window
        .newest()
        .and_then(|newest| Revision::ALL.into_iter().find(|later| *later > newest))
        .map(|removed| format!(", removed in {removed}"))
        .unwrap_or_default();
    format!("introduced in {introduced}{removed}")
}
