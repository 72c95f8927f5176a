//! The authorization server that listens, and how it is built.

use std::fmt;
use std::future::IntoFuture;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::alteration::Alteration;
use super::authorization_endpoint::USER;
use super::client::OAuthClient;
use super::client_documents::{ClientDocuments, DocumentPolicy};
use super::client_registry::ClientRegistry;
use super::exchange_recorder::ExchangeRecorder;
use super::grants::Grant;
#[cfg(feature = "suite")]
use super::issuer_tokens::IssuerTokens;
use super::proof_of_possession::ProofChecker;
use super::server_state::ServerState;
use super::trusted_issuer::TrustedIssuer;
use super::{access_token, endpoints, identity_provider};
use crate::jose::{JoseError, Jwk, SigningKey};
use crate::trace::{Recorder, Trace};
use crate::transport::serve_http::AllowedHosts;

/// An authorization server that listens; dropping it stops it.
///
/// See the [module](super) for what it has, and for an example.
pub struct AuthorizationServer {
    state: Arc<ServerState>,
    address: SocketAddr,
    task: JoinHandle<io::Result<()>>,
    /// Its end is the signal for open connections to close.
    _stop: oneshot::Sender<()>,
}

/// What the server will be like when it starts; see [`AuthorizationServer::builder`].
#[derive(Debug, Default)]
#[must_use = "call `start` or `listen`"]
pub struct AuthorizationServerBuilder {
    path: String,
    scopes: Vec<String>,
    clients: Vec<OAuthClient>,
    hosts: Vec<String>,
    access_token_lifetime: Option<Duration>,
    refresh_token_lifetime: Option<Duration>,
    trusted_issuers: Vec<TrustedIssuer>,
    is_identity_provider: bool,
    demands_nonces: bool,
    documents: DocumentPolicy,
    recorder: Recorder,
    alteration: Alteration,
}

/// Why an authorization server does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The address cannot be bound.
    #[error("the address cannot be listened on")]
    Listen(#[from] io::Error),
    /// No key to sign tokens with can be made.
    #[error("no key for signing tokens can be made")]
    Key(#[from] JoseError),
    /// The path of the issuer is not a path.
    #[error("`{0}` is not a path such as `/tenant`: letters, digits, `-`, `_` and `/` in between")]
    Path(String),
}

impl AuthorizationServer {
    /// Starts a server on a free port of this machine.
    ///
    /// # Errors
    ///
    /// When no port can be bound, or no key can be made.
    pub async fn start() -> Result<Self, StartError> {
        Self::builder().start().await
    }

    /// Begins a server whose properties differ from the defaults.
    ///
    /// ```no_run
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::oauth::{AuthorizationServer, OAuthClient};
    ///
    /// # async fn f() -> Result<(), mcp_test::oauth::StartError> {
    /// let server = AuthorizationServer::builder()
    ///     .path("/tenant")
    ///     .scopes(["files:read", "files:write"])
    ///     .client(OAuthClient::public("desktop").redirect_uri("http://127.0.0.1/callback"))
    ///     .start()
    ///     .await?;
    /// # drop(server);
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder() -> AuthorizationServerBuilder {
        AuthorizationServerBuilder::default()
    }

    /// Its issuer: the URL that metadata, tokens and responses name it by.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.state.issuer
    }

    /// The address it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The key that verifies its access tokens.
    #[must_use]
    pub fn public_key(&self) -> &Jwk {
        self.state.key.public()
    }

    /// Its tokens for tests of a protected server.
    ///
    /// # Errors
    ///
    /// If the operating system has no random numbers.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn test_tokens(&self) -> Result<IssuerTokens, JoseError> {
        IssuerTokens::new(self.issuer(), Arc::clone(&self.state.key))
    }

    /// An access token of its user for a resource, such as a protected server under test, with these scopes.
    ///
    /// It is the token that a client gets after the user has consented; no client has to sign in for it.
    ///
    /// ```no_run
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::oauth::AuthorizationServer;
    /// use mcp_test::transport::Target;
    ///
    /// # async fn f() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = AuthorizationServer::builder().scopes(["files:read"]).start().await?;
    /// // The server under test trusts `server.issuer()`, whose key is at its `jwks_uri`.
    /// let url = "http://127.0.0.1:3000/mcp";
    /// let token = server.issue_token(url, ["files:read"])?;
    /// let target = Target::url(url).bearer_token(token);
    /// # drop(target);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When the operating system has no random numbers.
    pub fn issue_token(
        &self,
        resource: impl Into<String>,
        scopes: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<String, JoseError> {
        let grant = Grant {
            client: "mcp-test".to_owned(),
            subject: USER.to_owned(),
            scopes: scopes.into_iter().map(Into::into).collect(),
            resources: vec![resource.into()],
            key: None,
        };
        let ServerState { key, issuer, access_token_lifetime, .. } = &*self.state;
        let claims = access_token::claims(issuer, &grant, *access_token_lifetime);
        let token = access_token::sign(key, &claims.map_err(|_| JoseError::Random)?.into())?;
        // Whoever introduces it to this server must not find it in the trace.
        self.state.recorder.learn(&token);
        Ok(token)
    }

    /// What it has received and sent so far, without tokens, codes, verifiers and secrets.
    #[must_use]
    pub fn trace(&self) -> Trace {
        self.state.recorder.recorder().trace()
    }
}

