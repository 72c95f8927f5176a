//! The event streams of one session: those that a client can resume, and those for unsolicited messages.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::event_stream::{End, EventStream, Reader, StreamOptions};
use super::stream_event::StreamEvent;

/// How many streams of a session are remembered.
const STREAMS: usize = 64;
/// How many unsolicited events wait while the client reads no stream for them; another one drops the oldest.
const WAITING: usize = 64;

/// The streams of one session.
#[derive(Default)]
pub(super) struct SessionStreams(Mutex<Table>);

#[derive(Default)]
struct Table {
    last: u64,
    streams: VecDeque<Arc<EventStream>>,
    waiting: VecDeque<StreamEvent>,
    closed: bool,
}

impl SessionStreams {
    /// A new stream, which cannot be resumed before [`SessionStreams::keep`].
    pub(super) fn begin(&self, options: StreamOptions) -> Arc<EventStream> {
        self.with(|table| table.begin(options))
    }

    /// Keeps a stream, so that it can be resumed.
    pub(super) fn keep(&self, stream: &Arc<EventStream>) {
        self.with(|table| table.keep(stream));
    }

    /// A new stream for unsolicited messages, which begins with those that have waited for one.
    pub(super) fn listen(&self, options: StreamOptions) -> Reader {
        self.with(|table| {
            let stream = table.begin(StreamOptions { unsolicited: true, ..options });
            table.keep(&stream);
            let reader = stream.read();
            table.waiting.drain(..).for_each(|event| stream.push(event));
            // The session may have ended since the request was assigned to it.
            if table.closed {
                stream.end(End::Complete);
            }
            reader
        })
    }

    /// Continues a stream after the event with this id, or with that event; `None` if there is no such event.
    pub(super) fn resume(&self, last_event_id: &str, repeats: bool) -> Option<Reader> {
        // The id names its stream, because messages of another stream must not be replayed.
        // <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery>
        // The form in which `EventStream::push` writes them.
        let (number, event) = last_event_id.split_once('-')?;
        let (number, event) = (number.parse::<u64>().ok()?, event.parse::<u64>().ok()?);
        self.with(|table| {
            let stream = table.streams.iter().find(|stream| stream.number() == number)?;
            let reader = stream.resume(if repeats { event } else { event.saturating_add(1) })?;
            if stream.is_unsolicited() {
                table.waiting.drain(..).for_each(|event| stream.push(event));
            }
            Some(reader)
        })
    }

    /// Sends an event on one stream for unsolicited messages that is being read, or keeps it for the next one.
    ///
    /// On exactly one: the specification forbids broadcasting a message across streams.
    /// <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#multiple-connections>
    pub(super) async fn send_unsolicited(&self, event: StreamEvent) {
        let listening = || {
            self.with(|table| {
                let is_listening =
                    |stream: &&Arc<EventStream>| stream.is_unsolicited() && stream.is_read();
                let stream = table.streams.iter().rev().find(is_listening).cloned();
                if stream.is_none() {
                    // The latest say most about the state of the server, such as the last change of a list.
                    if table.waiting.len() == WAITING {
                        table.waiting.pop_front();
                    }
                    table.keep_waiting(event.clone());
                }
                stream
            })
        };
        while let Some(stream) = listening() {
            tokio::select! {
                biased;
                () = stream.room() => return stream.push(event),
                // Another stream may have been opened by now.
                () = stream.left() => {}
            }
        }
    }

    /// Ends the streams for unsolicited messages, and those on which nothing follows.
    pub(super) fn close(&self) {
        self.with(|table| {
            table.closed = true;
            for stream in &table.streams {
                if stream.is_unsolicited() || stream.has_ended() {
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
    /// Keeps an event until a stream is opened; without memory for that in place of older ones.
    fn keep_waiting(&mut self, mut event: StreamEvent) {
        let mut is_kept = event.keep();
        while !is_kept && self.waiting.pop_front().is_some() {
            is_kept = event.keep();
        }
        if is_kept {
            self.waiting.push_back(event);
        }
    }

    fn begin(&mut self, options: StreamOptions) -> Arc<EventStream> {
        self.last += 1;
        EventStream::new(if options.reuses_ids { 0 } else { self.last }, options)
    }

    fn keep(&mut self, stream: &Arc<EventStream>) {
        if self.streams.len() == STREAMS {
            // First a stream that nobody reads and on which no reply is still to come; else the oldest.
            let done = self.streams.iter().position(|stream| {
                !stream.is_read() && (stream.has_ended() || stream.is_unsolicited())
            });
            self.streams.remove(done.unwrap_or_default());
        }
        self.streams.push_back(Arc::clone(stream));
    }
}
