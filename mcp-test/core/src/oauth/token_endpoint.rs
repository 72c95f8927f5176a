//! The token endpoint: exchanges codes, refresh tokens, client credentials and assertions for access tokens.

use http::HeaderMap;

use super::access_token;
use super::client::{GrantType, OAuthClient};
use super::client_authentication::authenticate;
use super::grants::{Grant, GrantId};
use super::oauth_error::{ErrorCode, OAuthError};
use super::parameters::Parameters;
use super::random_id::random_id;
use super::server_state::ServerState;
use super::{identity_assertion, identity_provider, resource, scope};
use crate::json::{Object, Value};

/// Answers a token request.
pub(super) async fn exchange(
    server: &ServerState,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<Value, OAuthError> {
    let form = Parameters::parse(body);
    let client = authenticate(server, headers, &form).await?;
    let named = form.required("grant_type", "`grant_type` is required")?;
    let grant_type = server.grant_types().find(|known| known.as_str() == named);
    let Some(grant_type) = grant_type else {
        return Err(ErrorCode::UnsupportedGrantType.because("the server has no such grant"));
    };
    if !client.may_use(grant_type) {
        let why = "the client is not registered for this grant";
        return Err(ErrorCode::UnauthorizedClient.because(why));
    }
    let key = server.proofs.key_of(headers, &format!("{}/token", server.issuer))?;
    match grant_type {
        GrantType::AuthorizationCode => by_code(server, &client, &form, key),
        GrantType::RefreshToken => by_refresh_token(server, &client, &form, key),
        GrantType::ClientCredentials => by_credentials(server, &client, &form, key),
        GrantType::JwtBearer => {
            let granted = identity_assertion::granted(server, &client, &form)?;
            respond(server, &Grant { key, ..granted }, None)
        }
        GrantType::TokenExchange => identity_provider::exchange(server, &client, &form),
    }
}

fn by_code(
    server: &ServerState,
    client: &OAuthClient,
    form: &Parameters,
    key: Option<String>,
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
    check_key(&granted, key.as_deref())?;
    let resources = resource::within(form, &granted.resources)?;
    let token = Grant { resources, key: key.clone(), ..granted.clone() };
    // Nothing else protects the refresh token of a public client (RFC 9449, section 5).
    let granted = Grant { key: key.filter(|_| client.is_public()), ..granted };
    let refresh = client.may_use(GrantType::RefreshToken).then_some((id, granted));
    respond(server, &token, refresh)
}

fn by_refresh_token(
    server: &ServerState,
    client: &OAuthClient,
    form: &Parameters,
    key: Option<String>,
) -> Result<Value, OAuthError> {
    let old = form.required("refresh_token", "`refresh_token` is required")?;
    let (id, granted, token) = {
        // Under one lock, so that of two requests at the same time one gets tokens.
        let mut grants = server.grants();
        let (id, granted) = grants.find_by_refresh_token(old, &client.id)?;
        check_key(&granted, key.as_deref())?;
        let token = Grant {
            scopes: scope::within(form, &granted.scopes)?,
            resources: resource::within(form, &granted.resources)?,
            key,
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
    key: Option<String>,
) -> Result<Value, OAuthError> {
    let token = Grant {
        client: client.id.clone(),
        subject: client.id.clone(),
        scopes: scope::requested_scopes(form, &server.scopes)?,
        resources: resource::requested_resources(form)?,
        key,
    };
    respond(server, &token, None)
}

/// Refuses a request without a proof by the key of the grant, if that is bound to one.
fn check_key(granted: &Grant, key: Option<&str>) -> Result<(), OAuthError> {
    match granted.key.as_deref() {
        Some(bound) if key != Some(bound) => {
            Err(ErrorCode::InvalidGrant.because("the grant is bound to another key"))
        }
        _ => Ok(()),
    }
}

/// The response with an access token, and a new refresh token for what was granted.
fn respond(
    server: &ServerState,
    token: &Grant,
    refresh: Option<(GrantId, Grant)>,
) -> Result<Value, OAuthError> {
    let lifetime = server.access_token_lifetime;
    let text = access_token::issue(&server.key, &server.issuer, token, lifetime)?;
    let mut response = Object::new();
    response.insert("access_token", text);
    response.insert("token_type", if token.key.is_some() { "DPoP" } else { "Bearer" });
    response.insert("expires_in", lifetime.as_secs());
    if !token.scopes.is_empty() {
        response.insert("scope", token.scopes.join(" "));
    }
    if let Some(id_token) = identity_provider::id_token(server, token)? {
        response.insert("id_token", id_token);
    }
    if let Some(granted) = refresh {
        let text = random_id()?;
        let lifetime = server.refresh_token_lifetime;
        server.grants().add_refresh_token(text.clone(), granted, lifetime);
        response.insert("refresh_token", text);
    }
    Ok(response.into())
}
