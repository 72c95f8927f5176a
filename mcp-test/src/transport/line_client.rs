//! The client's end of a line-framed transport: one message per line over a pair of byte streams.
//!
//! Used for the in-memory duplex and for the standard streams of a child.
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio>

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::observer::Observer;
use super::{Origin, Outgoing, Sent};
use crate::clock::{self, Deadline, Stopwatch};
use crate::trace::{ConnectionId, EventKind, Party, Recorder, UnparsableKind};
use crate::wire::{LineEvent, LineReader};

/// How many messages may wait for a peer that does not read.
const UNREAD: usize = 64;

/// The sending half: a queue in front of the task that writes.
pub(super) struct LineSender {
    recorder: Recorder,
    connection: ConnectionId,
    queue: Option<mpsc::Sender<Bytes>>,
    writer: JoinHandle<()>,
}

impl LineSender {
    /// Starts writing to `output`, which is closed with the sender.
    pub(super) fn start<W>(recorder: Recorder, connection: ConnectionId, mut output: W) -> Self
    where
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (queue, mut waiting) = mpsc::channel::<Bytes>(UNREAD);
        // A task of its own, so that a peer that does not read blocks the task and not the test.
        let writer = tokio::spawn(async move {
            while let Some(line) = waiting.recv().await {
                // A peer that is gone is reported by the reading side, at the end of its output.
                if output.write_all(&line).await.is_err() || output.flush().await.is_err() {
                    return;
                }
            }
            // The end of its input asks a server over stdio to exit.
            let _ = output.shutdown().await;
        });
        Self { recorder, connection, queue: Some(queue), writer }
    }

    /// Records a message and puts it into the queue as one line.
    pub(super) async fn send(&mut self, outgoing: Outgoing, deadline: Deadline) -> Sent {
        let mut line = BytesMut::with_capacity(outgoing.text.len() + 1);
        line.extend_from_slice(&outgoing.text);
        line.put_u8(b'\n');
        let what = EventKind::message(outgoing.text);
        let seq = self.recorder.record_in(self.connection, None, Party::Client, what);
        let written = match &self.queue {
            Some(queue) => clock::within(deadline, queue.send(line.freeze())).await.is_ok(),
            // Closed by us, so the peer is not to blame for what is not written.
            None => true,
        };
        Sent { seq, exchange: None, written }
    }

    /// Closes the peer's input once the queue is written, or at the deadline.
    pub(super) async fn close(&mut self, deadline: Deadline) {
        // Ends the task that writes, which then closes the output.
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

/// What is known of a peer that writes lines.
#[derive(Debug)]
pub(super) struct LineProgress {
    /// Whether we are ending the peer, which may truncate its last line.
    ended: AtomicBool,
    since: Stopwatch,
    start_up: OnceLock<Duration>,
}

impl LineProgress {
    /// That of a peer which is being started.
    pub(super) fn start() -> Self {
        Self { ended: AtomicBool::new(false), since: Stopwatch::start(), start_up: OnceLock::new() }
    }

    /// Notes that we are ending the peer.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// How long after its start it wrote its first message, if it has.
    pub(super) fn start_up(&self) -> Option<Duration> {
        self.start_up.get().copied()
    }

    /// Sets it, unless it has written a message.
    pub(super) fn set_start_up(&self, start_up: Duration) {
        self.start_up.get_or_init(|| start_up);
    }

    fn has_started(&self) {
        self.start_up.get_or_init(|| self.since.elapsed());
    }
}

/// Reads lines until the peer's output ends; returns how it ended.
///
/// A last line without a newline is a violation by the peer, unless we have ended it, perhaps while it was writing.
pub(super) async fn observe<R>(
    observer: &Observer,
    mut input: R,
    limit: usize,
    progress: &LineProgress,
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
            // Not at a banner, which a program may write long before it is ready.
            if matches!(&event, LineEvent::Line(text) if text.starts_with(b"{")) {
                progress.has_started();
            }
            if !line(observer, event).await {
                return "is no longer read".to_owned();
            }
        }
    };
    if let Some(event) = reader.finish().filter(|_| !progress.ended.load(Ordering::Relaxed)) {
        line(observer, event).await;
    }
    how
}

async fn line(observer: &Observer, event: LineEvent) -> bool {
    match event {
        LineEvent::Line(text) => {
            // A server must not write anything to stdout that is not a message, so a blank line is reported too.
            if text.iter().all(u8::is_ascii_whitespace) {
                let why = "a blank line".to_owned();
                return observer.noise(Origin::default(), text, why, UnparsableKind::Stray).await;
            }
            observer.text(Origin::default(), text).await
        }
        LineEvent::TooLong { length_seen, head } => {
            let limit = length_seen.saturating_sub(1);
            let why = format!("a line longer than the {limit} bytes that mcp-test reads");
            observer.noise(Origin::default(), head, why, UnparsableKind::OverLimit).await
        }
        LineEvent::Partial(text) => {
            let why = "the output ended inside a line: no newline follows".to_owned();
            observer.noise(Origin::default(), text, why, UnparsableKind::BrokenMessage).await
        }
    }
}
