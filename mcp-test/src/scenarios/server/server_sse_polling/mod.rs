//! `server-sse-polling`; its checks are listed in `checks`.

mod checks;

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;

use self::checks::CHECKS;
use super::raw::{Session, finding, is_success, reply, request};
use crate::check::Finding;
use crate::clock::{self, Deadline};
use crate::json::Value;
use crate::scenario::{Ctx, Need, Official, Profile, Suite};
use crate::server::reference::everything;
use crate::server::{Call, Server};
use crate::spec::{Revision, Revisions, header};
use crate::transport::fault::Lapse;
use crate::transport::{HttpAnswer, HttpRequest};
use crate::wire::sse::SseEvent;
use crate::wire::{Id, Message};
use crate::{proofs, scenario};

const ONLY: Revisions = Revisions::only(Revision::V2025_11_25);

scenario! {
    /// The server ends a connection before it has answered, and the client comes back for the answer.
    ///
    /// A request that takes long need not hold a connection all the time: the stream begins with an event that gives it an
    /// id, a `retry` time says when to come back, and GET with `Last-Event-ID` goes on where the client lost it. All of
    /// that is advice, so that little of it can fail; what comes back has to be the right thing, though, which is for
    /// checks of our own. The rows that only log what was said are kept for those who read the official ones.
    Server "server-sse-polling": "A client that was sent away comes back for its answer",
    revisions: ONLY,
    official: Official { revisions: ONLY, suites: &[Suite::Pending] },
    carriers: StreamableHttp,
    needs: [Need::Tool(TOOL)],
    checks: CHECKS,
}

const TOOL: &str = "test_reconnection";

/// How long a client may be sent away; a longer `retry` is not waited for.
const PATIENCE: Duration = Duration::from_secs(5);

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let outcome = polling(ctx).await;
    ctx.conclude("server-sse-polling-error", outcome)
}

async fn polling(ctx: &mut Ctx) -> Result<(), Finding> {
    let session = Session::open(ctx).await?;
    ctx.http(session.initialized()).await?;
    if session.id.is_none() && ctx.profile() == Profile::Official {
        let why = "a server need not have sessions";
        let without = Finding::peer("the server issues no session id").expected("a session id");
        ctx.check("server-sse-polling-session").officially_judge(Err(without.should()), why);
    }
    let outcome = call(ctx, &session).await;
    session.close(ctx).await;
    outcome
}

async fn call(ctx: &mut Ctx, session: &Session) -> Result<(), Finding> {
    ctx.check("outgoing-request").info(format!("POST tools/call {TOOL}"));
    let posted = ctx.http(session.post(&call_of(1))).await?;
    ctx.check("incoming-response").info(format!("HTTP {} for POST", posted.status));
    if !can_be_read(ctx, &posted) {
        ctx.skip_the_rest("the call was not answered with an event stream");
        return Ok(());
    }
    let result = events(ctx, &posted);
    ctx.check("stream-closed").info(format!("the stream of the POST {}", posted.how));
    priming(ctx, &posted);
    retry(ctx, &posted, result.is_some());
    let mut seen = posted.events.clone();
    seen.extend(resume(ctx, session, &posted, result.is_some()).await?);
    if !ctx.has_checked("server-sse-own-stream-only") {
        ctx.check("server-sse-own-stream-only").skip("no stream was resumed");
    }
    let check = ctx.check("server-sse-event-ids-unique");
    match seen.iter().any(|event| event.id.is_some()) {
        true => check.judge(unique(&seen)),
        false => check.skip("no event has an id"),
    };
    Ok(())
}

fn call_of(id: i64) -> serde_json::Value {
    request(Revision::V2025_11_25, id, "tools/call", json!({ "name": TOOL, "arguments": {} }))
}

/// Whether the call is answered with a stream; if not, says what is wrong with that.
fn can_be_read(ctx: &mut Ctx, posted: &HttpAnswer) -> bool {
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
        _ if !posted.is_stream() => {
            let got = format!("the server answers with {:?}", posted.media());
            ctx.check("server-sse-content-type").info(got);
            false
        }
        204 => {
            ctx.check("server-sse-polling-stream").fail(refused("an event stream without a body"));
            false
        }
        _ => true,
    }
}

/// Logs the events that say something, and hands back the result of the call, if it came.
fn events(ctx: &mut Ctx, posted: &HttpAnswer) -> Option<Value> {
    log(ctx, posted);
    let result = reply(posted, 1)?.unwrap_or_default();
    let check = ctx.check("incoming-sse-event");
    if result.get("isError").and_then(Value::as_bool) == Some(true) {
        let failed = finding("the tool fails", posted).expected("a result of the tool");
        check.by_fixture().fail(failed);
    } else {
        check.info("the result of the call");
    }
    Some(result)
}

