//! Serves Streamable HTTP on one endpoint: sessions for the handshake era, independent requests for the stateless one.
//! Where 2024-11-05 is served, its HTTP+SSE transport is served as well.
//!
//! This module decides what belongs to HTTP: methods, origins, content types, sessions, headers, streams. JSON-RPC and MCP
//! belong to the [`Actor`].

mod access_control;
mod allowed_hosts;
mod event_body;
mod event_stream;
mod handshake;
mod http_listener;
mod legacy;
mod received_message;
mod request_headers;
mod request_work;
mod reserved_delivery;
mod response;
mod session_response;
mod session_streams;
mod sessions;
mod socket;
mod stateless;
mod stream_event;

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::response::Response;
use axum::routing::any;
use axum::{Extension, Router};
use http::request::Parts;
use http::{HeaderMap, Method, StatusCode};
use tokio::sync::watch;

use self::legacy::LegacyStreams;
use self::received_message::ReceivedMessage;
use self::response::{Corruption, SentText};
use self::sessions::Sessions;
use self::socket::SocketFaults;
use super::Limits;
use super::actor::Actor;
use super::fault::{HttpFaults, Misbehavior};
use super::headers::listed;
use super::interceptor::{InterceptedConnection, Interceptor};
use super::memory_budget::MemoryBudget;
use super::request_body::{self, BodyError, BodyLimits};
use crate::json::Value;
use crate::spec::{Era, Revision, header, meta};
use crate::trace::{EventKind, Party, UnparsableKind};

pub(crate) use access_control::{AccessControl, GuardedRequest};
pub(crate) use allowed_hosts::AllowedHosts;
pub use http_listener::HttpListener;

/// How an actor is served over HTTP.
#[derive(Debug, Clone)]
pub(crate) struct HttpOptions {
    /// The path of the MCP endpoint.
    pub endpoint: String,
    /// The largest bodies that are accepted.
    pub limits: Limits,
    /// Whether replies are streams even where one JSON text would do.
    pub streams_replies: bool,
    /// How long a client that lost a stream should wait before it resumes it.
    pub retry: Duration,
    /// The hosts, besides this machine, that requests may name.
    pub allowed_hosts: Vec<String>,
    /// Whether the endpoint is the event stream of HTTP+SSE instead, of a server that serves 2024-11-05 alone.
    pub sse_alone: bool,
    /// JSON documents at paths without an endpoint.
    pub documents: Vec<(String, Value)>,
    /// Who may send requests to the endpoint; without it, everyone.
    pub access: Option<Arc<dyn AccessControl>>,
    /// The memory for what clients send, and for what waits to be sent to them.
    pub memory: MemoryBudget,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            endpoint: "/mcp".to_owned(),
            limits: Limits::default(),
            streams_replies: false,
            retry: Duration::from_millis(100),
            allowed_hosts: Vec::new(),
            sse_alone: false,
            documents: Vec::new(),
            access: None,
            memory: MemoryBudget::for_process(),
        }
    }
}

/// An actor behind an HTTP endpoint; clones share its sessions.
#[derive(Clone)]
pub(crate) struct HttpServer(Arc<Shared>);

struct Shared {
    actor: Arc<dyn Actor>,
    wire: InterceptedConnection,
    options: HttpOptions,
    sessions: Sessions,
    legacy_streams: LegacyStreams,
    stage: watch::Sender<ServerStage>,
    hosts: AllowedHosts,
}

/// How far the server has shut down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ServerStage {
    Serving,
    /// Connections without work in progress end.
    ConnectionEnd,
    /// Exchanges in progress are cut off.
    ExchangeEnd,
}

impl HttpServer {
    /// An endpoint for an actor.
    #[must_use]
    pub(crate) fn new(
        actor: Arc<dyn Actor>,
        interceptor: &Interceptor,
        mut options: HttpOptions,
    ) -> Self {
        let hosts = AllowedHosts::new(std::mem::take(&mut options.allowed_hosts));
        let stage = watch::Sender::new(ServerStage::Serving);
        Self(Arc::new(Shared {
            actor,
            wire: interceptor.open("http"),
            options,
            sessions: Sessions::default(),
            legacy_streams: LegacyStreams::default(),
            stage,
            hosts,
        }))
    }

