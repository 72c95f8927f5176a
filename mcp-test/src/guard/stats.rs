//! What the guard costs and how much it has done.

use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use mcp_test_core::clock;

/// What a guard has read, refused and spent so far, on all its connections together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GuardStats {
    /// The messages that came in and were judged, each item of a batch counted.
    pub messages: u64,
    /// Those of them that the handler never saw.
    pub rejected: u64,
    /// The messages of the handler that were read: to judge them, or to know what a later reply answers.
    pub outgoing: u64,
    /// Those of them that were judged and found wrong.
    pub flawed: u64,
    /// The bytes of all that was read, in both directions.
    pub bytes: u64,
    /// The time spent on reading and judging, transport not included.
    pub time: Duration,
}

/// In one line, for a log at the end of a server.
impl fmt::Display for GuardStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { messages, rejected, outgoing, flawed, bytes, time } = self;
        write!(f, "{messages} messages in, {rejected} of them rejected; {outgoing} out")?;
        write!(f, ", {flawed} of them flawed; {bytes} bytes in {}", clock::format_duration(*time))
    }
}

/// The running sums behind a [`GuardStats`].
#[derive(Debug, Default)]
pub(super) struct Counters {
    messages: AtomicU64,
    rejected: AtomicU64,
    outgoing: AtomicU64,
    flawed: AtomicU64,
    bytes: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Counters {
    pub(super) fn count_incoming(&self) {
        // Relaxed throughout: the sums are independent, and nothing is synchronized by them.
        self.messages.fetch_add(1, Relaxed);
    }

    pub(super) fn rejected(&self) {
        self.rejected.fetch_add(1, Relaxed);
    }

    pub(super) fn count_outgoing(&self) {
        self.outgoing.fetch_add(1, Relaxed);
    }

    pub(super) fn flawed(&self) {
        self.flawed.fetch_add(1, Relaxed);
    }

    /// Adds what one text took.
    pub(super) fn spent(&self, bytes: usize, time: Duration) {
        self.bytes.fetch_add(bytes as u64, Relaxed);
        self.nanoseconds.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Relaxed);
    }

    pub(super) fn sum(&self) -> GuardStats {
        GuardStats {
            messages: self.messages.load(Relaxed),
            rejected: self.rejected.load(Relaxed),
            outgoing: self.outgoing.load(Relaxed),
            flawed: self.flawed.load(Relaxed),
            bytes: self.bytes.load(Relaxed),
            time: Duration::from_nanos(self.nanoseconds.load(Relaxed)),
        }
    }
}
