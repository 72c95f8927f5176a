//! `server-sse-polling`; its checks are listed in `checks`.

mod checks;

use std::collections::BTreeSet;

use mcp_test_core::clock;
use mcp_test_core::scenario::Suite;
use mcp_test_core::wire::sse::SseEvent;

use super::server_sse_polling::checks::CHECKS;
use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{Session, call_of_fixture, finding, is_success, reply};

const ONLY: Revisions = Revisions::only(Revision::V2025_11_25);

scenario! {
    /// The server closes a stream before it has answered, and the client reconnects for the reply.
    ///
    /// A long request need not occupy a connection all the time: the stream begins with an event that has an id, a
    /// `retry` field says when to reconnect, and GET with `Last-Event-ID` resumes the stream. Most of that is only
    /// recommended, so little of it can fail; our own checks expect that the right events are resumed. The rows that only
    /// log messages exist because the official reports have them.
    Server "server-sse-polling": "A client resumes an event stream for its reply",
    revisions: ONLY,
    official: Official { revisions: ONLY, suites: &[Suite::Pending] },
    transports: StreamableHttp,
    needs: [Need::Tool(TOOL)],
    checks: CHECKS,
}

const TOOL: &str = "test_reconnection";

const LOST_REPLY: &str = "server-sse-lost-reply-resumed";

/// The longest `retry` time that is waited for, and the longest wait for a reply after that.
const PATIENCE: Duration = Duration::from_secs(5);

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let outcome = polling(ctx).await;
    ctx.conclude("server-sse-polling-error", outcome)
}

async fn polling(ctx: &mut Ctx) -> Result<(), Finding> {
    let session = Session::open(ctx).await?;
    ctx.http(session.initialized()).await?;
    if session.id.is_none() && ctx.profile() == Profile::Official {
        let why = "sessions are optional";
        let without = Finding::peer("the server issues no session id").expected("a session id");
        ctx.check("server-sse-polling-session").officially_judge(Err(without.should()), why);
    }
    // Closed even after an early end: an open session would occupy the server during later scenarios.
    let outcome = call(ctx, &session).await;
    session.close(ctx).await;
    outcome
}

async fn call(ctx: &mut Ctx, session: &Session) -> Result<(), Finding> {
    let request = format!("POST tools/call {}", ctx.fixtures().name(TOOL));
    ctx.check("outgoing-request").info(request);
    let posted = ctx.http(session.post(&call_of_fixture(ctx, 1, TOOL))).await?;
    ctx.check("incoming-response").info(format!("HTTP {} for POST", posted.status));
    if !is_readable(ctx, &posted) {
        ctx.skip_the_rest("the call was not answered with an event stream");
        return Ok(());
    }
    let result = log_events(ctx, &posted);
    ctx.check("stream-closed").info(format!("the stream of the POST {}", posted.how));
    priming(ctx, &posted);
    retry(ctx, &posted, result.is_some());
    let mut seen = posted.events.clone();
    seen.extend(resume(ctx, session, &posted, result.is_some()).await?);
    for id in ["server-sse-own-stream-only", LOST_REPLY] {
        if !ctx.has_checked(id) {
            ctx.check(id).skip("no stream was resumed");
        }
    }
    // Ids are unique across all streams of a session, so the events of every stream are compared.
    let check = ctx.check("server-sse-event-ids-unique");
    match seen.iter().any(|event| event.id.is_some()) {
        true => check.judge(unique(&seen)),
        false => check.skip("no event has an id"),
    };
    Ok(())
}

/// Whether the call is answered with a stream; if not, reports why.
fn is_readable(ctx: &mut Ctx, posted: &HttpResponse) -> bool {
    let refused =
        |headline: &str| finding(headline, posted).expected("HTTP 200 with an event stream");
    match posted.status {
        400 | 404 => {
            let finding = refused("the call of the tool is refused");
            ctx.check("server-sse-test-reconnection-tool").fail(finding);
            false
        }
        _ if !is_success(posted) => {
            ctx.check("server-sse-post-request").fail(refused("the call is not accepted"));
            false
        }
        // No failure: the server may answer with JSON instead (`basic/transports#sending-messages-to-the-server`).
        _ if !posted.is_stream() => {
            let got = format!("the server answers with {:?}", posted.content_type());
            ctx.check("server-sse-content-type").info(got);
            false
        }
        // Without a body, whatever its content type says.
        204 => {
            ctx.check("server-sse-polling-stream").fail(refused("an event stream without a body"));
            false
        }
        _ => true,
    }
}

