//! Sends a request with exactly the given headers, `Host` and `Content-Length`, on a connection of its own.
//!
//! General-purpose clients add headers such as `Accept` that a test may want to leave out.

use axum::body::Body;
use bytes::Bytes;
use futures_util::StreamExt;
use http::request::Parts;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use super::classify_error::classify;
use crate::transport::exchange_error::ExchangeError;
use crate::transport::headers::listed;
use crate::transport::raw_http::StreamingResponse;

/// The task that drives the connection while the response is read.
struct Connection(JoinHandle<()>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sends a request to the host of its URL; header names are capitalized on the wire if `title_case`.
pub(super) async fn call(
    request: http::Request<Bytes>,
    title_case: bool,
) -> Result<StreamingResponse, ExchangeError> {
    let (mut parts, body) = request.into_parts();
    let host = parts.uri.host().ok_or(ExchangeError::NoHost)?;
    // Never an https URL: `HttpBackend::call` sends those through reqwest.
    let address = format!("{host}:{}", parts.uri.port_u16().unwrap_or(80));
    let stream = TcpStream::connect(address).await.map_err(|error| classify(&error))?;
    let mut builder = http1::Builder::new();
    builder.title_case_headers(title_case);
    let handshake = builder.handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.map_err(|error| classify(&error))?;
    let connection = Connection(tokio::spawn(async move {
        // Errors are reported by the response.
        let _ = connection.await;
    }));
    set_host(&mut parts);
    let request = http::Request::from_parts(parts, Body::from(body));
    let response = sender.send_request(request).await.map_err(|error| classify(&error))?;
    let status = response.status().as_u16();
    let headers = listed(response.headers());
    let body = Body::new(response.into_body()).into_data_stream();
    let body = body.map(move |piece| {
        // Dropping either would close the connection.
        let _ = (&connection, &sender);
        piece.map_err(|error| classify(&error))
    });
    Ok(StreamingResponse { status, headers, body: Box::pin(body) })
}

/// Moves the authority of the URL into `Host`, unless that header is given: servers get only the path in the request line.
pub(super) fn set_host(parts: &mut Parts) {
    if !parts.headers.contains_key(http::header::HOST)
        && let Some(authority) = parts.uri.authority()
        && let Ok(host) = http::HeaderValue::from_str(authority.as_str())
    {
        parts.headers.insert(http::header::HOST, host);
    }
    if let Some(path) = parts.uri.path_and_query().cloned() {
        // The absolute form is for proxies; servers expect the path (RFC 9112, section 3.2).
        parts.uri = path.into();
    }
}
