//! Authorization requests that a server must refuse, which need no person: nobody is asked for consent to them.

use mcp_test_core::expect::words;
use mcp_test_core::oauth::parameters::Parameters;
use mcp_test_core::scenario::{AuthorizationCtx, AuthorizationResponse};

use super::grant::{Grant, parameters_of};
use crate::scenarios::prelude::*;

/// What a refused request has shown.
pub(super) enum Refusal {
    /// It was refused.
    Refused,
    /// The server shows a page first, such as one to log in, and whether it refuses is not seen.
    NotSeen(String),
    /// It was granted, or redirected where it must not be.
    Missing(Finding),
}

/// Whether the server refuses to redirect to a URI that is not registered.
///
/// # Errors
///
/// A finding, if the server does not respond.
pub(super) async fn unregistered_uri(
    ctx: &mut AuthorizationCtx,
    grant: &Grant,
    redirect_uri: &str,
) -> Result<Refusal, Finding> {
    let other = format!("{redirect_uri}/not-registered");
    let mut parameters = grant.request();
    for (name, value) in &mut parameters {
        if *name == "redirect_uri" {
            value.clone_from(&other);
        }
    }
    let url = grant.url(ctx, &parameters)?;
    let response = ctx.get_page(&url).await?;
    Ok(match response.redirect() {
        // Also with an error: whoever sends the user must not decide where they go.
        Some(location) if location.starts_with(&other) => Refusal::Missing(
            Finding::peer("the authorization server redirects to a URI that is not registered")
                .requires(Requirement::AUTH_REDIRECT_EXACT_MATCH)
                .requires(Requirement::AUTH_REDIRECT_AS_NO_OPEN_REDIRECT)
                .expected(format!("no redirect to `{other}`"))
                .got(format!("HTTP {} there", response.status))
                .hint("the client is registered for another path; redirect URIs are compared as texts")
                .evidence_all(response.evidence()),
        ),
        _ => not_seen(&response),
    })
}

/// Whether the server refuses an authorization request without PKCE.
///
/// # Errors
///
/// A finding, if the server does not respond.
pub(super) async fn without_pkce(
    ctx: &mut AuthorizationCtx,
    grant: &Grant,
    redirect_uri: &str,
) -> Result<Refusal, Finding> {
    let mut parameters = grant.request();
    parameters.retain(|(name, _)| !name.starts_with("code_challenge"));
    let url = grant.url(ctx, &parameters)?;
    let response = ctx.get_page(&url).await?;
    let Some(location) = response.redirect().filter(|it| it.starts_with(redirect_uri)) else {
        return Ok(not_seen(&response));
    };
    let parameters = parameters_of(location);
    Ok(match parameters.first("code") {
        Some(_) => Refusal::Missing(
            ctx.wrong("the authorization server grants a code to a public client without PKCE")
                .expected("an error, since `code_challenge` is missing")
                .got("a redirect with a code")
                .evidence_all(response.evidence()),
        ),
        None => Refusal::Refused,
    })
}

/// The error response to an authorization request of an unsupported type; `None` if the server does not redirect with one.
///
/// # Errors
///
/// A finding, if the server does not respond.
pub(super) async fn error_response(
    ctx: &mut AuthorizationCtx,
    grant: &Grant,
    redirect_uri: &str,
) -> Result<Option<(Parameters, AuthorizationResponse)>, Finding> {
    let mut parameters = grant.request();
    for (name, value) in &mut parameters {
        if *name == "response_type" {
            "unsupported".clone_into(value);
        }
    }
    let url = grant.url(ctx, &parameters)?;
    let response = ctx.get_page(&url).await?;
    let location = response.redirect().filter(|it| it.starts_with(redirect_uri));
    let parameters = location.map(parameters_of).filter(|it| it.first("error").is_some());
    Ok(parameters.map(|parameters| (parameters, response)))
}

fn not_seen(response: &AuthorizationResponse) -> Refusal {
    match response.status {
        400..=499 => Refusal::Refused,
        status => Refusal::NotSeen(words::into_inert(format!(
            "not seen: the server answers with HTTP {status} before it says whether it refuses the request"
        ))),
    }
}
