//! [`Unanswered`]: the requests of a test that were awaited in vain, in any of its runs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::json::Value;

/// However often a request was awaited in vain, another run awaits it as long as this.
const LEAST: Duration = Duration::from_millis(500);

/// The times of requests, by method and params.
type Times = BTreeMap<String, Duration>;

/// Which requests of a test had no reply in their whole time in a run that failed, and how much time is left for them in its
/// other runs, which share what the first one had; clones share what they know.
///
/// A reply takes nothing of the shared time, so that a server that is slow at one revision has its time at the others.
#[doc(hidden)]
#[derive(Debug, Clone, Default)]
pub struct Unanswered {
    left: Arc<Mutex<Times>>,
    /// What was left before this run.
    before: Arc<Times>,
    /// How long this run has awaited requests in vain.
    waited: Arc<Mutex<Times>>,
}

impl Unanswered {
    /// That of a run which begins now.
    #[must_use]
    pub fn for_run(&self) -> Self {
        let before = Arc::new(lock(&self.left).clone());
        Self { left: Arc::clone(&self.left), before, waited: Arc::default() }
    }

    /// Notes that this run has failed, so that the others need not wait as long to show the same.
    pub fn note_failed(&self) {
        let mut left = lock(&self.left);
        for (key, waited) in std::mem::take(&mut *lock(&self.waited)) {
            // The first one has had its whole time.
            left.entry(key)
                .and_modify(|left| *left = left.saturating_sub(waited))
                .or_insert(waited);
        }
    }

    /// How long a request is awaited whose usual time is `usual`.
    pub(super) fn time_for(&self, method: &str, params: &Value, usual: Duration) -> Duration {
        // Bytes that were sent as they are have no params by which they could be recognized.
        if self.before.is_empty() || params.is_null() {
            return usual;
        }
        let left = self.before.get(&key(method, params)).copied();
        left.map_or(usual, |left| usual.min(LEAST.max(left / 2)))
    }

    pub(super) fn note(&self, method: &str, params: &Value, waited: Duration) {
        lock(&self.waited).insert(key(method, params), waited);
    }
}

fn lock(times: &Mutex<Times>) -> MutexGuard<'_, Times> {
    times.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What two runs request has another revision in `initialize` only.
fn key(method: &str, params: &Value) -> String {
    match method {
        "initialize" => method.to_owned(),
        _ => format!("{method} {params}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const USUAL: Duration = Duration::from_secs(10);

    fn call_of(name: &str) -> Value {
        json!({"name": name}).into()
    }

    #[test]
    fn further_runs_share_the_time_of_the_first() {
        let (unanswered, boom) = (Unanswered::default(), call_of("boom"));
        let mut whole = Duration::ZERO;
        for _ in 0..10 {
            let run = unanswered.for_run();
            let time = run.time_for("tools/call", &boom, USUAL);
            run.note("tools/call", &boom, time);
            assert_eq!(run.time_for("tools/call", &boom, USUAL), time, "the same in one run");
            run.note_failed();
            whole += time;
        }
        assert!(whole < USUAL * 3, "{whole:?}");
        let run = unanswered.for_run();
        assert_eq!(run.time_for("tools/call", &boom, USUAL), LEAST);
        assert_eq!(run.time_for("tools/call", &boom, LEAST / 2), LEAST / 2);
        assert_eq!(run.time_for("tools/call", &call_of("add"), USUAL), USUAL);
    }

    #[test]
    fn a_run_that_passed_takes_no_time_from_the_others() {
        let (unanswered, boom) = (Unanswered::default(), call_of("boom"));
        unanswered.for_run().note("tools/call", &boom, USUAL);
        assert_eq!(unanswered.for_run().time_for("tools/call", &boom, USUAL), USUAL);
    }
}
