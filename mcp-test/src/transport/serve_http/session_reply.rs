//! Responses inside of a session: the work goes on when the connection is lost, and what it sends can be fetched later.

use std::{io, ops::ControlFlow, sync::Arc};

use axum::{
    body::{Body, Bytes},
    response::Response,
};
use futures_util::stream::unfold;
use http::{HeaderName, HeaderValue};
use tokio::sync::oneshot;

use super::{
    HttpServer, Stage,
    drive::Drive,
    events::{End, EventStream, Manner, Reader},
    piece::{Piece, Writer},
    reply,
    sessions::Session,
};
use crate::{
    spec::Revision,
    transport::{
        fault::{Delivery, Lapse, Then},
        serve::Outbound,
        tap::Wire,
    },
};

/// What a response turns out to be, once its work has said something.
enum Opening {
    /// No stream: this is all.
    Whole(Delivery),
    /// A stream, of this status if it is not 200.
    Stream(Option<u16>),
}

/// The work of one request, on its way into a stream.
struct Exchange {
    server: HttpServer,
    session: Session,
    wire: Wire,
    drive: Drive,
    stream: Arc<EventStream>,
}

impl Session {
    /// Whether the client may come back for a stream that it lost.
    pub(super) fn is_resumable(&self) -> bool {
        self.conversation.revision().is_some_and(Revision::has_resumability)
    }

    /// What its streams are like.
    pub(super) fn manner(&self, wire: &Wire) -> Manner {
        let numbered = self.is_resumable() && !wire.lapses(Lapse::NoEventIds);
        Manner { numbered, own: false, alike: wire.lapses(Lapse::ReusesEventIds) }
    }

    /// Whether the server may end connections and have the client come back.
    fn polls(&self) -> bool {
        self.conversation.revision().is_some_and(Revision::has_stream_polling)
    }
}

impl HttpServer {
    /// The response to a request or a batch that wants an answer.
    pub(super) async fn respond_in(
        &self,
        session: &Session,
        wire: &Wire,
        drive: Drive,
        headers: Vec<(HeaderName, HeaderValue)>,
    ) -> Response {
        let stream = session.streams.begin(session.manner(wire));
        let reader = stream.read();
        let (tell, told) = oneshot::channel();
        let exchange = Exchange {
            server: self.clone(),
            session: session.clone(),
            wire: wire.clone(),
            drive,
            stream,
        };
        tokio::spawn(exchange.run(tell));
        let response = match told.await {
            Ok(Opening::Whole(delivery)) => self.whole(&delivery).await,
            Ok(Opening::Stream(status)) => reply::streamed(status, self.reading(wire, reader)),
            Err(_) if self.is_over() => reply::ended(),
            Err(_) => reply::stream_of(Body::empty()),
        };
        reply::with(headers, response)
    }

    /// The body of a response that reads a stream.
    pub(super) fn reading(&self, wire: &Wire, reader: Reader) -> Body {
        let state = (self.clone(), Writer::new(wire), reader);
        Body::from_stream(unfold(state, async |(server, mut writer, mut reader)| {
            let bytes: io::Result<Bytes> = match writer.rest() {
                Some(rest) => Ok(rest),
                None => tokio::select! {
                    biased;
                    piece = reader.next() => piece?.map(|piece| writer.write(&piece)),
                    () = server.reached(Stage::Over) => Err(io::ErrorKind::ConnectionAborted.into()),
                },
            };
            Some((bytes, (server, writer, reader)))
        }))
    }
}

impl Exchange {
    /// Works until all is said, or until the session has ended and nobody is left to hear it.
    async fn run(mut self, tell: oneshot::Sender<Opening>) {
        let (server, session) = (self.server.clone(), self.session.clone());
        let stream = Arc::clone(&self.stream);
        tokio::select! {
            biased;
            () = server.reached(Stage::Over) => stream.end(End::Broken),
            () = self.work(tell) => {}
            () = async {
                session.ended().await;
                stream.left().await;
            } => stream.end(End::Complete),
        }
    }

    async fn work(&mut self, tell: oneshot::Sender<Opening>) {
        let mut tell = Some(tell);
        while let Some(outbound) = self.drive.next().await {
            match outbound {
                Outbound::EndConnection if !self.session.polls() => {}
                Outbound::EndConnection => {
                    if let Some(tell) = tell.take() {
                        self.open(tell, None);
                    }
                    self.stream.end_connection();
                }
                Outbound::Message(emitted) => {
                    let is_reply = emitted.is_reply();
                    let delivery = self.wire.deliver(emitted);
                    reply::when_due(&delivery).await;
                    if let Some(tell) = tell.take() {
                        if self.server.is_whole(is_reply, &delivery) {
                            tell.send(Opening::Whole(delivery)).ok();
                            return;
                        }
                        self.open(tell, delivery.status);
                    }
                    if say(&self.stream, delivery).await.is_break() {
                        return;
                    }
                }
            }
        }
        self.stream.end(End::Complete);
    }

    /// Turns the response into a stream.
    fn open(&self, tell: oneshot::Sender<Opening>, status: Option<u16>) {
        self.session.streams.keep(&self.stream);
        if self.session.polls() && !self.wire.lapses(Lapse::NoEventIds) {
            let retry = self.server.0.options.retry.as_millis();
            let retry = u64::try_from(retry).ok().filter(|_| !self.wire.lapses(Lapse::NoRetry));
            self.stream.push(Piece::priming(retry));
        }
        tell.send(Opening::Stream(status)).ok();
    }
}

/// Sends what is delivered, as far as it goes.
async fn say(stream: &EventStream, delivery: Delivery) -> ControlFlow<()> {
    let then = delivery.then;
    for piece in Piece::of(delivery) {
        stream.room().await;
        stream.push(piece);
    }
    stream.end(match then {
        Then::GoOn => return ControlFlow::Continue(()),
        Then::End => End::Complete,
        Then::Silence => End::Silent,
        Then::Close | Then::Exit => End::Broken,
    });
    ControlFlow::Break(())
}
