//! What is tested, and the carriers by which it can be reached.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::DuplexStream;

#[cfg(feature = "http")]
use super::HttpRequest;
use super::link::BoxFuture;
use super::prepared::Prepared;
use super::{CarrierKind, Limits, Link, OpenError, duplex, stdio};
#[cfg(feature = "http")]
use crate::clock::Deadline;
use crate::process::Command;
use crate::trace::{Recorder, Redactor};

type Serve = Arc<dyn Fn(DuplexStream) -> BoxFuture<'static, crate::Result> + Send + Sync>;

/// A server under test, with every carrier by which it can be reached.
///
/// The first carrier is the default one; others are added with `and_…`.
///
/// ```
/// use mcp_test::process::Command;
/// use mcp_test::transport::{CarrierKind, Target};
///
/// let target = Target::command(Command::new("my-server")).and_url("http://127.0.0.1:3000/mcp");
/// assert_eq!(target.carriers(), [CarrierKind::Stdio, CarrierKind::Http]);
/// ```
#[derive(Clone)]
pub struct Target {
    label: Option<String>,
    carriers: Vec<Carrier>,
    headers: Vec<(String, String)>,
}

#[derive(Clone)]
pub(super) enum Carrier {
    Duplex(Serve),
    Stdio(Command),
    #[cfg(feature = "http")]
    Http {
        url: String,
        started_by: Option<Command>,
    },
    #[cfg(feature = "http")]
    Router {
        make: Arc<dyn Fn() -> axum::Router + Send + Sync>,
        endpoint: String,
    },
    #[cfg(feature = "http")]
    Sse {
        url: String,
        started_by: Option<Command>,
    },
}

impl Carrier {
    fn kind(&self) -> CarrierKind {
        match self {
            Self::Duplex(_) => CarrierKind::Duplex,
            Self::Stdio(_) => CarrierKind::Stdio,
            #[cfg(feature = "http")]
            Self::Http { .. } => CarrierKind::Http,
            #[cfg(feature = "http")]
            Self::Router { .. } => CarrierKind::Router,
            #[cfg(feature = "http")]
            Self::Sse { .. } => CarrierKind::Sse,
        }
    }
}

#[cfg(feature = "http")]
impl Carrier {
    /// The program that is started, and the URL where it then listens.
    pub(super) fn started_by(&self) -> Option<(&str, &Command)> {
        match self {
            Self::Http { url, started_by } | Self::Sse { url, started_by } => {
                Some((url, started_by.as_ref()?))
            }
            _ => None,
        }
    }
}

impl Target {
    fn new(carrier: Carrier) -> Self {
        Self { label: None, carriers: vec![carrier], headers: Vec::new() }
    }

    fn and(mut self, carrier: Carrier) -> Self {
        self.carriers.push(carrier);
        self
    }

