//! `authorization-code-grant`.

use mcp_test_core::clock;
use mcp_test_core::oauth::parameters::Parameters;
use mcp_test_core::scenario::{AuthorizationCtx, AuthorizationResponse, Callback, Stop};

use super::discovery::{Metadata, discover, examine};
use super::good_server;
use super::grant::{Grant, token};
use super::probes::{Refusal, error_response, unregistered_uri, without_pkce};
use super::wrong_answers::{
    grants_without_pkce, header_at, keeps_refresh_token, nobody_consents, redeems_again,
    redirects_anywhere, redirects_elsewhere, redirects_with, redirects_with_two_codes,
    refuses_with, says, token_status, token_with, unpublished,
};
use crate::scenarios::prelude::*;
use crate::scenarios::references::CODE_GRANT;

const GRANT: &str = "authorization-code-grant";
const PKCE: &str = "authorization-request-pkce-required";
const REDIRECT_URI: &str = "authorization-redirect-uri-registered";
const ISS: &str = "authorization-response-iss";
const ISS_ANNOUNCED: &str = "authorization-response-iss-announced";
const LIFETIME: &str = "access-token-lifetime";
const ROTATION: &str = "refresh-token-rotation";
const ONCE: &str = "authorization-code-single-use";

/// The longest time that an access token should be valid.
const LONGEST_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

scenario! {
    /// The authorization server grants a token for an authorization code, to a client with PKCE that is registered there.
    ///
    /// `--client-id` names the client, and `--client-secret` its secret, if it has one. The redirect URI
    /// `http://127.0.0.1:PORT/callback` must be registered for it. Somebody has to open the URL that is printed, and to
    /// consent; the server must then redirect there, with one code and the `state` of the request, and redeem the code at
    /// its token endpoint.
    ///
    /// Before that, requests are made that the server must refuse without asking anybody: one with a redirect URI that is not
    /// registered, one without PKCE, and one of an unsupported type, whose error response should have `iss`, too. A server that
    /// shows a page first is not judged by them. Afterwards the
    /// refresh token is used, if a client without a secret got one, and the code is redeemed again, which a server must
    /// refuse, and which may revoke the tokens of this grant. The official suite makes none of these requests.
    ///
    /// A client with a secret uses it. The official suite does not if the server also has clients without one, and then fails.
    Authorization "authorization-code-grant": "The authorization server grants a token for an authorization code",
    revisions: Revisions::from(Revision::V2025_03_26),
    official: Official::authorization(Revisions::from(Revision::V2025_03_26)),
    transports: StreamableHttp,
    checks: [
        check!(GRANT, "Valid authorization code grant",
            [
                AUTH_TOKEN_OAUTH21_AUTHORIZATION_SERVER, AUTH_TOKEN_OAUTH21_IMPLEMENTATIONS,
                AUTH_REDIRECT_AS_ISS_VALUE, AUTH_DISCOVERY_AS_METADATA_EITHER, AUTH_DISCOVERY_AS_METADATA_RFC8414,
                AUTH_DISCOVERY_SERVER_RFC8414, AUTH_DISCOVERY_AS_ISSUER_IDENTICAL,
            ]).official(&[CODE_GRANT]).always_fails("the official suite fails it, whichever requirement is broken"),
        check!(REDIRECT_URI, "The server does not redirect to a URI that is not registered",
            [AUTH_REDIRECT_EXACT_MATCH, AUTH_REDIRECT_AS_NO_OPEN_REDIRECT]),
        check!(PKCE, "The server grants no code to a client without a secret that does not use PKCE",
            [AUTH_TOKEN_OAUTH21_AUTHORIZATION_SERVER, AUTH_TOKEN_OAUTH21_IMPLEMENTATIONS]).conditional(),
        check!(ISS, "The authorization response has `iss` (RFC 9207), also one with an error",
            [AUTH_REDIRECT_AS_ISS_INCLUDED]),
        check!(ISS_ANNOUNCED, "A server whose authorization responses have `iss` says so in its metadata",
            [AUTH_REDIRECT_AS_ISS_ADVERTISED]),
        check!(LIFETIME, "The access token expires, within a day", [AUTH_TOKEN_SHORT_LIVED]),
        check!(ROTATION, "The server replaces the refresh token of a client without a secret when that is used",
            [AUTH_TOKEN_ROTATE_REFRESH_PUBLIC]).conditional(),
        check!(ONCE, "The server redeems a code once",
            [AUTH_TOKEN_OAUTH21_AUTHORIZATION_SERVER, AUTH_TOKEN_OAUTH21_IMPLEMENTATIONS]),
    ],
}

