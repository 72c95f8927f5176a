//! The lines of the official suite that differ for clients.

use super::palette::{BAD, GOOD, UNSURE};
use crate::expect::words;
use crate::run::{ClientSpeaks, Outcome, Verdict};
use crate::transport::ClientEnd;

/// The first lines of a suite.
pub(super) fn header(selection: &str, scenarios: &str, target: &str) -> String {
    format!("Running {selection} ({scenarios}) in parallel...\nClient: {target}\n")
}

/// The first lines of a scenario.
pub(super) fn started(outcome: &Outcome, target: &str) -> String {
    let id = words::name(&outcome.cell.scenario.id);
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
        // The official suite knows only passed and failed, and a skipped scenario does not fail.
        Verdict::Passed | Verdict::Skipped => format!("{GOOD}✅ OVERALL: PASSED{GOOD:#}"),
        Verdict::Failed | Verdict::Flaky => format!("{BAD}❌ OVERALL: FAILED{BAD:#}"),
        Verdict::NotRun => format!("{BAD}❌ OVERALL: NOT RUN{BAD:#}"),
    };
    text.push_str(&format!("\n{overall}\n"));
    text
}

/// The line about the revisions that the client speaks.
pub(super) fn speaks(speaks: ClientSpeaks) -> String {
    let newest = speaks.newest;
    if speaks.is_limit() {
        return format!("The client speaks up to {newest}\n");
    }
    format!("The client speaks {newest}; newer revisions were not tried\n")
}
