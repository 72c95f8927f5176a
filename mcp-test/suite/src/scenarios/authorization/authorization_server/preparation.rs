//! What the scenarios of our own need before they try anything: usable metadata, a client, and codes.
//!
//! Nobody is asked for a second consent in a run of all scenarios. A server that redirects without a page needs nobody.

use mcp_test_core::expect::words;
use mcp_test_core::scenario::{
    AuthorizationCtx, AuthorizationResponse, Callback, CallbackListener, RegisteredAs, Skip, Stop,
};

use super::discovery::{Metadata, discover, examine};
use super::grant::Grant;
use crate::scenarios::prelude::*;

/// The reason for what a server with pages would show.
const SHOWS_A_PAGE: &str = "the server shows a page before it redirects, and a run asks for consent once; --scenario with the id of this scenario asks for more";

/// A client that has registered itself.
pub(super) struct DynamicClient {
    pub(super) registered: RegisteredAs,
    /// The response to the registration.
    pub(super) response: AuthorizationResponse,
}

/// The answer of a token endpoint to what it must refuse.
pub(super) enum Answered {
    Accepted,
    Refused,
    /// Whether it would be refused shows in no answer like this.
    NotSeen(String),
}

/// The metadata, if it is such as clients can use.
///
/// # Errors
///
/// A finding about what is wrong with them, or the reason why they are not asked for.
pub(super) async fn usable_metadata(ctx: &mut AuthorizationCtx) -> Result<Metadata, Stop> {
    if ctx.is_known_silent() {
        return Err(skip("not reached: the authorization server did not answer in time before"));
    }
    let found = discover(ctx).await?;
    examine(ctx, &found)?;
    Ok(found)
}

/// What ends a scenario that does not apply.
pub(super) fn skip(reason: impl Into<String>) -> Stop {
    Stop::Skipped(Skip { reason: reason.into() })
}

/// The client that mcp-test is registered as, or one that registers itself.
///
/// # Errors
///
/// Why there is none.
pub(super) async fn client(
    ctx: &mut AuthorizationCtx,
    found: &Metadata,
    redirect_uri: &str,
) -> Result<RegisteredAs, Stop> {
    if let Some(client) = ctx.client() {
        return Ok(client);
    }
    match register(ctx, found, &[redirect_uri]).await? {
        Ok(client) => Ok(client.registered),
        Err(reason) => Err(ctx.not_testable(format!("it requires --client-id, since {reason}"))),
    }
}

/// Registers a public client with these redirect URIs (RFC 7591); the inner error says why there is none.
///
/// # Errors
///
/// A finding, if the server does not respond.
pub(super) async fn register(
    ctx: &mut AuthorizationCtx,
    found: &Metadata,
    redirect_uris: &[&str],
) -> Result<Result<DynamicClient, String>, Finding> {
    let endpoint = found.text("registration_endpoint");
    if endpoint.is_empty() {
        return Ok(Err("the metadata has no `registration_endpoint`".to_owned()));
    }
    let response = ctx.post_json(endpoint, &client_metadata(redirect_uris)).await?;
    Ok(DynamicClient::from_response(ctx, response).map_err(|response| {
        let answer = format!("HTTP {}{}", response.status, response.error());
        words::into_inert(format!("the server does not register clients: {answer}"))
    }))
}

/// What a program on the user's machine says about itself.
pub(super) fn client_metadata(redirect_uris: &[&str]) -> Value {
    let metadata = json!({
        "client_name": "mcp-test",
        "application_type": "native",
        "redirect_uris": redirect_uris,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    });
    metadata.into()
}

impl DynamicClient {
    /// The client of a response, which is deleted at the end where that is possible (RFC 7592); the error is the response,
    /// if it registers none.
    pub(super) fn from_response(
        ctx: &mut AuthorizationCtx,
        response: AuthorizationResponse,
    ) -> Result<Self, AuthorizationResponse> {
        let object = response.object().unwrap_or_default();
        let text = |name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
        let id = text("client_id").filter(|id| !id.is_empty());
        match id.filter(|_| (200..300).contains(&response.status)) {
            Some(id) => {
                let management = text("registration_client_uri");
                if let Some((url, token)) = management.zip(text("registration_access_token")) {
                    ctx.delete_at_end(url, token);
                }
                let registered = RegisteredAs { id, secret: text("client_secret") };
                Ok(Self { registered, response })
            }
            None => Err(response),
        }
    }

    /// Whether it is registered with this redirect URI: a server may leave out what it does not allow.
    pub(super) fn may_redirect_to(&self, uri: &str) -> bool {
        let object = self.response.object().unwrap_or_default();
        let named = object.get("redirect_uris").and_then(Value::as_array);
        named.is_none_or(|uris| uris.iter().any(|own| own.as_str() == Some(uri)))
    }
}

/// A code; the inner error is the reason why there is none, which other scenarios judge.
///
/// # Errors
///
/// A finding, if the server does not respond.
pub(super) async fn code(
    ctx: &mut AuthorizationCtx,
    grant: &Grant,
    listener: &mut CallbackListener,
) -> Result<Result<String, String>, Finding> {
    let url = grant.url(ctx, &grant.request())?;
    let page = ctx.get_page(&url).await?;
    let (callback, seq) = match page.redirect() {
        Some(location) if location.starts_with(grant.redirect_uri()) => {
            (Callback::from_redirect(location), page.seq)
        }
        _ if page.status >= 400 => {
            let answer = format!("HTTP {}{}", page.status, page.error());
            let reason = format!("the server refuses the authorization request: {answer}");
            return Ok(Err(words::into_inert(reason)));
        }
        _ if !ctx.may_ask_again() => return Ok(Err(SHOWS_A_PAGE.to_owned())),
        _ => match ctx.consent(&url, listener).await {
            Ok(received) => received,
            Err(finding) => return Ok(Err(finding.headline)),
        },
    };
    Ok(grant.code(ctx, &callback, seq).map_err(|finding| match finding.got {
        Some(got) => format!("{}: {got}", finding.headline),
        None => finding.headline,
    }))
}

impl Answered {
    pub(super) fn of(response: &AuthorizationResponse) -> Self {
        match response.status {
            200..=299 => Self::Accepted,
            400 | 401 | 403 => Self::Refused,
            status => Self::NotSeen(words::into_inert(format!(
                "not seen: the token endpoint answers with HTTP {status}"
            ))),
        }
    }
}

/// Judges the answer to a token request that must be refused; `finding` says what was accepted.
pub(super) fn judge_refused(
    ctx: &mut AuthorizationCtx,
    id: &str,
    response: &AuthorizationResponse,
    headline: &str,
) {
    let finding = ctx.wrong(headline).expected("an error such as `invalid_grant`");
    let finding = finding.got(format!("HTTP {}", response.status));
    let finding = finding.evidence_all(response.evidence());
    let check = ctx.check(id);
    match Answered::of(response) {
        Answered::Accepted => check.fail(finding),
        Answered::Refused => check.pass(),
        Answered::NotSeen(why) => check.info(why),
    };
}
