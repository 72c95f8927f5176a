//! A server under test, and the transports by which it can be reached.

mod authority;
mod known_violations;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::DuplexStream;

#[cfg(feature = "http")]
use super::HttpRequest;
use super::authorizer::{AUTHORIZATION, AddedHeaders, Authorizer};
use super::prepared_target::PreparedTarget;
use super::redacted::redact_urls;
use super::target_transport::TargetTransport;
#[cfg(feature = "auth")]
use super::test_tokens::TestTokens;
use super::{Connection, Limits, OpenError, TokenRole, TokensByRole, TransportKind, duplex, stdio};
#[cfg(feature = "http")]
use crate::clock::Deadline;
use crate::process::Command;
use crate::spec::KnownViolation;
use crate::trace::Recorder;

/// A server under test, with every transport by which it can be reached.
///
/// The first transport is the default one; others are added with `and_…`.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::process::Command;
/// use mcp_test::transport::{TransportKind, Target};
///
/// let target = Target::command(Command::new("my-server")).and_url("http://127.0.0.1:3000/mcp");
/// assert_eq!(target.transports(), [TransportKind::Stdio, TransportKind::Http]);
/// ```
#[derive(Clone)]
pub struct Target {
    label: Option<String>,
    transports: Vec<TargetTransport>,
    added: AddedHeaders,
    tokens: TokensByRole,
    #[cfg(feature = "auth")]
    test_tokens: Option<Arc<dyn TestTokens>>,
    /// Shared by all connections: what one of them learns about the server holds for the others.
    #[cfg(feature = "http")]
    closes: super::http::ClosesSeen,
    /// How many times the program was started for a connection, in this process.
    started: Arc<AtomicUsize>,
    known: Vec<KnownViolation>,
}

impl Target {
    fn new(transport: TargetTransport) -> Self {
        Self {
            label: None,
            transports: vec![transport],
            added: AddedHeaders::default(),
            tokens: TokensByRole::default(),
            #[cfg(feature = "auth")]
            test_tokens: None,
            #[cfg(feature = "http")]
            closes: super::http::ClosesSeen::default(),
            started: Arc::default(),
            known: Vec::new(),
        }
    }

    fn and(mut self, other: Self) -> Self {
        self.transports.extend(other.transports);
        self
    }

    /// A server in this process that uses an in-memory pipe: `serve` is called once per connection.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::transport::Target;
    /// use tokio::io::{AsyncBufReadExt, BufReader};
    ///
    /// let target = Target::duplex(|io| async move {
    ///     let mut lines = BufReader::new(io).lines();
    ///     while let Some(line) = lines.next_line().await? {
    ///         println!("received {line}");
    ///     }
    ///     Ok(())
    /// });
    /// assert_eq!(target.label(), "in-process server");
    /// ```
    #[must_use]
    pub fn duplex<F, Fut>(serve: F) -> Self
    where
        F: Fn(DuplexStream) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = crate::Result> + Send + 'static,
    {
        Self::new(TargetTransport::Duplex(Arc::new(move |io| Box::pin(serve(io)))))
    }

    /// Adds an in-memory pipe; see [`Target::duplex`].
    #[must_use]
    pub fn and_duplex<F, Fut>(self, serve: F) -> Self
    where
        F: Fn(DuplexStream) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = crate::Result> + Send + 'static,
    {
        self.and(Self::duplex(serve))
    }

    /// A program that uses its standard input and output; started once per connection.
    #[must_use]
    pub fn command(command: Command) -> Self {
        Self::new(TargetTransport::Stdio(command))
    }

    /// Adds a program that uses its standard input and output; see [`Target::command`].
    #[must_use]
    pub fn and_command(self, command: Command) -> Self {
        self.and(Self::command(command))
    }

    /// Names the target in reports.
    #[must_use]
    pub fn named(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Sends this header with every HTTP request; has no effect on other transports.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.added.fixed.push((name.into(), value.into()));
        self
    }

    /// Sends this access token with every HTTP request, as a bearer token; has no effect on other transports.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::transport::{Target, TokenRole};
    ///
    /// let token = std::env::var("MY_SERVER_TOKEN").unwrap_or_default();
    /// let target = Target::url("https://mcp.example.com/mcp").bearer_token(&token);
    /// assert_eq!(target.tokens().get(TokenRole::User), Some(token.as_str()));
    /// ```
    #[must_use]
    pub fn bearer_token(self, token: impl Into<String>) -> Self {
        self.token(TokenRole::User, token)
    }

