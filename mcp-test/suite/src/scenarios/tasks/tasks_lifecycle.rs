//! `tasks-lifecycle`.

use mcp_test_core::expect::{ObjectMatcher, non_empty_array, number};

use super::quick_server::{answering, computing_at_once, quick, quick_but};
use super::task_client::{
    OF_CANCEL, acknowledges, call, has_status, plain_result, request_for_task, task_id, until_ended,
};
use super::task_states::{is_task, is_terminal, member, timestamp};
use crate::scenarios::prelude::*;
use crate::scenarios::references::{SEP_2322, SEP_2663};

scenario! {
    /// Calls of the fixtures become tasks, which complete, fail and are cancelled.
    ///
    /// The official suite expects a cancelled task to end, which the specification leaves to the server. It does not look at
    /// `ttlMs`, at the type of the results of `tasks/get` and at how each status is described; `tasks-extension-calls` does.
    Server "tasks-lifecycle": "Tasks are created, completed, failed and cancelled",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::extension(),
    needs: [
        Need::Capability(Capability::TasksExtension),
        Need::Tool("greet"),
        Need::Tool("slow_compute"),
        Need::Tool("failing_job"),
        Need::Tool("protocol_error_job"),
    ],
    checks: [
        check!("tasks-sync-tool-call", "The tool `greet` returns its result at once",
            [SCHEMA_CALL_TOOL_RESULT]).official(&[SEP_2663, SEP_2322]),
        check!("sep-2663-result-type-task-on-create",
            "A call of `slow_compute` returns a task in place of its result",
            [EXT_TASKS_RESULT_TYPE_TASK, EXT_TASKS_TASK_SHAPE])
            .official(&[SEP_2663]).named("TasksServerTaskCreation"),
        check!("sep-2663-tasks-get-status-working", "`tasks/get` knows the task from the moment that the client does",
            [EXT_TASKS_DURABLE_BEFORE_ACK, EXT_TASKS_TASK_SHAPE])
            .official(&[SEP_2663]).named("TasksGetDuringWorking"),
        check!("sep-2663-tasks-get-status-completed", "The state of the completed task has the result of the call",
            [EXT_TASKS_GET_COMPLETED, EXT_TASKS_RESULT_FAITHFUL])
            .official(&[SEP_2663]).named("TasksGetTerminalInlinedResult"),
        check!("sep-2663-tool-error-uses-completed-status",
            "A task whose tool fails is completed, and its result has `isError`",
            [EXT_TASKS_FAILED_ONLY_JSONRPC, EXT_TASKS_TOOL_ERROR_COMPLETED])
            .official(&[SEP_2663]).named("TasksToolErrorCompletedIsError"),
        check!("sep-2663-tasks-get-status-failed",
            "A task whose call fails with a JSON-RPC error has failed, and has that error",
            [EXT_TASKS_GET_FAILED, EXT_TASKS_ERROR_FAITHFUL])
            .official(&[SEP_2663]).named("TasksProtocolErrorFailedShape"),
        check!("sep-2663-cancel-ack-empty-result",
            "`tasks/cancel` is answered with nothing but an acknowledgement, and the task ends",
            &OF_CANCEL).official(&[SEP_2663, SEP_2322]).named("TasksCancelEmptyAck"),
        check!("tasks-cancel-terminal-idempotent-ack",
            "`tasks/cancel` of a finished task is answered with the same acknowledgement",
            &OF_CANCEL).official(&[SEP_2663]),
    ],
}

const CREATED: &str = "sep-2663-result-type-task-on-create";
const WORKING: &str = "sep-2663-tasks-get-status-working";
const COMPLETED: &str = "sep-2663-tasks-get-status-completed";
const TOOL_ERROR: &str = "sep-2663-tool-error-uses-completed-status";
const FAILED: &str = "sep-2663-tasks-get-status-failed";
const CANCELLED: &str = "sep-2663-cancel-ack-empty-result";
const CANCELLED_LATE: &str = "tasks-cancel-terminal-idempotent-ack";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let greeting = call(ctx, "greet", json!({ "name": "World" })).await?;
    ctx.check("tasks-sync-tool-call").by_fixture().expect(&greeting, plain_result());

    let handle =
        call(ctx, "slow_compute", json!({ "seconds": 2, "label": "lifecycle-create" })).await?;
    created(ctx, &handle);
    match task_id(&handle) {
        Ok(id) => completed(ctx, &id).await?,
        Err(none) => {
            ctx.check(WORKING).missing(none.clone());
            ctx.check(COMPLETED).missing(none);
        }
    }

    let handle = call(ctx, "failing_job", json!({})).await?;
    match task_id(&handle) {
        Ok(id) => {
            let last = until_ended(ctx, &id).await?;
            let failure = object().member("isError", equals(true));
            ctx.check(TOOL_ERROR)
                .requires(Requirement::EXT_TASKS_FAILED_ONLY_JSONRPC)
                .judge(has_status(&last, "completed"))
                .requires(Requirement::EXT_TASKS_TOOL_ERROR_COMPLETED)
                .expect(&last, object().member("result", failure));
        }
        Err(none) => drop(ctx.check(TOOL_ERROR).missing(none)),
    }

    let handle = call(ctx, "protocol_error_job", json!({})).await?;
    match task_id(&handle) {
        Ok(id) => {
            let last = until_ended(ctx, &id).await?;
            let error = object().member("code", number()).member("message", string());
            ctx.check(FAILED)
                .requires(Requirement::EXT_TASKS_GET_FAILED)
                .judge(has_status(&last, "failed"))
                .requires(Requirement::EXT_TASKS_ERROR_FAITHFUL)
                .expect(&last, object().member("error", error))
                .officially(&last, object().without("result"), "a state may have other members");
        }
        Err(none) => drop(ctx.check(FAILED).missing(none)),
    }
    cancelled(ctx).await
}

