//! The lines of an output stream: read by a task, passed on to a sink and to waiters, the last of them kept.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc;

use crate::expect::words::floor_char_boundary;

/// How many lines are kept.
const TAIL_LINES: usize = 500;
/// Longer lines are split, but never within a character.
const LINE_BYTES: usize = 16 * 1024;

/// A stream that can be read by a task and, on Unix, without waiting.
#[cfg(unix)]
pub(super) trait Pipe: AsyncRead + std::os::fd::AsFd + Unpin + Send + 'static {}
#[cfg(unix)]
impl<P: AsyncRead + std::os::fd::AsFd + Unpin + Send + 'static> Pipe for P {}
#[cfg(not(unix))]
pub(super) trait Pipe: AsyncRead + Unpin + Send + 'static {}
#[cfg(not(unix))]
impl<P: AsyncRead + Unpin + Send + 'static> Pipe for P {}

pub(super) type Sink = Box<dyn FnMut(String) + Send>;
type Predicate = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// A handle to the lines of one stream, which is closed with the last handle.
#[derive(Clone)]
pub(super) struct Lines(Arc<Mutex<State>>);

struct State {
    pipe: Option<Box<dyn Pipe>>,
    open_line: Vec<u8>,
    tail: VecDeque<String>,
    sink: Sink,
    waiters: Vec<(Predicate, mpsc::Sender<String>)>,
    pump: Option<Waker>,
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines").finish_non_exhaustive()
    }
}

impl Lines {
    pub(super) fn new(pipe: impl Pipe, sink: Sink) -> Self {
        Self(Arc::new(Mutex::new(State {
            pipe: Some(Box::new(pipe)),
            open_line: Vec::new(),
            tail: VecDeque::new(),
            sink,
            waiters: Vec::new(),
            pump: None,
        })))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads to the end of the stream.
    pub(super) async fn pump(self) {
        poll_fn(|cx| self.lock().poll_read(cx)).await;
    }

    /// Reads what is in the pipe now, so that nothing is missed that an exited process wrote.
    pub(super) fn drain(&self) {
        self.lock().drain();
    }

    /// Reads what is in the pipe now, ends an unfinished line, and stops reading.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.drain();
        state.end();
    }

    /// The last lines, including an unfinished one.
    pub(super) fn tail(&self, count: usize) -> Vec<String> {
        let state = self.lock();
        let open = (!state.open_line.is_empty()).then(|| text(&state.open_line));
        let mut all: Vec<String> = state.tail.iter().cloned().chain(open).collect();
        all.split_off(all.len().saturating_sub(count))
    }

    /// Sends the first line that matches, which may already be in the tail.
    pub(super) fn send_first(&self, matches: Predicate, to: mpsc::Sender<String>) {
        let mut state = self.lock();
        if let Some(line) = state.tail.iter().find(|line| matches(line)) {
            let _ = to.try_send(line.clone());
            return;
        }
        // A wait that is over has dropped its receiver.
        state.waiters.retain(|(_, to)| !to.is_closed());
        state.waiters.push((matches, to));
    }
}

