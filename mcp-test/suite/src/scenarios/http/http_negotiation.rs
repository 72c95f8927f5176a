//! `http-negotiation`.

use mcp_test_core::wire::MediaType;
use serde_json::Value;

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{Session, finding, is_served, is_success, post, request};

scenario! {
    /// The server answers requests with unusual `Accept` and `Content-Type` headers, by serving or by refusing them.
    ///
    /// Clients have to accept both JSON and event streams and to declare their body as JSON, so that a server may refuse
    /// anything else. It may also serve it; but who accepts one of the two types only cannot read the other. Many HTTP
    /// libraries add the charset to `application/json`, which makes no difference to JSON.
    Server "http-negotiation": "Media types are negotiated",
    revisions: Revisions::from(Revision::V2025_03_26),
    transports: StreamableHttp,
    checks: [
        check!("unusual-media-types-answered",
            "Requests with unusual `Accept` or `Content-Type` headers are answered, not with a status of 500 or above",
            [MCP_TEST_HTTP_MEDIA_TYPES_NO_SERVER_ERROR]),
        check!("accept-respected", "A client that accepts one media type only is not sent the other one",
            [MCP_TEST_HTTP_ACCEPT_RESPECTED]),
        check!("json-with-charset", "A request with the `Content-Type` `application/json; charset=utf-8` is served",
            [MCP_TEST_HTTP_JSON_WITH_CHARSET]),
        check!("served-after-negotiation", "A usual request is served after these",
            [JSONRPC_REQUEST_ANSWERED]),
    ],
}

/// The values of `Accept`, and the type of responses that each excludes; `None` for no header.
const ACCEPT: [(Option<&str>, Option<MediaType>); 4] = [
    (Some("application/json"), Some(MediaType::EventStream)),
    (Some("text/event-stream"), Some(MediaType::Json)),
    (Some("*/*"), None),
    (None, None),
];

/// The id of the last request.
const LAST: i64 = 50;

/// The values of `Content-Type` that are wrong for JSON; `None` for no header.
const CONTENT_TYPE: [Option<&str>; 2] = [Some("text/plain"), None];

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let revision = ctx.revision();
    if revision.era() == Era::Stateless {
        return negotiate(ctx, |message| post(revision, message)).await;
    }
    let session = Session::open(ctx).await?;
    ctx.http(session.initialized()).await?;
    let outcome = negotiate(ctx, |message| session.post(message)).await;
    session.close(ctx).await;
    outcome
}

async fn negotiate(ctx: &mut Ctx, post: impl Fn(&Value) -> HttpRequest) -> Result<(), Finding> {
    let (revision, method) = (ctx.revision(), always_answered(ctx.revision()));
    let usual = |id| post(&request(revision, id, method, json!({})));
    let before = ctx.http(usual(10)).await?;
    is_served("a valid request is not answered", &before, 10)
        .map_err(|it| it.requires(Requirement::JSONRPC_REQUEST_ANSWERED))?;

    let (mut answered, mut respected) = (Vec::new(), Vec::new());
    for (id, (accept, excluded)) in (20..).zip(ACCEPT) {
        let request = changed(usual(id), "Accept", accept);
        match ctx.attempt_http(request).await? {
            Ok(answer) => {
                answered.push(no_server_error("Accept", accept, &answer));
                respected.extend(excluded.map(|excluded| is_accepted(accept, excluded, &answer)));
            }
            Err(unanswered) => answered.push(Err(unanswered)),
        }
    }
    for (id, kind) in (30..).zip(CONTENT_TYPE) {
        let request = changed(usual(id), "Content-Type", kind);
        let answer = ctx.attempt_http(request).await?;
        answered.push(answer.and_then(|answer| no_server_error("Content-Type", kind, &answer)));
    }
    answered.into_iter().fold(ctx.check("unusual-media-types-answered"), CheckBuilder::judge);
    if respected.is_empty() {
        ctx.check("accept-respected").skip("requests that accept one media type have no response");
    } else {
        respected.into_iter().fold(ctx.check("accept-respected"), CheckBuilder::judge);
    }

    let charset = "application/json; charset=utf-8";
    let answer = ctx.attempt_http(usual(40).with("Content-Type", charset)).await?;
    let headline = format!("a request with the `Content-Type` `{charset}` is not served");
    let outcome = answer.and_then(|answer| is_served(&headline, &answer, 40));
    ctx.check("json-with-charset").judge(outcome.map_err(Finding::should));

    let after = ctx.http(usual(LAST)).await?;
    let headline = "a usual request is not served after unusual ones";
    ctx.check("served-after-negotiation").judge(is_served(headline, &after, LAST));
    Ok(())
}

/// The request with another value of a header, or without it.
fn changed(request: HttpRequest, name: &str, value: Option<&str>) -> HttpRequest {
    match value {
        Some(value) => request.with(name, value),
        None => request.without(name),
    }
}

fn in_words(name: &str, value: Option<&str>) -> String {
    value.map_or(format!("without `{name}`"), |value| format!("with `{name}: {value}`"))
}

fn no_server_error(name: &str, value: Option<&str>, answer: &HttpResponse) -> Result<(), Finding> {
    ensure(answer.status < 500, || {
        finding(
            format!("a request {} is answered with a server error", in_words(name, value)),
            answer,
        )
        .expected("a result, or HTTP 4xx such as 406 or 415")
    })
}

fn is_accepted(
    accept: Option<&str>,
    excluded: MediaType,
    answer: &HttpResponse,
) -> Result<(), Finding> {
    // A refusal may have a body of any type.
    let is_excluded = is_success(answer) && answer.media_type() == excluded;
    ensure(!is_excluded, || {
        let what = in_words("Accept", accept);
        finding(format!("a request {what} is answered with `{}`", answer.content_type()), answer)
            .expected("a response of the accepted type, or HTTP 406")
            .should()
    })
}

proofs! {
    passes on everything();
    catches "unusual-media-types-answered" by misbehavior(Misbehavior::BreaksOnMediaTypes);
    warns "accept-respected" by misbehavior(Misbehavior::IgnoresAccept);
    warns "json-with-charset" by misbehavior(Misbehavior::RefusesCharset);
    catches "served-after-negotiation" on exhausted(), at V2025_11_25;
}

/// Serves everything but the last request of the scenario.
fn exhausted() -> Server {
    everything().on("ping", |call: Call| async move {
        match call.id() == Some(&Id::from(LAST)) {
            true => Answer::error(error_code::INTERNAL_ERROR, "no more"),
            false => json!({}).into(),
        }
    })
}