fn log(ctx: &mut Ctx, answer: &HttpAnswer) {
    for event in answer.events.iter().filter(|event| event.id.is_some()) {
        ctx.check("incoming-sse-event").info(in_words(event));
    }
}

fn in_words(event: &SseEvent) -> String {
    let id = event.id.as_deref().unwrap_or_default();
    let retry = event.retry.map(|retry| format!(", retry {retry}")).unwrap_or_default();
    let data = if event.data.is_empty() { "no data" } else { "a message" };
    format!("id {id:?}{retry}, {data}")
}

fn priming(ctx: &mut Ctx, posted: &HttpAnswer) {
    let primes = |event: &SseEvent| {
        event.id.as_deref().is_some_and(|id| !id.is_empty())
            && matches!(event.data.as_str(), "" | "{}")
    };
    let got = posted.events.first().map_or("no event at all".to_owned(), in_words);
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

fn retry(ctx: &mut Ctx, posted: &HttpAnswer, is_answered: bool) {
    let check = ctx.check("server-sse-retry-field");
    let missing = || {
        finding("the stream does not say when to come back", posted)
            .expected("an event with a `retry` field")
            .got(format!("{} events without one", posted.events.len()))
    };
    if posted.events.iter().any(|event| event.retry.is_some()) {
        check.pass();
    } else if is_answered {
        let why = "a stream that does not end early need not say when to come back";
        check
            .info("the stream has brought the reply")
            .officially_judge(Err(missing().should()), why);
    } else {
        check.fail(missing());
    }
}

/// Comes back for the answer, if there is none yet, and hands back the events that came then.
async fn resume(
    ctx: &mut Ctx,
    session: &Session,
    posted: &HttpAnswer,
    is_answered: bool,
) -> Result<Vec<SseEvent>, Finding> {
    const RESUMES: &str = "server-sse-disconnect-resume";
    if is_answered {
        ctx.check(RESUMES).info("the result came on the stream of the POST");
        return Ok(Vec::new());
    }
    let Some(coming_back) = coming_back(ctx, session, posted) else {
        ctx.check(RESUMES).info("the stream gave no event an id, or the server has no sessions");
        return Ok(Vec::new());
    };
    wait(posted).await;
    ctx.check("outgoing-request").info("GET with Last-Event-ID");
    let resumed = resumed(ctx, coming_back, 1).await?;
    ctx.check("incoming-response").info(format!("HTTP {} for GET", resumed.status));
    log(ctx, &resumed);
    let check = ctx.check(RESUMES);
    if resumed.status == 405 {
        check.info("the server does not let clients come back: HTTP 405");
    } else if is_success(&resumed) && reply(&resumed, 1).is_some_and(|reply| reply.is_ok()) {
        check.pass();
        let seen = both(ctx, session).await?;
        return Ok([resumed.events, seen].concat());
    } else {
        check.fail(
            finding("the result does not come after the client has come back", &resumed)
                .expected("the result with id 1, on the stream that is resumed"),
        );
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
            .got(format!("{id:?}, twice"))),
    }
}

/// Makes two calls at once, resumes both, and hands back all events of both.
async fn both(ctx: &mut Ctx, session: &Session) -> Result<Vec<SseEvent>, Finding> {
    const OWN: &str = "server-sse-own-stream-only";
    let posts = [11, 12].map(|id| session.post(&call_of(id)));
    let posted: Vec<HttpAnswer> =
        ctx.http_all(posts).await?.into_iter().collect::<Result<_, _>>()?;
    let mut seen: Vec<SseEvent> = posted.iter().flat_map(|it| it.events.clone()).collect();
    let mut outcomes = Vec::new();
    for (answer, own) in posted.iter().zip([11, 12]) {
        let coming_back = coming_back(ctx, session, answer);
        let Some(coming_back) = coming_back.filter(|_| reply(answer, own).is_none()) else {
            continue;
        };
        wait(answer).await;
        let resumed = resumed(ctx, coming_back, own).await?;
        seen.extend(resumed.events.clone());
        if resumed.status != 405 {
            outcomes.push(only(own, &resumed));
        }
    }
    let mut check = ctx.check(OWN);
    if outcomes.is_empty() {
        check.skip("no stream was resumed");
        return Ok(seen);
    }
    for outcome in outcomes {
        check = check.judge(outcome);
    }
    drop(check);
    Ok(seen)
}