    /// A server in this process that speaks over an in-memory pipe: `serve` is called once per connection.
    ///
    /// ```
    /// use mcp_test::transport::Target;
    /// use tokio::io::{AsyncBufReadExt, BufReader};
    ///
    /// let target = Target::duplex(|io| async move {
    ///     let mut lines = BufReader::new(io).lines();
    ///     while let Some(line) = lines.next_line().await? {
    ///         println!("the client says {line}");
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
        Self::new(Carrier::Duplex(Arc::new(move |io| Box::pin(serve(io)))))
    }

    /// Adds an in-memory pipe; see [`Target::duplex`].
    #[must_use]
    pub fn and_duplex<F, Fut>(self, serve: F) -> Self
    where
        F: Fn(DuplexStream) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = crate::Result> + Send + 'static,
    {
        self.and(Carrier::Duplex(Arc::new(move |io| Box::pin(serve(io)))))
    }

    /// A server that is a program and speaks over its standard input and output; started once per connection.
    #[must_use]
    pub fn command(command: Command) -> Self {
        Self::new(Carrier::Stdio(command))
    }

    /// Adds a program that speaks over its standard input and output; see [`Target::command`].
    #[must_use]
    pub fn and_command(self, command: Command) -> Self {
        self.and(Carrier::Stdio(command))
    }

    /// Names the target in reports.
    #[must_use]
    pub fn named(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Sends this header with every HTTP request; without effect over carriers that know no headers.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The name in reports: the one given, else the URL, the command line, or `in-process server`.
    ///
    /// Of URLs it hides passwords and tokens, of a command the values of its variables.
    ///
    /// ```
    /// use mcp_test::transport::Target;
    ///
    /// let target = Target::url("https://me:pass@example.com/mcp?api_key=1");
    /// assert_eq!(target.label(), "https://[secret]@example.com/mcp?api_key=[secret]");
    /// ```
    #[must_use]
    pub fn label(&self) -> String {
        if let Some(label) = &self.label {
            return label.clone();
        }
        match self.carriers.first() {
            Some(Carrier::Stdio(command)) => shown(command),
            #[cfg(feature = "http")]
            Some(Carrier::Http { url, .. } | Carrier::Sse { url, .. }) => shown(url),
            _ => "in-process server".to_owned(),
        }
    }

    /// The carriers by which it can be reached, the default one first.
    #[must_use]
    pub fn carriers(&self) -> Vec<CarrierKind> {
        self.carriers.iter().map(Carrier::kind).collect()
    }

    /// The URL that a carrier asks; `None` if it speaks no HTTP, or the target does not have it.
    #[must_use]
    pub fn http_url(&self, kind: CarrierKind) -> Option<String> {
        match self.carriers.iter().find(|carrier| carrier.kind() == kind)? {
            Carrier::Duplex(_) | Carrier::Stdio(_) => None,
            #[cfg(feature = "http")]
            Carrier::Http { url, .. } | Carrier::Sse { url, .. } => Some(url.clone()),
            #[cfg(feature = "http")]
            Carrier::Router { endpoint, .. } => Some(in_process(endpoint)),
        }
    }

    /// Whether [`Target::prepare`] starts a program.
    #[must_use]
    pub fn starts_a_program(&self) -> bool {
        #[cfg(feature = "http")]
        return self.carriers.iter().any(|carrier| carrier.started_by().is_some());
        #[cfg(not(feature = "http"))]
        false
    }

    /// Brings up what all connections share: the program behind a URL.
    ///
    /// # Errors
    ///
    /// [`OpenError`] when the program cannot be started, ends early, or does not listen in time.
    pub async fn prepare(&self) -> Result<Prepared, OpenError> {
        const START_UP: Duration = Duration::from_secs(60);
        self.prepare_within(START_UP).await
    }

    /// As [`Target::prepare`], which waits a minute for the program to listen, with a limit of one's own.
    ///
    /// # Errors
    ///
    /// As [`Target::prepare`].
    pub async fn prepare_within(&self, start_up: Duration) -> Result<Prepared, OpenError> {
        Prepared::bring_up(&self.carriers, start_up).await
    }

    /// Opens a fresh connection, recorded by `recorder`. Must be called within a tokio runtime.
    ///
    /// # Errors
    ///
    /// [`OpenError`] when the program cannot be started, or the target does not have the carrier.
    #[allow(clippy::unused_async, reason = "opening may have to wait on other platforms")]
    pub async fn open(
        &self,
        kind: CarrierKind,
        recorder: &Recorder,
        limits: Limits,
    ) -> Result<Link, OpenError> {
        let carrier = self.carriers.iter().find(|carrier| carrier.kind() == kind);
        let carrier = carrier.ok_or_else(|| OpenError::NoSuchCarrier {
            target: self.label(),
            wanted: kind,
            has: self.carriers(),
        })?;
        match carrier {
            Carrier::Duplex(serve) => Ok(duplex::open(serve, recorder, limits)),
            Carrier::Stdio(command) => stdio::open(command, recorder, limits),
            #[cfg(feature = "http")]
            Carrier::Http { url, .. } => {
                let door = super::http::Door::network(url)
                    .map_err(|why| OpenError::Url { url: shown(url), why })?;
                Ok(super::http::open(kind, door, url, &self.headers, recorder, limits))
            }
            #[cfg(feature = "http")]
            Carrier::Router { make, endpoint } => {
                let door = super::http::Door::Service(make());
                let url = in_process(endpoint);
                Ok(super::http::open(kind, door, &url, &self.headers, recorder, limits))
            }
            #[cfg(feature = "http")]
            Carrier::Sse { url, .. } => {
                let door = super::http::Door::network(url)
                    .map_err(|why| OpenError::Url { url: shown(url), why })?;
                Ok(super::legacy_sse::open(door, url, &self.headers, recorder, limits))
            }
        }
    }
}

/// The URL of an endpoint in this process, which requests name as their host.
#[cfg(feature = "http")]
fn in_process(endpoint: &str) -> String {
    format!("http://localhost{endpoint}")
}

#[cfg(feature = "http")]
impl Target {
    /// A running server at `url`, spoken to over Streamable HTTP.
    #[must_use]
    pub fn url(url: impl Into<String>) -> Self {
        Self::new(Carrier::Http { url: url.into(), started_by: None })
    }

    /// Adds a running server at `url`; see [`Target::url`].
    #[must_use]
    pub fn and_url(self, url: impl Into<String>) -> Self {
        self.and(Carrier::Http { url: url.into(), started_by: None })
    }

