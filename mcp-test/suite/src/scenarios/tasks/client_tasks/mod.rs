//! `client-tasks`.

mod judge;
mod server;
mod tool_as_task;

use mcp_test_core::client::reference::{TaskHabits, client_with, options};
use mcp_test_core::wire::Request;
use serde_json::Value as Json;

use super::client_tasks::judge::judge;
use super::client_tasks::server::serve;
use crate::scenarios::prelude::*;

scenario! {
    /// Before the server answers `tools/list`, it has the client run requests as tasks, as far as the client declares that: one to its
    /// end, one that is cancelled, and one that fails. It asks for tasks and pages that do not exist, and sends the member `task`
    /// with a request for which the client declares no tasks.
    ///
    /// A client that calls the tool as a task gets requests that belong to it, over HTTP on the stream that it has opened with GET.
    /// What a client does not declare is not judged; after a reply that does not come, for which a person may be needed, the server asks
    /// no more.
    Client "client-tasks": "The client runs the tasks that it declares",
    revisions: Revisions::only(Revision::V2025_11_25),
    checks: [
        check!(UNDECLARED, "A request with `task` is answered as one without if the client declares no tasks for it",
            [TASKS_UNDECLARED_AUGMENTATION_IGNORED, TASKS_CAPABILITY_DECLARED]),
        check!(CREATED,
            "The reply to a request with `task` has a task at work, and nothing of the result; `ttl` may be missing",
            [
                TASKS_CREATE_RESULT_RETURNED, TASKS_CREATE_RESULT_NO_OPERATION_RESULT, TASKS_ID_STRING,
                TASKS_INITIAL_WORKING, TASKS_TTL_OPTIONAL,
            ]).named("ClientCreatesTask"),
        check!(STATE, "`tasks/get` has the state of the task that its parameter names, with its `ttl`",
            [TASKS_TTL_REPORTED, TASKS_TASKID_PARAM_AUTHORITATIVE]),
        check!(TIMES, "Each task says in ISO 8601 when it was created and last updated",
            [TASKS_CREATED_AT, TASKS_LAST_UPDATED_AT]),
        check!(RESULT, "`tasks/result` waits for the end of the task, and has its result and its id",
            [
                TASKS_RESULT_TERMINAL_RETURNED, TASKS_RESULT_BLOCKS, TASKS_RESULT_SUCCESS_PASSTHROUGH,
                TASKS_RESULT_RELATED_META,
            ]),
        check!(FAILED, "A task whose request fails has failed, says why, and has the error as its result",
            [TASKS_RESULT_ERROR_PASSTHROUGH, TASKS_FAILURE_SETS_FAILED, TASKS_FAILED_STATUS_MESSAGE]),
        check!(LISTED, "`tasks/list` has the task that `tasks/get` finds",
            [TASKS_LIST_COMPLETE, TASKS_LIST_NEXT_CURSOR]),
        check!(FINAL, "A finished task is not cancelled, and keeps its status",
            [TASKS_TERMINAL_FINAL, TASKS_CANCEL_TERMINAL_REJECTED, TASKS_TRANSITIONS_VALID]).named("ClientTaskFinal"),
        check!(CANCELLED, "The reply to `tasks/cancel` says that the task is cancelled, which it stays",
            [TASKS_CANCEL_STATUS_BEFORE_RESPONSE, TASKS_CANCELLED_STAYS, TASKS_CANCEL_TERMINAL_REJECTED]),
        check!(IDS,
            "Each task has an id of its own, which the client has chosen, and which cannot be guessed from another",
            [TASKS_ID_UNIQUE, TASKS_ID_RECEIVER_GENERATED, TASKS_ID_ENTROPY]),
        check!(UNKNOWN_TASK, "Requests for a task or a page that does not exist are refused with -32602",
            [TASKS_INVALID_ID_ERROR, TASKS_INVALID_CURSOR_ERROR]),
        check!(MESSAGES, "The errors about tasks have a message",
            [TASKS_ERROR_MESSAGES_INFORMATIVE]),
        check!(METADATA, "States of tasks have no related-task metadata, neither in results nor in notifications",
            [TASKS_RELATED_META_NOT_IN_RESULTS, TASKS_STATUS_NOTIFICATION_NO_RELATED_META]),
        check!(RELATED, "The answer to what belongs to a task names the task in its metadata",
            [TASKS_RELATED_META_EVERYWHERE]),
        check!(STREAM, "The client answers what belongs to a task on the stream that it has opened with GET",
            [TASKS_EXPECT_ANY_STREAM]).over_http(),
    ],
}

