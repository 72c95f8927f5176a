//! The log of a mock: what happened, what was said of which case, what no case has. All of it is bounded.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::event::Event;
use super::line::Line;
use super::miss::Miss;
use crate::cases::Cases;

/// How many events are kept.
const EVENTS: usize = 4096;
/// How many misses are kept.
const MISSES: usize = 256;
/// How many bytes the events may hold, and the misses.
const BYTES: usize = 16 * 1024 * 1024;

#[derive(Debug, Default)]
pub(super) struct Log(Mutex<Pages>);

#[derive(Debug, Default)]
struct Pages {
    events: Newest<Event>,
    misses: Newest<Arc<Miss>>,
    /// How often each message was said, by the case and the key.
    said: HashMap<String, HashMap<String, u64>>,
}

/// The newest of many, each with how many bytes it holds.
#[derive(Debug)]
struct Newest<T> {
    kept: VecDeque<(T, usize)>,
    bytes: usize,
}

impl<T> Newest<T> {
    /// Adds one, and forgets the oldest when there are too many or they hold too much.
    fn push(&mut self, one: T, bytes: usize, most: usize) {
        self.kept.push_back((one, bytes));
        self.bytes += bytes;
        while (self.kept.len() > most || self.bytes > BYTES)
            && self.kept.len() > 1
            && let Some((_, bytes)) = self.kept.pop_front()
        {
            self.bytes -= bytes;
        }
    }

    fn iter(&self) -> impl Iterator<Item = &T> {
        self.kept.iter().map(|(one, _)| one)
    }
}

impl<T> Default for Newest<T> {
    fn default() -> Self {
        Self { kept: VecDeque::new(), bytes: 0 }
    }
}

impl Log {
    pub(super) fn note(&self, event: Event) {
        let bytes = event.weight();
        let mut pages = self.pages();
        if let Event::Missed(miss) = &event {
            pages.misses.push(Arc::clone(miss), bytes, MISSES);
        }
        pages.events.push(event, bytes, EVENTS);
    }

    /// Counts that a message was said.
    pub(super) fn count(&self, line: &Line) {
        let (case, key) = (&line.case.id, &line.message().key);
        let mut pages = self.pages();
        if let Some(count) = pages.said.get_mut(case).and_then(|keys| keys.get_mut(key)) {
            *count += 1;
            return;
        }
        pages.said.entry(case.clone()).or_default().insert(key.clone(), 1);
    }

    pub(super) fn times(&self, case: &str, key: &str) -> u64 {
        self.pages().said.get(case).and_then(|keys| keys.get(key)).copied().unwrap_or(0)
    }

    pub(super) fn is_used(&self, case: &str) -> bool {
        self.pages().said.contains_key(case)
    }

    pub(super) fn events(&self) -> Vec<Event> {
        self.pages().events.iter().cloned().collect()
    }

    pub(super) fn misses(&self) -> Vec<Arc<Miss>> {
        self.pages().misses.iter().cloned().collect()
    }

    /// Forgets what was said of cases that are no more.
    pub(super) fn keep_only(&self, cases: &Cases) {
        let known: HashSet<&str> = cases.iter().map(|(_, case)| case.id.as_str()).collect();
        self.pages().said.retain(|case, _| known.contains(case.as_str()));
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many events are left of so many, each of which holds so many bytes.
    fn left(count: usize, bytes: usize) -> usize {
        let log = Log::default();
        let what = "x".repeat(bytes);
        for _ in 0..count {
            log.note(Event::Unsaid { client: 0, what: what.clone(), why: String::new() });
        }
        log.events().len()
    }

    #[test]
    fn the_oldest_events_are_forgotten_when_there_are_too_many_or_they_hold_too_much() {
        assert_eq!(left(100, 10), 100);
        assert_eq!(left(EVENTS + 1, 0), EVENTS);
        assert_eq!(left(20, BYTES / 8), 8);
        assert_eq!(left(2, BYTES + 1), 1, "the newest stays");
    }
}
