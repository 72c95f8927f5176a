//! What the other party sends: it decides what may answer it.

use super::{EnvelopeJudge, Exchange, TraceMessage};
use crate::check::cited::{Cited, cites};
use crate::check::walk::JudgedEvent;
use crate::json::Note;
use crate::trace::{ParsedText, Party};
use crate::wire::{Expected, Frame, Id, Malformed, Message};

cites! {
    JSONRPC_REQUEST_ID_NOT_NULL, JSONRPC_REQUEST_ID_TYPE,
}

/// Whether a note is about a number, other than an id.
pub(super) fn is_unusual_number(note: &Note) -> bool {
    !note.kind.is_ambiguous() && note.pointer.to_string() != "/id"
}

/// The rule that the id of a request breaks: JSON-RPC only discourages null and fractions; in MCP an id is a string or an integer
/// (`basic`).
pub(super) fn rule_of_id(id: &Id) -> Option<Cited> {
    match id {
        Id::Null => Some(JSONRPC_REQUEST_ID_NOT_NULL),
        Id::Number(number) if !number.is_integer() => Some(JSONRPC_REQUEST_ID_TYPE),
        _ => None,
    }
}

/// The id, if it is what makes a message malformed.
fn unreadable_id(malformed: &Malformed) -> Option<&str> {
    malformed.found.as_deref().filter(|_| malformed.expected == Expected::Id)
}

impl EnvelopeJudge {
    /// A message of the other party: what it posts decides what the response may be.
    pub(super) fn sent(
        &mut self,
        event: JudgedEvent<'_>,
        parsed: &ParsedText,
        messages: &[TraceMessage<'_>],
    ) {
        let is_well_formed = matches!(parsed.frame(), Some(Ok(_)));
        let is_readable = match parsed.frame() {
            // MCP has no other ids and params, so that it may be refused as an invalid request.
            Some(Ok(Frame::One(Message::Request(request)))) => {
                let params = request.params.as_ref();
                rule_of_id(&request.id).is_none()
                    && params.is_none_or(|params| params.as_object().is_some())
            }
            // An error without an id names no request, so that the answer to it cannot repeat one.
            Some(Ok(Frame::One(Message::Error(error)))) => error.id.is_some(),
            Some(Ok(Frame::One(_))) => true,
            Some(Ok(Frame::Batch(items))) => !items.is_empty() && event.opened_for.has_batches(),
            _ => false,
        };
        if !is_readable {
            self.not_readable(event);
        }
        for malformed in parsed.malformed() {
            if let Some(id) = unreadable_id(malformed) {
                self.unreadable_ids.insert((event.connection, id.to_owned()), ());
            }
        }
        if parsed.notes().iter().any(is_unusual_number) {
            self.unusual_numbers.insert(event.connection);
        }
        let is_request = |it: &TraceMessage<'_>| matches!(it.message, Message::Request(_));
        // What a malformed body asked for is unknown, so it does not decide what may answer it.
        let asks = is_well_formed && self.who == Party::Server;
        if let Some(exchange) = self.exchange(event).filter(|_| asks) {
            // A posted response counts as well: like a notification it is accepted with 202 and no body.
            let only_notifications = !messages.iter().any(is_request);
            let asks = match messages {
                [TraceMessage { message: Message::Request(request), .. }] if is_readable => {
                    Some(request.method.clone())
                }
                _ => None,
            };
            let (session, has_valid_headers) =
                (exchange.session.take(), exchange.has_valid_headers);
            *exchange = Exchange {
                only_notifications,
                asks,
                session,
                has_valid_headers,
                ..Exchange::default()
            };
        }
    }

    /// A text of the other party that is not one valid message, so that an error without an id may answer it.
    pub(super) fn not_readable(&mut self, event: JudgedEvent<'_>) {
        *self.unreadable.entry(event.connection).or_default() += 1;
    }

    /// Whether the id is one that the other party has sent, although no message can have it.
    pub(super) fn is_repeated_id(&self, event: JudgedEvent<'_>, malformed: &Malformed) -> bool {
        unreadable_id(malformed)
            .is_some_and(|id| self.unreadable_ids.contains_key(&(event.connection, id.to_owned())))
    }

    /// Whether a reply without an id may answer a request whose id cannot be repeated.
    pub(super) fn answers_unreadable_id(&mut self, event: JudgedEvent<'_>) -> bool {
        let is_here = |((connection, _), ()): (&(_, _), &())| *connection == event.connection;
        self.unreadable_ids.iter().any(is_here) && self.answers_unreadable(event)
    }

    /// Whether a text of the other party that is not JSON has the id: the peer may have read it before it found what is wrong.
    pub(super) fn is_id_of_broken_text(&self, event: JudgedEvent<'_>, id: &Id) -> bool {
        if self.has_forgotten_text {
            return true;
        }
        let id = id.to_string();
        let is_value = |text: &str| {
            let value = text.trim_start().strip_prefix(':').map(str::trim_start);
            value.is_some_and(|value| value.starts_with(&id))
        };
        let mut texts = self.broken_texts.iter();
        texts.any(|(connection, text)| {
            *connection == event.connection
                && String::from_utf8_lossy(text).split(r#""id""#).skip(1).any(is_value)
        })
    }

    /// Whether a text of the other party is not answered that is not a valid message.
    pub(super) fn has_unreadable(&self, event: JudgedEvent<'_>) -> bool {
        self.unreadable.get(&event.connection).is_some_and(|open| *open > 0)
    }

    /// Whether an error without an id may answer a text of the other party that is not a valid message.
    pub(super) fn answers_unreadable(&mut self, event: JudgedEvent<'_>) -> bool {
        match self.unreadable.get_mut(&event.connection) {
            Some(open) if *open > 0 => {
                *open -= 1;
                true
            }
            _ => false,
        }
    }
}
