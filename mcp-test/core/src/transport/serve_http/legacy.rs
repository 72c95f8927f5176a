//! The HTTP+SSE transport of 2024-11-05, beside the endpoint of newer revisions: one event stream for all messages of the
//! server, and a path to post to, which the first event of the stream names.
//! <https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse>

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use axum::response::Response;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use http::{HeaderMap, Method, StatusCode, Uri};
use tokio::sync::mpsc;

use super::event_body::MessageSource;
use super::received_message::ReceivedMessage;
use super::stream_event::StreamEvent;
use super::{HttpServer, ServerStage, request_headers, response};
use crate::spec::{Era, Revision};
use crate::transport::actor::{Conversation, OutboundMessage, Outbox, OutboxItem, Work};
use crate::transport::fault::{FollowUp, Misbehavior};
use crate::transport::generated_id::generate_id;
use crate::transport::interceptor::InterceptedConnection;
use crate::transport::memory_budget::{Reservation, Usage};

/// The path of the event stream.
pub(super) const STREAM: &str = "/sse";
/// The path that messages are posted to.
pub(super) const MESSAGES: &str = "/messages";
/// The query parameter that names the stream on which a message is answered.
const SESSION: &str = "session_id=";
/// How many posted messages of a stream may be waiting, and how many in progress, before POSTs have to wait.
const IN_FLIGHT: usize = 1024;

/// The open streams by session id.
#[derive(Clone, Default)]
pub(super) struct LegacyStreams(Arc<Mutex<HashMap<String, LegacyStream>>>);

#[derive(Clone)]
struct LegacyStream {
    conversation: Arc<dyn Conversation>,
    outbox: Outbox,
    works: mpsc::Sender<Work>,
    /// Reserved for what the conversation keeps of its client.
    memory: Arc<OnceLock<Reservation>>,
}

/// The messages of one stream; its work is done while the stream is read, and dropped with it.
struct SessionMessages {
    messages: mpsc::Receiver<OutboxItem>,
    works: mpsc::Receiver<Work>,
    in_flight: FuturesUnordered<Work>,
    _entry: Entry,
}

/// The entry of an open stream; dropping it removes it.
struct Entry {
    streams: LegacyStreams,
    id: String,
}

impl HttpServer {
    /// Whether the server supports 2024-11-05.
    pub(super) fn serves_legacy(&self) -> bool {
        self.0.actor.revisions().contains(Revision::V2024_11_05)
    }

    /// Opens the stream of a new conversation.
    pub(super) fn legacy_stream(
        &self,
        wire: &InterceptedConnection,
        method: &Method,
        headers: &HeaderMap,
    ) -> Response {
        if method != Method::GET {
            return response::not_allowed("GET");
        }
        if !request_headers::accepts(headers, request_headers::EVENT_STREAM) {
            return response::not_acceptable("`Accept` must list `text/event-stream`");
        }
        let id = generate_id();
        let conversation = self.0.actor.new_conversation(Some(Era::Handshake));
        let (outbox, messages) = Outbox::channel();
        let (sender, works) = mpsc::channel(IN_FLIGHT);
        conversation.attach(outbox.clone());
        // A path is enough: clients resolve it against the URL of the stream.
        let endpoint = StreamEvent::named("endpoint", format!("{MESSAGES}?{SESSION}{id}"));
        let streams = self.0.legacy_streams.clone();
        // Before the response is returned, so that a POST that follows at once finds the stream.
        streams.with(|open| {
            let (works, memory) = (sender, Arc::default());
            open.insert(id.clone(), LegacyStream { conversation, outbox, works, memory })
        });
        let (in_flight, entry) = (FuturesUnordered::new(), Entry { streams, id });
        let source = SessionMessages { messages, works, in_flight, _entry: entry };
        let body = self.event_body(wire, source, [endpoint], FollowUp::Continue);
        response::with_faults(response::stream_of(body), &wire.http_faults("GET", false))
    }

    /// Accepts a message, which is answered on the stream of its session.
    pub(super) async fn legacy_post(
        &self,
        wire: &InterceptedConnection,
        uri: &Uri,
        received: ReceivedMessage,
    ) -> Response {
        let id = uri.query().and_then(|query| {
            query.split('&').find_map(|parameter| parameter.strip_prefix(SESSION))
        });
        let Some(id) = id else {
            return response::refusal(StatusCode::BAD_REQUEST, "the query has no `session_id`");
        };
        let stream = self.0.legacy_streams.with(|open| {
            let other = open.iter().find(|(other, _)| *other != id).map(|(_, stream)| stream);
            let other = other.filter(|_| wire.misbehaves(Misbehavior::MixesStreams));
            other.or_else(|| open.get(id)).cloned()
        });
        // The actor may have ended the conversation while its stream was still open.
        let stream = stream.filter(|stream| !stream.conversation.is_over());
        let Some(LegacyStream { conversation, outbox, works, memory }) = stream else {
            return response::refusal(StatusCode::NOT_FOUND, "unknown session");
        };
        if received.value().is_none() {
            return response::refusal(StatusCode::BAD_REQUEST, "the body is not JSON");
        }
        let faults = super::http_faults(wire, received.value());
        let kept = received.parsed_bytes();
        let work = received.start(&conversation, outbox);
        if conversation.revision().is_some() && memory.get().is_none() {
            match self.0.options.memory.reserve(Usage::Session, kept).await {
                Ok(reserved) => memory.get_or_init(|| reserved),
                Err(used_up) => {
                    conversation.close();
                    return response::used_up(used_up);
                }
            };
        }
        let response = match works.send(work).await {
            Ok(()) => response::empty(StatusCode::ACCEPTED),
            Err(_) => response::refusal(StatusCode::NOT_FOUND, "unknown session"),
        };
        response::with_faults(response, &faults)
    }
}

impl LegacyStreams {
    fn with<T>(&self, act: impl FnOnce(&mut HashMap<String, LegacyStream>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        // 2024-11-05 has no DELETE: the conversation ends with its stream.
        let closed = self.streams.with(|open| open.remove(&self.id));
        closed.iter().for_each(|stream| stream.conversation.close());
    }
}

impl MessageSource for SessionMessages {
    const EVENT_TYPE: Option<&'static str> = Some("message");
    const OF_ONE_REQUEST: bool = false;

    async fn next(&mut self, server: &HttpServer) -> Option<io::Result<OutboundMessage>> {
        loop {
            tokio::select! {
                biased;
                item = self.messages.recv() => if let OutboxItem::Message(message) = item? {
                    return Some(Ok(message));
                },
                Some(()) = self.in_flight.next() => {}
                // Otherwise POSTs wait: the channel of the work is bounded as well.
                Some(work) = self.works.recv(), if self.in_flight.len() < IN_FLIGHT => {
                    self.in_flight.push(work);
                }
                () = server.reached(ServerStage::ConnectionEnd) => return None,
            }
        }
    }
}
