//! The guard on a byte stream: a message per line, as over stdio, a pipe or a socket.
//!
//! Everything happens within the reads and writes of the handler; the guard has no task of its own. So nothing is lost when
//! a read or a write is cancelled, and nothing runs on when the stream is dropped.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;
use std::{io, mem};

use bytes::{Buf, Bytes, BytesMut};
use mcp_test_core::clock;
use mcp_test_core::wire::{LineEvent, LineReader};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::answers::{Answers, BothTasks};
use super::guarded_conversation::GuardedConversation;
use super::in_force::Carried;
use super::judge::Verdict;
use super::{Guard, batch};

/// How many bytes are read at once.
const CHUNK: usize = 8 * 1024;
/// How many chunks without anything for the handler are read before other tasks get their turn.
const CHUNKS: usize = 16;
/// How long the end of a stream is held back while answers are unwritten: from the peer, and, if the peer reads none of
/// them, from the handler.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// A byte stream with a [`Guard`] on it; see [`Guard::io`].
pub struct GuardedIo<IO> {
    io: IO,
    guard: Guard,
    conversation: GuardedConversation,
    /// What was received and is not a complete line yet.
    incoming: LineReader,
    chunk: Box<[u8]>,
    has_ended: bool,
    /// What the handler may read.
    ready: BytesMut,
    /// What the handler wrote and is not a complete line yet.
    outgoing: LineReader,
    /// Whether the handler has written the beginning of a line.
    is_mid_line: bool,
    /// Whether a write of the handler has to wait.
    handler_waits: bool,
    answers: Answers,
    tasks: Arc<BothTasks>,
    waker: Waker,
    answer_grace: Option<Pin<Box<dyn Future<Output = ()> + Send + Sync>>>,
}

impl<IO> GuardedIo<IO> {
    pub(super) fn new(io: IO, guard: Guard) -> Self {
        let tasks = Arc::<BothTasks>::default();
        Self {
            io,
            conversation: GuardedConversation::default(),
            incoming: LineReader::new(guard.max_bytes),
            outgoing: LineReader::new(guard.max_bytes),
            guard,
            chunk: vec![0; CHUNK].into(),
            has_ended: false,
            ready: BytesMut::new(),
            is_mid_line: false,
            handler_waits: false,
            answers: Answers::default(),
            // Made once: the io object gets the same waker from both tasks, whichever of them polls it.
            waker: tasks.waker(),
            tasks,
            answer_grace: None,
        }
    }

    /// Judges a line, and makes what may pass ready for the handler.
    fn judge(&mut self, event: LineEvent) {
        let (line, end) = match event {
            LineEvent::Line(line) => (line, &b"\n"[..]),
            LineEvent::Partial(line) => (line, &b""[..]),
            LineEvent::TooLong { .. } => {
                // Answered without an id: it may be anywhere in the line, of which only the head is kept.
                let refusal = self.guard.too_long(&self.conversation);
                self.answers.extend(refusal.answer());
                return;
            }
        };
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        match self.guard.incoming(&mut self.conversation, &line, Carried::BY_LINE) {
            // A last line without a newline is passed without one: the guard adds nothing to what it lets through.
            Verdict::Passes => self.pass(&line, end),
            Verdict::Refused(refusal) => self.answers.extend(refusal.answer()),
            Verdict::Batch(items) => {
                if let Some(rest) = batch::rest(&line, &items) {
                    self.pass(&rest, end);
                }
                self.answers.extend(batch::answers(&items));
            }
        }
    }

    fn pass(&mut self, line: &[u8], end: &[u8]) {
        self.ready.extend_from_slice(line);
        self.ready.extend_from_slice(end);
    }

    /// Judges what the handler has written.
    fn watch(&mut self, written: &[u8]) {
        // What nothing depends on is not even cut into lines.
        let events = if self.guard.listens() { self.outgoing.push(written) } else { Vec::new() };
        for event in events {
            match event {
                LineEvent::Line(line) => self.judge_outgoing(&line),
                LineEvent::TooLong { .. } => self.guard.outgoing_too_long(),
                // Not reached: only `finish` returns a partial line, and the outgoing reader is never finished.
                LineEvent::Partial(_) => {}
            }
        }
        // Tracked for every write, listener or not: answers must not land inside a line of the handler.
        if let Some(last) = written.last() {
            self.is_mid_line = *last != b'\n';
        }
    }

    fn judge_outgoing(&mut self, line: &Bytes) {
        if !line.iter().all(u8::is_ascii_whitespace) {
            self.guard.outgoing(&mut self.conversation, line);
        }
    }

    /// Waits a little for answers to be written, then gives them up.
    fn poll_answer_grace(&mut self) -> Poll<()> {
        // The timer starts at the first poll and is kept, so that later polls do not extend it.
        let answer_grace =
            self.answer_grace.get_or_insert_with(|| Box::pin(clock::quiet(LAST_ANSWERS)));
        // With the waker of both tasks: reading and shutting down may both wait for it.
        ready!(answer_grace.as_mut().poll(&mut Context::from_waker(&self.waker)));
        self.answer_grace = None;
        self.answers.close();
        Poll::Ready(())
    }
}

