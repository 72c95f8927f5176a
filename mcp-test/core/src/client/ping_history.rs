//! [`PingHistory`]: whether a server has answered `ping`, on all connections of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// After how many `ping`s without a reply the following ones are awaited for less time.
const ENOUGH: usize = 2;

/// That a `ping` was answered.
const ANSWERED: usize = usize::MAX;

/// The part of the time-out for which they are awaited, and the least time.
const PART: u32 = 20;
const LEAST: Duration = Duration::from_millis(250);

/// Whether a server has answered `ping`; clones share what they know.
///
/// `ping` separates what a server sends before and after it, so that most scenarios send one. A server that never answers it
/// would cost each of them the whole time-out.
#[derive(Debug, Clone, Default)]
pub(crate) struct PingHistory(Arc<AtomicUsize>);

impl PingHistory {
    pub(super) fn note_answered(&self) {
        self.0.store(ANSWERED, Ordering::Relaxed);
    }

    /// Notes a `ping` that was awaited for this long in vain; `timeout` is the usual time.
    pub(super) fn note_unanswered(&self, waited: Duration, timeout: Duration) {
        // The end of the scenario cuts some waits short.
        if waited >= timeout / 2 {
            let one_more = |count| (count < ENOUGH).then(|| count + 1);
            let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more);
        }
    }

    /// Whether a server does not answer `ping`, as far as is known.
    pub(super) fn is_unanswered(&self) -> bool {
        self.0.load(Ordering::Relaxed) == ENOUGH
    }

    /// How long to wait for the next reply to `ping`, if it is usually this long.
    pub(super) fn shorten(&self, timeout: Duration) -> Duration {
        match self.is_unanswered() {
            true => timeout.min((timeout / PART).max(LEAST)),
            false => timeout,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(20);

    #[test]
    fn the_third_ping_is_awaited_for_less_time() {
        let history = PingHistory::default();
        history.note_unanswered(TIMEOUT, TIMEOUT);
        assert_eq!(history.shorten(TIMEOUT), TIMEOUT);
        history.clone().note_unanswered(TIMEOUT, TIMEOUT);
        assert_eq!(history.shorten(TIMEOUT), Duration::from_secs(1));
        assert_eq!(history.shorten(LEAST / 2), LEAST / 2);
    }

    #[test]
    fn a_wait_that_was_cut_short_shows_nothing() {
        let history = PingHistory::default();
        for _ in 0..5 {
            history.note_unanswered(TIMEOUT / 3, TIMEOUT);
        }
        assert_eq!(history.shorten(TIMEOUT), TIMEOUT);
    }

    #[test]
    fn one_reply_shows_that_pings_are_answered() {
        let history = PingHistory::default();
        history.note_answered();
        for _ in 0..5 {
            history.note_unanswered(TIMEOUT, TIMEOUT);
        }
        assert_eq!(history.shorten(TIMEOUT), TIMEOUT);
    }
}
