//! The authorization endpoint: the user consents at once, and is redirected with a code.

use reqwest::Url;

use super::client::{GrantType, OAuthClient};
use super::grants::{Grant, PendingCode};
use super::oauth_error::{ErrorCode, OAuthError};
use super::parameters::Parameters;
use super::pkce::CodeChallenge;
use super::random_id::random_id;
use super::server_state::ServerState;
use super::{resource, scope};

/// The only user, who consents to everything.
pub(super) const USER: &str = "user";

/// Where the user is redirected.
///
/// The error is of a request whose client or redirect URI is wrong: whoever sent the user must not decide where they go
/// (RFC 6749, section 4.1.2.1).
pub(super) async fn authorize(server: &ServerState, query: &str) -> Result<String, OAuthError> {
    let parameters = Parameters::parse(query.as_bytes());
    let id = parameters.required("client_id", "`client_id` is required")?;
    let client = server.client(id).await;
    let client = client.map_err(|why| ErrorCode::InvalidRequest.because(why))?;
    let redirect_uri = redirect_uri(&client, &parameters)?;
    let target = Url::parse(&redirect_uri)
        .map_err(|_| ErrorCode::InvalidRequest.because("`redirect_uri` is not a URI"))?;
    let state = parameters.one("state");
    let answer = state.and_then(|_| grant(server, &client, &parameters, redirect_uri));
    let state = state.ok().flatten();
    Ok(match answer {
        Ok(code) => redirect(target, &[("code", &code)], state, Some(&server.issuer)),
        Err(error) => redirect(target, &error.parameters(), state, Some(&server.issuer)),
    })
}

/// The redirect URI of the request, or the only one that is registered.
fn redirect_uri(client: &OAuthClient, parameters: &Parameters) -> Result<String, OAuthError> {
    let refuse = |why| Err(ErrorCode::InvalidRequest.because(why));
    match (parameters.one("redirect_uri")?, client.redirect_uris.as_slice()) {
        (Some(requested), _) if client.may_redirect_to(requested) => Ok(requested.to_owned()),
        (Some(_), _) => refuse("`redirect_uri` is not registered for this client"),
        (None, [only]) => Ok(only.clone()),
        (None, _) => refuse("`redirect_uri` is required"),
    }
}

/// The code for a request whose client and redirect URI are right.
fn grant(
    server: &ServerState,
    client: &OAuthClient,
    parameters: &Parameters,
    redirect_uri: String,
) -> Result<String, OAuthError> {
    if !client.may_use(GrantType::AuthorizationCode) {
        let why = "the client is not registered for authorization codes";
        return Err(ErrorCode::UnauthorizedClient.because(why));
    }
    if parameters.required("response_type", "`response_type` is required")? != "code" {
        return Err(ErrorCode::UnsupportedResponseType.because("`response_type` must be `code`"));
    }
    let challenge = CodeChallenge::from_request(parameters)?;
    let grant = Grant {
        client: client.id.clone(),
        subject: USER.to_owned(),
        scopes: scope::requested_scopes(parameters, &server.scopes)?,
        resources: resource::requested_resources(parameters)?,
        key: parameters.one("dpop_jkt")?.map(str::to_owned),
    };
    let code = random_id()?;
    server.grants().add_code(code.clone(), PendingCode { grant, challenge, redirect_uri });
    Ok(code)
}

/// The redirect URI with these parameters, the state, and the issuer (RFC 9207).
pub(super) fn redirect(
    mut target: Url,
    parameters: &[(&str, &str)],
    state: Option<&str>,
    issuer: Option<&str>,
) -> String {
    target
        .query_pairs_mut()
        .extend_pairs(parameters)
        .extend_pairs(state.map(|state| ("state", state)))
        .extend_pairs(issuer.map(|issuer| ("iss", issuer)));
    target.into()
}
