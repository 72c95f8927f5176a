//! The authorization server that listens, and how it is built.

use std::fmt;
use std::future::IntoFuture;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::access_token;
use super::alteration::Alteration;
use super::authorization_endpoint::USER;
use super::client::OAuthClient;
use super::client_registry::ClientRegistry;
use super::endpoints;
use super::exchange_recorder::ExchangeRecorder;
use super::grants::Grant;
use super::server_state::ServerState;
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

    /// An access token of its user for a resource, such as a protected server under test, with these scopes.
    ///
    /// It is the token that a client gets after the user has consented; no client has to sign in for it.
    ///
    /// ```no_run
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
        };
        let token = access_token::sign(&self.state.key, &self.state.issuer, &grant, None)?;
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
        let state = Arc::new(ServerState {
            issuer,
            base: self.path,
            scopes: self.scopes,
            key: SigningKey::es256()?,
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
