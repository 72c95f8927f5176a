//! The tools of the demo server.

use serde_json::json;

use super::resources::{self, Kind};
use crate::json::Value;
use crate::server::reference::PIXEL;
use crate::server::reference::client_input::ask;
use crate::server::reference::tool_result::{invalid_arguments, text_result};
use crate::server::{Answer, Call};
use crate::spec::{Capability, Revision};

/// Name, description, properties of the arguments, and the required ones.
type Row = (&'static str, &'static str, serde_json::Value, &'static [&'static str]);

fn rows() -> [Row; 10] {
    let text = json!({ "type": "string" });
    let number = json!({ "type": "number" });
    let kinds = json!({ "type": "string", "enum": ["Text", "Blob"] });
    let cities = json!({ "type": "string", "enum": ["New York", "Chicago", "Los Angeles"] });
    let messages = json!({ "type": "string", "enum": ["error", "success", "debug"] });
    [
        ("echo", "Echoes back the input string", json!({ "message": text }), &["message"]),
        (
            "get-structured-content",
            "Tells the weather, for programs",
            json!({ "location": cities }),
            &["location"],
        ),
        (
            "get-sum",
            "Returns the sum of two numbers",
            json!({ "a": number, "b": number }),
            &["a", "b"],
        ),
        ("get-tiny-image", "Shows a tiny picture", json!({}), &[]),
        (
            "get-annotated-message",
            "Says something, and to whom it matters",
            json!({ "messageType": messages }),
            &["messageType"],
        ),
        ("get-resource-links", "Points to resources", json!({ "count": number }), &[]),
        (
            "get-resource-reference",
            "Hands out a resource",
            json!({ "resourceType": kinds, "resourceId": number }),
            &[],
        ),
        (
            "trigger-long-running-operation",
            "Reports progress, step by step",
            json!({ "duration": number, "steps": number }),
            &[],
        ),
        (
            "trigger-sampling-request",
            "Asks a model",
            json!({ "prompt": text, "maxTokens": number }),
            &["prompt"],
        ),
        ("trigger-elicitation-request", "Asks the user", json!({}), &[]),
    ]
}

/// The tools, in the form of a revision.
pub(in crate::server::reference) fn tools(revision: Revision) -> Vec<serde_json::Value> {
    let tool = |(name, about, properties, required): Row| {
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        let mut tool = json!({ "name": name, "description": about, "inputSchema": schema });
        if revision.has_tool_annotations() && !name.starts_with("trigger-") {
            tool["annotations"] = json!({ "readOnlyHint": true, "openWorldHint": false });
        }
        if revision.has_structured_content() && name == "get-structured-content" {
            let (text, number) = (json!({ "type": "string" }), json!({ "type": "number" }));
            tool["outputSchema"] = json!({
                "type": "object",
                "properties": { "temperature": number, "conditions": text, "humidity": number },
                "required": ["temperature", "conditions", "humidity"],
            });
        }
        tool
    };
    rows().map(tool).into()
}

/// The arguments of a call; one that is missing or has the wrong type is `None`.
struct Arguments<'a>(&'a Value);

impl<'a> Arguments<'a> {
    fn text(&self, name: &str) -> Option<&'a str> {
        self.0.get(name)?.as_str()
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.0.get(name)?.as_f64()
    }

    fn whole(&self, name: &str) -> Option<u64> {
        self.0.get(name)?.as_u64()
    }
}

/// Calls a tool, if it is one of these.
pub(in crate::server::reference) async fn call(
    call: &Call,
    name: &str,
    arguments: &Value,
) -> Option<Answer> {
    if let Some((argument, kind)) = mistyped(name, arguments) {
        return Some(must_be(call, &argument, &format!("a {kind}")));
    }
    let arguments = Arguments(arguments);
    match get(call, name, &arguments) {
        None => trigger(call, name, &arguments).await,
        answer => answer,
    }
}

/// An argument of the tool that has another type than in its input schema, and that type.
fn mistyped(tool: &str, arguments: &Value) -> Option<(String, String)> {
    let (_, _, properties, _) = rows().into_iter().find(|(name, ..)| *name == tool)?;
    let of = |(name, schema): (&String, &serde_json::Value)| {
        let kind = schema["type"].as_str()?;
        let is_right = match arguments.get(name)? {
            Value::String(_) => kind == "string",
            Value::Number(_) => kind == "number",
            _ => false,
        };
        (!is_right).then(|| (name.clone(), kind.to_owned()))
    };
    properties.as_object()?.iter().find_map(of)
}

