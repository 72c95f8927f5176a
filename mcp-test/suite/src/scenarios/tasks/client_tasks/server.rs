//! The server of `client-tasks`: it asks the client for tasks, follows them, and runs a task for the client.

use futures_util::future::join;
use mcp_test_core::clock;
use mcp_test_core::server::CallError;
use mcp_test_core::spec::{Side, method};
use serde_json::Value as Json;

use super::{CHOSEN, ELICITATION, OF_TOOL, SAMPLING};
use crate::scenarios::listing_server::{REPLY_TIME, knowing_first, server};
use crate::scenarios::prelude::*;
use crate::scenarios::tasks::task_states::UNKNOWN;

/// How many pages of the client's tasks are requested at most.
const MOST_PAGES: usize = 8;

/// The tools, and whether they run as tasks. The first one can be called either way, by a client that calls only one. The one that
/// has to run as a task is listed for clients that declare tasks, since tasks are experimental.
const TOOLS: [(&str, Option<&str>); 3] =
    [("add", Some("optional")), ("subtract", None), ("import", Some("required"))];

pub(super) fn serve(test: &ClientTest) -> Server {
    server(test)
        .capabilities(json!({ "tools": {}, "tasks": { "requests": { "tools": { "call": {} } } } }))
        .on("tools/list", knowing_first(ask_and_list))
        .on("tools/call", |call: Call| async move {
            let name = call.param("name").and_then(Value::as_str);
            let support = TOOLS.into_iter().find(|(tool, _)| Some(*tool) == name);
            match (call.param("task"), support.and_then(|(_, support)| support)) {
                (Some(_), Some(_)) => json!({ "task": task("working") }).into(),
                (None, None | Some("optional")) => output().into(),
                // What the client calls in another way than it may is judged in every scenario.
                _ => {
                    Answer::error(error_code::METHOD_NOT_FOUND, "the tool is not called like this")
                }
            }
        })
        .on("tasks/get", |call: Call| async move {
            ask_of_task(&call).await;
            task("completed")
        })
        .on("tasks/result", |_: Call| async {
            let mut result = output();
            result["_meta"] = related(OF_TOOL);
            result
        })
}

async fn ask_and_list(call: Call, is_first: bool) -> Json {
    if is_first {
        let _end = ask_all(&call).await;
    }
    let knows_tasks = call.client_capabilities().get("tasks").is_some();
    let tools =
        TOOLS.into_iter().filter(|(_, support)| knows_tasks || *support != Some("required"));
    let tools: Vec<Json> = tools.map(|(name, support)| tool(name, support)).collect();
    json!({ "tools": tools })
}

fn tool(name: &str, support: Option<&str>) -> Json {
    let mut tool = json!({ "name": name, "inputSchema": { "type": "object" } });
    if let Some(support) = support {
        tool["execution"] = json!({ "taskSupport": support });
    }
    tool
}

fn output() -> Json {
    json!({ "content": [{ "type": "text", "text": "called" }] })
}

/// A state of the task that the server runs.
fn task(status: &str) -> Json {
    let now = clock::utc_now();
    json!({
        "taskId": OF_TOOL, "status": status, "createdAt": now, "lastUpdatedAt": now, "ttl": null,
        "pollInterval": 10,
    })
}

fn related(id: &str) -> Json {
    json!({ meta::RELATED_TASK: { "taskId": id } })
}

/// Sends what belongs to the task of the client's call, on the stream that belongs to no request.
async fn ask_of_task(call: &Call) {
    let call = call.on_standalone_stream();
    let ping = call.request("ping", json!({ "_meta": related(OF_TOOL) }));
    let form = async {
        if !fills_in(&call) {
            return;
        }
        let mut params = form();
        params["_meta"] = related(OF_TOOL);
        // The trace has the reply, and shows if it is missing.
        let _reply = call.request(ELICITATION, params).await;
    };
    let _replies = clock::within(Deadline::after(REPLY_TIME), join(ping, form)).await;
}

fn fills_in(call: &Call) -> bool {
    let declared = call.client_capabilities();
    let declares = |capability: Capability| capability.declared_in(declared);
    declares(Capability::Elicitation)
        && (declares(Capability::ElicitationForm) || !declares(Capability::ElicitationUrl))
}

fn form() -> Json {
    let properties = json!({ "name": { "type": "string" } });
    let schema = json!({ "type": "object", "properties": properties });
    json!({ "message": "What is the name?", "requestedSchema": schema })
}

fn generation() -> Json {
    let content = json!({ "type": "text", "text": "Reply with one word." });
    json!({ "messages": [{ "role": "user", "content": content }], "maxTokens": 16 })
}

/// A request of the server, with its reply; `None` if none comes, after which the server asks no more: a person may have to answer.
async fn ask(call: &Call, method: &str, params: Json) -> Option<Result<Value, CallError>> {
    let reply = clock::within(Deadline::after(REPLY_TIME), call.request(method, params)).await;
    match reply {
        Ok(Err(CallError::Gone)) | Err(_) => None,
        Ok(reply) => Some(reply),
    }
}

