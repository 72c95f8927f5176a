//! How a check that went wrong is told: what, why, by which requirement, what was said, and how to see it again.
//!
//! The first two lines are those of the official suite; the rest is indented below them. The text has no colours.

use std::fmt::Write;

use crate::check::{Blame, Check, Finding, Status};
use crate::expect::words::printable;
use crate::process::Command;
use crate::run::{Cell, Outcome};
use crate::scenario::Leg;
use crate::spec::{Revision, requirement};
use crate::trace;

/// The command that plays one cell again: everything but the cell is fixed.
#[derive(Debug, Clone)]
pub struct Rerun {
    /// The words before the choice of the cell: program, command, options.
    pub before: Vec<String>,
    /// The option that chooses the scenario: `--scenario`.
    pub chooses: &'static str,
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
        let choice = [self.chooses, id, "--spec-version", revision];
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

/// Tells why checks of one cell failed or warn, and tells nothing twice.
///
/// A finding that ends a scenario is held against every check that it kept from being made; only the first of them is
/// told in full.
#[derive(Debug)]
pub struct Teller<'a> {
    outcome: &'a Outcome,
    told: Vec<(&'a str, &'a Finding)>,
    exchanges: Vec<String>,
}

impl<'a> Teller<'a> {
    /// Tells of this cell.
    #[must_use]
    pub fn new(outcome: &'a Outcome) -> Self {
        Self { outcome, told: Vec::new(), exchanges: Vec::new() }
    }

    /// Tells why one check failed or warns.
    #[must_use]
    pub fn tell(&mut self, check: &'a Check) -> String {
        let mut text = String::new();
        let out = &mut text;
        line(out, 2, &format!("- {}: {}", check.name, check.description));
        let word = if check.status == Status::Warning { "Warning" } else { "Error" };
        let earlier = check.finding.as_ref().and_then(|finding| self.earlier(finding));
        let reason = match (&check.finding, earlier) {
            (Some(finding), Some(_)) => finding.headline.clone(),
            _ => reason(check),
        };
        line(out, 4, &format!("{word}: {reason}"));
        let counts = self.outcome.profile.counts(check);
        let advisory = if counts { "" } else { " (advisory: does not count)" };
        line(out, 4, &format!("Check: {}{advisory}", check.id));
        if let Some(why) = &check.known_false {
            line(out, 4, &format!("Known false: {why}"));
        }
        if let Some(earlier) = earlier {
            line(out, 4, &format!("This is what {earlier} found, above."));
            return text;
        }
        let finding = check.finding.as_ref();
        if let Some(blame) = finding.and_then(|finding| blame(finding.blame)) {
            line(out, 4, &format!("Blame: {blame}"));
        }
        if let Some(shape) = finding.and_then(|finding| finding.shape.as_ref()) {
            line(out, 4, &format!("Shape: {shape}\n{}", shape.link));
        }
        match broken(check) {
            [] => references(out, check),
            ids => requirements(out, 4, ids, self.outcome.cell.revision),
        }
        if let Some(finding) = finding {
            self.exchange(out, finding);
            self.told.push((&check.id, finding));
        }
        text
    }

    fn earlier(&self, finding: &Finding) -> Option<&'a str> {
        let same = |told: &&Finding| {
            (&told.headline, &told.expected, &told.got, &told.excerpt)
                == (&finding.headline, &finding.expected, &finding.got, &finding.excerpt)
        };
        self.told.iter().find(|(_, told)| same(told)).map(|(id, _)| *id)
    }

    fn exchange(&mut self, out: &mut String, finding: &Finding) {
        let excerpt = trace::excerpt(&self.outcome.trace, &finding.evidence);
        let excerpt = excerpt.trim_end();
        if excerpt.trim().is_empty() {
            return;
        }
        if self.exchanges.iter().any(|told| told == excerpt) {
            line(out, 4, "Exchange: the same as above");
            return;
        }
        line(out, 4, "Exchange:");
        line(out, 6, excerpt);
        self.exchanges.push(excerpt.to_owned());
    }
}

/// Tells why one check failed or warns, by itself; see [`Teller`] for several of one cell.
#[must_use]
pub fn of_check(outcome: &Outcome, check: &Check) -> String {
    Teller::new(outcome).tell(check)
}

/// Tells how to play a cell again.
#[must_use]
pub fn of_rerun(outcome: &Outcome, rerun: &Rerun) -> String {
    format!("  Rerun: {}\n", rerun.command(&outcome.cell))
}

/// Tells what belongs to a cell rather than to one of its checks: the last words on stderr, and how to play it again.
#[must_use]
pub fn of_cell(outcome: &Outcome, rerun: Option<&Rerun>) -> String {
    let mut text = String::new();
    let who = match outcome.cell.scenario.leg {
        Leg::Server => "server",
        Leg::Client => "client",
    };
    if let Some(exited) = &outcome.exited {
        line(&mut text, 2, &format!("The {who} has ended by itself, with {exited}"));
    }
    if !outcome.stderr_tail.is_empty() {
        line(&mut text, 2, &format!("The last lines on the {who}'s stderr:"));
        for tail in &outcome.stderr_tail {
            line(&mut text, 4, &format!("| {}", printable(tail)));
        }
    }
    text.extend(rerun.map(|rerun| of_rerun(outcome, rerun)));
    text
}

