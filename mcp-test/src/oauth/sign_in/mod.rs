//! A client that signs in: it gets a token when a server demands one, and sends it from then on.
//!
//! It has every variant that MCP has for clients, and needs no browser: it follows the redirect of the authorization endpoint
//! itself, which works where the user has consented already, as with the servers of this module. Tokens stay in memory.

mod challenge;
mod consent;
mod discovery;
mod error;
mod fetch;
mod registration;
mod settings;
mod token_request;

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;

use self::challenge::Challenge;
use self::discovery::Discovered;
use self::registration::Registrations;
use self::token_request::{Token, TokenRequest};
use super::dpop::{DPOP_NONCE, ProvenRequest, USE_DPOP_NONCE};
use crate::jose::SigningKey;
use crate::spec::Revision;
use crate::transport::Misbehavior;
use crate::transport::authorizer::{AUTHORIZATION, AuthorizedExchange, Authorizer};

pub(crate) use error::SignInError;
pub(crate) use settings::{ClientGrant, RegisteredClient, Settings};

/// How often the client signs in for one request: at first, and twice for more scopes.
const MOST_ROUNDS: usize = 3;
/// The same for a client that does not know when to stop.
const ENDLESS_ROUNDS: usize = 10;
/// How often a request is sent again with another nonce.
const MOST_NONCES: usize = 3;

/// What the fault sends until the client has a token.
const INVENTED: &str = "made-up-by-a-fault";

/// A client that signs in where a server demands it.
pub(crate) struct SignIn {
    settings: Settings,
    /// Held while it signs in, so that of several requests only one does.
    progress: tokio::sync::Mutex<Progress>,
    credentials: Mutex<Credentials>,
}

/// What it remembers from one time to the next.
#[derive(Default)]
struct Progress {
    /// How often it has signed in since the last request that was admitted.
    rounds: usize,
    nonces: usize,
    registrations: Registrations,
    scopes: Vec<String>,
    error: Option<SignInError>,
}

/// What it sends with requests.
#[derive(Default)]
struct Credentials {
    token: Option<Token>,
    /// The key that tokens are bound to.
    key: Option<SigningKey>,
    nonce: Option<String>,
    /// The last proof, for the fault that sends it again.
    proof: Option<String>,
}

impl SignIn {
    /// A client with these settings, which has no token yet.
    pub(crate) fn new(settings: Settings) -> Self {
        let (progress, credentials) = Default::default();
        Self { settings, progress, credentials }
    }

    fn credentials(&self) -> MutexGuard<'_, Credentials> {
        self.credentials.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn misbehaves(&self, misbehavior: Misbehavior) -> bool {
        self.settings.misbehaves(misbehavior)
    }

    /// Whether it has a fault that ignores the nonce of the MCP server.
    fn ignores_nonce(&self) -> bool {
        let faults = [Misbehavior::IgnoresNonce, Misbehavior::IgnoresServerNonce];
        faults.into_iter().any(|fault| self.misbehaves(fault))
    }

    /// Whether the request should be sent again after a refusal.
    async fn refused(&self, exchange: &AuthorizedExchange<'_>) -> bool {
        let challenge = Challenge::of(exchange);
        let error = challenge.get("error");
        let mut progress = self.progress.lock().await;
        if error == Some(USE_DPOP_NONCE) {
            progress.nonces += 1;
            return !self.ignores_nonce() && progress.nonces <= MOST_NONCES;
        }
        let lacks_scopes = exchange.status == 403;
        let is_helpless =
            error != Some("insufficient_scope") || self.misbehaves(Misbehavior::NeverStepsUp);
        if lacks_scopes && is_helpless {
            return false;
        }
        // Another request may have signed in while this one waited.
        if !self.is_current(exchange.added) {
            return true;
        }
        let most = match self.misbehaves(Misbehavior::StepsUpEndlessly) {
            true => ENDLESS_ROUNDS,
            false => MOST_ROUNDS,
        };
        if progress.rounds == most {
            return false;
        }
        progress.rounds += 1;
        let signed_in = self.sign_in(exchange.url, &challenge, lacks_scopes, &mut progress).await;
        progress.error = signed_in.err();
        progress.error.is_none()
    }

    /// Whether the token of a request is the one that is sent now.
    fn is_current(&self, added: &[(String, String)]) -> bool {
        let sent = added.iter().find(|(name, _)| name == AUTHORIZATION);
        let sent = sent.and_then(|(_, value)| value.split_once(' ')).map(|(_, token)| token);
        let sent = sent.filter(|token| *token != INVENTED);
        sent == self.credentials().token.as_ref().map(|token| token.text.as_str())
    }

