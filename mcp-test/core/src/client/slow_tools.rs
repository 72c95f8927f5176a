//! [`SlowTools`]: which tools of a server are slow, on all connections of a run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use crate::clock::{self, Deadline, Stopwatch};
use crate::json::Value;

/// A tool is slow if a call of it takes longer than this.
pub(super) const SLOW: Duration = Duration::from_secs(3);

/// A tool that was awaited in vain is slow as well, unless the time for it was shorter than this.
const GIVEN_UP: Duration = Duration::from_secs(5);

/// The tools of a server that are slow, or that have been called for so long that they are; clones share what they know.
///
/// Several scenarios call any tool that they may call. One that takes ten seconds would cost each of them ten seconds.
#[derive(Debug, Clone, Default)]
pub(crate) struct SlowTools {
    called: Arc<Mutex<BTreeMap<String, Called>>>,
    /// That a call has ended.
    ended: Arc<Notify>,
}

/// What is known about the calls of a tool.
#[derive(Debug, Default)]
struct Called {
    /// Whether one has taken too long.
    is_slow: bool,
    /// Those that are being awaited, by their numbers.
    running: BTreeMap<u64, Stopwatch>,
    /// How many there were.
    count: u64,
}

impl Called {
    fn is_slow(&self) -> bool {
        self.is_slow || self.until_known().is_some_and(|left| left.is_zero())
    }

    /// How long it takes at most until it is known whether those that are being awaited are slow; `None` if none is.
    fn until_known(&self) -> Option<Duration> {
        let left = self.running.values().map(|since| SLOW.saturating_sub(since.elapsed()));
        left.min()
    }
}

/// A request that is awaited.
#[must_use]
pub(super) struct AwaitedCall {
    tools: SlowTools,
    /// The tool and the number of the call, if it is one.
    call: Option<(String, u64)>,
    /// The tool is slow if it took longer than this.
    slow: Duration,
}

impl AwaitedCall {
    /// Notes whether it was answered.
    pub(super) fn end(mut self, is_answered: bool) {
        self.slow = if is_answered { SLOW } else { GIVEN_UP };
    }
}

impl Drop for AwaitedCall {
    fn drop(&mut self) {
        if let Some((name, number)) = self.call.take() {
            self.tools.note_end(&name, number, self.slow);
        }
    }
}

impl SlowTools {
    /// Notes that a request is awaited, if it is a call of a tool, until the returned value is dropped.
    pub(super) fn awaiting(&self, method: &str, params: &Value) -> AwaitedCall {
        let name = params.get("name").and_then(Value::as_str).filter(|_| method == "tools/call");
        let call = name.map(|name| {
            let mut tools = self.tools();
            let called = tools.entry(name.to_owned()).or_default();
            called.count += 1;
            called.running.insert(called.count, Stopwatch::start());
            (name.to_owned(), called.count)
        });
        AwaitedCall { tools: self.clone(), call, slow: SLOW }
    }

    /// Notes the end of a call; the tool is slow if it took longer than this.
    fn note_end(&self, name: &str, number: u64, slow: Duration) {
        if let Some(called) = self.tools().get_mut(name)
            && let Some(since) = called.running.remove(&number)
        {
            called.is_slow |= since.elapsed() > slow;
        }
        self.ended.notify_waiters();
    }

    /// Whether calls of a tool are slow. If one of it is being awaited, that is known at its end, or when it has taken too long.
    pub(crate) async fn contains_once_known(&self, name: &str) -> bool {
        loop {
            let ended = self.ended.notified();
            let left = match self.tools().get(name) {
                Some(called) if called.is_slow() => return true,
                called => called.and_then(Called::until_known),
            };
            let Some(left) = left else { return false };
            let _either = clock::within(Deadline::after(left), ended).await;
        }
    }

    /// The tools that are known to be slow.
    pub(crate) fn names(&self) -> Vec<String> {
        let tools = self.tools();
        let slow = tools.iter().filter(|(_, called)| called.is_slow());
        slow.map(|(name, _)| name.clone()).collect()
    }

    fn tools(&self) -> MutexGuard<'_, BTreeMap<String, Called>> {
        self.called.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::clock::virtual_time;

    const SHORT: Duration = Duration::from_secs(1);
    const LONG: Duration = Duration::from_secs(4);

    /// What is known after a call that was awaited for so long.
    fn noted(waited: Duration, is_answered: bool) -> SlowTools {
        let slow = SlowTools::default();
        call(&slow, waited, is_answered);
        slow
    }

    fn call(slow: &SlowTools, waited: Duration, is_answered: bool) {
        virtual_time::block_on(async {
            let awaited = slow.awaiting("tools/call", &json!({"name": "think"}).into());
            clock::quiet(waited).await;
            awaited.end(is_answered);
        });
    }

    fn is_slow(slow: &SlowTools) -> bool {
        slow.names() == ["think"]
    }

    #[test]
    fn a_tool_is_slow_after_a_slow_reply_or_a_long_wait_in_vain() {
        assert!(is_slow(&noted(LONG, true)));
        assert!(!is_slow(&noted(SHORT, true)));
        assert!(!is_slow(&noted(LONG, false)));
        assert!(is_slow(&noted(GIVEN_UP + LONG, false)));
    }

    #[test]
    fn what_is_known_is_shared_and_is_not_forgotten_after_a_quick_call() {
        let slow = noted(LONG, true);
        call(&slow.clone(), Duration::ZERO, true);
        assert!(is_slow(&slow));
    }

    #[test]
    fn while_a_call_is_awaited_others_wait_until_it_is_known_to_be_slow() {
        let is_slow_once_known = |slow: SlowTools, ends_after: Duration| {
            virtual_time::block_on(async {
                let awaited = slow.awaiting("tools/call", &json!({"name": "think"}).into());
                let ending = async {
                    clock::quiet(ends_after).await;
                    awaited.end(true);
                };
                tokio::join!(slow.contains_once_known("think"), ending).0
            })
        };
        assert!(!is_slow_once_known(SlowTools::default(), SHORT));
        assert!(is_slow_once_known(SlowTools::default(), LONG));
        // With other arguments, it may take longer than before.
        assert!(is_slow_once_known(noted(SHORT, true), LONG));
    }

    #[test]
    fn a_call_whose_scenario_was_given_up_is_no_longer_awaited() {
        let is_slow_after = |waited: Duration| {
            virtual_time::block_on(async {
                let slow = SlowTools::default();
                let awaited = slow.awaiting("tools/call", &json!({"name": "think"}).into());
                clock::quiet(waited).await;
                drop(awaited);
                slow.contains_once_known("think").await
            })
        };
        assert!(!is_slow_after(SHORT));
        assert!(is_slow_after(LONG));
    }

    #[test]
    fn only_calls_of_tools_are_noted() {
        let slow = SlowTools::default();
        let params = json!({"name": "think"}).into();
        slow.awaiting("prompts/get", &params).end(true);
        assert!(slow.tools().is_empty());
        slow.awaiting("tools/call", &params).end(false);
        assert_eq!(slow.tools().len(), 1);
    }
}
