//! `tasks-extension-calls`.

use mcp_test_core::clock;
use mcp_test_core::scenario::CallableTool;

use super::extension::{after_cancel, declared, judge_status, request_for_task, shape};
use super::peer::{faulty, tasks_server};
use super::task::call_of;
use super::task_fault::TaskFault;
use super::task_states::{are_guessable, is_task, is_terminal, member, poll_interval};
use crate::scenarios::prelude::*;
use crate::scenarios::refusal::{has_code, is_error};

scenario! {
    /// Calls become tasks only for clients that declare the extension, and these tasks can be followed.
    ///
    /// A client without the extension cannot understand a task, so that each request is judged by its own declaration. Where
    /// the server answers with a task, its state is requested at once and until its end, and it is cancelled when it is over.
    Server "tasks-extension-calls": "Calls become tasks only for clients with the extension",
    revisions: Revisions::from(Revision::V2026_07_28),
    needs: [Need::Capability(Capability::TasksExtension), Need::CallableTool],
    checks: [
        check!("extension-task-undeclared", "A call of a client that does not declare the extension becomes no task",
            [
                EXT_TASKS_NO_TASK_FOR_UNDECLARED, EXT_TASKS_TASK_PARAM_IGNORED, EXT_TASKS_DECLARATION_NOT_STICKY,
                VERSIONING_EXTENSION_FALLBACK,
            ]).conditional(),
        check!("extension-task-required",
            "A call that can only be a task is refused with -32021, which names the extension",
            [EXT_TASKS_MISSING_CAPABILITY_ERROR, EXT_TASKS_MISSING_CAPABILITY_DATA]).conditional(),
        check!("extension-task-type", "A call that becomes a task has a result of the type \"task\"",
            [EXT_TASKS_RESULT_TYPE_TASK]).conditional(),
        check!("extension-task-ids", "The id of a task cannot be guessed from the one before",
            [EXT_TASKS_ID_ENTROPY]).conditional(),
        check!("extension-task-state",
            "The state of a task has the members of its status, from the moment that the client knows its id",
            [
                EXT_TASKS_DURABLE_BEFORE_ACK, EXT_TASKS_TASK_SHAPE, EXT_TASKS_RESULT_TYPE_COMPLETE_GET,
                EXT_TASKS_RESULT_TYPE_TASK_EXCLUSIVE, EXT_TASKS_GET_WORKING, EXT_TASKS_GET_CANCELLED,
                EXT_TASKS_GET_COMPLETED, EXT_TASKS_GET_FAILED, EXT_TASKS_GET_INPUT_REQUIRED,
                EXT_TASKS_RESULT_FAITHFUL,
            ]).conditional(),
        check!("extension-task-acknowledged",
            "`tasks/update` and `tasks/cancel` are answered with nothing but an acknowledgement",
            [
                EXT_TASKS_UPDATE_IGNORES_UNKNOWN_KEYS, EXT_TASKS_UPDATE_ACK_EMPTY,
                EXT_TASKS_RESULT_TYPE_COMPLETE_UPDATE, EXT_TASKS_CANCEL_ACK_EMPTY,
                EXT_TASKS_RESULT_TYPE_COMPLETE_CANCEL,
            ]).conditional(),
        check!("extension-task-final", "A finished task keeps its status",
            [EXT_TASKS_TERMINAL_IMMUTABLE]).conditional(),
    ],
}

/// How many tools are called at most.
const MOST_TOOLS: usize = 3;

/// How many times the state of a task is requested at most.
const MOST_POLLS: usize = 10;

const EXTENSION: &str = "/requiredCapabilities/extensions/io.modelcontextprotocol~1tasks";