    /// The endpoint as an axum router.
    pub(crate) fn router(&self) -> Router {
        let mut router = Router::new().route(&self.0.options.endpoint, any(answer));
        for path in [legacy::STREAM, legacy::MESSAGES] {
            // axum panics if a path has two routes.
            if self.serves_legacy() && self.0.options.endpoint != path {
                router = router.route(path, any(answer));
            }
        }
        // The access control has documents at other paths.
        if self.0.options.access.is_some() {
            router = router.fallback(any(answer).layer(Extension(Unrouted)));
        }
        router.with_state(self.clone())
    }

    /// Ends all sessions and idle connections.
    pub(crate) fn end(&self) {
        self.0.sessions.end();
        self.reach(ServerStage::ConnectionEnd);
    }

    /// Ends everything, including exchanges in progress.
    pub(crate) fn cut_off(&self) {
        self.end();
        self.reach(ServerStage::ExchangeEnd);
    }

    fn reach(&self, stage: ServerStage) {
        // Never back to an earlier stage, whatever the order of the calls.
        self.0.stage.send_modify(|reached| *reached = stage.max(*reached));
    }

    /// Waits until the server has reached this stage.
    async fn reached(&self, stage: ServerStage) {
        // The sender lives as long as this server does.
        self.0.stage.subscribe().wait_for(|reached| *reached >= stage).await.ok();
    }

    fn is_over(&self) -> bool {
        *self.0.stage.borrow() == ServerStage::ExchangeEnd
    }

    fn serves(&self, era: Era) -> bool {
        self.0.actor.revisions().iter().any(|revision| revision.era() == era)
    }

    /// The era whose rules apply to a request.
    fn era(&self, headers: &HeaderMap, body: Option<&Value>) -> Era {
        let named = request_headers::value(headers, header::MCP_PROTOCOL_VERSION);
        let named = named.and_then(|name| name.parse::<Revision>().ok()).map(Revision::era);
        // Only requests of 2026-07-28 have the version in `_meta`; without it the client may be an older one.
        let has_version_in_meta = body
            .and_then(|body| body.get("params")?.get("_meta"))
            .is_some_and(|meta| meta.get(meta::PROTOCOL_VERSION).is_some());
        match (self.serves(Era::Handshake), self.serves(Era::Stateless)) {
            (true, true) if has_version_in_meta || named == Some(Era::Stateless) => Era::Stateless,
            (true, _) => Era::Handshake,
            (false, _) => Era::Stateless,
        }
    }

