//! `authorization-tokens`.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mcp_test_core::jose::base64url;
use mcp_test_core::transport::test_tokens::TokenKind;

use super::endpoint::{ProtectedServer, challenge, is_served, is_unauthorized, opening};
use super::reference::{altered, protected};
use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{describe, finding};

const MALFORMED: &str = "malformed-token-refused";
const CHALLENGED: &str = "invalid-token-challenge";
const TAMPERED: &str = "tampered-token-refused";
const UNSIGNED: &str = "unsigned-token-refused";
const UNKNOWN_KEY: &str = "unknown-key-refused";
const OTHER_ISSUER: &str = "other-issuer-refused";
const EXPIRED: &str = "expired-token-refused";
const EARLY: &str = "early-token-refused";
const OTHER_AUDIENCE: &str = "other-audience-refused";
const SIBLING: &str = "sibling-audience-refused";
const NO_AUDIENCE: &str = "missing-audience-refused";
const IN_QUERY: &str = "token-in-query-refused";

/// The requirement to verify tokens, which stands for all that is wrong with them.
const VALIDATES: &Requirement = Requirement::AUTH_TOKEN_SERVER_VALIDATES;

scenario! {
    /// A protected server serves a request with a good token, and refuses every other token with HTTP 401.
    ///
    /// The tokens differ from the good one in one respect each. A refusal counts only because the good token is accepted.
    /// What is made of the good token needs nobody else: one whose signature is changed, one that says it is not signed,
    /// the same one in the query of the URL. The others come from the issuer of the test, whose key and URL the server has to
    /// trust (`--issuer`), or from the operator (`--token ROLE=…`).
    Server "authorization-tokens": "Only good tokens are accepted",
    revisions: Revisions::from(Revision::V2025_03_26),
    transports: StreamableHttp,
    needs: [Need::Protection],
    checks: [
        check!(MALFORMED, "A text that is not a token is refused",
            [AUTH_CHALLENGE_401_INVALID_TOKEN]),
        check!(CHALLENGED, "The refusal of a token has a challenge with the error `invalid_token`",
            [AUTH_CHALLENGE_SECTION_5_3_ERROR]).conditional()
            .fails_or_warns("OAuth 2.1 only recommends the error code"),
        check!(TAMPERED, "A token whose signature was changed is refused",
            &[VALIDATES, Requirement::AUTH_EXT_CLIENT_CREDENTIALS_SERVER_VALIDATES]),
        check!(UNSIGNED, "A token that says it is not signed (`alg` is `none`) is refused",
            &[VALIDATES]),
        check!(UNKNOWN_KEY, "A token that is signed with another key is refused", &[VALIDATES]),
        check!(OTHER_ISSUER, "A token that names another issuer is refused",
            &[VALIDATES, Requirement::AUTH_TOKEN_NO_OTHER_TOKENS]),
        check!(EXPIRED, "A token that has expired is refused",
            [AUTH_CHALLENGE_401_EXPIRED_TOKEN, AUTH_TOKEN_ENFORCE_EXPIRY_SHOULD])
            .always_fails("a token that is accepted breaks both requirements"),
        check!(EARLY, "A token that is not valid yet is refused", &[VALIDATES]),
        check!(OTHER_AUDIENCE, "A token for the server of somebody else is refused",
            [AUTH_TOKEN_AUDIENCE_VALIDATION, AUTH_TOKEN_NO_OTHER_TOKENS]),
        check!(SIBLING, "A token for another server of the same host is refused",
            [AUTH_TOKEN_AUDIENCE_VALIDATION, AUTH_TOKEN_OWN_RESOURCES_ONLY]),
        check!(NO_AUDIENCE, "A token that names no server is refused",
            [AUTH_TOKEN_AUDIENCE_VALIDATION]),
        check!(IN_QUERY, "A token in the query of the URL is not accepted", &[VALIDATES]),
    ],
}

/// The kinds of tokens, with the checks that they are refused, and what they are called.
const KINDS: [(TokenKind, &str, &str); 7] = [
    (TokenKind::UnknownKey, UNKNOWN_KEY, "a token that is signed with another key"),
    (TokenKind::OtherIssuer, OTHER_ISSUER, "a token of another issuer"),
    (TokenKind::Expired, EXPIRED, "a token that has expired"),
    (TokenKind::NotYetValid, EARLY, "a token that is not valid yet"),
    (TokenKind::OtherAudience, OTHER_AUDIENCE, "a token for the server of somebody else"),
    (TokenKind::SiblingAudience, SIBLING, "a token for another server of the same host"),
    (TokenKind::NoAudience, NO_AUDIENCE, "a token that names no server"),
];

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let Some(server) = ProtectedServer::of(ctx) else { return Ok(()) };
    let good = match server.accepted(ctx, TokenKind::User).await? {
        Ok(good) => good,
        Err(why) => {
            ctx.skip_the_rest(&why);
            return Ok(());
        }
    };
    malformed(ctx, &server).await?;
    let not_a_jwt = "the good token is not a JWT, of which others could be made";
    for (id, made, what) in [
        (TAMPERED, tampered(&good), "a token with a changed signature"),
        (UNSIGNED, unsigned(&good), "a token that says it is not signed"),
    ] {
        match made {
            Some(token) => refused(ctx, &server, (id, what), &token).await?,
            None => drop(ctx.check(id).skip(not_a_jwt)),
        }
    }
    for (kind, id, what) in KINDS {
        if !ctx.makes(id) {
            continue;
        }
        match server.tokens.token(kind, &server.url) {
            Some(token) => refused(ctx, &server, (id, what), &token).await?,
            None => drop(ctx.check(id).skip(missing(kind))),
        }
    }
    in_query(ctx, &server, &good).await
}