async fn run(ctx: &mut Ctx) -> Result<(), Finding> {
    let mut tools = ctx.callable_tools().await?;
    tools.retain(|tool| tool.arguments.is_some());
    if tools.is_empty() {
        let why = "no tool that may be called states valid arguments";
        drop(ctx.check("extension-task-undeclared").skip(why));
    }
    let mut last_id: Option<String> = None;
    for tool in tools.iter().take(MOST_TOOLS) {
        let before = call(ctx, tool, false).await?;
        is_no_task(ctx, &before, Requirement::EXT_TASKS_NO_TASK_FOR_UNDECLARED);
        let declared = json!({});
        let request =
            ctx.request("tools/call", call_of(tool)).param("task", json!({"ttl": 60_000}));
        let with_member = request.meta(meta::CLIENT_CAPABILITIES, declared).deliberate().await?;
        is_no_task(ctx, &with_member, Requirement::EXT_TASKS_TASK_PARAM_IGNORED);
        let handle = call(ctx, tool, true).await?;
        let after = call(ctx, tool, false).await?;
        is_no_task(ctx, &after, Requirement::EXT_TASKS_DECLARATION_NOT_STICKY);
        typed(ctx, &handle);
        if let Some(id) = member(&handle, "/taskId").filter(|_| is_task(&handle)) {
            if let Some(last) = last_id.replace(id.to_owned()) {
                unguessable(ctx, &last, &handle);
            }
            if before.outcome().is_err() {
                required(ctx, &before);
            }
            follow(ctx, &handle).await?;
        }
    }
    Ok(())
}

async fn call(ctx: &mut Ctx, tool: &CallableTool, declares: bool) -> Result<Reply, Finding> {
    let declared = if declares { declared() } else { json!({}) };
    let request = ctx.request("tools/call", call_of(tool));
    request.meta(meta::CLIENT_CAPABILITIES, declared).once().await
}

/// Whether a result that describes a task says that it does.
fn typed(ctx: &mut Ctx, handle: &Reply) {
    let Ok(result) = handle.outcome() else { return };
    let has = |pointer: &str| result.at(pointer).is_some();
    let is_state = has("/taskId") && has("/status") || has("/task/taskId");
    if !is_state || has("/content") || has("/structuredContent") {
        return;
    }
    ctx.check("extension-task-type").judge(ensure(is_task(handle), || {
        Finding::peer("a call becomes a task, and the type of its result does not say so")
            .expected("the `resultType` \"task\"")
            .got(result.short(120))
            .evidence_all(handle.evidence())
    }));
}

/// Whether the id of a task differs enough from the one before.
fn unguessable(ctx: &mut Ctx, last: &str, handle: &Reply) {
    let id = member(handle, "/taskId").unwrap_or_default();
    ctx.check("extension-task-ids").judge(ensure(!are_guessable(last, id), || {
        Finding::peer("the id of a task can be guessed from the one before")
            .expected("ids with enough entropy, such as random UUIDs")
            .got(format!("{last:?} and then {id:?}"))
            .evidence_all(handle.evidence())
    }));
}

fn is_no_task(ctx: &mut Ctx, reply: &Reply, requirement: &'static Requirement) {
    let outcome = ensure(!is_task(reply), || {
        Finding::peer("a call becomes a task although its request does not declare the extension")
            .expected("a `resultType` other than \"task\", or error -32021")
            .evidence_all(reply.evidence())
    });
    let check = ctx.check("extension-task-undeclared").requires(requirement);
    // The first finding stays, so that the general rule is tested along with the one for tasks.
    check
        .judge(outcome.clone())
        .requires(Requirement::VERSIONING_EXTENSION_FALLBACK)
        .judge(outcome);
}

/// The refusal of a call that can only be a task.
fn required(ctx: &mut Ctx, reply: &Reply) {
    let code = error_code::MISSING_REQUIRED_CLIENT_CAPABILITY;
    let outcome = is_error(reply).and_then(|()| has_code(reply, code));
    let is_right = outcome.is_ok();
    let check = ctx.check("extension-task-required");
    let check = check.requires(Requirement::EXT_TASKS_MISSING_CAPABILITY_ERROR).judge(outcome);
    let data = reply.error().and_then(|error| error.data.as_ref());
    let names = data.and_then(|data| data.at(EXTENSION)).is_some();
    if is_right {
        check.requires(Requirement::EXT_TASKS_MISSING_CAPABILITY_DATA).judge(ensure(names, || {
            Finding::peer("the error does not name the extension that the client lacks")
                .expected(format!("a member `/error/data{EXTENSION}`"))
                .got(data.map_or_else(|| "no data".to_owned(), |data| data.short(120)))
                .evidence_all(reply.evidence())
        }));
    }
}

