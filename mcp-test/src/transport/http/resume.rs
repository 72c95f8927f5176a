//! Continuing an event stream that broke off, or was closed to be polled, with GET and `Last-Event-ID`.
//!
//! What a continuation brings belongs to the exchange that it continues. How often and how long is bounded: by the
//! deadline of the message, and by continuations that bring nothing.
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery>

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;

use super::body;
use super::courier::Courier;
use crate::clock::{self, Deadline};
use crate::spec::Revision;
use crate::transport::link::{Damage, Incoming};
use crate::wire::Message;
use crate::wire::sse::SseItem;

/// How long to wait before a stream is resumed that does not say how long.
const PAUSE: Duration = Duration::from_millis(1000);
/// How many continuations in a row may bring nothing.
const FRUITLESS: u32 = 3;
/// How many continuations a stream may have in all.
const CONTINUATIONS: u32 = 100;

/// What a response is read for.
#[derive(Debug, Clone, Copy)]
pub(in crate::transport) enum Awaited {
    /// So many replies: the stream has done its duty after them.
    Replies(usize),
    /// Whatever the server has to say, for as long as it likes.
    Anything,
}

/// What is remembered of an event stream from one connection to the next.
pub(in crate::transport) struct Stream {
    awaited: Awaited,
    deadline: Deadline,
    last_id: String,
    retry: Option<u64>,
    /// Whether the connection that is read, or was read last, brought an event.
    fruitful: bool,
    answered: Arc<AtomicBool>,
}

impl Stream {
    /// Of which nothing has come yet, after the event with this id.
    pub(in crate::transport) fn new(
        awaited: Awaited,
        after: Option<&str>,
        deadline: Deadline,
    ) -> Self {
        let last_id = after.unwrap_or_default().to_owned();
        let answered = Arc::default();
        Self { awaited, deadline, last_id, retry: None, fruitful: false, answered }
    }

    /// Tells whether all replies have come for which it is read.
    pub(super) fn answered(&self) -> Arc<AtomicBool> {
        self.answered.clone()
    }

    /// Takes note of an item, before its data is looked at.
    pub(super) fn saw(&mut self, item: &SseItem) {
        if let SseItem::Event(event) | SseItem::Silent(event) = item {
            self.fruitful |=
                event.id.as_ref().is_some_and(|id| *id != self.last_id) || !event.data.is_empty();
            if let Some(id) = &event.id {
                self.last_id.clone_from(id);
            }
            self.retry = event.retry.or(self.retry);
        }
    }

    /// Takes note of what was made of the data; whatever stands in the place of a reply counts as one.
    pub(super) fn brought(&mut self, incoming: &Incoming) {
        let Awaited::Replies(open) = &mut self.awaited else { return };
        let replied = match incoming {
            Incoming::Message { message, .. } => {
                matches!(message, Message::Response(_) | Message::Error(_))
            }
            Incoming::Garbled { damage, .. } => *damage != Damage::Stray,
            _ => false,
        };
        *open = open.saturating_sub(usize::from(replied));
        let is_message = matches!(incoming, Incoming::Message { .. });
        self.answered.fetch_or(replied && is_message && *open == 0, Ordering::Relaxed);
    }

    fn is_to_be_resumed(&self) -> bool {
        !self.last_id.is_empty() && !matches!(self.awaited, Awaited::Replies(0))
    }

    fn pause(&self) -> Duration {
        self.retry.map_or(PAUSE, Duration::from_millis)
    }
}

/// Resumes a stream until it has done its duty; says, as the end of a sentence, what came of it if it had to be resumed.
pub(super) async fn to_the_end(
    courier: &Courier,
    exchange: u64,
    stream: &mut Stream,
) -> Option<String> {
    let resumable = courier.shared().revision.is_none_or(Revision::has_resumability);
    let (mut count, mut fruitless) = (0, 0);
    let mut told = None;
    while resumable && stream.is_to_be_resumed() && count < CONTINUATIONS && fruitless < FRUITLESS {
        let pause = stream.pause();
        if stream.deadline.remaining().is_some_and(|remaining| remaining <= pause) {
            let pause = clock::in_words(pause);
            return Some(format!(
                "to be resumed only after {pause}, which is longer than the reply is waited for"
            ));
        }
        clock::quiet(pause).await;
        count += 1;
        stream.fruitful = false;
        let headers = courier.get_headers(Some(&stream.last_id));
        let asked = courier.ask("GET", headers, Bytes::new());
        match asked.reply.await {
            Ok(reply) => {
                let limits = courier.limits;
                let response = body::begin(&courier.observer, asked.exchange, reply, limits);
                let refused = !response.is_stream();
                let over = response.read(exchange, stream).await;
                if refused {
                    return Some(format!("whose continuation {}", over.how));
                }
            }
            Err(why) => {
                let how = format!("failed without an HTTP response: {why}");
                body::closed(&courier.observer, asked.exchange, &how);
                told = Some(format!("whose continuation {how}"));
            }
        }
        fruitless = if stream.fruitful { 0 } else { fruitless + 1 };
        if stream.fruitful {
            told = None;
        }
    }
    told.or_else(|| {
        let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
        let vain = if fruitless < FRUITLESS { "" } else { ", which brought nothing more" };
        (count > 0).then(|| format!("resumed {times} after event id {:?}{vain}", stream.last_id))
    })
}
