//! The handshake era over HTTP: sessions that `initialize` opens and DELETE ends.

use std::sync::Arc;

use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use tokio::sync::mpsc;

use super::{
    HttpServer,
    drive::Drive,
    gate,
    piece::Piece,
    reply,
    sessions::{self, Session},
};
use crate::{
    json::Value,
    spec::{Era, Revision, error_code, header},
    transport::{
        fault::Lapse,
        serve::{Outbound, Outbox, Received},
        tap::Wire,
    },
    wire::{Frame, Id, Message, RpcError},
};

/// The id under which a server without sessions keeps its only conversation.
const ANONYMOUS: &[u8] = b"";

/// What a body asks for.
enum Asks {
    /// To open a session.
    Initialize,
    /// An answer.
    Reply,
    /// Nothing: it only tells.
    Nothing,
    /// It is no message.
    Garbled,
}

impl HttpServer {
    pub(super) async fn post_in_session(
        &self,
        wire: &Wire,
        headers: &HeaderMap,
        received: Received,
    ) -> Response {
        let id = received.value().and_then(|body| body.get("id")).and_then(Id::read);
        if let Err(refused) = self.version(headers) {
            return refused.response(id);
        }
        let asks = asks(received.value());
        if let Asks::Initialize = asks {
            return self.open(wire, received).await;
        }
        let session = match self.session(headers) {
            Ok(session) => session,
            Err(refused) => return refused.response(id),
        };
        let begins = method(received.value()) == Some("notifications/initialized");
        let drive = Drive::start(&session.conversation, received);
        match asks {
            Asks::Nothing | Asks::Garbled => {
                let response = self.accept(drive, matches!(asks, Asks::Nothing)).await;
                if begins && wire.lapses(Lapse::ForgetsSession) {
                    self.0.sessions.close(&session);
                }
                response
            }
            Asks::Initialize | Asks::Reply => {
                self.respond_in(&session, wire, drive, Vec::new()).await
            }
        }
    }

    /// A stream for what the server sends on its own account, or the rest of one that the client lost.
    pub(super) fn get(&self, wire: &Wire, headers: &HeaderMap) -> Response {
        if !gate::accepts(headers, gate::EVENT_STREAM) {
            return reply::refusal(
                StatusCode::NOT_ACCEPTABLE,
                "`Accept` must list `text/event-stream`",
            );
        }
        let session = match self.version(headers).and_then(|()| self.session(headers)) {
            Err(refused) => return refused.text(),
            Ok(session) => session,
        };
        let resumes = headers.contains_key(header::LAST_EVENT_ID)
            && session.is_resumable()
            && !wire.lapses(Lapse::NoReplay);
        let reader = if resumes {
            let last = gate::value(headers, header::LAST_EVENT_ID);
            last.and_then(|id| session.streams.resume(id))
        } else {
            Some(session.streams.listen(session.manner(wire)))
        };
        match reader {
            Some(reader) => reply::stream_of(self.reading(wire, reader)),
            None => reply::refusal(
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
                if !self.0.wire.lapses(Lapse::KeepsSession) {
                    self.0.sessions.close(&session);
                }
                reply::empty(StatusCode::NO_CONTENT)
            }
        }
    }

    async fn open(&self, wire: &Wire, received: Received) -> Response {
        let conversation = self.0.actor.converse(Some(Era::Handshake));
        let drive = Drive::start(&conversation, received);
        if conversation.revision().is_none() {
            return self.respond(wire, drive).await;
        }
        let id = match (wire.lapses(Lapse::NoSession), wire.lapses(Lapse::ReusesSessionId)) {
            (true, _) => ANONYMOUS.to_vec(),
            (false, true) => wire.session_id("session"),
            (false, false) => wire.session_id(&sessions::mint()),
        };
        let Ok(value) = HeaderValue::from_bytes(&id) else {
            return self.respond(wire, drive).await;
        };
        let session = self.0.sessions.open(&id, Arc::clone(&conversation));
        let (outbox, messages) = Outbox::channel();
        conversation.attach(outbox);
        tokio::spawn(speak(session.clone(), wire.clone(), messages));
        let name = HeaderName::from_static("mcp-session-id");
        let issued = (id != ANONYMOUS).then_some((name, value));
        self.respond_in(&session, wire, drive, issued.into_iter().collect()).await
    }

