//! The recorder: all actors write to it, in the order in which things happen, within bounded memory.

mod reuse;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub(crate) use reuse::{Beginning, Returned};

use super::{ConnectionId, Event, EventKind, Party, Seq, Trace};
use crate::clock::Stopwatch;
use crate::wire::Id;

/// How many bytes of payload a trace may keep before the oldest big ones are dropped.
const PAYLOAD_BYTES: usize = 48 * 1024 * 1024;
/// What counts as a big payload.
const BIG: usize = 4 * 1024;
/// How many bytes a method may have that is named after its message or request was dropped.
const LONGEST_METHOD: usize = 200;
/// How many events a trace may keep before the oldest are dropped.
const EVENTS: usize = 200_000;
/// How many of the first events are kept: later messages depend on how the conversation began.
const FIRST: usize = 1000;
/// How many of the last lines on standard error are not the first to be dropped.
const STDERR: usize = 1000;

/// Records what happens; clones write to the same trace.
///
/// Memory is bounded: beyond its limits the oldest lines of stderr are dropped first, since no verdict depends on them, then
/// the oldest big payloads, to [`EventKind::Elided`] events, then the oldest events of all kinds but for the first ones, with
/// which the conversation began. [`Trace::elided`] counts what is gone.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::trace::{Party, EventKind, Recorder};
///
/// let recorder = Recorder::new();
/// let wire = recorder.open("duplex");
/// let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
/// recorder.record(wire, Party::Client, EventKind::message(ping.into()));
/// assert_eq!(recorder.trace().messages().count(), 1);
/// ```
#[derive(Debug, Clone)]
pub struct Recorder {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    started: Stopwatch,
    log: Mutex<EventLog>,
    limits: Limits,
}

#[derive(Debug, Clone, Copy)]
struct Limits {
    payload_bytes: usize,
    events: usize,
    first: usize,
    stderr: usize,
}

#[derive(Debug, Clone, Default)]
struct EventLog {
    events: std::collections::VecDeque<Event>,
    /// The requests that no trace shows, nor what answers them.
    hidden: Vec<(ConnectionId, Id)>,
    next: u64,
    connections: u32,
    weight: usize,
    /// Events before this place were looked at for big payloads.
    thinned: usize,
    /// How many lines of stderr are among the events.
    stderr: usize,
    elided: u64,
    elided_stderr: u64,
    /// For how long the connection was idle between two conversations, which no trace shows.
    skipped: Duration,
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

impl Recorder {
    /// A recorder with an empty trace, whose time starts now.
    pub fn new() -> Self {
        Self::with_limits(Limits {
            payload_bytes: PAYLOAD_BYTES,
            events: EVENTS,
            first: FIRST,
            stderr: STDERR,
        })
    }

    fn with_limits(limits: Limits) -> Self {
        let (started, log) = (Stopwatch::start(), Mutex::default());
        Self { shared: Arc::new(Shared { started, log, limits }) }
    }

    fn lock(&self) -> MutexGuard<'_, EventLog> {
        self.shared.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a connection, and records that; the transport is named with its address, where it has one.
    pub fn open(&self, transport: &str) -> ConnectionId {
        // The lock is released before `record` takes it again.
        let connection = {
            let mut log = self.lock();
            log.connections += 1;
            ConnectionId(log.connections)
        };
        let transport = transport.to_owned();
        self.record(connection, Party::Harness, EventKind::Opened { transport });
        connection
    }

    /// Records something outside any HTTP exchange.
    pub fn record(&self, connection: ConnectionId, party: Party, kind: EventKind) -> Seq {
        self.record_in(connection, None, party, kind)
    }