async fn follow(ctx: &mut Ctx, handle: &Reply) -> Result<(), Finding> {
    shape(ctx, handle);
    let Some(id) = member(handle, "/taskId").map(str::to_owned) else { return Ok(()) };
    let mut state = request_for_task(ctx, "tasks/get", json!({ "taskId": id })).await?;
    ctx.check("extension-task-state")
        .requires(Requirement::EXT_TASKS_DURABLE_BEFORE_ACK)
        .expect(&state, object().member("taskId", equals(id.as_str())));
    if state.outcome().is_err() {
        return Ok(());
    }
    let answers = json!({"taskId": id, "inputResponses": {"no-such-key": {"action": "decline"}}});
    let update = request_for_task(ctx, "tasks/update", answers).await?;
    let is_ignored = update.result().map(drop).map_err(Finding::should);
    let is_accepted = is_ignored.is_ok();
    ctx.check("extension-task-acknowledged")
        .requires(Requirement::EXT_TASKS_UPDATE_IGNORES_UNKNOWN_KEYS)
        .judge(is_ignored);
    if is_accepted {
        let ids = [
            Requirement::EXT_TASKS_UPDATE_ACK_EMPTY,
            Requirement::EXT_TASKS_RESULT_TYPE_COMPLETE_UPDATE,
        ];
        acknowledged(ctx, &update, ids);
    }
    for _ in 0..MOST_POLLS {
        shape(ctx, &state);
        judge_status(ctx, &state);
        if member(&state, "/status").is_none_or(|status| status != "working") {
            break;
        }
        clock::quiet(poll_interval(&state)).await;
        state = request_for_task(ctx, "tasks/get", json!({ "taskId": id })).await?;
    }
    let cancel = request_for_task(ctx, "tasks/cancel", json!({ "taskId": id })).await?;
    let ids = [
        Requirement::EXT_TASKS_CANCEL_ACK_EMPTY,
        Requirement::EXT_TASKS_RESULT_TYPE_COMPLETE_CANCEL,
    ];
    acknowledged(ctx, &cancel, ids);
    let last = request_for_task(ctx, "tasks/get", json!({ "taskId": id })).await?;
    let Some(status) = member(&state, "/status").filter(|status| is_terminal(status)) else {
        if last.outcome().is_ok() {
            after_cancel(ctx, &last);
        }
        return Ok(());
    };
    // The server may have deleted it.
    if last.outcome().is_ok() {
        ctx.check("extension-task-final").expect(&last, object().member("status", equals(status)));
    }
    Ok(())
}

/// An empty result, but for what every result has.
fn acknowledged(ctx: &mut Ctx, reply: &Reply, [empty, complete]: [&'static Requirement; 2]) {
    let nothing = object().without("taskId").without("task").without("status").without("result");
    ctx.check("extension-task-acknowledged")
        .requires(empty)
        .expect(reply, nothing)
        .requires(complete)
        .expect(reply, object().member("resultType", equals("complete")));
}

proofs! {
    passes on tasks_server();
    catches "extension-task-undeclared" on faulty(TaskFault::TasksForEveryone);
    catches "extension-task-undeclared" on faulty(TaskFault::TasksByMember);
    catches "extension-task-undeclared" on faulty(TaskFault::RemembersDeclaration);
    catches "extension-task-required" by set("tools/call", "/error/code", json!(-32603));
    catches "extension-task-required" by remove("tools/call", "/error/data");
    catches "extension-task-type" by set("tools/call", "/resultType", "complete");
    catches "extension-task-ids" on faulty(TaskFault::CountsIds);
    catches "extension-task-state" by remove("tools/call", "/ttlMs");
    catches "extension-task-state" on faulty(TaskFault::HasEarlyResults);
    catches "extension-task-state" on faulty(TaskFault::MisspellsCancelled);
    catches "extension-task-state" by set("tasks/get", "/createdAt", json!(1_764_000_000));
    catches "extension-task-state" by set("tasks/get", "/resultType", json!("task"));
    catches "extension-task-state" by remove("tasks/get", "/result/result/content");
    catches "extension-task-state" by reply_error("tasks/get", -32602);
    warns "extension-task-acknowledged" on faulty(TaskFault::RefusesUnknownKeys);
    catches "extension-task-acknowledged" by set("tasks/cancel", "/status", json!("cancelled"));
    catches "extension-task-final" on faulty(TaskFault::CancelsFinishedOfExtension);
}
