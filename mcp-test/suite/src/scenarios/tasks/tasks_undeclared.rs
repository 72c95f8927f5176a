//! `tasks-undeclared`.

use mcp_test_core::scenario::CallableTool;

use super::task::{call_as_task, call_of, support};
use super::task_states::UNKNOWN;
use crate::scenarios::prelude::*;
use crate::scenarios::refusal::is_error;

scenario! {
    /// A server without capabilities for tasks serves no requests for them, and ignores the member `task` of a call.
    ///
    /// Clients decide by the capabilities whether a call becomes a task. The member of a client that does not look at them
    /// must not change the call: neither fail it nor make it a task that the client cannot follow.
    Server "tasks-undeclared": "Without the capability there are no tasks",
    revisions: Revisions::only(Revision::V2025_11_25),
    shares_connection: Revisions::all(),
    checks: [
        check!("undeclared-task-methods",
            "`tasks/list` and `tasks/cancel` are not served if their capabilities are not declared",
            [TASKS_LIST_REQUIRES_CAPABILITY, TASKS_CANCEL_REQUIRES_CAPABILITY]).conditional(),
        check!("undeclared-task-ignored",
            "A call with `task` is answered as one without if the capability for it is not declared",
            [TASKS_UNDECLARED_AUGMENTATION_IGNORED, TASKS_CAPABILITY_DECLARED]).conditional(),
    ],
}

/// How many tools are called at most to find one whose plain call succeeds.
const MOST_TOOLS: usize = 3;

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let lists = ctx.declares(Capability::TasksList).await?;
    let cancels = ctx.declares(Capability::TasksCancel).await?;
    if lists && cancels {
        drop(ctx.check("undeclared-task-methods").info("the server declares both methods"));
    }
    if !lists {
        let reply = ctx.request("tasks/list", json!({})).deliberate().promptly().await?;
        ctx.check("undeclared-task-methods")
            .requires(Requirement::TASKS_LIST_REQUIRES_CAPABILITY)
            .judge(is_error_or_empty(&reply));
    }
    if !cancels {
        let params = json!({ "taskId": UNKNOWN });
        let reply = ctx.request("tasks/cancel", params).deliberate().await?;
        ctx.check("undeclared-task-methods")
            .requires(Requirement::TASKS_CANCEL_REQUIRES_CAPABILITY)
            .judge(is_error(&reply));
    }
    if !ctx.declares(Capability::TasksToolsCall).await? {
        call_with_task(ctx).await?;
    }
    Ok(())
}

/// Whether there is an error, or a list without tasks, which misleads nobody.
fn is_error_or_empty(reply: &Reply) -> Result<(), Finding> {
    let tasks = reply.outcome().ok().and_then(|result| result.get("tasks")?.as_array());
    if tasks.is_some_and(<[_]>::is_empty) { Ok(()) } else { is_error(reply) }
}

async fn call_with_task(ctx: &mut Ctx) -> Result<(), Finding> {
    let tools = ctx.callable_tools().await?;
    // A tool that requires tasks contradicts the capabilities; what is right then is not known.
    let is_plain = |tool: &&CallableTool| tool.arguments.is_some() && support(tool) != "required";
    for tool in tools.iter().filter(is_plain).take(MOST_TOOLS) {
        let plain = ctx.request("tools/call", call_of(tool)).await?;
        if succeeded(&plain) {
            let reply = call_as_task(ctx, tool, json!({"ttl": 60_000})).await?;
            let outcome = is_plain_result(&reply);
            // A tool that is limited to some calls, or uses the network, may fail for another reason than the member.
            if outcome.is_err() && reply.error().is_some() {
                let again = ctx.request("tools/call", call_of(tool)).await?;
                if !succeeded(&again) {
                    let why = "the call fails with `task`, and then fails without it as well";
                    ctx.check("undeclared-task-ignored").info(why);
                    return Ok(());
                }
            }
            ctx.check("undeclared-task-ignored").judge(outcome);
            return Ok(());
        }
    }
    let why = "no tool that may be called states valid arguments and succeeds";
    ctx.check("undeclared-task-ignored").skip(why);
    Ok(())
}

fn succeeded(reply: &Reply) -> bool {
    let result = reply.outcome();
    result.is_ok_and(|result| result.get("isError").and_then(Value::as_bool) != Some(true))
}

fn is_plain_result(reply: &Reply) -> Result<(), Finding> {
    let ignored = Requirement::TASKS_UNDECLARED_AUGMENTATION_IGNORED;
    let wrong = |headline: &str, requirement| {
        Finding::peer(headline)
            .expected("the result of the tool, as without `task`")
            .evidence_all(reply.evidence())
            .requires(requirement)
    };
    match reply.outcome() {
        Err(error) => {
            let finding = wrong("a call with `task` is refused, and succeeds without", ignored);
            Err(finding.got(error.to_string()))
        }
        Ok(result) => {
            ensure(result.get("task").is_none() || result.get("content").is_some(), || {
                let headline = "a call becomes a task although the server declares no tasks";
                wrong(headline, Requirement::TASKS_CAPABILITY_DECLARED)
                    .got(format!("the result {}", result.short(120)))
            })
        }
    }
}

proofs! {
    passes on everything();
    catches "undeclared-task-methods" on listing_tasks();
    // Confirms that any task is cancelled.
    catches "undeclared-task-methods" on reference_server_with([given(method("tasks/cancel")).respond_with(cancelled())]);
    catches "undeclared-task-ignored" on refusing_the_member();
    catches "undeclared-task-ignored" on making_tasks();
}

/// Has a handler for tasks, as some frameworks register it for every server.
fn listing_tasks() -> Server {
    let now = "2026-01-01T00:00:00Z";
    let task = json!({"taskId": "1", "status": "working", "createdAt": now, "lastUpdatedAt": now, "ttl": null});
    reference_server_with([given(method("tasks/list")).respond_with(json!({"tasks": [task]}))])
}

fn cancelled() -> serde_json::Value {
    let now = "2026-11-23T10:00:00Z";
    json!({"taskId": UNKNOWN, "status": "cancelled", "createdAt": now, "lastUpdatedAt": now, "ttl": null})
}

/// Validates the parameters of calls as a closed set.
fn refusing_the_member() -> Server {
    let error = Answer::error(error_code::INVALID_PARAMS, "unexpected property `task`");
    let call = given(method("tools/call")).and(param("/task", anything()));
    reference_server_with([call.respond_with(error)])
}

/// Makes a task of the call.
fn making_tasks() -> Server {
    let call = given(method("tools/call")).and(param("/task", anything()));
    reference_server_with([call.respond_with(json!({ "task": cancelled() }))])
}
