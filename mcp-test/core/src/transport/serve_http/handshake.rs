//! The handshake era over HTTP: sessions that `initialize` opens and DELETE ends.

use std::sync::Arc;

use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use tokio::sync::mpsc;

use super::received_message::ReceivedMessage;
use super::request_work::RequestWork;
use super::reserved_delivery::ReservedDelivery;
use super::sessions::Session;
use super::stream_event::StreamEvent;
use super::{HttpServer, request_headers, response};
use crate::json::Value;
use crate::spec::{Era, Revision, error_code, header};
use crate::transport::actor::{OutboundMessage, Outbox, OutboxItem};
use crate::transport::fault::{FollowUp, Misbehavior};
use crate::transport::generated_id::generate_id;
use crate::transport::interceptor::InterceptedConnection;
use crate::transport::memory_budget::{MemoryBudget, MemoryUsedUp, Reservation, Usage};
use crate::wire::{Frame, Id, Message, RpcError};

/// The id under which a server that issues no session ids keeps its only conversation.
const ANONYMOUS: &[u8] = b"";

/// What kind of message a body is.
enum BodyKind {
    /// The request that opens a session.
    Initialize,
    /// Another request, or a batch with requests.
    Request,
    /// Notifications and replies only.
    NoRequest,
    /// Not a message.
    Malformed,
}

impl HttpServer {
    pub(super) async fn post_in_session(
        &self,
        wire: &InterceptedConnection,
        headers: &HeaderMap,
        received: ReceivedMessage,
    ) -> Response {
        let id = received.value().and_then(|body| body.get("id")).and_then(Id::read);
        let kind = body_kind(received.value());
        // Whatever session and version the request names: `initialize` always opens a new session, and proposes a version in
        // its body. Some clients also name that version in the header.
        if let BodyKind::Initialize = kind {
            return self.open(wire, received).await;
        }
        let session = match self.version(headers).and_then(|()| self.session(headers)) {
            Ok(session) => session,
            Err(refused) => return refused.response(id),
        };
        let is_initialized = method(received.value()) == Some("notifications/initialized");
        let work = RequestWork::start(&session.conversation, received);
        match kind {
            BodyKind::NoRequest | BodyKind::Malformed => {
                let response = self.accept(work, matches!(kind, BodyKind::NoRequest)).await;
                if is_initialized && wire.misbehaves(Misbehavior::ForgetsSession) {
                    self.0.sessions.close(&session);
                }
                response
            }
            BodyKind::Initialize | BodyKind::Request => {
                self.respond_in(&session, wire, work, Vec::new()).await
            }
        }
    }

    /// A stream for unsolicited messages, or the rest of one that the client lost.
    pub(super) fn get(&self, wire: &InterceptedConnection, headers: &HeaderMap) -> Response {
        // The specification requires it of a GET, which is answered by nothing but a stream.
        if !request_headers::accepts(headers, request_headers::EVENT_STREAM) {
            return response::not_acceptable("`Accept` must list `text/event-stream`");
        }
        let session = match self.version(headers).and_then(|()| self.session(headers)) {
            Err(refused) => return refused.text(),
            Ok(session) => session,
        };
        let resumes = headers.contains_key(header::LAST_EVENT_ID)
            && session.is_resumable()
            && !wire.misbehaves(Misbehavior::NoReplay);
        let reader = if resumes {
            let last = request_headers::value(headers, header::LAST_EVENT_ID);
            last.and_then(|id| {
                session.streams.resume(id, wire.misbehaves(Misbehavior::RepeatsEvent))
            })
        } else {
            Some(session.streams.listen(session.options(wire)))
        };
        match reader {
            Some(reader) => response::stream_of(self.reading(wire, reader)),
            None => response::refusal(
                StatusCode::BAD_REQUEST,
                "no stream can be resumed after the event of `Last-Event-ID`",
            ),
        }
    }

