//! What the scenarios for tasks share: the tool that is run as a task, and its ids.

use serde_json::json;

use crate::check::Finding;
use crate::client::Reply;
use crate::json::Value;
use crate::scenario::{CallableTool, Ctx};

/// An id that no task has.
pub(super) const UNKNOWN: &str = "no-such-task-of-mcp-test";

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
pub(super) async fn of_task(ctx: &mut Ctx, method: &str, id: &str) -> Result<Reply, Finding> {
    ctx.request(method, json!({ "taskId": id })).await
}

/// Whether the second of two ids can be guessed from the first: they differ in so few characters that all can be tried.
///
/// Random ids agree in more than a few characters by chance only. Ids of another kind that hide their order pass.
pub(super) fn are_guessable(first: &str, second: &str) -> bool {
    /// No more than this many: below 2^24 possibilities.
    const FEW: usize = 4;
    fn same<'a>(pairs: impl Iterator<Item = (&'a char, &'a char)>) -> usize {
        pairs.take_while(|(first, second)| first == second).count()
    }
    let (first, second): (Vec<char>, Vec<char>) =
        (first.chars().collect(), second.chars().collect());
    let before = same(first.iter().zip(&second));
    let (first, second) = (&first[before..], &second[before..]);
    let after = same(first.iter().rev().zip(second.iter().rev()));
    first.len().max(second.len()) - after <= FEW
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_count_can_be_guessed() {
        for (first, second) in [("1", "2"), ("task-9", "task-10"), ("a", "a"), ("0007-x", "0008-x")]
        {
            assert!(are_guessable(first, second), "{first} {second}");
        }
        for (first, second) in [
            ("786512e2-9e0d-44bd-8f29-789f320fe840", "0b7b02b5-3f7e-4a3e-9c1d-2f1f5a6d7c11"),
            // Ids in the order of time have random parts.
            ("01890a5d-ac96-774b-bcce-b302099a8057", "01890a5d-ac96-774b-8f1c-77e2f4a1d0c3"),
            ("V1StGXR8", "Uakgb_J5"),
        ] {
            assert!(!are_guessable(first, second), "{first} {second}");
        }
    }
}
