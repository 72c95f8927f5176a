//! `tasks-unknown`.

use super::peer::tasks_server;
use super::task::request_for_task;
use super::task_states::UNKNOWN;
use crate::scenarios::prelude::*;
use crate::scenarios::refusal::{has_code, is_error};

scenario! {
    /// Requests for a task that does not exist are refused with -32602, and so is a cursor that the server has not issued.
    ///
    /// A client learns from this error that a task is gone, for example because its time to live is over, and stops asking for
    /// it. A result or another code leaves it polling.
    Server "tasks-unknown": "Requests for an unknown task are refused",
    revisions: Revisions::only(Revision::V2025_11_25),
    needs: [Need::Capability(Capability::Tasks)],
    shares_connection: Revisions::all(),
    checks: [
        check!("unknown-task-refused",
            "`tasks/get`, `tasks/result` and `tasks/cancel` for an unknown task are refused with -32602",
            [TASKS_INVALID_ID_ERROR]).conditional(),
        check!("unknown-task-cursor-refused",
            "`tasks/list` with a cursor that the server has not issued is refused with -32602",
            [TASKS_INVALID_CURSOR_ERROR]).conditional(),
        check!("task-error-message", "The errors have a message",
            [TASKS_ERROR_MESSAGES_INFORMATIVE]).conditional(),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    if ctx.declares(Capability::TasksList).await? {
        let cursor = json!({"cursor": "no-such-cursor-of-mcp-test"});
        let reply = ctx.request("tasks/list", cursor).await?;
        ctx.check("unknown-task-cursor-refused").judge(refused(&reply));
    }
    let mut methods = vec!["tasks/get"];
    if ctx.declares(Capability::TasksCancel).await? {
        methods.push("tasks/cancel");
    }
    // The last one: a server that waits for the end of an unknown task never answers it.
    methods.push("tasks/result");
    let mut outcome = Ok(());
    for method in methods {
        let reply = request_for_task(ctx, method, UNKNOWN).await?;
        outcome = outcome.and(refused(&reply));
        if let Some(error) = reply.error() {
            let message = ensure(!error.message.trim().is_empty(), || {
                Finding::peer(format!("the error of `{method}` has an empty message"))
                    .expected("a message that says what is wrong")
                    .evidence_all(reply.evidence())
                    .should()
            });
            ctx.check("task-error-message").judge(message);
        }
    }
    ctx.check("unknown-task-refused").judge(outcome);
    Ok(())
}

fn refused(reply: &Reply) -> Result<(), Finding> {
    is_error(reply).and_then(|()| has_code(reply, error_code::INVALID_PARAMS))
}

proofs! {
    passes on tasks_server();
    catches "unknown-task-refused" by reply_error("tasks/get", -32603);
    catches "unknown-task-refused" by reply_error("tasks/result", -32002);
    catches "unknown-task-refused" by reply_error("tasks/cancel", -32601);
    catches "unknown-task-cursor-refused" by answer("tasks/list", json!({"tasks": []}));
    catches "unknown-task-cursor-refused" by reply_error("tasks/list", -32603);
    warns "task-error-message" by set("tasks/get", "/error/message", json!(""));
}
