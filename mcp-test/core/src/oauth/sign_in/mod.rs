//! A client that signs in: it gets a token when a server demands one, and sends it from then on.
//!
//! It has every variant that MCP has for clients. Either it asks a [`Person`], who consents in a browser; or it follows the redirect
//! of the authorization endpoint itself, which works where the user has consented already, as with the servers of this module.
//! Tokens stay in memory.

mod consent;
mod contacts;
mod discovery;
mod error;
mod fetch;
mod origin;
mod patient;
mod person;
mod registration;
mod settings;
mod target;
#[cfg(test)]
mod tests;
mod token_request;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;

#[cfg(test)]
use self::contacts::Contacts;
use self::discovery::Discovered;
use self::registration::Registrations;
use self::token_request::{Token, TokenRequest};
use super::challenge::Challenge;
use super::dpop::{DPOP_NONCE, ProvenRequest, USE_DPOP_NONCE};
use crate::clock::Deadline;
use crate::jose::SigningKey;
use crate::spec::Revision;
use crate::transport::authorizer::{AUTHORIZATION, AuthorizedExchange, Authorizer};
use crate::transport::{HttpRequest, Misbehavior};

#[doc(hidden)]
pub use error::SignInError;
#[doc(hidden)]
pub use patient::PatientSignIn;
#[doc(hidden)]
pub use person::{Person, Question};
#[doc(hidden)]
pub use settings::{ClientGrant, RegisteredClient, Settings};

/// How often the client signs in for one request: at first, and twice for more scopes.
const MOST_ROUNDS: usize = 3;
/// The same for a client that does not know when to stop.
const ENDLESS_ROUNDS: usize = 10;
/// How often a person is asked to consent in all.
const MOST_CONSENTS: usize = 5;
/// How often a request is sent again with another nonce.
const MOST_NONCES: usize = 3;
/// How long a response may be held up by the request for the next token.
const REFRESHING: Duration = Duration::from_secs(3);

/// What the fault sends until the client has a token.
const INVENTED: &str = "made-up-by-a-fault";

/// A client that signs in where a server demands it.
pub struct SignIn {
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
    /// What gets another token without the user.
    session: Option<Session>,
    /// How often the user was asked to consent.
    consents: usize,
    /// Whether a person is not asked any more, since that has failed.
    is_over: bool,
    /// Whether no request with the last token was admitted yet.
    is_untried: bool,
}

/// What gets another token without the user.
struct Session {
    found: Discovered,
    client: RegisteredClient,
    refresh: Option<String>,
    expires: Option<Deadline>,
}

impl Progress {
    /// Whether another token may be accepted where one was refused with this error: it does not exist yet, or is no longer valid,
    /// or another one costs nothing.
    fn may_be_out_of_date(&self, error: Option<&str>) -> bool {
        self.session
            .as_ref()
            .is_none_or(|session| error == Some("invalid_token") || session.refresh.is_some())
            || self.has_expired()
    }

    /// Whether the token has expired, as far as the server has said when it does.
    fn has_expired(&self) -> bool {
        let expires = self.session.as_ref().and_then(|session| session.expires);
        expires.is_some_and(|expires| expires.has_passed())
    }
}

impl Session {
    /// Whether the token ends soon: most of its time has passed.
    fn ends_soon(&self) -> bool {
        let times = self.expires.and_then(|expires| expires.remaining().zip(expires.allotted()));
        self.refresh.is_some() && times.is_some_and(|(left, allotted)| left <= allotted / 5)
    }
}

/// What it sends with requests.
#[derive(Default)]
struct Credentials {
    token: Option<Token>,
    /// The key that tokens are bound to.
    key: Option<Arc<SigningKey>>,
    nonce: Option<String>,
    /// The last proof, for the fault that sends it again.
    proof: Option<String>,
}

impl SignIn {
    /// A client with these settings, which has no token yet.
    #[doc(hidden)]
    pub fn new(settings: Settings) -> Self {
        let (progress, credentials) = Default::default();
        Self { settings, progress, credentials }
    }

