//! Tests of the clock; none of them asserts that something was fast.

use std::sync::mpsc;

use super::*;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// Blocks on a future without any executor but this thread.
fn block_on<F: Future>(future: F) -> F::Output {
    block_within(Deadline::never(), future).expect("there is no deadline to pass")
}

const SHORT: Duration = Duration::from_millis(20);

#[test]
fn what_is_ready_is_returned_even_after_the_deadline() {
    let passed = Deadline::after(Duration::ZERO);
    assert!(passed.has_passed());
    assert_eq!(block_on(within(passed, async { 7 })), Ok(7));
}

#[test]
fn silence_ends_at_the_deadline_without_any_runtime() {
    let watch = Stopwatch::start();
    let outcome = block_on(within(Deadline::after(SHORT), std::future::pending::<()>()));
    assert_eq!(outcome, Err(Elapsed { allotted: SHORT }));
    assert!(watch.elapsed() >= SHORT);
}

#[test]
fn a_paused_runtime_does_not_stop_the_clock() {
    runtime().block_on(async {
        tokio::time::pause();
        let silence = std::future::pending::<()>();
        assert!(within(Deadline::after(SHORT), silence).await.is_err());
    });
}

#[test]
fn a_paused_runtime_that_jumps_ahead_does_not_pass_a_deadline() {
    runtime().block_on(async {
        tokio::time::pause();
        let an_hour_in_no_time = tokio::time::sleep(Duration::from_secs(3600));
        let deadline = Deadline::after(Duration::from_secs(600));
        assert_eq!(within(deadline, an_hour_in_no_time).await, Ok(()));
        assert!(!deadline.has_passed());
    });
}

#[test]
fn a_future_on_another_thread_wins_against_a_far_deadline() {
    let (tx, rx) = tokio::sync::oneshot::channel();
    let speaker = std::thread::spawn(move || tx.send("spoken"));
    let heard = block_on(within(Deadline::after(Duration::from_secs(600)), rx));
    assert_eq!(heard, Ok(Ok("spoken")));
    assert_eq!(speaker.join().expect("the speaker does not panic"), Ok(()));
}

#[test]
fn deadlines_that_pass_out_of_order_of_their_making_all_pass() {
    runtime().block_on(async {
        let deadlines = [30, 10, 20].map(|ms| Deadline::after(Duration::from_millis(ms)));
        let silence =
            deadlines.map(|deadline| tokio::spawn(within(deadline, std::future::pending::<()>())));
        for task in silence {
            assert!(task.await.expect("no panic").is_err());
        }
    });
}

#[test]
fn the_earlier_deadline_is_the_minimum() {
    let near = Deadline::after(Duration::from_secs(1));
    let far = Deadline::after(Duration::from_secs(100));
    assert_eq!(near.min(far), near);
    assert_eq!(far.min(near), near);
    assert_eq!(Deadline::never().min(far), far);
    assert_eq!(far.min(Deadline::never()), far);
    assert_eq!(Deadline::never().min(Deadline::never()).remaining(), None);
    assert_eq!(Deadline::after(Duration::MAX), Deadline::never());
}

#[test]
fn a_waker_that_panics_leaves_the_clock_running() {
    struct Panics(mpsc::Sender<()>);
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            self.0.send(()).unwrap_or_default();
            std::panic::resume_unwind(Box::new("an executor's panic"));
        }
    }
    let (tx, rx) = mpsc::channel();
    let waker = Waker::from(Arc::new(Panics(tx)));
    let alarm = Alarm::set(Timer::real(), Instant::now() + SHORT);
    assert!(alarm.poll(&Context::from_waker(&waker)).is_pending());
    assert_eq!(rx.recv(), Ok(()));
    block_on(quiet(Duration::from_millis(1)));
}

#[test]
fn durations_are_said_as_people_say_them() {
    let micros = |micros| format_duration(Duration::from_micros(micros));
    assert_eq!(
        [0, 250, 20_000, 1_500_000, 30_000_000].map(micros),
        ["0 s", "250 µs", "20 ms", "1500 ms", "30 s"]
    );
}

#[test]
fn durations_have_a_unit() {
    let read = |text| parse_duration(text).map(|time| time.as_millis());
    assert_eq!(
        ["500ms", "5s", "5 s", "2m"].map(read),
        [Some(500), Some(5_000), Some(5_000), Some(120_000)]
    );
    let wrong =
        ["", "5", "0s", "s", "-1s", "1.5s", "5h", "99999999999999999999s", "18446744073709551615m"];
    assert_eq!(wrong.map(read), [None; 9]);
}

#[test]
fn times_are_written_in_iso_8601() {
    let at =
        |seconds, millis| iso_8601(Duration::from_secs(seconds) + Duration::from_millis(millis));
    assert_eq!(at(0, 0), "1970-01-01T00:00:00.000Z");
    assert_eq!(at(951_782_399, 999), "2000-02-28T23:59:59.999Z");
    assert_eq!(at(951_782_400, 1), "2000-02-29T00:00:00.001Z");
    assert_eq!(at(1_795_297_063, 473), "2026-11-21T21:37:43.473Z");
    assert_eq!(at(4_107_542_400, 0), "2100-03-01T00:00:00.000Z");
    assert_eq!(utc_now().len(), "2026-11-21T21:37:43.473Z".len());
}

#[test]
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn only_the_thread_that_computes_uses_processor_time() {
    let waiting = ProcessorStopwatch::start();
    let busy = std::thread::spawn(|| {
        let watch = ProcessorStopwatch::start();
        while watch.elapsed() < SHORT {
            std::hint::spin_loop();
        }
    });
    busy.join().expect("no panic");
    assert!(waiting.elapsed() < SHORT);
}