/// Tells why a target could not be tested at all, when it was spoken to in the revision `tried`.
#[must_use]
pub fn of_preflight(target: &str, finding: &Finding, tried: Option<Revision>) -> String {
    let mut text = format!("cannot test `{target}`: {finding}\n");
    if let Some(blame) = blame(finding.blame).filter(|_| finding.blame != Blame::Environment) {
        line(&mut text, 2, &format!("blame: {blame}"));
    }
    requirements(&mut text, 2, &finding.requirements, tried.unwrap_or(Revision::NEWEST));
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

/// What the finding names is what was broken, if anything; the check may stand for more.
fn broken(check: &Check) -> &[&'static str] {
    match &check.finding {
        Some(finding) => &finding.requirements,
        None => &check.requirements,
    }
}

fn requirements(out: &mut String, indent: usize, ids: &[&str], revision: Revision) {
    for id in ids {
        line(out, indent, &format!("Requirement: {}", requirement::cite(id, revision)));
    }
}

fn references(out: &mut String, check: &Check) {
    for reference in &check.spec_references {
        line(out, 4, &format!("Reference: {}", reference.id));
        if let Some(url) = &reference.url {
            line(out, 6, url);
        }
    }
}

/// Adds a text, every line of it indented; further lines hang, unless they are indented themselves.
fn line(out: &mut String, indent: usize, text: &str) {
    for (number, part) in text.lines().enumerate() {
        let hangs = number > 0 && indent < 6 && !part.starts_with(' ');
        let indent = if hangs { indent + 2 } else { indent };
        // Writing to a String does not fail.
        let _ = writeln!(out, "{}", format!("{:indent$}{part}", "").trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn a_failing_check_says_all_there_is_to_say() {
        let outcome = sample::failed();
        let mut teller = Teller::new(&outcome);
        let texts: Vec<String> = outcome.failing().map(|check| teller.tell(check)).collect();
        insta::assert_snapshot!(texts.join("\n"), @r#"
        - ToolsList: Server lists its tools
          Error: the tool list is malformed
            expected `/tools/0/name` is a non-empty string
            got 7, which is a number
            hint: give every tool a name
          Check: tools-list
          Known false: the specification does not demand it
          Requirement: tools.list.respond (MUST) Having advertised `tools`, the server answers `tools/list` with the tools currently available to that caller.
            https://modelcontextprotocol.io/specification/2025-11-25/server/tools#capabilities
          Exchange:
            1  client → server  tools/list
            2  client ← server  result {"tools":[{"name":7}]}

        - tools-annotated:
          Error: Not testable: there is no tool with annotations
          Check: tools-annotated
        "#);
        insta::assert_snapshot!(of_cell(&outcome, Some(&sample::rerun())), @r"
        The last lines on the server's stderr:
          | warning: no name
        Rerun: mcp-test server --scenario tools-list --spec-version 2025-11-25 -- node 'my server.js'
        ");
    }

    #[test]
    fn a_server_that_is_gone_is_told_as_gone() {
        let mut outcome = sample::failed();
        outcome.exited = Some("exit code 1".to_owned());
        insta::assert_snapshot!(of_cell(&outcome, None), @r"
        The server has ended by itself, with exit code 1
        The last lines on the server's stderr:
          | warning: no name
        ");
    }

    #[test]
    fn what_was_told_is_not_told_again() {
        let outcome = sample::failed();
        let mut teller = Teller::new(&outcome);
        let full = teller.tell(&outcome.checks[1]);
        let short = teller.tell(&outcome.checks[1]);
        assert!(full.contains("Exchange:") && full.contains("expected"), "{full}");
        insta::assert_snapshot!(short, @r"
        - ToolsList: Server lists its tools
          Error: the tool list is malformed
          Check: tools-list
          Known false: the specification does not demand it
          This is what tools-list found, above.
        ");
    }

    #[test]
    fn a_target_that_is_not_there_is_told_in_one_message() {
        let finding = Finding::environment("nothing listens at http://127.0.0.1:9/mcp")
            .got("connection refused")
            .hint("start the server, or let mcp-test start it: `--url URL -- COMMAND`");
        insta::assert_snapshot!(of_preflight("http://127.0.0.1:9/mcp", &finding, None), @r"
        cannot test `http://127.0.0.1:9/mcp`: nothing listens at http://127.0.0.1:9/mcp
          got connection refused
          hint: start the server, or let mcp-test start it: `--url URL -- COMMAND`
        ");
    }

    #[test]
    fn a_requirement_is_looked_up_in_the_revision_that_was_tried() {
        let finding = Finding::peer("no answer").requires("jsonrpc.request-answered");
        let told = of_preflight("x", &finding, Some(Revision::V2025_06_18));
        assert!(told.contains("/specification/2025-06-18/"), "{told}");
    }
}
