//! How variations change messages.

use axum::http::{HeaderMap, HeaderValue};
use mcp_test_core::json::{Object, Value};
use mcp_test_core::spec::meta;
use serde_json::json;

/// Puts a member into an object.
pub(crate) fn push(value: &mut Value, name: &str, member: serde_json::Value) {
    if let Some(object) = value.as_object_mut() {
        object.insert(name, member);
    }
}

/// Adds an entry to the metadata.
pub(crate) fn set_meta(value: &mut Value) {
    if value.get("_meta").is_none() {
        push(value, "_meta", json!({}));
    }
    if let Some(meta) = value.at_mut("/_meta") {
        push(meta, "com.example/shape", json!({"round": true}));
    }
}

/// Changes the result of a reply.
pub(crate) fn in_result(message: &mut Value, change: impl FnOnce(&mut Value)) {
    if let Some(result) = message.at_mut("/result") {
        change(result);
    }
}

/// Changes the capabilities of a server.
pub(crate) fn in_capabilities(message: &mut Value, change: impl FnOnce(&mut Value)) {
    if let Some(capabilities) = message.at_mut("/result/capabilities") {
        change(capabilities);
    }
}

/// Changes the items of a list in a message.
pub(crate) fn in_each(message: &mut Value, list: &str, mut change: impl FnMut(&mut Value)) {
    let items = message.at_mut(list).and_then(Value::as_array_mut);
    items.into_iter().flatten().for_each(&mut change);
}

/// Changes the items of the result of a list.
pub(crate) fn in_items(message: &mut Value, change: fn(&mut Value)) {
    for list in ["prompts", "resources", "resourceTemplates", "tools"] {
        in_each(message, &format!("/result/{list}"), change);
    }
}

/// Changes the input schemas of tools that name no dialect.
pub(crate) fn in_schemas(message: &mut Value, change: fn(&mut Value)) {
    in_each(message, "/result/tools", |tool| {
        if let Some(schema) = tool.at_mut("/inputSchema").filter(|it| it.get("$schema").is_none()) {
            change(schema);
        }
    });
}

/// Changes the content of the result of a tool.
pub(crate) fn in_content(message: &mut Value, change: fn(&mut Value)) {
    in_each(message, "/result/content", change);
}

/// Not in what has to be empty, such as the result of `ping`.
pub(crate) fn further_members(message: &mut Value) {
    let is_empty = |result: &Value| {
        let members = result.as_object().map(Object::keys).into_iter().flatten();
        members.filter(|name| !["_meta", "resultType"].contains(name)).count() == 0
    };
    in_result(message, |result| {
        if !is_empty(result) {
            push(result, "x-took", json!(0.25));
            push(result, "com.example/empty", json!({}));
        }
    });
}

/// The members of all objects, the last one first.
pub(crate) fn reverse(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(reverse),
        Value::Object(object) => {
            let mut members: Vec<(String, Value)> =
                object.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
            members.iter_mut().for_each(|(_, member)| reverse(member));
            let mut reversed = Object::new();
            for (name, member) in members.into_iter().rev() {
                reversed.push(name, member);
            }
            *object = reversed;
        }
        _ => {}
    }
}

/// Adds the rest of another notation, such as `5.0` for `5`, which is the same number.
pub(crate) fn in_whole_numbers(value: &mut Value, rest: &str) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| in_whole_numbers(item, rest)),
        Value::Object(object) => {
            object.iter_mut().for_each(|(_, member)| in_whole_numbers(member, rest));
        }
        Value::Number(number) if number.as_str().bytes().all(|byte| byte.is_ascii_digit()) => {
            let text = format!("{}{rest}", number.as_str());
            *number = mcp_test_core::json::Number::parse(&text).expect("a number");
        }
        _ => {}
    }
}

/// Adds what `after` returns for a character outside of strings.
pub(crate) fn outside_strings(text: &str, after: impl Fn(char) -> Option<char>) -> String {
    let (mut is_inside, mut is_escaped) = (false, false);
    let mut out = String::new();
    for char in text.chars() {
        out.push(char);
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' if is_inside => is_escaped = true,
            '"' => is_inside = !is_inside,
            char if !is_inside => out.extend(after(char)),
            _ => {}
        }
    }
    out
}

