//! The authorization server as the identity provider of an organization: it says who has signed in (`id_token`), and
//! exchanges that for an assertion that another authorization server redeems (RFC 8693, ID-JAG).
//!
//! <https://github.com/modelcontextprotocol/ext-auth>

use std::time::Duration;

use reqwest::Url;

use super::client::OAuthClient;
use super::grants::Grant;
use super::oauth_error::{ErrorCode, OAuthError};
use super::parameters::Parameters;
use super::random_id::random_id;
use super::resource;
use super::server_state::ServerState;
use crate::clock;
use crate::jose::{Jws, check_times};
use crate::json::{Object, Value};

/// The scope by which a client asks who has signed in.
pub(super) const OPENID: &str = "openid";

const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";
/// How long an assertion can be redeemed: a client does so at once.
const ASSERTION_LIFETIME: Duration = Duration::from_secs(300);
/// How far clocks may differ.
const LEEWAY: Duration = Duration::from_secs(30);
/// The bytes of the longest audience, and of the longest list of scopes.
const LONGEST_TEXT: usize = 1024;

/// The token that says who has signed in, if the client has asked for it.
pub(super) fn id_token(server: &ServerState, grant: &Grant) -> Result<Option<String>, OAuthError> {
    if !server.is_identity_provider || !grant.scopes.iter().any(|scope| scope == OPENID) {
        return Ok(None);
    }
    let mut claims = claims(server, &grant.subject, server.access_token_lifetime);
    claims.insert("aud", grant.client.as_str());
    sign(server, "JWT", claims).map(Some)
}

/// Exchanges the token that says who has signed in for an assertion.
pub(super) fn exchange(
    server: &ServerState,
    client: &OAuthClient,
    form: &Parameters,
) -> Result<Value, OAuthError> {
    let invalid = |why| ErrorCode::InvalidRequest.because(why);
    if form.one("requested_token_type")? != Some(ID_JAG) {
        return Err(invalid("`requested_token_type` must be the one of ID-JAG"));
    }
    if form.one("subject_token_type")? != Some(ID_TOKEN) {
        return Err(invalid("`subject_token_type` must be the one of `id_token`"));
    }
    let subject_token = form.required("subject_token", "`subject_token` is required")?;
    let subject = subject(server, client, subject_token)?;
    let audience = form.required("audience", "`audience` is required")?;
    if audience.len() > LONGEST_TEXT || Url::parse(audience).is_err() {
        return Err(ErrorCode::InvalidTarget.because("`audience` must be an issuer"));
    }
    let mut claims = claims(server, &subject, ASSERTION_LIFETIME);
    claims.insert("aud", audience);
    claims.insert("client_id", client.id.as_str());
    claims.insert("jti", random_id()?);
    match resource::requested_resources(form)?.as_slice() {
        [] => {}
        [resource] => drop(claims.insert("resource", resource.as_str())),
        _ => return Err(ErrorCode::InvalidTarget.because("an assertion is for one resource")),
    }
    let mut response = Object::new();
    if let Some(scope) = form.one("scope")?.filter(|scope| scope.len() <= LONGEST_TEXT) {
        claims.insert("scope", scope);
        response.insert("scope", scope);
    }
    response.insert("issued_token_type", ID_JAG);
    response.insert("access_token", sign(server, "oauth-id-jag+jwt", claims)?);
    // It is not an access token, whatever the member is called (RFC 8693, section 2.2.1).
    response.insert("token_type", "N_A");
    response.insert("expires_in", ASSERTION_LIFETIME.as_secs());
    Ok(response.into())
}

/// Who has signed in at this client, by a token of this server.
fn subject(server: &ServerState, client: &OAuthClient, token: &str) -> Result<String, OAuthError> {
    let refuse = |why| ErrorCode::InvalidGrant.because(why);
    let verified = Jws::parse(token).and_then(|token| token.verify(server.key.public()));
    let claims = verified.map_err(|_| refuse("the subject token is not one of this server"))?;
    let text = |name: &str| claims.get(name).and_then(Value::as_str);
    if text("iss") != Some(&server.issuer) || text("aud") != Some(&client.id) {
        return Err(refuse("the subject token was issued to another client"));
    }
    check_times(&claims, LEEWAY).map_err(|_| refuse("the subject token has expired"))?;
    text("sub").map(str::to_owned).ok_or(refuse("the subject token has no `sub`"))
}

/// The claims of every token about this user.
fn claims(server: &ServerState, subject: &str, lifetime: Duration) -> Object {
    let now = clock::unix_time().as_secs();
    let mut claims = Object::new();
    claims.insert("iss", server.issuer.as_str());
    claims.insert("sub", subject);
    claims.insert("iat", now);
    claims.insert("exp", now + lifetime.as_secs());
    claims
}

fn sign(server: &ServerState, kind: &str, claims: Object) -> Result<String, OAuthError> {
    let signed = server.key.sign(kind, &claims.into());
    signed.map_err(|_| ErrorCode::ServerError.because("the token cannot be signed"))
}