/// Calls a tool that only answers.
fn get(call: &Call, name: &str, arguments: &Arguments<'_>) -> Option<Answer> {
    let must = |name: &str, what: &str| must_be(call, name, what);
    Some(match name {
        "echo" => match arguments.text("message") {
            Some(message) => text_result(&format!("Echo: {message}")),
            None => must("message", "a string"),
        },
        "get-sum" => match (arguments.number("a"), arguments.number("b")) {
            (Some(a), Some(b)) => text_result(&format!("The sum of {a} and {b} is {}.", a + b)),
            (None, _) => must("a", "a number"),
            _ => must("b", "a number"),
        },
        "get-structured-content" => match arguments.text("location").and_then(weather) {
            Some(weather) => structured(call, &weather),
            None => must("location", "one of the cities"),
        },
        "get-tiny-image" => json!({ "content": [
            { "type": "text", "text": "A picture:" },
            { "type": "image", "data": PIXEL, "mimeType": "image/png" },
            { "type": "text", "text": "It has one pixel." },
        ] })
        .into(),
        "get-annotated-message" => match arguments.text("messageType").and_then(annotated) {
            Some(content) => json!({ "content": [content] }).into(),
            None => must("messageType", "one of the kinds"),
        },
        "get-resource-links" => links(call, arguments.whole("count").unwrap_or(3).clamp(1, 10)),
        "get-resource-reference" => {
            let kind = Kind::named(arguments.text("resourceType").unwrap_or("Text"));
            let id = arguments.whole("resourceId").unwrap_or(1);
            match kind.filter(|_| id > 0) {
                Some(kind) => json!({ "content": [
                    { "type": "text", "text": format!("Resource {id}:") },
                    { "type": "resource", "resource": resources::dynamic(kind, id) },
                    { "type": "text", "text": format!("Its URI is {}", kind.uri(id)) },
                ] })
                .into(),
                None => must("resourceType", "`Text` or `Blob`"),
            }
        }
        _ => return None,
    })
}

/// Calls a tool that sends messages to the client before its answer.
async fn trigger(call: &Call, name: &str, arguments: &Arguments<'_>) -> Option<Answer> {
    Some(match name {
        "trigger-long-running-operation" => {
            // Bounded, because the client chooses how many notifications it gets.
            let steps = arguments.whole("steps").unwrap_or(5).min(100);
            for step in 1..=steps {
                // A client that has disconnected misses the progress and the answer alike.
                call.progress(step, steps).await.ok();
            }
            let duration = arguments.number("duration").unwrap_or(10.0);
            text_result(&format!(
                "Long running operation completed. Duration: {duration} seconds, Steps: {steps}."
            ))
        }
        "trigger-sampling-request" => match arguments.text("prompt") {
            Some(prompt) => sample(call, prompt, arguments.whole("maxTokens").unwrap_or(100)).await,
            None => must_be(call, "prompt", "a string"),
        },
        "trigger-elicitation-request" => elicit(call).await,
        _ => return None,
    })
}

fn must_be(call: &Call, name: &str, what: &str) -> Answer {
    invalid_arguments(call, &format!("`{name}` must be {what}"))
}

fn weather(city: &str) -> Option<serde_json::Value> {
    let (temperature, conditions, humidity) = match city {
        "New York" => (33, "Cloudy", 82),
        "Chicago" => (36, "Light rain / drizzle", 82),
        "Los Angeles" => (73, "Sunny / Clear", 48),
        _ => return None,
    };
    Some(json!({ "temperature": temperature, "conditions": conditions, "humidity": humidity }))
}

/// A structured result, with the same value as text for clients of revisions without structured results.
fn structured(call: &Call, value: &serde_json::Value) -> Answer {
    let mut result = json!({ "content": [{ "type": "text", "text": value.to_string() }] });
    if call.revision().has_structured_content() {
        result["structuredContent"] = value.clone();
    }
    result.into()
}

fn annotated(kind: &str) -> Option<serde_json::Value> {
    let (text, priority, audience) = match kind {
        "error" => ("That has failed", json!(1.0), json!(["user", "assistant"])),
        "success" => ("That is done", json!(0.7), json!(["user"])),
        "debug" => ("That took 150 ms", json!(0.3), json!(["assistant"])),
        _ => return None,
    };
    let annotations = json!({ "priority": priority, "audience": audience });
    Some(json!({ "type": "text", "text": text, "annotations": annotations }))
}

/// Links to text and blob resources in turn; their URIs as text at revisions without links.
fn links(call: &Call, count: u64) -> Answer {
    let link = |id: u64| {
        let kind = if id.is_multiple_of(2) { Kind::Text } else { Kind::Blob };
        let uri = kind.uri(id);
        if !call.revision().has_resource_links() {
            return json!({ "type": "text", "text": uri });
        }
        let name = format!("{} Resource {id}", kind.name());
        json!({ "type": "resource_link", "uri": uri, "name": name, "mimeType": "text/plain" })
    };
    let intro = json!({ "type": "text", "text": format!("{count} resources:") });
    let content: Vec<_> = std::iter::once(intro).chain((1..=count).map(link)).collect();
    json!({ "content": content }).into()
}

async fn sample(call: &Call, prompt: &str, most: u64) -> Answer {
    let text = format!("Resource trigger-sampling-request context: {prompt}");
    let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
    let params = json!({ "messages": [message], "maxTokens": most });
    match ask(call, "sampling/createMessage", Capability::Sampling, params).await {
        Ok(result) => {
            let content = result.at("/content/text").and_then(Value::as_str).unwrap_or_default();
            text_result(&format!("LLM sampling result: {content}"))
        }
        Err(instead) => instead,
    }
}

async fn elicit(call: &Call) -> Answer {
    let schema = json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "check": { "type": "boolean" } },
        "required": ["name"],
    });
    let params = json!({ "message": "Who are you?", "requestedSchema": schema });
    let result = match ask(call, "elicitation/create", Capability::Elicitation, params).await {
        Ok(result) => result,
        Err(instead) => return instead,
    };
    match result.get("action").and_then(Value::as_str) {
        Some("accept") => {
            let name = result.at("/content/name").and_then(Value::as_str).unwrap_or_default();
            text_result(&format!("User provided the requested information\n- Name: {name}"))
        }
        Some("decline") => text_result("User declined"),
        _ => text_result("User cancelled"),
    }
}
