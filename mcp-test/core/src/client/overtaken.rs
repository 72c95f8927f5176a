//! [`Overtaken`]: that a later request was answered while others were not, which ends the wait for these.
//!
//! [`ReplyTimes`] knows how long a server takes, on all connections of a run. That of a request is in `overtaking.rs`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::reply::Reply;
use crate::clock::{Deadline, Stopwatch};
use crate::spec;
use crate::trace::Seq;

/// Before a `ping` shows whether the server reads on.
const BEFORE_PING: Duration = Duration::from_millis(250);

/// After the reply to the `ping`, for servers that handle requests side by side; and so many times as long as that took, for
/// machines that are busy.
pub(super) const AFTER_PING: Duration = Duration::from_millis(500);
const TIMES_PING: u32 = 10;

/// After a panic of the server; the `ping`s show that it has had its turns meanwhile.
const AFTER_PANIC: Duration = Duration::from_millis(100);

/// Or so many times as long as the slowest reply took, or the start of the server if there was none: some load what they need
/// when it is used first.
const TIMES_SLOWEST: u32 = 2;

/// Up to this, which is also the time if nothing is known.
const LONGEST_AFTER_PING: Duration = Duration::from_secs(2);

/// The second time, after another `ping`, a request is given so many times as long: what depends on time alone is seen twice.
const TIMES_AGAIN: u32 = 2;

/// After how many ignored requests the following ones are awaited for less time, and for which part of it.
const ENOUGH: usize = 2;
const PART: u32 = 4;

/// What is known about the replies to the requests of each method of MCP, and of all others together; clones share what they
/// know.
#[derive(Debug, Clone, Default)]
pub(super) struct ReplyTimes {
    /// How long the server takes to start.
    start_up: Option<Duration>,
    methods: Arc<Mutex<BTreeMap<&'static str, MethodReplies>>>,
}

/// What is known about the replies to the requests of one method.
#[derive(Debug, Clone, Copy, Default)]
struct MethodReplies {
    slowest: Option<Duration>,
    /// How many requests were ignored. A server that ignores what it cannot read does so at each revision.
    ignored: usize,
}

impl ReplyTimes {
    pub(super) fn with_start_up(start_up: Duration) -> Self {
        Self { start_up: Some(start_up), ..Self::default() }
    }

    /// Notes that a request was answered after this time.
    pub(super) fn note_answered(&self, method: &str, took: Duration) {
        self.note(method, |replies| replies.slowest = replies.slowest.max(Some(took)));
    }

    /// Whether any request was answered.
    pub(super) fn has_any(&self) -> bool {
        self.start_up.is_some() || self.lock().values().any(|replies| replies.slowest.is_some())
    }

    pub(super) fn note_ignored(&self, method: &str) {
        self.note(method, |replies| replies.ignored += 1);
    }

    /// How long a request is awaited before a `ping` shows whether the server reads on.
    pub(super) fn before_ping(&self, method: &str) -> Duration {
        self.of(method).shorten(BEFORE_PING)
    }

    /// How long a request is awaited after the reply to a later `ping`, which took this long.
    fn after_ping(&self, method: &str, is_malformed: bool, ping: Duration) -> Duration {
        let replies = self.of(method);
        let grace = |slowest: Duration| {
            slowest.saturating_mul(TIMES_SLOWEST).clamp(AFTER_PING, LONGEST_AFTER_PING)
        };
        let usual = match replies.slowest {
            // Ignored requests of the method show nothing about the one that is the first to be handled. Nothing has to be loaded
            // to refuse a malformed one.
            None if key(method) != UNKNOWN && !is_malformed => {
                grace(self.start_up.unwrap_or(LONGEST_AFTER_PING))
            }
            slowest => replies.shorten(grace(slowest.unwrap_or_default())),
        };
        usual + ping * TIMES_PING
    }

    fn note(&self, method: &str, note: impl FnOnce(&mut MethodReplies)) {
        note(self.lock().entry(key(method)).or_default());
    }

