//! A scripted authorization server: it answers every request as its behavior says, whatever is wrong with it.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use reqwest::Url;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::free_port::listen;
use super::{
    Assertion, AssertionFault, Behavior, IssuedToken, IssuedTokens, PresentedCredentials,
    PresentedRefreshToken, ReceivedRequests, RefreshToken, RefreshTokens, RequestKind, SentIssuer,
    TokenIssuer, TokenRequest, VerifiedAssertions, metadata,
};
use crate::check::Finding;
use crate::jose::{KeySet, SigningKey};
use crate::json::{Object, Value};
use crate::oauth::access_token;
use crate::oauth::answer::Answer;
use crate::oauth::authorization_endpoint::redirect;
use crate::oauth::client::AuthenticationMethod;
use crate::oauth::client_authentication::basic;
use crate::oauth::dpop::{DPOP_NONCE, ProvenRequest};
use crate::oauth::endpoints::read;
use crate::oauth::grants::Grant;
use crate::oauth::oauth_error::{ErrorCode, OAuthError};
use crate::oauth::parameters::Parameters;
use crate::transport::generated_id::generate_id;

/// How many codes are remembered; the oldest are forgotten.
const MOST_CODES: usize = 100;

/// What the actors of one test share.
#[derive(Clone)]
pub struct SharedFacts {
    #[doc(hidden)]
    pub received: ReceivedRequests,
    #[doc(hidden)]
    pub tokens: IssuedTokens,
    #[doc(hidden)]
    pub refresh_tokens: RefreshTokens,
}

impl SharedFacts {
    /// Notes if a text has a refresh token, at a place where none must be.
    pub(super) fn look_for_refresh_token(&self, place: &'static str, text: &str) {
        if self.refresh_tokens.are_in(text) {
            self.received.add(RequestKind::MisplacedRefreshToken(place));
        }
    }

    /// Notes a request for what does not exist.
    pub(super) fn receive_unknown(&self, head: &Parts) {
        let (verb, path) = (head.method.to_string(), head.uri.path().to_owned());
        self.received.add(RequestKind::Unknown { verb, path });
    }
}

/// A scripted authorization server on a port of its own; dropping it stops it.
pub struct ScriptedServer {
    state: Arc<ScriptedState>,
    task: JoinHandle<()>,
    /// Its end is the signal for open connections to close.
    _stop: oneshot::Sender<()>,
}

/// A scripted authorization server, wherever it is served.
pub(super) struct ScriptedState {
    behavior: Behavior,
    /// Scheme, host and port.
    origin: String,
    issuer: String,
    key: SigningKey,
    facts: SharedFacts,
    codes: Mutex<VecDeque<PendingCode>>,
}

/// An authorization request, until its code is redeemed.
struct PendingCode {
    text: String,
    challenge: Option<String>,
    scopes: Vec<String>,
}

impl ScriptedServer {
    /// Starts a server on a free port of this machine. The runtime of the caller serves it.
    ///
    /// # Errors
    ///
    /// A finding about the environment, if no port can be bound, or the operating system returns no random numbers.
    #[doc(hidden)]
    pub fn start(behavior: Behavior, facts: &SharedFacts) -> Result<Self, Finding> {
        let (listener, address) = listen()?;
        let state = Arc::new(ScriptedState::new(behavior, format!("http://{address}"), facts)?);
        let router = Router::new().fallback(serve).with_state(Arc::clone(&state));
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = axum::serve(listener, router).with_graceful_shutdown(async {
            stopped.await.ok();
        });
        let task = tokio::spawn(async move {
            // It ends when it is aborted, or when no connection can be accepted any more, which the client notices.
            serving.await.ok();
        });
        Ok(Self { state, task, _stop: stop })
    }

    /// Its issuer.
    #[doc(hidden)]
    pub fn issuer(&self) -> &str {
        &self.state.issuer
    }

    /// What signs its tokens.
    #[doc(hidden)]
    pub fn key(&self) -> &SigningKey {
        &self.state.key
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl fmt::Debug for ScriptedServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedServer").field("issuer", &self.issuer()).finish_non_exhaustive()
    }
}

