//! `server-sse-multiple-streams`.

use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_test_core::check::Fate;

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{Session, describe, finding, is_success, post, reply, request};
use crate::scenarios::references::SEP_1699;
use crate::scenarios::sdk_answers::recognize_second_stream;

scenario! {
    /// Several requests of one client are in flight at once, each with its own response or event stream.
    ///
    /// The official checks look at the status of three responses, and whether their streams can be read at all. Our own
    /// checks expect the right reply in each, and that a client may listen on two more streams at the same time. The
    /// official suite does not test servers without sessions.
    Server "server-sse-multiple-streams": "The server handles concurrent requests",
    revisions: Revisions::from(Revision::V2025_03_26),
    official: Official::active(Revisions::from(Revision::V2025_11_25)),
    transports: StreamableHttp,
    checks: [
        check!("server-sse-multiple-streams-error", "The requests can be sent; reported only on failure",
            [LIFECYCLE_INITIALIZE_RESPONSE, JSONRPC_REQUEST_ANSWERED])
            .official(&[SEP_1699]).named("ServerSSEMultipleStreamsTest").conditional(),
        check!("server-sse-multiple-streams-session", "The server issues a session id; reported only if not",
            [TRANSPORT_HTTP_SESSIONLESS_TOLERATED])
            .official(&[SEP_1699]).named("ServerSSEMultipleStreamsSession").conditional()
            .only_warns("a server may do without sessions"),
        check!("server-accepts-multiple-post-streams", "Three concurrent POST requests are accepted",
            [JSONRPC_REQUEST_ANSWERED, TRANSPORT_HTTP_MULTIPLE_STREAMS_TOLERATED]).official(&[SEP_1699]),
        check!("server-sse-streams-functional", "The event streams of their responses can be read",
            [
                TRANSPORT_HTTP_SSE_EVENT_DATA, TRANSPORT_HTTP_SSE_RESPONSE_EVENTUALLY,
                TRANSPORT_HTTP_SSE_NO_EARLY_CLOSE,
            ]).official(&[SEP_1699]).named("ServerSSEStreamsFunctional"),
        check!("server-streams-own-replies", "Each response contains the reply to its own request, and no other",
            [JSONRPC_REQUEST_ANSWERED, JSONRPC_RESULT_ID_ECHO, TRANSPORT_HTTP_NO_BROADCAST]),
        check!("server-streams-listening",
            "Two concurrent GET requests each get an event stream or HTTP 405, and requests are still answered",
            [
                TRANSPORT_HTTP_GET_SSE_OR_405, TRANSPORT_HTTP_SINGLE_ENDPOINT_POST_GET,
                TRANSPORT_HTTP_MULTIPLE_STREAMS_TOLERATED,
            ]),
    ],
}

/// How long the body of a refusal may take; it only adds to a finding.
const REFUSAL: Duration = Duration::from_secs(2);

/// As in the official suite.
const IDS: [i64; 3] = [1000, 1001, 1002];

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let outcome = streams(ctx).await;
    ctx.conclude("server-sse-multiple-streams-error", outcome)
}

async fn streams(ctx: &mut Ctx) -> Result<(), Finding> {
    let revision = ctx.revision();
    if revision.era() == Era::Stateless {
        return concurrent_requests(ctx, |message| post(revision, message)).await;
    }
    let session = Session::open(ctx).await?;
    // The official scenario ends here; servers without sessions are tested in other profiles only.
    if session.id.is_none() && ctx.profile() == Profile::Official {
        let why = "sessions are optional";
        let without = Finding::peer("the server issues no session id").expected("a session id");
        ctx.check("server-sse-multiple-streams-session").officially_judge(Err(without), why);
        ctx.skip_the_rest("the server issues no session id");
        return Ok(());
    }
    ctx.http(session.initialized()).await?;
    concurrent_requests(ctx, |message| session.post(message)).await?;
    let outcome = listening(ctx, &session).await?;
    ctx.check("server-streams-listening").judge(outcome);
    session.close(ctx).await;
    Ok(())
}

/// The method of the requests: that of the official suite, or one that every server has if the server is known to have no tools.
fn method(ctx: &Ctx) -> &'static str {
    let declared = ctx.inventory().capabilities.as_ref();
    let has_tools = declared.is_none_or(|declared| Capability::Tools.declared_in(declared));
    match ctx.revision().era() {
        _ if has_tools || ctx.profile() == Profile::Official => "tools/list",
        Era::Handshake => "ping",
        Era::Stateless => "server/discover",
    }
}