    /// A server that `command` starts and that then listens at `url`; started once, by [`Target::prepare`].
    #[must_use]
    pub fn url_started_by(url: impl Into<String>, command: Command) -> Self {
        Self::new(Carrier::Http { url: url.into(), started_by: Some(command) })
    }

    /// A running server that speaks the HTTP+SSE of 2024-11-05, with its event stream at `url`.
    ///
    /// ```
    /// use mcp_test::transport::{CarrierKind, Target};
    ///
    /// let target = Target::sse("http://127.0.0.1:3000/sse");
    /// assert_eq!(target.carriers(), [CarrierKind::Sse]);
    /// ```
    #[must_use]
    pub fn sse(url: impl Into<String>) -> Self {
        Self::new(Carrier::Sse { url: url.into(), started_by: None })
    }

    /// Adds a running server that speaks HTTP+SSE; see [`Target::sse`].
    #[must_use]
    pub fn and_sse(self, url: impl Into<String>) -> Self {
        self.and(Carrier::Sse { url: url.into(), started_by: None })
    }

    /// Adds HTTP+SSE at the URLs where Streamable HTTP is spoken, for a server that may be an old one.
    ///
    /// ```
    /// use mcp_test::transport::{CarrierKind, Target};
    ///
    /// let target = Target::url("http://127.0.0.1:3000/sse").also_over_sse();
    /// assert_eq!(target.carriers(), [CarrierKind::Http, CarrierKind::Sse]);
    /// ```
    #[must_use]
    pub fn also_over_sse(mut self) -> Self {
        let sse = |carrier: &Carrier| match carrier {
            // The program behind the URL is started once.
            Carrier::Http { url, .. } => Some(Carrier::Sse { url: url.clone(), started_by: None }),
            _ => None,
        };
        let older: Vec<Carrier> = self.carriers.iter().filter_map(sse).collect();
        self.carriers.extend(older);
        self
    }

    /// Whether the server behind the URL speaks HTTP+SSE there: a GET opens an event stream that begins with an
    /// `endpoint` event.
    ///
    /// That is what a client looks for whose first POST was refused.
    /// <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility>
    pub async fn speaks_sse(&self, recorder: &Recorder, deadline: Deadline) -> bool {
        let Ok(link) = self.open(CarrierKind::Http, recorder, Limits::default()).await else {
            return false;
        };
        let request = HttpRequest::get().header("Accept", "text/event-stream");
        let Ok(mut exchange) = link.open_http(request, deadline).await else { return false };
        let first = exchange.event(deadline).await;
        first.is_some_and(|event| event.event_type() == "endpoint")
    }

    /// A server that `command` starts and whose event stream is then at `url`; started once, by [`Target::prepare`].
    #[must_use]
    pub fn sse_started_by(url: impl Into<String>, command: Command) -> Self {
        Self::new(Carrier::Sse { url: url.into(), started_by: Some(command) })
    }

    /// A server in this process that is an axum router, with the MCP endpoint at `/mcp`: no port is opened.
    ///
    /// `make` is called once per connection. See [`Target::service`] for other tower services.
    #[must_use]
    pub fn router(make: impl Fn() -> axum::Router + Send + Sync + 'static) -> Self {
        Self::new(Carrier::Router { make: Arc::new(make), endpoint: "/mcp".to_owned() })
    }

    /// Adds an in-process router; see [`Target::router`].
    #[must_use]
    pub fn and_router(self, make: impl Fn() -> axum::Router + Send + Sync + 'static) -> Self {
        self.and(Carrier::Router { make: Arc::new(make), endpoint: "/mcp".to_owned() })
    }

    /// A server in this process that is a tower service, whatever its endpoint: no port is opened.
    ///
    /// `make` is called once per connection; the service sees requests for `/mcp`.
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
        self.and_router(move || axum::Router::new().fallback_service(make()))
    }

    /// Moves the MCP endpoint of the in-process routers added so far to `path`; without effect on other carriers.
    #[must_use]
    pub fn endpoint(mut self, path: &str) -> Self {
        for carrier in &mut self.carriers {
            if let Carrier::Router { endpoint, .. } = carrier {
                *endpoint = format!("/{}", path.trim_start_matches('/'));
            }
        }
        self
    }
}

/// A command line or URL as a report may show it.
pub(crate) fn shown(text: &(impl ToString + ?Sized)) -> String {
    Redactor::secrets().urls(&text.to_string())
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target")
            .field("label", &self.label())
            .field("carriers", &self.carriers())
            .finish_non_exhaustive()
    }
}
