//! The lines of the official suite that differ for clients.

use mcp_test_core::expect::words;
use mcp_test_core::run::{ClientSpeaks, Outcome, Verdict};
use mcp_test_core::spec::Revisions;
use mcp_test_core::transport::ClientEnd;

use super::palette::{BAD, GOOD, UNSURE};

/// The first lines of a suite.
pub(super) fn header(selection: &str, scenarios: &str, target: &str) -> String {
    format!("Running {selection} ({scenarios}) in parallel...\nClient: {target}\n")
}

/// The first lines of a scenario.
pub(super) fn started(outcome: &Outcome, target: &str) -> String {
    let id = words::name(&outcome.scenario_run.scenario.id);
    let run = outcome.client_run.as_ref();
    if run.is_some_and(|run| run.end == ClientEnd::Unobserved) {
        // The rest was printed before waiting for the client.
        return "\n".to_owned();
    }
    let line = words::inert(run.and_then(|run| run.command.as_deref()).unwrap_or(target));
    format!("Starting scenario: {id}\nExecuting client: {line}\n")
}

/// The last lines of a single scenario.
pub(super) fn verdict(outcome: &Outcome) -> String {
    let mut text = String::new();
    match outcome.client_run.as_ref().map(|run| &run.end) {
        Some(ClientEnd::TimedOut) => {
            text.push_str(&format!("\n{UNSURE}⚠️  CLIENT TIMED OUT - Test incomplete{UNSURE:#}\n"));
        }
        Some(ClientEnd::Failed(how)) => text.push_str(&format!(
            "\n{UNSURE}⚠️  CLIENT EXITED WITH ERROR ({how}) - Test may be incomplete{UNSURE:#}\n"
        )),
        Some(ClientEnd::Succeeded | ClientEnd::NotStarted(_) | ClientEnd::Unobserved) | None => {}
    }
    let overall = match outcome.verdict {
        Verdict::Passed => format!("{GOOD}✅ OVERALL: PASSED{GOOD:#}"),
        Verdict::Skipped => format!("{UNSURE}⚠️  OVERALL: NOTHING TESTED{UNSURE:#}"),
        Verdict::Failed | Verdict::Flaky => format!("{BAD}❌ OVERALL: FAILED{BAD:#}"),
        Verdict::NotRun => format!("{BAD}❌ OVERALL: NOT RUN{BAD:#}"),
    };
    text.push_str(&format!("\n{overall}\n"));
    text
}

/// The line about the revisions that the client speaks.
pub(super) fn speaks(speaks: ClientSpeaks) -> String {
    let spoken = range(speaks.spoken);
    let rest = match speaks.not_spoken() {
        it if !it.is_empty() => format!("; it did not speak {}", range(it)),
        _ if !speaks.is_limit() => "; newer revisions were not tried".to_owned(),
        _ => String::new(),
    };
    format!("The client speaks {spoken}{rest}\n")
}

/// `2025-11-25`, `2025-03-26 to 2025-11-25`, or a list with a gap.
fn range(revisions: Revisions) -> String {
    match (revisions.oldest(), revisions.newest()) {
        (Some(first), Some(last))
            if first != last && revisions == Revisions::between(first, last) =>
        {
            format!("{first} to {last}")
        }
        _ => revisions.to_string(),
    }
}