async fn run(ctx: &mut AuthorizationCtx) -> Result<(), Stop> {
    let Some(client) = ctx.client() else {
        return Err(ctx.not_testable("authorization-code-grant requires --client-id"));
    };
    let found = discover(ctx).await?;
    examine(ctx, &found)?;
    let mut listener = ctx.listen().await?;
    let redirect_uri = listener.uri().to_owned();
    let grant = Grant::new(ctx, client, &found, &redirect_uri)?;
    if ctx.declares(REDIRECT_URI) {
        let refusal = unregistered_uri(ctx, &grant, &redirect_uri).await?;
        judge_refusal(ctx, REDIRECT_URI, refusal);
    }
    // A client with a secret need not use PKCE everywhere.
    if grant.is_public() {
        let refusal = without_pkce(ctx, &grant, &redirect_uri).await?;
        judge_refusal(ctx, PKCE, refusal);
    }
    let refused = match ctx.declares(ISS) {
        true => error_response(ctx, &grant, &redirect_uri).await?,
        false => None,
    };
    let url = grant.url(ctx, &grant.request())?;
    let (callback, seq) = ctx.consent(&url, &mut listener).await?;
    listener.end().await;
    let code = grant.code(ctx, &callback, seq)?;
    judge_iss(ctx, &found, refused, (&callback, seq));
    let response = grant.redeem(ctx, &code).await?;
    let issued = token(ctx, &response)?;
    let mut details = Object::new();
    details.push("authorizationRequest", url);
    details.push("body", ctx.shown(&issued));
    ctx.check(GRANT).pass().details(Value::Object(details));
    judge_lifetime(ctx, &issued, &response);
    if grant.is_public() && ctx.declares(ROTATION) {
        judge_rotation(ctx, &grant, &issued).await?;
    }
    let again = grant.redeem(ctx, &code).await?;
    let finding =
        ctx.wrong("the token endpoint redeems a code again").evidence_all(again.evidence());
    ctx.check(ONCE).judge(ensure(!(200..300).contains(&again.status), || {
        finding.expected("an error such as `invalid_grant`").got(format!("HTTP {}", again.status))
    }));
    Ok(())
}

fn judge_refusal(ctx: &mut AuthorizationCtx, id: &str, refusal: Refusal) {
    let check = ctx.check(id);
    match refusal {
        Refusal::Refused => check.pass(),
        Refusal::NotSeen(why) => check.info(why),
        Refusal::Missing(finding) => check.fail(finding),
    };
}

fn judge_iss(
    ctx: &mut AuthorizationCtx,
    found: &Metadata,
    refused: Option<(Parameters, AuthorizationResponse)>,
    (callback, seq): (&Callback, Seq),
) {
    if !ctx.declares(ISS) {
        return;
    }
    let wrong = |headline, parameters: &Parameters| {
        Finding::peer(headline)
            .requires(Requirement::AUTH_REDIRECT_AS_ISS_INCLUDED)
            .expected("the issuer in `iss`")
            .got(format!("the parameters {}", parameters.names()))
    };
    let has_iss = callback.parameters.first("iss").is_some();
    let check = ctx.check(ISS);
    if !has_iss {
        let headline = "the authorization response has no `iss`";
        check.fail(wrong(headline, &callback.parameters).evidence(seq));
    } else if let Some((parameters, response)) = refused
        && parameters.first("iss").is_none()
    {
        let headline = "the error response of the authorization endpoint has no `iss`";
        check.fail(wrong(headline, &parameters).evidence_all(response.evidence()));
    } else {
        check.pass();
    }
    let name = "authorization_response_iss_parameter_supported";
    let is_announced = found.is_true(name);
    let check = ctx.check(ISS_ANNOUNCED);
    match has_iss {
        false => check.skip("the authorization response has no `iss`"),
        true => check.judge(ensure(is_announced, || {
            let requirement = Requirement::AUTH_REDIRECT_AS_ISS_ADVERTISED;
            let finding = found.finding("the metadata does not announce `iss`", requirement);
            finding.expected(format!("`{name}` to be true")).got(found.shown(name))
        })),
    };
}

