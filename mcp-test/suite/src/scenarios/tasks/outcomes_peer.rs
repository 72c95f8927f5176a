//! A server whose tasks of the extension fail and ask for input.

use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_test_core::clock;
use serde_json::Value;

use crate::scenarios::prelude::*;

/// What is wrong with the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutcomeFault {
    None,
    /// A task whose tool returns `isError` has failed.
    FailsForToolErrors,
    /// The error of a task is a text.
    ErrorIsText,
    /// The error of a task has another code.
    OtherCode,
    /// A failed task does not say why.
    SaysNothing,
    /// A task waits for input, and does not say for which.
    HidesRequests,
    /// A request that has no answer yet is missing in one state, and is back in the next.
    SkipsRequests,
    /// The key of an answered request is used again.
    ReusesKey,
    /// Another request has the key of an open one.
    ReplacesRequest,
    /// A finished task asks for the call to be sent again.
    AsksForRetry,
}

#[derive(Debug)]
struct Task {
    id: String,
    tool: String,
    polls: usize,
    answered: Vec<String>,
}

type Tasks = Arc<Mutex<Vec<Task>>>;

/// A server with a tool whose result has `isError`, one that fails with an error, and one that asks for input three times.
pub(super) fn outcomes_server(fault: OutcomeFault) -> Server {
    let tasks = Tasks::default();
    let with = |answer: fn(OutcomeFault, &Tasks, &Call) -> Answer| {
        let tasks = tasks.clone();
        move |call: Call| {
            let tasks = tasks.clone();
            async move {
                match call.method() {
                    "tools/call" => answer(fault, &tasks, &call),
                    _ => match call.require(Capability::TasksExtension) {
                        Ok(()) => answer(fault, &tasks, &call),
                        Err(refusal) => refusal,
                    },
                }
            }
        }
    };
    Server::new(json!({"name": "mcp-test-outcomes", "version": "1.0.0"}))
        .capabilities(json!({"tools": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}))
        .on("tools/list", |_: Call| async { tools() })
        .on("tools/call", with(call))
        .on("tasks/get", with(get))
        .on("tasks/update", with(update))
        .on("tasks/cancel", with(|_, _, _| json!({}).into()))
}

fn tools() -> Value {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}});
    json!({"tools": [tool("fails"), tool("breaks"), tool("asks")]})
}

fn lock(tasks: &Tasks) -> MutexGuard<'_, Vec<Task>> {
    tasks.lock().unwrap_or_else(PoisonError::into_inner)
}

fn failure() -> Value {
    json!({"content": [{"type": "text", "text": "The city was not found."}], "isError": true})
}

const DISK: &str = "the disk is full";

fn call(_: OutcomeFault, tasks: &Tasks, call: &Call) -> Answer {
    let tool = call.param("name").and_then(mcp_test_core::json::Value::as_str).unwrap_or_default();
    if let Err(refusal) = call.require(Capability::TasksExtension) {
        return match tool {
            "fails" => failure().into(),
            "breaks" => Answer::error(error_code::INTERNAL_ERROR, DISK),
            _ => refusal,
        };
    }
    let mut tasks = lock(tasks);
    let id = format!("786512e2-9e0d-44bd-8f29-{:012x}", tasks.len());
    let mut handle = state(&id, "working");
    handle["resultType"] = json!("task");
    tasks.push(Task { id, tool: tool.to_owned(), polls: 0, answered: Vec::new() });
    handle.into()
}

fn state(id: &str, status: &str) -> Value {
    let now = clock::utc_now();
    json!({
        "taskId": id, "status": status, "createdAt": now, "lastUpdatedAt": now, "ttlMs": null, "pollIntervalMs": 10,
    })
}

fn elicitation(question: &str) -> Value {
    let schema = json!({"type": "object", "properties": {"answer": {"type": "string"}}});
    let params = json!({"message": question, "requestedSchema": schema});
    json!({"method": "elicitation/create", "params": params})
}

fn with_task(tasks: &Tasks, call: &Call, answer: impl FnOnce(&mut Task) -> Answer) -> Answer {
    let id = call.param("taskId").and_then(mcp_test_core::json::Value::as_str).unwrap_or_default();
    match lock(tasks).iter_mut().find(|task| task.id == id) {
        Some(task) => answer(task),
        None => Answer::error(error_code::INVALID_PARAMS, "task not found"),
    }
}

fn get(fault: OutcomeFault, tasks: &Tasks, call: &Call) -> Answer {
    with_task(tasks, call, |task| {
        task.polls += 1;
        match task.tool.as_str() {
            "fails" if fault != OutcomeFault::FailsForToolErrors => {
                let mut completed = state(&task.id, "completed");
                completed["result"] = match fault {
                    OutcomeFault::AsksForRetry => {
                        json!({"resultType": "input_required", "requestState": "x", "content": []})
                    }
                    _ => failure(),
                };
                completed.into()
            }
            "fails" | "breaks" => failed(fault, task).into(),
            _ => asking(fault, task).into(),
        }
    })
}

fn failed(fault: OutcomeFault, task: &Task) -> Value {
    let mut failed = state(&task.id, "failed");
    let code = match fault {
        OutcomeFault::OtherCode => error_code::INVALID_PARAMS,
        _ => error_code::INTERNAL_ERROR,
    };
    failed["error"] = match fault {
        OutcomeFault::ErrorIsText => json!({ "text": DISK }),
        _ => json!({"code": code, "message": DISK}),
    };
    if fault != OutcomeFault::SaysNothing {
        failed["statusMessage"] = json!(DISK);
    }
    failed
}

/// Asks for a name and a colour at once, and then for an animal.
fn asking(fault: OutcomeFault, task: &Task) -> Value {
    let is_open = |key: &str| !task.answered.iter().any(|answered| answered == key);
    let third = if fault == OutcomeFault::ReusesKey { "name" } else { "animal" };
    let mut requests = json!({});
    for key in ["name", "colour"] {
        if is_open(key) {
            requests[key] = elicitation(key);
        }
    }
    if requests == json!({}) && is_open("animal") && task.answered.len() < 3 {
        requests[third] = elicitation("animal");
    }
    match fault {
        OutcomeFault::HidesRequests if task.answered.is_empty() => requests = json!({}),
        OutcomeFault::SkipsRequests if task.polls == 2 => {
            requests = json!({"name": elicitation("name")});
        }
        OutcomeFault::ReplacesRequest if task.polls > 1 && is_open("colour") => {
            requests["colour"] = elicitation("The colour of what?");
        }
        _ => {}
    }
    if requests == json!({}) && fault != OutcomeFault::HidesRequests {
        let mut completed = state(&task.id, "completed");
        completed["result"] = json!({"content": [{"type": "text", "text": "Thank you"}]});
        return completed;
    }
    let mut waiting = state(&task.id, "input_required");
    waiting["inputRequests"] = requests;
    waiting
}

fn update(_: OutcomeFault, tasks: &Tasks, call: &Call) -> Answer {
    let responses = call.param("inputResponses").and_then(mcp_test_core::json::Value::as_object);
    let keys: Vec<String> =
        responses.into_iter().flat_map(Object::iter).map(|(key, _)| key.to_owned()).collect();
    with_task(tasks, call, |task| {
        task.answered.extend(keys);
        json!({}).into()
    })
}
