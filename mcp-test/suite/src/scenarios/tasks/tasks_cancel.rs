//! `tasks-cancel`.

use super::peer::{faulty, tasks_server};
use super::task::{NO_TOOL, call_as_task, request_for_task, tool_with};
use super::task_fault::TaskFault;
use super::task_judging::judge_ids;
use super::task_states::{is_terminal, member};
use crate::scenarios::prelude::*;
use crate::scenarios::refusal::{has_code, is_error};

scenario! {
    /// Tasks that have just been created are cancelled, and have ids of the server.
    ///
    /// After the reply to `tasks/cancel` the task is cancelled and stays so, whatever becomes of the work behind it. A task that
    /// was finished before cannot be cancelled; then there is nothing to see.
    Server "tasks-cancel": "A task is cancelled",
    revisions: Revisions::only(Revision::V2025_11_25),
    needs: [Need::Capability(Capability::TasksToolsCall), Need::Capability(Capability::TasksCancel), Need::CallableTool],
    checks: [
        check!("task-cancelled", "The reply to `tasks/cancel` says that the task is cancelled",
            [TASKS_CANCEL_STATUS_BEFORE_RESPONSE]).conditional(),
        check!("task-stays-cancelled", "A cancelled task stays cancelled, and is not cancelled again",
            [TASKS_CANCELLED_STAYS, TASKS_CANCEL_TERMINAL_REJECTED]).conditional(),
        check!("task-ids",
            "Each task has an id of its own, which the server has chosen, and which cannot be guessed from another",
            [TASKS_ID_UNIQUE, TASKS_ID_RECEIVER_GENERATED, TASKS_ID_ENTROPY]).conditional(),
    ],
}

/// The id that the client asks for.
const CHOSEN: &str = "chosen-by-mcp-test";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let Some(tool) = tool_with(ctx, &["required", "optional"]).await? else {
        drop(ctx.check("task-cancelled").skip(NO_TOOL));
        return Ok(());
    };
    let ttl = 60_000;
    let first = call_as_task(ctx, &tool, json!({ "ttl": ttl })).await?;
    let Some(id) = member(&first, "/task/taskId").map(str::to_owned) else {
        drop(ctx.check("task-cancelled").skip("the call of the tool did not become a task"));
        return Ok(());
    };
    cancel(ctx, &id).await?;
    // A server may refuse a member that it does not know.
    let second = call_as_task(ctx, &tool, json!({"ttl": ttl, "taskId": CHOSEN})).await?;
    let Some(other) = member(&second, "/task/taskId").map(str::to_owned) else { return Ok(()) };
    // Users whom the server knows by their tokens may only see their own tasks, whatever the ids.
    let outcomes = judge_ids(&id, &other, CHOSEN, is_authorized(ctx));
    for (requirement, outcome) in outcomes {
        let outcome = outcome.map_err(|finding| finding.evidence_all(second.evidence()));
        ctx.check("task-ids").requires(requirement).judge(outcome);
    }
    // Not judged: it may be finished.
    let _ = request_for_task(ctx, "tasks/cancel", &other).await?.error();
    Ok(())
}

/// Whether the client has shown who its user is.
fn is_authorized(ctx: &Ctx) -> bool {
    ctx.trace().events.iter().any(|event| {
        let EventKind::HttpRequest { headers, .. } = &event.kind else { return false };
        headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("Authorization"))
    })
}

async fn cancel(ctx: &mut Ctx, id: &str) -> Result<(), Finding> {
    let cancelled = request_for_task(ctx, "tasks/cancel", id).await?;
    if cancelled.outcome().is_err() {
        let state = request_for_task(ctx, "tasks/get", id).await?;
        let why = match member(&state, "/status") {
            Some(status) if is_terminal(status) => "the task was finished before it was cancelled",
            _ => "the server refuses to cancel the task",
        };
        drop(ctx.check("task-cancelled").info(why));
        return Ok(());
    }
    let is_cancelled = || object().member("status", equals("cancelled"));
    ctx.check("task-cancelled").expect(&cancelled, is_cancelled());
    let state = request_for_task(ctx, "tasks/get", id).await?;
    // A cancelled task may be deleted.
    if state.outcome().is_ok() {
        ctx.check("task-stays-cancelled")
            .requires(Requirement::TASKS_CANCELLED_STAYS)
            .expect(&state, is_cancelled());
    }
    let again = request_for_task(ctx, "tasks/cancel", id).await?;
    let outcome = is_error(&again);
    let outcome = outcome.and_then(|()| has_code(&again, error_code::INVALID_PARAMS));
    ctx.check("task-stays-cancelled")
        .requires(Requirement::TASKS_CANCEL_TERMINAL_REJECTED)
        .judge(outcome);
    Ok(())
}

proofs! {
    passes on tasks_server();
    catches "task-cancelled" on faulty(TaskFault::CancelsLater);
    catches "task-stays-cancelled" on faulty(TaskFault::CompletesCancelled);
    catches "task-stays-cancelled" on faulty(TaskFault::CancelsFinished);
    catches "task-ids" on faulty(TaskFault::RepeatsIds);
    catches "task-ids" on faulty(TaskFault::AdoptsIds);
    catches "task-ids" on faulty(TaskFault::CountsIds);
}
