//! What the scenarios for the tasks extension share: the requests for a task, and the shape of its states.

use mcp_test_core::expect::{array, integer, non_empty_string, one_of};

use super::task_states::{member, timestamp};
use crate::scenarios::prelude::*;

/// What a client with the extension declares.
pub(super) fn declared() -> serde_json::Value {
    json!({"extensions": {"io.modelcontextprotocol/tasks": {}}})
}

/// A request for a task, of a client that declares nothing but the extension.
pub(super) async fn request_for_task(
    ctx: &mut Ctx,
    method: &str,
    params: serde_json::Value,
) -> Result<Reply, Finding> {
    ctx.request(method, params).meta(meta::CLIENT_CAPABILITIES, declared()).deliberate().await
}

/// The statuses of a task.
const STATUSES: [&str; 5] = ["working", "input_required", "completed", "cancelled", "failed"];

/// Whether the state of a cancelled task is one that a client knows: the task may still be at work, or have ended otherwise.
pub(super) fn after_cancel(ctx: &mut Ctx, state: &Reply) {
    ctx.check("extension-task-state")
        .requires(Requirement::EXT_TASKS_GET_CANCELLED)
        .expect(state, object().member("status", one_of(STATUSES)));
}

/// The members of every task.
pub(super) fn shape(ctx: &mut Ctx, task: &Reply) {
    let ttl = satisfying("an integer or null", |ttl: &Value| {
        *ttl == Value::Null || ttl.as_f64().is_some_and(|ttl| ttl.fract() == 0.0)
    });
    let shape = object()
        .member("taskId", non_empty_string())
        .member("status", one_of(STATUSES))
        .member("createdAt", timestamp())
        .member("lastUpdatedAt", timestamp())
        .member("ttlMs", ttl)
        .optional("pollIntervalMs", integer());
    ctx.check("extension-task-state")
        .requires(Requirement::EXT_TASKS_TASK_SHAPE)
        .expect(task, shape);
}

/// What the state has in each status.
pub(super) fn judge_status(ctx: &mut Ctx, state: &Reply) {
    let status = member(state, "/status").unwrap_or_default();
    let complete = object().member("resultType", equals("complete"));
    let check = ctx.check("extension-task-state");
    let check =
        check.requires(Requirement::EXT_TASKS_RESULT_TYPE_COMPLETE_GET).expect(state, complete);
    match status {
        "working" => {
            // Null says nothing.
            let none = || satisfying("nothing", |value: &Value| !value.is_object());
            let shape = object().optional("result", none()).optional("error", none());
            drop(check.requires(Requirement::EXT_TASKS_GET_WORKING).expect(state, shape));
        }
        "completed" => drop(
            check
                .requires(Requirement::EXT_TASKS_GET_COMPLETED)
                .expect(state, object().member("result", object()))
                .requires(Requirement::EXT_TASKS_RESULT_FAITHFUL)
                .expect(state, object().member("result", object().member("content", array()))),
        ),
        "failed" => drop(
            check
                .requires(Requirement::EXT_TASKS_GET_FAILED)
                .expect(state, object().member("error", object())),
        ),
        "input_required" => drop(
            check
                .requires(Requirement::EXT_TASKS_GET_INPUT_REQUIRED)
                .expect(state, object().member("inputRequests", object())),
        ),
        _ => {}
    }
}
