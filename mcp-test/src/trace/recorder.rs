//! Recording: everyone writes, in the order in which things happen, within bounded memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Connection, Event, Party, Seq, Trace, What};
use crate::clock::Stopwatch;

/// How many bytes of payload a trace may keep before the oldest big ones are dropped.
const PAYLOAD_BYTES: usize = 128 * 1024 * 1024;
/// What counts as a big payload.
const BIG: usize = 4 * 1024;
/// How many events a trace may keep before the oldest are dropped.
const EVENTS: usize = 200_000;
/// How many of the first events are kept: what comes later hangs on how the conversation began.
const FIRST: usize = 1000;
/// How many of the last lines on standard error are not the first to be dropped.
const STDERR: usize = 1000;

/// Writes down what happens; clones write into the same trace.
///
/// Memory is bounded: beyond its limits the oldest lines of stderr give way first, for no verdict hangs on them, then
/// the oldest big payloads, to [`What::Elided`] events, then the oldest events of all kinds but for the first ones, with
/// which the conversation began. [`Trace::elided`] counts what is gone.
///
/// ```
/// use mcp_test::trace::{Party, Reading, Recorder};
///
/// let recorder = Recorder::new();
/// let wire = recorder.open("duplex");
/// let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
/// recorder.record(wire, Party::Client, Reading::message(ping.into()));
/// assert_eq!(recorder.trace().messages().count(), 1);
/// ```
#[derive(Debug, Clone)]
pub struct Recorder {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    started: Stopwatch,
    tape: Mutex<Tape>,
    limits: Limits,
}

#[derive(Debug, Clone, Copy)]
struct Limits {
    payload_bytes: usize,
    events: usize,
    first: usize,
    stderr: usize,
}

