//! The guard on Streamable HTTP: a tower layer that judges the bodies of POSTs.

mod body;
mod partly;
mod refusal;
mod sessions;
mod watch;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use http::header::CONTENT_LENGTH;
use http::{HeaderMap, HeaderValue, Method, Request, Response};
use tower::{Layer, Service};

use self::sessions::{Session, Sessions};
use self::watch::Watched;
use super::batch::Item;
use super::judge::{Carried, Verdict};
use super::{Guard, batch};
use crate::spec::named_revision::NamedRevision;
use crate::spec::{Revision, header, named_revision};

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Puts a [`Guard`] before a service; see [`Guard::layer`].
///
/// ```
/// use axum::{Router, routing::post};
/// use mcp_test::guard::Guard;
///
/// let guard = Guard::negotiated().reject_unknown_methods();
/// let router: Router = Router::new()
///     .route("/mcp", post(|body: String| async move { body }))
///     .layer(guard.layer());
/// ```
#[derive(Debug, Clone)]
pub struct GuardLayer {
    guard: Guard,
    sessions: Arc<Sessions>,
}

/// A service behind a [`Guard`].
#[derive(Debug, Clone)]
pub struct GuardService<S> {
    inner: S,
    guard: Guard,
    sessions: Arc<Sessions>,
}

impl GuardLayer {
    pub(super) fn new(guard: Guard) -> Self {
        Self { guard, sessions: Arc::default() }
    }
}

impl<S> Layer<S> for GuardLayer {
    type Service = GuardService<S>;

    fn layer(&self, inner: S) -> GuardService<S> {
        GuardService { inner, guard: self.guard.clone(), sessions: Arc::clone(&self.sessions) }
    }
}

impl<S, In, Out> Service<Request<In>> for GuardService<S>
where
    S: Service<Request<Body>, Response = Response<Out>> + Clone + Send + 'static,
    S::Future: Send,
    In: HttpBody<Data = Bytes> + Send + 'static,
    In::Error: Into<BoxError>,
    Out: HttpBody<Data = Bytes> + Send + 'static,
    Out::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<In>) -> Self::Future {
        // Only the service that was polled is known to be ready; its clone need not be.
        let copy = self.inner.clone();
        let inner = std::mem::replace(&mut self.inner, copy);
        let gate = Gate { guard: self.guard.clone(), sessions: Arc::clone(&self.sessions) };
        Box::pin(gate.pass(inner, request.map(Body::new)))
    }
}

/// What judging one request needs.
struct Gate {
    guard: Guard,
    sessions: Arc<Sessions>,
}

impl Gate {
    async fn pass<S, Out>(
        self,
        mut inner: S,
        request: Request<Body>,
    ) -> Result<Response<Body>, S::Error>
    where
        S: Service<Request<Body>, Response = Response<Out>>,
        Out: HttpBody<Data = Bytes> + Send + 'static,
        Out::Error: Into<BoxError>,
    {
        let session = self.sessions.of(request.headers());
        if request.method() == Method::DELETE {
            let id = sessions::id(request.headers());
            let response = inner.call(request).await?.map(Body::new);
            // A server may refuse to end a session (405), which then goes on.
            if response.status().is_success() {
                self.sessions.close(id.as_ref());
            }
            return Ok(response);
        }
        // GET opens a stream of messages of the server, which are read along like those of a response to POST.
        if request.method() != Method::POST || !body::is_judged(request.headers()) {
            let response = inner.call(request).await?.map(Body::new);
            return Ok(self.watched(session, response));
        }
        let (mut head, body) = request.into_parts();
        let (text, items) = match self.judged(&session, &head.headers, body).await {
            Ok(passing) => passing,
            Err(refusal) => return Ok(refusal),
        };
        // The handler would otherwise wait for bytes that were cut out of the batch.
        if items.is_some() && head.headers.contains_key(CONTENT_LENGTH) {
            head.headers.insert(CONTENT_LENGTH, HeaderValue::from(text.len()));
        }
        let request = Request::from_parts(head, Body::from(text));
        let response = inner.call(request).await?.map(Body::new);
        // Only the response to `initialize` has the id of the session.
        self.sessions.open(response.headers(), &session);
        // Before answers of the guard are added, which are not to be judged as messages of the handler.
        let response = self.watched(session, response);
        Ok(match items {
            None => response,
            Some(items) => partly::completed(response, &items, self.guard.max_bytes).await,
        })
    }

    /// What the handler sees of the body of a POST, with all items if that is only a part of a batch; else the refusal.
    async fn judged(
        &self,
        session: &Session,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<(Bytes, Option<Vec<Item>>), Response<Body>> {
        let text = match body::collect(body, headers, self.guard.max_bytes).await {
            Ok(text) => text,
            Err(body::Unread::TooLong) => {
                let refusal = session.with(|conversation| self.guard.too_long(conversation));
                return Err(refusal::response(&refusal));
            }
            Err(body::Unread::BrokenOff) => return Err(refusal::broken_off()),
        };
        // basic/transports#protocol-version-header: without the header and any other way to know, the server assumes
        // 2025-03-26.
        let carried = Carried { named: named(headers), otherwise: Some(Revision::V2025_03_26) };
        let verdict =
            session.with(|conversation| self.guard.incoming(conversation, &text, carried));
        match verdict {
            Verdict::Passes => Ok((text, None)),
            Verdict::Refused(refusal) => Err(refusal::response(&refusal)),
            Verdict::Batch(items) => match batch::rest(&text, &items) {
                Some(rest) => Ok((rest, Some(items))),
                None => Err(partly::refusal(&items)),
            },
        }
    }

    /// A response whose messages are read along, if anything depends on them.
    fn watched(&self, session: Session, response: Response<Body>) -> Response<Body> {
        let reader = watch::reader(response.headers(), self.guard.max_bytes);
        let Some(reader) = reader.filter(|_| self.guard.listens()) else { return response };
        let guard = self.guard.clone();
        response.map(|body| Body::new(Watched::new(body, reader, guard, session)))
    }
}

/// The revision that the headers name.
fn named(headers: &HeaderMap) -> NamedRevision {
    match headers.get(header::MCP_PROTOCOL_VERSION).map(HeaderValue::to_str) {
        Some(Ok(name)) => named_revision::in_header(name),
        // Bytes that are not visible ASCII: not a revision, and not the same as no header.
        Some(Err(_)) => NamedRevision::Unknown,
        None => NamedRevision::Absent,
    }
}
