//! The only door to time.
//!
//! Deadlines of the harness run on the machine's clock, whatever the server under test does with its runtime: a timer
//! thread of our own wakes the waiting tasks, so [`within`] keeps its word on any executor and under
//! `tokio::time::pause`. Nothing here sleeps. Waiting for an event belongs in a channel, bounded by [`within`];
//! [`quiet`] is for the one case without an event, when independent streams must be given a chance to speak.

use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A moment after which waiting is given up.
///
/// ```
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
    /// The deadline that passes when this much time has gone by from now.
    ///
    /// A duration beyond what the machine's clock can express is the same as [`Deadline::never`].
    pub fn after(allotted: Duration) -> Self {
        let end = Instant::now().checked_add(allotted).map(|at| End { at, allotted });
        Self { end }
    }

    /// The deadline that never passes.
    pub const fn never() -> Self {
        Self { end: None }
    }

    /// How much time is left: zero once it has passed, `None` if it never will.
    pub fn remaining(&self) -> Option<Duration> {
        self.end.map(|end| end.at.saturating_duration_since(Instant::now()))
    }

    /// How much time there was in the beginning, for messages that say how long was waited; `None` if it never passes.
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
            (Some(mine), Some(theirs)) if theirs.at < mine.at => other,
            (None, Some(_)) => other,
            _ => self,
        }
    }
}

/// A deadline passed before what was awaited came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("nothing came within {}", in_words(*.allotted))]
pub struct Elapsed {
    /// How much time there was.
    pub allotted: Duration,
}

/// Runs a future to its end, or gives it up when the deadline passes.
///
/// The future is asked first: what is ready in time is returned even if the deadline has passed by the time the task
/// gets to run.
///
/// # Errors
/// [`Elapsed`] if the deadline passed first; the future is dropped.
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
        let alarm = alarm.get_or_insert_with(|| Alarm::set(end.at));
        alarm.poll(cx).map(|()| Err(Elapsed { allotted: end.allotted }))
    })
    .await
}

/// Blocks this thread until a future has come to its end or the deadline passes, without any executor.
///
/// For destructors, which cannot await. The future must be driven by another thread, not by the executor that this
/// thread belongs to.
///
/// # Errors
/// [`Elapsed`] if the deadline passed first; the future is dropped.
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

/// Waits for this much time while others may speak.
///
/// Only for streams that are independent of each other, where no event and no fence can show an order. What was not
/// seen afterwards was "not seen in this time"; it was not shown to be absent.
pub async fn quiet(duration: Duration) {
    let _ = within(Deadline::after(duration), std::future::pending::<()>()).await;
}

/// Measures how long something took.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    started: Instant,
}

impl Stopwatch {
    /// A stopwatch that runs from now on.
    pub fn start() -> Self {
        Self { started: Instant::now() }
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

/// A duration as a person would say it.
///
/// ```
/// use mcp_test::clock::in_words;
/// use std::time::Duration;
///
/// assert_eq!(in_words(Duration::from_secs(90)), "90 s");
/// assert_eq!(in_words(Duration::from_millis(1500)), "1500 ms");
/// ```
#[must_use]
pub fn in_words(duration: Duration) -> String {
    match duration.subsec_nanos() {
        0 => format!("{} s", duration.as_secs()),
        _ if duration.as_millis() == 0 => format!("{} µs", duration.as_micros()),
        _ => format!("{} ms", duration.as_millis()),
    }
}

/// Reads a whole number above zero with its unit, `ms`, `s` or `m`; `None` if it is anything else.
///
/// ```
/// use mcp_test::clock::parse;
/// use std::time::Duration;
///
/// assert_eq!(parse("2m"), Some(Duration::from_secs(120)));
/// assert_eq!(parse("5"), None);
/// ```
#[must_use]
pub fn parse(text: &str) -> Option<Duration> {
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

/// The time of day in UTC as ISO 8601 with milliseconds, like `2026-11-21T21:37:43.473Z`.
pub fn utc_now() -> String {
    // A machine whose clock stands before 1970 gets 1970: a wrong date in a report is better than no report.
    iso_8601(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

fn iso_8601(since_epoch: Duration) -> String {
    let seconds = since_epoch.as_secs();
    let (year, month, day) = civil_date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let millis = since_epoch.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

fn civil_date(days_since_epoch: u64) -> (u64, u64, u64) {
    // Counted from 1 March of year 0, so that the leap day ends a year and 400 years have always 146,097 days.
    let days = days_since_epoch + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

/// An entry in the timer thread's schedule, taken out again when dropped.
#[derive(Debug)]
struct Alarm {
    key: Key,
}

type Key = (Instant, u64);

impl Alarm {
    fn set(at: Instant) -> Self {
        let timer = Timer::get();
        let mut schedule = timer.lock();
        schedule.next += 1;
        let key = (at, schedule.next);
        schedule.bells.insert(key, Waker::noop().clone());
        if schedule.bells.first_key_value().is_some_and(|(first, _)| *first == key) {
            timer.changed.notify_one();
        }
        Self { key }
    }

    fn poll(&self, cx: &Context<'_>) -> Poll<()> {
        let fresh = cx.waker().clone();
        let mut schedule = Timer::get().lock();
        let Some(waker) = schedule.bells.get_mut(&self.key) else {
            return Poll::Ready(());
        };
        let stale = std::mem::replace(waker, fresh);
        // Dropped outside the lock: the last waker of a task may take the task with it, and its alarms.
        drop(schedule);
        drop(stale);
        Poll::Pending
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        let bell = Timer::get().lock().bells.remove(&self.key);
        // Dropped outside the lock: a waker may run code of its own when it goes.
        drop(bell);
    }
}

#[derive(Default)]
struct Schedule {
    bells: BTreeMap<Key, Waker>,
    next: u64,
}

#[derive(Default)]
struct Timer {
    schedule: Mutex<Schedule>,
    changed: Condvar,
}

impl Timer {
    fn get() -> &'static Arc<Self> {
        static TIMER: OnceLock<Arc<Timer>> = OnceLock::new();
        TIMER.get_or_init(|| {
            let timer = Arc::new(Self::default());
            let worker = Arc::clone(&timer);
            std::thread::Builder::new()
                .name("mcp-test-clock".to_owned())
                .spawn(move || worker.run())
                .expect("the operating system refused a thread for the clock, without which no deadline can be kept");
            timer
        })
    }

    fn lock(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut schedule = self.lock();
        loop {
            let Some((at, _)) = schedule.bells.first_key_value().map(|(key, _)| *key) else {
                schedule = self.changed.wait(schedule).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = at.saturating_duration_since(Instant::now());
            if !left.is_zero() {
                let waited = self.changed.wait_timeout(schedule, left);
                schedule = waited.unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            let bell = schedule.bells.pop_first();
            drop(schedule);
            if let Some((_, waker)) = bell {
                // A waker that panics is the executor's defect; it must not stop everyone's clock.
                let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| waker.wake()));
            }
            schedule = self.lock();
        }
    }
}

#[cfg(test)]
mod tests;