#[derive(Debug, Default)]
struct Tape {
    events: std::collections::VecDeque<Event>,
    next: u64,
    connections: u32,
    weight: usize,
    /// Events before this place were looked at for big payloads.
    thinned: usize,
    /// How many lines of stderr are among the events.
    stderr: usize,
    elided: u64,
    elided_stderr: u64,
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
        let (started, tape) = (Stopwatch::start(), Mutex::default());
        Self { shared: Arc::new(Shared { started, tape, limits }) }
    }

    fn lock(&self) -> MutexGuard<'_, Tape> {
        self.shared.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a connection, and records that; the carrier is named with its address, where it has one.
    pub fn open(&self, carrier: &str) -> Connection {
        let connection = {
            let mut tape = self.lock();
            tape.connections += 1;
            Connection(tape.connections)
        };
        let carrier = carrier.to_owned();
        self.record(connection, Party::Harness, What::Opened { carrier });
        connection
    }

    /// Records something outside any HTTP exchange.
    pub fn record(&self, connection: Connection, party: Party, what: What) -> Seq {
        self.record_in(connection, None, party, what)
    }

    /// Records something, in an HTTP exchange if there is one.
    pub fn record_in(
        &self,
        connection: Connection,
        exchange: Option<u64>,
        party: Party,
        what: What,
    ) -> Seq {
        let mut tape = self.lock();
        // Read under the lock, so that times rise with the sequence.
        let at = self.shared.started.elapsed();
        tape.next += 1;
        let seq = Seq(tape.next);
        tape.weight += what.weight();
        tape.stderr += usize::from(is_stderr(&what));
        tape.events.push_back(Event {
            seq,
            at,
            connection,
            exchange,
            party,
            deliberate: false,
            what,
        });
        tape.keep_within(self.shared.limits);
        seq
    }

    /// Notes that an event is as it is on purpose; see [`Event::deliberate`].
    pub fn mark_deliberate(&self, seq: Seq) {
        let mut tape = self.lock();
        if let Ok(index) = tape.events.binary_search_by_key(&seq, |event| event.seq) {
            tape.events[index].deliberate = true;
        }
    }

    /// What was recorded so far.
    pub fn trace(&self) -> Trace {
        let tape = self.lock();
        Trace {
            events: tape.events.iter().cloned().collect(),
            elided: tape.elided,
            elided_stderr: tape.elided_stderr,
        }
    }

    /// The status of the latest response in an HTTP exchange, as far as it is kept.
    pub fn response_status(&self, connection: Connection, exchange: u64) -> Option<u16> {
        let tape = self.lock();
        let of_it =
            |event: &&Event| event.connection == connection && event.exchange == Some(exchange);
        tape.events.iter().rev().filter(of_it).find_map(|event| match event.what {
            What::HttpResponse { status, .. } => Some(status),
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

impl Tape {
    fn keep_within(&mut self, limits: Limits) {
        if self.stderr > limits.stderr && self.exceeds(limits) {
            self.drop_stderr(limits);
        }
        while self.weight > limits.payload_bytes && self.thinned < self.events.len() {
            let what = &mut self.events[self.thinned].what;
            let weight = what.weight();
            if weight > BIG {
                *what = elided(what);
                self.weight -= weight;
            }
            self.thinned += 1;
        }
        while self.exceeds(limits) && !self.events.is_empty() {
            self.drop_oldest(limits);
        }
    }

    /// Drops the oldest events but for the first ones: many at once, since it moves the first ones.
    fn drop_oldest(&mut self, limits: Limits) {
        let first = if self.events.len() > limits.first { limits.first } else { 0 };
        let end = self.events.len().min(first + (limits.events / 64).max(1));
        for event in self.events.drain(first..end) {
            self.weight -= event.what.weight();
            self.stderr -= usize::from(is_stderr(&event.what));
            self.elided += 1;
        }
        self.thinned -= self.thinned.min(end).saturating_sub(first);
    }

    fn exceeds(&self, limits: Limits) -> bool {
        self.weight > limits.payload_bytes || self.events.len() > limits.events
    }

    /// Drops the oldest lines of stderr: many at once, since it takes a walk over all events.
    fn drop_stderr(&mut self, limits: Limits) {
        let room = |limit: usize| limit - limit / 16;
        let mut kept = self.events.len();
        let (mut index, mut thinned) = (0, self.thinned);
        let Self { events, weight, stderr, elided_stderr, .. } = self;
        events.retain(|event| {
            let was_thinned = index < self.thinned;
            index += 1;
            let enough = *weight <= room(limits.payload_bytes) && kept <= room(limits.events);
            if enough || *stderr <= limits.stderr / 2 || !is_stderr(&event.what) {
                return true;
            }
            *weight -= event.what.weight();
            *stderr -= 1;
            *elided_stderr += 1;
            kept -= 1;
            thinned -= usize::from(was_thinned);
            false
        });
        self.thinned = thinned;
    }
}

fn is_stderr(what: &What) -> bool {
    matches!(what, What::Stderr(_))
}

fn elided(what: &What) -> What {
    let was = match what {
        What::Message { reading, .. } => match reading.messages().next() {
            Some(message) => {
                message.method().map_or_else(|| message.kind().to_owned(), ToOwned::to_owned)
            }
            None => "a malformed message".to_owned(),
        },
        What::Noise { why, .. } => format!("noise ({why})"),
        What::HttpRequest { method, .. } => format!("the head of a {method} request"),
        What::HttpResponse { status, .. } => format!("the head of a {status} response"),
        _ => "text".to_owned(),
    };
    let bytes = match what {
        What::Message { text, .. } => text.len(),
        other => other.weight(),
    };
    What::Elided { was, bytes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Reading;

    fn small(payload_bytes: usize, events: usize) -> (Recorder, Connection) {
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
                        recorder.record(connection, Party::Harness, What::Note(String::new()));
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
        let (recorder, connection) = small(60_000, 1000);
        let big =
            format!(r#"{{"jsonrpc":"2.0","method":"big","params":["{}"]}}"#, "x".repeat(10_000));
        for _ in 0..3 {
            recorder.record(connection, Party::Client, Reading::message(big.clone().into()));
        }
        let trace = recorder.trace();
        assert_eq!(trace.events.len(), 4);
        let What::Elided { was, bytes } = &trace.events[1].what else {
            panic!("expected a mark, got {:?}", trace.events[1].what);
        };
        assert_eq!((was.as_str(), *bytes), ("big", big.len()));
        assert_eq!(trace.messages().count(), 1, "the last payload within the limit is kept");
    }

    #[test]
    fn the_oldest_events_give_way_and_are_counted() {
        let (recorder, connection) = small(1000, 5);
        for number in 0..7 {
            recorder.record(connection, Party::Harness, What::Note(format!("note {number}")));
        }
        let trace = recorder.trace();
        assert_eq!((trace.events.len(), trace.elided, trace.elided_stderr), (5, 3, 0));
        let (recorder, connection) = small(100, 1000);
        for _ in 0..7 {
            recorder.record(connection, Party::Harness, What::Note("x".repeat(30)));
        }
        assert_eq!(recorder.trace().events.len(), 3);
    }

    #[test]
    fn how_the_conversation_began_is_kept() {
        let limits = Limits { payload_bytes: 100_000, events: 640, first: 3, stderr: 2 };
        let recorder = Recorder::with_limits(limits);
        let connection = recorder.open("duplex");
        for number in 0..10_000 {
            recorder.record(connection, Party::Harness, What::Note(format!("note {number}")));
        }
        let trace = recorder.trace();
        assert_eq!(trace.events.len() as u64 + trace.elided, 10_001);
        assert!(trace.events.len() <= 640, "{}", trace.events.len());
        let texts = trace.events.iter().filter_map(|event| match &event.what {
            What::Note(text) => Some(text.as_str()),
            _ => None,
        });
        let texts: Vec<&str> = texts.collect();
        assert_eq!((texts[0], texts[1], texts.last()), ("note 0", "note 1", Some(&"note 9999")));
        assert!(trace.events.is_sorted_by(|a, b| a.seq < b.seq));
    }

    #[test]
    fn what_is_thinned_is_known_after_events_before_it_went() {
        let limits = Limits { payload_bytes: 60_000, events: 64, first: 3, stderr: 2 };
        let recorder = Recorder::with_limits(limits);
        let connection = recorder.open("duplex");
        let big = format!(r#"{{"jsonrpc":"2.0","method":"{}"}}"#, "x".repeat(5000));
        for _ in 0..200 {
            recorder.record(connection, Party::Client, Reading::message(big.clone().into()));
        }
        let trace = recorder.trace();
        assert_eq!(trace.events.len(), 64);
        assert_eq!(trace.messages().count(), 3, "as many as there is room for, and the last ones");
        assert!(matches!(trace.events[63].what, What::Message { .. }));
    }

    #[test]
    fn lines_of_stderr_give_way_first_all_but_the_last() {
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        for (payload_bytes, events) in [(10_000, 40), (2200, 10_000)] {
            let (recorder, connection) = small(payload_bytes, events);
            recorder.record(connection, Party::Client, Reading::message(ping.into()));
            for number in 0..500 {
                recorder.record(connection, Party::Server, What::Stderr(format!("line {number}")));
            }
            let trace = recorder.trace();
            assert_eq!((trace.messages().count(), trace.elided), (1, 0));
            assert_eq!(trace.events.len() as u64 + trace.elided_stderr, 502);
            assert!(trace.events.len() <= events, "{}", trace.events.len());
            assert_eq!(trace.stderr_tail(1), ["line 499"]);
            assert!(matches!(trace.events[0].what, What::Opened { .. }));
        }
        // What is thinned is known by its place, which changes when lines before it go.
        let (recorder, connection) = small(60_000, 1000);
        let big =
            format!(r#"{{"jsonrpc":"2.0","method":"big","params":["{}"]}}"#, "x".repeat(5000));
        for _ in 0..20 {
            recorder.record(connection, Party::Server, What::Stderr("x".repeat(2000)));
            recorder.record(connection, Party::Client, Reading::message(big.clone().into()));
        }
        let trace = recorder.trace();
        let marks = trace.events.iter().filter(|event| matches!(event.what, What::Elided { .. }));
        assert_eq!((marks.count() + trace.messages().count(), trace.elided), (20, 0));
        assert!(trace.messages().count() >= 2);
    }
}