fn judge_lifetime(ctx: &mut AuthorizationCtx, issued: &Value, response: &AuthorizationResponse) {
    let lifetime = issued.get("expires_in").and_then(Value::as_u64).map(Duration::from_secs);
    let is_short = lifetime.is_some_and(|lifetime| lifetime <= LONGEST_LIFETIME);
    ctx.check(LIFETIME).judge(ensure(is_short, || {
        let longest = clock::format_duration(LONGEST_LIFETIME);
        let finding = Finding::peer("the access token is not short-lived");
        let finding =
            finding.requires(Requirement::AUTH_TOKEN_SHORT_LIVED).evidence_all(response.evidence());
        finding.expected(format!("`expires_in`, of {longest} at most")).got(match lifetime {
            Some(lifetime) => clock::format_duration(lifetime),
            None => "no `expires_in`".to_owned(),
        })
    }));
}

async fn judge_rotation(
    ctx: &mut AuthorizationCtx,
    grant: &Grant,
    issued: &Value,
) -> Result<(), Finding> {
    let Some(old) = issued.get("refresh_token").and_then(Value::as_str) else { return Ok(()) };
    let response = grant.refresh(ctx, old).await?;
    if response.status != 200 {
        let reason =
            format!("the refresh token is refused: HTTP {}{}", response.status, response.error());
        ctx.check(ROTATION).skip(reason);
        return Ok(());
    }
    let object = response.object();
    let new = object.as_ref().and_then(|object| object.get("refresh_token")?.as_str());
    ctx.check(ROTATION).judge(ensure(new.is_some_and(|new| new != old), || {
        Finding::peer("the refresh token of a client without a secret is not replaced")
            .requires(Requirement::AUTH_TOKEN_ROTATE_REFRESH_PUBLIC)
            .expected("another `refresh_token`")
            .got(if new.is_some() { "the same" } else { "none" })
            .evidence_all(response.evidence())
    }));
    Ok(())
}

proofs! {
    passes on good_server();
    catches "authorization-code-grant" on unpublished();
    catches "authorization-code-grant" on redirects_elsewhere();
    catches "authorization-code-grant" on redirects_with_two_codes();
    catches "authorization-code-grant" on nobody_consents(), timeout 2;
    catches "authorization-code-grant" on token_status(400);
    catches "authorization-code-grant" on redirects_with("state", "another");
    catches "authorization-code-grant" on redirects_with("error", "access_denied");
    catches "authorization-code-grant" on redirects_with("code", "");
    catches "authorization-code-grant" on redirects_with("iss", "https://as.example");
    // Before `iss` had a requirement of its own.
    catches "authorization-code-grant" on redirects_with("iss", "https://as.example"), at V2025_11_25;
    catches "authorization-code-grant" on token_with("access_token", "7");
    catches "authorization-code-grant" on token_with("token_type", "null");
    catches "authorization-code-grant" on header_at("/token", "cache-control", "public");
    catches "authorization-code-grant" on header_at("/token", "content-type", "text/plain");
    catches "authorization-redirect-uri-registered" on redirects_anywhere();
    catches "authorization-request-pkce-required" on grants_without_pkce();
    warns "authorization-response-iss" on redirects_with("iss", "");
    warns "authorization-response-iss" on refuses_with("iss", "");
    catches "authorization-response-iss-announced" on says("authorization_response_iss_parameter_supported", "null");
    warns "access-token-lifetime" on token_with("expires_in", "null");
    warns "access-token-lifetime" on token_with("expires_in", "31536000");
    catches "refresh-token-rotation" on keeps_refresh_token();
    catches "authorization-code-single-use" on redeems_again();
    catches "authorization-code-single-use" on redeems_again(), at V2025_03_26;
}
