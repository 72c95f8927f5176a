//! Turns the bytes of a peer into observations, and records them as they arrive.
//!
//! All client transports share it, so that the same bytes mean the same on each of them.

use bytes::Bytes;
use tokio::sync::mpsc;

use super::{Incoming, Origin};
use crate::expect::words::quoted;
use crate::trace::{ConnectionId, EventKind, ParsedText, Party, Recorder, Seq, UnparsableKind};
use crate::wire::sse::{SseItem, SseViolation};
use crate::wire::{Frame, Malformed, Message};

/// Records and classifies what arrives on one connection.
#[derive(Clone)]
pub(super) struct TransportRecorder {
    pub(super) trace: Recorder,
    pub(super) connection: ConnectionId,
}

impl TransportRecorder {
    /// Records an event of the peer.
    pub(super) fn record(&self, exchange: Option<u64>, kind: EventKind) -> Seq {
        self.trace.record_in(self.connection, exchange, Party::Server, kind)
    }

    /// Records an event of the client.
    pub(super) fn own(&self, exchange: Option<u64>, kind: EventKind) -> Seq {
        self.trace.record_in(self.connection, exchange, Party::Client, kind)
    }

    /// Parses a text that should be a JSON-RPC message or a batch.
    pub(super) fn text(&self, origin: Origin, text: Bytes) -> Vec<Incoming> {
        let parsed = ParsedText::parse(&text);
        // Quoted now, because the event takes the text.
        let head = quoted(&text);
        let frame = match parsed.frame() {
            Some(frame) => frame.cloned().map_err(Clone::clone),
            None => {
                let why = parsed.problem().unwrap_or("not JSON").to_owned();
                let kind = unparsable_kind(&text, &parsed, origin.exchange.is_some());
                return vec![self.noise(origin, text, why, kind)];
            }
        };
        // A line of JSON that is not JSON-RPC may be a structured log; an HTTP body or an event is meant as a message.
        let stray = origin.exchange.is_none() && parsed.is_unrelated_json();
        let kind = if stray { UnparsableKind::Stray } else { UnparsableKind::BrokenMessage };
        let seq = self.record(origin.exchange, EventKind::Message { text, parsed });
        // All items of a batch share the event that records it.
        let item = |item: Result<Message, Malformed>| match item {
            Ok(message) => Incoming::Message { seq, origin, message },
            Err(malformed) => {
                let why = format!("malformed: {malformed}");
                let (head, malformed) = (head.clone(), Some(malformed));
                Incoming::Invalid { seq, origin, head, why, malformed, kind }
            }
        };
        match frame {
            Ok(Frame::One(message)) => vec![item(Ok(message))],
            Ok(Frame::Batch(items)) => items.into_iter().map(item).collect(),
            Err(malformed) => vec![item(Err(malformed))],
        }
    }

    /// Records bytes that are not a message.
    pub(super) fn noise(
        &self,
        origin: Origin,
        bytes: Bytes,
        why: String,
        kind: UnparsableKind,
    ) -> Incoming {
        let head = quoted(&bytes);
        let seq =
            self.record(origin.exchange, EventKind::Unparsable { bytes, why: why.clone(), kind });
        Incoming::Invalid { seq, origin, head, why, malformed: None, kind }
    }

    /// Parses an item of an event stream whose events contain messages.
    pub(super) fn event(&self, origin: Origin, item: SseItem) -> Vec<Incoming> {
        match item {
            SseItem::Event(event) | SseItem::Silent(event) => {
                let data = Bytes::from(event.data);
                let what =
                    EventKind::SseEvent { event: event.event, id: event.id, retry: event.retry };
                self.record(origin.exchange, what);
                // An event without data only gives the client an id to resume from.
                if data.is_empty() { Vec::new() } else { self.text(origin, data) }
            }
            SseItem::Comment(text) => {
                self.record(origin.exchange, EventKind::SseComment(text));
                Vec::new()
            }
            SseItem::Violation(violation) => vec![self.violation(origin, &violation)],
        }
    }

