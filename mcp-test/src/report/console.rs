//! The run for people at a terminal.
//!
//! Every line that the official suite prints is printed in the same words, so that scripts that read them go on working; what we add stands on lines of its own. Colours are always written: whoever hands in the stream
//! strips them where they are not wanted.

mod baseline;
mod client;
mod fold;
mod palette;
mod rows;
fn not_at_revision(inapplicable: &Inapplicable) -> String {
    let window = inapplicable.window();
    let introduced = window.oldest().map_or("none", Revision::as_str);
    let removed = window
        .newest()
        .and_then(|newest| Revision::ALL.into_iter().find(|later| *later > newest))
        .map(|removed| format!(", removed in {removed}"))
        .unwrap_or_default();
    format!(
        "SKIPPED: scenario '{}' is not applicable at spec version {} (introduced in {introduced}{removed}). \
         Use --force to run it anyway.\n",
        inapplicable.scenario.id, inapplicable.revision
    )
}

#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::path::PathBuf;

use palette::{BAD, FAINT, GOOD, UNSURE};

use super::{Naming, Rerun, checks_json, failure};
use crate::check::Status;
use crate::run::{
    Cell, Counts, Inapplicable, Line, Outcome, Preflight, RunEvent, Summary, Verdict,
};
use crate::scenario::{Leg, Profile};
use crate::scenarios;
use crate::spec::Revision;

/// What the console needs to know before the run, and what it is to show.
#[derive(Debug, Clone)]
pub struct View {
    /// The side under test.
    pub leg: Leg,
    /// What is tested.
    pub target: String,
    /// What is run, such as `active suite`.
    pub what: String,
    /// By whose rules.
    pub profile: Profile,
    /// Shows a run of a single cell as officially with `--scenario`: check by check, without a summary.
    pub single: bool,
    /// Says nothing about cells that went well until the summary.
    pub brief: bool,
    /// Shows all checks: of a single cell as JSON, of several as lines.
    pub verbose: bool,
    /// Where the results are written.
    pub results: Option<PathBuf>,
    /// How a cell is played again.
    pub rerun: Rerun,
}

/// Writes the run for people.
#[derive(Debug)]
pub struct Console<W> {
    out: W,
    view: View,
    naming: Naming,
    preflight: Preflight,
    /// Why cells were skipped.
    reasons: Vec<(Cell, String)>,
    /// What was wrong with cells that were told in full.
    told: Vec<(Cell, Vec<Fault>)>,
    /// Which scenarios the carriers of the target leave out; of no interest where the target cannot be tested at all.
    left_out: String,
}

/// What is wrong with a cell, as far as it may be the same in another one: check, status, reason.
type Fault = (String, Status, String);

impl<W: Write> Console<W> {
    /// Writes to `out`.
    #[must_use]
    pub fn new(out: W, view: View) -> Self {
        Self {
            out,
            view,
            naming: Naming::default(),
            preflight: Preflight::default(),
            reasons: Vec::new(),
            told: Vec::new(),
            left_out: String::new(),
        }
    }

    /// Says which scenarios are not played: at a revision at once, in the official words; over the carriers of the target
    /// when the run begins.
    ///
    /// # Errors
    ///
    /// If `out` refuses.
    pub fn inapplicable(&mut self, inapplicable: &[Inapplicable]) -> io::Result<()> {
        let at_revisions = inapplicable.iter().filter(|it| it.carrier.is_none());
        let text: String = at_revisions.map(not_at_revision).collect();
        let carrier = inapplicable.iter().find_map(|it| it.carrier);
        if let Some(carrier) = carrier {
            let elsewhere = inapplicable.iter().filter(|it| it.carrier.is_some());
            let ids: Vec<&str> = elsewhere.map(|it| it.scenario.id).collect();
            self.left_out = format!(
                "Not applicable over {carrier}, since they are about HTTP: {}\n",
                ids.join(", ")
            );
        }
        self.show(&text)
    }

    /// Says which scenarios the carriers of the target leave out: by itself only for a run without any cell, which does not
    /// begin.
    ///
    /// # Errors
    ///
    /// If `out` refuses.
    pub fn left_out(&mut self) -> io::Result<()> {
        let left_out = std::mem::take(&mut self.left_out);
        self.show(&left_out)
    }

    /// Shows what follows from `event`.
    ///
    /// # Errors
    ///
    /// If `out` refuses.
    pub fn event(&mut self, event: &RunEvent) -> io::Result<()> {
        match event {
            RunEvent::PreflightDone(preflight) => self.preflight = preflight.clone(),
            RunEvent::Planned(cells) => {
                self.naming = Naming::of(cells);
                self.view.single &= cells.len() == 1;
                self.left_out()?;
                if !self.view.single {
                    let text = self.header();
                    self.show(&text)?;
                }
            }
            RunEvent::Finished(outcome) => {
                self.note_skip(outcome);
                let text = self.finished(outcome);
                self.show(&text)?;
            }
            RunEvent::Ended(summary) if summary.not_run.is_none() => {
                let text = self.ended(summary);
                self.show(&text)?;
            }
            RunEvent::PreflightFailed { .. } | RunEvent::Started(_) | RunEvent::Ended(_) => {}
        }
        Ok(())
    }

