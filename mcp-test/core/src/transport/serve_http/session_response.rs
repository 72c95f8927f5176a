//! Responses within a session: the work continues when the connection is lost, and the client can resume its stream.

use std::ops::ControlFlow;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use futures_util::stream::unfold;
use http::{HeaderName, HeaderValue};
use tokio::sync::oneshot;

use super::event_stream::{End, EventStream, Reader, StreamOptions};
use super::request_work::RequestWork;
use super::reserved_delivery::ReservedDelivery;
use super::sessions::Session;
use super::stream_event::{EventWriter, StreamEvent};
use super::{HttpServer, ServerStage, response};
use crate::spec::Revision;
use crate::transport::actor::OutboxItem;
use crate::transport::event_form::EventForm;
use crate::transport::fault::{FollowUp, Misbehavior};
use crate::transport::interceptor::InterceptedConnection;
use crate::transport::memory_budget::MemoryUsedUp;

/// What a response is, decided by the first message of its work.
enum ResponseKind {
    /// One JSON text.
    Whole(ReservedDelivery),
    /// A stream with this status, 200 if `None`.
    Stream(Option<u16>),
    /// A refusal, since no memory is left for the first message.
    Refusal(MemoryUsedUp),
}

/// The work of one request, which writes to a stream.
struct Exchange {
    server: HttpServer,
    session: Session,
    wire: InterceptedConnection,
    work: RequestWork,
    stream: Arc<EventStream>,
}

impl Session {
    /// Whether the client may resume a stream that it lost.
    pub(super) fn is_resumable(&self) -> bool {
        self.conversation.revision().is_some_and(Revision::has_resumability)
    }

    /// The options of its streams.
    pub(super) fn options(&self, wire: &InterceptedConnection) -> StreamOptions {
        let numbered = self.is_resumable() && !wire.misbehaves(Misbehavior::NoEventIds);
        StreamOptions {
            numbered,
            unsolicited: false,
            reuses_ids: wire.misbehaves(Misbehavior::ReusesEventIds),
        }
    }

    /// Whether the server may end a connection and have the client resume the stream.
    /// <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server>
    fn polls(&self) -> bool {
        self.conversation.revision().is_some_and(Revision::has_stream_polling)
    }
}

impl HttpServer {
    /// The response to a request, or to a batch with requests.
    pub(super) async fn respond_in(
        &self,
        session: &Session,
        wire: &InterceptedConnection,
        work: RequestWork,
        headers: Vec<(HeaderName, HeaderValue)>,
    ) -> Response {
        let stream = session.streams.begin(session.options(wire));
        // Before the task starts, which ends with the session if nobody reads the stream.
        let reader = stream.read();
        let (decided, kind) = oneshot::channel();
        let exchange = Exchange {
            server: self.clone(),
            session: session.clone(),
            wire: wire.clone(),
            work,
            stream,
        };
        // A task of its own: in the handshake era a disconnection does not cancel the request.
        tokio::spawn(exchange.run(decided));
        let response = match kind.await {
            Ok(ResponseKind::Whole(reserved)) => self.whole(reserved).await,
            Ok(ResponseKind::Refusal(used_up)) => response::used_up(used_up),
            Ok(ResponseKind::Stream(status)) => {
                response::streamed(status, self.reading(wire, reader))
            }
            Err(_) if self.is_over() => response::ended(),
            // The work has ended without any message.
            Err(_) => response::stream_of(Body::empty()),
        };
        response::with(headers, response)
    }

    /// The body of a response that reads a stream.
    pub(super) fn reading(&self, wire: &InterceptedConnection, reader: Reader) -> Body {
        let state = (self.clone(), EventWriter::new(wire), reader);
        Body::from_stream(unfold(state, async |(server, mut writer, mut reader)| {
            loop {
                if let Some(bytes) = writer.next() {
                    return Some((Ok(bytes), (server, writer, reader)));
                }
                let event = tokio::select! {
                    biased;
                    event = reader.next() => event?,
                    () = server.reached(ServerStage::ExchangeEnd) => Err(response::aborted()),
                };
                match event {
                    Ok(event) => writer.queue([event]),
                    Err(error) => return Some((Err(error), (server, writer, reader))),
                }
            }
        }))
    }
}

