//! `tasks-dispatch-and-envelope`.

use mcp_test_core::expect::{any_of, array};

use super::quick_server::{answering, computing_at_once, quick, quick_but};
use super::task_client::{
    call, plain_result, refused, request_for_task, send, task_id, until_asking, until_ended,
};
use crate::scenarios::prelude::*;
use crate::scenarios::references::{SEP_2322, SEP_2663};

scenario! {
    /// The server decides which call becomes a task, the methods that the extension has removed do not exist, and every result
    /// says of which type it is.
    ///
    /// Where a task of the check of the types cannot be created, the official suite leaves its results out and passes; the checks
    /// of `tasks-lifecycle` and `tasks-mrtr-input` notice that.
    Server "tasks-dispatch-and-envelope": "The server decides about tasks, and says which results are some",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::extension(),
    needs: [
        Need::Capability(Capability::TasksExtension),
        Need::Tool("greet"),
        Need::Tool("slow_compute"),
        Need::Tool("failing_job"),
        Need::Tool("confirm_delete"),
    ],
    checks: [
        check!("sep-2663-tasks-result-removed-method-not-found", "`tasks/result` is refused with -32601",
            [EXT_TASKS_TASKS_RESULT_REMOVED]).official(&[SEP_2663]).named("TasksRemovedTasksResult"),
        check!("tasks-removed-tasks-list", "`tasks/list` is refused with -32601",
            [JSONRPC_UNKNOWN_METHOD_ERROR]).official(&[SEP_2663]),
        check!("tasks-server-directed-creation-no-hint",
            "A call of `failing_job` becomes a task without asking for one",
            [EXT_TASKS_RESULT_TYPE_TASK]).official(&[SEP_2663]),
        check!("sep-2663-legacy-task-param-ignored",
            "A call of `greet` with the member `task` of 2025-11-25 returns its result",
            [EXT_TASKS_TASK_PARAM_IGNORED]).official(&[SEP_2663]).named("TasksLegacyTaskParamIgnored"),
        check!("tasks-immediate-result-shortcut",
            "A call of `slow_compute` that takes no time returns a task or its result",
            [SCHEMA_CALL_TOOL_RESULT, EXT_TASKS_RESULT_TYPE_TASK]).official(&[SEP_2663]),
        check!("tasks-result-type-complete-on-non-task-responses",
            "Results that do not stand for a task have the type \"complete\"",
            [
                EXT_TASKS_RESULT_TYPE_TASK_EXCLUSIVE, EXT_TASKS_RESULT_TYPE_COMPLETE_GET,
                EXT_TASKS_RESULT_TYPE_COMPLETE_CANCEL, EXT_TASKS_RESULT_TYPE_COMPLETE_UPDATE,
                EXT_TASKS_UPDATE_IGNORES_UNKNOWN_KEYS,
            ]).official(&[SEP_2322, SEP_2663]),
        check!("sep-2663-durable-create-strong-consistency",
            "`tasks/get` knows the task from the moment that the client does",
            [EXT_TASKS_DURABLE_BEFORE_ACK]).official(&[SEP_2663]).named("TasksStrongConsistencyImmediateGet"),
        check!("sep-2663-tasks-get-invalid-task-id-32602", "`tasks/get` of an unknown task is refused with -32602",
            [EXT_TASKS_GET_UNKNOWN_TASK]).official(&[SEP_2663]).named("TasksGetUnknownTaskIdRejected"),
    ],
}

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let reply = request_for_task(ctx, "tasks/result", "tasks-conformance-isolation-probe").await?;
    let outcome = refused(&reply, error_code::METHOD_NOT_FOUND);
    ctx.check("sep-2663-tasks-result-removed-method-not-found").judge(outcome);
    let reply = send(ctx, "tasks/list", json!({})).await?;
    let outcome = refused(&reply, error_code::METHOD_NOT_FOUND);
    ctx.check("tasks-removed-tasks-list").judge(outcome);

    let handle = call(ctx, "failing_job", json!({})).await?;
    // Any call may become a task or not, but this is what the fixture is for.
    let check = ctx.check("tasks-server-directed-creation-no-hint").by_fixture();
    let task = || object().member("resultType", equals("task")).member("taskId", truthy());
    check.expect(&handle, task());

    let legacy = json!({
        "name": "greet",
        "arguments": { "name": "legacy-hint" },
        "task": { "ttl": 60_000, "pollInterval": 100 },
    });
    let greeting = send(ctx, "tools/call", legacy).await?;
    ctx.check("sep-2663-legacy-task-param-ignored").expect(&greeting, plain_result());

    let reply = call(ctx, "slow_compute", json!({ "seconds": 0, "label": "instant" })).await?;
    let result = object().member("content", array());
    ctx.check("tasks-immediate-result-shortcut")
        .expect(&reply, any_of(vec![Box::new(task()), Box::new(result)]));

    result_types(ctx).await?;

    let arguments = json!({ "seconds": 60, "label": "consistency" });
    let handle = call(ctx, "slow_compute", arguments).await?;
    match task_id(&handle) {
        Ok(id) => {
            let state = request_for_task(ctx, "tasks/get", &id).await?;
            ctx.check("sep-2663-durable-create-strong-consistency")
                .expect(&state, object().member("taskId", equals(id)));
        }
        Err(none) => {
            ctx.check("sep-2663-durable-create-strong-consistency").missing(none);
        }
    }
    let reply = request_for_task(ctx, "tasks/get", "tasks-conformance-nonexistent-12345").await?;
    let outcome = refused(&reply, error_code::INVALID_PARAMS);
    ctx.check("sep-2663-tasks-get-invalid-task-id-32602").judge(outcome);
    Ok(())
}