    /// Ends a session.
    pub(super) fn delete(&self, headers: &HeaderMap) -> Response {
        match self.version(headers).and_then(|()| self.session(headers)) {
            Err(refused) => refused.text(),
            Ok(session) => {
                if !self.0.wire.misbehaves(Misbehavior::KeepsSession) {
                    self.0.sessions.close(&session);
                }
                response::empty(StatusCode::NO_CONTENT)
            }
        }
    }

    async fn open(&self, wire: &InterceptedConnection, received: ReceivedMessage) -> Response {
        let conversation = self.0.actor.new_conversation(Some(Era::Handshake));
        let kept = received.parsed_bytes();
        // The revision is negotiated here already, not only when the work is polled.
        let work = RequestWork::start(&conversation, received);
        // `initialize` failed, so there is no session.
        if conversation.revision().is_none() {
            return self.respond(wire, work).await;
        }
        let id = match (
            wire.misbehaves(Misbehavior::NoSession),
            wire.misbehaves(Misbehavior::ReusesSessionId),
        ) {
            (true, _) => ANONYMOUS.to_vec(),
            (false, true) => wire.session_id("session"),
            (false, false) => wire.session_id(&generate_id()),
        };
        // A fault can put bytes into the id that no header can carry.
        let Ok(value) = HeaderValue::from_bytes(&id) else {
            return self.respond(wire, work).await;
        };
        if wire.misbehaves(Misbehavior::ServesOneSession) && self.0.sessions.has_any() {
            return response::refusal(StatusCode::BAD_REQUEST, "the server is already initialized");
        }
        let memory = match self.memory_of_session(kept).await {
            Ok(memory) => memory,
            Err(used_up) => return response::used_up(used_up),
        };
        let session = self.0.sessions.open(&id, Arc::clone(&conversation), memory);
        let (outbox, messages) = Outbox::channel();
        // Before the response, so that what is announced from then on waits for the client.
        conversation.attach(outbox);
        let memory = self.0.options.memory.clone();
        tokio::spawn(forward_unsolicited(memory, session.clone(), wire.clone(), messages));
        let name = HeaderName::from_static("mcp-session-id");
        let issued = (id != ANONYMOUS).then_some((name, value));
        self.respond_in(&session, wire, work, issued.into_iter().collect()).await
    }

    /// The memory for what a session keeps of its client.
    async fn memory_of_session(&self, bytes: usize) -> Result<Reservation, MemoryUsedUp> {
        let budget = &self.0.options.memory;
        if let Some(memory) = budget.try_reserve(Usage::Session, bytes) {
            return Ok(memory);
        }
        self.0
            .sessions
            .end_oldest(bytes, |of_session| budget.competes(of_session, Usage::Session, bytes));
        // They may have work in progress, without which their memory is free at once.
        budget.reserve(Usage::Session, bytes).await
    }

    /// The response to a body without requests, once it is processed.
    pub(super) async fn accept(&self, work: RequestWork, is_message: bool) -> Response {
        match work.refusal().await {
            Some(refused) => refusal_by(&refused),
            // Notifications and replies that are accepted must get status 202 without a body.
            None if is_message => response::empty(StatusCode::ACCEPTED),
            None => {
                response::refusal(StatusCode::BAD_REQUEST, "the body is not a JSON-RPC message")
            }
        }
    }

    /// Refuses a version header that names no revision that this server supports.
    fn version(&self, headers: &HeaderMap) -> Result<(), Refused> {
        // The header may be missing: the session knows the negotiated version.
        // <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header>
        let is_named = headers.contains_key(header::MCP_PROTOCOL_VERSION);
        // A server of an older revision knows no such header.
        let is_known = self.0.actor.revisions().iter().any(Revision::sends_version_header);
        if !is_named || !is_known || self.0.wire.misbehaves(Misbehavior::SkipsVersion) {
            return Ok(());
        }
        let revision = request_headers::value(headers, header::MCP_PROTOCOL_VERSION)
            .and_then(|name| name.parse::<Revision>().ok());
        match revision {
            Some(revision) if self.0.actor.revisions().contains(revision) => Ok(()),
            _ => Err(Refused(
                StatusCode::BAD_REQUEST,
                "the version in `MCP-Protocol-Version` is not supported",
            )),
        }
    }