impl Exchange {
    /// Sends the messages of the work, or stops when the session has ended and nobody reads the stream.
    async fn run(mut self, decided: oneshot::Sender<ResponseKind>) {
        let (server, session) = (self.server.clone(), self.session.clone());
        let stream = Arc::clone(&self.stream);
        tokio::select! {
            biased;
            () = server.reached(ServerStage::ExchangeEnd) => stream.end(End::Broken),
            () = self.send_messages(decided) => {}
            () = async {
                session.ended().await;
                stream.left().await;
            } => stream.end(End::Complete),
        }
    }

    async fn send_messages(&mut self, decided: oneshot::Sender<ResponseKind>) {
        let mut decided = Some(decided);
        while let Some(outbound) = self.work.item().await {
            match outbound {
                // Before 2025-11-25 a server should not close a stream before the reply.
                OutboxItem::EndConnection if !self.session.polls() => {}
                OutboxItem::EndConnection => {
                    if let Some(decided) = decided.take() {
                        self.start_stream(decided, None, EventForm::Plain);
                    }
                    self.stream.end_connection();
                }
                OutboxItem::Message(emitted) => {
                    let is_reply = emitted.is_reply();
                    let memory = &self.server.0.options.memory;
                    let reserved =
                        match ReservedDelivery::reserve(memory, &self.wire, emitted).await {
                            Ok(reserved) => reserved,
                            Err(used_up) => {
                                if let Some(decided) = decided.take() {
                                    decided.send(ResponseKind::Refusal(used_up)).ok();
                                }
                                self.stream.end(End::Broken);
                                return;
                            }
                        };
                    let ReservedDelivery { delivery, .. } = &reserved;
                    response::until_due(delivery).await;
                    if is_reply && self.wire.misbehaves(Misbehavior::RepliesOnGet) {
                        for event in StreamEvent::of(reserved.clone()) {
                            self.session.streams.send_unsolicited(event).await;
                        }
                    }
                    if let Some(decided) = decided.take() {
                        // Only the first message can decide this: the head of the response is sent after it.
                        if self.server.is_whole(is_reply, delivery) {
                            decided.send(ResponseKind::Whole(reserved)).ok();
                            // The stream was never kept: a response that is one JSON text cannot be resumed.
                            return;
                        }
                        self.start_stream(decided, delivery.status, delivery.form);
                    }
                    if send_delivery(&self.stream, reserved).await.is_break() {
                        return;
                    }
                }
            }
        }
        self.stream.end(End::Complete);
    }

    /// Turns the response into a stream, whose first event is written in this form.
    fn start_stream(
        &self,
        decided: oneshot::Sender<ResponseKind>,
        status: Option<u16>,
        form: EventForm,
    ) {
        self.session.streams.keep(&self.stream);
        // A priming event gives the client an id to resume from before the first message.
        // <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server>
        // Before a byte order mark there can be none.
        let is_first = form == EventForm::ByteOrderMark;
        if self.session.polls() && !is_first && !self.wire.misbehaves(Misbehavior::NoEventIds) {
            let retry = self.server.0.options.retry.as_millis();
            let retry =
                u64::try_from(retry).ok().filter(|_| !self.wire.misbehaves(Misbehavior::NoRetry));
            self.stream.push(StreamEvent::priming(retry));
        }
        decided.send(ResponseKind::Stream(status)).ok();
    }
}

/// Sends a delivery; breaks if a fault ends the stream.
async fn send_delivery(stream: &EventStream, reserved: ReservedDelivery) -> ControlFlow<()> {
    let then = reserved.delivery.then;
    for piece in StreamEvent::of(reserved) {
        stream.room().await;
        stream.push(piece);
    }
    stream.end(match then {
        FollowUp::Continue => return ControlFlow::Continue(()),
        FollowUp::EndStream => End::Complete,
        FollowUp::Silence => End::Silent,
        FollowUp::CloseConnection | FollowUp::Exit => End::Broken,
    });
    ControlFlow::Break(())
}
