//! `base-notifications`.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use mcp_test_core::server::ClientMessage;
use mcp_test_core::spec::{Side, method};
use mcp_test_core::wire::Notification;

use crate::scenarios::prelude::*;
use crate::scenarios::without_id::reply_without_id;

scenario! {
    /// Notifications are never answered, and those that a server does not know do no harm.
    ///
    /// A notification has no id, so a reply to it belongs to no request. Clients of newer revisions, and those with
    /// extensions, send notifications that a server has never heard of. Over HTTP a server may refuse a notification with
    /// an error status, whose body may be an error without an id. The same holds for an error without an id, which only
    /// says that a message could not be read.
    Server "base-notifications": "Notifications are not answered",
    revisions: Revisions::all(),
    shares_connection: Revisions::all(),
    checks: [
        check!("notification-unanswered",
            "No notification is answered, neither an unknown one nor one about an unknown request",
            [JSONRPC_NOTIFICATION_NO_RESPONSE, TASKS_STATUS_NOTIFICATION_TOLERATED]),
        check!("unknown-notification-harmless",
            "The server answers requests after a notification that it does not know",
            [JSONRPC_UNKNOWN_NOTIFICATION_TOLERATED]),
        check!("error-without-id-harmless", "The server answers requests after an error without an id",
            [JSONRPC_ERROR_WITHOUT_ID_TOLERATED]).conditional(),
    ],
}

/// A notification that no server has by accident.
const UNKNOWN: &str = "notifications/no-such-notification-of-mcp-test";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    // At 2026-07-28 a server learns from the first request which revision its client speaks.
    ctx.request(always_answered(ctx.revision()), json!({})).await?.result()?;
    let before = ctx.fence("before the notifications").await?;
    notify(ctx, UNKNOWN, json!({"level": 7, "data": [null]})).await?;
    let alive = is_alive(ctx, Requirement::JSONRPC_UNKNOWN_NOTIFICATION_TOLERATED).await;
    if has_answered(ctx, before) {
        return Ok(());
    }
    let is_dead = alive.is_err();
    ctx.check("unknown-notification-harmless").judge(alive);
    if is_dead {
        // What the next requests show is only that the connection is gone.
        ctx.skip_the_rest("the server does not answer after an unknown notification");
        return Ok(());
    }
    notify(ctx, "notifications/cancelled", json!({"requestId": "no-such-request-of-mcp-test"}))
        .await?;
    if ctx.revision().era() == Era::Handshake {
        let params = json!({"progressToken": "no-such-token-of-mcp-test", "progress": 1});
        notify(ctx, "notifications/progress", params).await?;
    }
    let status = "notifications/tasks/status";
    if method(status).is_some_and(|known| known.sent_by(Side::Client, ctx.revision())) {
        let now = "2026-01-01T00:00:00Z";
        let params = json!({
            "taskId": "no-such-task-of-mcp-test", "status": "working", "createdAt": now, "lastUpdatedAt": now, "ttl": null,
        });
        notify(ctx, status, params).await?;
    }
    // A server answers in order, or at least has read the notifications by then.
    let alive = ctx.request(always_answered(ctx.revision()), json!({})).await;
    if has_answered(ctx, before) {
        return Ok(());
    }
    let _any_reply = alive?.error();
    ctx.check("notification-unanswered").pass();
    // Over HTTP, from 2026-07-28 on, a client posts requests and notifications only.
    if ctx.makes("error-without-id-harmless") && ctx.revision().has_server_requests() {
        let error = json!({"code": -32600, "message": "the message could not be read"});
        let error = json!({"jsonrpc": "2.0", "error": error});
        ctx.client().await?.send_raw(error.to_string()).await;
        let alive = is_alive(ctx, Requirement::JSONRPC_ERROR_WITHOUT_ID_TOLERATED).await;
        ctx.check("error-without-id-harmless").judge(alive);
    }
    Ok(())
}

/// Reports an answer to a notification, and whether there is one; it comes before the reply that the client waits for, and is
/// taken for it, so that nothing else can be tested.
fn has_answered(ctx: &mut Ctx, before: Seq) -> bool {
    let Some((seq, text)) = reply_without_id(&ctx.trace(), before) else { return false };
    ctx.check("notification-unanswered").fail(
        Finding::peer("a notification was answered")
            .expected("no response to a notification")
            .got(text)
            .requires(Requirement::JSONRPC_NOTIFICATION_NO_RESPONSE)
            .evidence(seq),
    );
    ctx.skip_the_rest("the server answers notifications");
    true
}

/// Sends a notification, and waits until it is accepted over HTTP.
async fn notify(ctx: &mut Ctx, method: &str, params: serde_json::Value) -> Result<(), Finding> {
    let notification = Notification::new(method, Some(params.into()));
    // Over HTTP a server may refuse what it cannot accept.
    let _refused = ctx.client().await?.notify_accepted(notification).await;
    Ok(())
}

/// Whether a request is answered.
async fn is_alive(ctx: &mut Ctx, requirement: &'static Requirement) -> Result<(), Finding> {
    let reply = ctx.request(always_answered(ctx.revision()), json!({})).await;
    reply.map(|reply| drop(reply.error().cloned())).map_err(|finding| finding.requires(requirement))
}

proofs! {
    passes on everything();
    catches "notification-unanswered" on answering_notifications(), at V2025_11_25;
    // Fails over a notification that it does not know.
    catches "unknown-notification-harmless" on dead_after(|message| message.method() == Some(UNKNOWN)), at V2025_11_25;
    // Fails over an error without an id.
    catches "error-without-id-harmless" on dead_after(|message| message.method().is_none()), at V2025_11_25;
}

/// Refuses a notification as if it were a request.
fn answering_notifications() -> Server {
    everything().on("notifications/progress", |call: Call| async move {
        let error = json!({"code": -32601, "message": "method not found"});
        let reply = json!({"jsonrpc": "2.0", "id": null, "error": error});
        call.send_raw(reply.into()).await.expect("the client reads");
        Answer::already_sent()
    })
}

/// Closes the connection when it is asked something after such a message.
fn dead_after(is_deadly: fn(&ClientMessage) -> bool) -> Server {
    let dead = Mutex::new(HashSet::new());
    let dies = move |message: &ClientMessage| {
        let mut dead = dead.lock().unwrap_or_else(PoisonError::into_inner);
        if is_deadly(message) {
            dead.insert(message.client);
        }
        message.method() == Some("ping") && dead.contains(&message.client)
    };
    reference_server_with([given(dies).respond_with(Answer::close())])
}