const UNDECLARED: &str = "client-ignores-undeclared-task";
const CREATED: &str = "client-task-created";
const STATE: &str = "client-task-state";
const TIMES: &str = "client-task-timestamps";
const RESULT: &str = "client-task-result";
const FAILED: &str = "client-task-failed";
const LISTED: &str = "client-task-listed";
const FINAL: &str = "client-finished-task-final";
const CANCELLED: &str = "client-task-cancelled";
const IDS: &str = "client-task-ids";
const UNKNOWN_TASK: &str = "client-refuses-unknown-task";
const MESSAGES: &str = "client-task-error-messages";
const METADATA: &str = "client-task-metadata";
const RELATED: &str = "client-names-task-in-answer";
const STREAM: &str = "client-expects-task-on-any-stream";

const SAMPLING: &str = "sampling/createMessage";
const ELICITATION: &str = "elicitation/create";

/// The id that the server asks for.
const CHOSEN: &str = "chosen-by-mcp-test";
/// The task of the server, of a call of the client.
const OF_TOOL: &str = "b7d05c3ea1f84f2e8c6a94d02e7fb913";

/// The answer of a client to a request of the server.
type Answered = Result<Value, RpcError>;

fn changing(changes: fn(&Request, Answered) -> Answered) -> ScriptedClient {
    client_with(TaskHabits { changes, ..TaskHabits::GOOD })
}

fn param<'a>(request: &'a Request, pointer: &str) -> Option<&'a Value> {
    request.params.as_ref()?.at(pointer)
}

/// Changes the results of one method.
fn in_result(
    request: &Request,
    answer: Answered,
    method: &str,
    change: impl FnOnce(&mut Value),
) -> Answered {
    let mut result = answer?;
    if request.method == method {
        change(&mut result);
    }
    Ok(result)
}

fn refused(code: i64) -> Answered {
    Err(RpcError::new(code, "refused"))
}

fn refuses_the_member() -> ScriptedClient {
    changing(|request, answer| match param(request, "/task") {
        Some(_) if request.method == ELICITATION => refused(error_code::INVALID_PARAMS),
        _ => answer,
    })
}

fn makes_undeclared_tasks() -> ScriptedClient {
    changing(|request, answer| match param(request, "/task") {
        Some(_) if request.method == ELICITATION => Ok(json!({ "task": {} }).into()),
        _ => answer,
    })
}

fn ignores_the_member() -> ScriptedClient {
    changing(|request, answer| match param(request, "/task") {
        Some(_) if request.method == SAMPLING => Ok(generated()),
        _ => answer,
    })
}

/// The result of a generation.
fn generated() -> Value {
    let content = json!({ "type": "text", "text": "generated" });
    json!({ "role": "assistant", "content": content, "model": "none" }).into()
}

fn requires_a_ttl() -> ScriptedClient {
    changing(|request, answer| match param(request, "/task") {
        Some(task) if task.get("ttl").is_none() => refused(error_code::INVALID_PARAMS),
        _ => answer,
    })
}

fn reads_the_metadata() -> ScriptedClient {
    changing(|request, answer| match param(request, "/_meta") {
        Some(meta) if request.method == "tasks/get" && meta.get(meta::RELATED_TASK).is_some() => {
            refused(error_code::INVALID_PARAMS)
        }
        _ => answer,
    })
}

fn answers_before_the_end() -> ScriptedClient {
    changing(|request, answer| {
        in_result(request, answer, "tasks/get", |state| {
            if state.get("status").is_some_and(|status| *status == "completed") {
                state.set("/status", "working".into());
            }
        })
    })
}

/// Has another result when it is asked for it again.
fn generates_again() -> ScriptedClient {
    /// The second `tasks/result` for the first task.
    const AGAIN: &str = "server-9";
    changing(|request, answer| match request.id == Id::from(AGAIN) {
        true => in_result(request, answer, "tasks/result", |result| {
            result.set("/model", "another".into());
        }),
        false => answer,
    })
}

fn wraps_results() -> ScriptedClient {
    changing(|request, answer| {
        in_result(request, answer, "tasks/result", |result| {
            *result = json!({ "result": result.to_serde() }).into();
        })
    })
}

fn adopts_ids() -> ScriptedClient {
    changing(|request, answer| match param(request, "/task/taskId") {
        Some(id) => in_result(request, answer, SAMPLING, |created| {
            created.set("/task/taskId", id.clone());
        }),
        None => answer,
    })
}

fn has_a_result_of_failed_tasks() -> ScriptedClient {
    changing(|request, answer| match answer {
        Err(error)
            if request.method == "tasks/result" && error.code != error_code::INVALID_PARAMS =>
        {
            Ok(generated())
        }
        answer => answer,
    })
}

fn completes_failed_tasks() -> ScriptedClient {
    changing(|request, answer| {
        in_result(request, answer, "tasks/get", |state| {
            if state.get("status").is_some_and(|status| *status == "failed") {
                state.set("/status", "completed".into());
            }
        })
    })
}

