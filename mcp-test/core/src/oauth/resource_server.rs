//! A protected server: it verifies the tokens of an issuer, and says in its metadata which issuer that is.
//!
//! It is correct, unless faults break it. What answers the requests that it admits is not known here.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#access-token-usage>

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use futures_util::future::BoxFuture;
use http::request::Parts;
use http::{HeaderValue, Method, StatusCode, header};

use super::alteration::Alteration;
use super::answer::Answer;
use super::dpop::ProvenRequest;
use super::parameters::Parameters;
use super::proof_of_possession::ProofChecker;
use super::trusted_keys::TrustedKeys;
use super::well_known::{PROTECTED_RESOURCE, origin};
use crate::jose::{JoseError, Jws, check_times};
use crate::json::{Object, Value};
use crate::spec;
use crate::transport::Misbehavior;
use crate::transport::serve_http::{AccessControl, GuardedRequest};

/// The path of the MCP endpoint.
const ENDPOINT: &str = "/mcp";
/// How far the clock of the issuer may differ.
const LEEWAY: Duration = Duration::from_secs(30);
/// How many sessions are remembered; the oldest are forgotten.
const MOST_REMEMBERED: usize = 1_000;

/// A protected server, in front of the one that answers.
pub struct ResourceServer {
    issuer: String,
    keys: TrustedKeys,
    scopes: Vec<String>,
    demands_proofs: bool,
    alteration: Alteration,
    proofs: ProofChecker,
    /// The sessions, with the users that have opened them.
    sessions: Mutex<VecDeque<(String, String)>>,
}

