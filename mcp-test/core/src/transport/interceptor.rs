//! Records the messages of a serving transport, and injects faults into those that it sends.
//!
//! Recording is optional: if both ends are in this process, the client's connection records everything.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;

use super::actor::OutboundMessage;
use super::fault::{Delivery, DeliveryPart, Fault, HttpFaults, Misbehavior};
use super::{fault, observer};
use crate::trace::{ConnectionId, EventKind, Party, Recorder, Seq};

/// Records and injects faults between an actor and its transports.
#[derive(Clone, Default)]
pub(crate) struct Interceptor {
    faults: Arc<[Fault]>,
    recorder: Option<Recorder>,
}

/// The interceptor of one connection; clones are the same connection.
#[derive(Clone)]
pub(crate) struct InterceptedConnection {
    interceptor: Interceptor,
    connection: Option<ConnectionId>,
    exchange: Option<u64>,
    exchanges: Arc<AtomicU64>,
}

impl Interceptor {
    /// An interceptor that applies these faults in order.
    #[must_use]
    pub(crate) fn new(faults: impl Into<Arc<[Fault]>>) -> Self {
        Self { faults: faults.into(), recorder: None }
    }

    /// Records all messages.
    #[must_use]
    pub(crate) fn recording(self, recorder: Recorder) -> Self {
        Self { recorder: Some(recorder), ..self }
    }

    /// Opens a connection.
    #[must_use]
    pub(crate) fn open(&self, transport: &str) -> InterceptedConnection {
        let connection = self.recorder.as_ref().map(|recorder| recorder.open(transport));
        InterceptedConnection {
            interceptor: self.clone(),
            connection,
            exchange: None,
            exchanges: Arc::default(),
        }
    }
}

impl InterceptedConnection {
    /// Another HTTP exchange of the connection.
    #[must_use]
    pub(crate) fn exchange(&self) -> Self {
        // Relaxed: the numbers only have to differ.
        let number = self.exchanges.fetch_add(1, Ordering::Relaxed);
        Self { exchange: Some(number), ..self.clone() }
    }

    /// Applies the faults to an emitted message.
    #[must_use]
    pub(crate) fn deliver(&self, emitted: OutboundMessage) -> Delivery {
        Delivery::of(emitted, &self.interceptor.faults)
    }

    /// What the faults change in the exchange of a message of this method, or in a `GET` or a `DELETE`.
    #[must_use]
    pub(crate) fn http_faults(&self, method: &str, is_request: bool) -> HttpFaults {
        HttpFaults::of(method, is_request, &self.interceptor.faults)
    }

    /// Whether a fault makes the server misbehave in this way.
    #[must_use]
    pub(crate) fn misbehaves(&self, misbehavior: Misbehavior) -> bool {
        self.interceptor.faults.iter().any(|fault| fault.is(misbehavior))
    }

    /// The lines that faults print before everything else on a line transport.
    pub(crate) fn banners(&self) -> impl Iterator<Item = DeliveryPart> {
        fault::banners(&self.interceptor.faults)
            .map(|text| DeliveryPart::Noise(Bytes::copy_from_slice(text.as_bytes())))
    }

    /// Applies the faults to a new session id.
    #[must_use]
    pub(crate) fn session_id(&self, generated: &str) -> Vec<u8> {
        fault::session_id(generated, &self.interceptor.faults)
    }

    /// Records a text of the client.
    pub(crate) fn received(&self, text: &Bytes) {
        let in_exchange = self.exchange.is_some();
        // By the rules of the client transports, so that both ends record the same text alike.
        self.record(Party::Client, || observer::text_event(text.clone(), in_exchange));
    }

    /// Records a text of the server.
    pub(crate) fn sent(&self, part: &DeliveryPart) {
        let sent = self.note(Party::Server, || EventKind::message(part.bytes().clone()));
        // Any fault may be what changed this text, so none of a faulty server's counts against it.
        let is_deliberate =
            !self.interceptor.faults.is_empty() || matches!(part, DeliveryPart::Deliberate(_));
        if let (Some(recorder), Some(sent), true) =
            (&self.interceptor.recorder, sent, is_deliberate)
        {
            recorder.mark_deliberate(sent);
        }
    }

    /// Records anything else.
    pub(crate) fn record(&self, party: Party, what: impl FnOnce() -> EventKind) {
        self.note(party, what);
    }

    fn note(&self, party: Party, what: impl FnOnce() -> EventKind) -> Option<Seq> {
        let (recorder, connection) = (self.interceptor.recorder.as_ref()?, self.connection?);
        Some(recorder.record_in(connection, self.exchange, party, what()))
    }
}

impl fmt::Debug for Interceptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interceptor").field("faults", &self.faults).finish_non_exhaustive()
    }
}

impl fmt::Debug for InterceptedConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InterceptedConnection")
            .field("connection", &self.connection)
            .finish_non_exhaustive()
    }
}