    /// Adds an access token for testing a protected server; the token with [`TokenRole::User`] is sent with every HTTP request.
    #[must_use]
    pub fn token(mut self, role: TokenRole, token: impl Into<String>) -> Self {
        let token = token.into();
        if role == TokenRole::User {
            self.added.fixed.retain(|(name, _)| !name.eq_ignore_ascii_case(AUTHORIZATION));
            self.added.fixed.push((AUTHORIZATION.to_owned(), format!("Bearer {token}")));
        }
        self.tokens.set(role, token);
        self
    }

    /// The access tokens for tests of a protected server.
    #[must_use]
    pub fn tokens(&self) -> &TokensByRole {
        &self.tokens
    }

    /// Has this authorizer add credentials to each HTTP request.
    #[must_use]
    #[cfg_attr(not(feature = "auth"), allow(dead_code, reason = "only OAuth has one"))]
    #[doc(hidden)]
    pub fn authorized_by(mut self, authorizer: Arc<dyn Authorizer>) -> Self {
        self.added.authorizer = Some(authorizer);
        self
    }

    /// Tests the target as a protected server with these tokens; all ordinary requests carry the user's token.
    #[must_use]
    #[cfg(feature = "auth")]
    #[doc(hidden)]
    pub fn protected(mut self, tokens: Arc<dyn TestTokens>) -> Self {
        self.test_tokens = Some(Arc::clone(&tokens));
        self.authorized_by(tokens)
    }

    /// The tokens for tests of a protected server.
    #[must_use]
    #[cfg(feature = "auth")]
    #[doc(hidden)]
    pub fn test_tokens(&self) -> Option<&Arc<dyn TestTokens>> {
        self.test_tokens.as_ref()
    }

    /// The name in reports: the one given, else the URL, the command line, or `in-process server`.
    ///
    /// It hides passwords and tokens in URLs, and the values of a command's variables.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::transport::Target;
    ///
    /// let target = Target::url("https://me:pass@example.com/mcp?api_key=1");
    /// assert_eq!(target.label(), "https://[secret]@example.com/mcp?api_key=[secret]");
    /// ```
    #[must_use]
    pub fn label(&self) -> String {
        self.label_of(self.transports.first())
    }

    /// The label in reports about this transport, or about the default one if it is `None` or the target does not have it.
    pub(crate) fn label_over(&self, kind: Option<TransportKind>) -> String {
        let transport = self.transports.iter().find(|transport| Some(transport.kind()) == kind);
        self.label_of(transport.or(self.transports.first()))
    }

    fn label_of(&self, transport: Option<&TargetTransport>) -> String {
        if let Some(label) = &self.label {
            return label.clone();
        }
        match transport {
            Some(TargetTransport::Stdio(command)) => redact_urls(command),
            #[cfg(feature = "http")]
            Some(TargetTransport::Http { url, .. } | TargetTransport::Sse { url, .. }) => {
                redact_urls(url)
            }
            _ => "in-process server".to_owned(),
        }
    }

    /// The transports by which it can be reached, the default one first.
    #[must_use]
    pub fn transports(&self) -> Vec<TransportKind> {
        self.transports.iter().map(TargetTransport::kind).collect()
    }

    /// The URL that a transport connects to; `None` if it is not HTTP, or the target does not have it.
    #[must_use]
    pub fn http_url(&self, kind: TransportKind) -> Option<String> {
        match self.transports.iter().find(|transport| transport.kind() == kind)? {
            TargetTransport::Duplex(_) | TargetTransport::Stdio(_) => None,
            #[cfg(feature = "http")]
            TargetTransport::Http { url, .. } | TargetTransport::Sse { url, .. } => {
                Some(url.clone())
            }
            #[cfg(feature = "http")]
            TargetTransport::Router { endpoint, .. } => Some(in_process(endpoint)),
        }
    }

    /// Whether [`Target::prepare`] starts a program.
    #[must_use]
    pub fn starts_program(&self) -> bool {
        #[cfg(feature = "http")]
        return self.transports.iter().any(|transport| transport.started_by().is_some());
        #[cfg(not(feature = "http"))]
        false
    }