async fn serve(State(server): State<Arc<ScriptedState>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let answer = server.answer(&head, body).await.unwrap_or_else(|| {
        // A request for metadata is noted as that.
        if !metadata::may_be_at(head.uri.path()) {
            server.facts.receive_unknown(&head);
        }
        Answer::empty(StatusCode::NOT_FOUND)
    });
    answer.into_response()
}

impl ScriptedState {
    /// A server at an origin.
    ///
    /// # Errors
    ///
    /// A finding about the environment, if the operating system returns no random numbers.
    pub(super) fn new(
        behavior: Behavior,
        origin: String,
        facts: &SharedFacts,
    ) -> Result<Self, Finding> {
        let key = SigningKey::es256()
            .map_err(|error| Finding::environment("no key can be made").got(error.to_string()))?;
        let issuer = format!("{origin}{}", behavior.path);
        let (facts, codes) = (facts.clone(), Mutex::default());
        Ok(Self { behavior, origin, issuer, key, facts, codes })
    }

    /// The answer to a request; `None` if nothing is at its path.
    pub(super) async fn answer(&self, head: &Parts, body: Body) -> Option<Answer> {
        let path = head.uri.path();
        self.facts.look_for_refresh_token("a URL", head.uri.query().unwrap_or_default());
        if head.method == Method::GET && metadata::may_be_at(path) {
            let found = metadata::path(&self.behavior).is_some_and(|own| own == path);
            // An identity provider is not an authorization server of the protected one.
            if !self.behavior.is_identity_provider {
                let version = head.headers.get(MCP_PROTOCOL_VERSION);
                let protocol_version =
                    version.and_then(|version| version.to_str().ok()).map(str::to_owned);
                let path = path.to_owned();
                self.receive(RequestKind::ServerMetadata { path, found, protocol_version });
            }
            let document = || metadata::document(&self.behavior, &self.issuer, &self.origin);
            return found.then(|| Answer::json(StatusCode::OK, document()));
        }
        let Behavior { path: base, endpoints, .. } = &self.behavior;
        match path.strip_prefix(base)?.strip_prefix(endpoints)? {
            // A scenario may have added to its path.
            endpoint if head.method == Method::GET && endpoint.starts_with("/authorize") => {
                let query = head.uri.query().unwrap_or_default();
                Some(self.authorize(Parameters::parse(query.as_bytes())))
            }
            "/jwks" if head.method == Method::GET => {
                let keys = KeySet::from_iter([self.key.public().clone()]);
                Some(Answer::json(StatusCode::OK, keys.to_value()))
            }
            endpoint @ ("/token" | "/register") if head.method == Method::POST => {
                let body = match read(body).await {
                    Ok(body) => body,
                    Err(refusal) => return Some(refusal),
                };
                Some(match endpoint {
                    "/token" => self.token(&head.headers, path, &body),
                    _ => self.register(head, &body),
                })
            }
            _ => None,
        }
    }

    fn receive(&self, kind: RequestKind) {
        self.facts.received.add(kind);
    }

    fn codes(&self) -> MutexGuard<'_, VecDeque<PendingCode>> {
        self.codes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn register(&self, head: &Parts, body: &Bytes) -> Answer {
        if !self.behavior.registers {
            self.facts.receive_unknown(head);
            return Answer::empty(StatusCode::NOT_FOUND);
        }
        let document = match Value::parse(body) {
            Ok(document) if document.value.is_object() => document.value,
            _ => {
                let why = "the body is not a JSON object";
                return Answer::error(ErrorCode::InvalidClientMetadata.because(why));
            }
        };
        if self.behavior.refuses_registration {
            self.receive(RequestKind::Registration { issuer: self.issuer.clone(), document });
            let why = "none of the redirect URIs is acceptable";
            return Answer::error(ErrorCode::InvalidRedirectUri.because(why));
        }
        let mut registered = Object::new();
        for (name, value) in document.as_object().into_iter().flat_map(Object::iter) {
            registered.insert(name, value.clone());
        }
        let id = self.behavior.client_id.map_or_else(generate_id, str::to_owned);
        registered.insert("client_id", id);
        if let Some(method) = self.behavior.methods.first() {
            registered.insert("token_endpoint_auth_method", method.as_str());
            if matches!(method, AuthenticationMethod::Basic | AuthenticationMethod::Post) {
                registered.insert("client_secret", generate_id());
            }
        }
        self.receive(RequestKind::Registration { issuer: self.issuer.clone(), document });
        Answer::json(StatusCode::CREATED, registered.into())
    }

