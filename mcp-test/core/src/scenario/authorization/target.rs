//! The authorization server under test, and how mcp-test is registered there.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The default port of the redirect URI, as in the official suite.
const PORT: u16 = 3000;

/// An authorization server under test.
#[doc(hidden)]
#[derive(Clone)]
pub struct AuthorizationTarget {
    issuer: String,
    label: String,
    client: Option<RegisteredAs>,
    resource: Option<String>,
    port: u16,
    ask: Arc<Ask>,
    /// Whether it has let a scenario wait in vain; clones share it.
    is_silent: Arc<AtomicBool>,
}

/// Asks somebody to open the URL of an authorization request.
type Ask = dyn Fn(&ConsentRequest) + Send + Sync;

/// The client that mcp-test is registered as.
#[doc(hidden)]
#[derive(Clone, PartialEq, Eq)]
pub struct RegisteredAs {
    /// Its id.
    pub id: String,
    /// Its secret, if it has one.
    pub secret: Option<String>,
}

/// What somebody has to do in a browser.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConsentRequest {
    /// The URL to open.
    pub url: String,
    /// Where the authorization server should then redirect.
    pub redirect_uri: String,
    /// The id of the client.
    pub client: String,
    /// How long mcp-test waits for it.
    pub wait: Duration,
}

impl AuthorizationTarget {
    /// The authorization server with this issuer.
    #[must_use]
    pub fn new(issuer: impl Into<String>) -> Self {
        let issuer = issuer.into();
        let (label, client, resource) = (issuer.clone(), None, None);
        let is_silent = Arc::default();
        Self { issuer, label, client, resource, port: PORT, ask: Arc::new(|_| ()), is_silent }
    }

    /// The same under this name in reports.
    #[must_use]
    pub fn named(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Signs in as a client that is registered there.
    #[must_use]
    pub fn client(mut self, id: impl Into<String>, secret: Option<String>) -> Self {
        self.client = Some(RegisteredAs { id: id.into(), secret });
        self
    }

    /// Asks for a token for this MCP server (RFC 8707).
    #[must_use]
    pub fn resource(mut self, resource: Option<String>) -> Self {
        self.resource = resource;
        self
    }

    /// Is redirected to this port of this machine; 0 is any free one.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Asks with this function for consent: it shows the URL to somebody, or opens it. It must not block.
    #[must_use]
    pub fn ask(mut self, ask: impl Fn(&ConsentRequest) + Send + Sync + 'static) -> Self {
        self.ask = Arc::new(ask);
        self
    }

    /// The issuer.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Its name in reports.
    #[must_use]
    pub fn label(&self) -> String {
        self.label.clone()
    }

    pub(super) fn registered_as(&self) -> Option<&RegisteredAs> {
        self.client.as_ref()
    }

    pub(super) fn requested_resource(&self) -> Option<&str> {
        self.resource.as_deref()
    }

    pub(super) fn redirect_port(&self) -> u16 {
        self.port
    }

    /// Notes that it has not answered anything in time, so that other scenarios need not wait as long again.
    pub(super) fn mark_silent(&self) {
        self.is_silent.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_silent(&self) -> bool {
        self.is_silent.load(Ordering::Relaxed)
    }

    pub(super) fn ask_for_consent(&self, request: &ConsentRequest) {
        (self.ask)(request);
    }
}

impl fmt::Debug for AuthorizationTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthorizationTarget").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

// By hand, because of the secret.
impl fmt::Debug for RegisteredAs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredAs").field("id", &self.id).finish_non_exhaustive()
    }
}
