//! The log of a mock: what happened, what was said of which case, what no case has. All of it is bounded.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::event::Event;
use super::line::Line;
use super::miss::Miss;
use crate::cases::Cases;

/// How many events are kept; one more drops the oldest.
const EVENTS: usize = 4096;
/// How many misses are kept.
const MISSES: usize = 256;
/// How many bytes of JSON the misses may have in all.
const MISSED_BYTES: usize = 16 * 1024 * 1024;

#[derive(Debug, Default)]
pub(super) struct Log(Mutex<Pages>);

#[derive(Debug, Default)]
struct Pages {
    events: VecDeque<Event>,
    misses: VecDeque<(Arc<Miss>, usize)>,
    missed_bytes: usize,
    /// How often each message was said, by the case and the key.
    said: HashMap<String, HashMap<String, u64>>,
}

impl Log {
    pub(super) fn note(&self, event: Event) {
        let mut pages = self.pages();
        if let Event::Missed(miss) = &event {
            let bytes = miss.message().to_string().len();
            pages.missed_bytes += bytes;
            pages.misses.push_back((Arc::clone(miss), bytes));
            while (pages.misses.len() > MISSES || pages.missed_bytes > MISSED_BYTES)
                && let Some((_, bytes)) = pages.misses.pop_front()
            {
                pages.missed_bytes -= bytes;
            }
        }
        if pages.events.len() >= EVENTS {
            pages.events.pop_front();
        }
        pages.events.push_back(event);
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
        self.pages().misses.iter().map(|(miss, _)| Arc::clone(miss)).collect()
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
