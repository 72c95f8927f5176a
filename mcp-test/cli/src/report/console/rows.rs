//! The checks of a scenario run, one line each.

use std::fmt::Write;

use mcp_test_core::check::Status;
use mcp_test_core::run::Outcome;

use super::palette::{BAD, FAINT, GOOD, NEUTRAL, UNSURE};

/// One line for each check.
pub(super) fn text(outcome: &Outcome) -> String {
    let ids = outcome.checks.iter().map(|check| check.id.chars().count()).max().unwrap_or_default();
    let mut text = String::new();
    for check in &outcome.checks {
        let style = match check.status {
            Status::Success => GOOD,
            Status::Failure => BAD,
            Status::Warning => UNSURE,
            Status::Info => NEUTRAL,
            Status::Skipped => FAINT,
        };
        let advisory = if outcome.counts(check) { "" } else { " (advisory)" };
        // The messages of failures and warnings have sections of their own below.
        let reason = match (&check.message, check.status) {
            (Some(message), Status::Skipped | Status::Info) => format!(": {message}"),
            _ => String::new(),
        };
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "{FAINT}{}{FAINT:#} [{:ids$}] {style}{:7}{style:#} {}{reason}{advisory}",
            check.timestamp, check.id, check.status, check.description
        );
    }
    text
}
