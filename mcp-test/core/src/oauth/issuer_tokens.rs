//! The tokens of an issuer of our own for tests of a protected server: good ones and bad ones.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::future::{BoxFuture, LocalBoxFuture};
use http::header::AUTHORIZATION;
use reqwest::Url;

use super::access_token;
use super::challenge::Challenge;
use super::dpop::{DPOP, ProvenRequest};
use super::grants::Grant;
use super::well_known::PROTECTED_RESOURCE;
use crate::clock::{self, Deadline};
use crate::jose::{JoseError, SigningKey};
use crate::json::{Object, Value};
use crate::transport::authorizer::{AuthorizedExchange, Authorizer};
use crate::transport::test_tokens::{BoundToken, Downstream, TestTokens, TokenKind};
use crate::transport::{Connection, HttpRequest};

/// How long each of the two questions to the server may take.
const TIME: Duration = Duration::from_secs(10);
/// How far in the past or in the future tokens are that are not valid now: more than any leeway for clocks.
const AN_HOUR: u64 = 3600;
/// The bytes of the longest name of a server that tokens are for.
const LONGEST_RESOURCE: usize = 2 * 1024;
/// How many scopes tokens have, and the bytes of the longest: every request has a token.
const MOST_SCOPES: usize = 50;
const LONGEST_SCOPE: usize = 256;
/// Where no server is (RFC 2606, section 2).
const ELSEWHERE: &str = "https://other.invalid";

/// Tokens for tests of a protected server, signed by a key that the server trusts.
pub struct IssuerTokens {
    issuer: String,
    key: Arc<SigningKey>,
    /// A key that the issuer does not have.
    unknown_key: SigningKey,
    /// The key that tokens are bound to.
    client_key: Arc<SigningKey>,
    demanded: OnceLock<Demanded>,
    /// The scopes of all tokens, whatever the server demands.
    scopes: Option<Vec<String>>,
    downstream: Option<Arc<dyn Downstream>>,
    /// The token of the ordinary requests, with the resource that it is for.
    user_token: Mutex<Option<(String, String)>>,
}

/// What the server demands of tokens.
#[derive(Debug, Default)]
struct Demanded {
    /// What it calls itself; its URL, if that is not known.
    resource: Option<String>,
    scopes: Vec<String>,
    /// Whether they must be bound to a key.
    is_bound: bool,
    /// Whether they may be.
    supports_proofs: bool,
}

impl IssuerTokens {
    /// The tokens of an issuer with this key.
    ///
    /// # Errors
    ///
    /// If the operating system has no random numbers.
    #[doc(hidden)]
    pub fn new(issuer: impl Into<String>, key: Arc<SigningKey>) -> Result<Self, JoseError> {
        Ok(Self {
            issuer: issuer.into(),
            key,
            unknown_key: SigningKey::es256()?,
            client_key: Arc::new(SigningKey::es256()?),
            demanded: OnceLock::new(),
            scopes: None,
            downstream: None,
            user_token: Mutex::default(),
        })
    }

    /// Has the server call this service.
    #[doc(hidden)]
    pub fn calling(mut self, downstream: Arc<dyn Downstream>) -> Self {
        self.downstream = Some(downstream);
        self
    }

