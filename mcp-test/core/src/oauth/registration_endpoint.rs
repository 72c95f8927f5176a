//! Registers clients (RFC 7591), whoever they are.

use super::client::{AuthenticationMethod, GrantType, OAuthClient};
use super::client_description::{DescribedIn, describe};
use super::oauth_error::{ErrorCode, OAuthError};
use super::random_id::random_id;
use super::server_state::ServerState;
use crate::clock;
use crate::json::{Object, Value};

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
    let grants: Vec<GrantType> = server.grant_types().collect();
    let (method, client) = describe(random_id()?, &wanted, DescribedIn::Registration(&grants))?;
    let has_secret = matches!(method, AuthenticationMethod::Basic | AuthenticationMethod::Post);
    let secret = has_secret.then(random_id).transpose()?;
    let client = OAuthClient { secret, ..client };
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
