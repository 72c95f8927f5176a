//! `tasks-errors`.

use mcp_test_core::scenario::CallableTool;

use super::peer::{faulty, tasks_server};
use super::task::{call_as_task, call_of, request_for_task, support};
use super::task_fault::TaskFault;
use super::task_states::member;
use crate::scenarios::prelude::*;

scenario! {
    /// A tool that fails with a JSON-RPC error does so as a task, too.
    ///
    /// `tasks/result` takes the place of the reply to the call, so that a client handles both in one way. Tried on the tools that
    /// may be called in both ways and fail without arguments of their own being wrong, twice with the same code.
    Server "tasks-errors": "Errors of a call are those of its task",
    revisions: Revisions::only(Revision::V2025_11_25),
    needs: [Need::Capability(Capability::TasksToolsCall), Need::CallableTool],
    checks: [
        check!("task-error", "`tasks/result` fails with the error with which the call fails without `task`",
            [TASKS_RESULT_ERROR_PASSTHROUGH]).conditional(),
    ],
}

/// How many tools are called to find one that fails.
const TOOLS: usize = 3;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let tools = ctx.callable_tools().await?;
    let is_candidate =
        |tool: &&CallableTool| tool.arguments.is_some() && support(tool) == "optional";
    for tool in tools.iter().filter(is_candidate).take(TOOLS) {
        let Some(code) = code(ctx, tool).await? else { continue };
        let created = call_as_task(ctx, tool, json!({"ttl": 60_000})).await?;
        let Some(id) = member(&created, "/task/taskId").map(str::to_owned) else { continue };
        let result = request_for_task(ctx, "tasks/result", &id).await?;
        // Without `task` again, since what made the call fail may be over.
        if self::code(ctx, tool).await? != Some(code) {
            continue;
        }
        let got = result.error().map(|error| error.code);
        ctx.check("task-error").judge(ensure(got == Some(code), || {
            Finding::peer("a call fails with an error, and its task does not")
                .expected(format!("a JSON-RPC error with code {code}"))
                .got(result.outcome().map_or_else(ToString::to_string, |result| result.short(120)))
                .evidence_all(result.evidence())
        }));
        return Ok(());
    }
    let why = "no tool that may be called in both ways fails with a JSON-RPC error";
    drop(ctx.check("task-error").skip(why));
    Ok(())
}

/// The code of the error with which a call without `task` fails.
async fn code(ctx: &mut Ctx, tool: &CallableTool) -> Result<Option<i64>, Finding> {
    let reply = ctx.request("tools/call", call_of(tool)).await?;
    Ok(reply.error().map(|error| error.code))
}

proofs! {
    passes on tasks_server();
    catches "task-error" on faulty(TaskFault::WrapsErrors);
}
