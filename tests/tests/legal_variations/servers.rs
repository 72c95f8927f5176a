//! The variations of servers.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue};
use mcp_test_core::json::{Object, Value};
use mcp_test_core::server::Server;
use mcp_test_core::spec::{Revision, Revisions};
use mcp_test_core::transport::Fault;
use serde_json::json;

use super::variation::{Change, Variation};

const fn variation(name: &'static str, allowed_by: &'static str, change: Change) -> Variation {
    Variation { name, allowed_by, change }
}

const OPEN: &str = "basic: results are objects that may have any further members";
const JSON: &str = "JSON-RPC 2.0: messages are JSON (RFC 8259), which allows it";
const STDIO: &str = "basic/transports#stdio: a message is one line, however it is written";
const SSE: &str =
    "basic/transports: streams are server-sent events by the HTML standard, which allows it";
const HTTP: &str = "basic/transports: HTTP allows it (RFC 9110)";
const CURSOR: &str = "server/utilities/pagination: a cursor is an opaque string";
const TOOL: &str = "server/tools#data-types: the schema of the page allows it";
const META: &str = "basic#_meta: keys with a prefix of one's own are allowed";
const LIFECYCLE: &str = "basic/lifecycle#initialization: the result may say so";

pub(crate) static VARIATIONS: &[Variation] = &[
    // Messages.
    variation("further members in results", OPEN, Change::Message(further_members)),
    variation(
        "further members in items",
        OPEN,
        Change::Message(|it| in_items(it, |item| push(item, "com.example/note", json!([1, null])))),
    ),
    variation("metadata in results", META, Change::Message(|it| in_result(it, set_meta))),
    variation("metadata in items", META, Change::Message(|it| in_items(it, set_meta))),
    variation("metadata in content", META, Change::Message(|it| in_content(it, set_meta))),
    variation(
        "annotations of content",
        "server/tools#tool-result: all content has optional annotations",
        Change::Message(|it| {
            in_content(it, |block| {
                push(
                    block,
                    "annotations",
                    json!({"audience": ["user"], "priority": 0.5, "lastModified": "2025-01-12T15:00:58Z"}),
                );
            });
        }),
    ),
    variation("members in reverse order", JSON, Change::Message(reverse)),
    variation(
        "whole numbers with a fraction",
        JSON,
        Change::Message(|it| in_result(it, |it| in_whole_numbers(it, ".0"))),
    ),
    variation(
        "data of errors",
        "JSON-RPC 2.0, section 5.1: an error may have data of any kind",
        Change::Message(|it| {
            if let Some(error) =
                it.get("error").filter(|error| error.get("data").is_none()).cloned()
            {
                let mut error = error;
                push(&mut error, "data", json!("see the manual"));
                it.set("/error", error);
            }
        }),
    ),
    variation(
        "blanks between tokens",
        JSON,
        Change::Text(|text| {
            outside_strings(text, |char| matches!(char, ',' | ':' | '[' | '{').then_some(' '))
        }),
    ),
    variation(
        "whole numbers with an exponent",
        JSON,
        Change::Message(|it| in_result(it, |it| in_whole_numbers(it, "e0"))),
    ),
    variation("escaped slashes", JSON, Change::Text(|text| text.replace('/', "\\/"))),
    variation("tabs around the message", JSON, Change::Text(|text| format!("\t {text}\t "))),
    variation("escaped letters", JSON, Change::Text(escaped)),
    // What a server says of itself.
    variation(
        "unknown capabilities",
        LIFECYCLE,
        Change::Message(|it| {
            in_capabilities(it, |all| push(all, "com.example/dance", json!({"steps": 3})));
        }),
    ),
    variation(
        "experimental capabilities",
        LIFECYCLE,
        Change::Message(|it| {
            in_capabilities(it, |all| push(all, "experimental", json!({"dance": {}})));
        }),
    ),
    variation(
        "details of the implementation",
        LIFECYCLE,
        Change::Message(|it| {
            if let Some(info) = it.at_mut("/result/serverInfo") {
                push(info, "title", json!("A server"));
                push(info, "websiteUrl", json!("https://server.example/a?b#c"));
            }
        }),
    ),
    variation("empty instructions", LIFECYCLE, Change::Server(|server| server.instructions(""))),
    variation(
        "long instructions",
        LIFECYCLE,
        Change::Server(|server| {
            server.instructions("Do this.\n\n\tThen that: é \u{1F980}.\r\n".repeat(500))
        }),
    ),
    variation(
        "a single revision",
        "basic/lifecycle#version-negotiation: a server need not support several",
        Change::Server(|server| server.revisions(Revisions::only(Revision::NEWEST_HANDSHAKE))),
    ),
    // Items.
    variation(
        "empty descriptions",
        TOOL,
        Change::Message(|it| in_items(it, |item| push(item, "description", json!("")))),
    ),
    variation(
        "long descriptions",
        TOOL,
        Change::Message(|it| {
            in_items(it, |item| push(item, "description", json!("words ".repeat(2000))));
        }),
    ),
    variation(
        "no descriptions",
        TOOL,
        Change::Message(|it| in_items(it, |item| drop(item.remove("/description")))),
    ),
    variation(
        "empty titles",
        TOOL,
        Change::Message(|it| in_items(it, |item| push(item, "title", json!("")))),
    ),
    variation(
        "icons of items",
        TOOL,
        Change::Message(|it| {
            in_items(it, |item| {
                push(
                    item,
                    "icons",
                    json!([{"src": "https://server.example/icon.svg", "theme": "dark"}]),
                );
            });
        }),
    ),
    variation(
        "unknown hints",
        TOOL,
        Change::Message(|it| {
            in_each(it, "/result/tools", |tool| match tool.at_mut("/annotations") {
                Some(annotations) => push(annotations, "com.example/hint", json!(true)),
                None => push(tool, "annotations", json!({"com.example/hint": true})),
            });
        }),
    ),
    variation(
        "the dialect of 2020-12",
        TOOL,
        Change::Message(|it| {
            in_schemas(it, |schema| {
                push(schema, "$schema", json!("https://json-schema.org/draft/2020-12/schema"));
            });
        }),
    ),
    variation(
        "the dialect of draft 7",
        TOOL,
        Change::Message(|it| {
            in_schemas(it, |schema| {
                push(schema, "$schema", json!("http://json-schema.org/draft-07/schema#"));
            });
        }),
    ),
    variation(
        "unknown keywords",
        TOOL,
        Change::Message(|it| in_schemas(it, |schema| push(schema, "x-order", json!(["b", "a"])))),
    ),
    variation(
        "definitions in schemas",
        TOOL,
        Change::Message(|it| {
            in_schemas(it, |schema| push(schema, "$defs", json!({"unused": {"type": "integer"}})));
        }),
    ),
    variation(
        "comments in schemas",
        TOOL,
        Change::Message(|it| {
            in_schemas(it, |schema| push(schema, "$comment", json!("made by hand")));
        }),
    ),
    variation(
        "ids of schemas",
        TOOL,
        Change::Message(|it| {
            in_schemas(it, |schema| {
                push(schema, "$id", json!("https://server.example/schema.json"));
            });
        }),
    ),
    // Cursors.
    variation(
        "long cursors",
        CURSOR,
        Change::Both {
            sent: |it| wrap_cursor(it, &long()),
            received: |it| unwrap_cursor(it, &long()),
        },
    ),
    variation(
        "cursors with escapes",
        CURSOR,
        Change::Both {
            sent: |it| wrap_cursor(it, ESCAPES),
            received: |it| unwrap_cursor(it, ESCAPES),
        },
    ),
    // Other messages.
    variation(
        "unasked log messages",
        "server/utilities/logging: without a level the server decides what it sends",
        Change::Before(|it| {
            let log = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "emergency", "data": null}});
            is_handshake_reply(it, "content").then(|| log.into())
        }),
    ),
    variation(
        "pings of the server",
        "basic/utilities/ping: either side may send one at any time",
        Change::Before(|it| {
            let ping = json!({"jsonrpc": "2.0", "id": format!("ping {}", it.get("id")?), "method": "ping"});
            is_handshake_reply(it, "content").then(|| ping.into())
        }),
    ),
    variation(
        "late replies",
        "basic/lifecycle#timeouts: a reply takes as long as it takes",
        Change::Server(|server| {
            let late = |list: &str| Fault::late(list, Duration::from_millis(400));
            server.faults(["prompts/list", "resources/list", "tools/list"].map(late))
        }),
    ),
    // Lines.
    variation(
        "CRLF at the end of lines",
        STDIO,
        Change::Line(|text| vec![format!("{text}\r\n").into_bytes()]),
    ),
    variation(
        "one byte at a time",
        STDIO,
        Change::Line(|text| {
            format!("{text}\n").into_bytes().into_iter().map(|byte| vec![byte]).collect()
        }),
    ),
    variation(
        "blanks at the end of lines",
        STDIO,
        Change::Line(|text| vec![format!("{text} \t \n").into_bytes()]),
    ),
    variation(
        "lines written in two halves",
        STDIO,
        Change::Line(|text| {
            let bytes = text.as_bytes();
            let (first, second) = bytes.split_at(bytes.len() / 2);
            vec![first.to_vec(), second.to_vec(), b"\n".to_vec()]
        }),
    ),
    // Streams.
    variation(
        "replies on streams",
        "basic/transports: a server may answer a POST with a stream",
        Change::Server(Server::streaming_replies),
    ),
    variation(
        "comments in streams",
        SSE,
        Change::Event(|data| {
            format!(": still here\n:\ndata: {data}\n: that was it\n\n: the end\n\n")
        }),
    ),
    variation(
        "named events",
        SSE,
        Change::Event(|data| format!("event: message\ndata: {data}\n\n")),
    ),
    variation("retry times", SSE, Change::Event(|data| format!("retry: 10\ndata: {data}\n\n"))),
    variation("CRLF in streams", SSE, Change::Event(|data| format!("data: {data}\r\n\r\n"))),
    variation("CR in streams", SSE, Change::Event(|data| format!("data: {data}\r\r"))),
    variation(
        "several lines of data",
        SSE,
        Change::Event(|data| format!("data: {}\ndata: {}\n\n", &data[..1], &data[1..])),
    ),
    variation("no blank after the colon", SSE, Change::Event(|data| format!("data:{data}\n\n"))),
    variation(
        "unknown fields",
        SSE,
        Change::Event(|data| format!("weight: 7\nheartbeat\ndata: {data}\n\n")),
    ),
    variation(
        "long comments",
        SSE,
        Change::Event(|data| format!(":{}\n\ndata: {data}\n\n", "still here ".repeat(1000))),
    ),
    variation(
        "empty events",
        SSE,
        Change::Event(|data| format!("event: tick\n\ndata: {data}\n\n")),
    ),
    variation(
        "no ids of events",
        "basic/transports#resumability-and-redelivery: servers may attach ids",
        Change::Server(|server| server.faults(["no-event-ids".parse().expect("a fault")])),
    ),
    // HTTP.
    variation(
        "no sessions",
        "basic/transports#session-management: a server may assign an id",
        Change::Server(|server| server.faults(["no-session".parse().expect("a fault")])),
    ),
    variation(
        "long ids of sessions",
        "basic/transports#session-management: an id is visible ASCII of any length",
        Change::Server(|server| server.faults([Fault::session_id("!~\"{".repeat(200))])),
    ),
    variation(
        "no stream for GET",
        "basic/transports#listening-for-messages-from-the-server: a server may answer 405",
        Change::Server(|server| server.faults([Fault::status("GET", 405)])),
    ),
    variation(
        "sessions that clients cannot end",
        "basic/transports#session-management: a server may answer 405",
        Change::Server(|server| server.faults([Fault::status("DELETE", 405)])),
    ),
    variation(
        "no origins",
        "basic/transports#security-warning: a server validates Origin, and decides which ones it allows",
        Change::Server(|server| server.faults(["no-origin".parse().expect("a fault")])),
    ),
    variation(
        "media types in upper case",
        HTTP,
        Change::Headers(|headers| change_type(headers, str::to_ascii_uppercase)),
    ),
    variation(
        "a charset",
        HTTP,
        Change::Headers(|headers| change_type(headers, |it| format!("{it}; charset=UTF-8"))),
    ),
    variation(
        "cookies and caching",
        HTTP,
        Change::Headers(|headers| {
            headers.append("set-cookie", HeaderValue::from_static("a=b; Path=/; HttpOnly"));
            headers.append("set-cookie", HeaderValue::from_static("c=\"d\""));
            headers.insert("cache-control", HeaderValue::from_static("no-store, no-transform"));
            headers.insert("vary", HeaderValue::from_static("*"));
        }),
    ),
    variation(
        "many headers",
        HTTP,
        Change::Headers(|headers| {
            for number in 0..30 {
                let name =
                    format!("x-odd-{number}").parse::<axum::http::HeaderName>().expect("a name");
                headers.append(name, HeaderValue::from_static("a, \"b\"; c=d"));
            }
        }),
    ),
];

