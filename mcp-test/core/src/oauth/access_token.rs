//! Access tokens: signed claims (RFC 9068), which a protected server verifies by itself.

use std::time::Duration;

use super::grants::Grant;
use super::oauth_error::{ErrorCode, OAuthError};
use super::random_id::random_id;
use crate::clock;
use crate::jose::{JoseError, SigningKey};
use crate::json::{Object, Value};

/// How long an access token is valid, unless the server was built otherwise.
pub(super) const LIFETIME: Duration = Duration::from_secs(3600);

/// Signs an access token for what was granted, bound to its key if there is one (RFC 9449, section 6.1).
pub(super) fn issue(
    key: &SigningKey,
    issuer: &str,
    grant: &Grant,
    lifetime: Duration,
) -> Result<String, OAuthError> {
    sign(key, &claims(issuer, grant, lifetime)?.into())
        .map_err(|_| ErrorCode::ServerError.because("the token cannot be signed"))
}

/// Signs the claims of an access token.
pub(super) fn sign(key: &SigningKey, claims: &Value) -> Result<String, JoseError> {
    key.sign("at+jwt", claims)
}

/// The claims of an access token for what was granted.
pub(super) fn claims(
    issuer: &str,
    grant: &Grant,
    lifetime: Duration,
) -> Result<Object, OAuthError> {
    let now = clock::unix_time().as_secs();
    let mut claims = Object::new();
    claims.insert("iss", issuer);
    claims.insert("sub", grant.subject.as_str());
    claims.insert("aud", audience(issuer, &grant.resources));
    claims.insert("client_id", grant.client.as_str());
    claims.insert("iat", now);
    claims.insert("exp", now + lifetime.as_secs());
    claims.insert("jti", random_id()?);
    if !grant.scopes.is_empty() {
        claims.insert("scope", grant.scopes.join(" "));
    }
    if let Some(thumbprint) = &grant.key {
        let key: Object = [("jkt", thumbprint.as_str())].into_iter().collect();
        claims.insert("cnf", key);
    }
    Ok(claims)
}

/// Whom the token is for. A token for no resource is for the authorization server, so that no protected server accepts it.
fn audience(issuer: &str, resources: &[String]) -> Value {
    match resources {
        [] => issuer.into(),
        [resource] => resource.as_str().into(),
        several => several.iter().map(String::as_str).collect(),
    }
}
