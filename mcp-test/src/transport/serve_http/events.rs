//! One event stream of a session: what is sent on it, kept for as long as its reader may come back for it.
//!
//! A stream outlives its connections. Its events have numbers, which are its cursor: a reader who lost the connection names
//! the last event it has seen and gets those after it. What nobody has read makes the sender wait; what has been read is
//! kept up to a limit.

use std::{collections::VecDeque, io, sync::Arc};

use tokio::sync::watch;

use super::piece::Piece;

/// How many events may wait for a reader before the sender has to.
const UNREAD: u64 = 64;
/// How many events are kept after they were read.
const KEPT: u64 = 256;
/// How many bytes of them are kept.
const KEPT_BYTES: usize = 1024 * 1024;

/// One event stream.
pub(super) struct EventStream {
    number: u64,
    manner: Manner,
    state: watch::Sender<State>,
}

/// What kind of stream it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Manner {
    /// Whether its events have ids, without which nobody can come back for the rest.
    pub(super) numbered: bool,
    /// Whether it carries what the server sends on its own account, rather than what belongs to one request.
    pub(super) own: bool,
    /// Whether its events have the ids that those of every other stream have, which must not be.
    pub(super) alike: bool,
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
    events: VecDeque<Piece>,
    bytes: usize,
    /// The number of the first event that is kept.
    first: u64,
    /// The number of the next event to be read.
    cursor: u64,
    reader: Option<u64>,
    readers: u64,
    /// The connection that has read so far is to end.
    pause: Option<u64>,
    end: Option<End>,
}

/// One connection that reads a stream; a later one takes over from it.
pub(super) struct Reader {
    stream: Arc<EventStream>,
    turn: u64,
}

enum Step {
    Event(Piece),
    Over,
    Broken,
    Wait,
}

impl EventStream {
    pub(super) fn new(number: u64, manner: Manner) -> Arc<Self> {
        Arc::new(Self { number, manner, state: watch::Sender::default() })
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn is_own(&self) -> bool {
        self.manner.own
    }

    /// Whether somebody reads it.
    pub(super) fn is_read(&self) -> bool {
        self.state.borrow().reader.is_some()
    }

    /// Whether there is nothing more to come.
    pub(super) fn has_ended(&self) -> bool {
        self.state.borrow().end.is_some()
    }

    /// Adds an event, without waiting.
    pub(super) fn push(&self, event: Piece) {
        self.state.send_modify(|state| {
            let event = if self.manner.numbered {
                event.with_id(format!("{}-{}", self.number, state.next()))
            } else {
                event
            };
            state.bytes += event.len();
            state.events.push_back(event);
        });
    }

    /// Waits until there is room for one more event.
    pub(super) async fn room(&self) {
        self.until(|state| state.next() - state.cursor < UNREAD).await;
    }

    /// Waits until nobody reads it.
    pub(super) async fn left(&self) {
        self.until(|state| state.reader.is_none()).await;
    }

    /// Ends the connection of whoever reads it, once everything so far was read; the stream goes on.
    pub(super) fn end_connection(&self) {
        self.state.send_modify(|state| {
            state.pause = state.reader.map(|_| state.next());
        });
    }

    /// Ends the stream; the first end counts, but a silent one may be completed.
    pub(super) fn end(&self, end: End) {
        self.state.send_modify(|state| {
            if matches!(state.end, None | Some(End::Silent)) {
                state.end = Some(end);
            }
        });
    }

    /// Reads on from the cursor.
    pub(super) fn read(self: &Arc<Self>) -> Reader {
        let mut turn = 0;
        self.state.send_modify(|state| turn = state.take_over());
        Reader { stream: Arc::clone(self), turn }
    }

    /// Reads again from the event after this one; `None` if that cannot be had any more.
    pub(super) fn resume(self: &Arc<Self>, after: u64) -> Option<Reader> {
        let mut turn = None;
        self.state.send_modify(|state| {
            let from = after.saturating_add(1);
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
        if self.reader != Some(turn) {
            return Step::Over;
        }
        if let Some(event) = self.events.get((self.cursor - self.first) as usize).cloned()
            && self.pause != Some(self.cursor)
        {
            self.cursor += 1;
            self.forget();
            return Step::Event(event);
        }
        if self.pause.is_some() {
            self.reader = None;
            self.pause = None;
            return Step::Over;
        }
        match self.end {
            Some(End::Complete) => Step::Over,
            Some(End::Broken) => Step::Broken,
            Some(End::Silent) | None => Step::Wait,
        }
    }

    /// Drops what was read and is too much to keep.
    fn forget(&mut self) {
        while self.first < self.cursor
            && (self.cursor - self.first > KEPT || self.bytes > KEPT_BYTES)
            && let Some(event) = self.events.pop_front()
        {
            self.bytes -= event.len();
            self.first += 1;
        }
    }
}

impl Reader {
    /// The next event; `None` when the connection ends, an error when it breaks off.
    pub(super) async fn next(&mut self) -> Option<io::Result<Piece>> {
        let mut changes = self.stream.state.subscribe();
        loop {
            changes.mark_unchanged();
            let mut step = Step::Wait;
            self.stream.state.send_if_modified(|state| {
                step = state.step(self.turn);
                !matches!(step, Step::Wait)
            });
            match step {
                Step::Event(event) => return Some(Ok(event)),
                Step::Over => return None,
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
                state.reader = None;
            }
            mine
        });
    }
}