/// That a stream which is resumed holds no reply but the one that belongs to it.
fn only(own: i64, resumed: &HttpAnswer) -> Result<(), Finding> {
    let messages = resumed.messages();
    let id = |message: &Message| match message {
        Message::Response(response) => Some(response.id.clone()),
        Message::Error(error) => error.id.clone(),
        _ => None,
    };
    match messages.iter().filter_map(id).find(|id| *id != Id::from(own)) {
        None => Ok(()),
        Some(other) => {
            Err(finding("a stream that is resumed holds the reply of another one", resumed)
                .expected(format!("nothing but what belongs to the call with id {own}"))
                .got(format!("the reply with id {other}")))
        }
    }
}

/// The request with which a client comes back, if it was given an id to come back with.
///
/// Officially only within a session.
fn coming_back(ctx: &Ctx, session: &Session, posted: &HttpAnswer) -> Option<HttpRequest> {
    if session.id.is_none() && ctx.profile() == Profile::Official {
        return None;
    }
    let id = posted.events.iter().rev().find_map(|event| event.id.as_deref())?;
    Some(session.get().header(header::LAST_EVENT_ID, id))
}

/// Waits as long as the server wants its client to.
async fn wait(posted: &HttpAnswer) {
    let retry = posted.events.iter().rev().find_map(|event| event.retry).unwrap_or_default();
    clock::quiet(Duration::from_millis(retry).min(PATIENCE)).await;
}

/// Listens until the reply of this id has come, or nothing more does.
async fn resumed(ctx: &mut Ctx, request: HttpRequest, id: i64) -> Result<HttpAnswer, Finding> {
    let mut resumed = ctx.open_http(request).await?;
    let deadline = Deadline::after(PATIENCE);
    let own = Id::from(id);
    resumed.until_said(deadline, |message| message.is_reply() && message.id() == Some(&own)).await;
    Ok(resumed.close())
}

proofs! {
    passes on everything();
    catches "server-sse-polling-error" by status("initialize", 500),
        also "server-sse-priming-event" Skipped, also "server-sse-retry-field" Skipped,
        also "server-sse-disconnect-resume" Skipped, also "server-sse-event-ids-unique" Skipped,
        also "server-sse-own-stream-only" Skipped, also "incoming-sse-event" Info,
        also "stream-closed" Info,
        also "outgoing-request" Info, also "incoming-response" Info;
    warns "server-sse-polling-session" by lapse(Lapse::NoSession), under Official,
        also "server-sse-disconnect-resume" Info, also "server-sse-own-stream-only" Skipped;
    warns "server-sse-test-reconnection-tool" by status("tools/call", 404),
        also "server-sse-priming-event" Skipped, also "server-sse-retry-field" Skipped,
        also "server-sse-disconnect-resume" Skipped, also "server-sse-event-ids-unique" Skipped,
        also "server-sse-own-stream-only" Skipped, also "incoming-sse-event" Info,
        also "stream-closed" Info;
    catches "server-sse-post-request" by status("tools/call", 500),
        also "server-sse-priming-event" Skipped, also "server-sse-retry-field" Skipped,
        also "server-sse-disconnect-resume" Skipped, also "server-sse-event-ids-unique" Skipped,
        also "server-sse-own-stream-only" Skipped, also "incoming-sse-event" Info,
        also "stream-closed" Info;
    catches "server-sse-polling-stream" by status("tools/call", 204),
        also "server-sse-priming-event" Skipped, also "server-sse-retry-field" Skipped,
        also "server-sse-disconnect-resume" Skipped, also "server-sse-event-ids-unique" Skipped,
        also "server-sse-own-stream-only" Skipped, also "incoming-sse-event" Info,
        also "stream-closed" Info;
    catches "incoming-sse-event" on failing(),
        also "server-sse-disconnect-resume" Info, also "server-sse-own-stream-only" Skipped;
    warns "server-sse-priming-event" by lapse(Lapse::NoEventIds),
        also "incoming-sse-event" Info, also "server-sse-retry-field" Warning,
        also "server-sse-disconnect-resume" Info, also "server-sse-event-ids-unique" Skipped,
        also "server-sse-own-stream-only" Skipped;
    warns "server-sse-retry-field" by lapse(Lapse::NoRetry);
    warns "server-sse-disconnect-resume" by status("GET", 500), also "server-sse-own-stream-only" Skipped;
    catches "server-sse-event-ids-unique" by lapse(Lapse::ReusesEventIds),
        also "server-sse-own-stream-only" Failure, also "wire-well-formed" Failure;
    catches "server-sse-own-stream-only" by lapse(Lapse::ReusesEventIds),
        also "server-sse-event-ids-unique" Failure, also "wire-well-formed" Failure;
}

/// Says on the stream of the POST that the tool has failed.
fn failing() -> Server {
    everything().streaming_replies().on("tools/call", |_: Call| async {
        json!({ "content": [{ "type": "text", "text": "no" }], "isError": true })
    })
}