async fn concurrent_requests(
    ctx: &mut Ctx,
    post: impl Fn(&serde_json::Value) -> HttpRequest,
) -> Result<(), Finding> {
    let (revision, method) = (ctx.revision(), method(ctx));
    let posts = IDS.map(|id| post(&request(revision, id, method, json!({}))));
    let answers: Vec<HttpResponse> =
        ctx.http_all(posts).await?.into_iter().collect::<Result<_, _>>()?;

    let mut accepts = ctx.check("server-accepts-multiple-post-streams").pass();
    for answer in answers.iter().filter(|answer| !is_success(answer)) {
        let refused = finding("one of three concurrent requests is refused", answer);
        accepts = accepts
            .fail(refused.expected("HTTP 2xx").requires(Requirement::JSONRPC_REQUEST_ANSWERED));
    }
    drop(accepts);
    readable_streams(ctx, &answers);

    let mut own = ctx.check("server-streams-own-replies").pass();
    for (id, answer) in IDS.into_iter().zip(&answers) {
        own = own.judge(own_reply(id, method, answer));
    }
    drop(own);
    Ok(())
}

/// Checks that the event streams among the responses can be read.
fn readable_streams(ctx: &mut Ctx, answers: &[HttpResponse]) {
    let (streams, refusals): (Vec<&HttpResponse>, Vec<_>) =
        answers.iter().filter(|answer| answer.is_stream()).partition(|answer| is_success(answer));
    // Silence does not fail the official check, which reads one event and gives up after 2 s; here `own_reply` fails.
    let broken: Vec<&HttpResponse> = streams
        .iter()
        .copied()
        .filter(|answer| answer.events.is_empty() && !answer.complete)
        .collect();
    let revision = ctx.revision();
    let check = ctx.check("server-sse-streams-functional");
    let Some(first) = broken.first() else {
        let check = match streams.is_empty() && refusals.is_empty() {
            true => check.info("the server answers without event streams"),
            false => check.pass(),
        };
        if let Some(first) = refusals.first() {
            let refused = finding("an event stream is that of a refusal", first);
            let refused = if streams.is_empty() { refused } else { refused.should() };
            check.officially_judge(Err(refused), "a refusal may be sent as an event stream");
        }
        return;
    };
    let headline = format!("{} of {} event streams cannot be read", broken.len(), streams.len());
    let finding = finding(headline, first)
        .expected("an event")
        .got(format!("an event stream that was {}", first.how))
        .requires(Requirement::TRANSPORT_HTTP_SSE_EVENT_DATA);
    // From 2025-11-25 on, a client resumes a stream that was closed early.
    let early = Requirement::TRANSPORT_HTTP_SSE_NO_EARLY_CLOSE;
    let finding = if early.applies_at(revision) { finding.requires(early) } else { finding };
    // The official check fails only if no stream can be read.
    check.fail(if broken.len() == streams.len() { finding } else { finding.should() });
}

/// A finding about a method; where that is refused or answered with another id, every other request of it shows it.
fn unanswered(finding: Finding, method: &str, answer: &HttpResponse, is_refused: bool) -> Finding {
    let is_reply = |message: &Message| matches!(message, Message::Response(_) | Message::Error(_));
    if is_refused {
        finding.caused_by(Cause::request(method, Fate::Refused))
    } else if answer.messages().iter().any(is_reply) {
        finding.caused_by(Cause::Requirement(Requirement::JSONRPC_RESULT_ID_ECHO))
    } else {
        finding
    }
}

/// Whether a response contains the reply to its own request and no other.
fn own_reply(id: i64, method: &str, answer: &HttpResponse) -> Result<(), Finding> {
    let expected = format!("the reply with id {id}, in the response to its own request");
    if let Some(other) =
        IDS.into_iter().find(|other| *other != id && reply(answer, *other).is_some())
    {
        return Err(finding("a reply arrived in the response to another request", answer)
            .expected(expected)
            .got(format!("the reply with id {other}"))
            .requires(Requirement::JSONRPC_RESULT_ID_ECHO));
    }
    match reply(answer, id) {
        Some(Ok(_)) => Ok(()),
        // An error is no better than silence: the request is valid.
        other => Err(unanswered(
            finding("one of three concurrent requests is not answered", answer)
                .expected(expected)
                .requires(Requirement::JSONRPC_REQUEST_ANSWERED),
            method,
            answer,
            other.is_some(),
        )),
    }
}

