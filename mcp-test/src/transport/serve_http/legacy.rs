//! The HTTP with SSE of 2024-11-05, beside the endpoint of newer revisions: one event stream for all that the server says,
//! and a place to post to, which the stream's first event names.

use std::{
    collections::{HashMap, VecDeque},
    io,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    body::{Body, Bytes},
    response::Response,
};
use futures_util::{
    StreamExt,
    stream::{FuturesUnordered, unfold},
};
use http::{HeaderMap, Method, StatusCode, Uri};
use tokio::sync::mpsc;

use super::{
    HttpServer, Stage, gate,
    piece::{Piece, Writer},
    reply, sessions,
};
use crate::{
    spec::{Era, Revision},
    transport::{
        fault::Then,
        serve::{Conversation, Outbound, Outbox, Received, Work},
        tap::Wire,
    },
};

/// Where the event stream is.
pub(super) const STREAM: &str = "/sse";
/// Where messages are posted to.
pub(super) const MESSAGES: &str = "/messages";
/// The part of the query that names the stream on which a message is answered.
const SESSION: &str = "session_id=";
/// How many messages of a stream may wait, and how many requests be in flight, before posting waits.
const IN_FLIGHT: usize = 1024;

/// The open streams, by session.
#[derive(Clone, Default)]
pub(super) struct Listeners(Arc<Mutex<HashMap<String, Listener>>>);

#[derive(Clone)]
struct Listener {
    conversation: Arc<dyn Conversation>,
    outbox: Outbox,
    works: mpsc::Sender<Work>,
}

/// One stream under way; its work is done as it is read, and dropped with it.
struct Streaming {
    server: HttpServer,
    wire: Wire,
    writer: Writer,
    queue: VecDeque<Piece>,
    then: Then,
    messages: mpsc::Receiver<Outbound>,
    works: mpsc::Receiver<Work>,
    in_flight: FuturesUnordered<Work>,
    _entry: Entry,
}

/// A place among the open streams; it is given up when this is dropped.
struct Entry {
    listeners: Listeners,
    id: String,
}

impl HttpServer {
    /// Whether the server speaks this at all.
    pub(super) fn serves_legacy(&self) -> bool {
        self.0.actor.revisions().contains(Revision::V2024_11_05)
    }

    /// The stream of a new conversation.
    pub(super) fn legacy_stream(
        &self,
        wire: &Wire,
        method: &Method,
        headers: &HeaderMap,
    ) -> Response {
        if method != Method::GET {
            return reply::not_allowed("GET");
        }
        if !gate::accepts(headers, gate::EVENT_STREAM) {
            return reply::refusal(
                StatusCode::NOT_ACCEPTABLE,
                "`Accept` must list `text/event-stream`",
            );
        }
        let id = sessions::mint();
        let conversation = self.0.actor.converse(Some(Era::Handshake));
        let (outbox, messages) = Outbox::channel();
        let (sender, works) = mpsc::channel(IN_FLIGHT);
        conversation.attach(outbox.clone());
        let endpoint = Piece::named("endpoint", format!("{MESSAGES}?{SESSION}{id}"));
        let listeners = self.0.listeners.clone();
        listeners
            .with(|open| open.insert(id.clone(), Listener { conversation, outbox, works: sender }));
        let state = Streaming {
            server: self.clone(),
            wire: wire.clone(),
            writer: Writer::new(wire),
            queue: VecDeque::from([endpoint]),
            then: Then::GoOn,
            messages,
            works,
            in_flight: FuturesUnordered::new(),
            _entry: Entry { listeners, id },
        };
        let body =
            Body::from_stream(unfold(state, async |mut state| Some((state.next().await?, state))));
        reply::damaged(reply::stream_of(body), &wire.http_damage("GET", false))
    }

    /// Takes in a message, which is answered on the stream of its session.
    pub(super) async fn legacy_post(&self, wire: &Wire, uri: &Uri, received: Received) -> Response {
        let id = uri.query().and_then(|query| {
            query.split('&').find_map(|parameter| parameter.strip_prefix(SESSION))
        });
        let Some(id) = id else {
            return reply::refusal(StatusCode::BAD_REQUEST, "the query names no `session_id`");
        };
        let listener = self.0.listeners.with(|open| open.get(id).cloned());
        let listener = listener.filter(|listener| !listener.conversation.is_over());
        let Some(Listener { conversation, outbox, works }) = listener else {
            return reply::refusal(StatusCode::NOT_FOUND, "there is no such session");
        };
        if received.value().is_none() {
            return reply::refusal(StatusCode::BAD_REQUEST, "the body is no JSON");
        }
        let damage = super::damage(wire, received.value());
        let response = match works.send(conversation.receive(received, outbox)).await {
            Ok(()) => reply::empty(StatusCode::ACCEPTED),
            Err(_) => reply::refusal(StatusCode::NOT_FOUND, "there is no such session"),
        };
        reply::damaged(response, &damage)
    }
}

impl Listeners {
    fn with<T>(&self, act: impl FnOnce(&mut HashMap<String, Listener>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let closed = self.listeners.with(|open| open.remove(&self.id));
        closed.iter().for_each(|listener| listener.conversation.close());
    }
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
                Then::GoOn | Then::Silence => {}
                Then::End => return None,
                Then::Close | Then::Exit => {
                    return Some(Err(io::ErrorKind::ConnectionAborted.into()));
                }
            }
            let outbound = tokio::select! {
                biased;
                outbound = self.messages.recv() => outbound?,
                Some(()) = self.in_flight.next() => continue,
                Some(work) = self.works.recv(), if self.in_flight.len() < IN_FLIGHT => {
                    self.in_flight.push(work);
                    continue;
                }
                () = self.server.reached(Stage::Ending) => return None,
            };
            let Outbound::Message(emitted) = outbound else { continue };
            let delivery = self.wire.deliver(emitted);
            reply::when_due(&delivery).await;
            self.then = delivery.then;
            self.queue.extend(Piece::of(delivery).map(|piece| piece.with_name("message")));
        }
    }
}
