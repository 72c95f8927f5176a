//! The log of a mock: events, unmatched messages, and how often each message of a case was exchanged. All of it is bounded.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::event::MockEvent;
use super::message_ref::MessageRef;
use super::unmatched::UnmatchedMessage;
use crate::cases::Cases;

/// How many events are kept.
const MAX_EVENTS: usize = 4096;
/// How many unmatched messages are kept.
const MAX_UNMATCHED: usize = 256;
/// How many bytes the events may hold, and the unmatched messages.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// A function that is called with each event.
pub(super) type Watcher = Arc<dyn Fn(&MockEvent) + Send + Sync>;

#[derive(Default)]
pub(super) struct MockLog {
    watcher: Option<Watcher>,
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    events: Newest<MockEvent>,
    unmatched: Newest<Arc<UnmatchedMessage>>,
    /// How often each message was exchanged, by the id of its case and its key.
    counts: HashMap<String, HashMap<String, u64>>,
}

/// The newest entries, each with the number of bytes that it holds.
#[derive(Debug)]
struct Newest<T> {
    kept: VecDeque<(T, usize)>,
    bytes: usize,
}

impl<T> Newest<T> {
    /// Adds an entry, and drops the oldest where there are too many or they hold too much.
    fn push(&mut self, entry: T, bytes: usize, limit: usize) {
        self.kept.push_back((entry, bytes));
        self.bytes += bytes;
        // The newest entry stays, even if it alone exceeds the limit.
        while (self.kept.len() > limit || self.bytes > MAX_BYTES)
            && self.kept.len() > 1
            && let Some((_, bytes)) = self.kept.pop_front()
        {
            self.bytes -= bytes;
        }
    }

    fn iter(&self) -> impl Iterator<Item = &T> {
        self.kept.iter().map(|(entry, _)| entry)
    }
}

impl<T> Default for Newest<T> {
    fn default() -> Self {
        Self { kept: VecDeque::new(), bytes: 0 }
    }
}

impl MockLog {
    pub(super) fn new(watcher: Option<Watcher>) -> Self {
        Self { watcher, entries: Mutex::default() }
    }

    pub(super) fn record(&self, event: MockEvent) {
        // Called before the lock is taken, because a watcher may call methods of the mock that take it.
        if let Some(watch) = &self.watcher {
            watch(&event);
        }
        let bytes = event.weight();
        let mut entries = self.entries();
        if let MockEvent::Unmatched(unmatched) = &event {
            entries.unmatched.push(Arc::clone(unmatched), bytes, MAX_UNMATCHED);
        }
        entries.events.push(event, bytes, MAX_EVENTS);
    }

    /// Counts that a message of a case was exchanged.
    pub(super) fn count(&self, line: &MessageRef) {
        let (case, key) = (&line.case.id, &line.message().key);
        let mut entries = self.entries();
        // Most messages have been counted before; only the first time, the ids are copied.
        if let Some(count) = entries.counts.get_mut(case).and_then(|keys| keys.get_mut(key)) {
            *count += 1;
            return;
        }
        entries.counts.entry(case.clone()).or_default().insert(key.clone(), 1);
    }

    pub(super) fn times(&self, case: &str, key: &str) -> u64 {
        self.entries().counts.get(case).and_then(|keys| keys.get(key)).copied().unwrap_or(0)
    }

    pub(super) fn is_used(&self, case: &str) -> bool {
        self.entries().counts.contains_key(case)
    }

    pub(super) fn events(&self) -> Vec<MockEvent> {
        self.entries().events.iter().cloned().collect()
    }

    pub(super) fn unmatched(&self) -> Vec<Arc<UnmatchedMessage>> {
        self.entries().unmatched.iter().cloned().collect()
    }

    /// Drops the counts of cases that no longer exist.
    pub(super) fn retain(&self, cases: &Cases) {
        let known: HashSet<&str> = cases.iter().map(|(_, case)| case.id.as_str()).collect();
        self.entries().counts.retain(|case, _| known.contains(case.as_str()));
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for MockLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MockLog").field(&self.entries).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of `count` events are kept if each holds this number of bytes.
    fn kept(count: usize, bytes: usize) -> usize {
        let log = MockLog::default();
        let message = "x".repeat(bytes);
        for _ in 0..count {
            log.record(MockEvent::NotSent {
                client: 0,
                message: message.clone(),
                reason: String::new(),
            });
        }
        log.events().len()
    }

    #[test]
    fn the_oldest_events_are_dropped_when_there_are_too_many_or_they_hold_too_much() {
        assert_eq!(kept(100, 10), 100);
        assert_eq!(kept(MAX_EVENTS + 1, 0), MAX_EVENTS);
        assert_eq!(kept(20, MAX_BYTES / 8), 8);
        assert_eq!(kept(2, MAX_BYTES + 1), 1, "the newest stays");
    }
}
