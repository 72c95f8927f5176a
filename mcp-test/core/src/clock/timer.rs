//! What wakes tasks at their deadlines: a thread, or in virtual time a runtime that has nothing else to do.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

/// An entry in the schedule of a timer, removed when dropped.
#[derive(Debug)]
pub(super) struct Alarm {
    timer: Arc<Timer>,
    key: Key,
}

type Key = (Instant, u64);

impl Alarm {
    pub(super) fn set(timer: Arc<Timer>, at: Instant) -> Self {
        let mut schedule = timer.lock();
        // The number keeps alarms for the same instant apart.
        schedule.next += 1;
        let key = (at, schedule.next);
        // The first poll, which follows at once, sets the real waker.
        schedule.alarms.insert(key, Waker::noop().clone());
        // Most alarms are dropped long before their time, after which the timer thread still wakes at the time of the first one: only
        // an alarm before that has to wake it.
        if schedule.wakes_at.is_none_or(|wakes_at| at < wakes_at) {
            timer.changed.notify_one();
        }
        drop(schedule);
        Self { timer, key }
    }

    pub(super) fn poll(&self, cx: &Context<'_>) -> Poll<()> {
        let fresh = cx.waker().clone();
        let mut schedule = self.timer.lock();
        let Some(waker) = schedule.alarms.get_mut(&self.key) else {
            return Poll::Ready(());
        };
        let stale = std::mem::replace(waker, fresh);
        // Dropped outside of the lock: the last waker of a task may drop the task, and with it other alarms.
        drop(schedule);
        drop(stale);
        Poll::Pending
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        let alarm = self.timer.lock().alarms.remove(&self.key);
        // Dropped outside of the lock: dropping a waker may run any code.
        drop(alarm);
    }
}

#[derive(Debug, Default)]
struct Schedule {
    alarms: BTreeMap<Key, Waker>,
    next: u64,
    /// When the timer thread wakes on its own; `None` if it has nothing to wait for.
    wakes_at: Option<Instant>,
}

#[derive(Debug, Default)]
pub(super) struct Timer {
    schedule: Mutex<Schedule>,
    changed: Condvar,
}

impl Timer {
    /// The timer with the real clock, which all threads share.
    pub(super) fn real() -> Arc<Self> {
        static TIMER: OnceLock<Arc<Timer>> = OnceLock::new();
        let timer = TIMER.get_or_init(|| {
            let timer = Arc::new(Self::default());
            let worker = Arc::clone(&timer);
            std::thread::Builder::new()
                .name("mcp-test-clock".to_owned())
                .spawn(move || worker.run())
                .expect("the operating system refused a thread for the clock, without which no deadline can be kept");
            timer
        });
        Arc::clone(timer)
    }

    fn lock(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the first alarm; the caller wakes its task.
    pub(super) fn pop_first(&self) -> Option<(Instant, Waker)> {
        self.lock().alarms.pop_first().map(|((at, _), waker)| (at, waker))
    }

    fn run(&self) {
        let mut schedule = self.lock();
        loop {
            let Some((at, _)) = schedule.alarms.first_key_value().map(|(key, _)| *key) else {
                schedule.wakes_at = None;
                schedule = self.changed.wait(schedule).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = at.saturating_duration_since(Instant::now());
            if !left.is_zero() {
                schedule.wakes_at = Some(at);
                let waited = self.changed.wait_timeout(schedule, left);
                schedule = waited.unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            // Removed before it wakes its task: an alarm that is missing is how `poll` knows that it has fired.
            let alarm = schedule.alarms.pop_first();
            drop(schedule);
            if let Some((_, waker)) = alarm {
                // A waker that panics is a bug of its executor, which must not stop the clock for everyone.
                let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| waker.wake()));
            }
            schedule = self.lock();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_given_up_wait_leaves_nothing_in_the_schedule() {
        let alarm = Alarm::set(Timer::real(), Instant::now() + Duration::from_secs(1000));
        let key = alarm.key;
        assert!(Timer::real().lock().alarms.contains_key(&key));
        drop(alarm);
        assert!(!Timer::real().lock().alarms.contains_key(&key));
    }
}
