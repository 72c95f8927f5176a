//! [`Overtaken`]: that a later request was answered while others were not, which ends the wait for these.
//!
//! The wait itself is in `wait.rs`.

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
    pub(super) fn by(reply: &Reply, took: Duration) -> Self {
        let grace = AFTER_PING + took * TIMES_PING;
        Self { evidence: reply.evidence(), grace, until: Deadline::after(grace) }
    }
}
