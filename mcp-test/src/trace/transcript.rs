//! A trace: what was recorded up to some moment, and the questions that can be asked of it.

use super::{Event, Party, Seq, What};
use crate::wire::Message;

/// What was recorded, in order.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// The events.
    pub events: Vec<Event>,
    /// How many older events, lines of stderr aside, were dropped to bound the memory of a long trace.
    pub elided: u64,
    /// How many lines of stderr were dropped for the same reason.
    pub elided_stderr: u64,
}

impl Trace {
    /// The well-formed messages, each with the event that it is (part) of.
    pub fn messages(&self) -> impl Iterator<Item = (&Event, &Message)> {
        self.events.iter().flat_map(|event| {
            let reading = match &event.what {
                What::Message { reading, .. } => Some(reading),
                _ => None,
            };
            reading
                .into_iter()
                .flat_map(move |reading| reading.messages().map(move |message| (event, message)))
        })
    }

    /// Whether this party said at least one well-formed message.
    pub fn has_said(&self, party: Party) -> bool {
        let dropped =
            |event: &Event| matches!(event.what, What::Elided { .. }) && event.party == party;
        self.messages().any(|(event, _)| event.party == party) || self.events.iter().any(dropped)
    }

    /// Whether both client and server said at least one well-formed message.
    pub fn exchanged(&self) -> bool {
        self.has_said(Party::Client) && self.has_said(Party::Server)
    }

    /// The last lines of stderr, at most so many.
    pub fn stderr_tail(&self, count: usize) -> Vec<String> {
        let lines = self.events.iter().rev().filter_map(|event| match &event.what {
            What::Stderr(line) => Some(line.clone()),
            _ => None,
        });
        let mut tail: Vec<_> = lines.take(count).collect();
        tail.reverse();
        tail
    }

    /// About how much memory it takes, in bytes.
    #[cfg(feature = "cli")]
    pub(crate) fn weight(&self) -> usize {
        self.events.iter().map(|event| size_of::<Event>() + event.what.weight()).sum()
    }

    /// What was awaited when a deadline passed, in order; empty if none did.
    pub fn deadlines_fired(&self) -> Vec<&str> {
        let awaited = self.events.iter().filter_map(|event| match &event.what {
            What::DeadlineFired { awaited } => Some(awaited.as_str()),
            _ => None,
        });
        awaited.collect()
    }

    /// Whether any deadline passed while something was awaited.
    pub fn deadline_fired(&self) -> bool {
        !self.deadlines_fired().is_empty()
    }

    /// The events after this one.
    pub fn since(&self, seq: Seq) -> &[Event] {
        let first = self.events.partition_point(|event| event.seq <= seq);
        &self.events[first..]
    }

    /// The event with this sequence number, unless it was dropped.
    pub fn event(&self, seq: Seq) -> Option<&Event> {
        let place = self.events.binary_search_by_key(&seq, |event| event.seq).ok()?;
        self.events.get(place)
    }

    /// The events with these sequence numbers that were not dropped, in the order asked for.
    pub fn events_at<'a>(&'a self, seqs: &'a [Seq]) -> impl Iterator<Item = &'a Event> {
        seqs.iter().filter_map(|seq| self.event(*seq))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Reading, Recorder};

    fn message(text: &'static str) -> What {
        Reading::message(text.into())
    }

    #[test]
    fn an_exchange_needs_both_sides() {
        let recorder = Recorder::new();
        let wire = recorder.open("duplex");
        recorder.record(
            wire,
            Party::Client,
            message(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#),
        );
        recorder.record(wire, Party::Server, message(r#"{"jsonrpc":"1.0","id":1,"result":{}}"#));
        assert!(recorder.trace().has_said(Party::Client));
        assert!(!recorder.trace().exchanged(), "what is malformed is not counted");
        recorder.record(
            wire,
            Party::Server,
            message(r#"[{"jsonrpc":"2.0","id":1,"result":{}},7]"#),
        );
        assert!(recorder.trace().exchanged());
    }

    #[test]
    fn events_are_found_by_their_numbers() {
        let recorder = Recorder::new();
        let wire = recorder.open("duplex");
        let fence = recorder.record(wire, Party::Harness, What::Fence("here".into()));
        let stderr = recorder.record(wire, Party::Server, What::Stderr("oops".into()));
        let awaited = What::DeadlineFired { awaited: "a reply to ping".into() };
        recorder.record(wire, Party::Harness, awaited);
        let trace = recorder.trace();
        assert_eq!(trace.since(fence).len(), 2);
        assert_eq!(
            trace.events_at(&[stderr, fence]).map(|event| event.seq).collect::<Vec<_>>(),
            [stderr, fence]
        );
        assert_eq!(trace.stderr_tail(5), ["oops"]);
        assert_eq!(trace.deadlines_fired(), ["a reply to ping"]);
        assert!(trace.event(Seq(99)).is_none());
    }
}
