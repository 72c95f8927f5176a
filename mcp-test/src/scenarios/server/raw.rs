//! MCP by hand: messages as bare HTTP requests, and what came back in words.
//!
//! For scenarios about HTTP itself, which must be able to say what a good client does not.

use serde_json::{Value, json};

use crate::check::Finding;
use crate::scenario::Ctx;
use crate::spec::{self, Era, Revision, header, meta};
use crate::transport::{HttpAnswer, HttpRequest};
use crate::wire::{Id, Message, RpcError};

/// The media types that a client takes.
const ACCEPT: &str = "application/json, text/event-stream";

/// A request, which in the stateless era brings its terms.
pub(super) fn request(revision: Revision, id: i64, method: &str, mut params: Value) -> Value {
    if revision.era() == Era::Stateless {
        params["_meta"] = terms(revision);
    }
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// What a request of the stateless era says of its client: one without capabilities.
pub(super) fn terms(revision: Revision) -> Value {
    json!({
        meta::PROTOCOL_VERSION: revision.as_str(),
        meta::CLIENT_INFO: client_info(),
        meta::CLIENT_CAPABILITIES: {},
    })
}

fn client_info() -> Value {
    json!({ "name": "mcp-test", "version": env!("CARGO_PKG_VERSION") })
}

/// The first request of a client: `initialize`, or `server/discover` where there is no handshake.
pub(super) fn opening(revision: Revision, id: i64) -> Value {
    match revision.era() {
        Era::Stateless => request(revision, id, "server/discover", json!({})),
        Era::Handshake => {
            let params = json!({
                "protocolVersion": revision.as_str(),
                "capabilities": {},
                "clientInfo": client_info(),
            });
            request(revision, id, "initialize", params)
        }
    }
}

/// The POST of a message, with the headers that the revision wants for it.
pub(super) fn post(revision: Revision, message: &Value) -> HttpRequest {
    let request = HttpRequest::post(message.to_string())
        .header("Content-Type", "application/json")
        .header("Accept", ACCEPT);
    let method = message["method"].as_str().unwrap_or_default();
    match revision.era() {
        Era::Handshake if method == "initialize" => request,
        Era::Handshake if !revision.sends_version_header() => request,
        Era::Handshake => request.header(header::MCP_PROTOCOL_VERSION, revision.as_str()),
        Era::Stateless => {
            let request = request
                .header(header::MCP_PROTOCOL_VERSION, revision.as_str())
                .header(header::MCP_METHOD, method);
            let member = spec::method(method).and_then(|method| method.name_param);
            match member.and_then(|member| message["params"][member].as_str()) {
                Some(name) => request.header(header::MCP_NAME, header::encode_value(name)),
                None => request,
            }
        }
    }
}

/// A session of the handshake era that was opened by hand; where the server has none, a conversation without.
pub(super) struct Session {
    /// The id, if the server issues one.
    pub(super) id: Option<String>,
    /// The revision that the server settled on.
    pub(super) revision: Revision,
}

impl Session {
    /// What an accepted `initialize` has opened.
    pub(super) fn opened(answer: &HttpAnswer, asked: Revision) -> Self {
        let settled = reply(answer, 1)
            .and_then(Result::ok)
            .and_then(|result| result.get("protocolVersion")?.as_str()?.parse::<Revision>().ok());
        let id = answer.header(header::MCP_SESSION_ID).map(str::to_owned);
        Self { id, revision: settled.unwrap_or(asked) }
    }

    /// Opens one: `initialize`, which has to succeed, and nothing else yet.
    pub(super) async fn open(ctx: &mut Ctx) -> Result<Self, Finding> {
        let revision = ctx.revision();
        let answer = ctx.http(post(revision, &opening(revision, 1))).await?;
        if !is_success(&answer) {
            return Err(finding("`initialize` is refused", &answer)
                .expected("HTTP 200 with the result of `initialize`")
                .requires("lifecycle.initialize-response"));
        }
        Ok(Self::opened(&answer, revision))
    }

    /// A request as one of the session.
    pub(super) fn within(&self, request: HttpRequest) -> HttpRequest {
        let request = match self.revision.sends_version_header() {
            true => request.with(header::MCP_PROTOCOL_VERSION, self.revision.as_str()),
            false => request,
        };
        match &self.id {
            Some(id) => request.with(header::MCP_SESSION_ID, id),
            None => request,
        }
    }

    /// The POST of a message in the session.
    pub(super) fn post(&self, message: &Value) -> HttpRequest {
        self.within(post(self.revision, message))
    }

    /// The POST with which a client ends the handshake.
    pub(super) fn initialized(&self) -> HttpRequest {
        self.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
    }

    /// The GET that listens.
    pub(super) fn get(&self) -> HttpRequest {
        self.within(HttpRequest::get().header("Accept", "text/event-stream"))
    }

    /// The DELETE that ends the session.
    pub(super) fn delete(&self) -> HttpRequest {
        self.within(HttpRequest::delete())
    }

    /// Ends the session, if there is one, as a client does that is done; whether the server takes that is not looked at.
    pub(super) async fn close(&self, ctx: &mut Ctx) {
        if self.id.is_some() {
            let _ = ctx.http(self.delete()).await;
        }
    }
}

/// Whether the status says that the request is served.
pub(super) fn is_success(answer: &HttpAnswer) -> bool {
    (200..300).contains(&answer.status)
}

/// Whether the status says that the client is at fault.
pub(super) fn is_refusal(answer: &HttpAnswer) -> bool {
    (400..500).contains(&answer.status)
}

/// The reply to the request of this id, in a body or in a stream.
pub(super) fn reply(answer: &HttpAnswer, id: i64) -> Option<Result<crate::json::Value, RpcError>> {
    match answer.reply(&Id::from(id))? {
        Message::Response(response) => Some(Ok(response.result)),
        Message::Error(error) => Some(Err(error.error)),
        _ => None,
    }
}

/// The error in an answer, whatever its id.
pub(super) fn error(answer: &HttpAnswer) -> Option<RpcError> {
    answer.messages().into_iter().find_map(|message| match message {
        Message::Error(error) => Some(error.error),
        _ => None,
    })
}

/// A finding about an answer, which says what the answer was.
pub(super) fn finding(headline: impl Into<String>, answer: &HttpAnswer) -> Finding {
    Finding::peer(headline).got(in_words(answer)).evidence_all([answer.sent, answer.seq])
}

/// What an answer was: its status, and what its body holds.
pub(super) fn in_words(answer: &HttpAnswer) -> String {
    let what = match answer.messages().last() {
        Some(Message::Error(error)) => error.error.to_string(),
        Some(Message::Response(response)) => format!("the result {}", response.result.short(80)),
        Some(Message::Request(request)) => format!("the request `{}`", request.method),
        Some(Message::Notification(notification)) => {
            format!("the notification `{}`", notification.method)
        }
        None if answer.is_stream() => "an event stream without messages".to_owned(),
        None if answer.body.is_empty() => "no body".to_owned(),
        None => format!(
            "the body {}",
            crate::expect::words::quoted(&answer.body[..answer.body.len().min(120)])
        ),
    };
    format!("HTTP {} with {what}", answer.status)
}
