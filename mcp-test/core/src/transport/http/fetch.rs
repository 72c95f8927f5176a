//! Requests that are not part of any conversation: downloads of a document, such as a schema, and those of OAuth.

#[cfg(feature = "auth")]
use std::sync::OnceLock;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use reqwest::Url;

use super::HttpBackend;
use super::backend::SentHeaders;
use super::network::{ClosesSeen, ConnectionChoice};
use crate::clock::{self, Deadline};
use crate::transport::HttpRequest;
use crate::transport::exchange_error::ExchangeError;
use crate::transport::raw_http::StreamingResponse;

/// How many redirects [`fetch`] follows.
const REDIRECTS: usize = 5;

/// Why a document cannot be downloaded.
#[doc(hidden)]
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[cfg_attr(not(feature = "schema"), allow(dead_code, reason = "only `fetch` has the rest"))]
pub enum FetchError {
    #[error("no response within {0}")]
    TimedOut(String),
    #[error("{0}")]
    Url(String),
    #[error("`{0}` is neither http nor https")]
    Scheme(String),
    #[error("{0}")]
    Exchange(#[from] ExchangeError),
    #[error("HTTP {status} redirects to an invalid URL: {why}")]
    Redirect { status: u16, why: String },
    #[error("HTTP {0}")]
    Status(u16),
    #[error("more than {REDIRECTS} redirects")]
    Redirects,
    #[error("it is larger than {0} MiB")]
    TooLarge(usize),
}

/// Downloads the body at `url`, which may have up to `most` bytes, before the deadline.
#[cfg(feature = "schema")]
pub(crate) async fn fetch(url: &str, most: usize, deadline: Deadline) -> Result<Bytes, FetchError> {
    clock::within(deadline, follow(url, most)).await.unwrap_or_else(|_| Err(timed_out(deadline)))
}

#[cfg(feature = "schema")]
async fn follow(url: &str, most: usize) -> Result<Bytes, FetchError> {
    let mut url = Url::parse(url).map_err(|error| FetchError::Url(error.to_string()))?;
    for _ in 0..=REDIRECTS {
        let request = HttpRequest::get().header("Accept", "application/json, */*");
        let reply = call(&url, &request).await?;
        match (reply.status, reply.header("location")) {
            // No other success: 204 has no document, and 206 only a part of it.
            (200, _) => return body(reply, most).await,
            (301 | 302 | 303 | 307 | 308, Some(location)) => {
                let status = reply.status;
                url = url.join(&location).map_err(|error| {
                    let why = error.to_string();
                    FetchError::Redirect { status, why }
                })?;
            }
            (status, _) => return Err(FetchError::Status(status)),
        }
    }
    Err(FetchError::Redirects)
}

/// Sends one request to a URL, which may be any of http and https.
async fn call(url: &Url, request: &HttpRequest) -> Result<StreamingResponse, FetchError> {
    // For each request, since a redirect may lead to any URL.
    if !matches!(url.scheme(), "http" | "https") {
        return Err(FetchError::Scheme(url.scheme().to_owned()));
    }
    // A backend for each URL: only one for https reads the certificates of the system. None follows redirects.
    let backend = HttpBackend::network(url.as_str(), &ClosesSeen::default())?;
    let (headers, connection) = (SentHeaders::Completed, ConnectionChoice::New);
    Ok(backend.call(url.as_str(), request, headers, connection).await?)
}

impl FetchError {
    /// Whether nothing at that address can be talked to, which says nothing about a server.
    #[cfg(feature = "auth")]
    #[doc(hidden)]
    pub fn is_unreachable(&self) -> bool {
        use ExchangeError::{NeedsTlsFeature, Refused, TimedOut, UnknownHost, Unreachable};
        let Self::Exchange(error) = self else { return false };
        matches!(error, Refused | TimedOut | Unreachable(_) | UnknownHost(_) | NeedsTlsFeature)
    }
}

/// A response that was read completely.
#[doc(hidden)]
#[cfg(feature = "auth")]
pub struct PlainResponse {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Bytes,
}

#[cfg(feature = "auth")]
impl PlainResponse {
    /// Where the response to a request for this URL redirects to.
    #[doc(hidden)]
    pub fn redirect(&self, url: &str) -> Option<Url> {
        let mut headers = self.headers.iter().filter(|_| matches!(self.status, 300..400));
        let (_, location) = headers.find(|(name, _)| name.eq_ignore_ascii_case("location"))?;
        Url::parse(url).ok()?.join(location).ok()
    }
}

/// Sends a request and reads its response, of at most this many bytes, without following a redirect.
///
/// # Errors
///
/// As `fetch`, but any status is a response.
#[doc(hidden)]
#[cfg(feature = "auth")]
pub async fn request_once(
    url: &str,
    request: &HttpRequest,
    most: usize,
    deadline: Deadline,
) -> Result<PlainResponse, FetchError> {
    let url = Url::parse(url).map_err(|error| FetchError::Url(error.to_string()))?;
    complete(call(&url, request), most, deadline).await
}

/// Connections that are kept open between requests, for as long as the runtime that opens them; those over TLS are not kept.
#[doc(hidden)]
#[cfg(feature = "auth")]
#[derive(Default)]
pub struct KeptConnections(OnceLock<HttpBackend>);

#[cfg(feature = "auth")]
impl KeptConnections {
    /// As [`request_once`].
    ///
    /// # Errors
    ///
    /// As [`request_once`].
    pub(crate) async fn request(
        &self,
        url: &str,
        request: &HttpRequest,
        most: usize,
        deadline: Deadline,
    ) -> Result<PlainResponse, FetchError> {
        let parsed = Url::parse(url).map_err(|error| FetchError::Url(error.to_string()))?;
        if parsed.scheme() != "http" {
            return complete(call(&parsed, request), most, deadline).await;
        }
        complete(self.call(parsed.as_str(), request), most, deadline).await
    }

