//! Streams: the events of one response, as its work sends them.

use std::{collections::VecDeque, io};

use axum::body::{Body, Bytes};
use futures_util::stream;

use super::{HttpServer, Stage, drive::Drive};
use crate::{
    trace::{Party, What},
    transport::{
        fault::{Delivery, Then},
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
        let mut queue: VecDeque<_> = priming.into_iter().collect();
        queue.extend(events(first));
        let state =
            Streaming { server: self.clone(), wire: wire.clone(), drive, queue, then: first.then };
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
    queue: VecDeque<SseEvent>,
    then: Then,
}

impl Streaming {
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            if let Some(event) = self.queue.pop_front() {
                self.record(&event);
                return Some(Ok(sse::encode(&event)));
            }
            match self.then {
                Then::GoOn => {}
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
            self.queue.extend(events(&delivery));
            self.then = delivery.then;
        }
    }

    fn record(&self, event: &SseEvent) {
        let SseEvent { event: name, data, id, retry } = event;
        self.wire.record(Party::Server, || What::SseEvent {
            event: name.clone(),
            id: id.clone(),
            retry: *retry,
        });
        if !data.is_empty() {
            self.wire.sent(&Bytes::copy_from_slice(data.as_bytes()));
        }
    }
}

fn events(delivery: &Delivery) -> impl Iterator<Item = SseEvent> {
    let texts =
        delivery.parts.iter().map(|part| String::from_utf8_lossy(part.bytes()).into_owned());
    texts.filter(|text| !text.is_empty()).map(SseEvent::data)
}
