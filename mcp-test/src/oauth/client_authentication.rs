//! Which client sends a token request, and whether it is that client.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, header};

use super::client::{AuthenticationMethod, OAuthClient};
use super::client_registry::ClientRegistry;
use super::oauth_error::{ErrorCode, OAuthError};
use super::parameters::Parameters;

/// What a request says about its client.
struct Credentials {
    id: String,
    secret: Option<String>,
    method: AuthenticationMethod,
}

/// The client of a token request, authenticated by a method that is registered for it.
pub(super) fn authenticate<'a>(
    headers: &HeaderMap,
    form: &Parameters,
    clients: &'a ClientRegistry,
) -> Result<&'a OAuthClient, OAuthError> {
    let credentials = credentials(headers, form)?;
    let refuse = |why| Err(ErrorCode::InvalidClient.because(why));
    let Some(client) = clients.find(&credentials.id) else {
        return refuse("the client is unknown");
    };
    if !client.methods.contains(&credentials.method) {
        return refuse("the client is registered for another authentication method");
    }
    match client.secret == credentials.secret {
        true => Ok(client),
        false => refuse("the secret is wrong"),
    }
}

fn credentials(headers: &HeaderMap, form: &Parameters) -> Result<Credentials, OAuthError> {
    let (id, secret) = (form.one("client_id")?, form.one("client_secret")?);
    let refuse = |why| Err(ErrorCode::InvalidRequest.because(why));
    match (basic(headers)?, id, secret) {
        (Some(_), _, Some(_)) => refuse("the client authenticates in two ways"),
        (Some((named, _)), Some(id), None) if named != id => {
            refuse("the form and the header name two clients")
        }
        (Some((id, secret)), _, None) => {
            Ok(Credentials { id, secret: Some(secret), method: AuthenticationMethod::Basic })
        }
        (None, Some(id), secret) => {
            let method = match secret {
                Some(_) => AuthenticationMethod::Post,
                None => AuthenticationMethod::None,
            };
            Ok(Credentials { id: id.to_owned(), secret: secret.map(str::to_owned), method })
        }
        (None, None, _) => Err(ErrorCode::InvalidClient.because("the request names no client")),
    }
}

/// The id and the secret in `Authorization: Basic`.
fn basic(headers: &HeaderMap) -> Result<Option<(String, String)>, OAuthError> {
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