    /// Tokens with these scopes, whatever the server says.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = String>) -> Self {
        self.scopes = Some(scopes.into_iter().collect());
        self
    }

    /// Tokens with these scopes, which are bound to a key or not, whatever the server says.
    #[cfg(any(test, feature = "suite"))]
    #[doc(hidden)]
    pub fn demanding(
        mut self,
        scopes: impl IntoIterator<Item = impl Into<String>>,
        is_bound: bool,
    ) -> Self {
        let scopes = scopes.into_iter().map(Into::into).collect();
        let demanded = Demanded { resource: None, scopes, is_bound, supports_proofs: is_bound };
        self.demanded = OnceLock::from(demanded);
        self
    }

    fn demanded(&self) -> &Demanded {
        self.demanded.get_or_init(Demanded::default)
    }

    /// The scopes of tokens.
    fn granted(&self) -> &[String] {
        self.scopes.as_ref().unwrap_or(&self.demanded().scopes)
    }

    /// What the server at a URL calls itself.
    fn resource(&self, url: &str) -> String {
        self.demanded().resource.clone().unwrap_or_else(|| without_query(url))
    }

    fn issue(&self, kind: TokenKind, url: &str, is_bound: bool) -> Option<String> {
        let subject = if kind == TokenKind::OtherUser { "other-user" } else { "user" };
        let grant = Grant {
            client: "mcp-test".to_owned(),
            subject: subject.to_owned(),
            scopes: self.granted().to_vec(),
            resources: vec![self.resource(url)],
            key: is_bound.then(|| self.client_key.public().thumbprint()),
        };
        let lifetime = access_token::LIFETIME;
        let mut claims = access_token::claims(&self.issuer, &grant, lifetime).ok()?;
        spoil(&mut claims, kind, url)?;
        let key = if kind == TokenKind::UnknownKey { &self.unknown_key } else { &*self.key };
        access_token::sign(key, &claims.into()).ok()
    }

    /// The token of the user, which is the same for all requests.
    fn user_token(&self, url: &str) -> Option<String> {
        let resource = self.resource(url);
        let mut kept = self.user_token.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((own, token)) = &*kept
            && *own == resource
        {
            return Some(token.clone());
        }
        let token = self.issue(TokenKind::User, url, self.demanded().is_bound)?;
        *kept = Some((resource, token.clone()));
        Some(token)
    }

    /// Asks the server what it demands: without a token, and then for its metadata.
    async fn ask(&self, url: &str, connection: &Connection) -> Option<Demanded> {
        // Without a message: a server that looks at tokens first does not miss it.
        let request = HttpRequest::post("{}")
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .anonymous();
        let refused = connection.http(request, Deadline::after(TIME)).await.ok()?;
        let challenge = Challenge::from_headers(&refused.headers).unwrap_or_default();
        let document = match metadata_path(&challenge, url) {
            None => None,
            Some(path) => {
                let request = HttpRequest::document(path);
                let response = connection.http(request, Deadline::after(TIME)).await;
                response.ok().filter(|response| response.status == 200).and_then(|it| it.json())
            }
        };
        let document = document.map_or(Value::Null, |document| document.value);
        let texts = |name: &str| -> Option<Vec<String>> {
            let texts = document.get(name)?.as_array()?;
            Some(texts.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        };
        let is_true = |name: &str| document.get(name).and_then(Value::as_bool) == Some(true);
        let resource = document.get("resource").and_then(Value::as_str);
        Some(Demanded {
            // A token for another host would show nothing about this one.
            resource: resource
                .filter(|it| it.len() <= LONGEST_RESOURCE && has_origin_of(it, url))
                .map(str::to_owned),
            scopes: bounded(
                challenge.scopes().or_else(|| texts("scopes_supported")).unwrap_or_default(),
            ),
            is_bound: is_true("dpop_bound_access_tokens_required"),
            supports_proofs: is_true("dpop_bound_access_tokens_required")
                || texts("dpop_signing_alg_values_supported").is_some_and(|it| !it.is_empty()),
        })
    }
}

/// Where the metadata of the server at a URL are: nothing is asked of another host.
fn metadata_path(challenge: &Challenge, url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    match challenge.get("resource_metadata") {
        Some(named) => {
            let named = Url::parse(named).ok().filter(|named| named.origin() == url.origin())?;
            Some(named.path().to_owned())
        }
        None => Some(format!("{PROTECTED_RESOURCE}{}", url.path().trim_end_matches('/'))),
    }
}

/// Those of the scopes that a server names which tokens can have.
fn bounded(scopes: Vec<String>) -> Vec<String> {
    scopes.into_iter().filter(|scope| scope.len() <= LONGEST_SCOPE).take(MOST_SCOPES).collect()
}

fn has_origin_of(resource: &str, url: &str) -> bool {
    let origin = |url: &str| Url::parse(url).map(|url| url.origin()).ok();
    origin(resource).is_some_and(|own| Some(own) == origin(url))
}