/// Logs the events, and returns the result of the call if it is among them.
fn log_events(ctx: &mut Ctx, posted: &HttpResponse) -> Option<Value> {
    log(ctx, posted);
    // An error is an answer as well: nothing is left to resume.
    let result = reply(posted, 1)?.unwrap_or_default();
    let check = ctx.check("incoming-sse-event");
    if result.get("isError").and_then(Value::as_bool) == Some(true) {
        let failed = finding("the tool fails", posted).expected("a successful result");
        check.by_fixture().fail(failed);
    } else {
        check.info("the result of the call");
    }
    Some(result)
}

fn log(ctx: &mut Ctx, answer: &HttpResponse) {
    for event in answer.events.iter().filter(|event| event.id.is_some()) {
        ctx.check("incoming-sse-event").info(describe(event));
    }
}

fn describe(event: &SseEvent) -> String {
    let id = event.id.as_deref().unwrap_or_default();
    let retry = event.retry.map(|retry| format!(", retry {retry}")).unwrap_or_default();
    let data = if event.data.is_empty() { "no data" } else { "a message" };
    format!("id {id:?}{retry}, {data}")
}

fn priming(ctx: &mut Ctx, posted: &HttpResponse) {
    let primes = |event: &SseEvent| {
        // The specification asks for empty data; the official check also accepts an empty object.
        event.id.as_deref().is_some_and(|id| !id.is_empty())
            && matches!(event.data.as_str(), "" | "{}")
    };
    let got = posted.events.first().map_or("no event at all".to_owned(), describe);
    let check = ctx.check("server-sse-priming-event");
    match posted.events.iter().position(primes) {
        Some(0) => check.pass(),
        _ => check.fail(
            finding("the stream does not begin with a priming event", posted)
                .expected("a first event with an id and no data")
                .got(got),
        ),
    };
}

fn retry(ctx: &mut Ctx, posted: &HttpResponse, is_answered: bool) {
    let check = ctx.check("server-sse-retry-field");
    let missing = || {
        finding("the stream does not say when to reconnect", posted)
            .expected("an event with a `retry` field")
            .got(format!("{} events without one", posted.events.len()))
    };
    if posted.events.iter().any(|event| event.retry.is_some()) {
        check.pass();
    } else if is_answered {
        let why = "a stream that does not end early needs no `retry` field";
        check.info("the stream contained the reply").officially_judge(Err(missing().should()), why);
    } else {
        check.fail(missing());
    }
}

/// Resumes the stream unless it contained the reply, and returns the events of the resumed streams.
async fn resume(
    ctx: &mut Ctx,
    session: &Session,
    posted: &HttpResponse,
    is_answered: bool,
) -> Result<Vec<SseEvent>, Finding> {
    const RESUMES: &str = "server-sse-disconnect-resume";
    if is_answered {
        ctx.check(RESUMES).info("the result arrived on the stream of the POST");
        return Ok(Vec::new());
    }
    let Some(resuming) = resuming_request(ctx, session, posted) else {
        ctx.check(RESUMES).info("no event has an id, or the server has no sessions");
        return Ok(Vec::new());
    };
    wait_for_retry(posted).await;
    ctx.check("outgoing-request").info("GET with Last-Event-ID");
    let resumed = resumed(ctx, resuming, 1).await?;
    ctx.check("incoming-response").info(format!("HTTP {} for GET", resumed.status));
    log(ctx, &resumed);
    let check = ctx.check(RESUMES);
    if resumed.status == 405 {
        check.info("the server does not let clients resume streams (HTTP 405)");
    } else if is_success(&resumed) && reply(&resumed, 1).is_some_and(|reply| reply.is_ok()) {
        check.pass();
        ctx.check(LOST_REPLY).pass();
        // Only now: without resumption there is nothing to replay on the wrong stream.
        let seen = concurrent_calls(ctx, session).await?;
        return Ok([resumed.events, seen].concat());
    } else {
        let lost = finding("the resumed stream does not contain the result", &resumed)
            .expected("the result with id 1");
        check.fail(lost.clone());
        // The official check only warns, also of a server that refuses to resume.
        if is_success(&resumed) && resumed.is_stream() {
            ctx.check(LOST_REPLY).fail(lost);
        }
    }
    Ok(resumed.events)
}

fn unique(events: &[SseEvent]) -> Result<(), Finding> {
    let mut seen = BTreeSet::new();
    let mut ids = events.iter().filter_map(|event| event.id.as_deref());
    match ids.find(|id| !seen.insert(*id)) {
        None => Ok(()),
        Some(id) => Err(Finding::peer("two events have the same id")
            .expected("an id that no other event of the session has")
            .got(format!("{id:?}, twice"))
            .caused_by(Cause::for_requirement(Requirement::TRANSPORT_HTTP_EVENT_ID_UNIQUE))),
    }
}

