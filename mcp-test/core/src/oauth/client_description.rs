//! What a client says about itself: to the registration endpoint (RFC 7591), or in its metadata document.

use super::client::{AuthenticationMethod, GrantType, OAuthClient};
use super::oauth_error::{ErrorCode, OAuthError};
use super::redirect_uri;
use crate::jose::KeySet;
use crate::json::Value;

/// How many redirect URIs a client may have.
const MOST_REDIRECT_URIS: usize = 10;
/// The bytes of the largest set of keys.
const LARGEST_KEYS: usize = 8 * 1024;

/// Where a client describes itself.
#[derive(Debug, Clone, Copy)]
pub(super) enum DescribedIn<'a> {
    /// In a registration, at a server with these grants.
    Registration(&'a [GrantType]),
    /// In a metadata document, which is for every server, so that it may have what this one does not know.
    Document,
}

/// The client that a metadata document describes, which has no secret.
pub(super) fn client_from_document(id: &str, document: &Value) -> Result<OAuthClient, OAuthError> {
    let (method, client) = describe(id.to_owned(), document, DescribedIn::Document)?;
    match method {
        AuthenticationMethod::None | AuthenticationMethod::PrivateKeyJwt => Ok(client),
        AuthenticationMethod::Basic | AuthenticationMethod::Post => {
            let why = "a client with a metadata document has no secret to authenticate with";
            Err(ErrorCode::InvalidClientMetadata.because(why))
        }
    }
}

/// The client with this description, without a secret, and how it authenticates.
pub(super) fn describe(
    id: String,
    wanted: &Value,
    place: DescribedIn<'_>,
) -> Result<(AuthenticationMethod, OAuthClient), OAuthError> {
    let refuse = |why| Err(ErrorCode::InvalidClientMetadata.because(why));
    let method = match wanted.get("token_endpoint_auth_method").map(Value::as_str) {
        None if matches!(place, DescribedIn::Document) => AuthenticationMethod::None,
        None => AuthenticationMethod::Basic,
        Some(named) => {
            let mut known = AuthenticationMethod::ALL.into_iter();
            match known.find(|method| Some(method.as_str()) == named) {
                Some(method) => method,
                None => return refuse("unsupported `token_endpoint_auth_method`"),
            }
        }
    };
    let grants = match wanted.get("grant_types") {
        None => vec![GrantType::AuthorizationCode],
        Some(named) => grant_types(named, place)?,
    };
    let needs_secret =
        |grant: &GrantType| matches!(grant, GrantType::ClientCredentials | GrantType::JwtBearer);
    if method == AuthenticationMethod::None && grants.iter().any(needs_secret) {
        return refuse("client credentials and assertions are for clients with a secret");
    }
    if let Some(types) = wanted.get("response_types")
        && !has_code(types, place)
    {
        return refuse("unsupported `response_types`");
    }
    let redirect_uris = redirect_uris(wanted.get("redirect_uris"))?;
    if redirect_uris.is_empty() && grants.contains(&GrantType::AuthorizationCode) {
        return Err(ErrorCode::InvalidRedirectUri.because("`redirect_uris` is missing or empty"));
    }
    let keys = match method {
        AuthenticationMethod::PrivateKeyJwt => keys(wanted.get("jwks"))?,
        _ => KeySet::default(),
    };
    let methods = vec![method];
    Ok((method, OAuthClient { id, secret: None, keys, methods, redirect_uris, grants }))
}

fn grant_types(named: &Value, place: DescribedIn<'_>) -> Result<Vec<GrantType>, OAuthError> {
    let why = ErrorCode::InvalidClientMetadata.because("unsupported `grant_types`");
    let names = texts(named).ok_or(why)?;
    let known = match place {
        DescribedIn::Registration(known) => known,
        DescribedIn::Document => &GrantType::ALL,
    };
    let find = |name: &str| known.iter().copied().find(|grant| grant.as_str() == name);
    match place {
        DescribedIn::Registration(_) => {
            names.into_iter().map(find).collect::<Option<_>>().ok_or(why)
        }
        DescribedIn::Document => Ok(names.into_iter().filter_map(find).collect()),
    }
}

/// Whether the response types are those of the server, or have them.
fn has_code(types: &Value, place: DescribedIn<'_>) -> bool {
    let types = texts(types).unwrap_or_default();
    match place {
        DescribedIn::Registration(_) => types == ["code"],
        DescribedIn::Document => types.contains(&"code"),
    }
}

/// The keys of a client that authenticates with one. Only as a value: nothing that a client names is fetched.
fn keys(named: Option<&Value>) -> Result<KeySet, OAuthError> {
    let refuse = |why| Err(ErrorCode::InvalidClientMetadata.because(why));
    match named {
        None => refuse("`private_key_jwt` requires `jwks`"),
        Some(named) if named.to_string().len() > LARGEST_KEYS => refuse("`jwks` is too large"),
        Some(named) => KeySet::read(named)
            .map_err(|_| ErrorCode::InvalidClientMetadata.because("`jwks` has a wrong key")),
    }
}

fn redirect_uris(named: Option<&Value>) -> Result<Vec<String>, OAuthError> {
    let Some(named) = named else { return Ok(Vec::new()) };
    let refuse = |why| Err(ErrorCode::InvalidRedirectUri.because(why));
    match texts(named) {
        None => refuse("`redirect_uris` is not an array of strings"),
        Some(uris) if uris.len() > MOST_REDIRECT_URIS => refuse("too many redirect URIs"),
        Some(uris) if !uris.iter().all(|uri| redirect_uri::may_be_registered(uri)) => refuse(
            "redirect URIs must be `https`, or `http` to this machine, short, without a fragment",
        ),
        Some(uris) => Ok(uris.into_iter().map(str::to_owned).collect()),
    }
}

/// The strings of an array of strings.
fn texts(value: &Value) -> Option<Vec<&str>> {
    value.as_array()?.iter().map(Value::as_str).collect()
}
