//! A client that uses everything that a server offers, without knowing the server.

use mcp_test::client::{
    Client, ElicitationResponse, FormElicitation, Handlers, RequestOptions, SamplingResponse,
    SubscriptionFilter,
};
use mcp_test::json::Value;
use mcp_test::spec::{Capability, Era, Revision};
use serde_json::json;

/// Handlers for all requests that a server may send at a revision.
pub(crate) fn handlers(revision: Revision) -> Handlers {
    let respond = move |form: &FormElicitation| match revision {
        // At this revision `content` has no arrays, so the multiple choices of a form cannot be answered.
        Revision::V2025_06_18 => {
            ElicitationResponse::accept(json!({ "name": "Ann", "height": 1.5, "member": true }))
        }
        _ => form.accept_examples(),
    };
    Handlers::new()
        .sampling(|request| SamplingResponse::text(format!("about {}", request.text().len())))
        .elicitation(respond)
        .elicitation_url(|_| ElicitationResponse::agree())
        .roots(["file:///tmp"])
}

/// Sends requests for everything that the server declares, and some that it has to refuse.
pub(crate) async fn explore(client: &mut Client) {
    if client.revision().era() == Era::Handshake {
        // Unsolicited requests of the server arrive on this stream.
        client.listen().await.ok();
        send(client, "ping", json!({})).await;
        if client.server().declares(Capability::Logging) {
            send(client, "logging/setLevel", json!({ "level": "debug" })).await;
        }
    } else {
        client.discover().await.ok();
    }
    if client.server().declares(Capability::Tools) {
        explore_tools(client).await;
    }
    if client.server().declares(Capability::Prompts) {
        explore_prompts(client).await;
    }
    if client.server().declares(Capability::Resources) {
        explore_resources(client).await;
    }
    send(client, "no/such/method", json!({})).await;
}

async fn explore_tools(client: &mut Client) {
    for tool in items(client, "tools/list", "tools").await {
        let call = json!({ "name": text(&tool, "name"), "arguments": arguments(&tool) });
        send(client, "tools/call", call.clone()).await;
        let execution = tool.get("execution").and_then(|it| it.get("taskSupport")?.as_str());
        if execution.is_some_and(|support| support != "forbidden")
            && client.revision() == Revision::V2025_11_25
        {
            explore_task(client, call).await;
        }
    }
    send(client, "tools/call", json!({ "name": "no-such-tool", "arguments": {} })).await;
    send(client, "tools/list", json!({ "cursor": "no-such-page" })).await;
}

/// Calls a tool as a task, and sends every request about tasks.
async fn explore_task(client: &mut Client, mut call: serde_json::Value) {
    call["task"] = json!({ "ttl": 60_000 });
    let Some(created) = send(client, "tools/call", call.clone()).await else { return };
    let id = json!({ "taskId": created.get("task").map(|task| text(task, "taskId")) });
    send(client, "tasks/get", id.clone()).await;
    send(client, "tasks/list", json!({})).await;
    send(client, "tasks/result", id).await;
    let Some(created) = send(client, "tools/call", call).await else { return };
    let id = json!({ "taskId": created.get("task").map(|task| text(task, "taskId")) });
    send(client, "tasks/cancel", id).await;
    send(client, "tasks/get", json!({ "taskId": "no-such-task" })).await;
}

async fn explore_prompts(client: &mut Client) {
    for prompt in items(client, "prompts/list", "prompts").await {
        let name = text(&prompt, "name");
        let parameters = prompt.get("arguments").and_then(Value::as_array).unwrap_or_default();
        let reference = json!({ "type": "ref/prompt", "name": name });
        let mut arguments = json!({});
        for name in parameters.iter().map(|parameter| text(parameter, "name")) {
            arguments[&name] = json!(completed(client, &reference, &name).await);
        }
        send(client, "prompts/get", json!({ "name": name, "arguments": arguments })).await;
    }
    send(client, "prompts/get", json!({ "name": "no-such-prompt" })).await;
}

/// The first value that the server suggests for an argument, or 1.
async fn completed(client: &mut Client, reference: &serde_json::Value, argument: &str) -> String {
    let mut values = None;
    if client.server().declares(Capability::Completions) {
        let argument = json!({ "name": argument, "value": "" });
        values =
            send(client, "completion/complete", json!({ "ref": reference, "argument": argument }))
                .await;
    }
    let first = |result: &Value| {
        let values = result.get("completion")?.get("values")?.as_array()?;
        values.first()?.as_str().map(str::to_owned)
    };
    values.as_ref().and_then(first).unwrap_or_else(|| "1".to_owned())
}

