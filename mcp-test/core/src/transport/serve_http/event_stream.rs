//! One event stream of a session, whose events are kept so that a client can resume it.
//!
//! A stream outlives its connections. Its events are numbered: a reader that lost its connection names the last event it
//! has seen and gets those after it. The sender waits while too many events are unread; events that were read are kept up
//! to a limit.
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery>

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use tokio::sync::watch;

use super::stream_event::StreamEvent;

/// How many events may be unread before the sender has to wait.
const UNREAD: u64 = 64;
/// How many events are kept for resumption after they were read.
const KEPT: u64 = 256;
/// How many bytes of them are kept.
const KEPT_BYTES: usize = 1024 * 1024;

/// One event stream.
pub(super) struct EventStream {
    number: u64,
    options: StreamOptions,
    state: watch::Sender<State>,
}

/// How a stream numbers its events, and what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StreamOptions {
    /// Whether its events have ids, without which a client cannot resume it.
    pub(super) numbered: bool,
    /// Whether it carries unsolicited messages, rather than those of one request.
    pub(super) unsolicited: bool,
    /// Whether its events have the same ids as those of every other stream, which is not allowed.
    pub(super) reuses_ids: bool,
}

/// How a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Everything was sent.
    Complete,
    /// The connection breaks off.
    Broken,
    /// Nothing follows, but the connection stays.
    Silent,
}

#[derive(Debug, Default)]
struct State {
    events: VecDeque<StreamEvent>,
    bytes: usize,
    /// The number of the first event that is kept.
    first: u64,
    /// The number of the next event to be read.
    cursor: u64,
    reader: Option<u64>,
    readers: u64,
    /// Where the current connection has to end, though the stream goes on.
    pause: Option<u64>,
    end: Option<End>,
}

/// One connection that reads a stream; a later one replaces it.
pub(super) struct Reader {
    stream: Arc<EventStream>,
    turn: u64,
}

enum Step {
    Event(StreamEvent),
    ExchangeEnd,
    Broken,
    Wait,
}

impl EventStream {
    pub(super) fn new(number: u64, options: StreamOptions) -> Arc<Self> {
        Arc::new(Self { number, options, state: watch::Sender::default() })
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn is_unsolicited(&self) -> bool {
        self.options.unsolicited
    }

    /// Whether somebody reads it.
    pub(super) fn is_read(&self) -> bool {
        self.state.borrow().reader.is_some()
    }

    /// Whether no more events follow.
    pub(super) fn has_ended(&self) -> bool {
        self.state.borrow().end.is_some()
    }

    /// Adds an event without waiting.
    pub(super) fn push(&self, event: StreamEvent) {
        self.state.send_modify(|state| {
            let event = if self.options.numbered {
                // With the number of the stream: ids must be unique over all streams of a session.
                event.with_id(format!("{}-{}", self.number, state.next()))
            } else {
                event
            };
            state.bytes += event.len();
            state.events.push_back(event);
            if state.reader.is_none() {
                state.keep_unread();
            }
        });
    }

    /// Waits until there is room for another event.
    pub(super) async fn room(&self) {
        self.until(|state| state.next() - state.cursor < UNREAD).await;
    }

    /// Waits until nobody reads it.
    pub(super) async fn left(&self) {
        self.until(|state| state.reader.is_none()).await;
    }

    /// Ends the connection of the current reader once it has read everything so far; the stream goes on.
    pub(super) fn end_connection(&self) {
        self.state.send_modify(|state| {
            // Without a reader there is no connection to end, and the next one must not end at once.
            state.pause = state.reader.map(|_| state.next());
        });
    }

    /// Ends the stream; the first end counts, but a silent one may be completed.
    pub(super) fn end(&self, end: End) {
        self.state.send_modify(|state| {
            // A fault may have silenced the stream, which the end of the session has to close all the same.
            if matches!(state.end, None | Some(End::Silent)) {
                state.end = Some(end);
            }
        });
    }

    /// Continues reading at the cursor.
    pub(super) fn read(self: &Arc<Self>) -> Reader {
        let mut turn = 0;
        self.state.send_modify(|state| turn = state.take_over());
        Reader { stream: Arc::clone(self), turn }
    }

    /// Reads again from this event on; `None` if it is not kept any more.
    pub(super) fn resume(self: &Arc<Self>, from: u64) -> Option<Reader> {
        let mut turn = None;
        self.state.send_modify(|state| {
            // An id beyond the last event was never issued; a broken stream is replayed to nobody.
            if from >= state.first && from <= state.next() && state.end != Some(End::Broken) {
                state.cursor = from;
                turn = Some(state.take_over());
            }
        });
        Some(Reader { stream: Arc::clone(self), turn: turn? })
    }

    async fn until(&self, come: impl FnMut(&State) -> bool) {
        // The sender lives as long as this stream does.
        self.state.subscribe().wait_for(come).await.ok();
    }
}

impl State {
    fn next(&self) -> u64 {
        self.first + self.events.len() as u64
    }

