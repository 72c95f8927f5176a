//! Where HTTP requests go: to the network, or to a tower service in this process.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt};
use tower::ServiceExt;

use super::classify_error::classify;
use super::exactly;
use super::network::{ClosesSeen, ConnectionChoice, Network};
use crate::expect::words::panic_text;
use crate::transport::HttpRequest;
use crate::transport::exchange_error::ExchangeError;
use crate::transport::headers::listed;
use crate::transport::raw_http::StreamingResponse;
use crate::wire::MediaType;

impl StreamingResponse {
    /// What the body is, according to its `Content-Type`.
    pub(in crate::transport) fn media_type(&self) -> MediaType {
        MediaType::from_headers(&self.headers)
    }

    /// Whether the response is an event stream.
    pub(in crate::transport) fn is_stream(&self) -> bool {
        self.media_type() == MediaType::EventStream
    }

    /// The first header of this name; names compare without regard to case.
    pub(in crate::transport) fn header(&self, name: &str) -> Option<String> {
        let found = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.clone())
    }
}

/// Which headers a request has on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::transport) enum SentHeaders {
    /// Those given, and what the HTTP client adds to them.
    Completed,
    /// Exactly those given, `Host` and `Content-Length`, on a connection of its own; over TLS they are completed.
    Exact,
}

/// Where HTTP requests go.
#[derive(Clone)]
pub(in crate::transport) enum HttpBackend {
    /// A server behind a socket.
    Network(Network),
    /// A service in this process.
    Service(Router),
}

impl HttpBackend {
    /// A new client for `url`: the connections of a shared one would belong to the runtime that opened them.
    pub(in crate::transport) fn network(
        url: &str,
        closes: &ClosesSeen,
    ) -> Result<Self, ExchangeError> {
        Network::new(url, closes).map(Self::Network)
    }

    /// Sends a request to `url`, whatever its path.
    pub(in crate::transport) fn call(
        &self,
        url: &str,
        request: &HttpRequest,
        headers: SentHeaders,
        connection: ConnectionChoice,
    ) -> BoxFuture<'static, Result<StreamingResponse, ExchangeError>> {
        let is_plain = url.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http:"));
        // A connection of its own has no TLS, and a service gets no added headers anyway, except `Host`.
        let own_connection = headers == SentHeaders::Exact && is_plain;
        let has_title_case = |(name, _): &(String, String)| name.starts_with(char::is_uppercase);
        let title_case = request.headers.iter().all(has_title_case);
        let reads_on = request.reads_on;
        let request = build(url, request);
        let backend = self.clone();
        Box::pin(async move {
            // An invalid request is an error of its exchange, which is recorded like any other end.
            let request = request?;
            match backend {
                Self::Network(_) if own_connection => {
                    exactly::call(request, title_case, reads_on).await
                }
                Self::Network(network) => network.call(request, connection).await,
                Self::Service(router) => into_service(router, request).await,
            }
        })
    }
}

fn build(url: &str, request: &HttpRequest) -> Result<http::Request<Bytes>, ExchangeError> {
    let mut builder = http::Request::builder().method(request.method.as_str()).uri(url);
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    builder
        .body(request.body.clone())
        .map_err(|error| ExchangeError::InvalidRequest(error.to_string()))
}

async fn into_service(
    router: Router,
    request: http::Request<Bytes>,
) -> Result<StreamingResponse, ExchangeError> {
    let (mut parts, body) = request.into_parts();
    exactly::set_host(&mut parts);
    // On the wire, whitespace around a value is not part of it (RFC 9110, section 5.5).
    for value in parts.headers.values_mut() {
        if let Ok(bare) = http::HeaderValue::from_bytes(value.as_bytes().trim_ascii()) {
            *value = bare;
        }
    }
    let request = http::Request::from_parts(parts, Body::from(body));
    // The service is code under test: its panic is a finding about it.
    let responding = AssertUnwindSafe(router.oneshot(request)).catch_unwind();
    let response: Result<_, Infallible> = responding
        .await
        .map_err(|panic| ExchangeError::Panicked(panic_text(panic.as_ref()).to_owned()))?;
    let Ok(response) = response;
    let status = response.status().as_u16();
    let headers = listed(response.headers());
    let body = response.into_body().into_data_stream();
    let body = body.map(|piece| piece.map_err(|error| classify(&error)));
    Ok(StreamingResponse { status, headers, body: Box::pin(body) })
}

/// Replaces the path of a URL.
pub(super) fn with_path(url: &str, path: &str) -> String {
    let authority = url.find("://").map_or(0, |at| at + 3);
    let end = url[authority..].find(['/', '?', '#']).map_or(url.len(), |at| authority + at);
    format!("{}/{}", &url[..end], path.trim_start_matches('/'))
}