/// Why a request is not admitted.
enum Refusal {
    /// The request has no token.
    NoToken,
    /// There is more than one, or none can be read.
    InvalidRequest(&'static str),
    InvalidToken(&'static str),
    InvalidProof(&'static str),
    InsufficientScope,
    /// The session is that of another user, for whom it does not exist.
    OtherSession,
}

impl ResourceServer {
    /// A server that trusts this issuer, whose keys it knows or fetches.
    #[doc(hidden)]
    pub fn new(issuer: impl Into<String>, keys: TrustedKeys) -> Self {
        let (proofs, sessions) = Default::default();
        let (scopes, alteration) = Default::default();
        let issuer = issuer.into();
        Self { issuer, keys, scopes, demands_proofs: false, alteration, proofs, sessions }
    }

    /// Demands these scopes for every request.
    #[doc(hidden)]
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Demands proofs of possession (RFC 9449).
    #[doc(hidden)]
    pub fn demanding_proofs(mut self) -> Self {
        self.demands_proofs = true;
        self
    }

    /// Changes its refusals and its metadata.
    #[doc(hidden)]
    pub fn alter(mut self, alteration: Alteration) -> Self {
        self.alteration = alteration;
        self
    }

    fn metadata(&self, origin: &str) -> Value {
        let mut document = Object::new();
        document.insert("resource", format!("{origin}{ENDPOINT}"));
        document.insert("authorization_servers", vec![self.issuer.as_str()]);
        document.insert("bearer_methods_supported", vec!["header"]);
        if !self.scopes.is_empty() {
            document.insert("scopes_supported", self.scopes.iter().cloned().collect::<Value>());
        }
        if self.demands_proofs {
            document.insert("dpop_bound_access_tokens_required", true);
            document.insert("dpop_signing_alg_values_supported", vec!["ES256", "EdDSA"]);
        }
        document.into()
    }

    async fn check(&self, request: GuardedRequest<'_>) -> Result<(), Refusal> {
        let GuardedRequest { head, misbehaves, .. } = request;
        let session = session(head);
        if misbehaves(Misbehavior::GuardsPostAlone) && head.method != Method::POST
            || misbehaves(Misbehavior::TrustsSession) && session.is_some()
        {
            return Ok(());
        }
        let presented = match presented(head, misbehaves(Misbehavior::AcceptsTokenInQuery)) {
            Err(Refusal::NoToken) if misbehaves(Misbehavior::SkipsAuthorization) => return Ok(()),
            presented => presented?,
        };
        let claims = self.verify(presented.token, misbehaves).await?;
        self.check_claims(&claims, &origin(head), misbehaves)?;
        if !misbehaves(Misbehavior::IgnoresProofs) {
            self.check_proof(head, &presented, &claims)?;
        }
        if let Some(session) = session
            && !misbehaves(Misbehavior::SharesSessions)
            && self.owner(session).is_some_and(|owner| owner != user(&claims))
        {
            return Err(Refusal::OtherSession);
        }
        Ok(())
    }

    /// The claims of a token, whose signature is that of the issuer.
    async fn verify(
        &self,
        token: &str,
        misbehaves: &(dyn Fn(Misbehavior) -> bool + Send + Sync),
    ) -> Result<Value, Refusal> {
        let malformed = |_: JoseError| Refusal::InvalidToken("the token is not a JWT");
        let parsed = Jws::parse(token).map_err(malformed)?;
        let is_unsigned = parsed.header().get("alg").and_then(Value::as_str) == Some("none");
        if misbehaves(Misbehavior::IgnoresSignature)
            || is_unsigned && misbehaves(Misbehavior::AcceptsUnsignedTokens)
        {
            return parsed.unverified_claims().map_err(malformed);
        }
        let kind = parsed.header().get("typ").and_then(Value::as_str);
        // RFC 9068, section 4: neither an id token nor an assertion is an access token.
        let is_access_token = kind.is_some_and(|kind| {
            let kind = kind.strip_prefix("application/").unwrap_or(kind);
            kind.eq_ignore_ascii_case("at+jwt")
        });
        if !is_access_token {
            return Err(Refusal::InvalidToken("the token is not an access token"));
        }
        let why = "the token is not signed by the issuer";
        let key = self.keys.key_of(&parsed).await.ok_or(Refusal::InvalidToken(why))?;
        parsed.verify(&key).map_err(|_| Refusal::InvalidToken(why))
    }

    fn check_claims(
        &self,
        claims: &Value,
        origin: &str,
        misbehaves: &(dyn Fn(Misbehavior) -> bool + Send + Sync),
    ) -> Result<(), Refusal> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        if text("iss") != Some(&*self.issuer) && !misbehaves(Misbehavior::IgnoresTokenIssuer) {
            return Err(Refusal::InvalidToken("the token is of another issuer"));
        }
        let own = format!("{origin}{ENDPOINT}");
        let is_own = |audience: &Value| audience.as_str() == Some(&*own);
        let is_for_it = match claims.get("aud") {
            Some(Value::Array(several)) => several.iter().any(is_own),
            Some(one) => is_own(one),
            None => false,
        };
        if !is_for_it && !misbehaves(Misbehavior::IgnoresAudience) {
            return Err(Refusal::InvalidToken("the token is for another server"));
        }
        if check_times(claims, LEEWAY).is_err() && !misbehaves(Misbehavior::IgnoresTokenTimes) {
            return Err(Refusal::InvalidToken("the token has expired, or is not valid yet"));
        }
        let granted: Vec<&str> = text("scope").unwrap_or_default().split(' ').collect();
        let has_all = self.scopes.iter().all(|scope| granted.contains(&scope.as_str()));
        match has_all || misbehaves(Misbehavior::IgnoresScopes) {
            true => Ok(()),
            false => Err(Refusal::InsufficientScope),
        }
    }

    /// Checks the proof that the sender has the key of the token; a token that is bound to none needs none, unless all do.
    fn check_proof(
        &self,
        head: &Parts,
        presented: &Presented<'_>,
        claims: &Value,
    ) -> Result<(), Refusal> {
        let bound = claims.get("cnf").and_then(|key| key.get("jkt")).and_then(Value::as_str);
        let Some(thumbprint) = bound else {
            return match self.demands_proofs {
                true => Err(Refusal::InvalidToken("the token is not bound to a key")),
                false => Ok(()),
            };
        };
        if !presented.scheme.eq_ignore_ascii_case("DPoP") {
            return Err(Refusal::InvalidToken("the token is bound to a key"));
        }
        let url = format!("{}{}", origin(head), head.uri.path());
        let (method, token) = (head.method.as_str(), Some(presented.token));
        let proof = ProvenRequest { method, url: &url, nonce: None, token }.verify(&head.headers);
        let proof = proof.ok_or(Refusal::InvalidProof("the request has no proof"))?;
        let proof = proof.map_err(Refusal::InvalidProof)?;
        if proof.thumbprint != thumbprint {
            return Err(Refusal::InvalidProof("the proof is of another key"));
        }
        let why = "the proof was used before, or its `jti` is too long";
        self.proofs.mark_used(&proof).map_err(|_| Refusal::InvalidProof(why))
    }

    /// The user who has opened a session.
    fn owner(&self, session: &str) -> Option<String> {
        let sessions = lock(&self.sessions);
        let found = sessions.iter().find(|(id, _)| id == session);
        found.map(|(_, user)| user.clone())
    }

    /// The response that refuses a request (RFC 6750, section 3; RFC 9728, section 5.1).
    fn challenge(&self, head: &Parts, refusal: &Refusal) -> Response {
        let (status, error, why) = match *refusal {
            Refusal::NoToken => (StatusCode::UNAUTHORIZED, None, None),
            Refusal::InvalidRequest(why) => {
                (StatusCode::BAD_REQUEST, Some("invalid_request"), Some(why))
            }
            Refusal::InvalidToken(why) => {
                (StatusCode::UNAUTHORIZED, Some("invalid_token"), Some(why))
            }
            Refusal::InvalidProof(why) => {
                (StatusCode::UNAUTHORIZED, Some("invalid_dpop_proof"), Some(why))
            }
            Refusal::InsufficientScope => (StatusCode::FORBIDDEN, Some("insufficient_scope"), None),
            Refusal::OtherSession => (StatusCode::NOT_FOUND, None, None),
        };
        let mut answer = Answer::empty(status);
        if !matches!(refusal, Refusal::OtherSession) {
            let scheme = if self.demands_proofs { "DPoP" } else { "Bearer" };
            let scopes = Some(self.scopes.join(" ")).filter(|scopes| !scopes.is_empty());
            let metadata = format!("{}{PROTECTED_RESOURCE}{ENDPOINT}", origin(head));
            let parameters = [
                ("error", error.map(str::to_owned)),
                ("error_description", why.map(str::to_owned)),
                ("scope", scopes),
                ("resource_metadata", Some(metadata)),
            ];
            let given = parameters.into_iter().filter_map(|(name, value)| {
                // No parameter has a character that would have to be escaped, but for the quotes of code.
                Some(format!("{name}=\"{}\"", value?.replace('`', "'")))
            });
            let challenge = format!("{scheme} {}", given.collect::<Vec<_>>().join(", "));
            let challenge = HeaderValue::from_str(&challenge);
            answer.headers.extend(challenge.map(|value| (header::WWW_AUTHENTICATE, value)));
        }
        self.alteration.apply(head, &mut answer);
        answer.into_response()
    }
}

/// The credentials of a request.
struct Presented<'a> {
    scheme: &'a str,
    token: &'a str,
}

/// The credentials in `Authorization`, which must be the only ones.
fn presented(head: &Parts, accepts_query: bool) -> Result<Presented<'_>, Refusal> {
    let mut values = head.headers.get_all(header::AUTHORIZATION).iter();
    let value = match (values.next(), values.next()) {
        (Some(_), Some(_)) => return Err(Refusal::InvalidRequest("there are two tokens")),
        (Some(value), None) => value.to_str().unwrap_or_default(),
        (None, _) if accepts_query => {
            let query = head.uri.query().unwrap_or_default();
            // Neither is percent-encoded in a JWT, so that the text can be borrowed.
            let token = query.split('&').find_map(|pair| pair.strip_prefix("access_token="));
            let token = token.ok_or(Refusal::NoToken)?;
            return Ok(Presented { scheme: "Bearer", token });
        }
        (None, _) => return Err(Refusal::NoToken),
    };
    let query = Parameters::parse(head.uri.query().unwrap_or_default().as_bytes());
    if query.first("access_token").is_some() {
        return Err(Refusal::InvalidRequest("there are two tokens"));
    }
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    if !["bearer", "dpop"].contains(&scheme.to_ascii_lowercase().as_str()) {
        return Err(Refusal::NoToken);
    }
    match token.trim() {
        "" => Err(Refusal::InvalidRequest("no token follows the scheme")),
        token if token.contains(' ') => Err(Refusal::InvalidRequest("the token has a space")),
        token => Ok(Presented { scheme, token }),
    }
}

