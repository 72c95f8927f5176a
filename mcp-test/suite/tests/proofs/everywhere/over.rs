//! Messages about what is over: a reply was sent, the client has cancelled, or a task is finished.

use std::time::Duration;

use mcp_test_core::check::Status;
use mcp_test_core::clock;
use mcp_test_core::scenario::{Ctx, Running};
use mcp_test_core::server::reference::everything;
use mcp_test_core::server::{Answer, Call, Server};
use mcp_test_core::spec::Requirement;
use mcp_test_core::spec::Revision::{V2025_11_25, V2026_07_28};
use mcp_test_core::transport::Fault;
use mcp_test_core::transport::TransportKind::{self, Duplex, Router};
use serde_json::{Value, json};

use super::{Row, body, row_in};

pub(crate) fn groups() -> [Vec<Row>; 3] {
    [cancelled(), replied(), finished()]
}

/// Calls a tool with the progress token 7, cancels the call and goes on.
fn cancelling(ctx: &mut Ctx) -> Running<'_> {
    Box::pin(async move {
        let call = json!({ "name": "test_simple_text" });
        let pending = ctx.request("tools/call", call).progress(7).start().await?;
        let _cancelled = ctx.cancel(pending).await?;
        for list in ["tools/list", "prompts/list"] {
            ctx.request(list, json!({})).await?.result()?;
        }
        Ok(())
    })
}

/// Progress with this token, before a message.
fn progress(before: &str, token: impl Into<Value>) -> Fault {
    let params = json!({ "progressToken": token.into(), "progress": 1 });
    let method = "notifications/progress";
    Fault::stray(before, json!({ "jsonrpc": "2.0", "method": method, "params": params }))
}

fn cancelled() -> Vec<Row> {
    // The reply to `tools/list` comes before that to the cancelled call, and that to `prompts/list` after it.
    let answered = || {
        let late = |method, seconds| Fault::late(method, Duration::from_secs(seconds));
        [Fault::ignore("notifications/cancelled"), late("tools/call", 1), late("prompts/list", 2)]
    };
    let scenario_run = |revision, transport| body("cancelling", cancelling, revision, transport);
    vec![
        row_in(
            scenario_run(V2025_11_25, Duplex),
            answered(),
            Status::Warning,
            &[Requirement::CANCELLATION_NO_RESPONSE],
        )
        .without_twin(),
        row_in(
            scenario_run(V2026_07_28, Duplex),
            answered(),
            Status::Failure,
            &[Requirement::TRANSPORT_STDIO_CANCEL_NO_FURTHER_MESSAGES],
        ),
        row_in(
            scenario_run(V2026_07_28, Router),
            [progress("prompts/list", 7)],
            Status::Failure,
            &[
                Requirement::TRANSPORT_HTTP_CANCEL_NO_FURTHER_MESSAGES,
                Requirement::TRANSPORT_HTTP_SSE_NOTIFICATIONS_RELATED,
            ],
        ),
    ]
}

/// Calls a tool with a log level and the progress token 7, and reads what comes after the reply.
fn reading_on(ctx: &mut Ctx) -> Running<'_> {
    Box::pin(async move {
        let call = json!({ "name": "test_simple_text" });
        ctx.request("tools/call", call).progress(7).log_level("debug").await?.result()?;
        // No request may be open, and without one there is nothing to wait for; the time is virtual.
        clock::quiet(Duration::from_secs(1)).await;
        ctx.client().await?.catch_up().await;
        Ok(())
    })
}

/// The reference server, which sends a notification after the reply to a call.
fn notifying_late(method: &'static str, params: Value) -> Server {
    // In one JSON text there is no place for more than the reply.
    everything().streaming_replies().on("tools/call", move |call: Call| {
        let params = params.clone();
        async move {
            let id = call.id().map(|id| id.to_value().to_serde());
            let result = json!({ "content": [], "resultType": "complete" });
            let reply = json!({ "jsonrpc": "2.0", "id": id, "result": result });
            // A client that has disconnected misses both.
            call.send_raw(reply.into()).await.ok();
            call.notify(method, params).await.ok();
            Answer::end_stream()
        }
    })
}

fn replied() -> Vec<Row> {
    let scenario_run = |transport| body("reading-on", reading_on, V2026_07_28, transport);
    let log = || notifying_late("notifications/message", json!({ "level": "info", "data": 1 }));
    let progress = json!({ "progressToken": 7, "progress": 1 });
    let updated = json!({ "uri": "test://static-text" });
    let row = |transport: TransportKind, requirements: &[&'static Requirement]| {
        row_in(scenario_run(transport), [], Status::Failure, requirements).without_twin()
    };
    vec![
        row(Router, &[Requirement::LOGGING_PER_REQUEST_BEFORE_RESPONSE]).on(log()),
        row(Router, &[Requirement::PROGRESS_STOPS_AFTER_COMPLETION])
            .on(notifying_late("notifications/progress", progress)),
        row(Duplex, &[Requirement::TRANSPORT_STDIO_SERVER_MESSAGE_KINDS])
            .on(notifying_late("notifications/resources/updated", updated)),
    ]
}

/// Starts a task with the progress token 7, asks for its status and goes on.
fn polling(ctx: &mut Ctx) -> Running<'_> {
    Box::pin(async move {
        let call = json!({ "name": "test_simple_text", "task": {} });
        // The reference server has no tasks at this revision.
        let _created = ctx.request("tools/call", call).progress(7).await?.outcome();
        let _state = ctx.request("tasks/get", json!({ "taskId": "t1" })).await?.outcome();
        ctx.ping().await?.result()?;
        Ok(())
    })
}

fn finished() -> Vec<Row> {
    let scenario_run = |transport| body("polling", polling, V2025_11_25, transport);
    let task = |status: &str| {
        let time = "2025-11-25T10:00:00Z";
        json!({ "taskId": "t1", "status": status, "createdAt": time, "lastUpdatedAt": time, "ttl": null })
    };
    let created = || Fault::answer("tools/call", json!({ "task": task("working") }));
    let declares = || Fault::set("initialize", "/capabilities/tasks", json!({}));
    let with_id = || {
        let state = Fault::answer("tasks/get", task("working"));
        [declares(), created(), state, progress("tasks/get", "t1")]
    };
    let completed =
        [declares(), created(), Fault::answer("tasks/get", task("completed")), progress("ping", 7)];
    let token = [Requirement::PROGRESS_TASK_TOKEN_CONTINUES, Requirement::PROGRESS_TOKEN_KNOWN];
    vec![
        row_in(scenario_run(Duplex), with_id(), Status::Failure, &token).without_twin(),
        row_in(
            scenario_run(Router),
            with_id(),
            Status::Failure,
            &[&token[..], &[Requirement::TRANSPORT_HTTP_SSE_MESSAGES_RELATED]].concat(),
        ),
        row_in(
            scenario_run(Duplex),
            completed,
            Status::Failure,
            &[Requirement::PROGRESS_TASK_STOPS_TERMINAL],
        ),
        row_in(
            scenario_run(Duplex),
            [progress("tools/call", "7")],
            Status::Failure,
            &[Requirement::PROGRESS_TOKEN_ECHOED],
        ),
    ]
}
