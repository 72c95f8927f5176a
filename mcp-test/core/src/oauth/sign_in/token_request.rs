//! Requests for tokens, by every grant of a client.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use form_urlencoded::byte_serialize;

use super::consent::Code;
use super::discovery::ServerMetadata;
use super::fetch::{object, send};
use super::{ClientGrant, RegisteredClient, Settings, SignInError};
use crate::clock::{self, Deadline};
use crate::jose::SigningKey;
use crate::json::{Object, Value};
use crate::oauth::dpop::{DPOP_NONCE, ProvenRequest, USE_DPOP_NONCE};
use crate::oauth::random_id::random_text;
use crate::transport::fault::change_parameters;
use crate::transport::{HttpRequest, Misbehavior, PlainResponse};

const WHAT: &str = "the token endpoint";
const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const CLIENT_ASSERTION: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";
/// How long an assertion of the client is valid.
const ASSERTION_LIFETIME: Duration = Duration::from_secs(60);

/// An access token.
pub(super) struct Token {
    pub(super) text: String,
    /// Whether it is bound to the key of the client.
    pub(super) is_bound: bool,
    /// What gets another one.
    pub(super) refresh: Option<String>,
    /// When it expires, if the server has said so.
    pub(super) expires: Option<Deadline>,
}

/// What a token is requested with.
pub(super) struct TokenRequest<'a> {
    pub(super) server: &'a ServerMetadata,
    pub(super) client: &'a RegisteredClient,
    pub(super) resource: Option<&'a str>,
    pub(super) scopes: &'a [String],
    pub(super) settings: &'a Settings,
    /// The key that the token is to be bound to.
    pub(super) key: Option<&'a SigningKey>,
}

type Form = Vec<(String, String)>;