fn cancels_finished_tasks() -> ScriptedClient {
    changing(|request, answer| match answer {
        Err(error) if request.method == "tasks/cancel" && error.message.contains("ended") => {
            let now = mcp_test_core::clock::utc_now();
            let id = param(request, "/taskId").map(Value::to_serde);
            Ok(json!({
                "taskId": id, "status": "cancelled", "createdAt": now, "lastUpdatedAt": now, "ttl": null,
            })
            .into())
        }
        answer => answer,
    })
}

/// Takes up a task again that has ended.
fn takes_up_finished_tasks() -> ScriptedClient {
    /// The `tasks/get` after the end of the first task.
    const LAST: &str = "server-11";
    changing(|request, answer| match request.id == Id::from(LAST) {
        true => in_result(request, answer, "tasks/get", |state| {
            state.set("/status", "working".into());
        }),
        false => answer,
    })
}

/// Lists the tools, and notifies of the states of the first task that it has run for the server meanwhile.
fn notifying(statuses: &'static [&'static str], meta: fn(&str) -> Json) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = task.connect(options(&task, TaskHabits::GOOD)).await?;
        client.request("tools/list", json!({})).await?.result()?;
        let mut results = client.server_requests().iter().filter(|it| it.method == "tasks/result");
        let id =
            results.find_map(|it| param(it, "/taskId")?.as_str()).unwrap_or_default().to_owned();
        for status in statuses {
            let now = mcp_test_core::clock::utc_now();
            let params = json!({
                "taskId": id, "status": status, "createdAt": now, "lastUpdatedAt": now, "ttl": null,
                "_meta": meta(&id),
            });
            client.notify("notifications/tasks/status", params).await;
        }
        client.end().await;
        Ok(())
    })
}

fn completes_cancelled_tasks() -> ScriptedClient {
    changing(|request, answer| {
        in_result(request, answer, "tasks/get", |state| {
            if state.get("status").is_some_and(|status| *status == "cancelled") {
                state.set("/status", "completed".into());
            }
        })
    })
}

proofs! {
    passes on good_client();
    catches "client-ignores-undeclared-task" on refuses_the_member();
    catches "client-ignores-undeclared-task" on makes_undeclared_tasks();
    catches "client-task-created" by set("sampling/createMessage", "/task/status", json!("completed"));
    catches "client-task-created" by set("sampling/createMessage", "/task/taskId", json!(7));
    catches "client-task-created" on ignores_the_member();
    catches "client-task-created" by set("sampling/createMessage", "/content", json!({ "type": "text", "text": "" }));
    catches "client-task-created" on requires_a_ttl();
    catches "client-task-state" by remove("tasks/get", "/ttl");
    catches "client-task-state" on reads_the_metadata();
    catches "client-task-timestamps" by set("tasks/get", "/createdAt", json!("1764000000"));
    catches "client-task-timestamps" by set("tasks/list", "/tasks/0/lastUpdatedAt", json!("today"));
    catches "client-task-result" on answers_before_the_end();
    catches "client-task-result" by remove("tasks/result", "/_meta");
    catches "client-task-result" on wraps_results();
    catches "client-task-result" on generates_again();
    catches "client-task-failed" on has_a_result_of_failed_tasks();
    catches "client-task-failed" on completes_failed_tasks();
    warns "client-task-failed" by remove("tasks/get", "/statusMessage");
    catches "client-task-listed" by set("tasks/list", "/tasks", json!([]));
    // Cut off without a cursor.
    catches "client-task-listed" by remove("tasks/list", "/tasks/0");
    catches "client-finished-task-final" on cancels_finished_tasks();
    catches "client-finished-task-final" on takes_up_finished_tasks();
    catches "client-finished-task-final" on notifying(&["completed", "working"], |_| json!({}));
    catches "client-task-cancelled" on completes_cancelled_tasks();
    catches "client-task-cancelled" by set("tasks/cancel", "/status", json!("working"));
    catches "client-task-ids" on adopts_ids();
    // Its second task has the id of the first one.
    catches "client-task-ids"
        on client_with(TaskHabits { id: |before| format!("task-{}", before.max(1)), ..TaskHabits::GOOD });
    catches "client-task-ids" on client_with(TaskHabits { id: |before| format!("task-{before}"), ..TaskHabits::GOOD });
    catches "client-refuses-unknown-task" by set("tasks/get", "/error/code", json!(-32603));
    catches "client-refuses-unknown-task" by reply_error("tasks/list", -32603);
    warns "client-task-error-messages" by set("tasks/cancel", "/error/message", json!(""));
    warns "client-task-metadata"
        by set("tasks/get", "/_meta", json!({ "io.modelcontextprotocol/related-task": { "taskId": "x" } }));
    warns "client-task-metadata" on notifying(&["completed"], |id| json!({ meta::RELATED_TASK: { "taskId": id } }));
    catches "client-names-task-in-answer" by remove("elicitation/create", "/_meta");
    warns "client-expects-task-on-any-stream" by never("ping");
}
