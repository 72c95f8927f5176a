//! `tasks-tool-support`.

use mcp_test_core::scenario::CallableTool;

use super::peer::{faulty, tasks_server};
use super::task::{call_as_task, call_of, tool_with};
use super::task_fault::TaskFault;
use crate::scenarios::prelude::*;
use crate::scenarios::refusal::{has_code, is_error, refused};

scenario! {
    /// A tool is called as a task if it requires that, and not as a task if it does not support it.
    ///
    /// With -32601 the client knows that it has called the tool in the wrong way. A result with `isError` reaches the model
    /// instead, which cannot call the tool in another way.
    Server "tasks-tool-support": "Tools are called as tasks as they state",
    revisions: Revisions::only(Revision::V2025_11_25),
    needs: [Need::Capability(Capability::TasksToolsCall), Need::CallableTool],
    shares_connection: Revisions::all(),
    checks: [
        check!("task-required", "A plain call of a tool with `taskSupport` `required` is refused with -32601",
            [TASKS_TOOL_REQUIRED_REJECTED]).conditional(),
        check!("task-forbidden", "A call as a task is refused with -32601 if the tool does not support it",
            [TASKS_TOOL_FORBIDDEN_REJECTED]).conditional(),
        check!("task-optional", "A tool with `taskSupport` `optional` is called as a task and without",
            [TASKS_TOOL_OPTIONAL_BOTH_ACCEPTED]).conditional(),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    // Arguments that may be wrong would be a second reason to refuse the call.
    match tool_with(ctx, &["required"]).await? {
        Some(tool) => {
            let reply = ctx.request("tools/call", call_of(&tool)).deliberate().await?;
            let outcome = is_error(&reply);
            let outcome = outcome.and_then(|()| has_code(&reply, error_code::METHOD_NOT_FOUND));
            ctx.check("task-required").judge(outcome);
        }
        None => drop(ctx.check("task-required").skip("no tool that may be called requires tasks")),
    }
    if let Some(tool) = tool_with(ctx, &["forbidden"]).await? {
        let reply = call_as_task(ctx, &tool, json!({"ttl": 60_000})).await?;
        ctx.check("task-forbidden").judge(refused(&reply, error_code::METHOD_NOT_FOUND));
    }
    if let Some(tool) = tool_with(ctx, &["optional"]).await? {
        optional(ctx, &tool).await?;
    }
    Ok(())
}

/// A tool that may be called in both ways.
async fn optional(ctx: &mut Ctx, tool: &CallableTool) -> Result<(), Finding> {
    let plain = ctx.request("tools/call", call_of(tool)).await?;
    let task = call_as_task(ctx, tool, json!({"ttl": 60_000})).await?;
    match (plain.error(), task.error()) {
        (None, None) => drop(ctx.check("task-optional").pass()),
        // Refused in both ways: it may be for another reason.
        (Some(_), Some(_)) => {
            drop(ctx.check("task-optional").info("the call is refused in both ways"));
        }
        (None, Some(_)) => {
            // A tool that is limited to some calls, or uses the network, may fail for another reason than the member.
            let again = ctx.request("tools/call", call_of(tool)).await?;
            if again.outcome().is_ok() {
                drop(ctx.check("task-optional").fail(one_way(&task, "as a task")));
            } else {
                let why = "the call is refused as a task, and then refused without `task` as well";
                drop(ctx.check("task-optional").info(why));
            }
        }
        // Tools that fail do so as tasks only later; that a task is wanted is said with one of two codes.
        (Some(error), None) if WANTS_TASK.contains(&error.code) => {
            drop(ctx.check("task-optional").fail(one_way(&plain, "without `task`")));
        }
        (Some(error), None) => {
            let why = format!("the call fails without `task`: {error}");
            drop(ctx.check("task-optional").info(why));
        }
    }
    Ok(())
}

/// The codes with which a server says that a call has to be a task.
const WANTS_TASK: [i64; 2] = [error_code::METHOD_NOT_FOUND, error_code::INVALID_REQUEST];

fn one_way(refused: &Reply, way: &str) -> Finding {
    let got = refused.outcome().err().map(ToString::to_string).unwrap_or_default();
    Finding::peer(format!("the tool cannot be called {way}, although `taskSupport` is `optional`"))
        .expected("no error in either way")
        .got(got)
        .evidence_all(refused.evidence())
}

proofs! {
    passes on tasks_server();
    catches "task-required" on wrapping_errors();
    catches "task-required" by set("tools/call", "/error/code", json!(-32602));
    warns "task-forbidden" on ignoring_tasks();
    catches "task-optional" on faulty(TaskFault::OnlyTasks);
}

/// Turns every error of a call into a result, as an SDK does.
fn wrapping_errors() -> Server {
    tasks_server().on("tools/call", |call: Call| async move {
        if call.param("name").and_then(Value::as_str) == Some("either") {
            return json!({"content": []});
        }
        let text = "MCP error -32601: the tool requires task augmentation";
        json!({"content": [{"type": "text", "text": text}], "isError": true})
    })
}

/// Runs tools that forbid tasks as if nothing were said.
fn ignoring_tasks() -> Server {
    use mcp_test_core::expect::equals;
    use mcp_test_core::server::{given, method, param};
    let server = tasks_server();
    let call = given(method("tools/call")).and(param("/name", equals("plain")));
    server.mount(call.respond_with(json!({"content": []})));
    server
}
