//! [`Overtaken`]: that a later request was answered while others were not, which ends the wait for these.
//!
//! [`IgnoredRequests`] counts them on all connections of a run. The wait itself is in `wait.rs`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::reply::Reply;
use crate::clock::Deadline;
use crate::trace::Seq;

/// Before a `ping` shows whether the server reads on.
pub(super) const BEFORE_PING: Duration = Duration::from_millis(250);

/// After the reply to the `ping`, for servers that handle requests side by side; and so many times as long as that took, for
/// machines that are busy.
pub(super) const AFTER_PING: Duration = Duration::from_millis(500);
const TIMES_PING: u32 = 10;

/// After how many ignored requests the following ones are awaited for less time, and for which part of it.
const ENOUGH: usize = 2;
const PART: u32 = 4;

/// How many requests a server has ignored, as far as is known; clones share what they know.
///
/// A server that ignores what it cannot read does so at each revision.
#[derive(Debug, Clone, Default)]
pub(crate) struct IgnoredRequests(Arc<AtomicUsize>);

impl IgnoredRequests {
    pub(super) fn note(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// How long to wait, if it is usually this long.
    pub(super) fn shorten(&self, usual: Duration) -> Duration {
        match self.0.load(Ordering::Relaxed) >= ENOUGH {
            true => usual / PART,
            false => usual,
        }
    }
}

/// The reply to a `ping`, which came while requests before it were not answered.
#[derive(Debug, Clone)]
pub(super) struct Overtaken {
    /// The `ping` and its reply.
    pub(super) evidence: Vec<Seq>,
    /// How long requests before it are given from then on.
    pub(super) grace: Duration,
    pub(super) until: Deadline,
}

impl Overtaken {
    /// That this reply, to a `ping`, has just come, so long after it was sent.
    pub(super) fn by(reply: &Reply, took: Duration, ignored: &IgnoredRequests) -> Self {
        let grace = ignored.shorten(AFTER_PING) + took * TIMES_PING;
        Self { evidence: reply.evidence(), grace, until: Deadline::after(grace) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_ignored_request_is_awaited_for_less_time() {
        let ignored = IgnoredRequests::default();
        ignored.note();
        assert_eq!(ignored.shorten(AFTER_PING), AFTER_PING);
        ignored.clone().note();
        assert_eq!(ignored.shorten(AFTER_PING), AFTER_PING / PART);
    }
}
