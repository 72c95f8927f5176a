//! A request on a connection of its own, with no header but those that were given, `Host` and `Content-Length`.
//!
//! A client for general use adds what servers commonly want, which a test may want to leave out.

use axum::body::Body;
use bytes::Bytes;
use futures_util::StreamExt;
use http::request::Parts;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use super::words::why;
use crate::transport::bare::HttpReply;
use crate::transport::headers::listed;

/// Keeps the connection going as long as the response is read.
struct Connection(JoinHandle<()>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sends a request to the server that its URL names; header names begin with capitals on the wire if `title_case`.
pub(super) async fn call(
    request: http::Request<Bytes>,
    title_case: bool,
) -> Result<HttpReply, String> {
    let (mut parts, body) = request.into_parts();
    let host = parts.uri.host().ok_or("the URL names no host")?;
    let address = format!("{host}:{}", parts.uri.port_u16().unwrap_or(80));
    let stream = TcpStream::connect(address).await.map_err(|error| why(&error))?;
    let mut builder = http1::Builder::new();
    builder.title_case_headers(title_case);
    let handshake = builder.handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.map_err(|error| why(&error))?;
    let connection = Connection(tokio::spawn(async move {
        // What goes wrong shows in the response.
        let _ = connection.await;
    }));
    address_to(&mut parts);
    let request = http::Request::from_parts(parts, Body::from(body));
    let response = sender.send_request(request).await.map_err(|error| why(&error))?;
    let status = response.status().as_u16();
    let headers = listed(response.headers());
    let body = Body::new(response.into_body()).into_data_stream();
    let body = body.map(move |piece| {
        let _ = (&connection, &sender);
        piece.map_err(|error| why(&error))
    });
    Ok(HttpReply { status, headers, body: Box::pin(body) })
}

/// A server behind a socket sees the path, and the authority as a header, unless another one is given.
pub(super) fn address_to(parts: &mut Parts) {
    if !parts.headers.contains_key(http::header::HOST)
        && let Some(authority) = parts.uri.authority()
        && let Ok(host) = http::HeaderValue::from_str(authority.as_str())
    {
        parts.headers.insert(http::header::HOST, host);
    }
    if let Some(path) = parts.uri.path_and_query().cloned() {
        parts.uri = path.into();
    }
}
