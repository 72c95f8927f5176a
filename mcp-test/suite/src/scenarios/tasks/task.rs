//! What the scenarios for tasks share: the tool that is run as a task, and its ids.

use mcp_test_core::scenario::CallableTool;

use crate::scenarios::prelude::*;

/// The progress token of calls as tasks.
pub(super) const PROGRESS: &str = "mcp-test-task";

/// Why nothing is run as a task.
pub(super) const NO_TOOL: &str =
    "no tool that may be called supports tasks and states valid arguments";

/// What a tool states about tasks: `forbidden` if it states nothing.
pub(super) fn support(tool: &CallableTool) -> &str {
    let stated = tool.definition.at("/execution/taskSupport");
    stated.and_then(Value::as_str).unwrap_or("forbidden")
}

/// The first tool that may be called, has valid arguments, and supports tasks in one of these ways.
pub(super) async fn tool_with(
    ctx: &mut Ctx,
    wanted: &[&str],
) -> Result<Option<CallableTool>, Finding> {
    let tools = ctx.callable_tools().await?;
    let is_wanted =
        |tool: &CallableTool| tool.arguments.is_some() && wanted.contains(&support(tool));
    Ok(tools.into_iter().find(is_wanted))
}

/// The parameters of a call of the tool.
pub(super) fn call_of(tool: &CallableTool) -> Value {
    let mut params = Value::from(json!({ "name": tool.name }));
    if let Some(arguments) = &tool.arguments {
        params.set("/arguments", arguments.clone());
    }
    params
}

/// Calls the tool as a task.
pub(super) async fn call_as_task(
    ctx: &mut Ctx,
    tool: &CallableTool,
    task: serde_json::Value,
) -> Result<Reply, Finding> {
    // Deliberate, since the member may be one that the revision does not describe.
    let request = ctx.request("tools/call", call_of(tool)).param("task", task);
    request.progress(PROGRESS).deliberate().await
}

/// A request that names a task.
pub(super) async fn request_for_task(
    ctx: &mut Ctx,
    method: &str,
    id: &str,
) -> Result<Reply, Finding> {
    ctx.request(method, json!({ "taskId": id })).await
}
