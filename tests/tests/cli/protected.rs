//! A protected MCP server: the reference server behind a layer that demands access tokens of an authorization server.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use mcp_test::jose::{Jwk, Jws};
use mcp_test::json::Value;
use mcp_test::oauth::{AuthorizationServer, AuthorizationServerBuilder};
use mcp_test::server::reference::everything;
use mcp_test::server::{Call, Server};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// How the server demands what it demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Demand {
    /// A token.
    Token,
    /// Another token after this many requests.
    Fresh(usize),
    /// One more scope, once.
    OneScope,
    /// One more scope each time.
    EndlessScopes,
    /// The scope that the token has.
    SameScope,
    /// It refuses every token.
    Nothing,
}

/// What the layer has seen.
#[derive(Debug, Default)]
struct Seen {
    /// Every token, in order.
    tokens: Vec<String>,
    /// How many requests came with the last of them.
    admitted: usize,
    /// How many requests came without a token, after the first that had one.
    without: usize,
    /// How many scopes were demanded.
    demanded: usize,
}

/// A server that runs until this is dropped.
pub(crate) struct Protected {
    pub(crate) url: String,
    /// Its authorization server.
    pub(crate) authorization: AuthorizationServer,
    seen: Arc<Mutex<Seen>>,
    _runtime: Runtime,
}

impl Protected {
    /// One that trusts an authorization server of its own.
    pub(crate) fn new(demand: Demand) -> Self {
        Self::with(demand, AuthorizationServer::builder())
    }

    /// One that trusts this authorization server.
    pub(crate) fn with(demand: Demand, authorization: AuthorizationServerBuilder) -> Self {
        Self::start(demand, authorization, None)
    }

    /// One whose metadata names this issuer instead.
    pub(crate) fn naming(demand: Demand, issuer: String) -> Self {
        Self::start(demand, AuthorizationServer::builder(), Some(issuer))
    }

    fn start(
        demand: Demand,
        authorization: AuthorizationServerBuilder,
        issuer: Option<String>,
    ) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let authorization = runtime.block_on(authorization.start()).expect("a server");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let origin = format!("http://{}", listener.local_addr().expect("an address"));
        let url = format!("{origin}/mcp");
        let seen = Arc::new(Mutex::new(Seen::default()));
        let layer = Layer {
            url: url.clone(),
            metadata: format!("{origin}/.well-known/oauth-protected-resource/mcp"),
            issuer: issuer.unwrap_or_else(|| authorization.issuer().to_owned()),
            key: authorization.public_key().clone(),
            demand,
            seen: Arc::clone(&seen),
        };
        let layer = Arc::new(layer);
        let router =
            indiscreet(&seen).router().layer(from_fn(move |request: Request, next: Next| {
                let layer = Arc::clone(&layer);
                async move {
                    match layer.answer(request.uri().path(), request.headers()) {
                        Some(response) => response,
                        None => next.run(request).await,
                    }
                }
            }));
        runtime.spawn(async move { axum::serve(listener, router).await });
        Self { url, authorization, seen, _runtime: runtime }
    }

    /// Every token that came, in order.
    pub(crate) fn tokens(&self) -> Vec<String> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).tokens.clone()
    }

    /// How many requests came without a token, after the first that had one, and how many with the last token.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        (seen.without, seen.admitted)
    }

    /// How many requests the authorization server got.
    pub(crate) fn asked_for_authorization(&self) -> usize {
        let trace = self.authorization.trace();
        let requests = trace
            .events
            .iter()
            .filter(|event| matches!(event.kind, mcp_test::trace::EventKind::HttpRequest { .. }));
        requests.count()
    }
}

/// The reference server, which repeats the last token wherever it can.
fn indiscreet(seen: &Arc<Mutex<Seen>>) -> Server {
    let last = |seen: &Arc<Mutex<Seen>>| {
        let seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.tokens.last().cloned().unwrap_or_default()
    };
    let value = |text: String| Value::parse(text.as_bytes()).expect("it is JSON").value;
    let (tools, pong) = (Arc::clone(seen), Arc::clone(seen));
    everything()
        .on("tools/list", move |_: Call| {
            let token = last(&tools);
            std::future::ready(value(format!(
                r#"{{"tools":[{{"name":"{token}","inputSchema":{{"type":"object"}}}}]}}"#
            )))
        })
        .on("ping", move |_: Call| {
            let token = last(&pong);
            std::future::ready(value(format!(r#"{{"{token}":["Bearer {token}"]}}"#)))
        })
}

/// The layer.
struct Layer {
    url: String,
    metadata: String,
    issuer: String,
    key: Jwk,
    demand: Demand,
    seen: Arc<Mutex<Seen>>,
}

impl Layer {
    /// The answer to a request that the server does not get.
    fn answer(&self, path: &str, headers: &HeaderMap) -> Option<Response> {
        if path.starts_with("/.well-known/oauth-protected-resource") {
            let (url, issuer) = (&self.url, &self.issuer);
            let document =
                format!(r#"{{"resource": "{url}", "authorization_servers": ["{issuer}"]}}"#);
            return Some(([(header::CONTENT_TYPE, "application/json")], document).into_response());
        }
        let token = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let Some(token) = token.and_then(|value| value.strip_prefix("Bearer ")) else {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.without += usize::from(!seen.tokens.is_empty());
            return Some(self.challenge(StatusCode::UNAUTHORIZED, r#"scope="first""#));
        };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.tokens.last().map(String::as_str) != Some(token) {
            seen.tokens.push(token.to_owned());
            seen.admitted = 0;
        }
        seen.admitted += 1;
        let claims = Jws::parse(token).and_then(|token| token.verify(&self.key)).ok();
        let audience = claims.as_ref().and_then(|claims| claims.get("aud")?.as_str());
        let refused = match self.demand {
            Demand::Nothing => true,
            Demand::Fresh(most) => seen.admitted > most,
            _ => false,
        };
        if audience != Some(&self.url) || refused {
            return Some(self.challenge(StatusCode::UNAUTHORIZED, r#"error="invalid_token""#));
        }
        let scope = match self.demand {
            Demand::SameScope => Some("first".to_owned()),
            Demand::OneScope if seen.demanded == 0 => Some("first second".to_owned()),
            Demand::EndlessScopes => Some(format!("first more-{}", seen.demanded)),
            _ => None,
        };
        let scope = scope?;
        seen.demanded += 1;
        let parameters = format!(r#"error="insufficient_scope", scope="{scope}""#);
        Some(self.challenge(StatusCode::FORBIDDEN, &parameters))
    }

    fn challenge(&self, status: StatusCode, parameters: &str) -> Response {
        let challenge = format!(r#"Bearer resource_metadata="{}", {parameters}"#, self.metadata);
        (status, [(header::WWW_AUTHENTICATE, challenge)]).into_response()
    }
}