const ESCAPES: &str = "é\"\\\n\u{1}\u{1F980}/+= ";

fn long() -> String {
    "c".repeat(3000)
}

fn push(value: &mut Value, name: &str, member: serde_json::Value) {
    if let Some(object) = value.as_object_mut() {
        object.insert(name, member);
    }
}

fn set_meta(value: &mut Value) {
    if value.get("_meta").is_none() {
        push(value, "_meta", json!({}));
    }
    if let Some(meta) = value.at_mut("/_meta") {
        push(meta, "com.example/shape", json!({"round": true}));
    }
}

fn in_result(message: &mut Value, change: impl FnOnce(&mut Value)) {
    if let Some(result) = message.at_mut("/result") {
        change(result);
    }
}

fn in_capabilities(message: &mut Value, change: impl FnOnce(&mut Value)) {
    if let Some(capabilities) = message.at_mut("/result/capabilities") {
        change(capabilities);
    }
}

fn in_each(message: &mut Value, list: &str, mut change: impl FnMut(&mut Value)) {
    let items = message.at_mut(list).and_then(Value::as_array_mut);
    items.into_iter().flatten().for_each(&mut change);
}

fn in_items(message: &mut Value, change: fn(&mut Value)) {
    for list in ["prompts", "resources", "resourceTemplates", "tools"] {
        in_each(message, &format!("/result/{list}"), change);
    }
}

