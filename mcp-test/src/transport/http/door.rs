//! Where an HTTP request goes: out to the network, or into a tower service of this process.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use futures_util::{FutureExt, StreamExt};
use tower::ServiceExt;

use super::exactly;
use super::words::why;
use crate::expect::words::panic_text;
use crate::transport::headers::listed;
use crate::transport::link::BoxFuture;

use crate::transport::bare::HttpReply;

impl HttpReply {
    /// The type of the body without its parameters, in small letters; empty if none is given.
    pub(in crate::transport) fn media(&self) -> String {
        let media = self.header("content-type").unwrap_or_default();
        media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// Whether the response is an event stream.
    pub(in crate::transport) fn is_stream(&self) -> bool {
        self.media() == "text/event-stream"
    }

    /// The value of a header; names compare without regard to case.
    pub(in crate::transport) fn header(&self, name: &str) -> Option<String> {
        let found = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.clone())
    }
}

/// Where requests go.
#[derive(Clone)]
pub(in crate::transport) enum Door {
    /// A server behind a socket.
    Network(reqwest::Client),
    /// A service in this process.
    Service(Router),
}

impl Door {
    /// A client of its own for `url`: connections belong to the runtime that opened them.
    pub(in crate::transport) fn network(url: &str) -> Result<Self, String> {
        let secure = url.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:"));
        let builder =
            reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy();
        with_tls(builder, secure)?.build().map(Self::Network).map_err(|error| why(&error))
    }

    /// Sends a request; the error says in words why no response came.
    pub(in crate::transport) fn call(
        &self,
        method: &str,
        url: &str,
        headers: &[(String, String)],
        body: Bytes,
    ) -> BoxFuture<'static, Result<HttpReply, String>> {
        let request = made(method, url, headers, body);
        let door = self.clone();
        Box::pin(async move {
            let request = request?;
            match door {
                Self::Network(client) => over_network(&client, request).await,
                Self::Service(router) => into_service(router, request).await,
            }
        })
    }
}

impl Door {
    /// As [`Door::call`], with exactly these headers where no TLS is involved; a connection of its own over the network.
    pub(in crate::transport) fn call_exactly(
        &self,
        method: &str,
        url: &str,
        headers: &[(String, String)],
        body: Bytes,
    ) -> BoxFuture<'static, Result<HttpReply, String>> {
        let is_plain = url.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http:"));
        if !is_plain || matches!(self, Self::Service(_)) {
            return self.call(method, url, headers, body);
        }
        let title_case = headers.iter().all(|(name, _)| name.starts_with(char::is_uppercase));
        let request = made(method, url, headers, body);
        Box::pin(async move { exactly::call(request?, title_case).await })
    }
}

fn made(
    method: &str,
    url: &str,
    headers: &[(String, String)],
    body: Bytes,
) -> Result<http::Request<Bytes>, String> {
    let mut builder = http::Request::builder().method(method).uri(url);
    for (name, value) in headers {
        builder = builder.header(name, value);
    }
    builder.body(body).map_err(|error| format!("the request cannot be made: {error}"))
}

/// Brings a provider of cryptography of its own: the one of the process is for the server under test to choose.
#[cfg(feature = "tls")]
fn with_tls(
    builder: reqwest::ClientBuilder,
    secure: bool,
) -> Result<reqwest::ClientBuilder, String> {
    use std::sync::Arc;

    use rustls::{ClientConfig, RootCertStore, crypto::ring};
    use rustls_platform_verifier::BuilderVerifierExt;

    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| why(&error))?;
    // Reading the certificates of the system takes time that plain HTTP need not spend.
    let config = if secure {
        config.with_platform_verifier().map_err(|error| why(&error))?
    } else {
        config.with_root_certificates(RootCertStore::empty())
    };
    Ok(builder.tls_backend_preconfigured(config.with_no_client_auth()))
}

#[cfg(not(feature = "tls"))]
fn with_tls(
    builder: reqwest::ClientBuilder,
    secure: bool,
) -> Result<reqwest::ClientBuilder, String> {
    if secure {
        return Err("an https URL needs the feature `tls` of mcp-test".to_owned());
    }
    Ok(builder)
}

async fn over_network(
    client: &reqwest::Client,
    request: http::Request<Bytes>,
) -> Result<HttpReply, String> {
    let request = reqwest::Request::try_from(request).map_err(|error| why(&error))?;
    let response = client.execute(request).await.map_err(|error| why(&error))?;
    let status = response.status().as_u16();
    let headers = listed(response.headers());
    let body = response.bytes_stream().map(|piece| piece.map_err(|error| why(&error)));
    Ok(HttpReply { status, headers, body: Box::pin(body) })
}

async fn into_service(router: Router, request: http::Request<Bytes>) -> Result<HttpReply, String> {
    let (mut parts, body) = request.into_parts();
    exactly::address_to(&mut parts);
    // On the wire the blanks around a value are no part of it.
    for value in parts.headers.values_mut() {
        if let Ok(bare) = http::HeaderValue::from_bytes(value.as_bytes().trim_ascii()) {
            *value = bare;
        }
    }
    let request = http::Request::from_parts(parts, Body::from(body));
    let answering = AssertUnwindSafe(router.oneshot(request)).catch_unwind();
    let response: Result<_, Infallible> = answering
        .await
        .map_err(|panic| format!("the service panicked: {}", panic_text(panic.as_ref())))?;
    let Ok(response) = response;
    let status = response.status().as_u16();
    let headers = listed(response.headers());
    let body = response.into_body().into_data_stream();
    let body = body.map(|piece| piece.map_err(|error| why(&error)));
    Ok(HttpReply { status, headers, body: Box::pin(body) })
}

/// The URL of another path at the server of `url`.
pub(super) fn elsewhere(url: &str, path: &str) -> String {
    let authority = url.find("://").map_or(0, |at| at + 3);
    let end = url[authority..].find(['/', '?', '#']).map_or(url.len(), |at| authority + at);
    format!("{}/{}", &url[..end], path.trim_start_matches('/'))
}
