//! From bytes that a peer wrote to observations, recorded as they arrive.
//!
//! Shared by all client-side carriers, so that the same bytes read the same on each of them.

use bytes::Bytes;
use tokio::sync::mpsc;

use super::link::Incoming;
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
    pub(super) async fn text(&self, exchange: Option<u64>, text: Bytes) -> bool {
        let reading = Reading::of(&text);
        let head = quoted(&text);
        let frame = match reading.frame() {
            Some(frame) => frame.cloned().map_err(Clone::clone),
            None => {
                let broken = matches!(first_byte(&text), Some(b'{' | b'['));
                let why = reading.problem().unwrap_or("not JSON").to_owned();
                return self.noise(exchange, text, why, broken).await;
            }
        };
        let seq = self.record(exchange, What::Message { text, reading });
        match frame {
            Ok(Frame::One(message)) => self.message(seq, exchange, message).await,
            Ok(Frame::Batch(items)) => {
                let mut open = true;
                for item in items {
                    open = match item {
                        Ok(message) => self.message(seq, exchange, message).await,
                        Err(malformed) => self.malformed(seq, exchange, &head, malformed).await,
                    };
                }
                open
            }
            Err(malformed) => self.malformed(seq, exchange, &head, malformed).await,
        }
    }

    /// Records bytes that are no message and passes that on.
    pub(super) async fn noise(
        &self,
        exchange: Option<u64>,
        bytes: Bytes,
        why: String,
        broken_message: bool,
    ) -> bool {
        let head = quoted(&bytes);
        let seq =
            self.record(exchange, What::Noise { bytes, why: why.clone(), lost: broken_message });
        let malformed = None;
        self.pass(Incoming::Garbled { seq, exchange, head, why, malformed, broken_message }).await
    }

    async fn message(&self, seq: Seq, exchange: Option<u64>, message: Message) -> bool {
        self.pass(Incoming::Message { seq, exchange, message }).await
    }

    async fn malformed(
        &self,
        seq: Seq,
        exchange: Option<u64>,
        head: &str,
        malformed: Malformed,
    ) -> bool {
        let head = head.to_owned();
        let why = format!("malformed: {malformed}");
        let malformed = Some(malformed);
        let broken_message = true;
        self.pass(Incoming::Garbled { seq, exchange, head, why, malformed, broken_message }).await
    }

    /// Passes an observation on; `false` when nobody reads any more.
    pub(super) async fn pass(&self, incoming: Incoming) -> bool {
        self.incoming.send(incoming).await.is_ok()
    }
}

fn first_byte(text: &[u8]) -> Option<u8> {
    text.iter().copied().find(|byte| !byte.is_ascii_whitespace())
}

/// The beginning of some bytes in quotes, so that it can be read in a sentence.
fn quoted(bytes: &[u8]) -> String {
    const SHOWN: usize = 80;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]);
    let more = if bytes.len() > SHOWN { "…" } else { "" };
    format!("{text:?}{more}")
}
