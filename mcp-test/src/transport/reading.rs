//! From bytes that a peer wrote to observations, recorded as they arrive.
//!
//! Shared by all client-side carriers, so that the same bytes read the same on each of them.

use bytes::Bytes;
use tokio::sync::mpsc;

use super::link::{Damage, Incoming, Origin};
use crate::expect::words::quoted;
use crate::trace::{Connection, Party, Reading, Recorder, Seq, What};
use crate::wire::sse::{SseItem, SseViolation};
use crate::wire::{Frame, Malformed, Message};

/// Records what arrives on one connection, and says what it is.
#[derive(Clone)]
pub(super) struct Scribe {
    pub(super) recorder: Recorder,
    pub(super) connection: Connection,
}

impl Scribe {
    /// Records an event of the peer.
    pub(super) fn record(&self, exchange: Option<u64>, what: What) -> Seq {
        self.recorder.record_in(self.connection, exchange, Party::Server, what)
    }

    /// Records an event of our own side.
    pub(super) fn own(&self, exchange: Option<u64>, what: What) -> Seq {
        self.recorder.record_in(self.connection, exchange, Party::Client, what)
    }

    /// Reads what should be one JSON-RPC message (or a batch).
    pub(super) fn text(&self, origin: Origin, text: Bytes) -> Vec<Incoming> {
        let reading = Reading::of(&text);
        let head = quoted(&text);
        let frame = match reading.frame() {
            Some(frame) => frame.cloned().map_err(Clone::clone),
            None => {
                let why = reading.problem().unwrap_or("not JSON").to_owned();
                let damage = damage(&text, &reading, origin.exchange.is_some());
                return vec![self.noise(origin, text, why, damage)];
            }
        };
        let stray = origin.exchange.is_none() && reading.is_no_attempt();
        let damage = if stray { Damage::Stray } else { Damage::Lost };
        let seq = self.record(origin.exchange, What::Message { text, reading });
        let item = |item: Result<Message, Malformed>| match item {
            Ok(message) => Incoming::Message { seq, origin, message },
            Err(malformed) => {
                let why = format!("malformed: {malformed}");
                let (head, malformed) = (head.clone(), Some(malformed));
                Incoming::Garbled { seq, origin, head, why, malformed, damage }
            }
        };
        match frame {
            Ok(Frame::One(message)) => vec![item(Ok(message))],
            Ok(Frame::Batch(items)) => items.into_iter().map(item).collect(),
            Err(malformed) => vec![item(Err(malformed))],
        }
    }

    /// Takes bytes that are no message.
    pub(super) fn noise(
        &self,
        origin: Origin,
        bytes: Bytes,
        why: String,
        damage: Damage,
    ) -> Incoming {
        let head = quoted(&bytes);
        let seq = self.record(origin.exchange, What::Noise { bytes, why: why.clone(), damage });
        Incoming::Garbled { seq, origin, head, why, malformed: None, damage }
    }

    /// Reads an item of an event stream whose events have messages as their data.
    pub(super) fn event(&self, origin: Origin, item: SseItem) -> Vec<Incoming> {
        match item {
            SseItem::Event(event) | SseItem::Silent(event) => {
                let data = Bytes::from(event.data);
                let what = What::SseEvent { event: event.event, id: event.id, retry: event.retry };
                self.record(origin.exchange, what);
                // An event without data primes the client with an id to resume from.
                if data.is_empty() { Vec::new() } else { self.text(origin, data) }
            }
            SseItem::Comment(text) => {
                self.record(origin.exchange, What::SseComment(text));
                Vec::new()
            }
            SseItem::Violation(violation) => vec![self.violation(origin, &violation)],
        }
    }

    fn violation(&self, origin: Origin, violation: &SseViolation) -> Incoming {
        let text = violation.text();
        let damage = match violation {
            SseViolation::UnknownField { .. } if text.trim_start().starts_with('{') => Damage::Lost,
            // What stands for the broken bytes may be JSON, and is not what was meant.
            SseViolation::InvalidUtf8 { .. } if text.starts_with("data") => Damage::Lost,
            SseViolation::Unfinished { .. } => Damage::Lost,
            SseViolation::TooLong { .. } => Damage::OverLimit,
            _ => Damage::Stray,
        };
        self.noise(origin, Bytes::copy_from_slice(text.as_bytes()), violation.reason(), damage)
    }
}

