//! Serving Streamable HTTP on one endpoint: sessions for the handshake era, single requests for the stateless one. Beside
//! it, where 2024-11-05 is served, the HTTP with SSE of that revision.
//!
//! What belongs to HTTP is decided here: methods, origins, content types, sessions, headers, streams. What belongs to
//! JSON-RPC and MCP is the [`Actor`]'s.

mod drive;
mod events;
mod gate;
mod handshake;
mod legacy;
mod listening;
mod piece;
mod reply;
mod session_reply;
mod sessions;
mod socket;
mod stateless;
mod stream;
mod streams;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::{self, Body, Bytes},
    extract::{ConnectInfo, Request, State},
    response::Response,
    routing::any,
};
use http::{HeaderMap, Method, StatusCode, request::Parts};
use tokio::sync::watch;

use self::{
    legacy::Listeners,
    reply::{Said, WrongChunks},
    sessions::Sessions,
    socket::Spoiling,
};
use super::{
    Limits,
    fault::{HttpDamage, Lapse},
    headers::listed,
    serve::{Actor, Received},
    tap::{Tap, Wire},
};
use crate::{
    json::Value,
    spec::{Era, Revision, header, meta},
    trace::{Damage, Party, What},
};

pub use listening::Listening;

/// How an actor is served over HTTP.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// The path of the MCP endpoint.
    pub endpoint: String,
    /// What is larger is refused.
    pub limits: Limits,
    /// Whether replies come as streams even where one JSON text would do.
    pub streams_replies: bool,
    /// After what time a client that lost a stream is to come back for it.
    pub retry: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            endpoint: "/mcp".to_owned(),
            limits: Limits::default(),
            streams_replies: false,
            retry: Duration::from_millis(100),
        }
    }
}

/// An actor behind an HTTP endpoint; copies share its sessions.
#[derive(Clone)]
pub struct HttpServer(Arc<Shared>);

struct Shared {
    actor: Arc<dyn Actor>,
    wire: Wire,
    options: HttpOptions,
    sessions: Sessions,
    listeners: Listeners,
    stage: watch::Sender<Stage>,
    /// Whether it listens where other machines reach it, under names that are not known here.
    is_remote: AtomicBool,
}

/// How far a server has come, for everything that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Serving,
    /// What only waits ends.
    Ending,
    /// Whatever still works is cut off.
    Over,
}

impl HttpServer {
    /// An endpoint for an actor.
    #[must_use]
    pub fn new(actor: Arc<dyn Actor>, tap: &Tap, options: HttpOptions) -> Self {
        let stage = watch::Sender::new(Stage::Serving);
        Self(Arc::new(Shared {
            actor,
            wire: tap.open("http"),
            options,
            sessions: Sessions::default(),
            listeners: Listeners::default(),
            stage,
            is_remote: AtomicBool::new(false),
        }))
    }

    /// The service.
    pub fn router(&self) -> Router {
        let mut router = Router::new().route(&self.0.options.endpoint, any(answer));
        for path in [legacy::STREAM, legacy::MESSAGES] {
            if self.serves_legacy() && self.0.options.endpoint != path {
                router = router.route(path, any(answer));
            }
        }
        router.with_state(self.clone())
    }

    /// Ends all sessions and all that waits.
    pub fn end(&self) {
        self.0.sessions.end();
        self.reach(Stage::Ending);
    }

    /// Ends what is still being answered, too.
    pub fn cut_off(&self) {
        self.end();
        self.reach(Stage::Over);
    }

    fn reach(&self, stage: Stage) {
        self.0.stage.send_modify(|reached| *reached = stage.max(*reached));
    }

    /// Waits until the server has come so far.
    async fn reached(&self, stage: Stage) {
        // The sender lives as long as this server does.
        self.0.stage.subscribe().wait_for(|reached| *reached >= stage).await.ok();
    }

    fn is_over(&self) -> bool {
        *self.0.stage.borrow() == Stage::Over
    }

    fn serves(&self, era: Era) -> bool {
        self.0.actor.revisions().iter().any(|revision| revision.era() == era)
    }

    /// The era by whose rules a request is treated.
    fn era(&self, headers: &HeaderMap, body: Option<&Value>) -> Era {
        let named = gate::value(headers, header::MCP_PROTOCOL_VERSION);
        let named = named.and_then(|name| name.parse::<Revision>().ok()).map(Revision::era);
        let brings_terms = body
            .and_then(|body| body.get("params")?.get("_meta"))
            .is_some_and(|meta| meta.get(meta::PROTOCOL_VERSION).is_some());
        match (self.serves(Era::Handshake), self.serves(Era::Stateless)) {
            (true, true) if brings_terms || named == Some(Era::Stateless) => Era::Stateless,
            (true, _) => Era::Handshake,
            (false, _) => Era::Stateless,
        }
    }

