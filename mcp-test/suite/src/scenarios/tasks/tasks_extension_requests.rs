//! `tasks-extension-requests`.

use super::peer::{faulty, tasks_server};
use super::task_fault::TaskFault;
use super::task_states::UNKNOWN;
use crate::scenarios::prelude::*;
use crate::scenarios::refusal::{has_code, is_error};

scenario! {
    /// The requests of the tasks extension need its declaration, and fail for a task that does not exist.
    ///
    /// Each request says by itself which extensions its client has. One that does not have tasks cannot understand the answer, so
    /// that it is refused with -32021, which names the extension. `tasks/result` is not part of the extension.
    Server "tasks-extension-requests": "The tasks extension refuses what it has to",
    revisions: Revisions::from(Revision::V2026_07_28),
    needs: [Need::Capability(Capability::TasksExtension)],
    shares_connection: Revisions::all(),
    checks: [
        check!("extension-unknown-task", "Requests for an unknown task are refused with -32602",
            [
                EXT_TASKS_GET_UNKNOWN_TASK, EXT_TASKS_UPDATE_UNKNOWN_TASK, EXT_TASKS_CANCEL_UNKNOWN_TASK,
                EXT_TASKS_PROTOCOL_ERRORS_JSONRPC,
            ]).conditional(),
        check!("extension-error-message", "The error for an unknown task has a message",
            [EXT_TASKS_INFORMATIVE_ERRORS]).conditional(),
        check!("extension-undeclared",
            "Requests of a client that does not declare the extension are refused with -32021",
            [EXT_TASKS_METHODS_MISSING_CAPABILITY, EXT_TASKS_LEGACY_CAPABILITY_NOT_ENOUGH]).conditional(),
        check!("extension-listen-undeclared",
            "A subscription to a task is refused with -32021 if its request does not declare the extension",
            [EXT_TASKS_LISTEN_MISSING_CAPABILITY]).conditional(),
        check!("extension-tasks-result", "`tasks/result` is refused with -32601",
            [EXT_TASKS_TASKS_RESULT_REMOVED]).conditional(),
    ],
}

/// The methods of the extension, and whether a refusal for an unknown task is required.
const METHODS: [(&str, &Requirement, bool); 3] = [
    ("tasks/get", Requirement::EXT_TASKS_GET_UNKNOWN_TASK, true),
    ("tasks/update", Requirement::EXT_TASKS_UPDATE_UNKNOWN_TASK, false),
    ("tasks/cancel", Requirement::EXT_TASKS_CANCEL_UNKNOWN_TASK, false),
];

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let extension = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    for (method, requirement, is_required) in METHODS {
        let reply = send(ctx, method, extension.clone()).await?;
        let outcome = is_error(&reply).and_then(|()| has_code(&reply, error_code::INVALID_PARAMS));
        let outcome =
            outcome.map_err(|finding| if is_required { finding } else { finding.should() });
        ctx.check("extension-unknown-task").requires(requirement).judge(outcome);
        if let Some(error) = reply.error() {
            let has_message = ensure(!error.message.trim().is_empty(), || {
                Finding::peer(format!("the error of `{method}` has an empty message"))
                    .expected("a message that says what is wrong")
                    .evidence_all(reply.evidence())
                    .should()
            });
            ctx.check("extension-error-message").judge(has_message);
        }
    }
    for (declared, requirement) in [
        (json!({}), Requirement::EXT_TASKS_METHODS_MISSING_CAPABILITY),
        (json!({"tasks": {}}), Requirement::EXT_TASKS_LEGACY_CAPABILITY_NOT_ENOUGH),
    ] {
        for (method, _, _) in METHODS {
            let reply = send(ctx, method, declared.clone()).await?;
            let code = error_code::MISSING_REQUIRED_CLIENT_CAPABILITY;
            let outcome = is_error(&reply).and_then(|()| has_code(&reply, code));
            ctx.check("extension-undeclared").requires(requirement).judge(outcome);
        }
    }
    let reply = send(ctx, "tasks/result", extension).await?;
    let outcome = is_error(&reply).and_then(|()| has_code(&reply, error_code::METHOD_NOT_FOUND));
    ctx.check("extension-tasks-result").judge(outcome);
    listen(ctx).await
}

/// Subscribes to a task without the declaration.
async fn listen(ctx: &mut Ctx) -> Result<(), Finding> {
    let before = ctx.fence("a subscription to a task").await?;
    let params = json!({"notifications": {"taskIds": [UNKNOWN]}});
    let request = ctx.request("subscriptions/listen", params);
    // A subscription that is accepted stays open; only a refusal is a reply.
    let request = request.meta(meta::CLIENT_CAPABILITIES, json!({})).deliberate().promptly();
    let outcome = match request.await {
        Ok(reply) => {
            let code = reply.error().map(|error| error.code);
            if code == Some(error_code::METHOD_NOT_FOUND) {
                let why = "the server has no subscriptions";
                drop(ctx.check("extension-listen-undeclared").info(why));
                return Ok(());
            }
            let expected = error_code::MISSING_REQUIRED_CLIENT_CAPABILITY;
            is_error(&reply).and_then(|()| has_code(&reply, expected))
        }
        Err(silence) => {
            let trace = ctx.trace();
            let acknowledged = trace.messages().find(|(event, message)| {
                event.seq > before
                    && message.method() == Some("notifications/subscriptions/acknowledged")
            });
            let Some((event, _)) = acknowledged else { return Err(silence) };
            Err(Finding::peer("a subscription to a task is accepted without the extension")
                .expected("error -32021, which names the extension")
                .got("an acknowledgement")
                .evidence_all([before, event.seq]))
        }
    };
    ctx.check("extension-listen-undeclared").judge(outcome);
    Ok(())
}

async fn send(ctx: &mut Ctx, method: &str, declared: serde_json::Value) -> Result<Reply, Finding> {
    let mut params = json!({ "taskId": UNKNOWN });
    if method == "tasks/update" {
        params["inputResponses"] = json!({});
    }
    // Deliberate, since half of the requests lack the declaration.
    ctx.request(method, params).meta(meta::CLIENT_CAPABILITIES, declared).deliberate().await
}

proofs! {
    passes on tasks_server();
    catches "extension-unknown-task" on with_another_code_for_unknown_tasks();
    // Acknowledges the cancellation of any task, whoever asks.
    warns "extension-unknown-task" on tasks_server().on("tasks/cancel", |_: Call| async { json!({}) });
    warns "extension-error-message" by set("tasks/get", "/error/message", json!(""));
    catches "extension-undeclared" on serving_everyone();
    catches "extension-listen-undeclared" on faulty(TaskFault::AcceptsSubscriptions);
    catches "extension-tasks-result" by reply_error("tasks/result", -32602);
}

/// Uses the code for internal errors.
fn with_another_code_for_unknown_tasks() -> Server {
    tasks_server().on("tasks/get", |call: Call| async move {
        let refused = call.require(Capability::TasksExtension);
        refused.err().unwrap_or_else(|| Answer::error(error_code::INTERNAL_ERROR, "no such task"))
    })
}

/// Does not look at the declarations of the client.
fn serving_everyone() -> Server {
    tasks_server().on("tasks/get", |_: Call| async {
        Answer::error(error_code::INVALID_PARAMS, "task not found")
    })
}
