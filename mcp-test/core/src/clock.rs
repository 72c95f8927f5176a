//! The only access to time.
//!
//! Deadlines run on the real clock, whatever the server under test does with its runtime: a timer thread wakes the waiting
//! tasks, so [`within`] works on any executor and under `tokio::time::pause`. Nothing here sleeps. To wait for an event,
//! use a channel, bounded by [`within`]; [`quiet`] is for the one case without an event, when independent streams must get
//! a chance to send something. Our own tests of peers in memory run in virtual time, where waiting takes none.

mod timer;
#[doc(hidden)]
pub mod virtual_time;

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use self::timer::{Alarm, Timer};

/// A point in time at which waiting ends.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::clock::Deadline;
/// use std::time::Duration;
///
/// let whole_test = Deadline::after(Duration::from_secs(30));
/// let one_reply = Deadline::after(Duration::from_secs(5)).min(whole_test);
/// assert!(!one_reply.has_passed());
/// assert_eq!(one_reply.allotted(), Some(Duration::from_secs(5)));
/// assert_eq!(Deadline::never().remaining(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    end: Option<End>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct End {
    at: Instant,
    allotted: Duration,
}

impl Deadline {
    /// The deadline after this much time from now.
    ///
    /// A duration that the clock cannot represent is the same as [`Deadline::never`].
    pub fn after(allotted: Duration) -> Self {
        let end = now().checked_add(allotted).map(|at| End { at, allotted });
        Self { end }
    }

    /// The deadline that never passes.
    pub const fn never() -> Self {
        Self { end: None }
    }

    /// How much time is left: zero once it has passed, `None` if it never will.
    pub fn remaining(&self) -> Option<Duration> {
        self.end.map(|end| end.at.saturating_duration_since(now()))
    }

    /// How much time there was at first, for messages; `None` if it never passes.
    pub fn allotted(&self) -> Option<Duration> {
        self.end.map(|end| end.allotted)
    }

    /// Whether it has passed.
    pub fn has_passed(&self) -> bool {
        self.remaining() == Some(Duration::ZERO)
    }

    /// The earlier of the two.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        match (self.end, other.end) {
            // Not the shorter of the two times: each began at its own instant.
            (Some(mine), Some(theirs)) if theirs.at < mine.at => other,
            (None, Some(_)) => other,
            _ => self,
        }
    }
}

/// A deadline passed before the awaited event.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("nothing came within {}", format_duration(*.allotted))]
pub struct Elapsed {
    /// How much time there was.
    pub allotted: Duration,
}

/// Runs a future until it completes or the deadline passes.
///
/// The future is polled first: a result that is ready in time is returned even if the task runs only after the deadline.
///
/// # Errors
/// [`Elapsed`] if the deadline passed first; the future is dropped.
#[doc(hidden)]
pub async fn within<F: Future>(deadline: Deadline, future: F) -> Result<F::Output, Elapsed> {
    let mut future = pin!(future);
    let Some(end) = deadline.end else {
        return Ok(future.await);
    };
    let mut alarm = None;
    poll_fn(|cx| {
        if let Poll::Ready(output) = future.as_mut().poll(cx) {
            return Poll::Ready(Ok(output));
        }
        let alarm = alarm.get_or_insert_with(|| Alarm::set(timer(), end.at));
        alarm.poll(cx).map(|()| Err(Elapsed { allotted: end.allotted }))
    })
    .await
}

/// Blocks this thread until a future completes or the deadline passes, without an executor.
///
/// For destructors, which cannot await. The future must be driven by another thread, not by the executor that this
/// thread belongs to; in virtual time, only the future ends this.
///
/// # Errors
/// [`Elapsed`] if the deadline passed first; the future is dropped.
#[doc(hidden)]
pub fn block_within<F: Future>(deadline: Deadline, future: F) -> Result<F::Output, Elapsed> {
    struct Unpark(std::thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut bounded = pin!(within(deadline, future));
    loop {
        if let Poll::Ready(outcome) = bounded.as_mut().poll(&mut Context::from_waker(&waker)) {
            return outcome;
        }
        std::thread::park();
    }
}

/// Waits for a quiet period in which peers may still send something.
///
/// Only for independent streams, where no event or fence can show an order. What was not seen by then was not seen in this
/// time; it was not shown to be absent.
#[doc(hidden)]
pub async fn quiet(duration: Duration) {
    let _ = within(Deadline::after(duration), std::future::pending::<()>()).await;
}

/// Measures how long something took.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    started: Instant,
}