    fn session(&self, headers: &HeaderMap) -> Result<Session, Refused> {
        let unnamed = self.0.wire.misbehaves(Misbehavior::NoSession).then_some(ANONYMOUS);
        let id = headers.get(header::MCP_SESSION_ID).map(HeaderValue::as_bytes).or(unnamed);
        let Some(id) = id else {
            return Err(Refused(StatusCode::BAD_REQUEST, "the header `Mcp-Session-Id` is missing"));
        };
        // 404 makes the client start a new session; 400, above, tells it that the id is required.
        let unknown = Refused(StatusCode::NOT_FOUND, "unknown session");
        self.0.sessions.find(id).ok_or(unknown)
    }
}

/// The response with which an actor refuses a message: nothing, a text, or an error reply.
fn refusal_by(refused: &OutboundMessage) -> Response {
    let status = refused.status.and_then(|status| StatusCode::from_u16(status).ok());
    let status = status.unwrap_or(StatusCode::BAD_REQUEST);
    match &refused.value {
        _ if refused.then == FollowUp::CloseConnection => response::broken_off(status),
        Value::Null => response::empty(status),
        Value::String(text) => response::refusal(status, text.to_string()),
        value => response::json(status, value),
    }
}

/// Why a request is refused.
struct Refused(StatusCode, &'static str);

impl Refused {
    /// An error reply to a request whose id is known; else a text, since older revisions have no errors without an id.
    fn response(self, id: Option<Id>) -> Response {
        match id {
            Some(id) => response::error(
                self.0,
                Some(id),
                RpcError::new(error_code::INVALID_REQUEST, self.1),
            ),
            None => self.text(),
        }
    }

    fn text(self) -> Response {
        response::refusal(self.0, self.1)
    }
}

fn method(body: Option<&Value>) -> Option<&str> {
    body?.get("method")?.as_str()
}

fn body_kind(body: Option<&Value>) -> BodyKind {
    let is_request = |message: &Message| matches!(message, Message::Request(_));
    match body.map(Frame::read) {
        Some(Ok(Frame::One(Message::Request(request)))) if request.method == "initialize" => {
            BodyKind::Initialize
        }
        Some(Ok(Frame::One(message))) => {
            if is_request(&message) {
                BodyKind::Request
            } else {
                BodyKind::NoRequest
            }
        }
        Some(Ok(Frame::Batch(items))) => {
            // An item that is not a message is answered with an error, so a batch with one counts as a request.
            let has_none =
                items.iter().all(|item| item.as_ref().is_ok_and(|message| !is_request(message)));
            if has_none { BodyKind::NoRequest } else { BodyKind::Request }
        }
        Some(Err(_)) | None => BodyKind::Malformed,
    }
}

/// Forwards unsolicited messages to the streams that the client has opened for them.
async fn forward_unsolicited(
    memory: MemoryBudget,
    session: Session,
    wire: InterceptedConnection,
    mut messages: mpsc::Receiver<OutboxItem>,
) {
    let forwarding = async {
        while let Some(outbound) = messages.recv().await {
            let OutboxItem::Message(emitted) = outbound else { continue };
            // Nothing waits for what is unsolicited, so it may be lost.
            let Ok(reserved) = ReservedDelivery::reserve(&memory, &wire, emitted).await else {
                continue;
            };
            for event in StreamEvent::of(reserved) {
                session.streams.send_unsolicited(event).await;
            }
        }
    };
    tokio::select! {
        // The actor has ended the conversation, and with it the session.
        () = forwarding => session.streams.close(),
        () = session.ended() => {}
    }
}