/// The letters of strings, names of members among them, as `\u0061`.
pub(crate) fn escaped(text: &str) -> String {
    let (mut is_inside, mut skipped) = (false, 0);
    let mut out = String::new();
    for char in text.chars() {
        match char {
            _ if skipped == 1 => skipped = if char == 'u' { 5 } else { 0 },
            _ if skipped > 1 => skipped = if skipped == 2 { 0 } else { skipped - 1 },
            '\\' if is_inside => skipped = 1,
            '"' => is_inside = !is_inside,
            char if is_inside && char.is_ascii_alphabetic() => {
                out.push_str(&format!("\\u{:04x}", u32::from(char)));
                continue;
            }
            _ => {}
        }
        out.push(char);
    }
    out
}

/// Whether a message is a result with this member.
pub(crate) fn has_result(message: &Value, member: &str) -> bool {
    message.get("result").is_some_and(|it| it.get(member).is_some())
}

/// Changes the media type of a response.
pub(crate) fn change_type(headers: &mut HeaderMap, change: impl Fn(&str) -> String) {
    let Some(media) = headers.get("content-type").and_then(|it| it.to_str().ok()) else { return };
    let changed = HeaderValue::from_str(&change(media)).expect("a media type");
    headers.insert("content-type", changed);
}

/// Adds a block to the content of the result of a tool.
pub(crate) fn add_content(message: &mut Value, block: &serde_json::Value) {
    let content = message.at_mut("/result/content").and_then(Value::as_array_mut);
    content.into_iter().for_each(|content| content.push(block.clone().into()));
}

/// Changes a string in a message, if `change` returns another one.
pub(crate) fn in_string(
    message: &mut Value,
    pointer: &str,
    change: impl FnOnce(&str) -> Option<String>,
) {
    if let Some(changed) = message.at(pointer).and_then(Value::as_str).and_then(change) {
        message.set(pointer, json!(changed).into());
    }
}

/// Changes each string member of this name, wherever it is in a value.
pub(crate) fn in_members(value: &mut Value, name: &str, change: fn(&str) -> Option<String>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|it| in_members(it, name, change)),
        Value::Object(object) => object.iter_mut().for_each(|(member, value)| {
            match value.as_str().filter(|_| member == name).and_then(change) {
                Some(changed) => *value = json!(changed).into(),
                None => in_members(value, name, change),
            }
        }),
        _ => {}
    }
}

/// Writes the id of each request in another way, and that of a request that is cancelled.
pub(crate) fn send_ids(message: &mut Value, write: impl Fn(&Value) -> Option<Value>) {
    let is_request = message.get("method").is_some();
    for pointer in ["/id", "/params/requestId"].into_iter().filter(|_| is_request) {
        if let Some(id) = message.at(pointer).and_then(&write) {
            message.set(pointer, id);
        }
    }
}

/// Turns the id of each reply, and that of a subscription, back into what the plain peer has sent.
pub(crate) fn receive_ids(message: &mut Value, read: impl Fn(&Value) -> Option<Value>) {
    let is_reply = message.get("method").is_none();
    let of_subscription = format!("/_meta/{}", meta::SUBSCRIPTION_ID.replace('/', "~1"));
    let pointers = [(is_reply, "/id".to_owned()), (is_reply, format!("/result{of_subscription}"))];
    let of_notification = (!is_reply, format!("/params{of_subscription}"));
    for (_, pointer) in pointers.into_iter().chain([of_notification]).filter(|(is, _)| *is) {
        if let Some(id) = message.at(&pointer).and_then(&read) {
            message.set(&pointer, id);
        }
    }
}

/// An id as a string that starts with this.
pub(crate) fn string_id(id: &Value, prefix: &str) -> Option<Value> {
    Some(json!(format!("{prefix}{id}")).into())
}

/// The id that a string with this prefix stands for.
pub(crate) fn plain_id(id: &Value, prefix: &str) -> Option<Value> {
    Some(Value::parse(id.as_str()?.strip_prefix(prefix)?.as_bytes()).ok()?.value)
}

/// An id that is this number minus the plain one, which also turns it back.
pub(crate) fn number_id(id: &Value, from: i64) -> Option<Value> {
    Some(json!(from - id.as_i64()?).into())
}

/// Adds an entry to the metadata of a request or a notification, which may have had none.
pub(crate) fn add_metadata(message: &mut Value, of: &str, name: &str, entry: &serde_json::Value) {
    if message.get("method").is_none_or(|it| *it != of) {
        return;
    }
    for (pointer, parent, member) in
        [("/params", "", "params"), ("/params/_meta", "/params", "_meta")]
    {
        if message.at(pointer).is_none() {
            message.at_mut(parent).into_iter().for_each(|it| push(it, member, json!({})));
        }
    }
    message.at_mut("/params/_meta").into_iter().for_each(|it| push(it, name, entry.clone()));
}