impl State {
    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut space = [0; 4096];
        let Some(pipe) = &mut self.pipe else {
            return Poll::Ready(());
        };
        let mut buf = ReadBuf::new(&mut space);
        // The lock is held from the read to the push, so that a concurrent drain cannot change the order.
        match Pin::new(pipe).poll_read(cx, &mut buf) {
            Poll::Ready(Ok(())) if !buf.filled().is_empty() => self.push(buf.filled()),
            Poll::Ready(_) => self.end(),
            Poll::Pending => {
                self.pump = Some(cx.waker().clone());
                return Poll::Pending;
            }
        }
        // A flood never lets the pipe run empty, and the deadline that ends it has to have its turn.
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    #[cfg(unix)]
    fn drain(&mut self) {
        let mut space = [0; 4096];
        // Only what is there now: a descendant may fill the pipe faster than it is drained.
        let available = self.pipe.as_ref().map(|pipe| rustix::io::ioctl_fionread(pipe.as_fd()));
        let mut left =
            available.and_then(Result::ok).and_then(|it| it.try_into().ok()).unwrap_or(0);
        while let Some(pipe) = self.pipe.as_ref().filter(|_| left > 0) {
            let most = space.len().min(left);
            // Bypasses tokio, whose readiness may lag behind the pipe; the pipe is nonblocking.
            match rustix::io::read(pipe.as_fd(), &mut space[..most]) {
                Ok(0) => self.end(),
                Ok(count) => {
                    left -= count;
                    self.push(&space[..count]);
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }

    #[cfg(not(unix))]
    fn drain(&mut self) {}

    fn push(&mut self, mut bytes: &[u8]) {
        while let Some(at) = bytes.iter().position(|byte| *byte == b'\n') {
            self.open_line.extend_from_slice(&bytes[..at]);
            self.finish_line();
            bytes = &bytes[at + 1..];
        }
        self.open_line.extend_from_slice(bytes);
        // A program that never writes a newline must not fill the memory.
        while self.open_line.len() > LINE_BYTES {
            let rest = self.open_line.split_off(floor_char_boundary(&self.open_line, LINE_BYTES));
            self.finish_line();
            self.open_line = rest;
        }
    }

    fn end(&mut self) {
        self.pipe = None;
        if !self.open_line.is_empty() {
            self.finish_line();
        }
        self.waiters.clear();
        // Without its pipe nothing else would wake the pump, and its task would never end.
        if let Some(pump) = self.pump.take() {
            pump.wake();
        }
    }

    fn finish_line(&mut self) {
        let line = text(&self.open_line);
        self.open_line.clear();
        self.waiters.retain(|(matches, to)| {
            let found = matches(&line);
            if found {
                let _ = to.try_send(line.clone());
            }
            !found
        });
        if self.tail.len() == TAIL_LINES {
            self.tail.pop_front();
        }
        self.tail.push_back(line.clone());
        (self.sink)(line);
    }
}

fn text(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    String::from_utf8_lossy(line).into_owned()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::io::{PipeReader, Write};
    use std::os::fd::{AsFd, BorrowedFd};

    use super::*;

    /// A pipe that is read in tokio as it is told to: without end, or never.
    struct TestPipe {
        pipe: PipeReader,
        flood: Option<&'static [u8]>,
    }

    impl AsFd for TestPipe {
        fn as_fd(&self) -> BorrowedFd<'_> {
            self.pipe.as_fd()
        }
    }

    impl AsyncRead for TestPipe {
        fn poll_read(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buf: &mut ReadBuf<'_>,
        ) -> Poll<std::io::Result<()>> {
            let Some(text) = self.flood else { return Poll::Pending };
            buf.put_slice(text);
            Poll::Ready(Ok(()))
        }
    }

    #[test]
    fn others_have_their_turn_during_a_flood() {
        let (pipe, _writer) = std::io::pipe().expect("a pipe");
        let flood = TestPipe { pipe, flood: Some(b"y\n") };
        let lines = Lines::new(flood, Box::new(drop));
        let mut pump = std::pin::pin!(lines.clone().pump());
        for read in 1..=3 {
            let polled = pump.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert!(polled.is_pending());
            assert_eq!(lines.tail(9).len(), read);
        }
    }

    #[test]
    fn draining_stops_at_what_was_in_the_pipe_when_it_began() {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        rustix::io::ioctl_fionbio(&reader, true).expect("a pipe that does not block");
        writer.write_all(b"one\ntwo\nth").expect("there is space");
        // One more line for every line.
        let sink = move |_| writer.write_all(b"ree\n").expect("there is space");
        let lines = Lines::new(TestPipe { pipe: reader, flood: None }, Box::new(sink));
        lines.drain();
        assert_eq!(lines.tail(9), ["one", "two", "th"]);
        lines.close();
        assert_eq!(lines.tail(9), ["one", "two", "three", "ree"]);
    }

    #[test]
    fn a_long_line_is_split_between_characters() {
        let (reader, _writer) = std::io::pipe().expect("a pipe");
        let lines = Lines::new(TestPipe { pipe: reader, flood: None }, Box::new(|_| {}));
        // The bound falls inside of a character of three bytes, in one piece and across pieces.
        let long = format!("a{}", "\u{20ac}".repeat(LINE_BYTES));
        long.as_bytes().chunks(4096).for_each(|piece| lines.lock().push(piece));
        lines.lock().push("\n".as_bytes());
        let all = lines.tail(9);
        assert_eq!(all.concat(), long);
        assert!(all.len() > 3 && all.iter().all(|line| line.len() <= LINE_BYTES));
    }
}