    async fn sign_in(
        &self,
        url: &str,
        challenge: &Challenge,
        lacks_scopes: bool,
        progress: &mut Progress,
    ) -> Result<(), SignInError> {
        self.settings.reach("discover")?;
        let found = discovery::discover(url, challenge, &self.settings).await?;
        self.settings.reach("register")?;
        let registrations = &mut progress.registrations;
        let client = registration::client_at(&found.server, &self.settings, registrations).await?;
        let scopes = self.scopes(&found, challenge, lacks_scopes, &progress.scopes);
        let has_dpop = found.server.has_dpop && !self.misbehaves(Misbehavior::IgnoresDpop);
        let key = if has_dpop { Some(SigningKey::es256()?) } else { None };
        let request = TokenRequest {
            server: &found.server,
            client: &client,
            resource: found.resource.as_deref(),
            scopes: &scopes,
            settings: &self.settings,
            key: key.as_ref(),
        };
        let token = match self.settings.grant {
            ClientGrant::UserConsent => {
                self.settings.reach("authorize")?;
                let code = consent::ask(&found, &client, &scopes, &self.settings).await?;
                self.settings.reach("token")?;
                request.redeem(&code).await?
            }
            _ => {
                self.settings.reach("token")?;
                request.without_user().await?
            }
        };
        progress.scopes = scopes;
        let mut credentials = self.credentials();
        (credentials.token, credentials.key) = (Some(token), key);
        Ok(())
    }

    /// The scopes to ask for.
    ///
    /// <https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#scope-selection-strategy>
    fn scopes(
        &self,
        found: &Discovered,
        challenge: &Challenge,
        lacks_scopes: bool,
        before: &[String],
    ) -> Vec<String> {
        let mut scopes = challenge.scopes().unwrap_or_else(|| found.scopes.clone());
        let keeps = lacks_scopes && !self.misbehaves(Misbehavior::ForgetsScopes);
        let kept = before.iter().filter(|_| keeps).map(String::as_str);
        // For a refresh token, where the server has them.
        let offline = Some("offline_access").filter(|scope| {
            self.settings.revision >= Revision::V2026_07_28
                && matches!(self.settings.grant, ClientGrant::UserConsent)
                && found.server.scopes.iter().any(|supported| supported == scope)
        });
        for scope in kept.chain(offline) {
            if !scopes.iter().any(|own| own == scope) {
                scopes.push(scope.to_owned());
            }
        }
        scopes
    }
}

impl Authorizer for SignIn {
    fn headers(&self, method: &str, url: &str) -> Vec<(String, String)> {
        if method != "POST" && self.misbehaves(Misbehavior::ForgetsToken) {
            return Vec::new();
        }
        let mut credentials = self.credentials();
        let Credentials { token, key, nonce, proof } = &mut *credentials;
        let Some(token) = token else {
            let invented = self.misbehaves(Misbehavior::InventsToken);
            let invented = invented.then(|| format!("Bearer {INVENTED}"));
            return invented.into_iter().map(|value| (AUTHORIZATION.to_owned(), value)).collect();
        };
        let mut headers = Vec::new();
        let is_bound = token.is_bound && !self.misbehaves(Misbehavior::SendsBoundTokenAsBearer);
        let scheme = if is_bound { "DPoP" } else { "Bearer" };
        headers.push((AUTHORIZATION.to_owned(), format!("{scheme} {}", token.text)));
        if let Some(key) = key.as_ref().filter(|_| token.is_bound) {
            let (nonce, token) = (nonce.as_deref(), Some(token.text.as_str()));
            let made = ProvenRequest { method, url, nonce, token }.prove(key).ok();
            let reused = proof.clone().filter(|_| self.misbehaves(Misbehavior::ReusesProof));
            let sent = reused.or(made);
            headers.extend(sent.clone().map(|sent| ("DPoP".to_owned(), sent)));
            *proof = sent;
        }
        headers
    }

    fn responded<'a>(&'a self, exchange: AuthorizedExchange<'a>) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            if let Some(nonce) = exchange.response_headers(DPOP_NONCE).next()
                && !self.ignores_nonce()
            {
                self.credentials().nonce = Some(nonce.to_owned());
            }
            if matches!(exchange.status, 401 | 403) {
                return self.refused(&exchange).await;
            }
            let mut progress = self.progress.lock().await;
            (progress.rounds, progress.nonces) = (0, 0);
            false
        })
    }
}

impl fmt::Debug for SignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignIn").field("settings", &self.settings).finish_non_exhaustive()
    }
}