    fn take_over(&mut self) -> u64 {
        self.readers += 1;
        self.reader = Some(self.readers);
        self.pause = None;
        self.readers
    }

    fn step(&mut self, turn: u64) -> Step {
        // A later connection has taken over, and both would advance the same cursor.
        if self.reader != Some(turn) {
            return Step::ExchangeEnd;
        }
        if let Some(event) = self.events.get(self.taken()).cloned()
            && self.pause != Some(self.cursor)
        {
            self.cursor += 1;
            self.keep_taken();
            self.forget();
            return Step::Event(event);
        }
        // The reader has everything up to the pause; the next reader goes on from there.
        if self.pause.is_some() {
            self.leave();
            self.pause = None;
            return Step::ExchangeEnd;
        }
        match self.end {
            Some(End::Complete) => Step::ExchangeEnd,
            Some(End::Broken) => Step::Broken,
            Some(End::Silent) | None => Step::Wait,
        }
    }

    /// How many of the events that are kept were read.
    fn taken(&self) -> usize {
        (self.cursor - self.first) as usize
    }

    /// Keeps the event that was read last. Without memory for that, it and those before it are dropped, since a client that
    /// resumes the stream must not miss one between others.
    fn keep_taken(&mut self) {
        let last = self.taken().checked_sub(1).and_then(|last| self.events.get_mut(last));
        if last.is_some_and(|event| !event.keep()) {
            while self.first < self.cursor {
                self.drop_first();
            }
        }
    }

    /// Has no reader from now on.
    fn leave(&mut self) {
        self.reader = None;
        self.keep_unread();
    }

    /// Keeps the events that are left for a client that comes back, which must not take the memory of replies from others. Without
    /// memory for that the stream cannot be resumed.
    fn keep_unread(&mut self) {
        let taken = self.taken();
        if !self.events.iter_mut().skip(taken).all(StreamEvent::keep) {
            while !self.events.is_empty() {
                self.drop_first();
            }
            self.cursor = self.first;
            self.end = Some(End::Broken);
        }
    }

    /// Drops events that were read and exceed the limits.
    fn forget(&mut self) {
        while self.first < self.cursor
            && (self.cursor - self.first > KEPT || self.bytes > KEPT_BYTES)
        {
            self.drop_first();
        }
    }

    fn drop_first(&mut self) {
        self.bytes -= self.events.pop_front().map_or(0, |event| event.len());
        self.first += 1;
    }
}

impl Reader {
    /// The next event; `None` when the connection ends, an error when it breaks off.
    pub(super) async fn next(&mut self) -> Option<io::Result<StreamEvent>> {
        let mut changes = self.stream.state.subscribe();
        loop {
            // Before the step: a change after it must wake the wait below.
            changes.mark_unchanged();
            let mut step = Step::Wait;
            self.stream.state.send_if_modified(|state| {
                step = state.step(self.turn);
                // Wakes a sender that waits for room. A step that changed nothing must not wake the other readers.
                !matches!(step, Step::Wait)
            });
            match step {
                Step::Event(event) => return Some(Ok(event)),
                Step::ExchangeEnd => return None,
                Step::Broken => return Some(Err(io::ErrorKind::ConnectionAborted.into())),
                Step::Wait => changes.changed().await.ok()?,
            }
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let turn = Some(self.turn);
        self.stream.state.send_if_modified(|state| {
            let mine = state.reader == turn;
            if mine {
                state.leave();
            }
            mine
        });
    }
}