    fn of(&self, method: &str) -> MethodReplies {
        self.lock().get(key(method)).copied().unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<&'static str, MethodReplies>> {
        self.methods.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The key of all methods that MCP does not have.
const UNKNOWN: &str = "";

fn key(method: &str) -> &'static str {
    spec::method(method).map_or(UNKNOWN, |method| method.name)
}

impl MethodReplies {
    fn shorten(self, usual: Duration) -> Duration {
        match self.ignored >= ENOUGH {
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
    /// The `ping` before it, if that was answered, too.
    earlier: Option<Seq>,
    took: Duration,
    since: Stopwatch,
}

impl Overtaken {
    /// That this reply, to a `ping`, has just come, so long after it was sent.
    pub(super) fn by(reply: &Reply, took: Duration, earlier: Option<Self>) -> Self {
        let earlier = earlier.and_then(|earlier| earlier.evidence.first().copied());
        Self { evidence: reply.evidence(), earlier, took, since: Stopwatch::start() }
    }

    /// Whether a request that was sent then is older than the `ping`.
    pub(super) fn is_after(&self, sent: Seq) -> bool {
        self.evidence.first().is_some_and(|ping| *ping > sent)
    }

    /// Whether a request that was sent then is older than two `ping`s that were answered.
    pub(super) fn is_second_after(&self, sent: Seq) -> bool {
        self.earlier.is_some_and(|earlier| earlier > sent)
    }

    /// How long after the `ping` a request before it is given, which was sent then.
    pub(super) fn grace(
        &self,
        method: &str,
        is_malformed: bool,
        sent: Seq,
        times: &ReplyTimes,
    ) -> Duration {
        let grace = times.after_ping(method, is_malformed, self.took);
        if self.is_second_after(sent) { grace * TIMES_AGAIN } else { grace }
    }

    /// How long after the `ping` a request is given during which a task of the server panicked: if something else answers it, it
    /// does so at once, on the threads that have answered the `ping`.
    pub(super) fn after_panic(&self) -> Duration {
        AFTER_PANIC + self.took * TIMES_PING
    }

    /// When this time ends.
    pub(super) fn until(&self, grace: Duration) -> Deadline {
        Deadline::after(grace.saturating_sub(self.since.elapsed()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: &str = "tools/call";

    fn after_ping(times: &ReplyTimes) -> Duration {
        times.after_ping(CALL, false, Duration::ZERO)
    }

    #[test]
    fn the_first_request_of_a_method_is_awaited_for_longer() {
        assert_eq!(after_ping(&ReplyTimes::default()), LONGEST_AFTER_PING);
        let times = ReplyTimes::with_start_up(Duration::from_secs(1));
        times.note_answered("tools/list", Duration::ZERO);
        assert_eq!(after_ping(&times), Duration::from_secs(2));
        assert_eq!(times.after_ping(CALL, true, Duration::ZERO), AFTER_PING);
        times.clone().note_answered(CALL, Duration::from_millis(1));
        assert_eq!(after_ping(&times), AFTER_PING);
        times.note_answered(CALL, Duration::from_secs(1));
        times.note_answered(CALL, Duration::ZERO);
        assert_eq!(after_ping(&times), Duration::from_secs(2));
        times.note_answered(CALL, Duration::from_secs(60));
        assert_eq!(after_ping(&times), LONGEST_AFTER_PING);
    }

    #[test]
    fn the_third_ignored_request_of_a_method_is_awaited_for_less_time() {
        let times = ReplyTimes::default();
        times.note_ignored("ping");
        times.note_ignored(CALL);
        assert_eq!(times.before_ping(CALL), BEFORE_PING);
        times.clone().note_ignored(CALL);
        assert_eq!(times.before_ping(CALL), BEFORE_PING / PART);
        assert_eq!(after_ping(&times), LONGEST_AFTER_PING);
        times.note_answered(CALL, Duration::ZERO);
        assert_eq!(after_ping(&times), AFTER_PING / PART);
        assert_eq!(times.before_ping("ping"), BEFORE_PING);
    }

    #[test]
    fn the_time_for_unknown_methods_is_not_longer_at_first_and_depends_on_the_ping() {
        let times = ReplyTimes::default();
        let ping = Duration::from_millis(10);
        assert_eq!(times.after_ping("no/such/method", false, ping), AFTER_PING + ping * TIMES_PING);
        (0..ENOUGH).for_each(|_| times.note_ignored("no/such/method"));
        assert_eq!(times.after_ping("another", false, Duration::ZERO), AFTER_PING / PART);
    }
}