fn without_query(url: &str) -> String {
    url.split(['?', '#']).next().unwrap_or_default().to_owned()
}

/// Makes good claims those of a token of this kind.
fn spoil(claims: &mut Object, kind: TokenKind, url: &str) -> Option<()> {
    let now = clock::unix_time().as_secs();
    match kind {
        TokenKind::User | TokenKind::OtherUser | TokenKind::UnknownKey => {}
        TokenKind::Expired => {
            claims.insert("iat", now - 2 * AN_HOUR);
            claims.insert("exp", now - AN_HOUR);
        }
        TokenKind::NotYetValid => {
            claims.insert("nbf", now + AN_HOUR);
            claims.insert("exp", now + 2 * AN_HOUR);
        }
        TokenKind::OtherAudience => {
            claims.insert("aud", format!("{ELSEWHERE}/mcp"));
        }
        TokenKind::SiblingAudience => {
            let origin = Url::parse(url).ok()?.origin().ascii_serialization();
            claims.insert("aud", format!("{origin}/another-mcp-server"));
        }
        TokenKind::NoAudience => {
            claims.remove("aud");
        }
        TokenKind::OtherIssuer => {
            claims.insert("iss", ELSEWHERE);
        }
        TokenKind::NoScope => {
            claims.remove("scope");
        }
    }
    Some(())
}

impl Authorizer for IssuerTokens {
    fn headers(&self, method: &str, url: &str) -> Vec<(String, String)> {
        let token = self.user_token(url);
        token.map(|token| self.authorize(&token, method, url)).unwrap_or_default()
    }

    fn responded<'a>(&'a self, _: AuthorizedExchange<'a>) -> BoxFuture<'a, bool> {
        Box::pin(std::future::ready(false))
    }
}

impl TestTokens for IssuerTokens {
    fn prepare<'a>(&'a self, url: &'a str, connection: &'a Connection) -> LocalBoxFuture<'a, ()> {
        Box::pin(async move {
            if self.demanded.get().is_none()
                && let Some(demanded) = self.ask(url, connection).await
            {
                // Whoever was first has asked the same server.
                self.demanded.set(demanded).ok();
            }
        })
    }

    fn token(&self, kind: TokenKind, url: &str) -> Option<String> {
        match kind {
            TokenKind::User => self.user_token(url),
            TokenKind::NoScope if self.granted().is_empty() => None,
            _ => self.issue(kind, url, self.demanded().is_bound),
        }
    }

    fn bound_token(&self, url: &str) -> Option<BoundToken> {
        let text = self.issue(TokenKind::User, url, true)?;
        Some(BoundToken { text, key: Arc::clone(&self.client_key) })
    }

    fn authorize(&self, token: &str, method: &str, url: &str) -> Vec<(String, String)> {
        let is_bound = self.demanded().is_bound;
        let scheme = if is_bound { "DPoP" } else { "Bearer" };
        let mut headers = vec![(AUTHORIZATION.to_string(), format!("{scheme} {token}"))];
        if is_bound {
            let request = ProvenRequest { method, url, nonce: None, token: Some(token) };
            let proof = request.prove(&self.client_key).ok();
            headers.extend(proof.map(|proof| (DPOP.to_owned(), proof)));
        }
        headers
    }

    fn supports_proofs(&self) -> bool {
        self.demanded().supports_proofs
    }

    fn issuer(&self) -> Option<&str> {
        Some(&self.issuer)
    }

    fn downstream(&self) -> Option<Arc<dyn Downstream>> {
        self.downstream.clone()
    }
}

impl fmt::Debug for IssuerTokens {
    /// Without tokens.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IssuerTokens").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_cannot_make_tokens_large() {
        let named = ["x".repeat(LONGEST_SCOPE + 1), "first".to_owned()].into_iter();
        let scopes = bounded(named.chain((0..1_000).map(|number| number.to_string())).collect());
        assert_eq!((scopes.len(), scopes[0].as_str()), (MOST_SCOPES, "first"));
    }
}