/// Asks for everything about tasks that the client declares, until one reply does not come.
async fn ask_all(call: &Call) -> Option<()> {
    // Only at 2025-11-25 clients have tasks, too.
    if !method("tasks/get").is_some_and(|known| known.sent_by(Side::Server, call.revision())) {
        return Some(());
    }
    let declared = call.client_capabilities();
    let declares = |capability: Capability| capability.declared_in(declared);
    let kinds = [
        (SAMPLING, generation(), declares(Capability::Sampling), Capability::TasksSampling),
        (ELICITATION, form(), fills_in(call), Capability::TasksElicitation),
    ];
    for (method, params, is_served, tasks) in &kinds {
        if *is_served && !declares(*tasks) {
            let reply = ask(call, method, with_task(params, &json!({ "ttl": 60_000 }))).await?;
            if reply.is_err() {
                // Whether the member is why, or the user does not want to answer.
                ask(call, method, params.clone()).await?.ok();
            }
        }
    }
    let mut wanted = kinds.iter().filter(|(_, _, is_served, tasks)| *is_served && declares(*tasks));
    let Some((method, params, ..)) = wanted.next() else { return Some(()) };
    let client = TaskClient {
        call,
        method,
        params,
        cancels: declares(Capability::TasksCancel),
        lists: declares(Capability::TasksList),
    };
    client.unknown().await?;
    client.run().await?;
    client.cancel().await?;
    if *method == SAMPLING && !declares(Capability::SamplingTools) {
        client.fail().await?;
    }
    // The last one: a client that waits for the end of an unknown task never answers it.
    client.request_for_task("tasks/result", UNKNOWN).await?.ok();
    Some(())
}

fn with_task(params: &Json, task: &Json) -> Json {
    let mut params = params.clone();
    params["task"] = task.clone();
    params
}

/// The server as the one that wants tasks of the client.
struct TaskClient<'a> {
    call: &'a Call,
    /// The request that becomes a task.
    method: &'a str,
    params: &'a Json,
    cancels: bool,
    lists: bool,
}

impl TaskClient<'_> {
    async fn request_for_task(&self, method: &str, id: &str) -> Option<Result<Value, CallError>> {
        ask(self.call, method, json!({ "taskId": id })).await
    }

    /// The id of a new task; `None` also if the request did not become one.
    async fn create(&self, params: &Json, task: Json) -> Option<Option<String>> {
        let created = ask(self.call, self.method, with_task(params, &task)).await?.ok();
        Some(created.and_then(|created| Some(created.at("/task/taskId")?.as_str()?.to_owned())))
    }

    /// Requests for a task and a page that do not exist.
    async fn unknown(&self) -> Option<()> {
        if self.lists {
            ask(self.call, "tasks/list", json!({ "cursor": UNKNOWN })).await?.ok();
        }
        self.request_for_task("tasks/get", UNKNOWN).await?.ok();
        if self.cancels {
            self.request_for_task("tasks/cancel", UNKNOWN).await?.ok();
        }
        Some(())
    }

    /// A task from its beginning to requests after its end.
    async fn run(&self) -> Option<()> {
        let Some(id) = self.create(self.params, json!({})).await? else { return Some(()) };
        for method in ["tasks/get", "tasks/result", "tasks/get", "tasks/result"] {
            self.request_for_task(method, &id).await?.ok();
        }
        if self.cancels {
            self.request_for_task("tasks/cancel", &id).await?.ok();
        }
        self.request_for_task("tasks/get", &id).await?.ok();
        if self.lists {
            let mut params = json!({});
            for _ in 0..MOST_PAGES {
                let page = ask(self.call, "tasks/list", params).await?.ok();
                let Some(cursor) =
                    page.and_then(|page| page.get("nextCursor").map(Value::to_serde))
                else {
                    break;
                };
                params = json!({ "cursor": cursor });
            }
        }
        // The parameter decides, whatever the metadata says.
        ask(self.call, "tasks/get", json!({ "taskId": id, "_meta": related(UNKNOWN) })).await?.ok();
        Some(())
    }

    /// A task that is cancelled at once, whose id the server would like to choose.
    async fn cancel(&self) -> Option<()> {
        let wanted = json!({ "ttl": 60_000, "taskId": CHOSEN });
        let Some(id) = self.create(self.params, wanted).await? else { return Some(()) };
        if self.cancels {
            for method in ["tasks/cancel", "tasks/get", "tasks/cancel"] {
                self.request_for_task(method, &id).await?.ok();
            }
        }
        Some(())
    }

    /// A task whose request the client has to refuse: it does not declare tools in sampling.
    async fn fail(&self) -> Option<()> {
        let mut params = self.params.clone();
        params["tools"] = json!([{ "name": "add", "inputSchema": { "type": "object" } }]);
        if ask(self.call, self.method, params.clone()).await?.is_ok() {
            return Some(());
        }
        let Some(id) = self.create(&params, json!({ "ttl": 60_000 })).await? else {
            return Some(());
        };
        for method in ["tasks/result", "tasks/get"] {
            self.request_for_task(method, &id).await?.ok();
        }
        Some(())
    }
}