    /// Records something, in an HTTP exchange if there is one.
    pub fn record_in(
        &self,
        connection: ConnectionId,
        exchange: Option<u64>,
        party: Party,
        kind: EventKind,
    ) -> Seq {
        let mut log = self.lock();
        // Read under the lock, so that times rise with the sequence.
        let at = self.shared.started.elapsed().saturating_sub(log.skipped);
        log.next += 1;
        let seq = Seq(log.next);
        let event = Event { seq, at, connection, exchange, party, deliberate: false, kind };
        if log.is_hidden(&event) {
            return seq;
        }
        log.weight += event.kind.weight();
        log.stderr += usize::from(is_stderr(&event.kind));
        log.events.push_back(event);
        log.keep_within(self.shared.limits);
        seq
    }

    /// Notes that an event is as it is on purpose; see [`Event::deliberate`].
    pub fn mark_deliberate(&self, seq: Seq) {
        let mut log = self.lock();
        // An event that was dropped in the meantime needs no mark.
        if let Ok(index) = log.events.binary_search_by_key(&seq, |event| event.seq) {
            log.events[index].deliberate = true;
        }
    }

    /// What was recorded so far.
    pub fn trace(&self) -> Trace {
        self.lock().trace()
    }

    /// The status of the latest response in an HTTP exchange, as far as it is kept.
    pub fn response_status(&self, connection: ConnectionId, exchange: u64) -> Option<u16> {
        let log = self.lock();
        let of_it =
            |event: &&Event| event.connection == connection && event.exchange == Some(exchange);
        log.events.iter().rev().filter(of_it).find_map(|event| match event.kind {
            EventKind::HttpResponse { status, .. } => Some(status),
            _ => None,
        })
    }