    fn violation(&self, origin: Origin, violation: &SseViolation) -> Incoming {
        let text = violation.text();
        let kind = match violation {
            // A message without its `data:` field.
            SseViolation::UnknownField { .. } if text.trim_start().starts_with('{') => {
                UnparsableKind::BrokenMessage
            }
            // With its broken bytes replaced the text may be valid JSON, but it is not the message that was meant.
            SseViolation::InvalidUtf8 { .. } if text.starts_with("data") => {
                UnparsableKind::BrokenMessage
            }
            SseViolation::Unfinished { .. } => UnparsableKind::BrokenMessage,
            SseViolation::TooLong { .. } => UnparsableKind::OverLimit,
            _ => UnparsableKind::Stray,
        };
        self.noise(origin, Bytes::copy_from_slice(text.as_bytes()), violation.reason(), kind)
    }
}

/// Records what arrives on one connection and passes it on.
#[derive(Clone)]
pub(super) struct Observer {
    pub(super) recorder: TransportRecorder,
    incoming: mpsc::Sender<Incoming>,
}

impl Observer {
    pub(super) fn new(
        recorder: &Recorder,
        connection: ConnectionId,
        incoming: mpsc::Sender<Incoming>,
    ) -> Self {
        Self { recorder: TransportRecorder { trace: recorder.clone(), connection }, incoming }
    }

    /// Records an event of the peer without passing it on.
    pub(super) fn record(&self, exchange: Option<u64>, kind: EventKind) -> Seq {
        self.recorder.record(exchange, kind)
    }

    /// Like [`TransportRecorder::text`], and passes the observations on; `false` when nobody reads them any more.
    pub(super) async fn text(&self, origin: Origin, text: Bytes) -> bool {
        self.pass_all(self.recorder.text(origin, text)).await
    }

    /// Like [`TransportRecorder::noise`], and passes the observation on.
    pub(super) async fn noise(
        &self,
        origin: Origin,
        bytes: Bytes,
        why: String,
        kind: UnparsableKind,
    ) -> bool {
        self.pass(self.recorder.noise(origin, bytes, why, kind)).await
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

/// The event that records a text in the place of a message: a message, or bytes that are not JSON.
pub(super) fn text_event(text: Bytes, in_exchange: bool) -> EventKind {
    let parsed = ParsedText::parse(&text);
    if parsed.frame().is_some() {
        return EventKind::Message { text, parsed };
    }
    let is_blank = text.iter().all(u8::is_ascii_whitespace);
    let why = match parsed.problem() {
        _ if is_blank => "a blank line",
        problem => problem.unwrap_or("not JSON"),
    };
    let (why, kind) = (why.to_owned(), unparsable_kind(&text, &parsed, in_exchange));
    EventKind::Unparsable { bytes: text, why, kind }
}

/// Whether a text that cannot be parsed replaces a message, exceeds a limit, or is only noise.
fn unparsable_kind(text: &[u8], parsed: &ParsedText, in_exchange: bool) -> UnparsableKind {
    // An HTTP body or an event contains nothing but a message; a line of stdout may also be a log line.
    match begins_a_message(text) || is_binary(text) || in_exchange {
        _ if parsed.is_over_limit() => UnparsableKind::OverLimit,
        true => UnparsableKind::BrokenMessage,
        false => UnparsableKind::Stray,
    }
}

/// Whether this is not text in any encoding of bytes, as log lines are: UTF-16, a compressed message, random bytes.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    // The beginning shows it, and a long line is looked at more than once.
    const LOOKED_AT: usize = 4096;
    let begin = &bytes[..bytes.len().min(LOOKED_AT)];
    let is_utf8 =
        std::str::from_utf8(begin).map_or_else(|error| error.error_len().is_none(), |_| true);
    // Terminal colours are part of many logs.
    let is_control = |byte: &u8| byte.is_ascii_control() && !matches!(byte, b'\t' | b'\r' | 0x1b);
    !is_utf8 && begin.iter().any(is_control)
}

/// Whether a text starts like a message, also after a byte order mark, control characters or terminal colors. A log line
/// such as `[INFO] …` does not.
fn begins_a_message(mut text: &[u8]) -> bool {
    loop {
        text = match text {
            [b'{', ..] => return true,
            [b'[', rest @ ..] => {
                // A batch holds objects; a text that ends before the first item may be a batch that was cut off.
                let first = rest.iter().find(|byte| !byte.is_ascii_whitespace());
                return matches!(first, None | Some(b'{'));
            }
            [0xef, 0xbb, 0xbf, rest @ ..] => rest,
            [0x1b, b'[', rest @ ..] => {
                // A control sequence ends with its first byte from 0x40 to 0x7e (ECMA-48).
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
    fn a_message_starts_with_a_brace_whatever_precedes_it() {
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
