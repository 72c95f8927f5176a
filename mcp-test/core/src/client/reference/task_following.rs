//! How the reference client follows a task of the extension: it asks for the state of the task, and answers what the task asks for.
//!
//! What a client decides is in [`TaskHabits`], so that a scenario can be proven with one that decides otherwise.

use std::time::Duration;

use serde_json::json;

use super::{Answer, Client, call_params, discover, list_tools};
use crate::clock;
use crate::json::{Object, Value};
use crate::spec::{Capability, LISTEN, error_code};
use crate::transport::generated_id::generate_id;
use crate::wire::{Id, Request, RpcError};

/// The interval between two requests for a state if the server states none, which is up to the client.
const USUAL_INTERVAL: Duration = Duration::from_millis(100);

/// How many requests for a state may be refused in a row before the client gives the task up.
const MOST_REFUSALS: usize = 3;

/// What a server has said of a task: its handle, or the reply to a request for its state.
pub type TaskState = Result<Value, RpcError>;

/// What a client decides about tasks.
#[derive(Debug, Clone, Copy)]
pub struct TaskHabits {
    /// How long it waits before it asks for the state again, by what it has seen so far; `None` if it asks no more.
    #[doc(hidden)]
    pub pause: fn(&[TaskState]) -> Option<Duration>,
    /// Whether it answers the request with this key, by the keys of all its answers so far.
    #[doc(hidden)]
    pub answers: fn(&str, &[String]) -> bool,
    /// The id of a new task of 2025-11-25, by how many it has run before.
    #[doc(hidden)]
    pub id: fn(usize) -> String,
    /// What it makes of its answer to a request of the server, where it runs tasks of 2025-11-25.
    #[doc(hidden)]
    pub changes: fn(&Request, Answer) -> Answer,
}

impl TaskHabits {
    /// Those of a correct client.
    #[doc(hidden)]
    pub const GOOD: Self = Self {
        pause: next_pause,
        answers: is_new,
        id: |_| generate_id(),
        changes: |_, answer| answer,
    };
}

/// The newest interval, until the task has ended or is gone.
pub fn next_pause(states: &[TaskState]) -> Option<Duration> {
    let refusals = states.iter().rev().take_while(|state| state.is_err()).count();
    match states.last()? {
        // The task is gone, for example because its time to live is over.
        Err(error) if error.code == error_code::INVALID_PARAMS => None,
        // A server may refuse to be asked that often.
        Err(_) if refusals > MOST_REFUSALS => None,
        Ok(state) if has_ended(state) => None,
        _ => Some(states.iter().rev().find_map(stated_interval).unwrap_or(USUAL_INTERVAL)),
    }
}

/// The interval that a state names.
pub fn stated_interval(state: &TaskState) -> Option<Duration> {
    let stated = state.as_ref().ok()?.get("pollIntervalMs")?.as_f64()?;
    Duration::try_from_secs_f64(stated / 1000.0).ok()
}

/// Whether the task changes no more.
pub fn has_ended(state: &Value) -> bool {
    let status = state.get("status").and_then(Value::as_str);
    matches!(status, Some("completed" | "failed" | "cancelled"))
}

fn is_new(key: &str, answered: &[String]) -> bool {
    !answered.iter().any(|it| it == key)
}

/// Calls every tool, follows each call that becomes a task, and gets every prompt.
pub(super) async fn use_everything(client: &mut Client, habits: TaskHabits) -> crate::Result {
    discover(client).await?;
    for tool in list_tools(client).await? {
        let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
        let reply = client.request("tools/call", call_params(name, json!({}))).await?;
        let result = reply.result()?;
        if result.get("resultType").is_some_and(|kind| *kind == "task") {
            follow(client, result, habits).await?;
        }
    }
    if client.server().declares(Capability::Prompts) {
        let page = client.request("prompts/list", json!({})).await?;
        let prompts = page.result()?.get("prompts").and_then(Value::as_array).unwrap_or_default();
        for name in prompts.iter().filter_map(|prompt| prompt.get("name")) {
            // A task is not a valid result of it, so that there is nothing to follow.
            let _prompt =
                client.request("prompts/get", json!({ "name": name.to_serde() })).await?.outcome();
        }
    }
    Ok(())
}

/// Subscribes to the states of a task, and asks for them until its end, since the server need not announce them.
async fn follow(client: &mut Client, handle: &Value, habits: TaskHabits) -> crate::Result {
    let Some(id) = handle.get("taskId").and_then(Value::as_str).map(str::to_owned) else {
        return Ok(());
    };
    let filter = json!({ "notifications": { "taskIds": [id] } });
    let listening = client.start(LISTEN, filter).await;
    client.state.keep_open(listening.id());
    let mut states = vec![Ok(handle.clone())];
    let mut answered = Vec::new();
    while let Some(pause) = (habits.pause)(&states) {
        clock::quiet(pause).await;
        let reply = client.request("tasks/get", json!({ "taskId": id })).await?;
        let state = reply.outcome().cloned().map_err(Clone::clone);
        if let Ok(state) = &state {
            answer(client, &id, state, habits, &mut answered).await?;
        }
        states.push(state);
    }
    Ok(())
}

/// Answers what a state asks for; cancels the task if it asks for what the client does not do.
async fn answer(
    client: &mut Client,
    id: &str,
    state: &Value,
    habits: TaskHabits,
    answered: &mut Vec<String>,
) -> crate::Result {
    let Some(Value::Object(requests)) = state.get("inputRequests") else { return Ok(()) };
    let (mut responses, mut is_refused) = (Object::new(), false);
    for (key, request) in requests.iter() {
        if !(habits.answers)(key, answered) {
            continue;
        }
        let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
        let request = Request::new(Id::from(key), method, request.get("params").cloned());
        match client.options.handlers.input(&request) {
            Ok(Some(response)) => responses.push(key, response),
            Ok(None) => continue,
            Err(_) => is_refused = true,
        }
        answered.push(key.to_owned());
    }
    if !responses.is_empty() {
        let mut params = Value::from(json!({ "taskId": id }));
        params.set("/inputResponses", Value::Object(responses));
        client.request("tasks/update", params).await?.result()?;
    }
    if is_refused {
        client.request("tasks/cancel", json!({ "taskId": id })).await?.result()?;
    }
    Ok(())
}
