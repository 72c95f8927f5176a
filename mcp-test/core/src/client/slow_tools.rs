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
#[derive(Debug)]
enum Called {
    /// The first one is being awaited.
    Running(Stopwatch),
    /// One was answered in time.
    Quickly,
    /// One has taken too long.
    Slowly,
}

impl Called {
    fn is_slow(&self) -> bool {
        match self {
            Self::Running(since) => since.elapsed() > SLOW,
            Self::Quickly => false,
            Self::Slowly => true,
        }
    }
}

impl SlowTools {
    /// Notes that a request is awaited, if it is a call of a tool; the function is called with whether it was answered.
    pub(super) fn awaiting(&self, method: &str, params: &Value) -> impl FnOnce(bool) + use<> {
        let name = params.get("name").and_then(Value::as_str).filter(|_| method == "tools/call");
        let name = name.map(str::to_owned);
        let waiting = Stopwatch::start();
        if let Some(name) = &name {
            self.tools().entry(name.clone()).or_insert_with(|| Called::Running(Stopwatch::start()));
        }
        let slow = self.clone();
        move |is_answered| {
            if let Some(name) = name {
                slow.note(name, waiting.elapsed(), is_answered);
            }
        }
    }

    /// Notes the end of a call.
    fn note(&self, name: String, waited: Duration, is_answered: bool) {
        let mut tools = self.tools();
        if waited > if is_answered { SLOW } else { GIVEN_UP } {
            tools.insert(name, Called::Slowly);
        } else if let Some(Called::Running(_)) = tools.get(&name) {
            match is_answered {
                true => tools.insert(name, Called::Quickly),
                false => tools.remove(&name),
            };
        }
        self.ended.notify_waiters();
    }

    /// Whether calls of a tool are slow. If the first call of it is being awaited, that is known at its end, or when it has taken
    /// too long.
    pub(crate) async fn contains_once_known(&self, name: &str) -> bool {
        loop {
            let ended = self.ended.notified();
            let left = match self.tools().get(name) {
                Some(Called::Running(since)) => SLOW.saturating_sub(since.elapsed()),
                called => return called.is_some_and(Called::is_slow),
            };
            if left.is_zero() {
                return true;
            }
            let _either = clock::within(Deadline::after(left), ended).await;
        }
    }

    /// Whether calls of a tool are slow, as far as is known.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.tools().get(name).is_some_and(Called::is_slow)
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

    const LONG: Duration = Duration::from_secs(4);

    fn noted(waited: Duration, is_answered: bool) -> SlowTools {
        let slow = SlowTools::default();
        slow.note("think".to_owned(), waited, is_answered);
        slow
    }

    #[test]
    fn a_tool_is_slow_after_a_slow_reply_or_a_long_wait_in_vain() {
        assert!(noted(LONG, true).contains("think"));
        assert!(!noted(SLOW, true).contains("think"));
        assert!(!noted(LONG, false).contains("think"));
        assert!(noted(GIVEN_UP + LONG, false).contains("think"));
    }

    #[test]
    fn what_is_known_is_shared_and_is_not_forgotten_after_a_quick_call() {
        let slow = noted(LONG, true);
        slow.clone().note("think".to_owned(), Duration::ZERO, true);
        assert!(slow.contains("think"));
        assert!(!slow.contains("act"));
    }

    #[test]
    fn while_the_first_call_is_awaited_others_wait_until_it_is_known_to_be_slow() {
        let is_slow = |ends_after: Duration| {
            virtual_time::block_on(async {
                let slow = SlowTools::default();
                let note_answered = slow.awaiting("tools/call", &json!({"name": "think"}).into());
                let ending = async {
                    clock::quiet(ends_after).await;
                    note_answered(true);
                };
                tokio::join!(slow.contains_once_known("think"), ending).0
            })
        };
        assert!(!is_slow(Duration::from_secs(1)));
        assert!(is_slow(LONG));
    }

    #[test]
    fn only_calls_of_tools_are_noted() {
        let slow = SlowTools::default();
        let params = json!({"name": "think"}).into();
        slow.awaiting("prompts/get", &params)(true);
        assert!(slow.tools().is_empty());
        let note_answered = slow.awaiting("tools/call", &params);
        assert_eq!(slow.tools().len(), 1);
        note_answered(false);
    }
}