fn in_schemas(message: &mut Value, change: fn(&mut Value)) {
    in_each(message, "/result/tools", |tool| {
        if let Some(schema) = tool.at_mut("/inputSchema").filter(|it| it.get("$schema").is_none()) {
            change(schema);
        }
    });
}

fn in_content(message: &mut Value, change: fn(&mut Value)) {
    in_each(message, "/result/content", change);
}

/// Not in what has to be empty, such as the result of `ping`.
fn further_members(message: &mut Value) {
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
fn reverse(value: &mut Value) {
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
fn in_whole_numbers(value: &mut Value, rest: &str) {
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
fn outside_strings(text: &str, after: impl Fn(char) -> Option<char>) -> String {
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
fn escaped(text: &str) -> String {
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

fn wrap_cursor(message: &mut Value, with: &str) {
    let cursor = message.at("/result/nextCursor").and_then(Value::as_str).map(str::to_owned);
    if let Some(cursor) = cursor {
        message.set("/result/nextCursor", json!(format!("{with}{cursor}")).into());
    }
}

fn unwrap_cursor(message: &mut Value, with: &str) {
    let cursor = message.at("/params/cursor").and_then(Value::as_str);
    let cursor = cursor.and_then(|cursor| cursor.strip_prefix(with)).map(str::to_owned);
    if let Some(cursor) = cursor {
        message.set("/params/cursor", json!(cursor).into());
    }
}

/// Whether a message is a result with this member, at a revision with a handshake.
fn is_handshake_reply(message: &Value, member: &str) -> bool {
    let result = message.get("result");
    result.is_some_and(|it| it.get(member).is_some() && it.get("resultType").is_none())
}

fn change_type(headers: &mut HeaderMap, change: impl Fn(&str) -> String) {
    let Some(media) = headers.get("content-type").and_then(|it| it.to_str().ok()) else { return };
    let changed = HeaderValue::from_str(&change(media)).expect("a media type");
    headers.insert("content-type", changed);
}