/// Judges the result that stands for a task.
fn created(ctx: &mut Ctx, handle: &Reply) {
    let shape = object()
        .member("taskId", truthy())
        .member("status", truthy())
        .member("createdAt", timestamp())
        .member("lastUpdatedAt", timestamp());
    let flat = ["task", "result", "error", "inputRequests"]
        .into_iter()
        .fold(object(), ObjectMatcher::without);
    // Without anything of a task, the tool is not the fixture; with it, the members of a task are wrong.
    let describes_task = is_task(handle) || member(handle, "/taskId").is_some();
    let check = ctx.check(CREATED);
    let check = if describes_task {
        check.requires(Requirement::EXT_TASKS_RESULT_TYPE_TASK)
    } else {
        check.by_fixture()
    };
    check
        .expect(handle, object().member("resultType", equals("task")))
        .requires(Requirement::EXT_TASKS_TASK_SHAPE)
        .expect(handle, shape)
        .officially(handle, flat, "a result may have other members");
}

/// Judges a task at work, and at its end.
async fn completed(ctx: &mut Ctx, id: &str) -> Result<(), Finding> {
    let state = request_for_task(ctx, "tasks/get", id).await?;
    ctx.check(WORKING)
        .requires(Requirement::EXT_TASKS_DURABLE_BEFORE_ACK)
        .expect(&state, object().member("taskId", equals(id)))
        .requires(Requirement::EXT_TASKS_TASK_SHAPE)
        .expect(&state, object().member("status", truthy()));
    let last = until_ended(ctx, id).await?;
    let content = object().member("content", non_empty_array());
    ctx.check(COMPLETED)
        .requires(Requirement::EXT_TASKS_GET_COMPLETED)
        .judge(has_status(&last, "completed"))
        .requires(Requirement::EXT_TASKS_RESULT_FAITHFUL)
        .expect(&last, object().member("result", content));
    Ok(())
}

/// Cancels a task at work, and one that has ended.
async fn cancelled(ctx: &mut Ctx) -> Result<(), Finding> {
    let handle =
        call(ctx, "slow_compute", json!({ "seconds": 60, "label": "lifecycle-cancel" })).await?;
    match task_id(&handle) {
        Ok(id) => {
            let acknowledgement = request_for_task(ctx, "tasks/cancel", &id).await?;
            // A task whose cancellation is refused goes on for a minute.
            let ended = match acknowledgement.outcome() {
                Ok(_) => ends(&until_ended(ctx, &id).await?),
                Err(_) => Ok(()),
            };
            acknowledges(ctx.check(CANCELLED), &acknowledgement, OF_CANCEL)
                .officially_judge(ended, "a task may go on after its cancellation");
        }
        Err(none) => drop(ctx.check(CANCELLED).missing(none)),
    }
    let handle =
        call(ctx, "slow_compute", json!({ "seconds": 1, "label": "lifecycle-ended" })).await?;
    match task_id(&handle) {
        Ok(id) => {
            let ended = ends(&until_ended(ctx, &id).await?);
            let acknowledgement = request_for_task(ctx, "tasks/cancel", &id).await?;
            match ended {
                Ok(()) => acknowledges(ctx.check(CANCELLED_LATE), &acknowledgement, OF_CANCEL),
                Err(unfinished) => {
                    // Whatever the reply is, it says nothing about finished tasks.
                    let _reply = acknowledgement.outcome();
                    ctx.check(CANCELLED_LATE).missing(unfinished)
                }
            };
        }
        Err(none) => drop(ctx.check(CANCELLED_LATE).missing(none)),
    }
    Ok(())
}

/// Whether the task has ended in some way.
fn ends(last: &Reply) -> Result<(), Finding> {
    ensure(member(last, "/status").is_some_and(is_terminal), || {
        Finding::peer("a task does not end")
            .expected("a state with the status \"cancelled\", \"completed\" or \"failed\"")
            .evidence_all(last.evidence())
    })
}

proofs! {
    passes on quick();
    catches "tasks-sync-tool-call" on quick_but([answering("greet", json!({ "content": [] }))]);
    catches "sep-2663-result-type-task-on-create" on computing_at_once();
    catches "sep-2663-result-type-task-on-create" on computing_at_once(), under Official;
    catches "sep-2663-result-type-task-on-create" by set("tools/call", "/createdAt", json!(1_764_000_000));
    catches "sep-2663-result-type-task-on-create" by set("tools/call", "/inputRequests", json!({})), under Official;
    catches "sep-2663-tasks-get-status-working" by reply_error("tasks/get", -32602);
    catches "sep-2663-tasks-get-status-completed" by set("tasks/get", "/result/result/content", json!([]));
    catches "sep-2663-tool-error-uses-completed-status" by remove("tasks/get", "/result/result/isError");
    catches "sep-2663-tasks-get-status-failed" by remove("tasks/get", "/result/error/code");
    catches "sep-2663-cancel-ack-empty-result" by set("tasks/cancel", "/status", json!("cancelled"));
    catches "tasks-cancel-terminal-idempotent-ack" on refusing_to_cancel_twice();
}

/// Acknowledges one cancellation, and refuses others.
fn refusing_to_cancel_twice() -> Server {
    let refusal = Answer::error(error_code::INVALID_PARAMS, "the task has ended");
    let cancel = || given(method("tasks/cancel"));
    quick_but([cancel().respond_with(refusal), cancel().respond_with(json!({})).up_to_n_times(1)])
}
