//! The failure of a function under `#[mcp_scenario]`: everything that is wrong, in one text.
//!
//! `cargo test` shows it under the name of the test, so unlike on the command line it names no checks.

use std::fmt::Write;

use super::{FailureFormatter, stderr_line};
use crate::assert::{explain, explain_next};
use crate::check::{Blame, Check, Demand, Finding, Status};
use crate::expect::words;
use crate::run::Outcome;
use crate::run::spoken_revisions::ProbeFailure;
use crate::scenario::TestedSide;
use crate::spec::Revision;
use crate::trace::{self, Style, Trace};

/// How many of the last events are shown where no finding points at any.
const LAST_EVENTS: usize = 40;
/// How many of the last lines on stderr are shown.
const STDERR_LINES: usize = 20;

impl FailureFormatter<'_> {
    /// The failure of a test function. `other_panics` were caught elsewhere on its thread.
    #[doc(hidden)]
    pub fn test(&mut self, other_panics: &str) -> String {
        let outcome = self.outcome;
        let with_status = |status| {
            let is_unexpected = move |it: &&Check| it.status == status && it.known.is_empty();
            let rows = outcome.checks.iter().filter(is_unexpected);
            rows.filter_map(|check| Some((check, check.finding.as_ref()?)))
        };
        let mut text = String::new();
        for (check, finding) in with_status(Status::Failure) {
            let _ = writeln!(text, "{}\n", self.problem(check, finding));
        }
        // The findings end with an empty line each; the sections that follow begin with one.
        text.truncate(text.trim_end().len());
        text.push('\n');
        text.push_str(other_panics);
        // A finding with evidence is shown with its exchange, so that the whole conversation would repeat it.
        let shows_itself =
            |finding: &Finding| !finding.evidence.is_empty() || finding.demand == Demand::Snapshot;
        if !with_status(Status::Failure).all(|(_, finding)| shows_itself(finding)) {
            let conversation = conversation(&outcome.trace);
            let nothing = || "\nno message was exchanged\n".to_owned();
            text.push_str(&conversation.unwrap_or_else(nothing));
        }
        for (_, finding) in with_status(Status::Warning) {
            let what = match finding.blame {
                Blame::Test => "the test itself sent something invalid, perhaps on purpose",
                _ => "the specification advises against this",
            };
            let _ = write!(text, "\nalso: {what}:\n{finding}\n");
        }
        for check in expected(outcome) {
            let headline = check.finding.as_ref().map_or(&check.id, |finding| &finding.headline);
            let known = words::list(&check.known, "and");
            let _ = write!(text, "\nalso: an expected failure: {headline}\n  known: {known}\n");
        }
        // This explains findings that only say that the connection broke.
        if let Some(exited) = &outcome.exited {
            let _ = write!(text, "\nthe program behind the URL exited on its own, with {exited}\n");
        }
        text.push_str(&stderr_of_test(
            outcome.scenario_run.scenario.tested_side,
            &outcome.stderr_tail,
        ));
        text
    }

    /// One thing that is wrong; what an assertion found, with its place.
    fn problem(&mut self, check: &Check, finding: &Finding) -> String {
        let outcome = self.outcome;
        // The rows of the test as a whole have its own id, which is in the heading already.
        let check_id = Some(&check.id).filter(|id| **id != *outcome.scenario_run.scenario.id);
        let named = check_id.map(|id| format!("check `{id}`: ")).unwrap_or_default();
        let of_assertion = outcome.assertion.as_deref().filter(|it| it.finding == *finding);
        let Some(failure) = of_assertion else {
            let revision = outcome.scenario_run.revision;
            let text = explain_next(finding, &outcome.trace, revision, &mut self.exchanges);
            return format!("{named}{}", text.trim_end());
        };
        let text = explain_next(finding, &failure.trace, failure.revision, &mut self.exchanges);
        format!("assertion failed at {}:\n{}", failure.location, text.trim_end())
    }
}

/// The checks that failed as expected.
pub fn expected(outcome: &Outcome) -> impl Iterator<Item = &Check> {
    let is_expected = |check: &&Check| check.status == Status::Failure && !check.known.is_empty();
    outcome.checks.iter().filter(is_expected)
}

/// Why a target could not be tested.
pub fn format_probe_failure(failure: &ProbeFailure) -> String {
    let ProbeFailure { finding, trace } = failure;
    let mut text = explain(finding, trace, Revision::NEWEST);
    text.push('\n');
    // As for a test: a finding with evidence is shown with its exchange.
    if finding.evidence.is_empty() {
        text.extend(conversation(trace));
    }
    // Only servers are probed.
    text.push_str(&stderr_of_test(TestedSide::Server, &trace.stderr_tail(STDERR_LINES)));
    text
}

/// The last lines on stderr; nothing if there are none.
pub fn stderr_of_test(tested_side: TestedSide, lines: &[String]) -> String {
    let mut text = String::new();
    for line in lines {
        if text.is_empty() {
            let _ = writeln!(text, "\nthe last lines on the {tested_side}'s stderr:");
        }
        let _ = writeln!(text, "  {}", stderr_line(line));
    }
    text
}

/// The end of the conversation; `None` if there is nothing to show.
fn conversation(trace: &Trace) -> Option<String> {
    let hidden = trace.events.len().saturating_sub(LAST_EVENTS);
    let last = Trace { events: trace.events[hidden..].to_vec(), ..*trace };
    let heading = if hidden == 0 { "the conversation" } else { "the end of the conversation" };
    let mut text = format!("\n{heading}:\n");
    let lines = trace::render(&last, &Style::brief());
    for line in lines.lines() {
        let _ = writeln!(text, "  {line}");
    }
    // A program that was not found leaves an event that only its own finding shows.
    (!lines.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Origin;
    use crate::failure_report::sample;

    fn failed(findings: Vec<(Finding, Status)>) -> Outcome {
        let mut outcome = sample::failed();
        let row = |(finding, status)| Check {
            status,
            ..Check::from_finding("tools-list", Origin::User, finding)
        };
        outcome.checks = findings.into_iter().map(row).collect();
        outcome
    }

    #[test]
    fn everything_that_is_wrong_is_in_the_text() {
        let outcome = failed(vec![
            (Finding::test("error: no settings\n  because: the disk is gone"), Status::Failure),
            (Finding::peer("`ping` was not answered").got("nothing"), Status::Failure),
            (Finding::peer("a title is too long").should(), Status::Warning),
            (Finding::test("`params` is a number"), Status::Warning),
        ]);
        let text = FailureFormatter::new(&outcome).test("\ncode on the same thread panicked\n");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn an_exchange_is_shown_once() {
        let sample = sample::failed();
        let evidence = &sample.checks[1].finding.as_ref().expect("a finding").evidence;
        let finding = |headline: &str| {
            (Finding::peer(headline).evidence_all(evidence.iter().copied()), Status::Failure)
        };
        let outcome = failed(vec![finding("no name"), finding("no description")]);
        insta::assert_snapshot!(FailureFormatter::new(&outcome).test(""), @r#"
        no name

        the exchange:
          1  client → server  tools/list
          2  client ← server  result {"tools":[{"name":7}]}

        no description

        the exchange: the same as above

        the last lines on the server's stderr:
          | warning: no name
        "#);
    }
}
