//! Access tokens: signed claims (RFC 9068), which a protected server verifies by itself.

use std::time::Duration;

use super::grants::Grant;
use super::oauth_error::{ErrorCode, OAuthError};
use crate::clock;
use crate::jose::{JoseError, SigningKey};
use crate::json::{Object, Value};
use crate::transport::generated_id::generate_id;

/// How long an access token is valid.
pub(super) const LIFETIME: Duration = Duration::from_secs(3600);

/// Signs an access token for what was granted, bound to the key with a thumbprint if there is one (RFC 9449, section 6.1).
pub(super) fn issue(
    key: &SigningKey,
    issuer: &str,
    grant: &Grant,
    bound_to: Option<&str>,
) -> Result<String, OAuthError> {
    let token = sign(key, issuer, grant, bound_to);
    token.map_err(|_| ErrorCode::ServerError.because("the token cannot be signed"))
}

/// As [`issue`], outside of a request.
pub(super) fn sign(
    key: &SigningKey,
    issuer: &str,
    grant: &Grant,
    bound_to: Option<&str>,
) -> Result<String, JoseError> {
    let now = clock::unix_time().as_secs();
    let mut claims = Object::new();
    claims.insert("iss", issuer);
    claims.insert("sub", grant.subject.as_str());
    claims.insert("aud", audience(issuer, &grant.resources));
    claims.insert("client_id", grant.client.as_str());
    claims.insert("iat", now);
    claims.insert("exp", now + LIFETIME.as_secs());
    claims.insert("jti", generate_id());
    if !grant.scopes.is_empty() {
        claims.insert("scope", grant.scopes.join(" "));
    }
    if let Some(thumbprint) = bound_to {
        let key: Object = [("jkt", thumbprint)].into_iter().collect();
        claims.insert("cnf", key);
    }
    key.sign("at+jwt", &claims.into())
}

/// Whom the token is for. A token for no resource is for the authorization server, so that no protected server accepts it.
fn audience(issuer: &str, resources: &[String]) -> Value {
    match resources {
        [] => issuer.into(),
        [resource] => resource.as_str().into(),
        several => several.iter().map(String::as_str).collect(),
    }
}
