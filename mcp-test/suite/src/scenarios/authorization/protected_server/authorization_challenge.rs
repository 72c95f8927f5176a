//! `authorization-challenge`.

use http::header::WWW_AUTHENTICATE;
use http::request::Parts;
use http::{Method, StatusCode};
use mcp_test_core::oauth::alteration::Alteration;
use mcp_test_core::oauth::answer::Answer;

use super::endpoint::{ProtectedServer, challenge, is_unauthorized, opening};
use super::reference::{altered, behind, protected};
use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{finding, is_refusal};

const REFUSED: &str = "request-without-token-refused";
const OTHER_METHODS: &str = "get-without-token-refused";
const BEFORE_PARSING: &str = "token-checked-first";
const CHALLENGED: &str = "challenge-sent";
const METADATA: &str = "challenge-names-metadata";
const METADATA_ADVISED: &str = "challenge-should-name-metadata";
const SCOPE: &str = "challenge-names-scopes";
const NO_OFFLINE: &str = "challenge-without-offline-access";
const MALFORMED: &str = "malformed-credentials-refused";

scenario! {
    /// A protected server refuses a request without a token with HTTP 401, before it does anything else, and says in
    /// `WWW-Authenticate` where its metadata is.
    ///
    /// The first request of a client is sent without a token, and so are a GET, a DELETE, and a body that is not JSON. A server
    /// may refuse GET and DELETE also because it does not have them.
    Server "authorization-challenge": "A request without a token is refused, and the client learns where to get one",
    revisions: Revisions::from(Revision::V2025_03_26),
    transports: StreamableHttp,
    needs: [Need::Protection],
    checks: [
        check!(REFUSED, "A request without a token is refused with HTTP 401",
            [AUTH_CHALLENGE_401_UNAUTHENTICATED]),
        check!(OTHER_METHODS, "GET and DELETE without a token are refused",
            [AUTH_CHALLENGE_401_UNAUTHENTICATED]),
        check!(BEFORE_PARSING, "A body that is not JSON is refused with HTTP 401, too, if the request has no token",
            [AUTH_TOKEN_VALIDATE_BEFORE_PROCESSING])
            .only_warns("the order shows only in a body that no client sends"),
        check!(CHALLENGED, "The refusal has a challenge for tokens in `WWW-Authenticate`",
            [AUTH_CHALLENGE_SECTION_5_3_ERROR, AUTH_TOKEN_HTTP_CONFORMS]).conditional()
            .always_fails("a missing challenge breaks both requirements"),
        check!(METADATA, "The challenge says where the metadata of the server is",
            [AUTH_CHALLENGE_WWW_AUTHENTICATE_RESOURCE_METADATA]).conditional(),
        check!(METADATA_ADVISED, "The challenge says where the metadata of the server is",
            [AUTH_CHALLENGE_RESOURCE_METADATA_SHOULD]).conditional(),
        check!(SCOPE, "The challenge names the scopes that a token needs",
            [AUTH_SCOPE_CHALLENGE_SCOPE]).conditional(),
        check!(NO_OFFLINE, "The challenge does not name the scope `offline_access`",
            [AUTH_SCOPE_NO_OFFLINE_ACCESS_CHALLENGE]).conditional(),
        check!(MALFORMED, "Credentials that cannot be parsed are refused, and break nothing",
            [AUTH_CHALLENGE_400_MALFORMED]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    if ProtectedServer::of(ctx).is_none() {
        return Ok(());
    }
    let answer = ctx.http(opening(ctx)).await?;
    let outcome = is_unauthorized("a request without a token", &answer);
    let is_refused = outcome.is_ok();
    ctx.check(REFUSED).judge(outcome);
    judge_other_methods(ctx).await?;
    if ctx.makes(BEFORE_PARSING) {
        let request = HttpRequest { body: "{".into(), ..opening(ctx) };
        let answer = ctx.http(request).await?;
        let what = "a body that is not JSON, without a token,";
        ctx.check(BEFORE_PARSING).judge(is_unauthorized(what, &answer).map_err(Finding::should));
    }
    judge_malformed(ctx).await?;
    if is_refused {
        judge_challenge(ctx, &answer);
    }
    Ok(())
}

async fn judge_other_methods(ctx: &mut Ctx) -> Result<(), Finding> {
    for request in [HttpRequest::get().header("Accept", "text/event-stream"), HttpRequest::delete()]
    {
        let method = request.method.clone();
        // The head is enough: a stream that is opened does not end.
        let exchange = ctx.open_http(request.anonymous()).await?;
        let answer = exchange.close();
        let outcome = ensure(!(200..300).contains(&answer.status), || {
            let finding = finding(format!("{method} without a token is served"), &answer);
            finding.expected("HTTP 401, or 405 if the server does not have the method")
        });
        ctx.check(OTHER_METHODS).judge(outcome);
    }
    Ok(())
}

/// Credentials that are not `scheme token`.
const MALFORMED_CREDENTIALS: [&str; 3] = ["Bearer", "Bearer a b c", "Bearer {\"token\": 1}"];

async fn judge_malformed(ctx: &mut Ctx) -> Result<(), Finding> {
    for credentials in MALFORMED_CREDENTIALS {
        let answer = ctx.http(opening(ctx).with("Authorization", credentials)).await?;
        // Whether a text is malformed, or a token that is unknown, is hard to tell.
        let outcome = ensure(is_refusal(&answer), || {
            finding("a request with malformed credentials is not refused", &answer)
                .expected("HTTP 400 or 401")
        });
        ctx.check(MALFORMED).judge(outcome);
    }
    Ok(())
}

fn judge_challenge(ctx: &mut Ctx, answer: &HttpResponse) {
    let found = challenge(answer);
    let outcome = ensure(found.is_some(), || {
        let got = answer.header(WWW_AUTHENTICATE.as_str());
        Finding::peer("HTTP 401 has no challenge for tokens")
            .expected("`WWW-Authenticate: Bearer …`, or `DPoP …`")
            .got(got.map_or("no `WWW-Authenticate`".to_owned(), |got| format!("`{got}`")))
            .evidence_all([answer.sent, answer.seq])
    });
    ctx.check(CHALLENGED).judge(outcome);
    let Some(found) = found else { return };
    let has = |name: &str| match found.get(name) {
        Some(_) => Ok(()),
        None => Err(Finding::peer(format!("the challenge has no `{name}`"))
            .expected(format!("`{name}=\"…\"` in `WWW-Authenticate`"))
            .got("a challenge without it")
            .evidence_all([answer.sent, answer.seq])),
    };
    let names_offline = found.scopes().is_some_and(|it| it.iter().any(|it| it == "offline_access"));
    let outcomes = [
        (METADATA, has("resource_metadata")),
        (METADATA_ADVISED, has("resource_metadata").map_err(Finding::should)),
        (SCOPE, has("scope").map_err(Finding::should)),
        (
            NO_OFFLINE,
            ensure(!names_offline, || {
                Finding::peer("the challenge demands the scope `offline_access`")
                    .expected("the scopes that the server itself needs")
                    .got("`offline_access`, which concerns refresh tokens alone")
                    .evidence_all([answer.sent, answer.seq])
                    .should()
            }),
        ),
    ];
    for (id, outcome) in outcomes {
        if ctx.makes(id) {
            ctx.check(id).judge(outcome);
        }
    }
}

fn serving_get() -> Server {
    let serve = |head: &Parts, answer: &mut Answer| {
        if head.method == Method::GET && answer.status == StatusCode::UNAUTHORIZED {
            answer.status = StatusCode::OK;
        }
    };
    behind(everything(), |resource| resource.alter(Alteration::new(serve)), false)
}

fn challenging_with(value: &'static str) -> Server {
    altered(move |answer| {
        for (_, sent) in answer.headers.iter_mut().filter(|(name, _)| name == WWW_AUTHENTICATE) {
            *sent = http::HeaderValue::from_static(value);
        }
    })
}

fn without_metadata() -> Server {
    challenging_with("Bearer scope=\"mcp:use\"")
}

fn with_offline_access() -> Server {
    challenging_with(
        "Bearer scope=\"mcp:use offline_access\", resource_metadata=\"http://localhost/metadata\"",
    )
}

fn refusing_with_403() -> Server {
    altered(|answer| {
        if answer.status == StatusCode::UNAUTHORIZED {
            answer.status = StatusCode::FORBIDDEN;
        }
    })
}

fn breaking_on_malformed() -> Server {
    altered(|answer| {
        if answer.status == StatusCode::BAD_REQUEST {
            answer.status = StatusCode::INTERNAL_SERVER_ERROR;
        }
    })
}

proofs! {
    passes on protected();
    catches "request-without-token-refused" by misbehavior(Misbehavior::SkipsAuthorization);
    warns "token-checked-first" by misbehavior(Misbehavior::SkipsAuthorization);
    catches "request-without-token-refused" on refusing_with_403();
    catches "get-without-token-refused" on serving_get();
    catches "challenge-sent" on altered(|answer| answer.headers.retain(|(name, _)| name != WWW_AUTHENTICATE));
    catches "challenge-names-metadata" on without_metadata(), at V2025_06_18;
    warns "challenge-should-name-metadata" on without_metadata();
    warns "challenge-names-scopes" on challenging_with("Bearer resource_metadata=\"http://localhost/metadata\"");
    warns "challenge-without-offline-access" on with_offline_access();
    catches "malformed-credentials-refused" on breaking_on_malformed();
}
