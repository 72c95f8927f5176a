//! A server under test that demands authorization, in a user's own tests.

use std::sync::Arc;

use super::{Settings, SignIn};
use crate::oauth::AuthorizationServer;
use crate::transport::{Target, TransportKind};

impl Target {
    /// Signs in at this authorization server when the server under test demands it, as a client that registers itself; no browser is
    /// opened. Has an effect at a URL alone.
    ///
    /// The server under test has to name it in its metadata (RFC 9728): nothing is sent to any other host.
    ///
    /// ```no_run
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::oauth::AuthorizationServer;
    /// use mcp_test::transport::Target;
    ///
    /// # async fn f() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = AuthorizationServer::builder().scopes(["files:read"]).start().await?;
    /// // Here the server under test starts, and trusts `server.issuer()`.
    /// let target = Target::url("http://127.0.0.1:3000/mcp").signing_in_at(&server);
    /// # drop(target);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn signing_in_at(self, server: &AuthorizationServer) -> Self {
        let url = self.http_url(TransportKind::Http).or(self.http_url(TransportKind::Sse));
        let settings = Settings::at(server.issuer(), url.as_deref());
        self.authorized_by(Arc::new(SignIn::new(settings)))
    }
}