/// Makes two concurrent calls, resumes both streams, and returns all their events.
async fn concurrent_calls(ctx: &mut Ctx, session: &Session) -> Result<Vec<SseEvent>, Finding> {
    let posts = [11, 12].map(|id| session.post(&call_of_fixture(ctx, id, TOOL)));
    let posted: Vec<HttpResponse> =
        ctx.http_all(posts).await?.into_iter().collect::<Result<_, _>>()?;
    let mut seen: Vec<SseEvent> = posted.iter().flat_map(|it| it.events.clone()).collect();
    let mut outcomes = Vec::new();
    for (answer, own) in posted.iter().zip([11, 12]) {
        let resuming = resuming_request(ctx, session, answer);
        // A stream that contained its reply has nothing more to send.
        let Some(resuming) = resuming.filter(|_| reply(answer, own).is_none()) else {
            continue;
        };
        wait_for_retry(answer).await;
        let resumed = resumed(ctx, resuming, own).await?;
        seen.extend(resumed.events.clone());
        if resumed.status != 405 {
            outcomes.push(has_only_own_reply(own, &resumed));
        }
    }
    let check = ctx.check("server-sse-own-stream-only");
    if outcomes.is_empty() {
        check.skip("no stream was resumed");
    } else {
        outcomes.into_iter().fold(check, CheckBuilder::judge);
    }
    Ok(seen)
}

/// Whether a resumed stream contains no reply but its own.
fn has_only_own_reply(own: i64, resumed: &HttpResponse) -> Result<(), Finding> {
    let messages = resumed.messages();
    let id = |message: &Message| match message {
        Message::Response(response) => Some(response.id.clone()),
        Message::Error(error) => error.id.clone(),
        _ => None,
    };
    // A server MUST NOT replay messages of another stream (`basic/transports`, "Resumability and Redelivery").
    match messages.iter().filter_map(id).find(|id| *id != Id::from(own)) {
        None => Ok(()),
        Some(other) => {
            Err(finding("a resumed stream contains the reply of another stream", resumed)
                .expected(format!("only messages of the call with id {own}"))
                .got(format!("the reply with id {other}")))
        }
    }
}

/// The request that resumes the stream, if any of its events has an id.
///
/// The official suite resumes only within a session.
fn resuming_request(ctx: &Ctx, session: &Session, posted: &HttpResponse) -> Option<HttpRequest> {
    if session.id.is_none() && ctx.profile() == Profile::Official {
        return None;
    }
    // The last id that was received: the client has missed what follows it.
    let id = posted.events.iter().rev().find_map(|event| event.id.as_deref())?;
    Some(session.get().header(header::LAST_EVENT_ID, id))
}

/// Waits for the `retry` time, within bounds.
async fn wait_for_retry(posted: &HttpResponse) {
    // A later `retry` replaces an earlier one (HTML, "Interpreting an event stream").
    let retry = posted.events.iter().rev().find_map(|event| event.retry).unwrap_or_default();
    clock::quiet(Duration::from_millis(retry).min(PATIENCE)).await;
}

/// Reads the resumed stream until the reply with this id arrives, at most for `PATIENCE`.
async fn resumed(ctx: &mut Ctx, request: HttpRequest, id: i64) -> Result<HttpResponse, Finding> {
    // Not `Ctx::http`: a GET has no id by which it could recognize the end.
    let mut resumed = ctx.open_http(request).await?;
    let deadline = Deadline::after(PATIENCE);
    let own = Id::from(id);
    resumed
        .read_until_message(deadline, |message| message.is_reply() && message.id() == Some(&own))
        .await;
    Ok(resumed.close())
}

proofs! {
    passes on everything();
    catches "server-sse-polling-error" by status("initialize", 500);
    warns "server-sse-polling-session" by misbehavior(Misbehavior::NoSession), under Official;
    warns "server-sse-test-reconnection-tool" by status("tools/call", 404);
    catches "server-sse-post-request" by status("tools/call", 500);
    catches "server-sse-polling-stream" by status("tools/call", 204);
    catches "incoming-sse-event" on failing_tool();
    warns "server-sse-priming-event" by misbehavior(Misbehavior::NoEventIds);
    warns "server-sse-retry-field" by misbehavior(Misbehavior::NoRetry);
    catches "server-sse-lost-reply-resumed" by misbehavior(Misbehavior::NoReplay);
    warns "server-sse-disconnect-resume" by status("GET", 500);
    catches "server-sse-event-ids-unique" by misbehavior(Misbehavior::ReusesEventIds);
    catches "server-sse-own-stream-only" by misbehavior(Misbehavior::ReusesEventIds);
}

/// Reports a tool error on the stream of the POST.
fn failing_tool() -> Server {
    everything().streaming_replies().on("tools/call", |_: Call| async {
        json!({ "content": [{ "type": "text", "text": "no" }], "isError": true })
    })
}