fn form<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Form {
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

impl TokenRequest<'_> {
    /// Redeems a code.
    pub(super) async fn redeem(&self, code: &Code) -> Result<Token, SignInError> {
        let pairs = form([
            ("grant_type", "authorization_code"),
            ("code", &code.text),
            ("redirect_uri", &code.redirect_uri),
            ("code_verifier", &code.verifier),
        ]);
        self.send("token", pairs).await
    }

    /// Redeems a refresh token, for the scopes that were granted before.
    pub(super) async fn refresh(&self, refresh_token: &str) -> Result<Token, SignInError> {
        let pairs = form([("grant_type", "refresh_token"), ("refresh_token", refresh_token)]);
        self.send("refresh", pairs).await
    }

    /// Gets a token without a user.
    pub(super) async fn without_user(&self) -> Result<Token, SignInError> {
        let mut pairs = match &self.settings.grant {
            ClientGrant::UserConsent | ClientGrant::ClientCredentials { .. } => {
                form([("grant_type", "client_credentials")])
            }
            ClientGrant::Assertion(assertion) => {
                form([("grant_type", JWT_BEARER), ("assertion", assertion)])
            }
            ClientGrant::IdentityProvider { token_endpoint, client_id, id_token } => {
                let assertion = self.exchange(token_endpoint, client_id, id_token).await?;
                if self.settings.misbehaves(Misbehavior::SendsAssertion) {
                    return Ok(Token {
                        text: assertion,
                        is_bound: false,
                        refresh: None,
                        expires: None,
                    });
                }
                form([("grant_type", JWT_BEARER), ("assertion", &assertion)])
            }
        };
        if !self.scopes.is_empty() {
            pairs.push(("scope".to_owned(), self.scopes.join(" ")));
        }
        self.send("token", pairs).await
    }

    /// Exchanges the id token of the user for an assertion (RFC 8693).
    async fn exchange(
        &self,
        endpoint: &str,
        client_id: &str,
        id_token: &str,
    ) -> Result<String, SignInError> {
        let mut pairs = form([
            ("grant_type", TOKEN_EXCHANGE),
            ("requested_token_type", ID_JAG),
            ("audience", &self.server.issuer),
            ("subject_token", id_token),
            ("subject_token_type", ID_TOKEN),
            ("client_id", client_id),
        ]);
        pairs.extend(self.resource.map(|resource| ("resource".to_owned(), resource.to_owned())));
        change_parameters(&self.settings.faults, "exchange", &mut pairs);
        let response = send(WHAT, endpoint, &post(&pairs, Vec::new()), self.settings).await?;
        self.token(endpoint, &response).map(|token| token.text)
    }

    /// Sends a request, which faults call by this name.
    async fn send(&self, name: &str, mut pairs: Form) -> Result<Token, SignInError> {
        let endpoint = self.server.token_endpoint.as_deref();
        let endpoint = endpoint.ok_or(SignInError::NoEndpoint("token_endpoint"))?;
        pairs.extend(self.resource.map(|resource| ("resource".to_owned(), resource.to_owned())));
        let mut headers = Vec::new();
        self.authenticate(&mut pairs, &mut headers)?;
        change_parameters(&self.settings.faults, name, &mut pairs);
        let mut response = self.prove_and_send(endpoint, &pairs, &headers, None).await?;
        if let Some(nonce) = demanded_nonce(&response)
            && !self.settings.misbehaves(Misbehavior::IgnoresNonce)
        {
            response = self.prove_and_send(endpoint, &pairs, &headers, Some(&nonce)).await?;
        }
        let is_refused = response.status != 200;
        if is_refused && self.settings.misbehaves(Misbehavior::ChangesGrant) {
            pairs.retain(|(name, _)| name != "grant_type");
            pairs.extend(form([("grant_type", "client_credentials")]));
            response = self.prove_and_send(endpoint, &pairs, &headers, None).await?;
        } else if is_refused && self.settings.misbehaves(Misbehavior::RetriesGrant) {
            response = self.prove_and_send(endpoint, &pairs, &headers, None).await?;
        }
        self.token(endpoint, &response)
    }

    /// The token in a response.
    fn token(&self, url: &str, response: &PlainResponse) -> Result<Token, SignInError> {
        let document = object(WHAT, url, response)?;
        let text = |name: &str| document.get(name).and_then(Value::as_str).map(str::to_owned);
        // Also those that are not used: the server may repeat them elsewhere.
        let secrets = ["access_token", "refresh_token", "id_token"].into_iter().filter_map(text);
        secrets.for_each(|secret| self.settings.learn(&secret));
        if response.status != 200 {
            let (status, error) = (response.status, text("error"));
            return Err(SignInError::Status { what: WHAT, url: url.to_owned(), status, error });
        }
        let seconds = document.get("expires_in").and_then(Value::as_u64);
        Ok(Token {
            text: text("access_token").ok_or(SignInError::NoToken)?,
            is_bound: text("token_type").is_some_and(|kind| kind.eq_ignore_ascii_case("dpop")),
            refresh: text("refresh_token"),
            expires: seconds.map(|seconds| Deadline::after(Duration::from_secs(seconds))),
        })
    }

    async fn prove_and_send(
        &self,
        endpoint: &str,
        pairs: &Form,
        headers: &Form,
        nonce: Option<&str>,
    ) -> Result<PlainResponse, SignInError> {
        let mut headers = headers.clone();
        if let Some(key) = self.key {
            let proven = ProvenRequest { method: "POST", url: endpoint, nonce, token: None };
            headers.push(("DPoP".to_owned(), proven.prove(key)?));
        }
        send(WHAT, endpoint, &post(pairs, headers), self.settings).await
    }

    /// Adds what the client authenticates with.
    fn authenticate(&self, pairs: &mut Form, headers: &mut Form) -> Result<(), SignInError> {
        let RegisteredClient { id, secret, .. } = self.client;
        if let ClientGrant::ClientCredentials { key: Some(key) } = &self.settings.grant {
            let assertion = self.assertion(key, id)?;
            pairs.extend(form([
                ("client_id", id.as_str()),
                ("client_assertion_type", CLIENT_ASSERTION),
                ("client_assertion", assertion.as_str()),
            ]));
            return Ok(());
        }
        match (self.method()?, secret) {
            ("client_secret_basic", Some(secret)) => {
                // As in a form, each by itself (RFC 6749, section 2.3.1).
                let [id, secret] =
                    [id, secret].map(|it| byte_serialize(it.as_bytes()).collect::<String>());
                let pair = STANDARD.encode(format!("{id}:{secret}"));
                headers.push(("Authorization".to_owned(), format!("Basic {pair}")));
            }
            ("client_secret_post", Some(secret)) => {
                pairs.extend(form([("client_id", id.as_str()), ("client_secret", secret)]));
            }
            _ => pairs.extend(form([("client_id", id.as_str())])),
        }
        Ok(())
    }

    /// An assertion by which the client authenticates (RFC 7523).
    fn assertion(&self, key: &SigningKey, id: &str) -> Result<String, SignInError> {
        let now = clock::unix_time();
        let (issued, expiry) = (now.as_secs(), (now + ASSERTION_LIFETIME).as_secs());
        let mut claims = form([
            ("iss", id),
            ("sub", id),
            ("aud", &self.server.issuer),
            ("iat", &issued.to_string()),
            ("exp", &expiry.to_string()),
            ("jti", &random_text()?),
        ]);
        change_parameters(&self.settings.faults, "assertion", &mut claims);
        let mut object = Object::new();
        for (name, text) in claims {
            match (name.as_str(), text.parse::<u64>()) {
                ("iat" | "exp", Ok(time)) => object.insert(name, time),
                _ => object.insert(name, text),
            };
        }
        Ok(key.sign("JWT", &object.into())?)
    }

    /// How the client authenticates: as it is registered, or as the server likes it.
    fn method(&self) -> Result<&str, SignInError> {
        let known: &[&str] = match self.client.secret {
            // A person would not have given a secret that is not needed.
            Some(_) if self.settings.person().is_some() && self.settings.registered.is_some() => {
                &["client_secret_basic", "client_secret_post"]
            }
            // A server that wants none may have issued a secret nevertheless.
            Some(_) => &["client_secret_basic", "client_secret_post", "none"],
            None => &["none"],
        };
        let registered = self.client.method.as_deref();
        let supported = self.server.methods.iter().map(String::as_str);
        let method = match registered.into_iter().chain(supported).find(|it| known.contains(it)) {
            Some(method) => method,
            // Without a list, RFC 8414 has clients assume `client_secret_basic`.
            None if self.server.methods.is_empty() => known[0],
            None => return Err(SignInError::NoMethod),
        };
        Ok(match (self.settings.misbehaves(Misbehavior::OtherAuthMethod), method) {
            (true, "client_secret_basic") => "client_secret_post",
            (true, "client_secret_post") => "client_secret_basic",
            (_, method) => method,
        })
    }
}

fn post(pairs: &Form, headers: Form) -> HttpRequest {
    let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    let request = HttpRequest { body: body.into(), headers, ..HttpRequest::new("POST") };
    request
        .header("Content-Type", "application/x-www-form-urlencoded")
        .header("Accept", "application/json")
}

/// The nonce that a refusal demands (RFC 9449, section 8).
fn demanded_nonce(response: &PlainResponse) -> Option<String> {
    let document = Value::parse(&response.body).ok()?.value;
    let is_demanded = document.get("error").and_then(Value::as_str) == Some(USE_DPOP_NONCE);
    let nonce = response.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(DPOP_NONCE));
    nonce.filter(|_| is_demanded).map(|(_, value)| value.clone())
}
