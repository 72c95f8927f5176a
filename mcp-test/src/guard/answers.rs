//! The guard's own answers on a byte stream, which wait to be written between the handler's lines.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Wake, Waker};

use bytes::{Buf, Bytes, BytesMut};
use futures_util::task::AtomicWaker;
use mcp_test_core::json::Value;

/// How many bytes may wait before no more is read from the peer.
const FULL: usize = 256 * 1024;

/// Lines that wait to be written.
#[derive(Debug, Default)]
pub(super) struct Answers {
    lines: VecDeque<Bytes>,
    bytes: usize,
    /// Whether the first line is written in part.
    begun: bool,
    unflushed: bool,
    closed: bool,
}

impl Answers {
    /// Adds an answer, if there is one; it is dropped after the end of the output, when nobody can read it.
    pub(super) fn extend(&mut self, answer: Option<Value>) {
        let Some(answer) = answer.filter(|_| !self.closed) else { return };
        let mut line = BytesMut::from(answer.to_string().as_bytes());
        line.extend_from_slice(b"\n");
        self.bytes += line.len();
        self.lines.push_back(line.freeze());
    }

    /// The line to be written next.
    pub(super) fn next(&self) -> Option<&[u8]> {
        self.lines.front().map(|line| &line[..])
    }

    /// Removes the bytes of it that were written.
    pub(super) fn written(&mut self, count: usize) {
        let Some(line) = self.lines.front_mut() else { return };
        // A faulty io object may report more than it was given.
        line.advance(count.min(line.len()));
        self.bytes = self.bytes.saturating_sub(count);
        self.begun = !line.is_empty();
        if line.is_empty() {
            self.lines.pop_front();
        }
        self.unflushed = true;
    }

    pub(super) fn flushed(&mut self) {
        self.unflushed = false;
    }

    /// Whether an answer is written in part, so that nothing else may be.
    pub(super) fn is_begun(&self) -> bool {
        self.begun
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(super) fn needs_flush(&self) -> bool {
        self.unflushed
    }

    /// Whether everything has reached the peer's end of the stream.
    pub(super) fn is_done(&self) -> bool {
        self.lines.is_empty() && !self.unflushed
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes >= FULL
    }

    /// Gives up: nothing can be written any more.
    pub(super) fn close(&mut self) {
        *self = Self { closed: true, ..Self::default() };
    }
}

/// The tasks that read from and write to one stream, which need not be the same one.
///
/// Both of them write: the reading one writes answers. An io object remembers only the last task that waited for room,
/// so it gets a waker for both.
#[derive(Debug, Default)]
pub(super) struct BothTasks {
    pub(super) writer: AtomicWaker,
    pub(super) reader: AtomicWaker,
}

impl BothTasks {
    pub(super) fn waker(self: &Arc<Self>) -> Waker {
        Waker::from(Arc::clone(self))
    }
}

impl Wake for BothTasks {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    /// Wakes the writer first: the handler's messages take precedence over the guard's answers.
    fn wake_by_ref(self: &Arc<Self>) {
        self.writer.wake();
        self.reader.wake();
    }
}
