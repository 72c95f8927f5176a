//! Virtual time, for our own tests of peers in this process: when every task waits, time jumps to the next deadline.
//!
//! A deadline of an hour then passes in microseconds, and none passes because the machine is busy. Not for what happens outside
//! of the runtime, on sockets, in processes and on other threads, since a runtime that waits for these looks idle, too: tests of
//! those keep the real clock.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::clock::timer::Timer;

thread_local! {
    static CLOCK: RefCell<Option<Rc<VirtualClock>>> = const { RefCell::new(None) };
}

/// Its time stands still while tasks run.
#[derive(Debug)]
struct VirtualClock {
    timer: Arc<Timer>,
    started: Instant,
    skipped: Cell<Duration>,
}

/// Runs a future in virtual time, on this thread, on a runtime without sockets, processes and timers of tokio.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::clock::{self, Stopwatch, virtual_time};
/// use std::time::Duration;
///
/// let hour = Duration::from_secs(3600);
/// virtual_time::block_on(async {
///     let stopwatch = Stopwatch::start();
///     clock::quiet(hour).await;
///     assert_eq!(stopwatch.elapsed(), hour);
/// });
/// ```
///
/// # Panics
/// If this thread is in virtual time already, and if the future uses a socket or starts a process.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let clock =
        VirtualClock { timer: Arc::default(), started: Instant::now(), skipped: Cell::default() };
    assert!(current().is_none(), "this thread is in virtual time already");
    CLOCK.set(Some(Rc::new(clock)));
    let _reset = Reset;
    let runtime = tokio::runtime::Builder::new_current_thread().on_thread_park(jump).build();
    // The runtime goes before the clock does, since its tasks drop alarms.
    runtime.expect("a runtime without drivers needs nothing from the system").block_on(future)
}

/// Ends the virtual time of a thread, also when a test panics.
struct Reset;

impl Drop for Reset {
    fn drop(&mut self) {
        CLOCK.set(None);
    }
}

fn current() -> Option<Rc<VirtualClock>> {
    CLOCK.with_borrow(Clone::clone)
}

pub(super) fn timer() -> Option<Arc<Timer>> {
    current().map(|clock| Arc::clone(&clock.timer))
}

pub(super) fn now() -> Option<Instant> {
    current().map(|clock| clock.started + clock.skipped.get())
}

/// How much time this thread has skipped.
pub(super) fn skipped() -> Duration {
    current().map(|clock| clock.skipped.get()).unwrap_or_default()
}

/// Jumps to the next deadline. The runtime calls this when none of its tasks can go on.
fn jump() {
    let Some(clock) = current() else {
        return;
    };
    if let Some((at, waker)) = clock.timer.pop_first() {
        let skipped = at.saturating_duration_since(clock.started);
        clock.skipped.set(clock.skipped.get().max(skipped));
        waker.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Deadline, Stopwatch, quiet, within};

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn waiting_takes_no_time() {
        let real = Stopwatch::start();
        block_on(async {
            let stopwatch = Stopwatch::start();
            quiet(HOUR).await;
            assert_eq!(stopwatch.elapsed(), HOUR);
        });
        assert!(real.elapsed() < HOUR);
    }

    #[test]
    fn deadlines_pass_in_their_order_and_at_their_time() {
        block_on(async {
            let stopwatch = Stopwatch::start();
            let waits = [3, 1, 2].map(|hours| {
                tokio::spawn(async move {
                    quiet(HOUR * hours).await;
                    (hours, stopwatch.elapsed())
                })
            });
            for wait in waits {
                let (hours, elapsed) = wait.await.expect("it does not panic");
                assert_eq!(elapsed, HOUR * hours);
            }
            assert_eq!(stopwatch.elapsed(), HOUR * 3);
        });
    }

    #[test]
    fn no_deadline_passes_while_a_task_can_go_on() {
        block_on(async {
            let (sender, receiver) = tokio::sync::oneshot::channel();
            tokio::spawn(async move {
                for _ in 0..1000 {
                    tokio::task::yield_now().await;
                }
                sender.send(()).expect("the receiver is there");
            });
            let deadline = Deadline::after(Duration::from_nanos(1));
            assert_eq!(within(deadline, receiver).await, Ok(Ok(())));
            assert!(!deadline.has_passed());
        });
    }

    #[test]
    #[should_panic(expected = "this thread is in virtual time already")]
    fn virtual_times_do_not_nest() {
        block_on(async { block_on(async {}) });
    }

    #[test]
    fn a_test_that_panics_ends_its_virtual_time() {
        let panicked = std::panic::catch_unwind(|| block_on(async { panic!("a failing test") }));
        assert!(panicked.is_err());
        assert_eq!(now(), None);
    }
}
