//! The token endpoint: exchanges codes, refresh tokens and client credentials for access tokens.

use http::HeaderMap;

use super::access_token;
use super::client::{GrantType, OAuthClient};
use super::client_authentication::authenticate;
use super::grants::{Grant, GrantId};
use super::oauth_error::{ErrorCode, OAuthError};
use super::parameters::Parameters;
use super::server_state::ServerState;
use super::{resource, scope};
use crate::json::{Object, Value};
use crate::transport::generated_id::generate_id;

/// Answers a token request.
pub(super) fn exchange(
    server: &ServerState,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<Value, OAuthError> {
    let form = Parameters::parse(body);
    let client = authenticate(server, headers, &form)?;
    let named = form.required("grant_type", "`grant_type` is required")?;
    let unsupported = ErrorCode::UnsupportedGrantType.because("the server has no such grant");
    let Some(grant_type) = GrantType::ALL.into_iter().find(|known| known.as_str() == named) else {
        return Err(unsupported);
    };
    if !client.may_use(grant_type) {
        let why = "the client is not registered for this grant";
        return Err(ErrorCode::UnauthorizedClient.because(why));
    }
    match grant_type {
        GrantType::AuthorizationCode => by_code(server, &client, &form),
        GrantType::RefreshToken => by_refresh_token(server, &client, &form),
        GrantType::ClientCredentials => by_credentials(server, &client, &form),
        GrantType::JwtBearer => Err(unsupported),
    }
}

fn by_code(
    server: &ServerState,
    client: &OAuthClient,
    form: &Parameters,
) -> Result<Value, OAuthError> {
    let code = form.required("code", "`code` is required")?;
    let verifier = form.required("code_verifier", "`code_verifier` is required (PKCE)")?;
    let redirect_uri = form.one("redirect_uri")?;
    let (id, granted) = {
        let mut grants = server.grants();
        let (id, pending) = grants.redeem(code, &client.id)?;
        if !pending.challenge.matches(verifier) {
            return Err(ErrorCode::InvalidGrant.because("the code verifier is wrong"));
        }
        // OAuth 2.1 has no such parameter any more; where a client sends it, it has to match.
        if redirect_uri.is_some_and(|uri| uri != pending.redirect_uri) {
            return Err(ErrorCode::InvalidGrant.because("`redirect_uri` differs"));
        }
        (id, pending.grant.clone())
    };
    let resources = resource::within(form, &granted.resources)?;
    let token = Grant { resources, ..granted.clone() };
    let refresh = client.may_use(GrantType::RefreshToken).then_some((id, granted));
    respond(server, &token, refresh)
}

fn by_refresh_token(
    server: &ServerState,
    client: &OAuthClient,
    form: &Parameters,
) -> Result<Value, OAuthError> {
    let old = form.required("refresh_token", "`refresh_token` is required")?;
    let (id, granted, token) = {
        // Under one lock, so that of two requests at the same time one gets tokens.
        let mut grants = server.grants();
        let (id, granted) = grants.of_refresh_token(old, &client.id)?;
        let token = Grant {
            scopes: scope::within(form, &granted.scopes)?,
            resources: resource::within(form, &granted.resources)?,
            ..granted.clone()
        };
        // Only now: a request that is refused must not cost the client its token.
        grants.mark_used(old);
        (id, granted, token)
    };
    respond(server, &token, Some((id, granted)))
}

fn by_credentials(
    server: &ServerState,
    client: &OAuthClient,
    form: &Parameters,
) -> Result<Value, OAuthError> {
    let token = Grant {
        client: client.id.clone(),
        subject: client.id.clone(),
        scopes: scope::of_request(form, &server.scopes)?,
        resources: resource::of_request(form)?,
    };
    respond(server, &token, None)
}

/// The response with an access token, and a new refresh token for what was granted.
fn respond(
    server: &ServerState,
    token: &Grant,
    refresh: Option<(GrantId, Grant)>,
) -> Result<Value, OAuthError> {
    let mut response = Object::new();
    response.insert("access_token", access_token::issue(&server.key, &server.issuer, token, None)?);
    response.insert("token_type", "Bearer");
    response.insert("expires_in", access_token::LIFETIME.as_secs());
    if !token.scopes.is_empty() {
        response.insert("scope", token.scopes.join(" "));
    }
    if let Some((id, granted)) = refresh {
        let text = generate_id();
        server.grants().add_refresh_token(text.clone(), id, granted);
        response.insert("refresh_token", text);
    }
    Ok(response.into())
}
