//! `authorization-scopes`.

use http::StatusCode;
use http::header::WWW_AUTHENTICATE;
use mcp_test_core::transport::test_tokens::TokenKind;

use super::endpoint::{ProtectedServer, challenge, opening};
use super::reference::{altered, protected};
use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{finding, is_success};

const REFUSED: &str = "missing-scope-refused";
const ERROR: &str = "insufficient-scope-challenge";
const SCOPES: &str = "insufficient-scope-names-scopes";
const METADATA: &str = "insufficient-scope-names-metadata";

scenario! {
    /// A protected server that demands scopes refuses a token without any with HTTP 403, and says which ones it needs.
    ///
    /// A server that names scopes neither in its challenge nor in its metadata demands none, as far as clients know. One whose
    /// challenge names none may demand them only for some of its tools; if it serves the first request of a client, it is not
    /// judged.
    Server "authorization-scopes": "A token without the scopes is refused, and the client learns which it needs",
    revisions: Revisions::from(Revision::V2025_03_26),
    transports: StreamableHttp,
    needs: [Need::Protection],
    checks: [
        check!(REFUSED, "A token without the scopes is refused with HTTP 403",
            [AUTH_CHALLENGE_403_INSUFFICIENT, AUTH_EXT_CLIENT_CREDENTIALS_SERVER_CHECKS_SCOPES]),
        check!(ERROR, "The refusal has a challenge with the error `insufficient_scope`",
            [AUTH_SCOPE_INSUFFICIENT_SCOPE_RESPONSE]).conditional(),
        check!(SCOPES, "The refusal names the scopes that are needed",
            [AUTH_SCOPE_INSUFFICIENT_SCOPE_LISTS_SCOPES]).conditional(),
        check!(METADATA, "The refusal says where the metadata of the server is",
            [AUTH_SCOPE_INSUFFICIENT_SCOPE_RESOURCE_METADATA]).conditional(),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let Some(server) = ProtectedServer::of(ctx) else { return Ok(()) };
    if let Err(why) = server.accepted(ctx, TokenKind::User).await? {
        ctx.skip_the_rest(&why);
        return Ok(());
    }
    let Some(token) = server.tokens.token(TokenKind::NoScope, &server.url) else {
        let why = match server.tokens.issuer() {
            Some(_) => "the server names no scopes, neither in its challenge nor in its metadata",
            None => "neither `--issuer` nor `--token no-scope=…` is given",
        };
        ctx.skip_the_rest(why);
        return Ok(());
    };
    let unauthorized = ctx.http(opening(ctx)).await?;
    let is_demanded = challenge(&unauthorized).is_some_and(|it| it.scopes().is_some());
    let answer = server.open_with(ctx, &token).await?;
    if is_success(&answer) && !is_demanded {
        let why = "the first request of a client needs no scope: its challenge names none";
        ctx.check(REFUSED).info(why);
        return Ok(());
    }
    let outcome = ensure(answer.status == 403, || {
        finding("a token without the scopes is not refused with HTTP 403", &answer)
            .expected("HTTP 403")
    });
    let is_refused = outcome.is_ok();
    ctx.check(REFUSED).judge(outcome);
    if is_refused && ctx.makes(ERROR) {
        judge_challenge(ctx, &answer);
    }
    Ok(())
}

fn judge_challenge(ctx: &mut Ctx, answer: &HttpResponse) {
    let found = challenge(answer).unwrap_or_default();
    let lacks = |name: &str| {
        Finding::peer(format!("the challenge of HTTP 403 has no `{name}`"))
            .expected(format!("`{name}=\"…\"` in `WWW-Authenticate`"))
            .got("a challenge without it, or none")
            .evidence_all([answer.sent, answer.seq])
            .should()
    };
    let error = match found.get("error") {
        Some("insufficient_scope") => Ok(()),
        Some(other) => {
            Err(lacks("error").expected("`error=\"insufficient_scope\"`").got(format!("`{other}`")))
        }
        None => Err(lacks("error")),
    };
    ctx.check(ERROR).judge(error);
    ctx.check(SCOPES).judge(ensure(found.scopes().is_some(), || lacks("scope")));
    let names_metadata = found.get("resource_metadata").is_some();
    ctx.check(METADATA).judge(ensure(names_metadata, || lacks("resource_metadata")));
}

fn refusing_with_401() -> Server {
    altered(|answer| {
        if answer.status == StatusCode::FORBIDDEN {
            answer.status = StatusCode::UNAUTHORIZED;
        }
    })
}

fn challenging_with(value: &'static str) -> Server {
    altered(move |answer| {
        if answer.status == StatusCode::FORBIDDEN {
            let value = http::HeaderValue::from_static(value);
            answer.headers = vec![(WWW_AUTHENTICATE, value)];
        }
    })
}

fn with_another_error() -> Server {
    challenging_with(
        "Bearer error=\"access_denied\", scope=\"mcp:use\", resource_metadata=\"http://localhost/metadata\"",
    )
}

fn without_scope() -> Server {
    challenging_with(
        "Bearer error=\"insufficient_scope\", resource_metadata=\"http://localhost/metadata\"",
    )
}

proofs! {
    passes on protected();
    catches "missing-scope-refused" by misbehavior(Misbehavior::IgnoresScopes);
    catches "missing-scope-refused" on refusing_with_401();
    warns "insufficient-scope-challenge" on with_another_error();
    warns "insufficient-scope-names-scopes" on without_scope();
    warns "insufficient-scope-names-metadata"
        on challenging_with("Bearer error=\"insufficient_scope\", scope=\"mcp:use\"");
}