    async fn route(&self, wire: &InterceptedConnection, head: &Parts, body: Body) -> Response {
        let headers = &head.headers;
        // Both protect against DNS rebinding. Browsers omit `Origin` in same-origin GET requests, where only `Host` tells.
        if !wire.misbehaves(Misbehavior::AllowsAnyOrigin) {
            let refuses_any = wire.misbehaves(Misbehavior::RefusesAnyOrigin);
            if !wire.misbehaves(Misbehavior::LooksAtHostOnly)
                && (!self.0.hosts.allows_origin(headers)
                    || refuses_any && headers.contains_key(http::header::ORIGIN))
            {
                let status = match wire.misbehaves(Misbehavior::VagueOrigin) {
                    true => StatusCode::BAD_REQUEST,
                    false => StatusCode::FORBIDDEN,
                };
                return response::refusal(status, "this origin is not allowed");
            }
            if !self.0.hosts.allows_host(&head.uri, headers) {
                return response::refusal(StatusCode::FORBIDDEN, "this host is not allowed");
            }
        }
        let access = self.0.options.access.as_deref();
        if head.extensions.get::<Unrouted>().is_some() {
            if let Some(access) = access
                && let Some(response) = access.answer(head, body).await
            {
                return response;
            }
            let mut documents = self.0.options.documents.iter();
            return match documents.find(|(path, _)| path == head.uri.path()) {
                Some((_, document)) => response::json(StatusCode::OK, document),
                None => response::refusal(StatusCode::NOT_FOUND, "nothing is served at this path"),
            };
        }
        match head.uri.path() {
            path if path == self.0.options.endpoint && self.0.options.sse_alone => {
                // Read, so that the trace shows what a client of Streamable HTTP has tried.
                if head.method == Method::POST
                    && let Err(refusal) = self.text(wire, body).await
                {
                    return refusal;
                }
                return self.legacy_stream(wire, &head.method, headers);
            }
            path if path == self.0.options.endpoint => {}
            // Requests to these paths get here only if `router` has them: where 2024-11-05 is served.
            legacy::STREAM => return self.legacy_stream(wire, &head.method, headers),
            legacy::MESSAGES if head.method != Method::POST => {
                return response::not_allowed("POST");
            }
            legacy::MESSAGES if !request_headers::is_json(headers) => return response::not_json(),
            legacy::MESSAGES => {
                return match self.text(wire, body).await {
                    Ok(received) => self.legacy_post(wire, &head.uri, received).await,
                    Err(refusal) => refusal,
                };
            }
            _ => {}
        }
        if head.method != Method::POST
            && let Some(refusal) = self.refused(wire, head, None).await
        {
            return refusal;
        }
        // GET and DELETE have no body, so the header alone shows the era.
        let sessions = self.serves(Era::Handshake) && self.era(headers, None) == Era::Handshake;
        match head.method {
            Method::POST => self.post(wire, head, body).await,
            Method::GET if sessions => {
                response::with_faults(self.get(wire, headers), &wire.http_faults("GET", false))
            }
            Method::DELETE if sessions => {
                response::with_faults(self.delete(headers), &wire.http_faults("DELETE", false))
            }
            Method::PUT | Method::PATCH if wire.misbehaves(Misbehavior::ExecutesAnyMethod) => {
                self.post(wire, head, body).await
            }
            _ => {
                let allowed = if sessions { "GET, POST, DELETE" } else { "POST" };
                let faults = wire.http_faults(head.method.as_str(), false);
                response::with_faults(response::not_allowed(allowed), &faults)
            }
        }
    }

    /// Reads the text of a POST; the error is its refusal.
    async fn text(
        &self,
        wire: &InterceptedConnection,
        body: Body,
    ) -> Result<ReceivedMessage, Response> {
        let HttpOptions { limits, memory, .. } = &self.0.options;
        let received = async {
            let limits = BodyLimits { bytes: limits.body, time: None };
            let body = request_body::read(memory, body, limits).await?;
            Ok::<_, BodyError>(ReceivedMessage::read(memory, wire, body).await?)
        };
        received.await.map_err(|error| refuse_unreadable(wire, &error))
    }

    async fn post(&self, wire: &InterceptedConnection, head: &Parts, body: Body) -> Response {
        let headers = &head.headers;
        if let Err(refusal) = check_media_types(wire, headers) {
            return match wire.misbehaves(Misbehavior::BreaksOnMediaTypes) {
                true => response::refusal(StatusCode::INTERNAL_SERVER_ERROR, "not expected"),
                false => refusal,
            };
        }
        let received = match self.text(wire, body).await {
            Ok(received) => received,
            Err(refusal) => return refusal,
        };
        if let Some(refusal) = self.refused(wire, head, received.value()).await {
            return refusal;
        }
        let faults = http_faults(wire, received.value());
        let response = match self.era(headers, received.value()) {
            Era::Handshake => self.post_in_session(wire, headers, received).await,
            Era::Stateless => self.post_without_session(wire, headers, received).await,
        };
        let session = |headers| request_headers::value(headers, header::MCP_SESSION_ID);
        if let Some(access) = &self.0.options.access
            && session(headers).is_none()
            && let Some(opened) = session(response.headers())
        {
            access.opened(head, opened);
        }
        response::with_faults(response, &faults)
    }

