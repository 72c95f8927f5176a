//! What is written on an event stream at once: an event, or what a fault has left of one.

use axum::body::Bytes;

use crate::{
    trace::{Party, What},
    transport::{
        fault::{Delivery, Part},
        tap::Wire,
    },
    wire::sse::{self, SseEvent},
};

/// One piece of a stream.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    name: Option<&'static str>,
    id: Option<String>,
    retry: Option<u64>,
    part: Option<Part>,
    in_bytes: bool,
}

/// Writes pieces, those a byte at a time that are to be written so.
pub(super) struct Writer {
    wire: Wire,
    rest: Bytes,
}

impl Piece {
    /// An event that says nothing but from where on to come back, and when.
    pub(super) fn priming(retry: Option<u64>) -> Self {
        Self { name: None, id: None, retry, part: None, in_bytes: false }
    }

    /// What carries a delivery.
    pub(super) fn of(delivery: Delivery) -> impl Iterator<Item = Self> {
        let Delivery { parts, in_bytes, .. } = delivery;
        let parts = parts.into_iter().filter(|part| !part.event().is_empty());
        let piece = Self { name: None, id: None, retry: None, part: None, in_bytes };
        parts.map(move |part| Self { part: Some(part), ..piece.clone() })
    }

    /// An event of this type with this data, which is no message.
    pub(super) fn named(name: &'static str, data: String) -> Self {
        let part = Some(Part::Noise(data.into()));
        Self { name: Some(name), id: None, retry: None, part, in_bytes: false }
    }

    /// The same piece with the type of its event; what is no whole event has none.
    pub(super) fn with_name(self, name: &'static str) -> Self {
        let is_event = !matches!(self.part, Some(Part::Lines(_)));
        Self { name: is_event.then_some(name), ..self }
    }

    /// The same piece with an id; what is no whole event has none.
    pub(super) fn with_id(self, id: String) -> Self {
        let is_event = !matches!(self.part, Some(Part::Lines(_)));
        Self { id: is_event.then_some(id), ..self }
    }

    /// How many bytes it holds.
    pub(super) fn len(&self) -> usize {
        self.part.as_ref().map_or(0, |part| part.bytes().len())
    }

    fn bytes(&self) -> Bytes {
        let Some(part) = &self.part else {
            let event = SseEvent { retry: self.retry, ..SseEvent::data("") };
            return sse::encode(&SseEvent { id: self.id.clone(), ..event });
        };
        let mut bytes = Vec::new();
        for (field, value) in [("event", self.name), ("id", self.id.as_deref())] {
            if let Some(value) = value {
                bytes.extend_from_slice(format!("{field}: {value}\n").as_bytes());
            }
        }
        bytes.extend_from_slice(&part.event());
        bytes.into()
    }

    fn record(&self, wire: &Wire) {
        wire.record(Party::Server, || What::SseEvent {
            event: self.name.map(str::to_owned),
            id: self.id.clone(),
            retry: self.retry,
        });
        if let Some(part) = &self.part {
            wire.sent(part.bytes());
        }
    }
}

impl Writer {
    pub(super) fn new(wire: &Wire) -> Self {
        Self { wire: wire.clone(), rest: Bytes::new() }
    }

    /// What is still to be written of the last piece.
    pub(super) fn rest(&mut self) -> Option<Bytes> {
        (!self.rest.is_empty()).then(|| self.rest.split_to(1))
    }

    /// Writes a piece, or its beginning.
    pub(super) fn write(&mut self, piece: &Piece) -> Bytes {
        piece.record(&self.wire);
        let mut bytes = piece.bytes();
        if piece.in_bytes {
            self.rest = bytes.split_off(bytes.len().min(1));
        }
        bytes
    }
}
