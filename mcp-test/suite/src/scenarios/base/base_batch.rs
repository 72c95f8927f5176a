//! `base-batch`.

use mcp_test_core::client::Pending;

use crate::scenarios::prelude::*;
use crate::scenarios::refusal::{refused, refused_in_any_way};
use crate::scenarios::sdk_answers::recognize_unanswered_array;
use crate::scenarios::without_id::reply_without_id;

scenario! {
    /// A batch of requests is received, and each request in it is answered.
    ///
    /// Only 2025-03-26 has batches, and there every receiver has to support them, even if it sends none. The replies may come
    /// as a batch or one by one. An empty batch is an invalid request.
    Server "base-batch": "Each request of a batch is answered",
    revisions: Revisions::only(Revision::V2025_03_26),
    checks: [
        check!("batch-answered", "Each request of a batch is answered under its id",
            [JSONRPC_BATCH_RECEIVE, JSONRPC_BATCH_EACH_REQUEST_ANSWERED]),
        check!("batch-notification-unanswered", "A notification between the requests of a batch is not answered",
            [JSONRPC_BATCH_EACH_REQUEST_ANSWERED]),
        check!("batch-empty", "An empty batch is answered with one error, -32600",
            [JSONRPC_BATCH_EMPTY_INVALID]),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let client = ctx.client().await?;
    let pending = client.batch([("ping", json!({})), ("ping", json!({}))]).await;
    let sent = pending.first().map(|one| one.sent().seq);
    let mut replies = Vec::new();
    // The time-outs of both have begun.
    for one in pending {
        replies.push(ctx.wait(one.promptly()).await);
    }
    let sdk = match sent.filter(|_| replies.iter().all(Result::is_err)) {
        Some(sent) => recognize_unanswered_array(ctx, sent).await,
        None => None,
    };
    let mut is_answered = true;
    for reply in replies {
        let answered =
            reply.map_err(|finding| finding.sdk(sdk)).and_then(|reply| reply.result().map(drop));
        is_answered &= answered.is_ok();
        let check = ctx.check("batch-answered").requires(Requirement::JSONRPC_BATCH_RECEIVE);
        check.judge(
            answered.map_err(|finding| finding.requiring(vec![Requirement::JSONRPC_BATCH_RECEIVE])),
        );
    }
    if !is_answered {
        // A second and a third time-out would show nothing else.
        ctx.skip_the_rest("the server does not answer batches");
        return Ok(());
    }
    let before = ctx.fence("before the batch with a notification").await?;
    let batch = json!([
        {"jsonrpc": "2.0", "id": ID, "method": "ping"},
        {"jsonrpc": "2.0", "method": NOTIFICATION, "params": {"requestId": "no-such-request"}},
    ]);
    let pending = ctx.client().await?.start_raw(ID, "ping", batch.to_string()).await;
    let answered = answer(ctx, pending).await;
    // First, since the client takes it for the reply to the request.
    if let Some((seq, text)) = reply_without_id(&ctx.trace(), before) {
        ctx.check("batch-notification-unanswered").fail(
            Finding::peer("a notification in a batch was answered")
                .expected("a response to the request only")
                .got(text)
                .evidence(seq),
        );
        ctx.skip_the_rest("the server answers notifications");
        return Ok(());
    }
    ctx.check("batch-notification-unanswered").judge(answered);
    let client = ctx.client().await?;
    let pending = client.start_unreadable(Id::from("empty"), "an empty batch", "[]".into()).await;
    let reply = ctx.wait(pending).await;
    let outcome = refused_in_any_way(&ctx.trace(), reply, |reply| {
        refused(reply, error_code::INVALID_REQUEST)
    });
    let requirements = vec![Requirement::JSONRPC_BATCH_EMPTY_INVALID];
    let broken = |finding: Finding| finding.requiring(requirements).should();
    ctx.check("batch-empty").judge(outcome.map_err(broken));
    Ok(())
}

/// The id of the request next to a notification.
const ID: &str = "beside-a-notification";
const NOTIFICATION: &str = "notifications/cancelled";

async fn answer(ctx: &mut Ctx, pending: Pending) -> Result<(), Finding> {
    ctx.wait(pending.promptly()).await?.result().map(drop)
}

proofs! {
    passes on everything();
    catches "batch-answered" by reply_error("ping", -32600);
    catches "batch-notification-unanswered" on answering_notifications();
    warns "batch-empty" by misbehavior(Misbehavior::VagueRefusal);
}

/// Answers a notification, although it has no id.
fn answering_notifications() -> Server {
    everything().on(NOTIFICATION, |call: Call| async move {
        let error = json!({"code": -32601, "message": "method not found"});
        let reply = json!({"jsonrpc": "2.0", "id": null, "error": error});
        call.send_raw(reply.into()).await.expect("the client reads");
        Answer::already_sent()
    })
}