    /// The response to what wants no answer, once it is dealt with.
    pub(super) async fn accept(&self, drive: Drive, is_message: bool) -> Response {
        match drive.refusal().await {
            Some(refused) => {
                let status = refused.status.and_then(|status| StatusCode::from_u16(status).ok());
                reply::json(status.unwrap_or(StatusCode::BAD_REQUEST), &refused.value)
            }
            None if is_message => reply::empty(StatusCode::ACCEPTED),
            None => reply::refusal(StatusCode::BAD_REQUEST, "the body is no JSON-RPC message"),
        }
    }

    /// Refuses a version header that names no revision with a handshake that this server speaks.
    fn version(&self, headers: &HeaderMap) -> Result<(), Refused> {
        let is_named = headers.contains_key(header::MCP_PROTOCOL_VERSION);
        if !is_named || self.0.wire.lapses(Lapse::SkipsVersion) {
            return Ok(());
        }
        let revision = gate::value(headers, header::MCP_PROTOCOL_VERSION)
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
        let unnamed = self.0.wire.lapses(Lapse::NoSession).then_some(ANONYMOUS);
        let id = headers.get(header::MCP_SESSION_ID).map(HeaderValue::as_bytes).or(unnamed);
        let Some(id) = id else {
            return Err(Refused(StatusCode::BAD_REQUEST, "the header `Mcp-Session-Id` is missing"));
        };
        let unknown = Refused(StatusCode::NOT_FOUND, "there is no such session");
        self.0.sessions.find(id).ok_or(unknown)
    }
}

/// Why a request is not let in.
struct Refused(StatusCode, &'static str);

impl Refused {
    /// For a request whose id is known, an error reply; else a text, since older revisions have no error without an id.
    fn response(self, id: Option<Id>) -> Response {
        match id {
            Some(id) => {
                reply::error(self.0, Some(id), RpcError::new(error_code::INVALID_REQUEST, self.1))
            }
            None => self.text(),
        }
    }

    fn text(self) -> Response {
        reply::refusal(self.0, self.1)
    }
}

fn method(body: Option<&Value>) -> Option<&str> {
    body?.get("method")?.as_str()
}

fn asks(body: Option<&Value>) -> Asks {
    let is_request = |message: &Message| matches!(message, Message::Request(_));
    match body.map(Frame::read) {
        Some(Ok(Frame::One(Message::Request(request)))) if request.method == "initialize" => {
            Asks::Initialize
        }
        Some(Ok(Frame::One(message))) => {
            if is_request(&message) {
                Asks::Reply
            } else {
                Asks::Nothing
            }
        }
        Some(Ok(Frame::Batch(items))) => {
            let tells =
                items.iter().all(|item| item.as_ref().is_ok_and(|message| !is_request(message)));
            if tells { Asks::Nothing } else { Asks::Reply }
        }
        Some(Err(_)) | None => Asks::Garbled,
    }
}

/// Brings what the server sends on its own account to the streams on which the client listens.
async fn speak(session: Session, wire: Wire, mut messages: mpsc::Receiver<Outbound>) {
    let speaking = async {
        while let Some(outbound) = messages.recv().await {
            let Outbound::Message(emitted) = outbound else { continue };
            for piece in Piece::of(wire.deliver(emitted)) {
                session.streams.say(piece).await;
            }
        }
    };
    tokio::select! {
        // The server has ended the conversation, and with it the session.
        () = speaking => session.streams.close(),
        () = session.ended() => {}
    }
}
