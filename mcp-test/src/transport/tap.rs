//! The tap: what passes a serving carrier is recorded here, and faults change what goes out.
//!
//! Recording is optional: where both ends are in this process, the client's link has recorded everything already.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use bytes::Bytes;

use super::{
    fault::{self, Delivery, Fault, HttpDamage, Lapse, Part},
    reading,
    serve::Emitted,
};
use crate::trace::{Connection, Party, Reading, Recorder, Seq, What};

/// The place between an actor and its carriers.
#[derive(Clone, Default)]
pub struct Tap {
    faults: Arc<[Fault]>,
    recorder: Option<Recorder>,
}

/// The tap on one connection; copies are the same connection.
#[derive(Clone)]
pub struct Wire {
    tap: Tap,
    connection: Option<Connection>,
    exchange: Option<u64>,
    exchanges: Arc<AtomicU64>,
}

impl Tap {
    /// A tap on which these faults stand, applied in their order.
    #[must_use]
    pub fn new(faults: impl Into<Arc<[Fault]>>) -> Self {
        Self { faults: faults.into(), recorder: None }
    }

    /// Records what passes.
    #[must_use]
    pub fn recording(self, recorder: Recorder) -> Self {
        Self { recorder: Some(recorder), ..self }
    }

    /// Opens a connection.
    #[must_use]
    pub fn open(&self, carrier: &str) -> Wire {
        let connection = self.recorder.as_ref().map(|recorder| recorder.open(carrier));
        Wire { tap: self.clone(), connection, exchange: None, exchanges: Arc::default() }
    }
}

impl Wire {
    /// One HTTP exchange of the connection.
    #[must_use]
    pub fn exchange(&self) -> Self {
        let number = self.exchanges.fetch_add(1, Ordering::Relaxed);
        Self { exchange: Some(number), ..self.clone() }
    }

    /// What becomes of an emitted message.
    #[must_use]
    pub fn deliver(&self, emitted: Emitted) -> Delivery {
        Delivery::of(emitted, &self.tap.faults)
    }

    /// What becomes of the exchange of a message of this method, or of a `GET` or a `DELETE`.
    #[must_use]
    pub fn http_damage(&self, method: &str, is_request: bool) -> HttpDamage {
        HttpDamage::of(method, is_request, &self.tap.faults)
    }

    /// Whether who serves here is to lapse in this way.
    #[must_use]
    pub fn lapses(&self, lapse: Lapse) -> bool {
        self.tap.faults.iter().any(|fault| fault.is(lapse))
    }

    /// The lines that come before everything else on a line carrier.
    pub fn banners(&self) -> impl Iterator<Item = Part> {
        fault::banners(&self.tap.faults)
            .map(|text| Part::Noise(Bytes::copy_from_slice(text.as_bytes())))
    }

    /// What becomes of a freshly minted session id.
    #[must_use]
    pub fn session_id(&self, minted: &str) -> Vec<u8> {
        fault::session_id(minted, &self.tap.faults)
    }

    /// Records a text of the client.
    pub fn received(&self, text: &Bytes) {
        let in_exchange = self.exchange.is_some();
        self.record(Party::Client, || reading::said(text.clone(), in_exchange));
    }

    /// Records a text of the server.
    pub fn sent(&self, text: &Bytes) {
        let said = self.note(Party::Server, || Reading::message(text.clone()));
        if let (Some(recorder), Some(said), false) =
            (&self.tap.recorder, said, self.tap.faults.is_empty())
        {
            recorder.mark_deliberate(said);
        }
    }

    /// Records anything else.
    pub fn record(&self, party: Party, what: impl FnOnce() -> What) {
        self.note(party, what);
    }

    fn note(&self, party: Party, what: impl FnOnce() -> What) -> Option<Seq> {
        let (recorder, connection) = (self.tap.recorder.as_ref()?, self.connection?);
        Some(recorder.record_in(connection, self.exchange, party, what()))
    }
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tap").field("faults", &self.faults).finish_non_exhaustive()
    }
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire").field("connection", &self.connection).finish_non_exhaustive()
    }
}
