//! How a check that went wrong is told: what, why, by which requirement, what was said, and how to see it again.
//!
//! The first two lines are those of the official suite; the rest is indented below them. The text has no colours.

use std::fmt::Write;

use crate::check::{Blame, Check, Finding, Status};
use crate::process::Command;
use crate::run::{Cell, Outcome};
use crate::scenario::Leg;
use crate::spec::{Revision, requirement};
use crate::trace::{self, Trace};

/// The command that plays one cell again: everything but the cell is fixed.
#[derive(Debug, Clone, Default)]
pub struct Rerun {
    /// The words before the choice of the cell: program, command, options.
    pub before: Vec<String>,
    /// The words after it: the target.
    pub after: Vec<String>,
    /// Whether the target has several carriers, so that the command must name one.
    pub names_carrier: bool,
}

impl Rerun {
    /// The command for `cell`, quoted for a shell.
    #[must_use]
    pub fn command(&self, cell: &Cell) -> String {
        let (id, revision) = (cell.scenario.id, cell.revision.as_str());
        let choice = ["--scenario", id, "--spec-version", revision];
        let carrier = self.names_carrier.then(|| ["--transport", cell.carrier.as_str()]);
        let words = self
            .before
            .iter()
            .map(String::as_str)
            .chain(choice)
            .chain(carrier.into_iter().flatten())
            .chain(self.after.iter().map(String::as_str));
        Command::parse(words).map(|command| command.to_string()).unwrap_or_default()
    }
}

/// Tells why one check failed or warns.
#[must_use]
pub fn of_check(outcome: &Outcome, check: &Check) -> String {
    let mut text = String::new();
    let out = &mut text;
    line(out, 2, &format!("- {}: {}", check.name, check.description));
    let word = if check.status == Status::Warning { "Warning" } else { "Error" };
    line(out, 4, &format!("{word}: {}", reason(check)));
    let advisory = if outcome.profile.counts(check) { "" } else { " (advisory: does not count)" };
    line(out, 4, &format!("Check: {}{advisory}", check.id));
    if let Some(blame) = check.finding.as_ref().and_then(|finding| blame(finding.blame)) {
        line(out, 4, &format!("Blame: {blame}"));
    }
    if let Some(why) = &check.known_false {
        line(out, 4, &format!("Known false: {why}"));
    }
    requirements(out, check, outcome.cell.revision);
    if let Some(finding) = &check.finding {
        exchange(out, &outcome.trace, finding);
    }
    text
}

/// Tells what belongs to a cell rather than to one of its checks: the last words on stderr, and how to play it again.
#[must_use]
pub fn of_cell(outcome: &Outcome, rerun: Option<&Rerun>) -> String {
    let mut text = String::new();
    if !outcome.stderr_tail.is_empty() {
        let who = match outcome.cell.scenario.leg {
            Leg::Server => "server",
            Leg::Client => "client",
        };
        line(&mut text, 2, &format!("The last lines on the {who}'s stderr:"));
        for tail in &outcome.stderr_tail {
            line(&mut text, 4, &format!("| {}", printable(tail)));
        }
    }
    if let Some(rerun) = rerun {
        line(&mut text, 2, &format!("Rerun: {}", rerun.command(&outcome.cell)));
    }
    text
}

/// Tells why a target could not be tested at all.
#[must_use]
pub fn of_preflight(target: &str, finding: &Finding) -> String {
    let mut text = format!("cannot test {target}: {finding}\n");
    if let Some(blame) = blame(finding.blame).filter(|_| finding.blame != Blame::Environment) {
        line(&mut text, 2, &format!("blame: {blame}"));
    }
    let mut check = Check::new("", crate::check::Origin::Own, Status::Failure);
    check.requirements.clone_from(&finding.requirements);
    requirements(&mut text, &check, Revision::NEWEST);
    text
}

/// Who is to blame, unless it is the peer, which goes without saying.
fn blame(blame: Blame) -> Option<&'static str> {
    match blame {
        Blame::Peer => None,
        Blame::Test => Some("the test, not the peer"),
        Blame::Harness => Some("mcp-test itself, not the peer; please report it"),
        Blame::Environment => Some("the environment, not the peer"),
    }
}

/// The message, and whatever the finding adds to it.
fn reason(check: &Check) -> String {
    let found = check.finding.as_ref().map(ToString::to_string);
    match (&check.message, found) {
        (Some(message), Some(found)) if !message.contains(&found) => format!("{message}\n{found}"),
        (Some(message), _) => message.clone(),
        (None, Some(found)) => found,
        (None, None) => "no reason was given".to_owned(),
    }
}

fn requirements(out: &mut String, check: &Check, revision: Revision) {
    let found = check.finding.iter().flat_map(|finding| &finding.requirements);
    let mut told: Vec<&str> = Vec::new();
    // What the finding names is what was broken; the check may stand for more.
    let named: Vec<&str> = match check.finding.as_ref().is_some_and(|f| !f.requirements.is_empty()) {
        true => found.copied().collect(),
        false => check.requirements.clone(),
    };
    for id in named {
        if told.contains(&id) {
            continue;
        }
        told.push(id);
        match requirement::find(id) {
            Some(requirement) => {
                let (id, level, says) = (requirement.id, requirement.level, requirement.says);
                line(out, 4, &format!("Requirement: {id} ({level}) {says}"));
                line(out, 6, &requirement.link(revision));
            }
            None => line(out, 4, &format!("Requirement: {id}")),
        }
    }
    if told.is_empty() {
        for reference in &check.spec_references {
            line(out, 4, &format!("Reference: {}", reference.id));
            if let Some(url) = &reference.url {
                line(out, 6, url);
            }
        }
    }
}

fn exchange(out: &mut String, trace: &Trace, finding: &Finding) {
    let excerpt = trace::excerpt(trace, &finding.evidence);
    if excerpt.trim().is_empty() {
        return;
    }
    line(out, 4, "Exchange:");
    line(out, 6, excerpt.trim_end());
}

/// Adds a text, every line of it indented.
fn line(out: &mut String, indent: usize, text: &str) {
    for (number, part) in text.lines().enumerate() {
        let hanging = if number == 0 { 0 } else { 2 * usize::from(indent < 6) };
        // Writing to a String does not fail.
        let _ = writeln!(out, "{:width$}{part}", "", width = indent + hanging);
    }
}

/// A line of somebody else's output, without what would move the cursor or change colours.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\t' { '·' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn a_failing_check_says_all_there_is_to_say() {
        let outcome = sample::failed();
        let texts: Vec<String> =
            outcome.failing().map(|check| of_check(&outcome, check)).collect();
        insta::assert_snapshot!(texts.join("\n"), @"");
        insta::assert_snapshot!(of_cell(&outcome, Some(&sample::rerun())), @"");
    }

    #[test]
    fn a_target_that_is_not_there_is_told_in_one_message() {
        let finding = Finding::environment("nothing listens at http://127.0.0.1:9/mcp")
            .got("connection refused")
            .hint("start the server, or let mcp-test start it: `--url URL -- COMMAND`");
        insta::assert_snapshot!(of_preflight("http://127.0.0.1:9/mcp", &finding), @"");
    }

    #[test]
    fn what_moves_the_cursor_is_not_passed_on() {
        assert_eq!(printable("\x1b[2Ja\tb\r"), "·[2Ja\tb·");
    }
}
