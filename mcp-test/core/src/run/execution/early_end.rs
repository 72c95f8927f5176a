//! Early ends of scenarios, and what is wrong when a function of a user ends early, as a finding.

use std::any::Any;
use std::time::Duration;

use crate::assert::AssertionFailure;
use crate::check::{Cause, Fate, Finding};
use crate::client::take_panicked_handler;
use crate::clock;
use crate::expect::words::panic_text;
use crate::run::panics;
use crate::scenario::{BoxError, MORE_TIME, Stop};

/// Why the body of a scenario did not run to its end.
pub(super) enum EarlyEnd {
    TimedOut,
    Panicked(Box<dyn Any + Send>),
    Stopped(Stop),
}

impl EarlyEnd {
    /// The early end of a body that ended; `None` if it ran to its end.
    pub(super) fn of(ended: Result<Result<(), Stop>, Box<dyn Any + Send>>) -> Option<Self> {
        match ended {
            Ok(Ok(())) => None,
            Ok(Err(stop)) => Some(Self::Stopped(stop)),
            Err(payload) => Some(Self::Panicked(payload)),
        }
    }

    /// Whether a request was answered with an error.
    pub(super) fn is_refusal(&self) -> bool {
        let Self::Stopped(Stop::Finding(finding)) = self else { return false };
        matches!(finding.cause.as_deref(), Some(Cause::Request { fate: Fate::Refused, .. }))
    }

    /// The finding for the early end of a built-in scenario.
    pub(super) fn finding_in_built_in(self) -> Finding {
        match self {
            Self::Stopped(Stop::Finding(finding)) => finding,
            Self::Stopped(Stop::Error(error)) => Finding::harness(error.to_string()),
            Self::Stopped(Stop::Skipped(skip)) => Finding::test(skip.to_string()),
            Self::TimedOut => Finding::peer("the scenario did not end in time"),
            Self::Panicked(payload) => {
                // The code is that of mcp-test, or of a target in this process.
                Finding::harness(format!("the scenario panicked: {}", panic_text(&*payload)))
            }
        }
    }
}

/// The finding for an early end that is not an assertion of mcp-test. The time is that of a function that timed out.
pub(super) fn finding_of(early: EarlyEnd, time: Duration) -> Finding {
    match early {
        EarlyEnd::TimedOut => timed_out("the scenario", time),
        EarlyEnd::Panicked(payload) => panicked(&*payload),
        EarlyEnd::Stopped(Stop::Finding(finding)) => finding,
        EarlyEnd::Stopped(Stop::Error(error)) => failed_with(&error),
        EarlyEnd::Stopped(Stop::Skipped(skip)) => Finding::test(skip.to_string()),
    }
}

/// The finding for the early end of a function of the user beside the scenario itself: `the teardown`. The time is that which it had.
pub(super) fn failed_in(function: &str, early: EarlyEnd, time: Duration) -> Finding {
    let (place, finding) = match early {
        EarlyEnd::TimedOut => return timed_out(function, time),
        EarlyEnd::Panicked(payload) => match payload.downcast::<AssertionFailure>() {
            Ok(failure) => (format!(" at {}", failure.location), failure.finding),
            Err(payload) => (String::new(), panicked(&*payload)),
        },
        early => (String::new(), finding_of(early, time)),
    };
    Finding { headline: format!("{function} failed{place}: {}", finding.headline), ..finding }
}

fn timed_out(function: &str, allotted: Duration) -> Finding {
    let allotted = clock::format_duration(allotted);
    Finding::test(format!("{function} did not finish within {allotted}")).hint(MORE_TIME)
}

/// The finding for a panic that is not an assertion of mcp-test: its text, if the harness captured it; otherwise the panic
/// hook has printed it.
fn panicked(payload: &(dyn Any + Send)) -> Finding {
    if let Some(mismatch) = payload.downcast_ref::<crate::scenario::SnapshotMismatch>() {
        return mismatch.finding();
    }
    let captured = panics::take_last();
    Finding::test(match (take_panicked_handler(), captured) {
        (Some(method), Some(panic)) => format!("the handler of `{method}` {panic}"),
        (Some(method), None) => {
            format!("the handler of `{method}` panicked; the message is above")
        }
        (None, Some(panic)) => panic,
        (None, None) => "it panicked; the message is above".to_owned(),
    })
}

fn failed_with(error: &BoxError) -> Finding {
    let mut headline = format!("error: {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        headline.push_str(&format!("\n  because: {}", error.to_string().replace('\n', "\n    ")));
        cause = error.source();
    }
    Finding::test(headline)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot read the settings")]
    struct Outer(#[source] std::io::Error);

    #[test]
    fn an_error_is_reported_with_its_causes() {
        let error: BoxError = Outer(std::io::Error::other("the disk\nis gone")).into();
        insta::assert_snapshot!(failed_with(&error), @r"
        error: cannot read the settings
          because: the disk
            is gone
        ");
    }
}
