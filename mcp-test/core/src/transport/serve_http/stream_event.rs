//! An event of an event stream, or what a fault has left of one, and how it is written.

use std::collections::VecDeque;

use axum::body::Bytes;

use super::reserved_delivery::ReservedDelivery;
use crate::trace::{EventKind, Party};
use crate::transport::event_form::EventForm;
use crate::transport::fault::{Delivery, DeliveryPart};
use crate::transport::interceptor::InterceptedConnection;
use crate::transport::memory_budget::{Reservation, Usage};
use crate::wire::sse::{self, SseEvent};

/// An event of a stream.
#[derive(Debug, Clone, Default)]
pub(super) struct StreamEvent {
    name: Option<&'static str>,
    id: Option<String>,
    retry: Option<u64>,
    part: Option<DeliveryPart>,
    bytewise: bool,
    form: EventForm,
    memory: Reservation,
}

/// Writes events in order, some one byte at a time.
pub(super) struct EventWriter {
    wire: InterceptedConnection,
    queue: VecDeque<StreamEvent>,
    /// What is still to be written of the last event.
    rest: Bytes,
}

impl StreamEvent {
    /// An event without data, which gives the client an id to resume from and a time to wait before that.
    pub(super) fn priming(retry: Option<u64>) -> Self {
        Self { retry, ..Self::default() }
    }

    /// The events of a delivery.
    pub(super) fn of(reserved: ReservedDelivery) -> impl Iterator<Item = Self> {
        let ReservedDelivery { delivery: Delivery { parts, bytewise, form, .. }, memory } =
            reserved;
        // What is written as nothing must not get an id either: a client would never see it.
        let parts = parts.into_iter().filter(|part| !part.event().is_empty());
        parts.map(move |part| {
            let memory = memory.clone();
            Self { part: Some(part), bytewise, form, memory, ..Self::default() }
        })
    }

    /// An event of this type with this data, which is not a message.
    pub(super) fn named(name: &'static str, data: String) -> Self {
        let part = Some(DeliveryPart::Noise(data.into()));
        Self { name: Some(name), part, ..Self::default() }
    }

    /// Sets the type of the event; raw lines have none.
    pub(super) fn with_name(self, name: &'static str) -> Self {
        let is_event = !matches!(self.part, Some(DeliveryPart::Lines(_)));
        Self { name: is_event.then_some(name), ..self }
    }

    /// Sets the id of the event; raw lines have none.
    pub(super) fn with_id(self, id: String) -> Self {
        let is_event = !matches!(self.part, Some(DeliveryPart::Lines(_)));
        Self { id: is_event.then_some(id), ..self }
    }

    /// How many bytes of data it holds.
    pub(super) fn len(&self) -> usize {
        self.part.as_ref().map_or(0, |part| part.bytes().len())
    }

    /// Keeps it for a client that asks for it again, or comes back for it; `false` if no memory is left for that.
    pub(super) fn keep(&mut self) -> bool {
        let kept = self.memory.transferred(Usage::KeptEvent);
        kept.map(|memory| self.memory = memory).is_some()
    }

    fn bytes(&self) -> Bytes {
        let Some(part) = &self.part else {
            let event = SseEvent { retry: self.retry, ..SseEvent::data("") };
            return sse::encode(&SseEvent { id: self.id.clone(), ..event });
        };
        // Written by hand and not by `encode`, because a fault may have left a part that no event has.
        let mut bytes = Vec::new();
        for (field, value) in [("event", self.name), ("id", self.id.as_deref())] {
            if let Some(value) = value {
                bytes.extend_from_slice(format!("{field}: {value}\n").as_bytes());
            }
        }
        bytes.extend_from_slice(&part.event());
        self.memory.clone().holding(self.form.write(&bytes).into())
    }

    fn record(&self, wire: &InterceptedConnection) {
        wire.record(Party::Server, || EventKind::SseEvent {
            event: self.name.map(str::to_owned),
            id: self.id.clone(),
            retry: self.retry,
        });
        if let Some(part) = &self.part {
            wire.sent(part);
        }
    }
}

impl EventWriter {
    pub(super) fn new(wire: &InterceptedConnection) -> Self {
        Self { wire: wire.clone(), queue: VecDeque::new(), rest: Bytes::new() }
    }

    /// Adds events to those that are still to be written.
    pub(super) fn queue(&mut self, events: impl IntoIterator<Item = StreamEvent>) {
        self.queue.extend(events);
    }

    /// The next bytes to be written; `None` when all events are.
    pub(super) fn next(&mut self) -> Option<Bytes> {
        if !self.rest.is_empty() {
            return Some(self.rest.split_to(1));
        }
        let event = self.queue.pop_front()?;
        // Recorded only now: an event that a lost connection leaves in the queue was never sent.
        event.record(&self.wire);
        let mut bytes = event.bytes();
        if event.bytewise {
            self.rest = bytes.split_off(bytes.len().min(1));
        }
        Some(bytes)
    }
}