/// Whether a client may open two listening streams and still gets replies.
async fn listening(ctx: &mut Ctx, session: &Session) -> Result<Result<(), Finding>, Finding> {
    let mut open = Vec::new();
    // A client may hold several streams at the same time (`basic/transports#multiple-connections`).
    for headline in ["GET is refused", "a second GET is refused while another one is open"] {
        let listening = ctx.open_http(session.get()).await?;
        let answer = listening.answer();
        // A server need not offer a stream to listen on (`basic/transports`, "Listening for Messages from the Server").
        if answer.status == 405 {
            return Ok(Ok(()));
        }
        if answer.status != 200 || !answer.is_stream() {
            // Its body shows whether an SDK has sent it.
            let answer = match answer.is_stream() {
                true => listening.close(),
                false => listening.finish(Deadline::after(REFUSAL)).await,
            };
            return Ok(Err(refused_stream(headline, &answer)));
        }
        open.push(listening);
    }
    let method = method(ctx);
    let message = request(ctx.revision(), 1003, method, json!({}));
    let answer = ctx.http(session.post(&message)).await?;
    // Not earlier: both streams stay open until the request is answered.
    drop(open);
    Ok(match reply(&answer, 1003) {
        Some(Ok(_)) => Ok(()),
        other => Err(unanswered(
            Finding::peer("a request is not answered in its response while the client listens")
                .expected("the reply with id 1003")
                .got(describe(&answer))
                .requires(Requirement::TRANSPORT_HTTP_MULTIPLE_STREAMS_TOLERATED),
            method,
            &answer,
            other.is_some(),
        )),
    })
}

/// The finding that a stream to listen on is refused.
fn refused_stream(headline: &str, answer: &HttpResponse) -> Finding {
    let refused = finding(headline, answer)
        .expected("HTTP 200 with text/event-stream, or HTTP 405")
        .got(format!("HTTP {} with {:?}", answer.status, answer.content_type()))
        .sdk(recognize_second_stream(answer.status, &answer.body))
        .requires(Requirement::TRANSPORT_HTTP_GET_SSE_OR_405);
    match answer.status {
        // POST is served at the same path.
        404 => refused.requires(Requirement::TRANSPORT_HTTP_SINGLE_ENDPOINT_POST_GET),
        _ => refused,
    }
}

proofs! {
    passes on streaming();
    catches "server-sse-multiple-streams-error" by status("initialize", 500), at V2025_11_25;
    warns "server-sse-multiple-streams-session" by misbehavior(Misbehavior::NoSession), at V2025_11_25, under Official;
    catches "server-accepts-multiple-post-streams" by status("tools/list", 429);
    catches "server-sse-streams-functional" by close_on("tools/list");
    warns "server-sse-streams-functional" on closing_streams_early(), at V2025_06_18;
    catches "server-streams-own-replies" by reply_error("tools/list", -32603);
    catches "server-streams-own-replies" by wrong_id("tools/list");
    catches "server-streams-listening" by status("GET", 409), at V2025_11_25;
    catches "server-streams-listening" by status("GET", 404), at V2025_11_25;
}

/// Closes its streams early, some of them before the first event.
fn closing_streams_early() -> Server {
    let turns = AtomicUsize::new(0);
    streaming().faults([Fault::close_on("tools/list")]).on("tools/list", move |call: Call| {
        let turn = turns.fetch_add(1, Ordering::Relaxed);
        async move {
            if !turn.is_multiple_of(3) {
                let log = json!({ "level": "info", "data": "listing" });
                // A closed stream is fine here: closing it is the fault.
                call.notify("notifications/message", log).await.ok();
            }
            json!({ "tools": [] })
        }
    })
}

/// The reference server, answering with event streams.
fn streaming() -> Server {
    everything().streaming_replies()
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::http::{StatusCode, header};
    use axum::response::IntoResponse;
    use futures_util::stream;
    use mcp_test_core::check::Sdk;
    use mcp_test_core::scenario::Setup;
    use mcp_test_core::transport::{Target, TransportKind};

    use super::*;

    /// Refuses a second listening stream as the TypeScript SDK does.
    fn typescript() -> Router {
        let turns = Arc::new(AtomicUsize::new(0));
        Router::new().fallback(move || {
            let is_first = turns.fetch_add(1, Ordering::Relaxed) == 0;
            async move {
                if is_first {
                    let body = stream::pending::<Result<&str, std::io::Error>>();
                    let body = axum::body::Body::from_stream(body);
                    return ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response();
                }
                let message = "Conflict: Only one SSE stream is allowed per session";
                let error = json!({"code": -32000, "message": message});
                let body = json!({"jsonrpc": "2.0", "error": error, "id": null}).to_string();
                let headers = [(header::CONTENT_TYPE, "application/json")];
                (StatusCode::CONFLICT, headers, body).into_response()
            }
        })
    }

    #[tokio::test]
    async fn a_refused_second_stream_names_the_sdk() {
        let (transport, revision) = (TransportKind::Router, Revision::V2025_11_25);
        let (profile, timeout) = (Profile::Adaptive, Duration::from_secs(20));
        let target = Target::router(typescript);
        let mut ctx = Ctx::new(Setup::new(target, transport, revision, profile, timeout), None);
        let session = Session { id: Some("1".to_owned()), revision };
        let outcome = listening(&mut ctx, &session).await.expect("an answer");
        let finding = outcome.expect_err("a refusal");
        assert_eq!(finding.headline, "a second GET is refused while another one is open");
        assert_eq!(finding.sdk, Some(Sdk::TypeScript));
    }
}