    /// Starts what all connections share: the program behind a URL.
    ///
    /// # Errors
    ///
    /// [`OpenError`] if the program cannot be started, exits early, or does not listen in time.
    #[doc(hidden)]
    pub async fn prepare(&self) -> Result<PreparedTarget, OpenError> {
        const START_UP: Duration = Duration::from_secs(60);
        self.prepare_within(START_UP).await
    }

    /// Like [`Target::prepare`], but waits up to `start_up` for the program to listen instead of one minute.
    ///
    /// # Errors
    ///
    /// Those of [`Target::prepare`].
    #[doc(hidden)]
    pub async fn prepare_within(&self, start_up: Duration) -> Result<PreparedTarget, OpenError> {
        PreparedTarget::start(&self.transports, start_up).await
    }

    /// How many times this target and its clones started the program for a stdio connection.
    #[doc(hidden)]
    #[must_use]
    pub fn program_starts(&self) -> usize {
        self.started.load(Ordering::Relaxed)
    }

    /// Opens a new connection, recorded by `recorder`. Must be called within a tokio runtime.
    ///
    /// # Errors
    ///
    /// [`OpenError`] if the program cannot be started, or the target does not have the transport.
    #[allow(clippy::unused_async, reason = "opening may have to wait on other platforms")]
    pub async fn open(
        &self,
        kind: TransportKind,
        recorder: &Recorder,
        limits: Limits,
    ) -> Result<Connection, OpenError> {
        let transport = self.transports.iter().find(|transport| transport.kind() == kind);
        let transport = transport.ok_or_else(|| OpenError::NoSuchTransport {
            target: self.label(),
            wanted: kind,
            has: self.transports(),
        })?;
        match transport {
            TargetTransport::Duplex(serve) => Ok(duplex::open(serve, recorder, limits)),
            TargetTransport::Stdio(command) => {
                self.started.fetch_add(1, Ordering::Relaxed);
                stdio::open(command, recorder, limits)
            }
            #[cfg(feature = "http")]
            TargetTransport::Http { url, .. } => {
                let backend = self.network(url)?;
                Ok(super::http::open(kind, backend, url, &self.added, recorder, limits))
            }
            #[cfg(feature = "http")]
            TargetTransport::Router { make, endpoint } => {
                let backend = super::http::HttpBackend::Service(make());
                let url = in_process(endpoint);
                Ok(super::http::open(kind, backend, &url, &self.added, recorder, limits))
            }
            #[cfg(feature = "http")]
            TargetTransport::Sse { url, .. } => {
                let backend = self.network(url)?;
                Ok(super::legacy_sse::open(backend, url, &self.added, recorder, limits))
            }
        }
    }
}

/// The URL of an endpoint in this process; `localhost` passes the host checks of servers.
#[cfg(feature = "http")]
fn in_process(endpoint: &str) -> String {
    format!("http://localhost{endpoint}")
}

#[cfg(feature = "http")]
impl Target {
    fn network(&self, url: &str) -> Result<super::http::HttpBackend, OpenError> {
        let backend = super::http::HttpBackend::network(url, &self.closes);
        backend.map_err(|why| OpenError::url(url, &why))
    }

    /// A running server at `url`, over Streamable HTTP.
    #[must_use]
    pub fn url(url: impl Into<String>) -> Self {
        Self::new(TargetTransport::Http { url: url.into(), started_by: None })
    }

    /// Adds a running server at `url`; see [`Target::url`].
    #[must_use]
    pub fn and_url(self, url: impl Into<String>) -> Self {
        self.and(Self::url(url))
    }

    /// A server that `command` starts, at `url`; started once, by [`Target::prepare`].
    #[must_use]
    pub fn url_started_by(url: impl Into<String>, command: Command) -> Self {
        Self::new(TargetTransport::Http { url: url.into(), started_by: Some(command) })
    }

    /// A running server with the HTTP+SSE transport of 2024-11-05, and its event stream at `url`.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::transport::{TransportKind, Target};
    ///
    /// let target = Target::sse("http://127.0.0.1:3000/sse");
    /// assert_eq!(target.transports(), [TransportKind::Sse]);
    /// ```
    #[must_use]
    pub fn sse(url: impl Into<String>) -> Self {
        Self::new(TargetTransport::Sse { url: url.into(), started_by: None })
    }

