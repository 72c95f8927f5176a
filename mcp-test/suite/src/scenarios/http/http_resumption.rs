//! `http-resumption`.

use mcp_test_core::expect::words::count;
use mcp_test_core::wire::sse::SseEvent;

use crate::scenarios::prelude::*;
use crate::scenarios::raw_http::{Session, finding, harmless_method, reply, request};

scenario! {
    /// A stream that is resumed after one of its events continues with the next one, and with no other stream.
    ///
    /// Servers need not offer this: one that answers in JSON, whose events have no ids, or that replays nothing passes.
    /// Two requests are answered on streams of their own. Each stream is then resumed after its first event, as by a client
    /// that lost the rest.
    Server "http-resumption": "A resumed stream continues where it was left",
    revisions: Revisions::between(Revision::V2025_03_26, Revision::V2025_11_25),
    transports: StreamableHttp,
    checks: [
        check!("resumed-events-of-own-stream", "A stream that is resumed contains no reply of another stream",
            [TRANSPORT_HTTP_EVENT_ID_ENCODES_STREAM, TRANSPORT_HTTP_EVENT_ID_CURSOR]).conditional(),
        check!("resumed-events-in-order",
            "A stream that is resumed contains the events after the given one, in their order",
            [TRANSPORT_HTTP_EVENT_ID_CURSOR]).conditional(),
    ],
}

/// How long the server may take to replay an event that it has sent before.
const REPLAY: Duration = Duration::from_secs(2);

/// The ids of the two requests.
const IDS: [i64; 2] = [2, 3];

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let method = harmless_method(ctx).await?;
    let session = Session::open(ctx).await?;
    let outcome = resumption(ctx, &session, method).await;
    session.close(ctx).await;
    outcome
}

async fn resumption(ctx: &mut Ctx, session: &Session, method: &str) -> Result<(), Finding> {
    ctx.http(session.initialized()).await?;
    let posts = IDS.map(|id| session.post(&request(ctx.revision(), id, method, json!({}))));
    let answers: Vec<HttpResponse> =
        ctx.http_all(posts).await?.into_iter().collect::<Result<_, _>>()?;
    for (own, answer) in IDS.into_iter().zip(&answers) {
        let rest = rest_of(answer);
        // Without an event after one with an id there is nothing to resume.
        let (Some((cursor, rest)), Some(_)) = (rest, reply(answer, own)) else { continue };
        let resuming = session.get().header(header::LAST_EVENT_ID, &cursor);
        let mut resumed = ctx.open_http(resuming).await?;
        let is_reply = |message: &Message| message.is_reply();
        resumed.read_until_message(Deadline::after(REPLAY), is_reply).await;
        let resumed = resumed.close();
        // A server may do without resumption (`basic/transports`, "Resumability and Redelivery").
        if !resumed.messages().iter().any(Message::is_reply) {
            continue;
        }
        ctx.check("resumed-events-of-own-stream")
            .requires(stream_row(session.revision))
            .judge(has_own_reply(own, &resumed));
        if has_own_reply(own, &resumed).is_ok() {
            ctx.check("resumed-events-in-order").judge(continues(&cursor, &rest, &resumed));
        }
    }
    if !ctx.has_checked("resumed-events-of-own-stream") {
        ctx.check("resumed-events-of-own-stream").skip("the server offers nothing to resume");
    }
    Ok(())
}

/// Revisions before 2025-11-25 do not say that the id names its stream, but that it is a position in it.
fn stream_row(revision: Revision) -> &'static Requirement {
    let stream = Requirement::TRANSPORT_HTTP_EVENT_ID_ENCODES_STREAM;
    Requirement::first_at(revision, &[stream, Requirement::TRANSPORT_HTTP_EVENT_ID_CURSOR])
}

/// The id of the first event that has one, and the messages after it.
fn rest_of(answer: &HttpResponse) -> Option<(String, Vec<String>)> {
    let first = answer.events.iter().position(|event| event.id.is_some())?;
    let rest = data_of(&answer.events[first + 1..]);
    let id = answer.events[first].id.clone()?;
    (!rest.is_empty()).then_some((id, rest))
}

/// The messages in events; a priming event has none.
fn data_of(events: &[SseEvent]) -> Vec<String> {
    events.iter().map(|event| event.data.clone()).filter(|data| !data.is_empty()).collect()
}

fn has_own_reply(own: i64, resumed: &HttpResponse) -> Result<(), Finding> {
    let messages = resumed.messages();
    let replies = messages.iter().filter(|message| message.is_reply());
    let other = replies.filter_map(Message::id).find(|id| **id != Id::from(own));
    ensure(other.is_none(), || {
        finding("a resumed stream contains the reply of another stream", resumed)
            .expected(format!("only the reply with id {own}"))
            .should()
    })
}

fn continues(cursor: &str, rest: &[String], resumed: &HttpResponse) -> Result<(), Finding> {
    let replayed = data_of(&resumed.events);
    let repeats = resumed.events.iter().any(|event| event.id.as_deref() == Some(cursor));
    ensure(replayed == rest && !repeats, || {
        let got = match repeats {
            true => format!("the event {cursor:?} again"),
            false => format!("{} with other data", count(replayed.len(), "event")),
        };
        finding("a resumed stream does not continue after the given event", resumed)
            .expected(format!("the {} after {cursor:?}", count(rest.len(), "event")))
            .got(got)
            .should()
    })
}

proofs! {
    // The reference server, answering with event streams.
    passes on everything().streaming_replies();
    warns "resumed-events-of-own-stream" by misbehavior(Misbehavior::ReusesEventIds);
    warns "resumed-events-in-order" by misbehavior(Misbehavior::RepeatsEvent);
}
