//! Tokens for what an identity provider asserts (RFC 7523), as MCP has them for organizations: identity assertion JWT
//! authorization grants (ID-JAG).
//!
//! <https://github.com/modelcontextprotocol/ext-auth>

use std::time::Duration;

use super::client::OAuthClient;
use super::grants::Grant;
use super::oauth_error::{ErrorCode, OAuthError};
use super::parameters::Parameters;
use super::server_state::ServerState;
use super::{resource, scope};
use crate::jose::{Jws, check_times};
use crate::json::Value;

/// The type of such an assertion.
const TYPE: &str = "oauth-id-jag+jwt";
/// How far the clock of an identity provider may differ.
const LEEWAY: Duration = Duration::from_secs(30);
/// The bytes of the longest id of an assertion, and of the longest subject.
const LONGEST_TEXT: usize = 256;

/// What the assertion in a token request of this client grants.
pub(super) fn granted(
    server: &ServerState,
    client: &OAuthClient,
    form: &Parameters,
) -> Result<Grant, OAuthError> {
    let text = form.required("assertion", "`assertion` is required")?;
    let refuse = |why| ErrorCode::InvalidGrant.because(why);
    let token = Jws::parse(text).map_err(|_| refuse("the assertion is not a JWT"))?;
    if text_of(token.header(), "typ") != Some(TYPE) {
        return Err(refuse("`typ` of the assertion is not `oauth-id-jag+jwt`"));
    }
    let unverified = token.unverified_claims();
    let issuer = unverified.as_ref().ok().and_then(|claims| text_of(claims, "iss"));
    let issuer = server.trusted_issuers.iter().find(|known| issuer == Some(&known.issuer));
    let issuer = issuer.ok_or(refuse("the issuer of the assertion is not trusted"))?;
    let verified = issuer.keys.key_of(&token).and_then(|key| token.verify(key));
    let claims = verified.map_err(|_| refuse("the assertion is not signed by its issuer"))?;
    if text_of(&claims, "aud") != Some(server.issuer.as_str()) {
        return Err(refuse("the assertion is for another authorization server"));
    }
    if text_of(&claims, "client_id") != Some(client.id.as_str()) {
        return Err(refuse("the assertion was issued to another client"));
    }
    check_times(&claims, LEEWAY)
        .map_err(|_| refuse("the assertion has expired, is not valid yet, or has no `exp`"))?;
    let short = |name| text_of(&claims, name).filter(|text| text.len() <= LONGEST_TEXT);
    let subject = short("sub").ok_or(refuse("the assertion has no `sub`, or a long one"))?;
    let id = short("jti").ok_or(refuse("the assertion has no `jti`, or a long one"))?;
    let scopes = scope::asserted(form, text_of(&claims, "scope"), &server.scopes)?;
    let resources = resource::asserted(form, text_of(&claims, "resource"))?;
    // Last, so that a request that is refused does not cost the client its assertion.
    let used = server.used_assertions().add(&issuer.issuer, id);
    used.map_err(|_| refuse("the assertion was used before"))?;
    let (client, subject) = (client.id.clone(), subject.to_owned());
    Ok(Grant { client, subject, scopes, resources, key: None })
}

fn text_of<'a>(claims: &'a Value, name: &str) -> Option<&'a str> {
    claims.get(name).and_then(Value::as_str)
}
