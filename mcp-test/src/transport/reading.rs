//! From bytes that a peer wrote to observations, recorded as they arrive.
//!
//! Shared by all client-side carriers, so that the same bytes read the same on each of them.

use bytes::Bytes;
use tokio::sync::mpsc;

use super::link::{Damage, Incoming, Origin};
use crate::expect::words::quoted;
use crate::trace::{Connection, Party, Reading, Recorder, Seq, What};
use crate::wire::{Frame, Malformed, Message};

/// Records what arrives on one connection and passes it on.
#[derive(Clone)]
pub(super) struct Observer {
    pub(super) recorder: Recorder,
    pub(super) connection: Connection,
    pub(super) incoming: mpsc::Sender<Incoming>,
}

impl Observer {
    /// Records an event of the peer without passing it on.
    pub(super) fn record(&self, exchange: Option<u64>, what: What) -> Seq {
        self.recorder.record_in(self.connection, exchange, Party::Server, what)
    }

    /// Reads what should be one JSON-RPC message (or a batch), records it and passes it on.
    ///
    /// Returns whether the reader of the connection is still there.
    pub(super) async fn text(&self, origin: Origin, text: Bytes) -> bool {
        let reading = Reading::of(&text);
        let head = quoted(&text);
        let frame = match reading.frame() {
            Some(frame) => frame.cloned().map_err(Clone::clone),
            None => {
                // In an HTTP body or an event nothing else than a message has its place.
                let begun = matches!(first_byte(&text), Some(b'{' | b'['));
                let lost = begun || origin.exchange.is_some();
                let why = reading.problem().unwrap_or("not JSON").to_owned();
                let damage = match lost {
                    _ if reading.is_too_deep() => Damage::OverLimit,
                    true => Damage::Lost,
                    false => Damage::Stray,
                };
                return self.noise(origin, text, why, damage).await;
            }
        };
        let seq = self.record(origin.exchange, What::Message { text, reading });
        match frame {
            Ok(Frame::One(message)) => self.message(seq, origin, message).await,
            Ok(Frame::Batch(items)) => {
                let mut open = true;
                for item in items {
                    open = match item {
                        Ok(message) => self.message(seq, origin, message).await,
                        Err(malformed) => self.malformed(seq, origin, &head, malformed).await,
                    };
                }
                open
            }
            Err(malformed) => self.malformed(seq, origin, &head, malformed).await,
        }
    }

    /// Records bytes that are no message and passes that on.
    pub(super) async fn noise(
        &self,
        origin: Origin,
        bytes: Bytes,
        why: String,
        damage: Damage,
    ) -> bool {
        let head = quoted(&bytes);
        let seq = self.record(origin.exchange, What::Noise { bytes, why: why.clone(), damage });
        self.pass(Incoming::Garbled { seq, origin, head, why, malformed: None, damage }).await
    }

    async fn message(&self, seq: Seq, origin: Origin, message: Message) -> bool {
        self.pass(Incoming::Message { seq, origin, message }).await
    }

    async fn malformed(&self, seq: Seq, origin: Origin, head: &str, malformed: Malformed) -> bool {
        let head = head.to_owned();
        let why = format!("malformed: {malformed}");
        let (malformed, damage) = (Some(malformed), Damage::Lost);
        self.pass(Incoming::Garbled { seq, origin, head, why, malformed, damage }).await
    }

    /// Passes an observation on; `false` when nobody reads any more.
    pub(super) async fn pass(&self, incoming: Incoming) -> bool {
        self.incoming.send(incoming).await.is_ok()
    }
}

fn first_byte(text: &[u8]) -> Option<u8> {
    text.iter().copied().find(|byte| !byte.is_ascii_whitespace())
}
