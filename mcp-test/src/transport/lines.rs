//! The client's end of a line-framed carrier: one message per line over a pair of byte streams.
//!
//! Serves the in-memory duplex and the standard streams of a child alike; it does not know which it is on.
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio>

use std::sync::atomic::{AtomicBool, Ordering};

use bytes::{BufMut, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::link::{Damage, Origin, Outgoing, Sent};
use super::reading::Observer;
use crate::clock::{self, Deadline};
use crate::trace::{Connection, Party, Reading, Recorder};
use crate::wire::lines::{LineEvent, LineReader};

/// Messages that may wait for a peer that does not read.
const UNREAD: usize = 64;

/// The sending half: a queue in front of the task that writes.
pub(super) struct LineSender {
    recorder: Recorder,
    connection: Connection,
    queue: Option<mpsc::Sender<Bytes>>,
    writer: JoinHandle<()>,
}

impl LineSender {
    /// Starts writing to `output`; it is closed when the sender is.
    pub(super) fn start<W>(recorder: Recorder, connection: Connection, mut output: W) -> Self
    where
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (queue, mut waiting) = mpsc::channel::<Bytes>(UNREAD);
        let writer = tokio::spawn(async move {
            while let Some(line) = waiting.recv().await {
                // A peer that is gone shows on the reading side, as the end of its output.
                if output.write_all(&line).await.is_err() || output.flush().await.is_err() {
                    return;
                }
            }
            let _ = output.shutdown().await;
        });
        Self { recorder, connection, queue: Some(queue), writer }
    }

    /// Records a message and puts it into the queue as one line.
    pub(super) async fn send(&mut self, outgoing: Outgoing, deadline: Deadline) -> Sent {
        let mut line = BytesMut::with_capacity(outgoing.text.len() + 1);
        line.extend_from_slice(&outgoing.text);
        line.put_u8(b'\n');
        let what = Reading::message(outgoing.text);
        let seq = self.recorder.record_in(self.connection, None, Party::Client, what);
        let written = match &self.queue {
            Some(queue) => clock::within(deadline, queue.send(line.freeze())).await.is_ok(),
            None => true,
        };
        Sent { seq, exchange: None, written }
    }

    /// Closes the peer's input once everything in the queue is written; at the deadline, whatever is not.
    pub(super) async fn close(&mut self, deadline: Deadline) {
        self.queue = None;
        let _ = clock::within(deadline, &mut self.writer).await;
        self.writer.abort();
    }
}

impl Drop for LineSender {
    fn drop(&mut self) {
        self.writer.abort();
    }
}

/// Reads lines until the peer's output ends; returns how it ended. A last line without an end is a fault of the peer,
/// unless it was `ended` by us.
pub(super) async fn observe<R>(
    observer: &Observer,
    mut input: R,
    limit: usize,
    ended: &AtomicBool,
) -> String
where
    R: AsyncRead + Unpin + Send,
{
    let mut reader = LineReader::new(limit);
    let mut buffer = BytesMut::with_capacity(16 * 1024);
    let how = loop {
        buffer.clear();
        match input.read_buf(&mut buffer).await {
            Ok(0) => break "closed its output".to_owned(),
            Ok(_) => {}
            Err(error) => break format!("broke off its output: {error}"),
        }
        for event in reader.push(&buffer) {
            if !line(observer, event).await {
                return "is no longer listened to".to_owned();
            }
        }
    };
    if let Some(event) = reader.finish().filter(|_| !ended.load(Ordering::Relaxed)) {
        line(observer, event).await;
    }
    how
}

async fn line(observer: &Observer, event: LineEvent) -> bool {
    match event {
        LineEvent::Line(text) => {
            if text.iter().all(u8::is_ascii_whitespace) {
                let why = "a blank line".to_owned();
                return observer.noise(Origin::default(), text, why, Damage::Stray).await;
            }
            observer.text(Origin::default(), text).await
        }
        LineEvent::TooLong { length_seen, head } => {
            let limit = length_seen.saturating_sub(1);
            let why = format!("a line longer than the {limit} bytes that mcp-test reads");
            observer.noise(Origin::default(), head, why, Damage::OverLimit).await
        }
        LineEvent::Partial(text) => {
            let why = "the output ended inside a line: no newline follows".to_owned();
            observer.noise(Origin::default(), text, why, Damage::Lost).await
        }
    }
}
