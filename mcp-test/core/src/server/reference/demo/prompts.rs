//! The prompts of the demo server, and the completions of their arguments.

use serde_json::json;

use super::resources::{self, Kind};
use crate::json::Value;
use crate::server::reference::{invalid, string, user_message};
use crate::wire::RpcError;

const DEPARTMENTS: [(&str, [&str; 3]); 4] = [
    ("Engineering", ["Alice", "Bob", "Charlie"]),
    ("Sales", ["David", "Eve", "Frank"]),
    ("Marketing", ["Grace", "Henry", "Iris"]),
    ("Support", ["John", "Kim", "Lee"]),
];

pub(in crate::server::reference) fn prompts() -> Vec<serde_json::Value> {
    let required = |name: &str| json!({ "name": name, "required": true });
    vec![
        json!({ "name": "simple-prompt", "description": "A prompt without arguments." }),
        json!({
            "name": "args-prompt",
            "description": "A prompt with an argument that is required and one that is not.",
            "arguments": [required("city"), { "name": "state", "required": false }],
        }),
        json!({
            "name": "completable-prompt",
            "description": "A prompt whose arguments can be completed.",
            "arguments": [required("department"), required("name")],
        }),
        json!({
            "name": "resource-prompt",
            "description": "A prompt with a resource in it.",
            "arguments": [required("resourceType"), required("resourceId")],
        }),
    ]
}

/// The messages of a prompt of the demo server.
pub(in crate::server::reference) fn prompt(
    name: &str,
    arguments: &Value,
) -> Option<Result<serde_json::Value, RpcError>> {
    let message = |text: String| json!([user_message(&json!({ "type": "text", "text": text }))]);
    Some(match name {
        "simple-prompt" => Ok(message("What can you do?".to_owned())),
        "args-prompt" => string(arguments, "city").map(|city| {
            let state = arguments.get("state").and_then(Value::as_str);
            let place = state.map_or_else(|| city.to_owned(), |state| format!("{city}, {state}"));
            message(format!("What's weather in {place}?"))
        }),
        "completable-prompt" => {
            let [department, name] = ["department", "name"].map(|name| string(arguments, name));
            department.and_then(|department| {
                Ok(message(format!("What does {} do in {department}?", name?)))
            })
        }
        "resource-prompt" => with_resource(arguments),
        _ => return None,
    })
}

fn with_resource(arguments: &Value) -> Result<serde_json::Value, RpcError> {
    let [kind, id] = ["resourceType", "resourceId"].map(|name| string(arguments, name));
    let kind =
        Kind::named(kind?).ok_or_else(|| invalid("`resourceType` must be `Text` or `Blob`"))?;
    let id = id?.parse().ok().filter(|id| *id > 0);
    let id = id.ok_or_else(|| invalid("`resourceId` must be a whole number"))?;
    Ok(json!([
        user_message(&json!({ "type": "text", "text": format!("What is in resource {id}?") })),
        user_message(&json!({ "type": "resource", "resource": resources::dynamic(kind, id) })),
    ]))
}

/// The completions of an argument of the demo server's prompts and templates.
pub(in crate::server::reference) fn completions(
    reference: &Value,
    argument: &str,
    typed: &str,
    chosen: Option<&Value>,
) -> Option<Vec<String>> {
    let of = |member: &str| reference.get(member).and_then(Value::as_str);
    let numbers = || typed.parse::<u64>().ok().filter(|id| *id > 0).map(|_| typed.to_owned());
    let beginning = |words: Vec<&str>| {
        let words = words.into_iter().filter(|word| word.starts_with(typed));
        words.map(str::to_owned).collect()
    };
    if of("uri").is_some_and(|uri| uri.starts_with("demo://")) {
        return Some(numbers().into_iter().collect());
    }
    match (of("name")?, argument) {
        ("completable-prompt", "department") => {
            Some(beginning(DEPARTMENTS.iter().map(|(name, _)| *name).collect()))
        }
        ("completable-prompt", "name") => {
            let department = chosen.and_then(|chosen| chosen.get("department")?.as_str());
            let known = DEPARTMENTS.iter().find(|(name, _)| Some(*name) == department);
            Some(beginning(known.map(|(_, names)| names.to_vec()).unwrap_or_default()))
        }
        ("resource-prompt", "resourceType") => Some(beginning(vec!["Text", "Blob"])),
        ("resource-prompt", "resourceId") => Some(numbers().into_iter().collect()),
        // An argument without completions is not an error.
        ("simple-prompt" | "args-prompt" | "completable-prompt" | "resource-prompt", _) => {
            Some(Vec::new())
        }
        _ => None,
    }
}