/// Judges the types of results that do not stand for a task.
async fn result_types(ctx: &mut Ctx) -> Result<(), Finding> {
    let plain = call(ctx, "greet", json!({ "name": "rt" })).await?;
    let mut replies = vec![(Requirement::EXT_TASKS_RESULT_TYPE_TASK_EXCLUSIVE, plain)];
    let mut calls = Vec::new();
    let handle = call(ctx, "slow_compute", json!({ "seconds": 0, "label": "rt" })).await?;
    let id = task_id(&handle);
    calls.push(handle);
    if let Ok(id) = id {
        let last = until_ended(ctx, &id).await?;
        replies.push((Requirement::EXT_TASKS_RESULT_TYPE_COMPLETE_GET, last));
    }
    let handle = call(ctx, "slow_compute", json!({ "seconds": 60, "label": "rt" })).await?;
    let id = task_id(&handle);
    calls.push(handle);
    if let Ok(id) = id {
        let acknowledgement = request_for_task(ctx, "tasks/cancel", &id).await?;
        replies.push((Requirement::EXT_TASKS_RESULT_TYPE_COMPLETE_CANCEL, acknowledgement));
    }
    let mut update = None;
    let handle = call(ctx, "confirm_delete", json!({ "filename": "rt.txt" })).await?;
    let id = task_id(&handle);
    calls.push(handle);
    if let Ok(id) = id {
        // Whatever came of it: `tasks-mrtr-input` judges how a task asks.
        let _state = until_asking(ctx, &id).await?.outcome();
        let unknown = json!({ "no-such-key": { "action": "decline" } });
        let params = json!({ "taskId": id, "inputResponses": unknown });
        update = Some(send(ctx, "tasks/update", params).await?);
    }
    let complete = || object().member("resultType", equals("complete"));
    let check = ctx.check("tasks-result-type-complete-on-non-task-responses");
    let check = replies.iter().fold(check, |check, (requirement, reply)| {
        check.requires(requirement).expect(reply, complete())
    });
    // The official check ends with the first call that is refused.
    let refusals = calls.iter().filter_map(|call| call.result().err());
    let check = refusals.fold(check, |check, refusal| {
        check.officially_judge(Err(refusal), "a call that is refused has no result")
    });
    match update.as_ref().map(|update| (update, update.outcome())) {
        Some((update, Ok(_))) => {
            check
                .requires(Requirement::EXT_TASKS_RESULT_TYPE_COMPLETE_UPDATE)
                .expect(update, complete());
        }
        Some((update, Err(_))) => {
            check
                .requires(Requirement::EXT_TASKS_UPDATE_IGNORES_UNKNOWN_KEYS)
                .officially_must_judge(
                    update.result().map(drop),
                    "that unknown keys are ignored is only recommended (SHOULD)",
                );
        }
        None => {}
    }
    Ok(())
}

proofs! {
    passes on quick();
    catches "sep-2663-tasks-result-removed-method-not-found" by reply_error("tasks/result", -32602);
    // Still has the list of 2025-11-25.
    catches "tasks-removed-tasks-list" on quick_but([given(method("tasks/list")).respond_with(json!({ "tasks": [] }))]);
    catches "tasks-server-directed-creation-no-hint"
        on quick_but([answering("failing_job", json!({ "content": [], "isError": true }))]);
    catches "sep-2663-legacy-task-param-ignored" on refusing_the_member();
    catches "tasks-immediate-result-shortcut" on computing_nothing();
    catches "tasks-result-type-complete-on-non-task-responses" by set("tasks/cancel", "/resultType", json!("task"));
    catches "tasks-result-type-complete-on-non-task-responses" by reply_error("tasks/update", -32602), under Official;
    warns "tasks-result-type-complete-on-non-task-responses" by reply_error("tasks/update", -32602);
    catches "sep-2663-durable-create-strong-consistency" by set("tasks/get", "/taskId", json!("1"));
    catches "sep-2663-durable-create-strong-consistency" on computing_at_once(), under Official;
    catches "sep-2663-tasks-get-invalid-task-id-32602" by set("tasks/get", "/error/code", json!(-32603));
}

/// Validates the parameters of calls as a closed set.
fn refusing_the_member() -> Server {
    let error = Answer::error(error_code::INVALID_PARAMS, "unexpected property `task`");
    let call = given(method("tools/call")).and(param("/task", anything()));
    quick_but([call.respond_with(error)])
}

/// Neither makes a task nor returns a result.
fn computing_nothing() -> Server {
    let error = Answer::error(error_code::INTERNAL_ERROR, "it is broken");
    quick_but([answering("slow_compute", error)])
}
