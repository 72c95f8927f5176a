//! The guard on Streamable HTTP: a tower layer that judges the bodies of requests.

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
use mcp_test_core::spec::error_code::{INVALID_REQUEST, PARSE_ERROR};
use mcp_test_core::spec::named_revision::NamedRevision;
use mcp_test_core::spec::{Revision, header, named_revision};
use tower::{Layer, Service};

use self::sessions::{Session, Sessions};
use self::watch::Watched;
use super::batch::Item;
use super::in_force::Carried;
use super::judge::Verdict;
use super::refusal::Refusal;
use super::{Guard, batch};

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
        let named = sessions::id(request.headers());
        let ends = request.method() == Method::DELETE;
        let (request, items) = match self.admit(&session, request).await {
            Ok(admitted) => admitted,
            Err(refusal) => return Ok(refusal),
        };
        let response = inner.call(request).await?.map(Body::new);
        // A server may refuse to end a session (405), which then goes on.
        if ends && response.status().is_success() {
            self.sessions.close(named.as_ref());
        }
        // Only the response to `initialize` has the id of the session.
        let session = self.sessions.open(response.headers(), session, named.as_ref());
        // Before answers of the guard are added, which are not to be judged as messages of the handler.
        let response = self.watched(session, response);
        Ok(match items {
            None => response,
            Some(items) => partly::completed(response, &items, self.guard.max_bytes).await,
        })
    }

    /// The request that the handler sees, with all items if that is only a part of a batch; else the refusal.
    async fn admit(
        &self,
        session: &Session,
        request: Request<Body>,
    ) -> Result<(Request<Body>, Option<Vec<Item>>), Response<Body>> {
        let is_post = request.method() == Method::POST;
        // GET and DELETE have no body. If there is one, a handler that reads it must not find an unjudged message.
        if !is_post && request.body().is_end_stream() {
            return Ok((request, None));
        }
        let (mut head, body) = request.into_parts();
        let (text, items) = self.judged(session, &head.headers, body, is_post).await?;
        // The length of what was judged: a handler must neither stop before its end nor wait for what was cut out.
        if head.headers.contains_key(CONTENT_LENGTH) {
            head.headers.insert(CONTENT_LENGTH, HeaderValue::from(text.len()));
        }
        Ok((Request::from_parts(head, Body::from(text)), items))
    }

    /// What the handler sees of a body, with all items if that is only a part of a batch; else the refusal.
    async fn judged(
        &self,
        session: &Session,
        headers: &HeaderMap,
        body: Body,
        is_post: bool,
    ) -> Result<(Bytes, Option<Vec<Item>>), Response<Body>> {
        let refused = |code, status, why: &str| {
            self.guard.unread(Refusal::new(code, None, why).with_status(status))
        };
        if let Some(name) = SINGLE.into_iter().find(|name| is_contradicted(headers, name)) {
            let why = format!("expected one value of `{name}`, got several");
            return Err(refusal::response(&refused(INVALID_REQUEST, 400, &why)));
        }
        // Whatever can decode it is not the guard, and what the handler would act on is not known.
        if body::is_encoded(headers) {
            let why = "expected a body without `Content-Encoding`, got an encoded one";
            return Err(refusal::unsupported_encoding(&refused(INVALID_REQUEST, 415, why)));
        }
        let text = match body::collect(body, headers, self.guard.max_bytes).await {
            Ok(text) if text.is_empty() && !is_post => return Ok((text, None)),
            Ok(text) => text,
            Err(body::Unread::TooLong) => {
                let refusal = session.with(|conversation| self.guard.too_long(conversation));
                return Err(refusal::response(&refusal));
            }
            Err(body::Unread::BrokenOff) => {
                return Err(refusal::response(&refused(PARSE_ERROR, 400, "the body broke off")));
            }
        };
        let verdict =
            session.with(|conversation| self.guard.incoming(conversation, &text, carried(headers)));
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

/// The headers of which a request has one each: of several, the handler may go by another than the guard.
const SINGLE: [&str; 2] = [header::MCP_SESSION_ID, header::MCP_PROTOCOL_VERSION];

/// Whether a header has several values that differ.
fn is_contradicted(headers: &HeaderMap, name: &str) -> bool {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    values.any(|value| Some(value) != first)
}

/// What the headers say about the revision.
fn carried(headers: &HeaderMap) -> Carried {
    let named = match headers.get(header::MCP_PROTOCOL_VERSION).map(HeaderValue::to_str) {
        Some(Ok(name)) => named_revision::in_header(name),
        // Bytes that are not visible ASCII: not a revision, and not the same as no header.
        Some(Err(_)) => NamedRevision::Unknown,
        None => NamedRevision::Absent,
    };
    // basic/transports#protocol-version-header: without the header and any other way to know, the server assumes
    // 2025-03-26. Of a session that is not known here, the server may know the revision.
    let in_session = headers.contains_key(header::MCP_SESSION_ID);
    let otherwise = (!in_session).then_some(Revision::V2025_03_26);
    Carried { named, otherwise, is_line: false }
}
