//! The peer of the proofs of scenarios for authorization servers: the one of [`crate::oauth`], and somebody who consents.

use std::time::Duration;

use http::request::Parts;

use super::{AuthorizationTarget, ConsentRequest};
use crate::clock::Deadline;
use crate::oauth::alteration::Alteration;
use crate::oauth::answer::Answer;
use crate::oauth::client_documents::DocumentPolicy;
use crate::oauth::{AuthorizationServer, OAuthClient, StartError};
use crate::transport::{HttpRequest, request_once};

/// The client that mcp-test is registered as.
const CLIENT: &str = "mcp-test";
/// The secret of that client, where it has one.
const SECRET: &str = "the secret of a proof";
/// The path of the metadata of OpenID Connect.
const OPENID: &str = "/openid-configuration";

/// The scopes of the peer; the last is the one by which clients ask for a refresh token.
const SCOPES: [&str; 3] = ["files:read", "files:write", "offline_access"];

/// An authorization server that is right, or wrong in one place.
#[doc(hidden)]
#[derive(Debug, Clone, Default)]
pub struct AuthorizationPeer {
    path: &'static str,
    has_secret: bool,
    alteration: Alteration,
    documents: DocumentPolicy,
    /// Whether nobody consents.
    is_alone: bool,
    /// Whether mcp-test is not registered.
    is_stranger: bool,
}

impl AuthorizationPeer {
    /// The same with a path in its issuer.
    #[must_use]
    pub fn at(mut self, path: &'static str) -> Self {
        self.path = path;
        self
    }

    /// The same, where mcp-test is registered with a secret.
    #[must_use]
    pub fn with_secret(mut self) -> Self {
        self.has_secret = true;
        self
    }

    /// The same, but nobody opens the URL of an authorization request.
    #[must_use]
    pub fn alone(mut self) -> Self {
        self.is_alone = true;
        self
    }

    /// The same, where mcp-test has no client id.
    #[must_use]
    pub fn to_strangers(mut self) -> Self {
        self.is_stranger = true;
        self
    }

    /// The same with other answers.
    #[must_use]
    #[doc(hidden)]
    pub fn altered(mut self, alter: impl Fn(&Parts, &mut Answer) + Send + Sync + 'static) -> Self {
        self.alteration = Alteration::new(alter);
        self
    }

    /// The same, which fetches the metadata documents of clients in this way.
    #[must_use]
    #[doc(hidden)]
    pub fn documents(mut self, policy: DocumentPolicy) -> Self {
        self.documents = policy;
        self
    }

    /// Starts it; the target is valid as long as the server.
    ///
    /// # Errors
    ///
    /// As [`AuthorizationServer::start`].
    pub async fn start(&self) -> Result<(AuthorizationServer, AuthorizationTarget), StartError> {
        let client = match self.has_secret {
            true => OAuthClient::confidential(CLIENT, SECRET),
            false => OAuthClient::public(CLIENT),
        };
        let server = AuthorizationServer::builder()
            .path(self.path)
            .scopes(SCOPES)
            .client(client.redirect_uri("http://127.0.0.1/callback"))
            .document_policy(self.documents)
            .alter(self.alteration.clone())
            .start()
            .await?;
        let secret = self.has_secret.then(|| SECRET.to_owned());
        let target = AuthorizationTarget::new(server.issuer()).port(0);
        let target = if self.is_stranger { target } else { target.client(CLIENT, secret) };
        let target = if self.is_alone { target } else { target.ask(consents) };
        Ok((server, target))
    }
}

/// Somebody who opens the URL at once, in a browser that follows the redirect.
fn consents(request: &ConsentRequest) {
    let ConsentRequest { url, .. } = request.clone();
    tokio::spawn(async move {
        let deadline = Deadline::after(Duration::from_secs(10));
        let get = |url: String| async move {
            request_once(&url, &HttpRequest::get(), 64 * 1024, deadline).await
        };
        let response = get(url).await.ok()?;
        let location = response.headers.iter().find(|(name, _)| name == "location")?;
        get(location.1.clone()).await.ok()
    });
}

/// Whether a request is for the metadata of OpenID Connect.
#[must_use]
pub fn asks_for_openid(request: &Parts) -> bool {
    request.uri.path().contains(OPENID)
}