    async fn admit(&self, wire: &Wire, head: &Parts, body: Body) -> Response {
        let headers = &head.headers;
        if !wire.lapses(Lapse::AllowsAnyOrigin) {
            if !wire.lapses(Lapse::LooksAtHostOnly) && !gate::comes_from_here(headers) {
                return reply::refusal(StatusCode::FORBIDDEN, "this origin is not allowed");
            }
            if !self.0.is_remote.load(Ordering::Relaxed) && !gate::goes_here(&head.uri, headers) {
                return reply::refusal(StatusCode::FORBIDDEN, "this host is not allowed");
            }
        }
        match head.uri.path() {
            path if path == self.0.options.endpoint => {}
            legacy::STREAM => return self.legacy_stream(wire, &head.method, headers),
            legacy::MESSAGES if head.method != Method::POST => return reply::not_allowed("POST"),
            legacy::MESSAGES if !gate::is_json(headers) => return reply::not_json(),
            legacy::MESSAGES => {
                return match self.text(wire, body).await {
                    Ok(received) => self.legacy_post(wire, &head.uri, received).await,
                    Err(refusal) => refusal,
                };
            }
            _ => {}
        }
        let sessions = self.serves(Era::Handshake) && self.era(headers, None) == Era::Handshake;
        match head.method {
            Method::POST => self.post(wire, head, body).await,
            Method::GET if sessions => {
                reply::damaged(self.get(wire, headers), &wire.http_damage("GET", false))
            }
            Method::DELETE if sessions => {
                reply::damaged(self.delete(headers), &wire.http_damage("DELETE", false))
            }
            _ => reply::not_allowed(if sessions { "GET, POST, DELETE" } else { "POST" }),
        }
    }

    /// The text of a POST, or the refusal of it.
    async fn text(&self, wire: &Wire, body: Body) -> Result<Received, Response> {
        let text = match body::to_bytes(body, self.0.options.limits.body).await {
            Ok(text) => text,
            Err(error) => return Err(unread(wire, &error)),
        };
        wire.received(&text);
        Ok(Received::read(&text))
    }

    async fn post(&self, wire: &Wire, head: &Parts, body: Body) -> Response {
        let headers = &head.headers;
        if !gate::is_json(headers) {
            return reply::not_json();
        }
        if !(gate::accepts(headers, gate::JSON) && gate::accepts(headers, gate::EVENT_STREAM)) {
            let why = "`Accept` must list `application/json` and `text/event-stream`";
            return reply::refusal(StatusCode::NOT_ACCEPTABLE, why);
        }
        let received = match self.text(wire, body).await {
            Ok(received) => received,
            Err(refusal) => return refusal,
        };
        let damage = damage(wire, received.value());
        let response = match self.era(headers, received.value()) {
            Era::Handshake => self.post_in_session(wire, headers, received).await,
            Era::Stateless => self.post_by_itself(wire, headers, received).await,
        };
        reply::damaged(response, &damage)
    }
}

/// What faults do to the response to a message, or to a batch that has it.
fn damage(wire: &Wire, body: Option<&Value>) -> HttpDamage {
    let messages = match body {
        Some(Value::Array(items)) => items.as_slice(),
        Some(message) => std::slice::from_ref(message),
        None => &[],
    };
    let damages = messages.iter().map(|message| {
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
        wire.http_damage(method, message.get("id").is_some())
    });
    damages.into_iter().find(|damage| !damage.is_none()).unwrap_or_default()
}

/// A body that cannot be read to its end.
fn unread(wire: &Wire, error: &axum::Error) -> Response {
    let too_large = error.to_string().contains("length limit");
    let (status, why, damage) = if too_large {
        (StatusCode::PAYLOAD_TOO_LARGE, "the body is too large", Damage::OverLimit)
    } else {
        (StatusCode::BAD_REQUEST, "the body broke off, or is wrongly chunked", Damage::Lost)
    };
    wire.record(Party::Client, || What::Noise { bytes: Bytes::new(), why: why.to_owned(), damage });
    reply::refusal(status, why)
}

async fn answer(State(server): State<HttpServer>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let connection = head.extensions.get::<ConnectInfo<Spoiling>>();
    let wire = server.0.wire.exchange();
    wire.record(Party::Client, || What::HttpRequest {
        method: head.method.to_string(),
        path: head.uri.to_string(),
        headers: listed(&head.headers),
    });
    let response = tokio::select! {
        biased;
        response = server.admit(&wire, &head, body) => response,
        () = server.reached(Stage::Over) => reply::ended(),
    };
    wire.record(Party::Server, || What::HttpResponse {
        status: response.status().as_u16(),
        headers: listed(response.headers()),
    });
    if let (Some(WrongChunks), Some(ConnectInfo(spoiling))) =
        (response.extensions().get(), connection)
    {
        spoiling.next_response();
    }
    if let Some(Said(text)) = response.extensions().get() {
        wire.sent(text);
    }
    response
}
