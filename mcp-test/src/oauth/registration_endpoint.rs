//! Registers clients (RFC 7591), whoever they are.

use super::client::{AuthenticationMethod, GrantType, OAuthClient};
use super::oauth_error::{ErrorCode, OAuthError};
use super::redirect_uri;
use super::server_state::ServerState;
use crate::clock;
use crate::jose::KeySet;
use crate::json::{Object, Value};
use crate::transport::generated_id::generate_id;

/// How many redirect URIs a client may have.
const MOST_REDIRECT_URIS: usize = 10;
/// The bytes of the largest set of keys.
const LARGEST_KEYS: usize = 8 * 1024;

/// What a client may say about itself and gets back as it is.
const DESCRIPTIONS: [&str; 8] = [
    "application_type",
    "client_name",
    "client_uri",
    "contacts",
    "logo_uri",
    "scope",
    "software_id",
    "software_version",
];

/// Registers the client that this document describes, and returns what it is registered with.
pub(super) fn register(server: &ServerState, body: &[u8]) -> Result<Value, OAuthError> {
    let refuse = |why| Err(ErrorCode::InvalidClientMetadata.because(why));
    let wanted = match Value::parse(body) {
        Ok(document) if document.value.is_object() => document.value,
        _ => return refuse("the body is not a JSON object"),
    };
    let method = match wanted.get("token_endpoint_auth_method").map(Value::as_str) {
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
        Some(named) => grant_types(named)?,
    };
    if method == AuthenticationMethod::None && grants.contains(&GrantType::ClientCredentials) {
        return refuse("client credentials are for clients with a secret");
    }
    if let Some(types) = wanted.get("response_types")
        && texts(types).as_deref() != Some(&["code"])
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
    let has_secret = matches!(method, AuthenticationMethod::Basic | AuthenticationMethod::Post);
    let secret = has_secret.then(generate_id);
    let client = OAuthClient {
        id: generate_id(),
        secret,
        keys,
        methods: vec![method],
        redirect_uris,
        grants,
    };
    let registered = document(&wanted, &client, method);
    server.clients().register(client);
    Ok(registered)
}

/// What the client is registered with (RFC 7591, section 3.2.1).
fn document(wanted: &Value, client: &OAuthClient, method: AuthenticationMethod) -> Value {
    let mut registered = Object::new();
    registered.insert("client_id", client.id.as_str());
    registered.insert("client_id_issued_at", clock::unix_time().as_secs());
    if let Some(secret) = &client.secret {
        registered.insert("client_secret", secret.as_str());
        // It does not expire.
        registered.insert("client_secret_expires_at", 0);
    }
    registered.insert("redirect_uris", client.redirect_uris.clone());
    let grants: Vec<&str> = client.grants.iter().map(|grant| grant.as_str()).collect();
    registered.insert("grant_types", grants);
    registered.insert("response_types", vec!["code"]);
    registered.insert("token_endpoint_auth_method", method.as_str());
    if method == AuthenticationMethod::PrivateKeyJwt {
        registered.insert("jwks", client.keys.to_value());
    }
    for name in DESCRIPTIONS {
        if let Some(value) = wanted.get(name) {
            registered.insert(name, value.clone());
        }
    }
    registered.into()
}

fn grant_types(named: &Value) -> Result<Vec<GrantType>, OAuthError> {
    let known = |name: &str| GrantType::ALL.into_iter().find(|grant| grant.as_str() == name);
    let grants = texts(named).and_then(|names| names.into_iter().map(known).collect());
    grants.ok_or(ErrorCode::InvalidClientMetadata.because("unsupported `grant_types`"))
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
