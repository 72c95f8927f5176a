//! The reference client: a correct client against which scenarios for clients are proven.
//!
//! The id of the scenario decides what it does, as for every client under the official suite. It is correct in every
//! revision; add a [`Fault`](crate::transport::Fault) to break it.

mod model;
#[doc(hidden)]
pub mod patient;
mod received_tasks;
mod skills;
mod task_following;

use serde_json::json;

#[doc(hidden)]
pub use self::task_following::TaskHabits;
#[cfg(any(test, feature = "suite"))]
#[doc(hidden)]
pub use self::task_following::{TaskState, has_ended, next_pause, stated_interval};
use super::handlers::Answer;
use super::reply::listed_items;
use super::{
    Client, ClientTask, ElicitationResponse, FormElicitation, Handlers, HttpHeads, Options, Reply,
    ScriptedClient, SubscriptionFilter, UrlElicitation,
};
use crate::json::{Object, Value};
use crate::spec::{Capability, Era, ItemKind, error_code, header, param_headers};

/// The reference client. In a scenario that it does not know it connects, lists the tools and disconnects.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// let client = mcp_test::client::reference::good_client();
/// # drop(client);
/// ```
#[must_use]
pub fn good_client() -> ScriptedClient {
    client_with(TaskHabits::GOOD)
}

/// The reference client with other habits, where it has to do with tasks.
pub fn client_with(habits: TaskHabits) -> ScriptedClient {
    client(habits, 0)
}

/// The reference client, which opens so many streams for unsolicited messages before its task, where a server has any.
#[cfg(any(test, feature = "suite"))]
pub fn client_with_streams(streams: usize) -> ScriptedClient {
    client(TaskHabits::GOOD, streams)
}

fn client(habits: TaskHabits, streams: usize) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let mut client = task.uninitialized(options(&task, habits)).await?;
        let outcome = perform(&task, &mut client, habits, streams).await;
        // Whatever the outcome: a server that the client has started is to be ended in order, not only dropped.
        client.end().await;
        outcome
    })
}

/// Scenarios of mcp-test with a protected server, whose tool is to be called as well.
const PROTECTED: [&str; 5] = [
    "client-credentials-renewal",
    "client-enterprise-token",
    "client-scopes",
    "client-token-expiry",
    "client-token-refresh",
];

/// Connects, and performs the task of the scenario.
async fn perform(
    task: &ClientTask,
    client: &mut Client,
    habits: TaskHabits,
    streams: usize,
) -> crate::Result {
    client.open_session().await?;
    for _ in 0..streams {
        client.listen().await?;
    }
    // The ids and the tools of the official suite; scenarios of mcp-test have the default.
    match task.scenario() {
        "tools_call" => add_numbers(client).await?,
        "elicitation-sep1034-client-defaults" => {
            // A server may send its request on the stream that belongs to no request of the client.
            client.listen().await?;
            call(client, "test_client_elicitation_defaults").await?;
        }
        "client-stateless" => {
            discover(client).await?;
            // A request of the server is an error in this era, and what the client gets after it does not matter.
            drop(list_tools(client).await);
            // What it has learned of the server holds for this one, too.
            drop(list_tools(client).await);
        }
        "client-pages" => {
            discover(client).await?;
            list_tools(client).await?;
            for page in client.pages("prompts/list").await? {
                page.result()?;
            }
        }
        "sse-retry" => call(client, "test_reconnection").await?,
        scenario if scenario.starts_with("auth/") || PROTECTED.contains(&scenario) => {
            discover(client).await?;
            call(client, "test-tool").await?;
        }
        "http-standard-headers"
        | "client-unusual-results"
        | "client-empty-lists"
        | "client-input-required" => everything(client).await?,
        "sep-2322-client-request-state" => with_input(client).await?,
        "http-custom-headers" => given_calls(client, task.context()).await?,
        "http-invalid-tool-headers" => valid_tools(client).await?,
        "json-schema-2020-12-preservation" => echo_schema(client).await?,
        "sep-2640-client-no-prefetch" => drop(skills::list(client).await?),
        "sep-2640-client-verify-digest"
        | "sep-2640-client-verify-size"
        | "sep-2640-client-verify-frontmatter" => skills::load_all(client).await?,
        "client-optional-http" => {
            // A server may refuse it, and the client does without the stream.
            drop(client.listen().await);
            discover(client).await?;
            list_tools(client).await?;
        }
        "client-task-polling" | "client-task-input" => {
            task_following::use_everything(client, habits).await?;
        }
        "client-tasks" => call_as_task(client).await?,
        "client-subscriptions" => listen_for_changes(task, client, habits).await?,
        // The server exits instead of answering; there is nothing to do about it.
        "server-exit" => drop(list_tools(client).await),
        "client-tolerant" | "client-malformed" | "client-batches" => {
            patient::list_tools(client).await?;
        }
        _ => {
            discover(client).await?;
            list_tools(client).await?;
        }
    }
    Ok(())
}