    async fn call(
        &self,
        url: &str,
        request: &HttpRequest,
    ) -> Result<StreamingResponse, FetchError> {
        let backend = match self.0.get() {
            Some(backend) => backend,
            None => {
                let backend = HttpBackend::network(url, &ClosesSeen::default())?;
                self.0.get_or_init(|| backend)
            }
        };
        // Others may not be sent again: a code that a server has exchanged already would look like one that was stolen.
        let is_repeatable = request.method == "GET";
        let first = if is_repeatable { ConnectionChoice::Any } else { ConnectionChoice::Proven };
        let call = |connection| backend.call(url, request, SentHeaders::Completed, connection);
        match call(first).await {
            Err(ExchangeError::ReusedConnectionClosed(_)) if is_repeatable => {
                Ok(call(ConnectionChoice::New).await?)
            }
            response => Ok(response?),
        }
    }
}

#[cfg(feature = "auth")]
async fn complete(
    response: impl Future<Output = Result<StreamingResponse, FetchError>>,
    most: usize,
    deadline: Deadline,
) -> Result<PlainResponse, FetchError> {
    let exchange = async {
        let reply = response.await?;
        let (status, headers) = (reply.status, reply.headers.clone());
        Ok(PlainResponse { status, headers, body: body(reply, most).await? })
    };
    clock::within(deadline, exchange).await.unwrap_or_else(|_| Err(timed_out(deadline)))
}

fn timed_out(deadline: Deadline) -> FetchError {
    FetchError::TimedOut(deadline.allotted().map(clock::format_duration).unwrap_or_default())
}

async fn body(reply: StreamingResponse, most: usize) -> Result<Bytes, FetchError> {
    let mut pieces = reply.body;
    let mut body = BytesMut::new();
    while let Some(piece) = pieces.next().await {
        let piece = piece?;
        // While reading, since the announced length may be missing or wrong.
        if body.len() + piece.len() > most {
            return Err(FetchError::TooLarge(most / (1024 * 1024)));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body.freeze())
}

#[cfg(all(test, feature = "schema"))]
mod tests {
    use std::time::Duration;

    use axum::Router;
    use axum::http::{StatusCode, header};
    use axum::response::IntoResponse;
    use axum::routing::get;
    use tokio::net::TcpListener;

    use super::*;

    const MIB: usize = 1024 * 1024;

    fn moved(to: &'static str) -> impl IntoResponse {
        (StatusCode::FOUND, [(header::LOCATION, to)])
    }

    /// The body at a path of a test server, or why it cannot be downloaded.
    async fn fetched(path: &str, deadline: Deadline) -> String {
        let router = Router::new()
            .route("/schema", get(|| async { "{}" }))
            .route("/moved", get(|| async { moved("schema") }))
            .route("/circle", get(|| async { moved("/circle") }))
            .route("/elsewhere", get(|| async { moved("file:///etc/passwd") }))
            .route("/large", get(|| async { "x".repeat(MIB + 1) }))
            .route("/slow", get(std::future::pending::<&str>));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}{path}", listener.local_addr().unwrap());
        let serving = tokio::spawn(async move { axum::serve(listener, router).await });
        let fetched = fetch(&url, MIB, deadline).await;
        serving.abort();
        fetched
            .map_or_else(|why| why.to_string(), |body| String::from_utf8_lossy(&body).into_owned())
    }

    #[tokio::test]
    async fn fetch_returns_the_document_or_the_reason() {
        let soon = || Deadline::after(Duration::from_secs(20));
        assert_eq!(fetched("/schema", soon()).await, "{}");
        assert_eq!(fetched("/moved", soon()).await, "{}");
        assert_eq!(fetched("/circle", soon()).await, "more than 5 redirects");
        assert_eq!(fetched("/elsewhere", soon()).await, "`file` is neither http nor https");
        assert_eq!(fetched("/nothing", soon()).await, "HTTP 404");
        assert_eq!(fetched("/large", soon()).await, "it is larger than 1 MiB");
        let at_once = Deadline::after(Duration::from_millis(1));
        assert_eq!(fetched("/slow", at_once).await, "no response within 1 ms");
        let why = fetch("http://127.0.0.1:1/", MIB, soon()).await.unwrap_err().to_string();
        assert_eq!(why, "connection refused: nothing listens there");
        assert_eq!(
            fetch("no URL", MIB, soon()).await.unwrap_err().to_string(),
            "relative URL without a base"
        );
    }
}

#[cfg(all(test, feature = "auth"))]
mod kept_connection_tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    /// Answers this many requests, and closes the connection.
    async fn answer(mut stream: TcpStream, requests: usize) {
        for _ in 0..requests {
            let mut received = Vec::new();
            while !received.ends_with(b"\r\n\r\n") {
                let Ok(byte) = stream.read_u8().await else { return };
                received.push(byte);
            }
            let response = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
            stream.write_all(response).await.unwrap();
        }
    }

    /// The statuses of these requests to a server that takes only so many connections, and answers only so many requests on each.
    async fn statuses(methods: &[&str], connections: usize, requests: usize) -> Vec<u16> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let serving = tokio::spawn(async move {
            for _ in 0..connections {
                let (stream, _) = listener.accept().await.unwrap();
                answer(stream, requests).await;
            }
        });
        let kept = KeptConnections::default();
        let mut statuses = Vec::new();
        for method in methods {
            let request = HttpRequest { method: (*method).to_owned(), ..HttpRequest::get() };
            let deadline = Deadline::after(Duration::from_secs(20));
            let response = kept.request(&url, &request, 1024, deadline).await;
            statuses.push(response.map(|response| response.status).unwrap_or_default());
        }
        serving.abort();
        statuses
    }

    #[tokio::test]
    async fn a_connection_is_used_again() {
        assert_eq!(statuses(&["GET", "GET", "POST"], 1, 3).await, [200; 3]);
    }

    #[tokio::test]
    async fn a_server_may_close_each_connection() {
        assert_eq!(statuses(&["GET", "POST", "GET", "POST"], 4, 1).await, [200; 4]);
    }
}
