//! Sending a `ping` after a request whose reply does not come, which shows whether the server reads on.
//!
//! When that is done is decided in `wait.rs`; what the reply to the `ping` shows is in `overtaken.rs`.

use super::Client;
use super::overtaken::{AFTER_PING, Overtaken};
use super::reply::Reply;
use super::state::Abandoned;
use super::wait::{Pending, Step};
use crate::clock::{Deadline, Stopwatch};

impl Client {
    /// Shortens the time for a pending request if a later `ping` is answered, which is sent unless there has been one; the
    /// second time, if another one is answered.
    pub(super) async fn let_overtake(&mut self, pending: &mut Pending, latest: Deadline) {
        let is_answered = match pending.overtaken.take() {
            None => self.has_overtaken(pending),
            Some(_) => self.has_overtaken_twice(pending),
        };
        pending.deadline = latest;
        if !is_answered {
            let stopwatch = Stopwatch::start();
            let Some(reply) = self.overtaking_ping(pending).await else { return };
            let took = stopwatch.elapsed();
            self.overtaken = Some(Overtaken::by(&reply, took, self.overtaken.take()));
        }
        if let Some(overtaken) = self.overtaken.clone() {
            let is_malformed = pending.options.deliberate;
            let (sent, times) = (pending.sent.seq, &self.options.history.times);
            let grace = match pending.panic {
                Some(_) => overtaken.after_panic(),
                None => overtaken.grace(&pending.method, is_malformed, sent, times),
            };
            pending.deadline = latest.min(overtaken.until(grace));
            pending.overtaken = Some((overtaken, grace));
        }
    }

    /// The reply to a `ping`, unless that to the pending request comes first, after which nobody waits for long.
    async fn overtaking_ping(&mut self, pending: &Pending) -> Option<Reply> {
        let mut ping = self.start_ping(pending.deadline).await;
        while !self.state.is_settled_or_gone(&ping.id) {
            if self.state.is_settled_or_gone(&pending.id) {
                ping.deadline = ping.deadline.min(Deadline::after(AFTER_PING));
            }
            if self.step(ping.deadline).await != Step::Observed {
                self.state.abandon(&ping.id, Abandoned::TimedOut);
                return None;
            }
        }
        Box::pin(self.until_reply(ping)).await.ok()
    }

    /// Whether a `ping` that was sent after this request has been answered.
    pub(super) fn has_overtaken(&self, pending: &Pending) -> bool {
        self.overtaken.as_ref().is_some_and(|it| it.is_after(pending.sent.seq))
    }

    /// Whether two have been answered.
    pub(super) fn has_overtaken_twice(&self, pending: &Pending) -> bool {
        self.overtaken.as_ref().is_some_and(|it| it.is_second_after(pending.sent.seq))
    }
}