    /// Adds a running server with HTTP+SSE; see [`Target::sse`].
    #[must_use]
    pub fn and_sse(self, url: impl Into<String>) -> Self {
        self.and(Self::sse(url))
    }

    /// Adds HTTP+SSE at each Streamable HTTP URL, for a server that may support only the old transport.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::transport::{TransportKind, Target};
    ///
    /// let target = Target::url("http://127.0.0.1:3000/sse").also_over_sse();
    /// assert_eq!(target.transports(), [TransportKind::Http, TransportKind::Sse]);
    /// ```
    #[must_use]
    pub fn also_over_sse(mut self) -> Self {
        let sse = |transport: &TargetTransport| match transport {
            // A program behind the URL is already started for Streamable HTTP.
            TargetTransport::Http { url, .. } => {
                Some(TargetTransport::Sse { url: url.clone(), started_by: None })
            }
            _ => None,
        };
        // Collected first, because they are added to the list that they come from.
        let older: Vec<TargetTransport> = self.transports.iter().filter_map(sse).collect();
        self.transports.extend(older);
        self
    }

    /// Whether the server has HTTP+SSE at its URL: a GET opens an event stream that begins with an `endpoint` event.
    ///
    /// Clients whose first POST was refused detect old servers in this way.
    /// <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility>
    pub async fn supports_sse(&self, recorder: &Recorder, deadline: Deadline) -> bool {
        let Ok(connection) = self.open(TransportKind::Http, recorder, Limits::default()).await
        else {
            return false;
        };
        // Not over HTTP+SSE itself, where a server without such a stream would fail the connection.
        let request = HttpRequest::get().header("Accept", "text/event-stream");
        let Ok(mut exchange) = connection.open_http(request, deadline).await else { return false };
        let first = exchange.event(deadline).await;
        first.is_some_and(|event| event.event_type() == "endpoint")
    }

    /// A server that `command` starts, with its event stream at `url`; started once, by [`Target::prepare`].
    #[must_use]
    pub fn sse_started_by(url: impl Into<String>, command: Command) -> Self {
        Self::new(TargetTransport::Sse { url: url.into(), started_by: Some(command) })
    }

    /// An axum router in this process, with the MCP endpoint at `/mcp`; no port is opened.
    ///
    /// `make` is called once per connection. See [`Target::service`] for other tower services.
    #[must_use]
    pub fn router(make: impl Fn() -> axum::Router + Send + Sync + 'static) -> Self {
        Self::new(TargetTransport::Router { make: Arc::new(make), endpoint: "/mcp".to_owned() })
    }

    /// Adds an in-process router; see [`Target::router`].
    #[must_use]
    pub fn and_router(self, make: impl Fn() -> axum::Router + Send + Sync + 'static) -> Self {
        self.and(Self::router(make))
    }

    /// A tower service in this process, which gets the requests for all paths; no port is opened.
    ///
    /// `make` is called once per connection; requests are sent to `/mcp`.
    #[must_use]
    pub fn service<S>(make: impl Fn() -> S + Send + Sync + 'static) -> Self
    where
        S: tower::Service<http::Request<axum::body::Body>, Error = std::convert::Infallible>
            + Clone
            + Send
            + Sync
            + 'static,
        S::Response: axum::response::IntoResponse,
        S::Future: Send,
    {
        Self::router(move || axum::Router::new().fallback_service(make()))
    }

    /// Adds an in-process tower service; see [`Target::service`].
    #[must_use]
    pub fn and_service<S>(self, make: impl Fn() -> S + Send + Sync + 'static) -> Self
    where
        S: tower::Service<http::Request<axum::body::Body>, Error = std::convert::Infallible>
            + Clone
            + Send
            + Sync
            + 'static,
        S::Response: axum::response::IntoResponse,
        S::Future: Send,
    {
        self.and(Self::service(make))
    }

    /// Sets the MCP endpoint of the in-process routers added so far; has no effect on other transports.
    #[must_use]
    pub fn endpoint(mut self, path: &str) -> Self {
        for transport in &mut self.transports {
            if let TargetTransport::Router { endpoint, .. } = transport {
                *endpoint = format!("/{}", path.trim_start_matches('/'));
            }
        }
        self
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target")
            .field("label", &self.label())
            .field("transports", &self.transports())
            .finish_non_exhaustive()
    }
}
