//! The body of an event stream: each message of its source becomes an event.

use std::io;

use axum::body::{Body, Bytes};
use futures_util::stream::unfold;

use super::reserved_delivery::ReservedDelivery;
use super::response::{aborted, until_due};
use super::stream_event::{EventWriter, StreamEvent};
use super::{HttpServer, ServerStage};
use crate::transport::actor::OutboundMessage;
use crate::transport::fault::FollowUp;
use crate::transport::interceptor::InterceptedConnection;

/// Where the messages of an event stream come from.
pub(super) trait MessageSource: Send + 'static {
    /// The type of the events that carry messages; `None` for the default type.
    const EVENT_TYPE: Option<&'static str>;

    /// Whether the stream belongs to one request, so that nothing follows a reply that a fault suppresses.
    const OF_ONE_REQUEST: bool;

    /// The next message; `None` when the stream is complete, an error when its connection breaks.
    fn next(
        &mut self,
        server: &HttpServer,
    ) -> impl Future<Output = Option<io::Result<OutboundMessage>>> + Send;
}

struct EventBody<S> {
    server: HttpServer,
    wire: InterceptedConnection,
    writer: EventWriter,
    source: S,
    then: FollowUp,
}

impl HttpServer {
    /// A body that starts with these events, and continues with the messages of a source unless `then` ends it.
    pub(super) fn event_body<S: MessageSource>(
        &self,
        wire: &InterceptedConnection,
        source: S,
        first: impl IntoIterator<Item = StreamEvent>,
        then: FollowUp,
    ) -> Body {
        let mut writer = EventWriter::new(wire);
        writer.queue(first);
        let state = EventBody { server: self.clone(), wire: wire.clone(), writer, source, then };
        Body::from_stream(unfold(state, |mut state| async { Some((state.next().await?, state)) }))
    }
}

impl<S: MessageSource> EventBody<S> {
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            if let Some(bytes) = self.writer.next() {
                return Some(Ok(bytes));
            }
            match self.then {
                FollowUp::Silence if S::OF_ONE_REQUEST => {
                    // The reply never comes, but the stream stays open until the server shuts down.
                    self.server.reached(ServerStage::ConnectionEnd).await;
                    return None;
                }
                FollowUp::Continue | FollowUp::Silence => {}
                FollowUp::EndStream => return None,
                FollowUp::CloseConnection | FollowUp::Exit => return Some(Err(aborted())),
            }
            // Only once everything queued is written, so that a slow client slows the source down.
            let message = match self.source.next(&self.server).await? {
                Ok(message) => message,
                Err(error) => return Some(Err(error)),
            };
            // The status is sent already, so only the end of the connection can show that no memory is left.
            let memory = &self.server.0.options.memory;
            let Ok(reserved) = ReservedDelivery::reserve(memory, &self.wire, message).await else {
                return Some(Err(aborted()));
            };
            until_due(&reserved.delivery).await;
            self.take(reserved);
        }
    }

    fn take(&mut self, reserved: ReservedDelivery) {
        // Takes effect once the events of this delivery are written.
        self.then = reserved.delivery.then;
        let events = StreamEvent::of(reserved);
        match S::EVENT_TYPE {
            Some(name) => self.writer.queue(events.map(|event| event.with_name(name))),
            None => self.writer.queue(events),
        }
    }
}
