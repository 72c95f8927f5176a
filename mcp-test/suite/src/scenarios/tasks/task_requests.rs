//! What the scenarios for clients of the tasks extension share: the server, and what the client requested of one task.

use std::sync::{Mutex, PoisonError};

use futures_util::future::{Ready, ready};
use mcp_test_core::client::Client;
use mcp_test_core::clock;
use mcp_test_core::trace::ReceivedMessage;
use mcp_test_core::wire::Response;
use serde_json::Value as Json;

use crate::scenarios::exchange::{AnsweredRequest, answered_requests};
use crate::scenarios::listing_server::server;
use crate::scenarios::prelude::*;

/// A server with the extension, which announces nothing about its tasks.
pub(super) fn server_with_tasks(test: &ClientTest) -> Server {
    server(test)
        .capabilities(json!({
            "tools": {}, "extensions": { "io.modelcontextprotocol/tasks": {} },
        }))
        .on("subscriptions/listen", accept_nothing)
}

/// What a server has done so far, which its handlers share.
#[derive(Default)]
pub(super) struct Shared<S>(Arc<Mutex<S>>);

impl<S: Send + 'static> Shared<S> {
    /// A handler that answers by what the server has done so far.
    pub(super) fn answering(
        &self,
        answer: fn(&mut S, &Call) -> Answer,
    ) -> impl Fn(Call) -> Ready<Answer> + Send + Sync + use<S> {
        let state = Arc::clone(&self.0);
        move |call| ready(answer(&mut state.lock().unwrap_or_else(PoisonError::into_inner), &call))
    }
}

/// Acknowledges a subscription without the states of tasks, and keeps it open.
async fn accept_nothing(call: Call) -> Answer {
    let id = call.id().map(|id| id.to_value().to_serde());
    let params = json!({ "notifications": {}, "_meta": { meta::SUBSCRIPTION_ID: id } });
    // A client that is gone needs no acknowledgement.
    let _gone = call.notify("notifications/subscriptions/acknowledged", params).await;
    Answer::never()
}

/// A list of tools without parameters.
pub(super) fn tools<const N: usize>(names: [&str; N]) -> Json {
    let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
    json!({ "tools": names.map(tool).to_vec() })
}

/// The result of a tool.
pub(super) fn output() -> Json {
    json!({ "content": [{ "type": "text", "text": "called" }] })
}

/// What every state of a task has.
pub(super) fn task(id: &str, status: &str, interval: Duration, ttl: Duration) -> Json {
    let now = clock::utc_now();
    json!({
        "taskId": id, "status": status, "createdAt": now, "lastUpdatedAt": now,
        "ttlMs": milliseconds(ttl), "pollIntervalMs": milliseconds(interval),
    })
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Whether a message declares the extension.
pub(super) fn declares_tasks(message: &ReceivedMessage) -> bool {
    let declared = message.meta(meta::CLIENT_CAPABILITIES);
    declared.is_some_and(|declared| Capability::TasksExtension.declared_in(declared))
}

/// The calls of tools that declare the extension, in the order of arrival.
pub(super) fn calls_with_tasks(judging: &Judging) -> Vec<AnsweredRequest> {
    let mut calls = answered_requests(judging);
    calls.retain(|it| it.request.method() == "tools/call" && declares_tasks(&it.request));
    calls
}

/// The requests of the client that name one task, in the order of arrival.
pub(super) struct TaskRequests {
    /// The requests for its state.
    pub(super) polls: Vec<AnsweredRequest>,
    /// The answers to what it asked for.
    pub(super) updates: Vec<AnsweredRequest>,
    /// The requests to cancel it.
    pub(super) cancels: Vec<AnsweredRequest>,
}

impl TaskRequests {
    pub(super) fn of(judging: &Judging, id: &str) -> Self {
        let requests = answered_requests(judging).into_iter().filter(|it| task_id(it) == Some(id));
        let mut sorted = Self { polls: Vec::new(), updates: Vec::new(), cancels: Vec::new() };
        for request in requests {
            match request.request.method() {
                "tasks/get" => sorted.polls.push(request),
                "tasks/update" => sorted.updates.push(request),
                "tasks/cancel" => sorted.cancels.push(request),
                _ => {}
            }
        }
        sorted
    }
}

fn task_id(request: &AnsweredRequest) -> Option<&str> {
    request.request.params().get("taskId")?.as_str()
}

/// The state that a request for it was answered with, or the error; `None` without a reply.
pub(super) fn state(poll: &AnsweredRequest) -> Option<Result<&Value, &RpcError>> {
    match &poll.reply {
        Some((_, Message::Response(Response { result, .. }))) => Some(Ok(result)),
        Some((_, Message::Error(reply))) => Some(Err(&reply.error)),
        _ => None,
    }
}

/// The status that a request for a state was answered with.
pub(super) fn status(poll: &AnsweredRequest) -> Option<&str> {
    state(poll)?.ok()?.get("status")?.as_str()
}

/// A client that connects with the extension, lists the tools, and does something else.
pub(super) fn listing_with_tasks<F>(then: fn(Client) -> F) -> ScriptedClient
where
    F: Future<Output = mcp_test_core::Result> + 'static,
{
    ScriptedClient::new(move |task: ClientTask| async move {
        let tasks = json!({ "io.modelcontextprotocol/tasks": {} });
        let declared = json!({ "elicitation": {}, "extensions": tasks });
        let mut client = task.connect(task.options().capabilities(declared)).await?;
        client.request("tools/list", json!({})).await?.result()?;
        then(client).await
    })
}
