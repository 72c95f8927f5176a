//! The tools.

use serde_json::json;

use super::super::asking::ask;
use super::super::tools::{refused, said};
use super::resources::{self, Kind};
use crate::json::Value;
use crate::server::{Answer, Call};
use crate::spec::{Capability, Revision};

/// A picture of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/// The tools, as a revision can say them.
pub(in super::super) fn tools(revision: Revision) -> Vec<serde_json::Value> {
    let text = json!({ "type": "string" });
    let number = json!({ "type": "number" });
    let kinds = json!({ "type": "string", "enum": ["Text", "Blob"] });
    let cities = json!({ "type": "string", "enum": ["New York", "Chicago", "Los Angeles"] });
    let messages = json!({ "type": "string", "enum": ["error", "success", "debug"] });
    let tools = [
        ("echo", "Echoes back the input string", json!({ "message": text }), vec!["message"]),
        (
            "get-structured-content",
            "Tells the weather, for programs",
            json!({ "location": cities }),
            vec!["location"],
        ),
        (
            "get-sum",
            "Returns the sum of two numbers",
            json!({ "a": number, "b": number }),
            vec!["a", "b"],
        ),
        ("get-tiny-image", "Shows a tiny picture", json!({}), vec![]),
        (
            "get-annotated-message",
            "Says something, and to whom it matters",
            json!({ "messageType": messages }),
            vec!["messageType"],
        ),
        ("get-resource-links", "Points to resources", json!({ "count": number }), vec![]),
        (
            "get-resource-reference",
            "Hands out a resource",
            json!({ "resourceType": kinds, "resourceId": number }),
            vec![],
        ),
        (
            "trigger-long-running-operation",
            "Tells how far it is, step by step",
            json!({ "duration": number, "steps": number }),
            vec![],
        ),
        (
            "trigger-sampling-request",
            "Asks a model",
            json!({ "prompt": text, "maxTokens": number }),
            vec!["prompt"],
        ),
        ("trigger-elicitation-request", "Asks the user", json!({}), vec![]),
    ];
    tools
        .map(|(name, about, properties, required)| {
            let schema =
                json!({ "type": "object", "properties": properties, "required": required });
            let mut tool = json!({ "name": name, "description": about, "inputSchema": schema });
            if revision >= Revision::V2025_03_26 && !name.starts_with("trigger-") {
                tool["annotations"] = json!({ "readOnlyHint": true, "openWorldHint": false });
            }
            if revision >= Revision::V2025_06_18 && name == "get-structured-content" {
                tool["outputSchema"] = json!({
                    "type": "object",
                    "properties": { "temperature": number, "conditions": text, "humidity": number },
                    "required": ["temperature", "conditions", "humidity"],
                });
            }
            tool
        })
        .into()
}

/// Calls a tool, if it is one of these.
pub(in super::super) async fn call(call: &Call, name: &str, arguments: &Value) -> Option<Answer> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let number = |name: &str| arguments.get(name).and_then(Value::as_f64);
    let whole = |name: &str| arguments.get(name).and_then(Value::as_u64);
    let must = |name: &str, what: &str| refused(call, &format!("`{name}` must be {what}"));
    Some(match name {
        "echo" => match text("message") {
            Some(message) => said(&format!("Echo: {message}")),
            None => must("message", "a string"),
        },
        "get-sum" => match (number("a"), number("b")) {
            (Some(a), Some(b)) => said(&format!("The sum of {a} and {b} is {}.", a + b)),
            (None, _) => must("a", "a number"),
            _ => must("b", "a number"),
        },
        "get-structured-content" => match text("location").and_then(weather) {
            Some(weather) => structured(call, &weather),
            None => must("location", "one of the cities"),
        },
        "get-tiny-image" => json!({ "content": [
            { "type": "text", "text": "A picture:" },
            { "type": "image", "data": PIXEL, "mimeType": "image/png" },
            { "type": "text", "text": "It has one pixel." },
        ] })
        .into(),
        "get-annotated-message" => match text("messageType").and_then(annotated) {
            Some(content) => json!({ "content": [content] }).into(),
            None => must("messageType", "one of the kinds"),
        },
        "get-resource-links" => links(call, whole("count").unwrap_or(3).clamp(1, 10)),
        "get-resource-reference" => {
            let kind = Kind::named(text("resourceType").unwrap_or("Text"));
            let id = whole("resourceId").unwrap_or(1);
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
        "trigger-long-running-operation" => {
            let steps = whole("steps").unwrap_or(5).min(100);
            for step in 1..=steps {
                // A client that is gone is told nothing, and gets no answer either.
                call.progress(step, steps).await.ok();
            }
            let duration = number("duration").unwrap_or(10.0);
            said(&format!(
                "Long running operation completed. Duration: {duration} seconds, Steps: {steps}."
            ))
        }
        "trigger-sampling-request" => match text("prompt") {
            Some(prompt) => sample(call, prompt, whole("maxTokens").unwrap_or(100)).await,
            None => must("prompt", "a string"),
        },
        "trigger-elicitation-request" => elicit(call).await,
        _ => return None,
    })
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

/// A value for programs, and as text for those that do not know of it.
fn structured(call: &Call, value: &serde_json::Value) -> Answer {
    let mut result = json!({ "content": [{ "type": "text", "text": value.to_string() }] });
    if call.revision() >= Revision::V2025_06_18 {
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

/// Links to resources, bytes and texts in turn; where there are no links, their URIs.
fn links(call: &Call, count: u64) -> Answer {
    let link = |id: u64| {
        let kind = if id.is_multiple_of(2) { Kind::Text } else { Kind::Blob };
        let uri = kind.uri(id);
        if call.revision() < Revision::V2025_06_18 {
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
            said(&format!("LLM sampling result: {content}"))
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
            said(&format!("User provided the requested information\n- Name: {name}"))
        }
        Some("decline") => said("User declined"),
        _ => said("User cancelled"),
    }
}