    /// Has all hosts together take no longer than this, each time that it signs in.
    #[doc(hidden)]
    pub fn limit(&self, time: Duration) {
        self.settings.contacts.limit(time);
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
        let challenge =
            Challenge::find(exchange.response_headers("www-authenticate")).unwrap_or_default();
        let error = challenge.get("error");
        let mut progress = self.progress.lock().await;
        if error == Some(USE_DPOP_NONCE) {
            progress.nonces += 1;
            return !self.ignores_nonce() && progress.nonces <= MOST_NONCES;
        }
        let lacks_scopes = exchange.status == 403;
        let never_renews = self.misbehaves(Misbehavior::NeverRenews);
        if never_renews && self.credentials().token.is_some() {
            return false;
        }
        let is_helpless =
            error != Some("insufficient_scope") || self.misbehaves(Misbehavior::NeverStepsUp);
        let is_asked = self.settings.person().is_some();
        if lacks_scopes && is_helpless
            || is_asked
                && (progress.is_over
                    || Challenge::is_other(exchange.response_headers("www-authenticate")))
        {
            return false;
        }
        // Another request may have signed in while this one waited.
        if !self.is_current(exchange.added) {
            return true;
        }
        if is_asked && !lacks_scopes && progress.is_untried && !progress.has_expired() {
            // Another token for the same would be no better.
            progress.error = Some(SignInError::TokenRefused);
            return false;
        }
        // A server may refuse a request in this way whatever its token is: nobody is to consent again because of that.
        if is_asked && !lacks_scopes && !progress.may_be_out_of_date(error) {
            return false;
        }
        if is_asked && lacks_scopes && !self.needs_more(&challenge, &mut progress) {
            return false;
        }
        let most = match self.misbehaves(Misbehavior::StepsUpEndlessly) {
            true => ENDLESS_ROUNDS,
            false => MOST_ROUNDS,
        };
        if progress.rounds == most {
            let error =
                if lacks_scopes { SignInError::TooManyScopes } else { SignInError::TokenRefused };
            progress.error = Some(error);
            return false;
        }
        progress.rounds += 1;
        self.settings.contacts.begin();
        if !lacks_scopes && progress.rounds == 1 && self.refresh(&mut progress).await {
            return true;
        }
        let url = exchange.url;
        let mut signed_in = self.sign_in(url, &challenge, lacks_scopes, &mut progress).await;
        if self.misbehaves(Misbehavior::SignsInEndlessly) {
            for _ in 0..ENDLESS_ROUNDS {
                signed_in = self.sign_in(url, &challenge, lacks_scopes, &mut progress).await;
            }
        }
        progress.is_untried = signed_in.is_ok();
        progress.error = signed_in.err();
        progress.is_over |= is_asked && progress.error.is_some();
        progress.error.is_none()
    }

    /// Whether the server demands scopes that its token was not requested with: asking again for the same is useless.
    fn needs_more(&self, challenge: &Challenge, progress: &mut Progress) -> bool {
        let demanded = challenge.scopes().unwrap_or_default();
        let has_more = demanded.iter().any(|scope| !progress.scopes.contains(scope));
        if !has_more {
            progress.error = Some(SignInError::SameScopes(demanded.join(" ")));
        }
        has_more
    }

    /// Gets another token with the refresh token, if there is one; it is used once.
    async fn refresh(&self, progress: &mut Progress) -> bool {
        let Some(session) = &mut progress.session else { return false };
        let Some(text) = session.refresh.take() else { return false };
        if self.misbehaves(Misbehavior::SendsRefreshToken) {
            if let Some(token) = &mut self.credentials().token {
                token.text = text;
            }
            return true;
        }
        let key = self.credentials().key.clone();
        let request = TokenRequest {
            server: &session.found.server,
            client: &session.client,
            resource: session.found.resource.as_deref(),
            // Those that were granted before.
            scopes: &[],
            settings: &self.settings,
            key: key.as_deref(),
        };
        let Ok(mut token) = request.refresh(&text).await else { return false };
        // A server may leave the refresh token as it is (RFC 6749, section 6).
        let next = token.refresh.take();
        let next = next.filter(|_| !self.misbehaves(Misbehavior::KeepsRefreshToken));
        (session.refresh, session.expires) = (next.or(Some(text)), token.expires);
        self.credentials().token = Some(token);
        progress.is_untried = true;
        true
    }

    /// Why the last attempt to sign in has failed, once; `None` while another one goes on.
    #[doc(hidden)]
    pub fn take_error(&self) -> Option<SignInError> {
        self.progress.try_lock().ok()?.error.take()
    }

