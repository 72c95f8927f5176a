//! What is remembered of an event stream from one connection to the next.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::clock::Deadline;
use crate::trace::UnparsableKind;
use crate::transport::Incoming;
use crate::wire::sse::SseItem;

/// How long to wait before resuming a stream that sets no retry time; the specification has no default.
const PAUSE: Duration = Duration::from_millis(1000);

/// What a response is read for.
#[derive(Debug, Clone, Copy)]
pub(in crate::transport) enum Awaited {
    /// This many replies: after them the stream is not resumed.
    Replies(usize),
    /// Unsolicited messages, as long as the server sends any.
    Anything,
}

/// What is remembered of an event stream from one connection to the next.
pub(in crate::transport) struct StreamProgress {
    awaited: Awaited,
    pub(super) deadline: Deadline,
    pub(super) last_id: String,
    retry: Option<u64>,
    /// Whether the current connection has delivered a new event.
    pub(super) progressed: bool,
    answered: Arc<AtomicBool>,
}

impl StreamProgress {
    /// A stream from which nothing has arrived yet, after the event with this id.
    pub(in crate::transport) fn new(
        awaited: Awaited,
        after: Option<&str>,
        deadline: Deadline,
    ) -> Self {
        let last_id = after.unwrap_or_default().to_owned();
        let answered = Arc::default();
        Self { awaited, deadline, last_id, retry: None, progressed: false, answered }
    }

    /// The flag that is set once all awaited replies have arrived.
    pub(super) fn answered(&self) -> Arc<AtomicBool> {
        self.answered.clone()
    }

    /// Notes the id and the retry time of an item.
    pub(super) fn note_item(&mut self, item: &SseItem) {
        if let SseItem::Event(event) | SseItem::Silent(event) = item {
            // An event without data counts if its id is new: it moves the point from which to resume.
            self.progressed |=
                event.id.as_ref().is_some_and(|id| *id != self.last_id) || !event.data.is_empty();
            // An empty id resets the last one (HTML standard), after which the stream cannot be resumed.
            if let Some(id) = &event.id {
                self.last_id.clone_from(id);
            }
            // A retry time is in force until the server sends another.
            self.retry = event.retry.or(self.retry);
        }
    }

    /// Notes an observation; anything in the place of a reply counts as one.
    pub(super) fn note_observation(&mut self, incoming: &Incoming) {
        let Awaited::Replies(open) = &mut self.awaited else { return };
        let replied = match incoming {
            Incoming::Message { message, .. } => message.is_reply(),
            Incoming::Invalid { kind, .. } => *kind != UnparsableKind::Stray,
            _ => false,
        };
        *open = open.saturating_sub(usize::from(replied));
        let is_message = matches!(incoming, Incoming::Message { .. });
        // After a broken reply it is not known whether the server regards the stream as finished.
        self.answered.fetch_or(replied && is_message && *open == 0, Ordering::Relaxed);
    }

    pub(super) fn needs_resumption(&self) -> bool {
        // Only a stream with event ids can be resumed: the GET names the last one.
        !self.last_id.is_empty() && !matches!(self.awaited, Awaited::Replies(0))
    }

    pub(super) fn pause(&self) -> Duration {
        self.retry.map_or(PAUSE, Duration::from_millis)
    }
}
