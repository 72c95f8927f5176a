//! What is said of a client in other words than of a server.

use super::palette::{BAD, GOOD, UNSURE};
use crate::run::{Outcome, Verdict};
use crate::transport::Leaving;

/// The first lines of a suite.
pub(super) fn header(what: &str, scenarios: &str, target: &str) -> String {
    format!("Running {what} ({scenarios}) in parallel...\nThe client is {target}\n")
}

/// The first lines of a scenario.
pub(super) fn started(outcome: &Outcome, target: &str) -> String {
    let id = outcome.cell.scenario.id;
    let left = outcome.left.as_ref();
    if left.is_some_and(|left| left.leaving == Leaving::Unseen) {
        // The rest was told before the wait for the client.
        return "\n".to_owned();
    }
    let line = left.and_then(|left| left.command.as_deref()).unwrap_or(target);
    format!("Starting scenario: {id}\nExecuting client: {line}\n")
}

/// The last lines of a scenario that is run by itself.
pub(super) fn verdict(outcome: &Outcome) -> String {
    let mut text = String::new();
    match outcome.left.as_ref().map(|left| &left.leaving) {
        Some(Leaving::Outstayed) => {
            text.push_str(&format!("\n{UNSURE}⚠️  CLIENT TIMED OUT - Test incomplete{UNSURE:#}\n"));
        }
        Some(Leaving::Failed(how)) => text.push_str(&format!(
            "\n{UNSURE}⚠️  CLIENT EXITED WITH ERROR ({how}) - Test may be incomplete{UNSURE:#}\n"
        )),
        Some(Leaving::Content | Leaving::NotStarted(_) | Leaving::Unseen) | None => {}
    }
    let overall = match outcome.verdict {
        Verdict::Passed | Verdict::Skipped => format!("{GOOD}✅ OVERALL: PASSED{GOOD:#}"),
        Verdict::Failed => format!("{BAD}❌ OVERALL: FAILED{BAD:#}"),
        Verdict::NotRun => format!("{BAD}❌ OVERALL: NOT RUN{BAD:#}"),
    };
    text.push_str(&format!("\n{overall}\n"));
    text
}