    fn authorize(&self, parameters: Parameters) -> Answer {
        let target = parameters.first("redirect_uri").and_then(|uri| Url::parse(uri).ok());
        let code = generate_id();
        let state = parameters.first("state").map(|state| match self.behavior.changes_state {
            true => generate_id(),
            false => state.to_owned(),
        });
        {
            let mut codes = self.codes();
            if codes.len() == MOST_CODES {
                codes.pop_front();
            }
            codes.push_back(PendingCode {
                text: code.clone(),
                challenge: parameters.first("code_challenge").map(str::to_owned),
                scopes: scopes(parameters.first("scope")),
            });
        }
        self.receive(RequestKind::Authorization { issuer: self.issuer.clone(), parameters });
        let iss = match self.behavior.iss {
            SentIssuer::Own => Some(self.behavior.stated_issuer.unwrap_or(&self.issuer).to_owned()),
            SentIssuer::None => None,
            SentIssuer::Other(other) => Some(other.to_owned()),
            SentIssuer::WithSlash => Some(format!("{}/", self.issuer)),
        };
        match target {
            Some(target) => {
                let granted = [("code", code.as_str())];
                let denied = self.behavior.denies.map(|description| {
                    [("error", "access_denied"), ("error_description", description)]
                });
                let parameters = denied.as_ref().map_or(&granted[..], |denied| &denied[..]);
                Answer::redirect(&redirect(target, parameters, state.as_deref(), iss.as_deref()))
            }
            None => Answer::error(ErrorCode::InvalidRequest.because("there is no `redirect_uri`")),
        }
    }

    fn token(&self, headers: &HeaderMap, path: &str, body: &Bytes) -> Answer {
        let parameters = Parameters::parse(body);
        let (challenge, scopes) = self.asked(&parameters);
        let url = format!("{}{path}", self.origin);
        let proven = ProvenRequest { method: "POST", url: &url, nonce: None, token: None };
        let mut request = TokenRequest {
            issuer: self.issuer.clone(),
            credentials: credentials(headers, &parameters),
            is_plain_basic: is_plain_basic(headers),
            assertion: self.assertion(&parameters),
            challenge,
            proof: proven.verify(headers),
            refresh_token: self.presented(&parameters),
            refusal: None,
            parameters,
        };
        let scopes = match &request.refresh_token {
            Some(PresentedRefreshToken::Issued(token)) => token.scopes.clone(),
            _ => scopes,
        };
        let answered = self.respond(&request, scopes);
        request.refusal = answered.as_ref().err().map(|error| error.code);
        self.receive(match self.behavior.is_identity_provider {
            true => RequestKind::Exchange(request),
            false => RequestKind::Token(request),
        });
        match answered {
            Ok(response) => Answer::json(StatusCode::OK, response),
            Err(error) => {
                let mut answer = Answer::error(error);
                let demanded =
                    self.behavior.nonce.filter(|_| error.code == ErrorCode::UseDpopNonce);
                answer.headers.extend(
                    demanded.map(|nonce| (DPOP_NONCE_HEADER, HeaderValue::from_static(nonce))),
                );
                answer
            }
        }
    }

    /// The assertion of a token request, if the server verifies one.
    fn assertion(&self, parameters: &Parameters) -> Option<Result<Assertion, AssertionFault>> {
        let VerifiedAssertions { parameter, key, leeway } = self.behavior.assertions.as_ref()?;
        let key = key.as_ref().unwrap_or(self.key.public());
        Some(Assertion::verify(parameters.first(parameter), key, *leeway))
    }

    /// The challenge and the scopes of the authorization request whose code a token request redeems, or else of the last one.
    fn asked(&self, parameters: &Parameters) -> (Option<String>, Vec<String>) {
        let codes = self.codes();
        let redeemed = parameters.first("code");
        let pending = codes
            .iter()
            .find(|pending| Some(pending.text.as_str()) == redeemed)
            .or_else(|| codes.back());
        match pending {
            Some(pending) => (pending.challenge.clone(), pending.scopes.clone()),
            None => (None, scopes(parameters.first("scope"))),
        }
    }

