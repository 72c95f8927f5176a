//! `cancellation-ignored`.

use mcp_test_core::wire::{ErrorReply, Notification};

use crate::scenarios::prelude::*;
use crate::scenarios::without_id::reply_without_id;

scenario! {
    /// A cancellation that names no running request is ignored.
    ///
    /// It may cross the reply on the wire, so that every client sometimes cancels a request that is finished already. An
    /// answer has no request that it belongs to, and a server that stops working loses its other clients' requests too. Over HTTP
    /// from 2026-07-28 on clients cancel by closing the stream of a request, so that only that is tried there.
    Server "cancellation-ignored": "Late, unknown and malformed cancellations are ignored",
    revisions: Revisions::all(),
    shares_connection: Revisions::all(),
    checks: [
        check!("cancelled-stream",
            "Over HTTP from 2026-07-28 on, the server goes on after the stream of a request was closed",
            [CANCELLATION_RACE_GRACEFUL]).conditional(),
        check!("cancelled-after-reply", "The cancellation of a request that was answered is ignored",
            [CANCELLATION_RACE_GRACEFUL, CANCELLATION_COMPLETED_ID_IGNORED]).conditional()
            .always_fails("a server that stops serving breaks both requirements"),
        check!("unknown-cancellation", "The cancellation of an unknown request is ignored",
            [CANCELLATION_UNKNOWN_ID_IGNORED]).conditional(),
        check!("malformed-cancellation",
            "A cancellation without the id of a request, or with an object as id, is ignored",
            [CANCELLATION_MALFORMED_IGNORED]).conditional(),
    ],
}

const METHOD: &str = "notifications/cancelled";
/// The check of two cancellations.
const MALFORMED: &str = "malformed-cancellation";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    if !uses_streams(ctx) {
        return notified(ctx).await;
    }
    // Elsewhere a reply to a request that was cancelled at once may be sent after that to the next one, without fault.
    let pending = ctx.start(always_answered(ctx.revision()), json!({})).await?;
    let _ = ctx.cancel(pending).await?;
    let next = answered(ctx).await;
    ctx.check("cancelled-stream").judge(next);
    Ok(())
}

/// Judges cancellations by notification, up to the first one that is not ignored.
async fn notified(ctx: &mut Ctx) -> Result<(), Finding> {
    let finished = ctx.start(always_answered(ctx.revision()), json!({})).await?;
    let id = finished.id().to_value();
    ctx.wait(finished).await?.result()?;
    let cancellations = [
        ("cancelled-after-reply", json!({ "requestId": id.to_serde() })),
        ("unknown-cancellation", json!({"requestId": "no-such-request-of-mcp-test"})),
        (MALFORMED, json!({})),
        (MALFORMED, json!({"requestId": {}})),
    ];
    for (id, params) in cancellations {
        let outcome = match ignored(ctx, params, id == MALFORMED).await {
            Ok(outcome) => outcome,
            Err(finding) => {
                ctx.check(id).fail(finding);
                ctx.skip_the_rest("the server does not answer any more");
                return Ok(());
            }
        };
        let is_ignored = outcome.is_ok();
        if id != MALFORMED || !is_ignored || !ctx.has_checked(id) {
            ctx.check(id).judge(outcome);
        }
        // What arrives for a cancellation may be taken for the reply to the next request, so that nothing more can be tested.
        if !is_ignored {
            break;
        }
    }
    Ok(())
}

/// Whether requests are cancelled by closing their streams, without a notification.
fn uses_streams(ctx: &Ctx) -> bool {
    ctx.transport().is_http() && ctx.revision().era() == Era::Stateless
}

/// Whether the next request gets its result.
async fn answered(ctx: &mut Ctx) -> Result<(), Finding> {
    ctx.request(always_answered(ctx.revision()), json!({})).await?.result().map(|_| ())
}

/// Whether a cancellation with these parameters is ignored; the outer error is that of a server that no longer answers.
async fn ignored(
    ctx: &mut Ctx,
    params: serde_json::Value,
    is_malformed: bool,
) -> Result<Result<(), Finding>, Finding> {
    let params = Value::from(params);
    let since = ctx.fence("before the cancellation").await?;
    let cancellation = Notification::new(METHOD, Some(params.clone()));
    let accepted = ctx.client().await?.notify_accepted(cancellation).await;
    let trace = ctx.trace();
    let own = trace.messages().filter(|(event, _)| event.seq > since);
    for (event, _) in own.filter(|(_, message)| message.method() == Some(METHOD)) {
        ctx.recorder().mark_deliberate(event.seq);
    }
    if let Err(finding) = accepted {
        if ctx.trace().deadline_fired() {
            return Err(finding);
        }
        // What a server cannot accept, it may refuse with an error status (`basic/transports#sending-messages-to-the-server`).
        if !is_malformed {
            let refused =
                Finding::peer("the cancellation of a request that is not running is refused");
            let got = finding.got.unwrap_or_default();
            return Ok(Err(refused.expected("HTTP 202").got(got).evidence_all(finding.evidence)));
        }
    }
    let next = answered(ctx).await;
    // First, since an error without an id also ends the wait for the reply to the next request.
    let unanswered = unanswered(&ctx.trace(), since, params.get("requestId"));
    if unanswered.is_ok() { next.map(Ok) } else { Ok(unanswered) }
}

/// Whether no error since then is about the cancellation.
fn unanswered(trace: &Trace, since: Seq, id: Option<&Value>) -> Result<(), Finding> {
    let is_about = |reply: &ErrorReply| reply.id.as_ref().map(Id::to_value).as_ref() == id;
    let about_id = || {
        let mut later = trace.messages().filter(|(event, _)| event.seq > since);
        later.find_map(|(event, message)| match message {
            Message::Error(reply) if event.party == Party::Server && is_about(reply) => {
                Some((event.seq, reply.error.to_string()))
            }
            _ => None,
        })
    };
    let answer = reply_without_id(trace, since).or_else(|| id.and_then(|_| about_id()));
    answer.map_or(Ok(()), |(seq, text)| {
        Err(Finding::peer("the cancellation of a request that is not running is answered")
            .expected("no answer")
            .got(text)
            .evidence(seq))
    })
}

proofs! {
    passes on everything();
    catches "cancelled-stream" by reply_error("server/discover", -32603), over Router, at V2026_07_28;
    // Knows a request only until it is answered.
    catches "cancelled-after-reply" on answering(|id| id.is_some_and(Value::is_number)), at V2025_11_25;
    // Does not know the request.
    warns "unknown-cancellation" on answering(|id| id.is_some_and(Value::is_string)), at V2025_11_25;
    catches "cancelled-after-reply" by status("notifications/cancelled", 400), over Router, at V2025_11_25;
    // Validates notifications as it does requests.
    warns "malformed-cancellation"
        on answering(|id| !id.is_some_and(|id| id.is_number() || id.is_string())), at V2025_11_25;
}

/// Answers a cancellation with an error that belongs to no request, if its id is wrong.
fn answering(is_wrong: fn(Option<&Value>) -> bool) -> Server {
    let error = json!({"code": -32600, "message": "unknown request"});
    let error = json!({"jsonrpc": "2.0", "id": null, "error": error});
    let server = everything().on(METHOD, move |call: Call| async move {
        if is_wrong(call.param("requestId")) {
            // The fault adds the error to this message, since notifications cannot be answered otherwise.
            let log = json!({"level": "error", "data": "unknown request"});
            call.notify("notifications/message", log).await.ok();
        }
        json!({})
    });
    server.faults([Fault::stray("notifications/message", error)])
}