    /// After a response that does not refuse the request.
    async fn admitted(&self) {
        let is_asked = self.settings.person().is_some();
        let mut progress = match is_asked {
            // While a person is asked, nothing else waits.
            true => match self.progress.try_lock() {
                Ok(progress) => progress,
                Err(_) => return,
            },
            false => self.progress.lock().await,
        };
        (progress.rounds, progress.nonces, progress.is_untried) = (0, 0, false);
        if is_asked && progress.session.as_ref().is_some_and(Session::ends_soon) {
            self.settings.contacts.begin_within(REFRESHING);
            self.refresh(&mut progress).await;
        }
    }

    /// Sends a request with the same credentials wherever the server redirects it to, for the fault that does.
    async fn follow(&self, exchange: &AuthorizedExchange<'_>) {
        let Some(target) = exchange.response_headers("location").next() else { return };
        let headers = exchange.added.to_vec();
        let request = HttpRequest { headers, ..HttpRequest::new("POST") };
        // What is there instead of the server does not matter.
        fetch::send("the target of a redirect", target, &request, &self.settings).await.ok();
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
        let redirect_uri = self.settings.redirect_uri().await?;
        let client =
            registration::client_at(&found.server, &self.settings, registrations, &redirect_uri)
                .await?;
        let scopes = self.scopes(&found, challenge, lacks_scopes, &progress.scopes);
        // A server that demands no bound tokens need not accept them; the reference client tries what its authorization server has.
        let is_wanted = self.settings.contacts.is_anyone() || challenge.is_for_bound_token;
        let has_dpop =
            found.server.has_dpop && is_wanted && !self.misbehaves(Misbehavior::IgnoresDpop);
        let key = if has_dpop { Some(Arc::new(SigningKey::es256()?)) } else { None };
        let request = TokenRequest {
            server: &found.server,
            client: &client,
            resource: found.resource.as_deref(),
            scopes: &scopes,
            settings: &self.settings,
            key: key.as_deref(),
        };
        if self.misbehaves(Misbehavior::AsksUser) {
            consent::ask(&found, &client, &scopes, &redirect_uri, &self.settings).await?;
        }
        let mut token = match self.settings.grant {
            ClientGrant::UserConsent => {
                self.settings.reach("authorize")?;
                if let Some(person) = self.settings.person() {
                    progress.consents += 1;
                    if progress.consents > MOST_CONSENTS {
                        return Err(SignInError::TooManyScopes);
                    }
                    let scopes = &scopes.join(" ");
                    let question = Question::MoreScopes { scopes };
                    if lacks_scopes && !person.allows(question).await {
                        return Err(SignInError::NotAllowed(format!(
                            "to ask for the scopes `{scopes}`"
                        )));
                    }
                }
                let code =
                    consent::ask(&found, &client, &scopes, &redirect_uri, &self.settings).await?;
                self.settings.reach("token")?;
                request.redeem(&code).await?
            }
            _ => {
                self.settings.reach("token")?;
                request.without_user().await?
            }
        };
        progress.scopes = scopes;
        let refresh = match self.misbehaves(Misbehavior::AssumesRefreshToken) {
            true => Some("undefined".to_owned()),
            false => token.refresh.take(),
        };
        // The reference client signs in again for a token that is bound to a key, since scenarios expect that.
        let refresh = refresh.filter(|_| self.settings.person().is_some() || key.is_none());
        progress.session = Some(Session { found, client, refresh, expires: token.expires });
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
            let is_asked = self.settings.person().is_some();
            (is_asked || self.settings.revision >= Revision::V2026_07_28)
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
        if let Some(key) = key.as_deref().filter(|_| token.is_bound) {
            let (nonce, token) = (nonce.as_deref(), Some(token.text.as_str()));
            let made = ProvenRequest { method, url, nonce, token }.prove(key).ok();
            let reused = proof.clone().filter(|_| self.misbehaves(Misbehavior::ReusesProof));
            let sent = reused.or(made);
            headers.extend(sent.clone().map(|sent| ("DPoP".to_owned(), sent)));
            *proof = sent;
        }
        headers
    }

    fn failure(&self) -> Option<String> {
        // Nobody signs in any more once the client has ended.
        let progress = self.progress.try_lock().ok()?;
        progress.error.as_ref().map(ToString::to_string)
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
            if matches!(exchange.status, 307 | 308)
                && self.misbehaves(Misbehavior::SendsTokenOnRedirect)
            {
                self.follow(&exchange).await;
            }
            self.admitted().await;
            false
        })
    }
}

impl fmt::Debug for SignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignIn").field("settings", &self.settings).finish_non_exhaustive()
    }
}
