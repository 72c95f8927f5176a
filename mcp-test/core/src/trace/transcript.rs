//! A trace: what was recorded up to some moment, with its queries.

use super::{Event, EventKind, ParsedText, Party, Seq};
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
            let parsed = match &event.kind {
                EventKind::Message { parsed, .. } => Some(parsed),
                _ => None,
            };
            let messages = parsed.into_iter().flat_map(ParsedText::messages);
            messages.map(move |message| (event, message))
        })
    }

    /// Whether this party sent at least one well-formed message.
    pub fn has_message_from(&self, party: Party) -> bool {
        // What was dropped may have been a message, so a long trace does not count as a silent one.
        let dropped =
            |event: &Event| matches!(event.kind, EventKind::Elided { .. }) && event.party == party;
        self.messages().any(|(event, _)| event.party == party) || self.events.iter().any(dropped)
    }

    /// Whether a stream announces an endpoint, as HTTP+SSE of 2024-11-05 does.
    #[doc(hidden)]
    pub fn announces_sse_endpoint(&self) -> bool {
        let is_announcement = |kind: &EventKind| matches!(kind, EventKind::SseEvent { event: Some(event), .. } if event == "endpoint");
        self.events.iter().any(|event| is_announcement(&event.kind))
    }

    /// Whether both client and server sent at least one well-formed message.
    pub fn has_messages_both_ways(&self) -> bool {
        self.has_message_from(Party::Client) && self.has_message_from(Party::Server)
    }

    /// Whether anything other than stderr was dropped to bound the memory of a long trace.
    pub(crate) fn is_elided(&self) -> bool {
        let is_elided = |event: &Event| matches!(event.kind, EventKind::Elided { .. });
        self.elided > 0 || self.events.iter().any(is_elided)
    }

    /// The last lines of stderr, at most so many.
    pub fn stderr_tail(&self, count: usize) -> Vec<String> {
        let lines = self.events.iter().rev().filter_map(|event| match &event.kind {
            EventKind::Stderr(line) => Some(line.clone()),
            _ => None,
        });
        let mut tail: Vec<_> = lines.take(count).collect();
        tail.reverse();
        tail
    }

    /// About how much memory it takes, in bytes.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn weight(&self) -> usize {
        self.events.iter().map(|event| size_of::<Event>() + event.kind.weight()).sum()
    }

    /// What was awaited when a deadline passed, in order; empty if none did.
    pub fn deadlines_fired(&self) -> Vec<&str> {
        let awaited = self.events.iter().filter_map(|event| match &event.kind {
            EventKind::DeadlineFired { awaited } => Some(awaited.as_str()),
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
        // Sequence numbers rise but have gaps where events were dropped, so they are not indices.
        let first = self.events.partition_point(|event| event.seq <= seq);
        &self.events[first..]
    }

    /// The event with this sequence number, unless it was dropped.
    pub fn event(&self, seq: Seq) -> Option<&Event> {
        // Numbers rise: the recorder counts, and `file` refuses a trace in which they do not.
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
    use crate::trace::Recorder;

    fn message(text: &'static str) -> EventKind {
        EventKind::message(text.into())
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
        assert!(recorder.trace().has_message_from(Party::Client));
        assert!(!recorder.trace().has_messages_both_ways(), "what is malformed is not counted");
        recorder.record(
            wire,
            Party::Server,
            message(r#"[{"jsonrpc":"2.0","id":1,"result":{}},7]"#),
        );
        assert!(recorder.trace().has_messages_both_ways());
    }

    #[test]
    fn events_are_found_by_their_numbers() {
        let recorder = Recorder::new();
        let wire = recorder.open("duplex");
        let fence = recorder.record(wire, Party::Harness, EventKind::Fence("here".into()));
        let stderr = recorder.record(wire, Party::Server, EventKind::Stderr("oops".into()));
        let awaited = EventKind::DeadlineFired { awaited: "a reply to ping".into() };
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
