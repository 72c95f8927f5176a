//! Sends a request with exactly the given headers, `Host` and `Content-Length`, on a connection of its own.
//!
//! General-purpose clients add headers such as `Accept` that a test may want to leave out.

use std::future::{poll_fn, ready};
use std::time::Duration;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, stream};
use http::request;
use hyper::client::conn::http1::{self, Parts};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use super::classify_error::classify;
use crate::clock::{self, Deadline};
use crate::transport::exchange_error::ExchangeError;
use crate::transport::headers::listed;
use crate::transport::raw_http::StreamingResponse;

/// How long the server may take to close a connection that the client has closed, and how much of what it sends until then is
/// kept.
const CLOSES: Duration = Duration::from_secs(1);
const KEPT: usize = 512;

/// The task that drives the connection while the response is read; it returns what is left of it.
struct Connection(JoinHandle<Parts<TokioIo<TcpStream>>>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sends a request to the host of its URL; header names are capitalized on the wire if `title_case`. With `reads_on`, what
/// follows the response is the error that ends its body.
pub(super) async fn call(
    request: http::Request<Bytes>,
    title_case: bool,
    reads_on: bool,
) -> Result<StreamingResponse, ExchangeError> {
    let (mut parts, body) = request.into_parts();
    let host = parts.uri.host().ok_or(ExchangeError::NoHost)?;
    // Never an https URL: `HttpBackend::call` sends those through reqwest.
    let address = format!("{host}:{}", parts.uri.port_u16().unwrap_or(80));
    let stream = TcpStream::connect(address).await.map_err(|error| classify(&error))?;
    let mut builder = http1::Builder::new();
    builder.title_case_headers(title_case);
    let handshake = builder.handshake(TokioIo::new(stream)).await;
    let (mut sender, mut connection) = handshake.map_err(|error| classify(&error))?;
    let mut connection = Connection(tokio::spawn(async move {
        // Errors are reported by the response.
        let _ = poll_fn(|cx| connection.poll_without_shutdown(cx)).await;
        connection.into_parts()
    }));
    set_host(&mut parts);
    let request = http::Request::from_parts(parts, Body::from(body));
    let response = sender.send_request(request).await.map_err(|error| classify(&error))?;
    let status = response.status().as_u16();
    let headers = listed(response.headers());
    let body = Body::new(response.into_body()).into_data_stream();
    let body = body.map(|piece| piece.map_err(|error| classify(&error)));
    let end = stream::once(async move {
        // Dropping either any earlier would close the connection.
        drop(sender);
        match reads_on {
            true => excess(&mut connection).await.map(|it| Err(ExchangeError::Excess(it))),
            false => None,
        }
    });
    let end = end.filter_map(ready);
    Ok(StreamingResponse { status, headers, body: Box::pin(body.chain(end)) })
}

/// What the server sends between the end of a response and that of the connection, which the client closes.
async fn excess(connection: &mut Connection) -> Option<Bytes> {
    let Parts { io, read_buf, .. } = (&mut connection.0).await.ok()?;
    let (mut io, mut excess) = (io.into_inner(), BytesMut::from(&read_buf[..]));
    // A server that has closed it already has sent all that it will.
    let _ = io.shutdown().await;
    let deadline = Deadline::after(CLOSES);
    while excess.len() < KEPT {
        match clock::within(deadline, io.read_buf(&mut excess)).await {
            Ok(Ok(1..)) => {}
            _ => break,
        }
    }
    excess.truncate(KEPT);
    Some(excess.freeze())
}

/// Moves the authority of the URL into `Host`, unless that header is given: servers get only the path in the request line.
pub(super) fn set_host(parts: &mut request::Parts) {
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