    /// The refusal of a request by the access control.
    async fn refused(
        &self,
        wire: &InterceptedConnection,
        head: &Parts,
        message: Option<&Value>,
    ) -> Option<Response> {
        let access = self.0.options.access.as_deref()?;
        let misbehaves = |misbehavior| wire.misbehaves(misbehavior);
        access.refuse(GuardedRequest { head, message, misbehaves: &misbehaves }).await
    }
}

/// Checks what a POST sends and accepts; the error is its refusal.
fn check_media_types(wire: &InterceptedConnection, headers: &HeaderMap) -> Result<(), Response> {
    let has_parameter = || {
        let kind = request_headers::value(headers, http::header::CONTENT_TYPE.as_str());
        kind.is_some_and(|kind| kind.contains(';'))
    };
    if !request_headers::is_json(headers)
        || wire.misbehaves(Misbehavior::RefusesCharset) && has_parameter()
    {
        return Err(response::not_json());
    }
    // The specification requires clients to list both, since the server chooses between them.
    let accepts_both = request_headers::accepts(headers, request_headers::JSON)
        && request_headers::accepts(headers, request_headers::EVENT_STREAM);
    if !accepts_both && !wire.misbehaves(Misbehavior::IgnoresAccept) {
        let why = "`Accept` must list `application/json` and `text/event-stream`";
        return Err(response::not_acceptable(why));
    }
    Ok(())
}

/// What faults change in the response to a message, or to a batch that contains it.
fn http_faults(wire: &InterceptedConnection, body: Option<&Value>) -> HttpFaults {
    let messages = match body {
        Some(Value::Array(items)) => items.as_slice(),
        Some(message) => std::slice::from_ref(message),
        None => &[],
    };
    let faults = messages.iter().map(|message| {
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
        wire.http_faults(method, message.get("id").is_some())
    });
    // A batch has one response, which can have only one set of faults.
    faults.into_iter().find(|faults| !faults.is_none()).unwrap_or_default()
}

/// Refuses a body that cannot be read to its end.
fn refuse_unreadable(wire: &InterceptedConnection, error: &BodyError) -> Response {
    let kind = match error {
        BodyError::TooLarge | BodyError::UsedUp(_) => UnparsableKind::OverLimit,
        BodyError::Broken | BodyError::Late(_) => UnparsableKind::BrokenMessage,
    };
    let why = error.to_string();
    // Without the bytes: they were dropped when the rest could not be read.
    let recorded = EventKind::Unparsable { bytes: Bytes::new(), why: why.clone(), kind };
    wire.record(Party::Client, || recorded);
    match error {
        BodyError::TooLarge => response::refusal(StatusCode::PAYLOAD_TOO_LARGE, why),
        BodyError::Broken => response::refusal(StatusCode::BAD_REQUEST, why),
        BodyError::Late(_) => response::refusal(StatusCode::REQUEST_TIMEOUT, why),
        BodyError::UsedUp(used_up) => response::used_up(*used_up),
    }
}

/// Marks a request to a path without a route.
#[derive(Debug, Clone, Copy)]
struct Unrouted;

async fn answer(State(server): State<HttpServer>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    // Missing in process, where there is no socket to corrupt.
    let connection = head.extensions.get::<ConnectInfo<SocketFaults>>();
    let wire = server.0.wire.exchange();
    wire.record(Party::Client, || EventKind::HttpRequest {
        method: head.method.to_string(),
        path: head.uri.to_string(),
        headers: listed(&head.headers),
    });
    let response = tokio::select! {
        // The response first: one that is ready is sent even if the server is cut off at the same time.
        biased;
        response = server.route(&wire, &head, body) => response,
        () = server.reached(ServerStage::ExchangeEnd) => response::ended(),
    };
    wire.record(Party::Server, || EventKind::HttpResponse {
        status: response.status().as_u16(),
        headers: listed(response.headers()),
    });
    if let (Some(corruption), Some(ConnectInfo(faults))) = (response.extensions().get(), connection)
    {
        match corruption {
            Corruption::WrongChunks => faults.corrupt_next_chunks(),
            Corruption::Twice => faults.repeat_next_response(),
        }
    }
    if let Some(SentText(part)) = response.extensions().get() {
        wire.sent(part);
    }
    response
}
