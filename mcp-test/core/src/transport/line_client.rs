//! The client's end of a line-framed transport: one message per line over a pair of byte streams.
//!
//! Used for the in-memory duplex and for the standard streams of a child.
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio>

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::observer::{Observer, is_binary};
use super::{Origin, Outgoing, Sent};
use crate::clock::{self, Deadline, Stopwatch};
use crate::expect::words::quoted;
use crate::trace::{ConnectionId, EventKind, ParsedText, Party, Recorder, UnparsableKind};
use crate::wire::{LineEvent, LineReader};

/// How many messages may wait for a peer that does not read.
const UNREAD: usize = 64;

/// How long to wait for the newline behind a whole message, at least: a peer may write it separately.
///
/// It waits as long as the peer took to start, up to a limit, because both take longer on a busy machine.
const NEWLINE: Duration = Duration::from_secs(1);

/// The longest wait for a newline.
const MAX_NEWLINE: Duration = Duration::from_secs(10);

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
    /// Whether the deadline of a wait has passed within the current line.
    overdue: AtomicBool,
    reader: Mutex<LineReader>,
    since: Stopwatch,
    start_up: OnceLock<Duration>,
    /// How long another process of the same program took, which had nothing else to wait for.
    usual_start_up: OnceLock<Duration>,
}

impl LineProgress {
    /// That of a peer which is being started, and whose lines have at most `limit` bytes.
    pub(super) fn start(limit: usize) -> Self {
        Self {
            ended: AtomicBool::new(false),
            overdue: AtomicBool::new(false),
            reader: Mutex::new(LineReader::new(limit)),
            since: Stopwatch::start(),
            start_up: OnceLock::new(),
            usual_start_up: OnceLock::new(),
        }
    }

    /// What has arrived of a line that should have ended by now, in words.
    pub(super) fn overdue_line(&self) -> Option<String> {
        let reader = self.reader();
        let text = reader.unfinished();
        self.overdue.store(!text.is_empty(), Ordering::Relaxed);
        (!text.is_empty()).then(|| format!("a line without a newline at its end: {}", quoted(text)))
    }

    fn reader(&self) -> MutexGuard<'_, LineReader> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, bytes: &[u8]) -> Vec<LineEvent> {
        let events = self.reader().push(bytes);
        if !events.is_empty() {
            self.overdue.store(false, Ordering::Relaxed);
        }
        events
    }

    /// How long to wait for more of a line that looks like a whole message, or like none; `None` for any other.
    fn newline_wait(&self) -> Option<Duration> {
        let reader = self.reader();
        let text = reader.unfinished().trim_ascii();
        // Only the ends are looked at, since this is asked after every read.
        let looks_whole = matches!(text, [b'{', .., b'}'] | [b'[', .., b']']);
        let start_up = || self.start_up().unwrap_or_else(|| self.since.elapsed());
        (looks_whole || is_binary(text)).then(|| start_up().clamp(NEWLINE, MAX_NEWLINE))
    }

    /// Takes a whole message whose newline is missing, or bytes that no newline turns into a message.
    fn cut_message(&self) -> Option<Bytes> {
        let mut reader = self.reader();
        let text = Bytes::copy_from_slice(reader.unfinished());
        (is_message(&text) || is_binary(&text)).then(|| reader.cut())?;
        Some(text)
    }

    /// The line in which the output of the peer ended, if that is the fault of the peer.
    fn last_line(&self) -> Option<LineEvent> {
        // A peer that we end may be writing. What it did not end before, and a message that lacks only its newline, do not
        // come from that.
        let ended = self.ended.load(Ordering::Relaxed);
        if ended && !self.overdue.load(Ordering::Relaxed) {
            return self.cut_message().map(LineEvent::Partial);
        }
        self.reader().cut()
    }

    /// Notes that we are ending the peer.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// How long after its start it wrote its first message, if it has; at least as long as it usually takes.
    pub(super) fn start_up(&self) -> Option<Duration> {
        let own = self.start_up.get().copied()?;
        Some(own.max(self.usual_start_up.get().copied().unwrap_or_default()))
    }

    /// Sets how long it usually takes.
    pub(super) fn set_start_up(&self, start_up: Duration) {
        self.usual_start_up.get_or_init(|| start_up);
    }

    fn has_started(&self) {
        self.start_up.get_or_init(|| self.since.elapsed());
    }
}

/// Reads lines until the peer's output ends; returns how it ended.
///
/// A last line without a newline is a violation by the peer, unless we have ended it, perhaps while it was writing. A whole
/// message without one is reported when the newline does not come, so that nobody waits for it in vain.
pub(super) async fn observe<R>(observer: &Observer, mut input: R, progress: &LineProgress) -> String
where
    R: AsyncRead + Unpin + Send,
{
    let mut buffer = BytesMut::with_capacity(16 * 1024);
    let how = loop {
        buffer.clear();
        match read(observer, &mut input, &mut buffer, progress).await {
            Ok(0) => break "closed its output".to_owned(),
            Ok(_) => {}
            Err(error) => break format!("broke off its output: {error}"),
        }
        for event in progress.push(&buffer) {
            // Not at a banner, which a program may write long before it is ready.
            if matches!(&event, LineEvent::Line(text) if text.starts_with(b"{")) {
                progress.has_started();
            }
            if !line(observer, event).await {
                return "is no longer read".to_owned();
            }
        }
    };
    if let Some(event) = progress.last_line() {
        line(observer, event).await;
    }
    how
}

/// Reads more of the output. A whole message whose newline does not come is reported meanwhile.
async fn read<R>(
    observer: &Observer,
    input: &mut R,
    buffer: &mut BytesMut,
    progress: &LineProgress,
) -> std::io::Result<usize>
where
    R: AsyncRead + Unpin + Send,
{
    if let Some(wait) = progress.newline_wait() {
        // A read that is dropped has taken nothing from the output.
        if let Ok(read) = clock::within(Deadline::after(wait), input.read_buf(buffer)).await {
            return read;
        }
        if let Some(text) = progress.cut_message() {
            progress.has_started();
            // Whether anybody still reads is seen at the next line.
            line(observer, LineEvent::Partial(text)).await;
        }
    }
    input.read_buf(buffer).await
}

/// Whether a text is a message, and not only JSON: a structured log takes the place of no message.
pub(super) fn is_message(text: &Bytes) -> bool {
    let parsed = ParsedText::parse(text);
    parsed.frame().is_some() && !parsed.is_unrelated_json()
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
            let (why, kind) = match (is_message(&text), text.last()) {
                (true, Some(b'\r')) => (
                    "it ends with a carriage return, and no newline follows",
                    UnparsableKind::Unended,
                ),
                (true, _) => ("no newline follows", UnparsableKind::Unended),
                (false, _) if is_binary(&text) => {
                    ("not text in UTF-8, and no newline follows", UnparsableKind::BrokenMessage)
                }
                (false, _) => (
                    "the output ended inside a line: no newline follows",
                    UnparsableKind::BrokenMessage,
                ),
            };
            observer.noise(Origin::default(), text, why.to_owned(), kind).await
        }
    }
}