/// Declares every client capability, and accepts each form with its defaults, or examples where it has none.
///
/// Most scenarios meet it without the parts that later revisions have added to a capability.
pub fn options(task: &ClientTask, habits: TaskHabits) -> Options {
    let user = Handlers::new()
        .elicitation(FormElicitation::accept_examples)
        .sampling(model::generate)
        .roots(["file:///project"]);
    let (user, capabilities) = match task.scenario() {
        "client-answers-requests" => (Handlers::new(), json!({})),
        "client-elicitation" => {
            (user.elicitation_url(visit), json!({ "elicitation": { "form": {}, "url": {} } }))
        }
        "client-sampling" => {
            (user.sampling(model::generate_with_tools), json!({ "sampling": { "tools": {} } }))
        }
        "client-task-polling" | "client-task-input" => {
            let tasks = json!({ "io.modelcontextprotocol/tasks": {} });
            (user, json!({ "roots": {}, "sampling": {}, "elicitation": {}, "extensions": tasks }))
        }
        "client-tasks" => {
            let tasks = received_tasks::declared();
            let user = received_tasks::with_tasks(user, habits);
            (user, json!({ "roots": {}, "sampling": {}, "elicitation": {}, "tasks": tasks }))
        }
        "client-credentials-renewal" => {
            (user, with_extension("io.modelcontextprotocol/oauth-client-credentials"))
        }
        "client-enterprise-token" => {
            (user, with_extension("io.modelcontextprotocol/enterprise-managed-authorization"))
        }
        _ => (user, json!({ "roots": {}, "sampling": {}, "elicitation": {} })),
    };
    task.options().handlers(user).capabilities(capabilities)
}

/// The capabilities with an extension by which the client gets its tokens.
fn with_extension(id: &str) -> serde_json::Value {
    json!({ "roots": {}, "sampling": {}, "elicitation": {}, "extensions": { id: {} } })
}

/// Agrees to visit what is encrypted, without doing it.
fn visit(request: &UrlElicitation) -> ElicitationResponse {
    match request.url().starts_with("https://") {
        true => ElicitationResponse::agree(),
        false => ElicitationResponse::decline(),
    }
}

/// Sends `server/discover` in the stateless era, and again if the refusal lists the same revision as supported.
async fn discover(client: &mut Client) -> crate::Result {
    if client.revision().era() == Era::Handshake {
        return Ok(());
    }
    let reply = client.discover().await?;
    let Err(error) = reply.outcome() else { return Ok(()) };
    let supported = error.data.as_ref().and_then(|data| data.get("supported")?.as_array());
    let ours = Value::from(client.revision().as_str());
    let retry = error.code == error_code::UNSUPPORTED_PROTOCOL_VERSION
        && supported.is_some_and(|supported| supported.contains(&ours));
    let reply = if retry { client.discover().await? } else { reply };
    reply.result()?;
    Ok(())
}

/// Lists the tools and returns their definitions; once again if the server has ended the session, or refuses one of its cursors.
async fn list_tools(client: &mut Client) -> crate::Result<Vec<Value>> {
    let listed = client.pages("tools/list").await;
    // From 2026-07-28 on a lost response cannot be resumed, and the request is sent again under another id.
    let again = listed.is_err()
        && client.revision().era() == Era::Stateless
        && client.transport().is_http();
    let mut pages = if again { client.pages("tools/list").await? } else { listed? };
    if pages.iter().any(has_ended_session) {
        client.open_session().await?;
        pages = client.pages("tools/list").await?;
    }
    let is_refused =
        |page: &Reply| page.error().is_some_and(|error| error.code == error_code::INVALID_PARAMS);
    if pages.len() > 1 && pages.last().is_some_and(is_refused) {
        pages = client.pages("tools/list").await?;
    }
    Ok(listed_items(ItemKind::Tool, &pages)?.into_iter().cloned().collect())
}

/// Lists the tools and calls one without arguments.
async fn call(client: &mut Client, tool: &str) -> crate::Result {
    list_tools(client).await?;
    call_with(client, tool, json!({})).await
}

/// Whether the server refused a request because its session has ended (`basic/transports#session-management`).
fn has_ended_session(reply: &Reply) -> bool {
    let in_session =
        |(name, _): &(String, String)| name.eq_ignore_ascii_case(header::MCP_SESSION_ID);
    let is_unknown =
        |http: &HttpHeads| http.status == 404 && http.request_headers.iter().any(in_session);
    // Looked at only if the reply is an error, which is then examined.
    reply.error().is_some() && reply.http().as_ref().is_some_and(is_unknown)
}

async fn call_with(client: &mut Client, tool: &str, arguments: impl Into<Value>) -> crate::Result {
    client.request("tools/call", call_params(tool, arguments)).await?.result()?;
    Ok(())
}

fn call_params(tool: &str, arguments: impl Into<Value>) -> Value {
    let mut params = Object::new();
    params.push("name", tool);
    params.push("arguments", arguments);
    params.into()
}

