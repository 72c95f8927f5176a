//! The event streams of one session, so that a client finds the one it lost, and the server one to speak on.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    events::{End, EventStream, Manner, Reader},
    piece::Piece,
};

/// How many streams of a session are remembered.
const STREAMS: usize = 64;
/// How many events wait for a client that listens to nothing; one more drops the oldest.
const WAITING: usize = 64;

/// The streams of one session.
#[derive(Default)]
pub(super) struct Streams(Mutex<Table>);

#[derive(Default)]
struct Table {
    last: u64,
    streams: VecDeque<Arc<EventStream>>,
    waiting: VecDeque<Piece>,
    closed: bool,
}

impl Streams {
    /// A stream that is not remembered yet.
    pub(super) fn begin(&self, manner: Manner) -> Arc<EventStream> {
        self.with(|table| table.begin(manner))
    }

    /// Remembers a stream, so that it can be resumed.
    pub(super) fn keep(&self, stream: &Arc<EventStream>) {
        self.with(|table| table.keep(stream));
    }

    /// A new stream for what the server sends on its own account; it begins with what has waited for one.
    pub(super) fn listen(&self, manner: Manner) -> Reader {
        self.with(|table| {
            let stream = table.begin(Manner { own: true, ..manner });
            table.keep(&stream);
            let reader = stream.read();
            table.waiting.drain(..).for_each(|event| stream.push(event));
            if table.closed {
                stream.end(End::Complete);
            }
            reader
        })
    }

    /// Goes on with a stream after the event of this id; `None` if there is no such event.
    pub(super) fn resume(&self, last_event_id: &str) -> Option<Reader> {
        let (number, event) = last_event_id.split_once('-')?;
        let (number, event) = (number.parse::<u64>().ok()?, event.parse::<u64>().ok()?);
        self.with(|table| {
            let stream = table.streams.iter().find(|stream| stream.number() == number)?;
            let reader = stream.resume(event)?;
            if stream.is_own() {
                table.waiting.drain(..).for_each(|event| stream.push(event));
            }
            Some(reader)
        })
    }

    /// Says something on one of the server's own streams that is read, or keeps it for the next one.
    pub(super) async fn say(&self, event: Piece) {
        let listening = || {
            self.with(|table| {
                let stream =
                    table.streams.iter().rev().find(|stream| stream.is_own() && stream.is_read());
                if stream.is_none() {
                    if table.waiting.len() == WAITING {
                        table.waiting.pop_front();
                    }
                    table.waiting.push_back(event.clone());
                }
                stream.cloned()
            })
        };
        while let Some(stream) = listening() {
            tokio::select! {
                biased;
                () = stream.room() => return stream.push(event),
                // Another connection may have come by now.
                () = stream.left() => {}
            }
        }
    }

    /// Ends what only waits: the server's own streams, and those on which nothing follows.
    pub(super) fn close(&self) {
        self.with(|table| {
            table.closed = true;
            for stream in &table.streams {
                if stream.is_own() || stream.has_ended() {
                    stream.end(End::Complete);
                }
            }
        });
    }

    fn with<T>(&self, act: impl FnOnce(&mut Table) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Table {
    fn begin(&mut self, manner: Manner) -> Arc<EventStream> {
        self.last += 1;
        EventStream::new(if manner.alike { 0 } else { self.last }, manner)
    }

    fn keep(&mut self, stream: &Arc<EventStream>) {
        if self.streams.len() == STREAMS {
            let done = self
                .streams
                .iter()
                .position(|stream| !stream.is_read() && (stream.has_ended() || stream.is_own()));
            self.streams.remove(done.unwrap_or_default());
        }
        self.streams.push_back(Arc::clone(stream));
    }
}
