//! The work of one request, and the messages that it sends.

use std::io;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use tokio::sync::mpsc;

use super::event_body::MessageSource;
use super::received_message::ReceivedMessage;
use super::reserved_delivery::ReservedDelivery;
use super::stream_event::StreamEvent;
use super::{HttpServer, ServerStage, response};
use crate::transport::actor::{Conversation, OutboundMessage, Outbox, OutboxItem, Work};
use crate::transport::interceptor::InterceptedConnection;

/// The work of one request, with the messages that it sends. Dropping it drops the work.
pub(super) struct RequestWork {
    conversation: Arc<dyn Conversation>,
    work: Option<Work>,
    messages: mpsc::Receiver<OutboxItem>,
    is_closed: bool,
}

impl RequestWork {
    pub(super) fn start(conversation: &Arc<dyn Conversation>, received: ReceivedMessage) -> Self {
        let (outbox, messages) = Outbox::channel();
        let work = Some(received.start(conversation, outbox));
        Self { conversation: Arc::clone(conversation), work, messages, is_closed: false }
    }

    /// The next item; `None` when there are no more.
    pub(super) async fn item(&mut self) -> Option<OutboxItem> {
        while let Some(work) = &mut self.work {
            tokio::select! {
                biased;
                Some(message) = self.messages.recv() => return Some(message),
                () = work => self.work = None,
            }
        }
        // The work held the outbox, so this returns `None` once the outbox is empty.
        self.messages.recv().await
    }

    /// The next message, on a stream whose connection cannot end before it.
    pub(super) async fn message(&mut self) -> Option<OutboundMessage> {
        loop {
            if let OutboxItem::Message(message) = self.item().await? {
                return Some(message);
            }
        }
    }

    /// Runs the work to its end for a response that cannot carry messages; returns an error reply, or what else the actor
    /// refuses the message with.
    pub(super) async fn refusal(mut self) -> Option<OutboundMessage> {
        let mut refusal = None;
        while let Some(emitted) = self.message().await {
            let refuses = emitted.value.get("error").is_some() || emitted.status.is_some();
            if emitted.is_reply() && refuses {
                // The first one: the response has room for one.
                refusal.get_or_insert(emitted);
            }
        }
        refusal
    }
}

impl HttpServer {
    /// The response to a request outside of any session: closing it drops the work.
    pub(super) async fn respond(
        &self,
        wire: &InterceptedConnection,
        mut work: RequestWork,
    ) -> Response {
        // The first message decides: a reply can be the whole response, anything else begins a stream.
        let Some(first) = work.message().await else {
            return response::stream_of(Body::empty());
        };
        // Asked before the faults are applied, which may make it unrecognizable.
        let is_reply = first.is_reply();
        let first = match ReservedDelivery::reserve(&self.0.options.memory, wire, first).await {
            Ok(first) => first,
            Err(used_up) => return response::used_up(used_up),
        };
        let ReservedDelivery { delivery, .. } = &first;
        response::until_due(delivery).await;
        let (status, then) = (delivery.status, delivery.then);
        if self.is_whole(is_reply, delivery) {
            self.whole(first).await
        } else {
            response::streamed(status, self.event_body(wire, work, StreamEvent::of(first), then))
        }
    }
}

impl MessageSource for RequestWork {
    const EVENT_TYPE: Option<&'static str> = None;
    const OF_ONE_REQUEST: bool = true;

    async fn next(&mut self, server: &HttpServer) -> Option<io::Result<OutboundMessage>> {
        loop {
            tokio::select! {
                biased;
                message = self.message() => return message.map(Ok),
                // Work that only waits for the client ends with its conversation, and may still send a last message.
                () = server.reached(ServerStage::ConnectionEnd), if !self.is_closed => {
                    self.is_closed = true;
                    self.conversation.close();
                }
                () = server.reached(ServerStage::ExchangeEnd) => return Some(Err(response::aborted())),
            }
        }
    }
}
