//! Streams: the events of one response, as its work sends them.

use std::{collections::VecDeque, io};

use axum::body::{Body, Bytes};
use futures_util::stream;

use super::{HttpServer, Stage, drive::Drive, reply};
use crate::{
    trace::{Party, What},
    transport::{
        fault::{Delivery, Part, Then},
        tap::Wire,
    },
    wire::sse::{self, SseEvent},
};

impl HttpServer {
    /// A stream that starts with these events and goes on with what is still being sent.
    pub(super) fn stream(
        &self,
        wire: &Wire,
        drive: Drive,
        first: &Delivery,
        priming: Option<SseEvent>,
    ) -> Body {
        let queue = priming.into_iter().map(Frame::Event).collect();
        let then = Then::GoOn;
        let mut state = Streaming { server: self.clone(), wire: wire.clone(), drive, queue, then };
        state.take(first);
        Body::from_stream(stream::unfold(state, async |mut state| {
            Some((state.next().await?, state))
        }))
    }
}

/// A stream under way.
struct Streaming {
    server: HttpServer,
    wire: Wire,
    drive: Drive,
    queue: VecDeque<Frame>,
    then: Then,
}

/// What is written next.
enum Frame {
    Event(SseEvent),
    Part(Part),
    /// The rest of something that is written a byte at a time.
    Bytes(Bytes),
}

impl Streaming {
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            if let Some(frame) = self.queue.pop_front() {
                return Some(Ok(self.write(frame)));
            }
            match self.then {
                Then::GoOn => {}
                Then::End => return None,
                Then::Silence => {
                    self.server.reached(Stage::Ending).await;
                    return None;
                }
                Then::Close | Then::Exit => {
                    return Some(Err(io::ErrorKind::ConnectionAborted.into()));
                }
            }
            let emitted = tokio::select! {
                biased;
                emitted = self.drive.next() => emitted?,
                () = self.server.reached(Stage::Over) => {
                    return Some(Err(io::ErrorKind::ConnectionAborted.into()));
                }
            };
            let delivery = self.wire.deliver(emitted);
            reply::when_due(&delivery).await;
            self.take(&delivery);
        }
    }

    fn take(&mut self, delivery: &Delivery) {
        for part in &delivery.parts {
            if delivery.in_bytes {
                self.wire.sent(part.bytes());
                self.queue.push_back(Frame::Bytes(part.event()));
            } else {
                self.queue.push_back(Frame::Part(part.clone()));
            }
        }
        self.then = delivery.then;
    }

    fn write(&mut self, frame: Frame) -> Bytes {
        match frame {
            Frame::Event(event) => {
                let SseEvent { event: name, data, id, retry } = &event;
                self.wire.record(Party::Server, || What::SseEvent {
                    event: name.clone(),
                    id: id.clone(),
                    retry: *retry,
                });
                if !data.is_empty() {
                    self.wire.sent(&Bytes::copy_from_slice(data.as_bytes()));
                }
                sse::encode(&event)
            }
            Frame::Part(part) => {
                self.wire.record(Party::Server, || What::SseEvent {
                    event: None,
                    id: None,
                    retry: None,
                });
                self.wire.sent(part.bytes());
                part.event()
            }
            Frame::Bytes(mut bytes) => {
                let first = bytes.split_to(bytes.len().min(1));
                if !bytes.is_empty() {
                    self.queue.push_front(Frame::Bytes(bytes));
                }
                first
            }
        }
    }
}
