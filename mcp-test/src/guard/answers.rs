//! The guard's own answers on a byte stream: those that wait for a place between the handler's lines.

use std::{
    collections::VecDeque,
    sync::Arc,
    task::{Wake, Waker},
};

use bytes::{Buf, Bytes, BytesMut};
use futures_util::task::AtomicWaker;

use crate::json::Value;

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
    /// Adds an answer, if there is one; after the end of the output it is for nobody.
    pub(super) fn extend(&mut self, answer: Option<Value>) {
        let Some(answer) = answer.filter(|_| !self.closed) else { return };
        let mut line = BytesMut::from(answer.to_string().as_bytes());
        line.extend_from_slice(b"\n");
        self.bytes += line.len();
        self.lines.push_back(line.freeze());
    }

    /// What is to be written next.
    pub(super) fn next(&self) -> Option<&[u8]> {
        self.lines.front().map(|line| &line[..])
    }

    /// Takes off what was written of it.
    pub(super) fn written(&mut self, count: usize) {
        let Some(line) = self.lines.front_mut() else { return };
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
/// Both of them write: the reading one writes answers. An io object remembers the last task only that waited for room, so
/// it is given a waker for both.
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

    /// The writer first: what the handler has to say comes before what the guard has.
    fn wake_by_ref(self: &Arc<Self>) {
        self.writer.wake();
        self.reader.wake();
    }
}
