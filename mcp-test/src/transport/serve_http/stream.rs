//! The stream of a request that stands by itself: its work sends the events, and ends with the response.

use std::{collections::VecDeque, io};

use axum::body::{Body, Bytes};
use futures_util::stream;

use super::{
    HttpServer, Stage,
    drive::Drive,
    piece::{Piece, Writer},
    reply,
};
use crate::transport::{
    fault::{Delivery, Then},
    tap::Wire,
};

impl HttpServer {
    /// A stream that starts with this delivery and goes on with what is still being sent.
    pub(super) fn stream(&self, wire: &Wire, drive: Drive, first: Delivery) -> Body {
        let mut state = Streaming {
            server: self.clone(),
            wire: wire.clone(),
            writer: Writer::new(wire),
            drive,
            queue: VecDeque::new(),
            then: Then::GoOn,
            is_ending: false,
        };
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
    writer: Writer,
    drive: Drive,
    queue: VecDeque<Piece>,
    then: Then,
    is_ending: bool,
}

impl Streaming {
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            if let Some(rest) = self.writer.rest() {
                return Some(Ok(rest));
            }
            if let Some(piece) = self.queue.pop_front() {
                return Some(Ok(self.writer.write(&piece)));
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
                emitted = self.drive.message() => emitted?,
                () = self.server.reached(Stage::Ending), if !self.is_ending => {
                    self.is_ending = true;
                    self.drive.close();
                    continue;
                }
                () = self.server.reached(Stage::Over) => {
                    return Some(Err(io::ErrorKind::ConnectionAborted.into()));
                }
            };
            let delivery = self.wire.deliver(emitted);
            reply::when_due(&delivery).await;
            self.take(delivery);
        }
    }

    fn take(&mut self, delivery: Delivery) {
        self.then = delivery.then;
        self.queue.extend(Piece::of(delivery));
    }
}
