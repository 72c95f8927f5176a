//! Reading along with a response as it goes out: nothing of it is held back or changed.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use bytes::BytesMut;
use http::HeaderMap;
use hyper::body::{Frame, SizeHint};
use mcp_test_core::wire::sse::{Decoder, SseItem, SseViolation};

use super::body;
use super::sessions::Session;
use crate::guard::Guard;

/// Extracts messages from the bytes of a response.
#[derive(Debug)]
pub(super) enum Reader {
    /// The body is one text.
    Text { whole: BytesMut, most: usize, is_too_long: bool },
    /// The body is a stream of events.
    Events(Box<Decoder>),
}

/// A reader for responses that hold messages.
pub(super) fn reader(headers: &HeaderMap, most: usize) -> Option<Reader> {
    if body::is_encoded(headers) {
        None
    } else if body::is(headers, "text/event-stream") {
        Some(Reader::Events(Box::new(Decoder::new(most))))
    } else {
        body::is(headers, "application/json").then(|| Reader::Text {
            whole: BytesMut::new(),
            most,
            is_too_long: false,
        })
    }
}

/// A body that is read along.
pub(super) struct Watched {
    body: Body,
    reader: Option<Reader>,
    guard: Guard,
    session: Session,
}

impl Watched {
    pub(super) fn new(body: Body, reader: Reader, guard: Guard, session: Session) -> Self {
        Self { body, reader: Some(reader), guard, session }
    }

    fn push(&mut self, bytes: &[u8]) {
        let Self { reader, guard, session, .. } = self;
        match reader {
            Some(Reader::Text { whole, most, is_too_long }) => {
                // The bytes go on regardless; only the copy to be judged is bounded.
                *is_too_long |= bytes.len() > most.saturating_sub(whole.len());
                if !*is_too_long {
                    whole.extend_from_slice(bytes);
                }
            }
            Some(Reader::Events(decoder)) => {
                for item in decoder.push(bytes) {
                    judge_outgoing(guard, session, item);
                }
            }
            None => {}
        }
    }

    fn end(&mut self) {
        let Self { reader, guard, session, .. } = self;
        match reader.take() {
            Some(Reader::Text { is_too_long: true, .. }) => guard.outgoing_too_long(),
            // A response without a body, such as 202, has no message.
            Some(Reader::Text { whole, .. }) if !whole.is_empty() => {
                session.with(|conversation| guard.outgoing(conversation, &whole.freeze()));
            }
            Some(Reader::Events(decoder)) => {
                for item in decoder.finish() {
                    judge_outgoing(guard, session, item);
                }
            }
            Some(Reader::Text { .. }) | None => {}
        }
    }
}

fn judge_outgoing(guard: &Guard, session: &Session, item: SseItem) {
    match item {
        // Events without data only move the point from which a stream is resumed.
        SseItem::Event(event) if event.event_type() == "message" && !event.data.is_empty() => {
            let text = Bytes::from(event.data);
            session.with(|conversation| guard.outgoing(conversation, &text));
        }
        SseItem::Violation(SseViolation::TooLong { .. }) => guard.outgoing_too_long(),
        _ => {}
    }
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        let frame = ready!(Pin::new(&mut this.body).poll_frame(cx));
        match &frame {
            Some(Ok(frame)) => {
                if let Some(bytes) = frame.data_ref() {
                    this.push(bytes);
                }
                // A consumer that knows the length of a body does not poll for its end.
                if this.body.is_end_stream() {
                    this.end();
                }
            }
            None => this.end(),
            // What was received is half a message, which is not to blame on the handler.
            Some(Err(_)) => this.reader = None,
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