impl Drop for AuthorizationServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl fmt::Debug for AuthorizationServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthorizationServer")
            .field("issuer", &self.issuer())
            .finish_non_exhaustive()
    }
}

impl AuthorizationServerBuilder {
    /// Gives the issuer a path, such as `/tenant`; without it the issuer is at the root.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// The scopes that it has, all of which a request without scopes gets; without any, each request gets what it asks for.
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Adds a client that is registered beforehand.
    pub fn client(mut self, client: OAuthClient) -> Self {
        self.clients.push(client);
        self
    }

    /// Answers requests to this host as well, by name or address; by default only those to this machine and to the address
    /// that it listens on.
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Issues access tokens that are valid for this time; without it, for an hour. Fractions of a second do not count.
    ///
    /// A short time shows whether a client refreshes its token, and whether a protected server refuses an old one:
    ///
    /// ```no_run
    /// # extern crate mcp_test_core as mcp_test;
    /// use std::time::Duration;
    ///
    /// use mcp_test::oauth::AuthorizationServer;
    ///
    /// # async fn f() -> Result<(), mcp_test::oauth::StartError> {
    /// let server = AuthorizationServer::builder()
    ///     .access_token_lifetime(Duration::from_secs(2))
    ///     .refresh_token_lifetime(Duration::from_secs(60))
    ///     .start()
    ///     .await?;
    /// # drop(server);
    /// # Ok(())
    /// # }
    /// ```
    pub fn access_token_lifetime(mut self, lifetime: Duration) -> Self {
        self.access_token_lifetime = Some(lifetime);
        self
    }

    /// Issues refresh tokens that work for this time; without it, until they are replaced or forgotten.
    pub fn refresh_token_lifetime(mut self, lifetime: Duration) -> Self {
        self.refresh_token_lifetime = Some(lifetime);
        self
    }

    /// Demands a nonce of this server in proofs of possession (RFC 9449, section 8).
    ///
    /// A token request whose proof has none, or an old one, is refused with `use_dpop_nonce` and the nonce in `DPoP-Nonce`.
    /// Requests without a proof still get bearer tokens.
    ///
    /// ```no_run
    /// # extern crate mcp_test_core as mcp_test;
    /// # async fn f() -> Result<(), mcp_test::oauth::StartError> {
    /// let server = mcp_test::oauth::AuthorizationServer::builder().dpop_nonces().start().await?;
    /// # drop(server);
    /// # Ok(())
    /// # }
    /// ```
    pub fn dpop_nonces(mut self) -> Self {
        self.demands_nonces = true;
        self
    }

    /// Takes what this identity provider asserts (RFC 7523): an identity assertion JWT authorization grant (ID-JAG), signed with
    /// the private part of this key, is redeemed for an access token.
    ///
    /// It must have the type `oauth-id-jag+jwt`, the issuer of this server as its audience, the client that redeems it as
    /// `client_id`, and `sub`, `jti`, `exp`; it works once. That client must have a secret or a key.
    ///
    /// ```no_run
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::jose::SigningKey;
    /// use mcp_test::oauth::{AuthorizationServer, OAuthClient};
    ///
    /// # async fn f() -> Result<(), Box<dyn std::error::Error>> {
    /// let provider = SigningKey::es256()?;
    /// let server = AuthorizationServer::builder()
    ///     .trusted_issuer("https://idp.example", provider.public().clone())
    ///     .client(OAuthClient::confidential("agent", "a secret of this test"))
    ///     .start()
    ///     .await?;
    /// # drop(server);
    /// # Ok(())
    /// # }
    /// ```
    pub fn trusted_issuer(mut self, issuer: impl Into<String>, key: Jwk) -> Self {
        self.trusted_issuers.push(TrustedIssuer::new(issuer.into(), key));
        self
    }

    /// Is the identity provider of an organization, too: with the scope `openid` a client learns who has signed in
    /// (`id_token`), and exchanges that (RFC 8693) for an assertion (ID-JAG) that another authorization server redeems.
    ///
    /// ```no_run
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::oauth::{AuthorizationServer, OAuthClient};
    ///
    /// # async fn f() -> Result<(), mcp_test::oauth::StartError> {
    /// let provider = AuthorizationServer::builder()
    ///     .identity_provider()
    ///     .client(OAuthClient::public("agent").redirect_uri("http://127.0.0.1/callback"))
    ///     .start()
    ///     .await?;
    /// let server = AuthorizationServer::builder()
    ///     .trusted_issuer(provider.issuer(), provider.public_key().clone())
    ///     .client(OAuthClient::confidential("agent", "a secret of this test"))
    ///     .start()
    ///     .await?;
    /// # drop(server);
    /// # Ok(())
    /// # }
    /// ```
    pub fn identity_provider(mut self) -> Self {
        self.is_identity_provider = true;
        self
    }

