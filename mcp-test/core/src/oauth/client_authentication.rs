//! Which client sends a token request, and whether it is that client.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, header};

use super::client::{AuthenticationMethod, OAuthClient};
use super::client_assertion::ClientAssertion;
use super::oauth_error::{ErrorCode, OAuthError};
use super::parameters::Parameters;
use super::server_state::ServerState;

/// What a request says about its client.
struct Credentials {
    id: String,
    proof: Proof,
}

/// By what a client shows that it is the one.
enum Proof {
    Nothing,
    Basic(String),
    Post(String),
    Assertion(ClientAssertion),
}

/// The client of a token request, authenticated by a method that is registered for it.
pub(super) async fn authenticate(
    server: &ServerState,
    headers: &HeaderMap,
    form: &Parameters,
) -> Result<OAuthClient, OAuthError> {
    let Credentials { id, proof } = credentials(headers, form)?;
    let refuse = |why| Err(ErrorCode::InvalidClient.because(why));
    let client = server.client(&id).await;
    let client = client.map_err(|why| ErrorCode::InvalidClient.because(why))?;
    if !client.methods.contains(&proof.method()) {
        return refuse("the client is registered for another authentication method");
    }
    match proof {
        Proof::Nothing => Ok(client),
        Proof::Basic(secret) | Proof::Post(secret) => match client.secret.as_ref() == Some(&secret)
        {
            true => Ok(client),
            false => refuse("the secret is wrong"),
        },
        Proof::Assertion(assertion) => {
            assertion.verify(&client, &server.issuer, &mut server.used_assertions())?;
            Ok(client)
        }
    }
}

fn credentials(headers: &HeaderMap, form: &Parameters) -> Result<Credentials, OAuthError> {
    let (id, secret) = (form.one("client_id")?, form.one("client_secret")?);
    let refuse = |why| Err(ErrorCode::InvalidRequest.because(why));
    let (named, proof) = match (basic(headers)?, secret, ClientAssertion::from_form(form)?) {
        (None, None, None) => (None, Proof::Nothing),
        (None, Some(secret), None) => (None, Proof::Post(secret.to_owned())),
        (Some((id, secret)), None, None) => (Some(id), Proof::Basic(secret)),
        (None, None, Some(assertion)) => {
            (Some(assertion.client.clone()), Proof::Assertion(assertion))
        }
        _ => return refuse("the client authenticates in two ways"),
    };
    match (named, id) {
        (Some(named), Some(id)) if named != id => refuse("the request names two clients"),
        (Some(id), _) => Ok(Credentials { id, proof }),
        (None, Some(id)) => Ok(Credentials { id: id.to_owned(), proof }),
        (None, None) => Err(ErrorCode::InvalidClient.because("the request names no client")),
    }
}

impl Proof {
    const fn method(&self) -> AuthenticationMethod {
        match self {
            Self::Nothing => AuthenticationMethod::None,
            Self::Basic(_) => AuthenticationMethod::Basic,
            Self::Post(_) => AuthenticationMethod::Post,
            Self::Assertion(_) => AuthenticationMethod::PrivateKeyJwt,
        }
    }
}

/// The id and the secret in `Authorization: Basic`.
pub(super) fn basic(headers: &HeaderMap) -> Result<Option<(String, String)>, OAuthError> {
    let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(None) };
    let pair = value.to_str().ok().and_then(|value| {
        let (scheme, encoded) = value.split_once(' ')?;
        let text = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
        let (id, secret) = text.split_once(':')?;
        scheme.eq_ignore_ascii_case("basic").then(|| (form_decoded(id), form_decoded(secret)))
    });
    let why = "`Authorization` is not of the form `Basic` with an id and a secret";
    pair.map(Some).ok_or(ErrorCode::InvalidClient.because(why))
}

/// Both are encoded as in a form before they become a user and a password (RFC 6749, section 2.3.1).
fn form_decoded(text: &str) -> String {
    // As the value of a parameter, in which `&` and `=` stand for themselves only when they are encoded.
    let encoded = text.replace('&', "%26").replace('=', "%3D");
    let mut pairs = form_urlencoded::parse(encoded.as_bytes());
    pairs.next().map(|(name, _)| name.into_owned()).unwrap_or_default()
}
