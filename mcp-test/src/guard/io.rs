//! The guard on a byte stream: a message per line, as over stdio, a pipe or a socket.
//!
//! Everything happens inside of the handler's own reads and writes; there is no task of the guard. So nothing is lost when
//! a read or a write is cancelled, and nothing goes on when the stream is dropped.

use std::{
    future::Future,
    io, mem,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker, ready},
    time::Duration,
};

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{
    Guard,
    answers::{Answers, BothTasks},
    batch,
    conversation::Conversation,
    judge::{Carried, Verdict},
};
use crate::{
    clock,
    wire::lines::{LineEvent, LineReader},
};

/// How much is read at once.
const CHUNK: usize = 8 * 1024;
/// How many chunks without anything for the handler are read before others have their turn.
const CHUNKS: usize = 16;
/// How long the end of the output is kept from the peer while answers are unwritten; and that of the stream from the
/// handler, while the peer reads none of them.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// A byte stream with a [`Guard`] on it; see [`Guard::io`].
pub struct GuardedIo<IO> {
    io: IO,
    guard: Guard,
    conversation: Conversation,
    /// What came in and is not a line yet.
    coming: LineReader,
    chunk: Box<[u8]>,
    has_ended: bool,
    /// What was judged, for the handler.
    ready: BytesMut,
    /// What the handler wrote and is not a line yet.
    going: LineReader,
    /// Whether the handler has written the beginning of a line.
    is_mid_line: bool,
    /// Whether the handler has been kept from writing.
    handler_waits: bool,
    answers: Answers,
    tasks: Arc<BothTasks>,
    waker: Waker,
    patience: Option<Pin<Box<dyn Future<Output = ()> + Send + Sync>>>,
}

impl<IO> GuardedIo<IO> {
    pub(super) fn new(io: IO, guard: Guard) -> Self {
        let tasks = Arc::<BothTasks>::default();
        Self {
            io,
            conversation: Conversation::default(),
            coming: LineReader::new(guard.max_bytes),
            going: LineReader::new(guard.max_bytes),
            guard,
            chunk: vec![0; CHUNK].into(),
            has_ended: false,
            ready: BytesMut::new(),
            is_mid_line: false,
            handler_waits: false,
            answers: Answers::default(),
            waker: tasks.waker(),
            tasks,
            patience: None,
        }
    }

    /// Judges a line; what may go on is ready for the handler then.
    fn judge(&mut self, event: LineEvent) {
        let (line, end) = match event {
            LineEvent::Line(line) => (line, &b"\n"[..]),
            LineEvent::Partial(line) => (line, &b""[..]),
            LineEvent::TooLong { .. } => {
                let refusal = self.guard.too_long(&self.conversation);
                self.answers.extend(refusal.answer());
                return;
            }
        };
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        match self.guard.incoming(&mut self.conversation, &line, Carried::BY_LINE) {
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

    /// Reads along with what the handler has written.
    fn watch(&mut self, written: &[u8]) {
        let events = if self.guard.listens() { self.going.push(written) } else { Vec::new() };
        for event in events {
            match event {
                LineEvent::Line(line) => self.overhear(&line),
                LineEvent::TooLong { .. } => self.guard.went_unread(),
                LineEvent::Partial(_) => {}
            }
        }
        if let Some(last) = written.last() {
            self.is_mid_line = *last != b'\n';
        }
    }

    fn overhear(&mut self, line: &Bytes) {
        if !line.iter().all(u8::is_ascii_whitespace) {
            self.guard.outgoing(&mut self.conversation, line);
        }
    }

    /// Waits a little for answers to be written, then gives them up.
    fn poll_patience(&mut self) -> Poll<()> {
        let patience = self.patience.get_or_insert_with(|| Box::pin(clock::quiet(LAST_ANSWERS)));
        ready!(patience.as_mut().poll(&mut Context::from_waker(&self.waker)));
        self.patience = None;
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
                        self.patience = None;
                    }
                }
                // The handler finds out by itself, when it writes.
                Ok(_) | Err(_) => self.answers.close(),
            }
        }
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
                    ready!(this.poll_patience());
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
                let coming = mem::replace(&mut this.coming, LineReader::new(0));
                coming.finish().into_iter().collect()
            } else {
                this.coming.push(chunk)
            };
            for event in events {
                this.judge(event);
            }
        }
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
                this.answers.close();
                this.tasks.reader.wake();
                Poll::Ready(Err(error))
            }
            Poll::Ready(Ok(count)) => {
                this.handler_waits = false;
                this.watch(&bytes[..count.min(bytes.len())]);
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
        Pin::new(&mut this.io).poll_flush(&mut Context::from_waker(&this.waker))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.tasks.writer.register(cx.waker());
        // A line that the handler has not ended stays without an end; nothing can follow it.
        if !this.is_mid_line && this.poll_answers().is_pending() {
            ready!(this.poll_patience());
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
