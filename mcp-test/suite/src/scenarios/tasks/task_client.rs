//! What the scenarios for tasks share: the requests of a client with the extension, and how it waits for a task.

use mcp_test_core::clock;
use mcp_test_core::clock::format_duration;
use mcp_test_core::expect::{ObjectMatcher, non_empty_array, not};

use super::task_states::{is_terminal, member, poll_interval};
use crate::scenarios::prelude::*;
use crate::scenarios::refusal::{has_code, is_error};

/// The extension.
pub(super) const TASKS: &str = "io.modelcontextprotocol/tasks";

/// How long a task may take to end, as in the official suite.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a task may take to ask for input, as in the official suite.
const PATIENCE_FOR_INPUT: Duration = Duration::from_secs(5);

/// What a client with the extension declares; tools may ask it for input.
pub(super) fn declared() -> serde_json::Value {
    json!({ "elicitation": {}, "sampling": {}, "extensions": { TASKS: {} } })
}

/// Sends a request of a client with the extension.
pub(super) async fn send(
    ctx: &mut Ctx,
    method: &str,
    params: serde_json::Value,
) -> Result<Reply, Finding> {
    // Once, since the reply itself is judged, also one that asks for input. Deliberate, since some requests are invalid.
    let request = ctx.request(method, params).meta(meta::CLIENT_CAPABILITIES, declared());
    request.once().deliberate().await
}

/// Sends a request of a client that declares nothing.
pub(super) async fn send_undeclared(
    ctx: &mut Ctx,
    method: &str,
    params: serde_json::Value,
) -> Result<Reply, Finding> {
    let request = ctx.request(method, params).meta(meta::CLIENT_CAPABILITIES, json!({}));
    request.once().deliberate().await
}

/// Calls a tool from a client with the extension.
pub(super) async fn call(
    ctx: &mut Ctx,
    tool: &str,
    arguments: serde_json::Value,
) -> Result<Reply, Finding> {
    send(ctx, "tools/call", json!({ "name": tool, "arguments": arguments })).await
}

/// Sends a request that names a task and nothing else.
pub(super) async fn request_for_task(
    ctx: &mut Ctx,
    method: &str,
    id: &str,
) -> Result<Reply, Finding> {
    send(ctx, method, json!({ "taskId": id })).await
}

/// The id of the task that a call has become. As in the official suite, the type of the result is a matter of other checks.
pub(super) fn task_id(reply: &Reply) -> Result<String, Finding> {
    let id = member(reply, "/taskId").filter(|id| !id.is_empty());
    id.map(str::to_owned).ok_or_else(|| {
        Finding::peer("the call does not become a task")
            .expected("a result with a `taskId`")
            .got(described(reply))
            .evidence_all(reply.evidence())
    })
}

/// Requests the state of a task until it has ended, and returns the last one.
pub(super) async fn until_ended(ctx: &mut Ctx, id: &str) -> Result<Reply, Finding> {
    until(ctx, id, PATIENCE, is_terminal).await
}

/// Requests the state of a task until it asks for input, and returns the last one.
pub(super) async fn until_asking(ctx: &mut Ctx, id: &str) -> Result<Reply, Finding> {
    // A task that has ended will not ask any more.
    let is_reached = |status: &str| status == "input_required" || is_terminal(status);
    until(ctx, id, PATIENCE_FOR_INPUT, is_reached).await
}

async fn until(
    ctx: &mut Ctx,
    id: &str,
    patience: Duration,
    is_reached: impl Fn(&str) -> bool,
) -> Result<Reply, Finding> {
    let deadline = Deadline::after(patience);
    loop {
        let state = request_for_task(ctx, "tasks/get", id).await?;
        // An error, or a state without a status, does not become better by waiting.
        let goes_on = member(&state, "/status").is_some_and(|status| !is_reached(status));
        if !goes_on || deadline.has_passed() {
            return Ok(state);
        }
        // The interval that the server wants. The official suite polls every 200 ms, whatever that is.
        clock::quiet(poll_interval(&state)).await;
    }
}

/// Whether a task that was waited for has reached a status.
pub(super) fn has_status(state: &Reply, status: &str) -> Result<(), Finding> {
    let patience = if status == "input_required" { PATIENCE_FOR_INPUT } else { PATIENCE };
    ensure(member(state, "/status") == Some(status), || {
        Finding::peer("a task has not reached the expected status")
            .expected(format!("the status {status:?} within {}", format_duration(patience)))
            .got(described(state))
            .evidence_all(state.evidence())
    })
}

fn described(reply: &Reply) -> String {
    match reply.outcome() {
        Ok(result) => format!("the result {}", result.short(200)),
        Err(error) => error.to_string(),
    }
}

/// Matches the result of a tool that is not a task.
pub(super) fn plain_result() -> impl Matcher {
    object()
        .optional("resultType", not(equals("task")))
        .without("taskId")
        .member("content", non_empty_array())
}

/// Whether a request is refused with this code.
pub(super) fn refused(reply: &Reply, code: i64) -> Result<(), Finding> {
    is_error(reply).and_then(|()| has_code(reply, code))
}

/// Whether a request is refused for want of a capability.
pub(super) fn refused_undeclared(reply: &Reply) -> Result<(), Finding> {
    refused(reply, error_code::MISSING_REQUIRED_CLIENT_CAPABILITY)
}

/// Judges the acknowledgement of `tasks/update` or `tasks/cancel`, which is an empty result.
///
/// The requirements are the one that it is empty, and the one that its type is "complete".
pub(super) fn acknowledges<'a>(
    check: CheckBuilder<'a>,
    acknowledgement: &Reply,
    [empty, complete]: [&'static Requirement; 2],
) -> CheckBuilder<'a> {
    let nothing = ["taskId", "status", "result", "error", "inputRequests"]
        .into_iter()
        .fold(object(), ObjectMatcher::without);
    check
        .requires(empty)
        .expect(acknowledgement, nothing)
        .requires(complete)
        .expect(acknowledgement, object().member("resultType", equals("complete")))
}

/// The requirements on the acknowledgement of `tasks/cancel`.
pub(super) const OF_CANCEL: [&Requirement; 2] =
    [Requirement::EXT_TASKS_CANCEL_ACK_EMPTY, Requirement::EXT_TASKS_RESULT_TYPE_COMPLETE_CANCEL];

/// The requirements on the acknowledgement of `tasks/update`.
pub(super) const OF_UPDATE: [&Requirement; 2] =
    [Requirement::EXT_TASKS_UPDATE_ACK_EMPTY, Requirement::EXT_TASKS_RESULT_TYPE_COMPLETE_UPDATE];