    /// How many events were recorded so far, kept or not.
    pub fn len(&self) -> usize {
        usize::try_from(self.lock().next).unwrap_or(usize::MAX)
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl EventLog {
    fn trace(&self) -> Trace {
        Trace {
            // Payloads are reference-counted, so this copies none of them.
            events: self.events.iter().cloned().collect(),
            elided: self.elided,
            elided_stderr: self.elided_stderr,
        }
    }

    fn keep_within(&mut self, limits: Limits) {
        // Stderr goes first: no verdict depends on it.
        if self.stderr > limits.stderr && self.exceeds(limits) {
            self.drop_stderr(limits);
        }
        while self.weight > limits.payload_bytes && self.thinned < self.events.len() {
            // From the oldest on, each event once: what was looked at stays as small as it is.
            let what = &mut self.events[self.thinned].kind;
            let weight = what.weight();
            if weight > BIG {
                *what = elided(what);
                self.weight = self.weight - weight + what.weight();
            }
            self.thinned += 1;
        }
        while self.exceeds(limits) && !self.events.is_empty() {
            self.drop_oldest(limits);
        }
    }

    /// Drops the oldest events but for the first ones: many at once, since it moves the first ones.
    fn drop_oldest(&mut self, limits: Limits) {
        // If the first events alone exceed the limits, they are dropped as well.
        let first = if self.events.len() > limits.first { limits.first } else { 0 };
        let end = self.events.len().min(first + (limits.events / 64).max(1));
        for event in self.events.drain(first..end) {
            self.weight -= event.kind.weight();
            self.stderr -= usize::from(is_stderr(&event.kind));
            self.elided += 1;
        }
        // `thinned` is an index, which shifts by the dropped events that lay before it.
        self.thinned -= self.thinned.min(end).saturating_sub(first);
    }

    fn exceeds(&self, limits: Limits) -> bool {
        self.weight > limits.payload_bytes || self.events.len() > limits.events
    }

    /// Drops the oldest lines of stderr: many at once, since it takes a walk over all events.
    fn drop_stderr(&mut self, limits: Limits) {
        // To well below the limits, so that the next events do not each cost another walk.
        let room = |limit: usize| limit - limit / 16;
        let mut kept = self.events.len();
        let (mut index, mut thinned) = (0, self.thinned);
        let Self { events, weight, stderr, elided_stderr, .. } = self;
        events.retain(|event| {
            let was_thinned = index < self.thinned;
            index += 1;
            let enough = *weight <= room(limits.payload_bytes) && kept <= room(limits.events);
            if enough || *stderr <= limits.stderr / 2 || !is_stderr(&event.kind) {
                return true;
            }
            *weight -= event.kind.weight();
            *stderr -= 1;
            *elided_stderr += 1;
            kept -= 1;
            // `thinned` is an index, which shifts with every event dropped before it.
            thinned -= usize::from(was_thinned);
            false
        });
        self.thinned = thinned;
    }
}

fn is_stderr(what: &EventKind) -> bool {
    matches!(what, EventKind::Stderr(_))
}

fn elided(what: &EventKind) -> EventKind {
    let was = match what {
        EventKind::Message { parsed, .. } => match parsed.messages().next() {
            Some(message) => {
                let method = message.method().filter(|method| method.len() <= LONGEST_METHOD);
                method.unwrap_or_else(|| message.kind()).to_owned()
            }
            None => "a malformed message".to_owned(),
        },
        EventKind::Unparsable { why, .. } => format!("noise ({why})"),
        EventKind::HttpRequest { method, .. } if method.len() <= LONGEST_METHOD => {
            format!("the head of a {method} request")
        }
        EventKind::HttpRequest { .. } => "the head of a request".to_owned(),
        EventKind::HttpResponse { status, .. } => format!("the head of a {status} response"),
        _ => "text".to_owned(),
    };
    let bytes = match what {
        // The length on the wire, not the memory that was freed.
        EventKind::Message { text, .. } => text.len(),
        other => other.weight(),
    };
    EventKind::Elided { was, bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(payload_bytes: usize, events: usize) -> (Recorder, ConnectionId) {
        let recorder = Recorder::with_limits(Limits { payload_bytes, events, first: 0, stderr: 2 });
        let connection = recorder.open("duplex");
        (recorder, connection)
    }

    #[test]
    fn clones_write_into_one_trace_in_order() {
        let (recorder, connection) = small(1000, 1000);
        let writers: Vec<_> = (0..4)
            .map(|_| {
                let recorder = recorder.clone();
                std::thread::spawn(move || {
                    for _ in 0..50 {
                        recorder.record(connection, Party::Harness, EventKind::Note(String::new()));
                    }
                })
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().expect("no panic"));
        let trace = recorder.trace();
        assert_eq!(recorder.len(), 201);
        assert!(trace.events.is_sorted_by(|a, b| a.seq < b.seq && a.at <= b.at));
        assert_ne!(recorder.open("second"), connection);
    }

    #[test]
    fn the_oldest_big_payload_gives_way_and_leaves_a_mark() {
        let (recorder, connection) = small(40_000, 1000);
        let big =
            format!(r#"{{"jsonrpc":"2.0","method":"big","params":["{}"]}}"#, "x".repeat(10_000));
        for _ in 0..3 {
            recorder.record(connection, Party::Client, EventKind::message(big.clone().into()));
        }
        let trace = recorder.trace();
        assert_eq!(trace.events.len(), 4);
        let EventKind::Elided { was, bytes } = &trace.events[1].kind else {
            panic!("expected a mark, got {:?}", trace.events[1].kind);
        };
        assert_eq!((was.as_str(), *bytes), ("big", big.len()));
        assert_eq!(trace.messages().count(), 1, "the last payload within the limit is kept");
    }

    #[test]
    fn what_is_left_of_a_dropped_message_is_small() {
        let (recorder, connection) = small(40_000, 1000);
        let method = "x".repeat(15_000);
        let big = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
        for _ in 0..9 {
            recorder.record(connection, Party::Client, EventKind::message(big.clone().into()));
        }
        let trace = recorder.trace();
        let dropped = trace.events.iter().filter_map(|event| match &event.kind {
            EventKind::Elided { was, .. } => Some(was.as_str()),
            _ => None,
        });
        assert_eq!(dropped.collect::<Vec<_>>(), ["a request"; 8]);
    }

    #[test]
    fn the_oldest_events_give_way_and_are_counted() {
        let (recorder, connection) = small(1000, 5);
        for number in 0..7 {
            recorder.record(connection, Party::Harness, EventKind::Note(format!("note {number}")));
        }
        let trace = recorder.trace();
        assert_eq!((trace.events.len(), trace.elided, trace.elided_stderr), (5, 3, 0));
        let (recorder, connection) = small(100, 1000);
        for _ in 0..7 {
            recorder.record(connection, Party::Harness, EventKind::Note("x".repeat(30)));
        }
        assert_eq!(recorder.trace().events.len(), 3);
    }

    #[test]
    fn how_the_conversation_began_is_kept() {
        let limits = Limits { payload_bytes: 100_000, events: 640, first: 3, stderr: 2 };
        let recorder = Recorder::with_limits(limits);
        let connection = recorder.open("duplex");
        for number in 0..10_000 {
            recorder.record(connection, Party::Harness, EventKind::Note(format!("note {number}")));
        }
        let trace = recorder.trace();
        assert_eq!(trace.events.len() as u64 + trace.elided, 10_001);
        assert!(trace.events.len() <= 640, "{}", trace.events.len());
        let texts = trace.events.iter().filter_map(|event| match &event.kind {
            EventKind::Note(text) => Some(text.as_str()),
            _ => None,
        });
        let texts: Vec<&str> = texts.collect();
        assert_eq!((texts[0], texts[1], texts.last()), ("note 0", "note 1", Some(&"note 9999")));
        assert!(trace.events.is_sorted_by(|a, b| a.seq < b.seq));
    }

    #[test]
    fn what_is_thinned_is_known_after_events_before_it_went() {
        let limits = Limits { payload_bytes: 40_000, events: 64, first: 3, stderr: 2 };
        let recorder = Recorder::with_limits(limits);
        let connection = recorder.open("duplex");
        let big = format!(r#"{{"jsonrpc":"2.0","method":"{}"}}"#, "x".repeat(5000));
        for _ in 0..200 {
            recorder.record(connection, Party::Client, EventKind::message(big.clone().into()));
        }
        let trace = recorder.trace();
        assert_eq!(trace.events.len(), 64);
        assert_eq!(trace.messages().count(), 3, "as many as there is room for, and the last ones");
        assert!(matches!(trace.events[63].kind, EventKind::Message { .. }));
    }

    #[test]
    fn lines_of_stderr_give_way_first_all_but_the_last() {
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        for (payload_bytes, events) in [(10_000, 40), (2200, 10_000)] {
            let (recorder, connection) = small(payload_bytes, events);
            recorder.record(connection, Party::Client, EventKind::message(ping.into()));
            for number in 0..500 {
                recorder.record(
                    connection,
                    Party::Server,
                    EventKind::Stderr(format!("line {number}")),
                );
            }
            let trace = recorder.trace();
            assert_eq!((trace.messages().count(), trace.elided), (1, 0));
            assert_eq!(trace.events.len() as u64 + trace.elided_stderr, 502);
            assert!(trace.events.len() <= events, "{}", trace.events.len());
            assert_eq!(trace.stderr_tail(1), ["line 499"]);
            assert!(matches!(trace.events[0].kind, EventKind::Opened { .. }));
        }
        // What is thinned is known by its place, which changes when lines before it go.
        let (recorder, connection) = small(60_000, 1000);
        let big =
            format!(r#"{{"jsonrpc":"2.0","method":"big","params":["{}"]}}"#, "x".repeat(5000));
        for _ in 0..20 {
            recorder.record(connection, Party::Server, EventKind::Stderr("x".repeat(2000)));
            recorder.record(connection, Party::Client, EventKind::message(big.clone().into()));
        }
        let trace = recorder.trace();
        let marks =
            trace.events.iter().filter(|event| matches!(event.kind, EventKind::Elided { .. }));
        assert_eq!((marks.count() + trace.messages().count(), trace.elided), (20, 0));
        assert!(trace.messages().count() >= 2);
    }
}
