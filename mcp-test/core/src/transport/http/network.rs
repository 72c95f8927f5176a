//! Sends requests over the network, on connections that are kept open for reuse.
//!
//! HTTP lets a server close an idle connection at any time (RFC 9112, section 9.5), so a request on a reused connection
//! can fail although the server is right. hyper-util sends a request again by itself only if none of it was written;
//! one that was written fails, and hyper-util does not say that the connection had been used before. Whether it had
//! is found out here, by its local address.

use std::collections::HashSet;
use std::error::Error;
use std::iter::successors;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpInfo;

use super::classify_error::classify;
use crate::transport::exchange_error::ExchangeError;
use crate::transport::headers::listed;
use crate::transport::raw_http::StreamingResponse;

/// How long a connection may be idle and still be reused: servers close idle ones after 2 s (gunicorn) or 5 s (Node).
const IDLE: Duration = Duration::from_secs(1);

/// On which connection a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::transport) enum ConnectionChoice {
    /// Any: if the server closes a reused one, the request can be sent again.
    Any,
    /// One that is reused only if the server is known to keep connections open: the request cannot be sent again.
    Proven,
    /// A new one.
    New,
}

/// Whether a target closed a connection that was kept open for reuse; clones share it.
#[derive(Debug, Clone, Default)]
pub(in crate::transport) struct ClosesSeen(Arc<AtomicBool>);

impl ClosesSeen {
    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A client for a server behind a socket.
#[derive(Clone)]
pub(in crate::transport) struct Network {
    pooled: reqwest::Client,
    unpooled: reqwest::Client,
    closes: ClosesSeen,
    served: Arc<Mutex<Served>>,
}

/// What is known about the connections of a client.
#[derive(Default)]
struct Served {
    /// The local addresses of the connections on which a response arrived.
    by: HashSet<SocketAddr>,
    /// Whether a second response arrived on one of them.
    again: bool,
}

/// Whether a URL is one of HTTP; one without a scheme is refused later.
pub(in crate::transport) fn check_scheme(url: &str) -> Result<(), ExchangeError> {
    let url = reqwest::Url::parse(url).ok();
    match url.filter(|url| !matches!(url.scheme(), "http" | "https")) {
        Some(url) => Err(ExchangeError::NotHttpUrl(url.scheme().to_owned())),
        None => Ok(()),
    }
}

impl Network {
    pub(super) fn new(url: &str, closes: &ClosesSeen) -> Result<Self, ExchangeError> {
        check_scheme(url)?;
        let secure = url.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:"));
        let tls = Tls::new(secure)?;
        let build = |idle_connections| {
            // A redirect is for the judge to see; proxies of the environment would change what is tested.
            let builder = reqwest::Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .no_proxy()
                // What is sent again is recorded, so it must not happen inside the library.
                .retry(reqwest::retry::never())
                .pool_idle_timeout(IDLE)
                .pool_max_idle_per_host(idle_connections);
            tls.configure(builder).build().map_err(|error| classify(&error))
        };
        Ok(Self {
            pooled: build(usize::MAX)?,
            unpooled: build(0)?,
            closes: closes.clone(),
            served: Arc::default(),
        })
    }

    /// Sends a request; [`ExchangeError::ReusedConnectionClosed`] if it failed because its connection was reused.
    pub(super) async fn call(
        &self,
        request: http::Request<Bytes>,
        connection: ConnectionChoice,
    ) -> Result<StreamingResponse, ExchangeError> {
        let request = reqwest::Request::try_from(request).map_err(|error| classify(&error))?;
        let response = if self.reuses(connection) {
            self.call_pooled(request).await?
        } else {
            self.unpooled.execute(request).await.map_err(|error| classify(&error))?
        };
        let status = response.status().as_u16();
        let headers = listed(response.headers());
        let body = response.bytes_stream().map(|piece| piece.map_err(|error| classify(&error)));
        Ok(StreamingResponse { status, headers, body: Box::pin(body) })
    }

    /// Whether a request may be sent on a connection that was used before.
    fn reuses(&self, connection: ConnectionChoice) -> bool {
        let wanted = match connection {
            ConnectionChoice::Any => true,
            // A server that closes each connection after its first response is never seen to answer twice on one.
            ConnectionChoice::Proven => self.served(|served| served.again),
            ConnectionChoice::New => false,
        };
        wanted && !self.closes.get()
    }

    async fn call_pooled(
        &self,
        request: reqwest::Request,
    ) -> Result<reqwest::Response, ExchangeError> {
        let error = match self.pooled.execute(request).await {
            Ok(response) => {
                if let Some(info) = response.extensions().get::<HttpInfo>() {
                    let local = info.local_addr();
                    self.served(|served| served.again |= !served.by.insert(local));
                }
                return Ok(response);
            }
            Err(error) => error,
        };
        let known = classify(&error);
        let closed = matches!(
            known,
            ExchangeError::NoResponse | ExchangeError::Closed | ExchangeError::Reset
        );
        // The port of a closed connection may be used again by a later one.
        let reused = |local| self.served(|served| served.by.remove(&local));
        if closed && local_address(&error).is_some_and(reused) {
            self.closes.set();
            return Err(ExchangeError::ReusedConnectionClosed(Box::new(known)));
        }
        Err(known)
    }

    fn served<T>(&self, with: impl FnOnce(&mut Served) -> T) -> T {
        with(&mut self.served.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Our address of the connection on which a request failed.
fn local_address(error: &(dyn Error + 'static)) -> Option<SocketAddr> {
    let mut causes = successors(Some(error), |&error| error.source());
    let failed = causes.find_map(|cause| cause.downcast_ref::<legacy::Error>())?;
    let mut extras = http::Extensions::new();
    failed.connect_info()?.get_extras(&mut extras);
    extras.get::<HttpInfo>().map(HttpInfo::local_addr)
}

/// TLS with a provider of its own: the default provider of the process belongs to the server under test.
#[cfg(feature = "tls")]
struct Tls(rustls::ClientConfig);

#[cfg(feature = "tls")]
impl Tls {
    fn new(secure: bool) -> Result<Self, ExchangeError> {
        use rustls::crypto::ring;
        use rustls::{ClientConfig, RootCertStore};
        use rustls_platform_verifier::BuilderVerifierExt;

        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| classify(&error))?;
        // Reading the certificates of the system takes time that plain HTTP need not spend.
        let config = if secure {
            config.with_platform_verifier().map_err(|error| classify(&error))?
        } else {
            config.with_root_certificates(RootCertStore::empty())
        };
        Ok(Self(config.with_no_client_auth()))
    }

    fn configure(&self, builder: reqwest::ClientBuilder) -> reqwest::ClientBuilder {
        builder.tls_backend_preconfigured(self.0.clone())
    }
}

/// No TLS.
#[cfg(not(feature = "tls"))]
struct Tls;

#[cfg(not(feature = "tls"))]
impl Tls {
    fn new(secure: bool) -> Result<Self, ExchangeError> {
        if secure { Err(ExchangeError::NeedsTlsFeature) } else { Ok(Self) }
    }

    #[allow(clippy::unused_self, reason = "the same as with TLS")]
    fn configure(&self, builder: reqwest::ClientBuilder) -> reqwest::ClientBuilder {
        builder
    }
}