    fn show(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    fn header(&self) -> String {
        let scenarios = match self.naming.scenarios() {
            1 => "1 scenario".to_owned(),
            many => format!("{many} scenarios"),
        };
        // The official words do not bend for one.
        let scenarios = if self.view.brief {
            scenarios
        } else {
            format!("{} scenarios", self.naming.scenarios())
        };
        let cells = match self.naming.cells() {
            cells if cells == self.naming.scenarios() => String::new(),
            cells => format!(", {cells} runs"),
        };
        let View { what, target, .. } = &self.view;
        let mut text = match self.view.leg {
            Leg::Server => format!("Running {what} ({scenarios}{cells}) against {target}\n"),
            Leg::Client => client::header(what, &format!("{scenarios}{cells}"), target),
        };
        if self.view.brief {
            if let Some(server) = &self.preflight.server {
                text.push_str(&format!("The server is {server}\n"));
            }
            for (carrier, revisions) in &self.preflight.speaks {
                let revisions: Vec<&str> =
                    revisions.iter().map(|revision| revision.as_str()).collect();
                let least = if self.preflight.complete { "" } else { "at least " };
                let revisions = revisions.join(", ");
                text.push_str(&format!("It speaks {least}{revisions} over {carrier}\n"));
            }
        }
        text.push('\n');
        text
    }

    fn note_skip(&mut self, outcome: &Outcome) {
        let skipped = outcome.checks.iter().find(|check| check.status == Status::Skipped);
        if let (Verdict::Skipped, Some(reason)) =
            (outcome.verdict, skipped.and_then(|check| check.message.clone()))
        {
            self.reasons.push((outcome.cell, reason));
        }
    }

    fn finished(&mut self, outcome: &Outcome) -> String {
        let mut text = String::new();
        let wrong = wrong(outcome);
        if self.view.brief && !self.view.verbose && !self.view.single && wrong.is_empty() {
            return text;
        }
        let label = self.naming.label(&outcome.cell);
        if self.view.brief
            && !self.view.verbose
            && let Some(twin) = self.twin(outcome)
        {
            let ids: Vec<String> = faults(outcome).into_iter().map(|(id, ..)| id).collect();
            let ids = ids.join(", ");
            return format!("{BAD}✗{BAD:#} {label}: {ids}, the same as in {twin}\n");
        }
        if !self.view.single {
            text.push_str(&format!("\n=== Running scenario: {label} ===\n"));
        }
        let (id, target) = (outcome.cell.scenario.id, &self.view.target);
        text.push_str(&match self.view.leg {
            // The official words, which say client of every leg.
            Leg::Server => format!("Running client scenario '{id}' against server: {target}\n"),
            Leg::Client => client::started(outcome, target),
        });
        if let Some(out) = &self.view.results {
            let directory = out.join(self.naming.directory(outcome));
            text.push_str(&format!("Results saved to {}\n", directory.display()));
        }
        if self.view.single && self.view.verbose && self.view.leg == Leg::Server {
            text.push_str(&checks_json::rows(&outcome.checks).pretty());
            text.push('\n');
        } else if self.view.single || self.view.verbose {
            text.push_str(&rows::text(outcome));
        }
        if self.view.single {
            let counts = counting(outcome);
            let (success, failure) = (counts.success, counts.failure);
            text.push_str(&format!(
                "\nTest Results:\nPassed: {success}/{}, {failure} failed, {} warnings\n",
                success + failure,
                counts.warning
            ));
            if self.view.leg == Leg::Client {
                text.push_str(&client::verdict(outcome));
            }
        }
        if wrong.is_empty() {
            return text;
        }
        let faults = faults(outcome);
        if let Some(twin) = self.twin(outcome) {
            let ids: Vec<&str> = faults.iter().map(|(id, ..)| id.as_str()).collect();
            text.push_str(&format!("The same as in {twin}: {}\n", ids.join(", ")));
            text.push_str(&failure::of_rerun(outcome, &self.view.rerun));
        } else {
            text.push_str(&wrong);
            text.push('\n');
            text.push_str(&failure::of_cell(outcome, Some(&self.view.rerun)));
            let known = scenarios::find(self.view.leg, outcome.cell.scenario.id);
            // A file of cases may be called like a scenario that is built in.
            if known.is_some() && !outcome.cell.scenario.verbatim {
                let explain = format!("mcp-test explain {}", outcome.cell.scenario.id);
                text.push_str(&format!("  What it checks and why: {explain}\n"));
            }
            self.told.push((outcome.cell, faults));
        }
        text
    }

    /// An earlier cell with which the same is wrong: of the same scenario, or of any where the run is told briefly.
    fn twin(&self, outcome: &Outcome) -> Option<String> {
        let faults = faults(outcome);
        let known = self.told.iter().find(|(cell, told)| {
            *told == faults && (self.view.brief || cell.scenario == outcome.cell.scenario)
        });
        known.filter(|_| !faults.is_empty()).map(|(cell, _)| self.naming.label(cell))
    }

    fn ended(&self, summary: &Summary) -> String {
        let mut text = String::new();
        if !self.view.single {
            text.push_str(match self.view.leg {
                Leg::Server => "\n=== SUMMARY ===\n",
                Leg::Client => "\n=== SUITE SUMMARY ===\n\n",
            });
            if self.view.brief {
                let folds = fold::fold(&summary.lines, |cell| self.reason(cell));
                text.extend(folds.iter().map(folded));
            } else {
                text.extend(summary.lines.iter().map(|line| self.line(line)));
            }
            let Counts { success, failure, warning, skipped, .. } = summary.counts;
            text.push_str(&format!("\nTotal: {success} passed, {failure} failed"));
            match (self.view.leg, self.view.profile) {
                (Leg::Server, Profile::Official) => {}
                (Leg::Server, _) => {
                    text.push_str(&some(warning, "warnings"));
                    text.push_str(&some(skipped, "skipped"));
                }
                (Leg::Client, _) => {
                    text.push_str(&format!(", {warning} warnings"));
                    text.push_str(&some(skipped, "skipped"));
                }
            }
            text.push('\n');
        }
        let advisory = summary.advisory;
        if advisory != Counts::default() {
            let Counts { success, failure, warning, .. } = advisory;
            text.push_str(&format!(
                "{FAINT}Advisory: {success} passed, {failure} failed{} (checks of our own; they do not count in profile {}){FAINT:#}\n",
                some(warning, "warnings"),
                self.view.profile
            ));
        }
        if let Some(comparison) = &summary.baseline {
            text.push_str(&baseline::text(comparison));
        }
        text
    }

    fn line(&self, line: &Line) -> String {
        let label = self.naming.label(&line.cell);
        let counts = format!("{} passed, {} failed", line.counts.success, line.counts.failure);
        let warnings = match (self.view.leg, self.view.profile) {
            (Leg::Server, Profile::Official) => String::new(),
            _ => some(line.counts.warning, "warnings"),
        };
        match line.verdict {
            Verdict::Passed => format!("{GOOD}✓{GOOD:#} {label}: {counts}{warnings}\n"),
            Verdict::Failed => format!("{BAD}✗{BAD:#} {label}: {counts}{warnings}\n"),
            Verdict::NotRun => {
                format!("{BAD}✗{BAD:#} {label}: {counts}{warnings} (could not be run)\n")
            }
            Verdict::Skipped => skipped(&label, self.reason(&line.cell)),
        }
    }

    fn reason(&self, cell: &Cell) -> Option<&str> {
        self.reasons.iter().find(|(skipped, _)| skipped == cell).map(|(_, reason)| reason.as_str())
    }
}

fn folded(fold: &fold::Fold<'_>) -> String {
    let (label, outcome) = (fold.label(), fold.outcome());
    match fold.verdict {
        Verdict::Passed => format!("{GOOD}✓{GOOD:#} {label}: {outcome}\n"),
        Verdict::Failed => format!("{BAD}✗{BAD:#} {label}: {outcome}\n"),
        Verdict::NotRun => format!("{BAD}✗{BAD:#} {label}: {outcome} (could not be run)\n"),
        Verdict::Skipped => skipped(&label, fold.reason),
    }
}

fn skipped(label: &str, reason: Option<&str>) -> String {
    let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
    format!("{FAINT}-{FAINT:#} {label}: skipped{reason}\n")
}

/// `, 2 warnings`; nothing for none.
fn some(count: usize, what: &str) -> String {
    if count == 0 { String::new() } else { format!(", {count} {what}") }
}

fn counting(outcome: &Outcome) -> Counts {
    Counts::of(outcome.checks.iter().filter(|check| outcome.profile.counts(check)))
}

fn faults(outcome: &Outcome) -> Vec<Fault> {
    let wrong = outcome.checks.iter().filter(|check| check.status.is_failing());
    wrong
        .map(|check| {
            let message = check.message.clone().unwrap_or_default();
            let found = check.finding.as_ref().map(ToString::to_string).unwrap_or_default();
            (check.id.clone(), check.status, message + &found)
        })
        .collect()
}

/// The failures and the warnings of a cell, each in a section of its own.
fn wrong(outcome: &Outcome) -> String {
    let warned = if outcome.cell.scenario.leg == Leg::Client { BAD } else { UNSURE };
    let mut teller = failure::Teller::new(outcome);
    let mut text = String::new();
    for (heading, style, status) in
        [("Failed Checks", BAD, Status::Failure), ("Warnings", warned, Status::Warning)]
    {
        let mut checks = outcome.checks.iter().filter(|check| check.status == status).peekable();
        if checks.peek().is_some() {
            text.push_str(&format!("\n{style}=== {heading} ==={style:#}\n"));
        }
        for check in checks {
            text.push_str(&format!("\n{}", teller.tell(check)));
        }
    }
    text
}