    /// The refresh token of a request that redeems one.
    fn presented(&self, parameters: &Parameters) -> Option<PresentedRefreshToken> {
        let redeems = parameters.first("grant_type") == Some("refresh_token");
        let text = parameters.first("refresh_token");
        redeems.then(|| self.facts.refresh_tokens.redeem(text))
    }

    fn respond(
        &self,
        request: &TokenRequest,
        mut scopes: Vec<String>,
    ) -> Result<Value, OAuthError> {
        let issuer = TokenIssuer { issuer: &self.issuer, key: &self.key };
        let own = self.behavior.answers_token.as_ref();
        if let Some(response) = own.and_then(|answers| answers(request, &issuer)) {
            return response;
        }
        // What nobody has granted cannot be renewed; all other mistakes are only noted.
        if matches!(request.refresh_token, Some(PresentedRefreshToken::Unknown)) {
            return Err(ErrorCode::InvalidGrant.because("no such refresh token was issued"));
        }
        if let Some(granted) = self.behavior.granted {
            scopes.retain(|scope| granted.contains(&scope.as_str()));
        }
        let proof = request.proof.as_ref().filter(|_| !self.behavior.dpop.is_empty());
        let proof = proof.map(|proof| proof.as_ref().map_err(|why| *why)).transpose();
        let proof = proof.map_err(|why| ErrorCode::InvalidDpopProof.because(why))?;
        if let (Some(nonce), Some(proof)) = (self.behavior.nonce, proof)
            && proof.nonce.as_deref() != Some(nonce)
        {
            return Err(ErrorCode::UseDpopNonce.because("the proof must have the nonce"));
        }
        let client = request.parameters.first("client_id").unwrap_or_default().to_owned();
        let resources = request.parameters.all("resource").map(str::to_owned).collect();
        let key = proof.map(|proof| proof.thumbprint.clone());
        let subject = "user".to_owned();
        let grant = Grant { subject, client, scopes, resources, key: key.clone() };
        let lifetime = access_token::LIFETIME;
        let text = access_token::issue(&self.key, &self.issuer, &grant, lifetime)?;
        let mut response = Object::new();
        response.insert("access_token", text.as_str());
        response.insert("token_type", if key.is_some() { "DPoP" } else { "Bearer" });
        response.insert("expires_in", self.behavior.lifetime.as_secs());
        if !grant.scopes.is_empty() {
            response.insert("scope", grant.scopes.join(" "));
        }
        let (issuer, scopes) = (self.issuer.clone(), grant.scopes);
        if self.behavior.refreshes {
            let text = generate_id();
            response.insert("refresh_token", text.as_str());
            let (client, issuer) = (request.client().unwrap_or_default(), issuer.clone());
            let (scopes, is_spent) = (scopes.clone(), false);
            let token = RefreshToken { text, issuer, client, scopes, is_spent };
            self.facts.refresh_tokens.add(token);
        }
        self.facts.tokens.add(IssuedToken { text, index: 0, issuer, scopes, key });
        Ok(response.into())
    }
}

const MCP_PROTOCOL_VERSION: &str = crate::spec::header::MCP_PROTOCOL_VERSION;
const DPOP_NONCE_HEADER: http::HeaderName = http::HeaderName::from_static(DPOP_NONCE);

fn scopes(text: Option<&str>) -> Vec<String> {
    text.unwrap_or_default().split_ascii_whitespace().map(str::to_owned).collect()
}

/// Whether `Authorization` has an id and a secret in the form that a server without any leniency reads.
fn is_plain_basic(headers: &HeaderMap) -> bool {
    let value = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let decoded = value.and_then(|value| STANDARD.decode(value.strip_prefix("Basic ")?).ok());
    let read = basic(headers).ok().flatten().map(|(id, secret)| format!("{id}:{secret}"));
    decoded.is_some() && decoded == read.map(String::into_bytes)
}

fn credentials(headers: &HeaderMap, parameters: &Parameters) -> PresentedCredentials {
    if headers.contains_key(header::AUTHORIZATION) {
        return PresentedCredentials::Basic(basic(headers).ok().flatten());
    }
    match (parameters.first("client_secret"), parameters.first("client_assertion")) {
        (Some(_), _) => PresentedCredentials::Post,
        (None, Some(_)) => PresentedCredentials::Assertion,
        (None, None) => PresentedCredentials::Nothing,
    }
}