async fn add_numbers(client: &mut Client) -> crate::Result {
    discover(client).await?;
    list_tools(client).await?;
    call_with(client, "add_numbers", json!({ "a": 5, "b": 3 })).await
}

/// Calls the tools that ask for input, and another one before the first of them gets its input.
async fn with_input(client: &mut Client) -> crate::Result {
    discover(client).await?;
    list_tools(client).await?;
    let asking = client.start("tools/call", call_params("test_mrtr_echo_state", json!({}))).await;
    call_with(client, "test_mrtr_unrelated", json!({})).await?;
    client.wait(asking).await?.result()?;
    call_with(client, "test_mrtr_no_state", json!({})).await?;
    call_with(client, "test_mrtr_no_result_type", json!({})).await
}

/// Makes the calls of the context.
async fn given_calls(client: &mut Client, context: &Value) -> crate::Result {
    discover(client).await?;
    list_tools(client).await?;
    for call in context.get("toolCalls").and_then(Value::as_array).unwrap_or_default() {
        client.request("tools/call", call.clone()).await?.result()?;
    }
    Ok(())
}

/// Calls each tool whose annotations for headers are valid; a client over HTTP must drop the others.
async fn valid_tools(client: &mut Client) -> crate::Result {
    discover(client).await?;
    for tool in list_tools(client).await? {
        let schema = tool.get("inputSchema").cloned().unwrap_or_default();
        if let (Some(name), Ok(_)) =
            (tool.get("name").and_then(Value::as_str), param_headers(&schema))
        {
            call_with(client, name, json!({ "region": "us-east1" })).await?;
        }
    }
    Ok(())
}

/// Calls the first tool as a task of 2025-11-25, and waits for its end, with a stream on which the server may ask.
async fn call_as_task(client: &mut Client) -> crate::Result {
    client.listen().await?;
    let tools = list_tools(client).await?;
    let name = tools.first().and_then(|tool| tool.get("name")?.as_str()).unwrap_or_default();
    let mut params = call_params(name, json!({}));
    params.set("/task", json!({ "ttl": 60_000 }).into());
    let created = client.request("tools/call", params).await?;
    let id = created.result()?.at("/task/taskId").map(Value::to_serde);
    for method in ["tasks/get", "tasks/result"] {
        client.request(method, json!({ "taskId": id })).await?.result()?;
    }
    Ok(())
}

/// Subscribes to changes, and again when the subscription has ended with its stream or with the server.
async fn listen_for_changes(
    task: &ClientTask,
    client: &mut Client,
    habits: TaskHabits,
) -> crate::Result {
    let filter = SubscriptionFilter::new().tools_list_changed();
    discover(client).await?;
    list_tools(client).await?;
    client.subscribe(filter.clone()).await?;
    // Over HTTP each subscription has a stream of its own.
    if !client.transport().is_http() {
        client.subscribe(filter.clone()).await?;
    }
    if client.request("tools/list", json!({})).await.is_err() {
        let again = task.uninitialized(options(task, habits)).await?;
        std::mem::replace(client, again).end().await;
        discover(client).await?;
    }
    client.subscribe(filter).await?;
    list_tools(client).await?;
    Ok(())
}

/// Sends the input schema of one tool to another.
async fn echo_schema(client: &mut Client) -> crate::Result {
    discover(client).await?;
    let tools = list_tools(client).await?;
    let is_it =
        |tool: &&Value| tool.get("name").is_some_and(|name| *name == "json_schema_2020_12_tool");
    let schema = tools.iter().find(is_it).and_then(|tool| tool.get("inputSchema"));
    let mut arguments = Object::new();
    arguments.push("schema", schema.cloned().unwrap_or_default());
    call_with(client, "json_schema_echo", arguments).await
}

/// Calls, reads and gets everything that the server lists, and completes an argument of each prompt if the server can.
async fn everything(client: &mut Client) -> crate::Result {
    discover(client).await?;
    let uses = [
        ("prompts/list", "prompts", "name", "prompts/get"),
        ("resources/list", "resources", "uri", "resources/read"),
        ("tools/list", "tools", "name", "tools/call"),
    ];
    for (list, member, key, method) in uses {
        let page = client.request(list, json!({})).await?;
        let items = page.result()?.get(member).and_then(Value::as_array).unwrap_or_default();
        let names: Vec<String> =
            items.iter().filter_map(|item| Some(item.get(key)?.as_str()?.to_owned())).collect();
        for name in names {
            client.request(method, json!({ key: name })).await?.result()?;
            let subscribes = client.revision().era() == Era::Handshake
                && client.server().declares(Capability::ResourcesSubscribe);
            if method == "resources/read" && subscribes {
                client.request("resources/subscribe", json!({ key: name })).await?.result()?;
            }
            if method == "prompts/get" && client.server().declares(Capability::Completions) {
                let prompt = json!({ "type": "ref/prompt", "name": name });
                let argument = json!({ "name": "argument", "value": "" });
                let params = json!({ "ref": prompt, "argument": argument });
                client.request("completion/complete", params).await?.result()?;
            }
        }
    }
    Ok(())
}