/// Records what arrives on one connection and passes it on.
#[derive(Clone)]
pub(super) struct Observer {
    pub(super) scribe: Scribe,
    incoming: mpsc::Sender<Incoming>,
}

impl Observer {
    pub(super) fn new(
        recorder: &Recorder,
        connection: Connection,
        incoming: mpsc::Sender<Incoming>,
    ) -> Self {
        Self { scribe: Scribe { recorder: recorder.clone(), connection }, incoming }
    }

    /// Records an event of the peer without passing it on.
    pub(super) fn record(&self, exchange: Option<u64>, what: What) -> Seq {
        self.scribe.record(exchange, what)
    }

    /// As [`Scribe::text`], passed on; returns whether the reader of the connection is still there.
    pub(super) async fn text(&self, origin: Origin, text: Bytes) -> bool {
        self.pass_all(self.scribe.text(origin, text)).await
    }

    /// As [`Scribe::noise`], passed on.
    pub(super) async fn noise(
        &self,
        origin: Origin,
        bytes: Bytes,
        why: String,
        damage: Damage,
    ) -> bool {
        self.pass(self.scribe.noise(origin, bytes, why, damage)).await
    }

    /// Passes an observation on; `false` when nobody reads any more.
    pub(super) async fn pass(&self, incoming: Incoming) -> bool {
        self.incoming.send(incoming).await.is_ok()
    }

    /// Passes observations on in order; `false` when nobody reads any more.
    pub(super) async fn pass_all(&self, all: Vec<Incoming>) -> bool {
        for incoming in all {
            if !self.pass(incoming).await {
                return false;
            }
        }
        true
    }
}

/// The event that a text was said where a message belongs: a message, or noise that is no JSON at all.
pub(super) fn said(text: Bytes, in_exchange: bool) -> What {
    let reading = Reading::of(&text);
    if reading.frame().is_some() {
        return What::Message { text, reading };
    }
    let is_blank = text.iter().all(u8::is_ascii_whitespace);
    let why = match reading.problem() {
        _ if is_blank => "a blank line",
        problem => problem.unwrap_or("not JSON"),
    };
    let (why, damage) = (why.to_owned(), damage(&text, &reading, in_exchange));
    What::Noise { bytes: text, why, damage }
}

/// What a text that is no JSON means for the messages around it.
fn damage(text: &[u8], reading: &Reading, in_exchange: bool) -> Damage {
    // In an HTTP body or an event nothing else than a message has its place.
    match begins_a_message(text) || in_exchange {
        _ if reading.is_too_deep() => Damage::OverLimit,
        true => Damage::Lost,
        false => Damage::Stray,
    }
}

/// Whether a message was begun, also behind what editors and terminals put in front of a text; `[INFO]` begins none.
fn begins_a_message(mut text: &[u8]) -> bool {
    loop {
        text = match text {
            [b'{', ..] => return true,
            [b'[', rest @ ..] => {
                let first = rest.iter().find(|byte| !byte.is_ascii_whitespace());
                return matches!(first, None | Some(b'{'));
            }
            [0xef, 0xbb, 0xbf, rest @ ..] => rest,
            [0x1b, b'[', rest @ ..] => {
                let parameters = rest.iter().take_while(|byte| !(0x40..0x7f).contains(*byte));
                rest.get(parameters.count() + 1..).unwrap_or_default()
            }
            [byte, rest @ ..] if byte.is_ascii_whitespace() || byte.is_ascii_control() => rest,
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_begins_with_a_brace_whatever_is_in_front_of_it() {
        for text in
            ["{", " \t{\"", "[{", "[ \n{", "[", "\u{feff}{", "\0\0{", "\u{1b}[2K\u{1b}[1;32m{"]
        {
            assert!(begins_a_message(text.as_bytes()), "{text:?}");
        }
        for text in ["", "ready {", "[INFO] {", "[2026-01-01]", "\u{1b}[32mready", "\u{1b}[", "7"] {
            assert!(!begins_a_message(text.as_bytes()), "{text:?}");
        }
    }
}
