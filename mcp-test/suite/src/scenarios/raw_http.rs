//! MCP messages as raw HTTP requests, and descriptions of the responses.
//!
//! For scenarios about HTTP itself, which must be able to send what a conforming client does not.

use mcp_test_core::spec;
use serde_json::Value;

use crate::scenarios::always_answered;
use crate::scenarios::prelude::*;

/// The media types that a client has to accept.
const ACCEPT: &str = "application/json, text/event-stream";

/// A request, in the stateless era with its `_meta`.
pub(super) fn request(revision: Revision, id: i64, method: &str, mut params: Value) -> Value {
    if revision.era() == Era::Stateless {
        params["_meta"] = request_meta(revision);
    }
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// A call of a fixture, or of what takes its place, without arguments unless the user has stated some.
pub(super) fn call_of_fixture(ctx: &Ctx, id: i64, tool: &str) -> Value {
    let params = json!({ "name": tool, "arguments": {} });
    let params = ctx.fixtures().apply("tools/call", params.into());
    request(ctx.revision(), id, "tools/call", params.to_serde())
}

/// The `_meta` of a request in the stateless era, from a client without capabilities.
pub(super) fn request_meta(revision: Revision) -> Value {
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
pub(super) fn opening_request(revision: Revision, id: i64) -> Value {
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

/// The POST of a message, with the headers that the revision requires.
pub(super) fn post(revision: Revision, message: &Value) -> HttpRequest {
    let request = HttpRequest::post(message.to_string())
        .header("Content-Type", "application/json")
        .header("Accept", ACCEPT);
    let method = message["method"].as_str().unwrap_or_default();
    match revision.era() {
        // The header names the negotiated revision, which is not known yet.
        Era::Handshake if method == "initialize" => request,
        // Revisions before 2025-06-18 do not define the header.
        Era::Handshake if !revision.sends_version_header() => request,
        Era::Handshake => request.header(header::MCP_PROTOCOL_VERSION, revision.as_str()),
        Era::Stateless => {
            let request = request
                .header(header::MCP_PROTOCOL_VERSION, revision.as_str())
                .header(header::MCP_METHOD, method);
            // `Mcp-Name` mirrors only what the specification lists (`…/streamable-http#standard-request-headers`).
            let member = spec::method(method).and_then(|method| method.name_param);
            match member.and_then(|member| message["params"][member].as_str()) {
                Some(name) => request.header(header::MCP_NAME, header::encode_value(name)),
                None => request,
            }
        }
    }
}

/// A raw session of the handshake era; if the server has no sessions, a conversation without an id.
pub(super) struct Session {
    /// The id, if the server issues one.
    pub(super) id: Option<String>,
    /// The negotiated revision.
    pub(super) revision: Revision,
}

impl Session {
    /// The session of an accepted `initialize`.
    pub(super) fn opened(answer: &HttpResponse, requested: Revision) -> Self {
        // If the result names no known revision, the requested one applies, as in the official suite.
        let negotiated = reply(answer, 1)
            .and_then(Result::ok)
            .and_then(|result| result.get("protocolVersion")?.as_str()?.parse::<Revision>().ok());
        let id = answer.header(header::MCP_SESSION_ID).map(str::to_owned);
        Self { id, revision: negotiated.unwrap_or(requested) }
    }

    /// Opens a session with `initialize`, which has to succeed, and sends nothing else.
    pub(super) async fn open(ctx: &mut Ctx) -> Result<Self, Finding> {
        let revision = ctx.revision();
        let answer = ctx.http(post(revision, &opening_request(revision, 1))).await?;
        if !is_success(&answer) {
            return Err(finding("`initialize` is refused", &answer)
                .expected("HTTP 200 with the result of `initialize`")
                .requires(Requirement::LIFECYCLE_INITIALIZE_RESPONSE));
        }
        Ok(Self::opened(&answer, revision))
    }

    /// Adds the headers of the session to a request.
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

    /// The POST of `notifications/initialized`.
    pub(super) fn initialized(&self) -> HttpRequest {
        self.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
    }

    /// The GET that opens a listening stream.
    pub(super) fn get(&self) -> HttpRequest {
        self.within(HttpRequest::get().header("Accept", "text/event-stream"))
    }

    /// The DELETE that ends the session.
    pub(super) fn delete(&self) -> HttpRequest {
        self.within(HttpRequest::delete())
    }

    /// Ends the session, if there is one, and ignores the response.
    pub(super) async fn close(&self, ctx: &mut Ctx) {
        if self.id.is_some() {
            // A server may refuse DELETE with 405 (`basic/transports#session-management`).
            let _ = ctx.http(self.delete()).await;
        }
    }
}

/// Whether a host, with or without a port, is a loopback name or address.
pub(super) fn is_local(authority: &str) -> bool {
    // An IPv6 address is in brackets, because it contains colons itself (RFC 3986, section 3.2.2).
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    matches!(host, "localhost" | "127.0.0.1" | "::1")
}

/// A kind of items that the server declares, whose list any client may ask for.
pub(super) async fn declared_list(ctx: &mut Ctx) -> Result<Option<ItemKind>, Finding> {
    for kind in [ItemKind::Tool, ItemKind::Prompt, ItemKind::Resource] {
        if ctx.declares(kind.capability()).await? {
            return Ok(Some(kind));
        }
    }
    Ok(None)
}

/// A request without any effect that every server answers: a list that it declares, else `ping` or `server/discover`.
pub(super) async fn harmless_method(ctx: &mut Ctx) -> Result<&'static str, Finding> {
    let list = declared_list(ctx).await?.map(ItemKind::method);
    Ok(list.unwrap_or_else(|| always_answered(ctx.revision())))
}

/// Whether a valid request was answered with a result; an error is no better than silence.
pub(super) fn is_served(headline: &str, answer: &HttpResponse, id: i64) -> Result<(), Finding> {
    match reply(answer, id) {
        Some(Ok(_)) => Ok(()),
        _ => Err(finding(headline, answer).expected(format!("the result with id {id}"))),
    }
}

/// Whether the status is 2xx.
pub(super) fn is_success(answer: &HttpResponse) -> bool {
    (200..300).contains(&answer.status)
}

/// Whether the status is 4xx.
pub(super) fn is_refusal(answer: &HttpResponse) -> bool {
    (400..500).contains(&answer.status)
}

/// The reply to the request with this id, in a body or in a stream.
pub(super) fn reply(
    answer: &HttpResponse,
    id: i64,
) -> Option<Result<mcp_test_core::json::Value, RpcError>> {
    match answer.reply(&Id::from(id))? {
        Message::Response(response) => Some(Ok(response.result)),
        Message::Error(error) => Some(Err(error.error)),
        _ => None,
    }
}

/// The error in a response, whatever its id.
pub(super) fn error(answer: &HttpResponse) -> Option<RpcError> {
    // A server that could not read the id answers without one.
    answer.messages().into_iter().find_map(|message| match message {
        Message::Error(error) => Some(error.error),
        _ => None,
    })
}

/// A finding about a response, which describes that response.
pub(super) fn finding(headline: impl Into<String>, answer: &HttpResponse) -> Finding {
    let finding = Finding::peer(headline).got(describe(answer));
    let finding = finding.evidence_all([answer.sent, answer.seq]);
    match answer.status {
        // Whatever was asked for, the endpoint demands credentials.
        401 | 407 => finding.caused_by(Cause::Status(answer.status)),
        _ => finding,
    }
}

/// Describes a response: its status and the content of its body.
pub(super) fn describe(answer: &HttpResponse) -> String {
    let content = match answer.messages().last() {
        Some(Message::Error(error)) => error.error.to_string(),
        Some(Message::Response(response)) => format!("the result {}", response.result.short(80)),
        Some(Message::Request(request)) => format!("the request `{}`", request.method),
        Some(Message::Notification(notification)) => {
            format!("the notification `{}`", notification.method)
        }
        None if answer.is_stream() => "an event stream without messages".to_owned(),
        None if answer.body.is_empty() => "no body".to_owned(),
        // Truncated: it may be a whole page of HTML.
        None => format!(
            "the body {}",
            mcp_test_core::expect::words::quoted(&answer.body[..answer.body.len().min(120)])
        ),
    };
    format!("HTTP {} with {content}", answer.status)
}
