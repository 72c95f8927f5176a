//! Several traces in one: a run has a trace for each scenario, a trace file has one for all of them.

use std::time::Duration;

use super::{ConnectionId, Event, EventKind, Party, Seq, Trace};

/// The prefix of the note that begins a part and holds its name.
const UNDER: &str = "under the name ";

impl Trace {
    /// Appends another trace under a name. Its connections stay apart from those of this one.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::trace::{Recorder, Trace};
    ///
    /// let recorder = Recorder::new();
    /// recorder.open("duplex");
    /// let mut both = Trace::default();
    /// both.append("first", recorder.trace());
    /// both.append("second", recorder.trace());
    /// let names: Vec<_> = both.parts().into_iter().filter_map(|(name, _)| name).collect();
    /// assert_eq!(names, ["first", "second"]);
    /// ```
    pub fn append(&mut self, name: &str, other: Self) {
        let last = self.events.last();
        let (seq, at) = last.map_or((0, Duration::ZERO), |last| (last.seq.0, last.at));
        let connection = self.events.iter().map(|event| event.connection.0).max().unwrap_or(0);
        // Saturating, because a trace that was read from a file may hold any number.
        let connected = |event: &Event| ConnectionId(event.connection.0.saturating_add(connection));
        // Every event is on a connection; the note is on the first one of its part.
        let first = other.events.iter().map(connected).min();
        self.events.push(Event {
            seq: Seq(seq + 1),
            at,
            connection: first.unwrap_or(ConnectionId(connection.saturating_add(1))),
            exchange: None,
            party: Party::Harness,
            deliberate: false,
            kind: EventKind::Note(format!("{UNDER}{name}")),
        });
        // Numbers and times continue those of this trace, since both must rise.
        let moved = other.events.into_iter().map(|event| Event {
            seq: Seq(event.seq.0.saturating_add(seq + 1)),
            at: event.at + at,
            connection: connected(&event),
            ..event
        });
        self.events.extend(moved);
        self.elided += other.elided;
        self.elided_stderr += other.elided_stderr;
    }

    /// The traces that were appended to this one, with their names; this one alone if none were.
    #[must_use]
    pub fn parts(self) -> Vec<(Option<String>, Self)> {
        let mut parts: Vec<(Option<String>, Self)> = Vec::new();
        for event in self.events {
            let name = match &event.kind {
                EventKind::Note(text) if event.party == Party::Harness => text.strip_prefix(UNDER),
                _ => None,
            };
            if let Some(name) = name {
                parts.push((Some(name.to_owned()), Self::default()));
                continue;
            }
            match parts.last_mut() {
                Some((_, part)) => part.events.push(event),
                None => parts.push((None, Self { events: vec![event], ..Self::default() })),
            }
        }
        // Which part they were dropped from is not known; the first one carries the counts, so that they are reported.
        if let Some((_, first)) = parts.first_mut() {
            (first.elided, first.elided_stderr) = (self.elided, self.elided_stderr);
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Recorder, Redactor, file};

    fn ping() -> Trace {
        let recorder = Recorder::new();
        let wire = recorder.open("duplex");
        let text = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        recorder.record(wire, Party::Client, EventKind::message(text.into()));
        recorder.trace()
    }

    #[test]
    fn what_was_put_together_comes_apart_again_also_from_a_file() {
        let mut all = Trace::default();
        all.append("one", ping());
        all.append("two", ping());
        assert!(all.events.is_sorted_by(|a, b| a.seq < b.seq && a.at <= b.at));
        let text = file::write(&all, &Redactor::secrets());
        let parts = file::read(&text).expect("a trace").parts();
        let seen: Vec<_> = parts
            .iter()
            .map(|(name, part)| {
                (name.as_deref(), part.messages().count(), part.events[0].connection.0)
            })
            .collect();
        assert_eq!(seen, [(Some("one"), 1, 1), (Some("two"), 1, 2)]);
    }

    #[test]
    fn a_trace_that_was_not_put_together_is_its_only_part() {
        let parts = ping().parts();
        assert_eq!(parts.len(), 1);
        assert_eq!((&parts[0].0, parts[0].1.events.len()), (&None, 2));
        assert!(Trace::default().parts().is_empty());
    }
}