impl<IO: AsyncWrite + Unpin> GuardedIo<IO> {
    /// Writes answers as far as there is room: all of them between two lines of the handler, else the one that is begun.
    fn poll_answers(&mut self) -> Poll<()> {
        let waker = self.waker.clone();
        let mut cx = Context::from_waker(&waker);
        let mut io = Pin::new(&mut self.io);
        while let Some(line) = self.answers.next().filter(|_| !self.is_mid_line) {
            match ready!(io.as_mut().poll_write(&mut cx, line)) {
                Ok(count) if count > 0 => {
                    self.answers.written(count);
                    // No more answers come after the end: a peer that reads these gets them all.
                    if self.has_ended {
                        self.answer_grace = None;
                    }
                }
                // The handler finds out by itself, when it writes.
                Ok(_) | Err(_) => self.answers.close(),
            }
        }
        // Flushed by the guard itself: a handler that has nothing to say never flushes.
        if self.answers.needs_flush() {
            match ready!(io.poll_flush(&mut cx)) {
                Ok(()) => self.answers.flushed(),
                Err(_) => self.answers.close(),
            }
        }
        Poll::Ready(())
    }
}

impl<IO: AsyncRead + AsyncWrite + Unpin> AsyncRead for GuardedIo<IO> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        // Registered before anything is polled, so that a wake-up in between is not lost.
        this.tasks.reader.register(cx.waker());
        if buffer.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        for _ in 0..CHUNKS {
            let _ = this.poll_answers();
            if !this.ready.is_empty() {
                let count = this.ready.len().min(buffer.remaining());
                buffer.put_slice(&this.ready[..count]);
                this.ready.advance(count);
                return Poll::Ready(Ok(()));
            }
            if this.has_ended {
                // A handler that sees the end may be gone before it has written anything.
                if !this.answers.is_done() {
                    ready!(this.poll_answer_grace());
                }
                return Poll::Ready(Ok(()));
            }
            if this.answers.is_full() {
                return Poll::Pending;
            }
            let mut chunk = ReadBuf::new(&mut this.chunk);
            ready!(Pin::new(&mut this.io).poll_read(cx, &mut chunk))?;
            let chunk = chunk.filled();
            let events = if chunk.is_empty() {
                this.has_ended = true;
                // `finish` consumes the reader; after the end nothing is pushed to the one in its place.
                let incoming = mem::replace(&mut this.incoming, LineReader::new(0));
                incoming.finish().into_iter().collect()
            } else {
                this.incoming.push(chunk)
            };
            for event in events {
                this.judge(event);
            }
        }
        // The peer may send refused lines forever; without this turn they would keep the task from yielding.
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for GuardedIo<IO> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.tasks.writer.register(cx.waker());
        // Answers that wait go first, so that a handler that always writes does not keep them; but once the handler had to
        // wait for them it is its turn, so that a peer that is always wrong does not keep the handler.
        let goes_first = this.handler_waits && !this.answers.is_begun();
        if !this.is_mid_line && !goes_first && this.poll_answers().is_pending() {
            this.handler_waits = true;
            if this.answers.is_begun() || !this.answers.is_empty() {
                return Poll::Pending;
            }
        }
        // Cut at the end of a line: a handler whose writes always end inside a line would never let an answer out.
        if !this.answers.is_empty()
            && let Some(newline) = bytes.iter().position(|&byte| byte == b'\n')
        {
            bytes = &bytes[..=newline];
        }
        let mut both = Context::from_waker(&this.waker);
        match Pin::new(&mut this.io).poll_write(&mut both, bytes) {
            Poll::Pending => {
                this.handler_waits = true;
                Poll::Pending
            }
            Poll::Ready(Err(error)) => {
                // A reading task that waits for room in the answers, or for their end, has to go on.
                this.answers.close();
                this.tasks.reader.wake();
                Poll::Ready(Err(error))
            }
            Poll::Ready(Ok(count)) => {
                this.handler_waits = false;
                // Only what was written is judged: the handler writes the rest again. A faulty io object may report
                // too much.
                this.watch(&bytes[..count.min(bytes.len())]);
                // The line is complete, so the reading task may write the answers that waited for its end.
                if !this.is_mid_line && !this.answers.is_empty() {
                    this.tasks.reader.wake();
                }
                Poll::Ready(Ok(count))
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.tasks.writer.register(cx.waker());
        let _ = this.poll_answers();
        // Answers that could not be written do not hold up the flush of what the handler wrote.
        Pin::new(&mut this.io).poll_flush(&mut Context::from_waker(&this.waker))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.tasks.writer.register(cx.waker());
        // A line that the handler has not ended stays without an end; nothing can follow it.
        if !this.is_mid_line && this.poll_answers().is_pending() {
            ready!(this.poll_answer_grace());
        }
        this.answers.close();
        this.tasks.reader.wake();
        Pin::new(&mut this.io).poll_shutdown(&mut Context::from_waker(&this.waker))
    }
}

impl<IO> std::fmt::Debug for GuardedIo<IO> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GuardedIo").field("guard", &self.guard).finish_non_exhaustive()
    }
}
