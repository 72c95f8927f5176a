//! A client of ours that goes through everything a server has to offer, without knowing the server.

use mcp_test::client::{
    Client, Elicited, Form, Handlers, RequestOptions, Sampled, SubscriptionFilter,
};
use mcp_test::json::Value;
use mcp_test::spec::{Capability, Era, Revision};
use serde_json::json;

/// Answers to whatever a server may ask at a revision.
pub(crate) fn handlers(revision: Revision) -> Handlers {
    let user = move |form: &Form| match revision {
        // Servers ask for choices of several here, too, but as yet no answer can carry them.
        Revision::V2025_06_18 => {
            Elicited::accept(json!({ "name": "Ann", "height": 1.5, "member": true }))
        }
        _ => form.accept_examples(),
    };
    Handlers::new()
        .sampling(|asked| Sampled::text(format!("about {}", asked.text().len())))
        .elicitation(user)
        .elicitation_url(|_| Elicited::agree())
        .roots(["file:///tmp"])
}

/// Asks for everything. What the server refuses is part of the conversation, too.
pub(crate) async fn tour(client: &mut Client) {
    if client.revision().era() == Era::Handshake {
        // What the server asks of its own accord comes on this stream.
        client.listen().await.ok();
        ask(client, "ping", json!({})).await;
        if client.server().declares(Capability::Logging) {
            ask(client, "logging/setLevel", json!({ "level": "debug" })).await;
        }
    } else {
        client.discover().await.ok();
    }
    if client.server().declares(Capability::Tools) {
        tools(client).await;
    }
    if client.server().declares(Capability::Prompts) {
        prompts(client).await;
    }
    if client.server().declares(Capability::Resources) {
        resources(client).await;
    }
    ask(client, "no/such/method", json!({})).await;
}

async fn tools(client: &mut Client) {
    for tool in items(client, "tools/list", "tools").await {
        let called = json!({ "name": text(&tool, "name"), "arguments": arguments(&tool) });
        ask(client, "tools/call", called.clone()).await;
        let execution = tool.get("execution").and_then(|it| it.get("taskSupport")?.as_str());
        if execution.is_some_and(|support| support != "forbidden")
            && client.revision() == Revision::V2025_11_25
        {
            task(client, called).await;
        }
    }
    ask(client, "tools/call", json!({ "name": "no-such-tool", "arguments": {} })).await;
    ask(client, "tools/list", json!({ "cursor": "no-such-page" })).await;
}

/// Calls a tool as a task, and goes through what can be asked of one.
async fn task(client: &mut Client, mut called: serde_json::Value) {
    called["task"] = json!({ "ttl": 60_000 });
    let Some(created) = ask(client, "tools/call", called.clone()).await else { return };
    let id = json!({ "taskId": created.get("task").map(|task| text(task, "taskId")) });
    ask(client, "tasks/get", id.clone()).await;
    ask(client, "tasks/list", json!({})).await;
    ask(client, "tasks/result", id).await;
    let Some(created) = ask(client, "tools/call", called).await else { return };
    let id = json!({ "taskId": created.get("task").map(|task| text(task, "taskId")) });
    ask(client, "tasks/cancel", id).await;
    ask(client, "tasks/get", json!({ "taskId": "no-such-task" })).await;
}

async fn prompts(client: &mut Client) {
    for prompt in items(client, "prompts/list", "prompts").await {
        let name = text(&prompt, "name");
        let wanted = prompt.get("arguments").and_then(Value::as_array).unwrap_or_default();
        let of = json!({ "type": "ref/prompt", "name": name });
        let mut arguments = json!({});
        for name in wanted.iter().map(|argument| text(argument, "name")) {
            arguments[&name] = json!(completed(client, &of, &name).await);
        }
        ask(client, "prompts/get", json!({ "name": name, "arguments": arguments })).await;
    }
    ask(client, "prompts/get", json!({ "name": "no-such-prompt" })).await;
}