    /// Knows only clients that are registered: it does not fetch the metadata documents that the ids of others name.
    ///
    /// Without this, it fetches such a document of this machine when somebody signs in with its URL as `client_id`, within bounds,
    /// and without following redirects; see [`Self::remote_client_documents`] for those of other machines.
    ///
    /// ```no_run
    /// # extern crate mcp_test_core as mcp_test;
    /// # async fn f() -> Result<(), mcp_test::oauth::StartError> {
    /// let server = mcp_test::oauth::AuthorizationServer::builder().no_client_documents().start().await?;
    /// # drop(server);
    /// # Ok(())
    /// # }
    /// ```
    pub fn no_client_documents(mut self) -> Self {
        self.documents.fetches = false;
        self
    }

    /// Fetches the metadata documents of clients from other machines, too: by `https`, and from no internal address.
    ///
    /// By default it does not: whoever names a client would decide whom this machine contacts.
    pub fn remote_client_documents(mut self) -> Self {
        self.documents.is_remote = true;
        self
    }

    /// Fetches metadata documents in another way.
    pub(crate) fn document_policy(mut self, policy: DocumentPolicy) -> Self {
        self.documents = policy;
        self
    }

    /// Records with this recorder, which may be shared with other actors.
    pub fn record(mut self, recorder: Recorder) -> Self {
        self.recorder = recorder;
        self
    }

    /// Changes the answers of the server.
    pub(crate) fn alter(mut self, alteration: Alteration) -> Self {
        self.alteration = alteration;
        self
    }

    /// Starts the server on a free port of this machine.
    ///
    /// # Errors
    ///
    /// When no port can be bound, no key can be made, or the path is not one.
    pub async fn start(self) -> Result<AuthorizationServer, StartError> {
        self.listen((Ipv4Addr::LOCALHOST, 0).into()).await
    }

    /// Starts the server on an address, preferably a loopback address.
    ///
    /// # Errors
    ///
    /// When the address cannot be bound, no key can be made, or the path is not one.
    pub async fn listen(self, address: SocketAddr) -> Result<AuthorizationServer, StartError> {
        if !is_base(&self.path) {
            return Err(StartError::Path(self.path));
        }
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        // `0.0.0.0` and `::` are addresses to listen on, and not of any machine.
        let issuer = match address.ip().is_unspecified() {
            true => format!("http://localhost:{}{}", address.port(), self.path),
            false => format!("http://{address}{}", self.path),
        };
        let hosts = AllowedHosts::new(self.hosts);
        hosts.listens_on(address.ip());
        let recorder = ExchangeRecorder::new(self.recorder);
        let secrets = self.clients.iter().filter_map(|client| client.secret.as_deref());
        secrets.for_each(|secret| recorder.learn(secret));
        let mut scopes = self.scopes;
        if self.is_identity_provider && !scopes.is_empty() {
            scopes.push(identity_provider::OPENID.to_owned());
        }
        let state = Arc::new(ServerState {
            issuer,
            base: self.path,
            scopes,
            key: Arc::new(SigningKey::es256()?),
            access_token_lifetime: self.access_token_lifetime.unwrap_or(access_token::LIFETIME),
            refresh_token_lifetime: self.refresh_token_lifetime,
            trusted_issuers: self.trusted_issuers,
            is_identity_provider: self.is_identity_provider,
            documents: ClientDocuments::new(self.documents),
            proofs: ProofChecker::new(self.demands_nonces),
            hosts,
            recorder,
            alteration: self.alteration,
            clients: Mutex::new(ClientRegistry::new(self.clients)),
            grants: Mutex::default(),
            used_assertions: Mutex::default(),
        });
        let router = Router::new().fallback(endpoints::answer).with_state(Arc::clone(&state));
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = axum::serve(listener, router).with_graceful_shutdown(async {
            stopped.await.ok();
        });
        // In a task, so that the server answers while nobody polls it.
        let task = tokio::spawn(serving.into_future());
        Ok(AuthorizationServer { state, address, task, _stop: stop })
    }
}

/// Whether a path may be that of an issuer, whose URL then is in its canonical form.
fn is_base(path: &str) -> bool {
    let is_segment = |segment: &str| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        !segment.is_empty() && segment.bytes().all(allowed)
    };
    path.is_empty() || path.strip_prefix('/').is_some_and(|path| path.split('/').all(is_segment))
}