/// Why a token of a kind could not be tried.
fn missing(kind: TokenKind) -> String {
    match kind.role() {
        Some(role) => format!(
            "nobody has issued such a token: neither `--issuer` nor `--token {role}=…` is given"
        ),
        None => "only the issuer of the test can issue such a token (`--issuer`)".to_owned(),
    }
}

/// Sends a token that the server has to refuse.
async fn refused(
    ctx: &mut Ctx,
    server: &ProtectedServer,
    (id, what): (&'static str, &str),
    token: &str,
) -> Result<(), Finding> {
    let answer = server.open_with(ctx, token).await?;
    // Of several requirements those of other revisions do not apply.
    let requirement = match id {
        EXPIRED => Requirement::AUTH_CHALLENGE_401_EXPIRED_TOKEN,
        OTHER_AUDIENCE | SIBLING | NO_AUDIENCE => Requirement::AUTH_TOKEN_AUDIENCE_VALIDATION,
        _ => VALIDATES,
    };
    ctx.check(id).judge(is_unauthorized(what, &answer).map_err(|it| it.requires(requirement)));
    Ok(())
}

/// A text that is no token, on which the challenge is judged, too.
async fn malformed(ctx: &mut Ctx, server: &ProtectedServer) -> Result<(), Finding> {
    let answer = server.open_with(ctx, "made-up-by-mcp-test").await?;
    let outcome = is_unauthorized("a text that is not a token", &answer);
    let is_refused = outcome.is_ok();
    ctx.check(MALFORMED).judge(outcome);
    if !is_refused {
        return Ok(());
    }
    let wrong = |headline: &str| Finding::peer(headline).evidence_all([answer.sent, answer.seq]);
    let outcome = match challenge(&answer) {
        None => Err(wrong("the refusal of a token has no challenge for tokens")
            .expected("`WWW-Authenticate: Bearer error=\"invalid_token\"`")
            .got("no such header")),
        Some(challenge) => match challenge.get("error") {
            Some("invalid_token") => Ok(()),
            // RFC 6750, section 3: a challenge to a request with a token SHOULD have the error.
            error => Err(wrong("the refusal of a token does not say `invalid_token`")
                .expected("`error=\"invalid_token\"`")
                .got(error.map_or("no `error`".to_owned(), |error| format!("`{error}`")))
                .should()),
        },
    };
    ctx.check(CHALLENGED).judge(outcome);
    Ok(())
}

async fn in_query(ctx: &mut Ctx, server: &ProtectedServer, good: &str) -> Result<(), Finding> {
    let path = server.url.splitn(4, '/').nth(3).map(|path| format!("/{path}")).unwrap_or_default();
    let separator = if path.contains('?') { '&' } else { '?' };
    let request = opening(ctx).at(format!("{path}{separator}access_token={good}"));
    let answer = ctx.http(request).await?;
    server.close(ctx, &answer, good).await;
    ctx.check(IN_QUERY).judge(ensure(!is_served(&answer), || {
        finding("a token in the URL is accepted", &answer)
            .expected("HTTP 401, since only the header `Authorization` may have a token")
            .got(describe(&answer))
    }));
    Ok(())
}

/// A token with another signature; `None` if it is not a JWT.
fn tampered(token: &str) -> Option<String> {
    let (signed, signature) = token.rsplit_once('.')?;
    let mut bytes = URL_SAFE_NO_PAD.decode(signature).ok()?;
    *bytes.first_mut()? ^= 1;
    (signed.split('.').count() == 2).then(|| format!("{signed}.{}", base64url(bytes)))
}

/// A token with the same claims that says it is not signed; `None` if it is not a JWT.
fn unsigned(token: &str) -> Option<String> {
    let mut parts = token.split('.');
    let (_, claims, _, None) = (parts.next()?, parts.next()?, parts.next()?, parts.next()) else {
        return None;
    };
    Some(format!("{}.{claims}.", base64url(r#"{"alg":"none","typ":"at+jwt"}"#)))
}

fn without_error_in_challenge() -> Server {
    altered(|answer| {
        for (_, value) in &mut answer.headers {
            let changed = value.to_str().unwrap_or_default().replace("invalid_token", "oops");
            value.clone_from(&changed.parse().unwrap_or(value.clone()));
        }
    })
}

fn refusing_with_500() -> Server {
    altered(|answer| {
        if answer.status == http::StatusCode::UNAUTHORIZED {
            answer.status = http::StatusCode::INTERNAL_SERVER_ERROR;
        }
    })
}

proofs! {
    passes on protected();
    catches "malformed-token-refused" on refusing_with_500();
    catches "invalid-token-challenge" on altered(|answer| answer.headers.clear());
    warns "invalid-token-challenge" on without_error_in_challenge();
    catches "tampered-token-refused" by misbehavior(Misbehavior::IgnoresSignature);
    catches "unsigned-token-refused" by misbehavior(Misbehavior::AcceptsUnsignedTokens);
    catches "unknown-key-refused" by misbehavior(Misbehavior::IgnoresSignature);
    catches "other-issuer-refused" by misbehavior(Misbehavior::IgnoresTokenIssuer);
    catches "expired-token-refused" by misbehavior(Misbehavior::IgnoresTokenTimes);
    catches "early-token-refused" by misbehavior(Misbehavior::IgnoresTokenTimes);
    catches "other-audience-refused" by misbehavior(Misbehavior::IgnoresAudience);
    catches "sibling-audience-refused" by misbehavior(Misbehavior::IgnoresAudience);
    catches "missing-audience-refused" by misbehavior(Misbehavior::IgnoresAudience);
    catches "token-in-query-refused" by misbehavior(Misbehavior::AcceptsTokenInQuery);
}