fn session(head: &Parts) -> Option<&str> {
    head.headers.get(spec::header::MCP_SESSION_ID)?.to_str().ok()
}

fn user(claims: &Value) -> String {
    claims.get("sub").and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl AccessControl for ResourceServer {
    fn refuse<'a>(&'a self, request: GuardedRequest<'a>) -> BoxFuture<'a, Option<Response>> {
        Box::pin(async move {
            let refusal = self.check(request).await.err()?;
            Some(self.challenge(request.head, &refusal))
        })
    }

    fn answer<'a>(&'a self, head: &'a Parts, _: Body) -> BoxFuture<'a, Option<Response>> {
        Box::pin(async move {
            let is_there = head.uri.path().strip_prefix(PROTECTED_RESOURCE) == Some(ENDPOINT);
            (head.method == Method::GET && is_there).then(|| {
                let mut answer = Answer::json(StatusCode::OK, self.metadata(&origin(head)));
                self.alteration.apply(head, &mut answer);
                answer.into_response()
            })
        })
    }

    fn opened(&self, head: &Parts, session: &str) {
        // The token was verified when the request was admitted.
        let token = presented(head, false).ok().and_then(|it| Jws::parse(it.token).ok());
        let claims = token.and_then(|token| token.unverified_claims().ok());
        if let Some(claims) = claims {
            let mut sessions = lock(&self.sessions);
            if sessions.len() == MOST_REMEMBERED {
                sessions.pop_front();
            }
            sessions.push_back((session.to_owned(), user(&claims)));
        }
    }
}

impl fmt::Debug for ResourceServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceServer").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}