/// The first value that the server suggests for an argument, else 1.
async fn completed(client: &mut Client, of: &serde_json::Value, argument: &str) -> String {
    let mut values = None;
    if client.server().declares(Capability::Completions) {
        let argument = json!({ "name": argument, "value": "" });
        values =
            ask(client, "completion/complete", json!({ "ref": of, "argument": argument })).await;
    }
    let first = |result: &Value| {
        let values = result.get("completion")?.get("values")?.as_array()?;
        values.first()?.as_str().map(str::to_owned)
    };
    values.as_ref().and_then(first).unwrap_or_else(|| "1".to_owned())
}

async fn resources(client: &mut Client) {
    let listed = items(client, "resources/list", "resources").await;
    for resource in &listed {
        ask(client, "resources/read", json!({ "uri": text(resource, "uri") })).await;
    }
    for template in items(client, "resources/templates/list", "resourceTemplates").await {
        let template = text(&template, "uriTemplate");
        let (uri, variables) = expanded(&template);
        ask(client, "resources/read", json!({ "uri": uri })).await;
        for variable in variables {
            completed(client, &json!({ "type": "ref/resource", "uri": template }), &variable).await;
        }
    }
    ask(client, "resources/read", json!({ "uri": "test://no-such-resource" })).await;
    if client.revision().era() == Era::Stateless {
        listen(client, &listed).await;
    } else if let Some(first) = listed.first() {
        for method in ["resources/subscribe", "resources/unsubscribe"] {
            ask(client, method, json!({ "uri": text(first, "uri") })).await;
        }
    }
}

/// Subscribes to all changes, and has some made.
async fn listen(client: &mut Client, listed: &[Value]) {
    let filter = SubscriptionFilter::new()
        .tools_list_changed()
        .prompts_list_changed()
        .resources_list_changed();
    let uris = listed.iter().map(|resource| text(resource, "uri"));
    let filter = uris.fold(filter, SubscriptionFilter::resource);
    if let Ok(subscription) = client.subscribe(filter).await {
        ask(client, "tools/call", json!({ "name": "changes", "arguments": {} })).await;
        client.catch_up().await;
        client.unsubscribe(subscription).await.ok();
    }
}

/// A URI of a template whose variables are all 1, and their names.
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

/// Sends a request that wants to be told of everything, and gives its result, if it comes to one.
async fn ask(client: &mut Client, method: &str, params: serde_json::Value) -> Option<Value> {
    let mut options = RequestOptions::new().progress_token(method);
    if client.revision().era() == Era::Stateless {
        options = options.log_level("debug");
    }
    let reply = client.request_with(method, params, options).await.ok()?;
    reply.outcome().ok().cloned()
}

fn text(item: &Value, member: &str) -> String {
    item.get(member).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Arguments that a tool takes: one for each that it demands, as small as the schema lets it be.
fn arguments(tool: &Value) -> serde_json::Value {
    if text(tool, "name") == "gzip-file-as-resource" {
        // By default it would fetch a file from the web.
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
    // Optional, and ten seconds long if left out.
    for name in ["duration", "steps"] {
        if member("properties").is_some_and(|properties| properties.get(name).is_some()) {
            arguments[name] = json!(1);
        }
    }
    arguments
}

fn example(property: &Value) -> serde_json::Value {
    let first = property.get("enum").and_then(|it| it.as_array()?.first()?.as_str());
    let of = |member: &str| property.get(member).and_then(Value::as_str);
    match (first, of("type")) {
        (Some(first), _) => json!(first),
        _ if of("format") == Some("uri") => json!("https://example.com/"),
        (None, Some("number" | "integer")) => json!(1),
        (None, Some("boolean")) => json!(true),
        (None, Some("array")) => json!([]),
        (None, Some("object")) => json!({}),
        _ => json!("a"),
    }
}