impl Stopwatch {
    /// Starts a stopwatch.
    pub fn start() -> Self {
        Self { started: now() }
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        now().saturating_duration_since(self.started)
    }
}

/// Measures the processor time of the current thread, to which other programs on a busy machine add nothing.
///
/// On systems that do not report it, this is the time that passes.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct ProcessorStopwatch {
    started: Duration,
}

impl ProcessorStopwatch {
    /// Starts a stopwatch, which only its own thread may read.
    pub fn start() -> Self {
        Self { started: processor_time() }
    }

    /// The processor time of this thread since the start.
    pub fn elapsed(&self) -> Duration {
        processor_time().saturating_sub(self.started)
    }
}

/// Formats a duration for messages, in a suitable unit.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::clock::format_duration;
/// use std::time::Duration;
///
/// assert_eq!(format_duration(Duration::from_secs(90)), "90 s");
/// assert_eq!(format_duration(Duration::from_millis(1500)), "1500 ms");
/// ```
#[doc(hidden)]
#[must_use]
pub fn format_duration(duration: Duration) -> String {
    // Seconds only where they are exact, so that 1500 ms does not read as 1 s.
    match duration.subsec_nanos() {
        0 => format!("{} s", duration.as_secs()),
        _ if duration.as_millis() == 0 => format!("{} µs", duration.as_micros()),
        _ => format!("{} ms", duration.as_millis()),
    }
}

/// Parses a positive whole number with the unit `ms`, `s` or `m`.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::clock::parse_duration;
/// use std::time::Duration;
///
/// assert_eq!(parse_duration("2m"), Some(Duration::from_secs(120)));
/// assert_eq!(parse_duration("5"), None);
/// ```
#[doc(hidden)]
#[must_use]
pub fn parse_duration(text: &str) -> Option<Duration> {
    // Digits only, since `parse` would take a sign as well.
    let unit = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(unit);
    let number: u64 = number.parse().ok()?;
    let milliseconds = match unit.trim_start() {
        "ms" => Some(number),
        "s" => number.checked_mul(1_000),
        "m" => number.checked_mul(60_000),
        _ => None,
    };
    milliseconds.filter(|time| *time > 0).map(Duration::from_millis)
}

/// The current time in UTC as ISO 8601 with milliseconds, like `2026-11-21T21:37:43.473Z`.
#[doc(hidden)]
pub fn utc_now() -> String {
    iso_8601(since_epoch())
}

/// The time since 1970, for what is dated in seconds.
#[doc(hidden)]
#[cfg(any(test, feature = "auth"))]
pub fn unix_time() -> Duration {
    since_epoch()
}

/// The milliseconds since 1970 of a time that [`utc_now`] has written.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::clock::unix_millis;
///
/// assert_eq!(unix_millis("1970-01-01T00:01:00.250Z"), Some(60_250));
/// assert_eq!(unix_millis("yesterday"), None);
/// ```
#[doc(hidden)]
#[must_use]
pub fn unix_millis(text: &str) -> Option<u64> {
    let time = humantime::parse_rfc3339(text).ok()?;
    u64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

fn timer() -> Arc<Timer> {
    virtual_time::timer().unwrap_or_else(Timer::real)
}

fn now() -> Instant {
    virtual_time::now().unwrap_or_else(Instant::now)
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.try_into().unwrap_or_default()
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn processor_time() -> Duration {
    static FIRST: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    FIRST.elapsed()
}

// A clock that is set before 1970 counts as 1970: a wrong date in a report is better than no report.
fn since_epoch() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default() + virtual_time::skipped()
}

fn iso_8601(since_epoch: Duration) -> String {
    humantime::format_rfc3339_millis(UNIX_EPOCH + since_epoch).to_string()
}

#[cfg(test)]
mod tests;
