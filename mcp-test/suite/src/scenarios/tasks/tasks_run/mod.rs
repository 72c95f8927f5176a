//! `tasks-run`.

mod checks;

use super::peer::{faulty, tasks_server};
use super::task::{NO_TOOL, call_as_task, request_for_task, tool_with};
use super::task_fault::TaskFault;
use super::task_judging::{judge_created, judge_timestamps};
use super::task_states::{UNKNOWN, is_terminal, member};
use super::tasks_run::checks::{
    finished, is_same, judge_failure, judge_result, judge_state_of, listed, notifications, progress,
};
use crate::scenarios::prelude::*;

scenario! {
    /// A tool is called as a task, whose state and result are fetched.
    ///
    /// The reply to the call only says that the task is at work; `tasks/result` waits for its end and has what the call would
    /// have returned. A finished task changes no more. The tool is one that may be called, states valid arguments, and
    /// supports tasks.
    Server "tasks-run": "A task runs, and its result is fetched",
    revisions: Revisions::only(Revision::V2025_11_25),
    needs: [Need::Capability(Capability::TasksToolsCall), Need::CallableTool],
    checks: [
        check!("task-created", "The reply to a call with `task` has a task at work, and nothing of the tool's result",
            [
                TASKS_CREATE_RESULT_RETURNED, TASKS_CREATE_RESULT_NO_OPERATION_RESULT, TASKS_ID_STRING,
                TASKS_INITIAL_WORKING,
            ]).conditional(),
        check!("task-without-ttl", "A task needs no `ttl`", [TASKS_TTL_OPTIONAL]).conditional(),
        check!("task-state", "`tasks/get` has the state of the task, with its `ttl`",
            [TASKS_TTL_REPORTED]).conditional(),
        check!("task-id-decides",
            "The parameter of `tasks/get` names the task, whatever related-task metadata the request has",
            [TASKS_TASKID_PARAM_AUTHORITATIVE]).conditional(),
        check!("task-timestamps", "Each task says in ISO 8601 when it was created and last updated",
            [TASKS_CREATED_AT, TASKS_LAST_UPDATED_AT]).conditional(),
        check!("task-result",
            "`tasks/result` waits for the end of the task, and has the result of the tool and the id of the task",
            [
                TASKS_RESULT_TERMINAL_RETURNED, TASKS_RESULT_BLOCKS, TASKS_RESULT_RELATED_META,
                TASKS_RESULT_SUCCESS_PASSTHROUGH,
            ]).conditional(),
        check!("task-failed", "A task that ends with an error or with `isError` has failed, and says why",
            [TASKS_FAILURE_SETS_FAILED, TASKS_IS_ERROR_SETS_FAILED, TASKS_FAILED_STATUS_MESSAGE]).conditional(),
        check!("task-listed", "`tasks/list` has the task that `tasks/get` finds",
            [TASKS_LIST_COMPLETE, TASKS_LIST_NEXT_CURSOR]).conditional(),
        check!("finished-task-final", "A finished task is not cancelled, and keeps its status",
            [TASKS_CANCEL_TERMINAL_REJECTED, TASKS_TERMINAL_FINAL, TASKS_TRANSITIONS_VALID]).conditional(),
        check!("task-progress-related",
            "Progress of a task has related-task metadata; checked if the tool reports progress",
            [TASKS_RELATED_META_EVERYWHERE]).conditional().only_warns("the progress token names the task as well"),
        check!("task-metadata",
            "States of tasks have no related-task metadata, neither in results nor in notifications",
            [TASKS_RELATED_META_NOT_IN_RESULTS, TASKS_STATUS_NOTIFICATION_NO_RELATED_META]).conditional(),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let Some(tool) = tool_with(ctx, &["required", "optional"]).await? else {
        drop(ctx.check("task-created").skip(NO_TOOL));
        return Ok(());
    };
    let mut created = call_as_task(ctx, &tool, json!({})).await?;
    if let Some(refusal) = created.error().cloned() {
        let second = call_as_task(ctx, &tool, json!({"ttl": 60_000})).await?;
        if second.outcome().is_err() {
            let why = format!("the call of `{}` as a task is refused: {refusal}", tool.name);
            drop(ctx.check("task-created").skip(why));
            return Ok(());
        }
        let headline = "a task without `ttl` is refused, and one with `ttl` is not";
        let finding = Finding::peer(headline).expected("a task").got(refusal.to_string());
        drop(ctx.check("task-without-ttl").fail(finding.evidence_all(created.evidence())));
        created = second;
    } else {
        drop(ctx.check("task-without-ttl").pass());
    }
    judge_created(ctx.check("task-created"), &created, &["content", "structuredContent"]);
    let Some(id) = member(&created, "/task/taskId").map(str::to_owned) else { return Ok(()) };
    judge_timestamps(ctx.check("task-timestamps"), &created, Some("task"));
    follow(ctx, &id).await?;
    contradict(ctx, &id).await?;
    notifications(ctx, &id);
    progress(ctx, &id);
    Ok(())
}

/// Metadata that names another task. The last request, since some servers do not answer it.
async fn contradict(ctx: &mut Ctx, id: &str) -> Result<(), Finding> {
    if request_for_task(ctx, "tasks/get", id).await?.error().is_some() {
        return Ok(());
    }
    let related = json!({"taskId": UNKNOWN});
    let request = ctx.request("tasks/get", json!({ "taskId": id }));
    let reply = request.meta(meta::RELATED_TASK, related).deliberate().await;
    let check = ctx.check("task-id-decides");
    drop(match reply {
        Ok(reply) => check.expect(&reply, object().member("taskId", equals(id))),
        Err(silence) => check.fail(silence.requires(Requirement::TASKS_TASKID_PARAM_AUTHORITATIVE)),
    });
    Ok(())
}

/// From the first request for the state of the task to those after its end.
async fn follow(ctx: &mut Ctx, id: &str) -> Result<(), Finding> {
    let state = request_for_task(ctx, "tasks/get", id).await?;
    judge_state_of(ctx, &state, id);
    if member(&state, "/status") == Some("input_required") {
        drop(ctx.check("task-result").skip("the task waits for input, which nobody gives"));
        let _ = request_for_task(ctx, "tasks/cancel", id).await?.error();
        return Ok(());
    }
    let result = match request_for_task(ctx, "tasks/result", id).await {
        Ok(result) => result,
        Err(silence) => return unfinished(ctx, id, silence).await,
    };
    let ended = request_for_task(ctx, "tasks/get", id).await?;
    let Some(status) = member(&ended, "/status").map(str::to_owned) else {
        // Its time to live may be over.
        drop(ctx.check("task-result").info("the task is gone after its result was fetched"));
        return Ok(());
    };
    judge_state_of(ctx, &ended, id);
    judge_result(ctx, &result, &status, id);
    if !is_terminal(&status) {
        return Ok(());
    }
    let again = request_for_task(ctx, "tasks/result", id).await?;
    ctx.check("task-result")
        .requires(Requirement::TASKS_RESULT_TERMINAL_RETURNED)
        .judge(is_same(&result, &again));
    judge_failure(ctx, &result, &ended, &status);
    if ctx.declares(Capability::TasksList).await? {
        listed(ctx, id).await?;
    }
    finished(ctx, id, &status).await
}

/// What is known of a task whose result does not arrive in time.
async fn unfinished(ctx: &mut Ctx, id: &str, silence: Finding) -> Result<(), Finding> {
    let state = request_for_task(ctx, "tasks/get", id).await?;
    let check = ctx.check("task-result").requires(Requirement::TASKS_RESULT_TERMINAL_RETURNED);
    if member(&state, "/status").is_some_and(is_terminal) {
        drop(check.fail(silence));
    } else {
        drop(check.skip("the task does not end within the time of a request"));
        let _ = request_for_task(ctx, "tasks/cancel", id).await?.error();
    }
    Ok(())
}

proofs! {
    passes on tasks_server();
    catches "task-created" by set("tools/call", "/content", json!([]));
    catches "task-created" by set("tools/call", "/task/status", json!("completed"));
    catches "task-without-ttl" on faulty(TaskFault::RequiresTtl);
    catches "task-state" by remove("tasks/get", "/ttl");
    catches "task-id-decides" on faulty(TaskFault::ReadsMetadata);
    catches "task-timestamps" by set("tasks/get", "/createdAt", json!("1764000000"));
    catches "task-timestamps" by set("tools/call", "/task/lastUpdatedAt", json!("today"));
    catches "task-timestamps" by set("tasks/list", "/tasks/0/createdAt", json!("today"));
    catches "task-result" on faulty(TaskFault::AnswersEarly);
    catches "task-result" by remove("tasks/result", "/_meta");
    catches "task-result" by set("tasks/result", "", json!({"result": {"content": []}}));
    catches "task-result" on faulty(TaskFault::ForgetsResult);
    warns "task-failed" on faulty(TaskFault::CompletesFailed);
    catches "task-failed" by reply_error("tasks/result", -32603);
    catches "task-listed" on faulty(TaskFault::ListsUnfinished);
    catches "finished-task-final" on faulty(TaskFault::CancelsFinished);
    catches "finished-task-final" by reply_error("tasks/cancel", -32603);
    catches "finished-task-final" on faulty(TaskFault::NotifiesAfterEnd);
    warns "task-metadata"
        by set("tasks/get", "/_meta", json!({"io.modelcontextprotocol/related-task": {"taskId": "x"}}));
    warns "task-metadata" on faulty(TaskFault::NotifiesWithMetadata);
    warns "task-progress-related" on faulty(TaskFault::ReportsUnrelated);
}