async fn explore_resources(client: &mut Client) {
    let listed = items(client, "resources/list", "resources").await;
    for resource in &listed {
        send(client, "resources/read", json!({ "uri": text(resource, "uri") })).await;
    }
    for template in items(client, "resources/templates/list", "resourceTemplates").await {
        let template = text(&template, "uriTemplate");
        let (uri, variables) = expanded(&template);
        send(client, "resources/read", json!({ "uri": uri })).await;
        for variable in variables {
            completed(client, &json!({ "type": "ref/resource", "uri": template }), &variable).await;
        }
    }
    send(client, "resources/read", json!({ "uri": "test://no-such-resource" })).await;
    if client.revision().era() == Era::Stateless {
        explore_subscription(client, &listed).await;
    } else if let Some(first) = listed.first() {
        for method in ["resources/subscribe", "resources/unsubscribe"] {
            send(client, method, json!({ "uri": text(first, "uri") })).await;
        }
    }
}

/// Subscribes to all changes, and calls the tool `changes` of our peers, which makes some.
async fn explore_subscription(client: &mut Client, listed: &[Value]) {
    let filter = SubscriptionFilter::new()
        .tools_list_changed()
        .prompts_list_changed()
        .resources_list_changed();
    let uris = listed.iter().map(|resource| text(resource, "uri"));
    let filter = uris.fold(filter, SubscriptionFilter::resource);
    if let Ok(subscription) = client.subscribe(filter).await {
        send(client, "tools/call", json!({ "name": "changes", "arguments": {} })).await;
        client.catch_up().await;
        client.unsubscribe(subscription).await.ok();
    }
}

/// The URI that a template expands to with 1 for each variable, and the names of the variables.
fn expanded(template: &str) -> (String, Vec<String>) {
    let mut parts = template.split('{');
    let mut uri = parts.next().unwrap_or_default().to_owned();
    let mut variables = Vec::new();
    for (name, after) in parts.filter_map(|part| part.split_once('}')) {
        variables.push(name.to_owned());
        uri = format!("{uri}1{after}");
    }
    (uri, variables)
}

/// The items of all pages of a list.
async fn items(client: &mut Client, method: &str, member: &str) -> Vec<Value> {
    let pages = client.pages(method).await.unwrap_or_default();
    let results = pages.iter().filter_map(|page| page.outcome().ok()?.get(member)?.as_array());
    results.flatten().cloned().collect()
}

/// Sends a request with progress and logging enabled, and returns its result, if it has one.
async fn send(client: &mut Client, method: &str, params: serde_json::Value) -> Option<Value> {
    let options = RequestOptions::new().progress_token(method).log_level("debug");
    let reply = client.request_with(method, params, options).await.ok()?;
    reply.outcome().ok().cloned()
}

fn text(item: &Value, member: &str) -> String {
    item.get(member).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Arguments that a tool accepts: an example value for each required one.
fn arguments(tool: &Value) -> serde_json::Value {
    if text(tool, "name") == "gzip-file-as-resource" {
        // The default is a file on the web, which the server would fetch.
        return json!({ "name": "a.gz", "data": "data:text/plain,a" });
    }
    let schema = tool.get("inputSchema");
    let member = |name: &str| schema.and_then(|schema| schema.get(name));
    let required = member("required").and_then(Value::as_array).unwrap_or_default();
    let mut arguments = json!({});
    for name in required.iter().filter_map(Value::as_str) {
        let property = member("properties").and_then(|properties| properties.get(name));
        arguments[name] = property.map(example).unwrap_or_default();
    }
    // Optional, but the tools that have them run for ten seconds by default.
    for name in ["duration", "steps"] {
        if member("properties").is_some_and(|properties| properties.get(name).is_some()) {
            arguments[name] = json!(1);
        }
    }
    arguments
}

fn example(property: &Value) -> serde_json::Value {
    let first = property.get("enum").and_then(|it| it.as_array()?.first()?.as_str());
    let keyword = |member: &str| property.get(member).and_then(Value::as_str);
    match (first, keyword("type")) {
        (Some(first), _) => json!(first),
        _ if keyword("format") == Some("uri") => json!("https://example.com/"),
        (None, Some("number" | "integer")) => json!(1),
        (None, Some("boolean")) => json!(true),
        (None, Some("array")) => json!([]),
        (None, Some("object")) => json!({}),
        _ => json!("a"),
    }
}
