//! Variations of servers in their messages: JSON, what they say of themselves, other messages, and how lines are written.

use std::time::Duration;

use mcp_test_core::spec::{Revision, Revisions};
use mcp_test_core::transport::{Fault, TransportKind};
use serde_json::json;

use super::rewrite::{
    escaped, further_members, has_result, in_capabilities, in_content, in_items, in_result,
    in_whole_numbers, outside_strings, plain_id, push, receive_ids, reverse, send_ids, set_meta,
    string_id,
};
use super::variation::{Change, EVERYTHING, Sign, Variation};

const OPEN: &str = "basic: results are objects that may have any further members";
pub(crate) const JSON: &str = "JSON-RPC 2.0: messages are JSON (RFC 8259), which allows it";
pub(crate) const STDIO: &str =
    "basic/transports#stdio: a message is one line, however it is written";
const META: &str = "basic#_meta: keys with a prefix of one's own are allowed";
const LIFECYCLE: &str = "basic/lifecycle#initialization: the result may say so";
pub(crate) const ID: &str =
    "basic#requests: an id is any string or whole number that was not used before";
const ORDER: &str =
    "basic/utilities/progress, server/utilities/logging: no page orders notifications";

pub(crate) static MESSAGES: &[Variation] = &[
    Variation::new(
        "further members in results",
        OPEN,
        Change::Message(further_members),
        Sign::Has(r#""x-took":0.25"#),
    ),
    Variation::new(
        "further members in items",
        OPEN,
        Change::Message(|it| in_items(it, |item| push(item, "com.example/note", json!([1, null])))),
        Sign::Has(r#""com.example/note":[1,null]"#),
    ),
    Variation::new(
        "metadata in results",
        META,
        Change::Message(|it| in_result(it, set_meta)),
        Sign::Has("com.example/shape"),
    ),
    Variation::new(
        "metadata in items",
        META,
        Change::Message(|it| in_items(it, set_meta)),
        Sign::Has("com.example/shape"),
    ),
    Variation::new(
        "metadata in content",
        META,
        Change::Message(|it| in_content(it, set_meta)),
        Sign::Has("com.example/shape"),
    ),
    Variation::new(
        "members in reverse order",
        JSON,
        Change::Message(reverse),
        Sign::Has(r#","jsonrpc":"2.0"}"#),
    ),
    // The newest revision has whole numbers in every result of a list.
    Variation::new(
        "whole numbers with a fraction",
        JSON,
        Change::Message(|it| in_result(it, |it| in_whole_numbers(it, ".0"))),
        Sign::Has(r#""ttlMs":0.0"#),
    )
    .shown_at(Revision::NEWEST)
    .sets("numbers"),
    Variation::new(
        "whole numbers with an exponent",
        JSON,
        Change::Message(|it| in_result(it, |it| in_whole_numbers(it, "e0"))),
        Sign::Has(r#""ttlMs":0e0"#),
    )
    .shown_at(Revision::NEWEST)
    .sets("numbers"),
    Variation::new(
        "data of errors",
        "JSON-RPC 2.0, section 5.1: an error may have data of any kind",
        Change::Message(|it| {
            let error = it.get("error").filter(|error| error.get("data").is_none());
            if let Some(mut error) = error.cloned() {
                push(&mut error, "data", json!("see the manual"));
                it.set("/error", error);
            }
        }),
        Sign::Has("see the manual"),
    ),
    Variation::new(
        "blanks between tokens",
        JSON,
        Change::Text(|text| {
            outside_strings(text, |char| matches!(char, ',' | ':' | '[' | '{').then_some(' '))
        }),
        Sign::Has(r#"{ "jsonrpc": "2.0", "#),
    ),
    Variation::new(
        "escaped slashes",
        JSON,
        Change::Text(|text| text.replace('/', "\\/")),
        Sign::Has("\\/"),
    ),
    Variation::new(
        "tabs around the message",
        JSON,
        Change::Text(|text| format!("\t {text}\t ")),
        Sign::Has("}\t "),
    ),
    Variation::new("escaped letters", JSON, Change::Text(escaped), Sign::Has("\\u006a\\u0073")),
    // What a server says of itself.
    Variation::new(
        "unknown capabilities",
        LIFECYCLE,
        Change::Message(|it| {
            in_capabilities(it, |all| push(all, "com.example/dance", json!({"steps": 3})));
        }),
        Sign::Has(r#""com.example/dance":{"steps":3}"#),
    ),
    Variation::new(
        "experimental capabilities",
        LIFECYCLE,
        Change::Message(|it| {
            in_capabilities(it, |all| push(all, "experimental", json!({"dance": {}})));
        }),
        Sign::Has(r#""experimental":{"dance":{}}"#),
    ),
    Variation::new(
        "no capabilities",
        "basic/lifecycle#capability-negotiation: a server declares what it offers, and need not offer anything",
        Change::Server(|server| server.capabilities(json!({}))),
        Sign::Has(r#""capabilities":{}"#),
    )
    .shown_over(TransportKind::Router)
    .shown_at(Revision::NEWEST)
    .sets(EVERYTHING),
    Variation::new(
        "details of the implementation",
        LIFECYCLE,
        Change::Message(|it| {
            if let Some(info) = it.at_mut("/result/serverInfo") {
                push(info, "title", json!("A server"));
                push(info, "websiteUrl", json!("https://server.example/a?b#c"));
            }
        }),
        Sign::Has("https://server.example/a?b#c"),
    )
    .shown_at(Revision::NEWEST_HANDSHAKE),
    Variation::new(
        "any name and version",
        LIFECYCLE,
        Change::Message(|it| {
            if let Some(info) = it.at_mut("/result/serverInfo") {
                push(info, "name", json!("é \u{1F980} \"<b>\" \\ /"));
                push(info, "version", json!("β (unknown), 1..2+x"));
            }
        }),
        Sign::Has("β (unknown)"),
    )
    .shown_at(Revision::NEWEST_HANDSHAKE),
    Variation::new(
        "empty instructions",
        LIFECYCLE,
        Change::Server(|server| server.instructions("")),
        Sign::Has(r#""instructions":"""#),
    )
    .sets("instructions"),
    Variation::new(
        "long instructions",
        LIFECYCLE,
        Change::Server(|server| {
            server.instructions("Do this.\n\n\tThen that: é \u{1F980}.\r\n".repeat(500))
        }),
        Sign::Has("Do this.\\n\\n\\tThen"),
    )
    .sets("instructions"),
    Variation::new(
        "a single revision",
        "basic/lifecycle#version-negotiation: a server need not support several",
        Change::Server(|server| server.revisions(Revisions::only(Revision::NEWEST))),
        Sign::Has(r#""supportedVersions":["2026-07-28"]"#),
    )
    .since(Revision::NEWEST)
    .shown_at(Revision::NEWEST),
    // Other messages.
    Variation::new(
        "unasked log messages",
        "server/utilities/logging: without a level the server decides what it sends",
        Change::Before(|it| has_result(it, "content").then(|| log().into())),
        Sign::Has(LOGGED),
    )
    .shown_at(Revision::NEWEST_HANDSHAKE),
    Variation::new(
        "log messages between those of progress",
        ORDER,
        Change::Before(|it| {
            let is_progress = it.get("method").is_some_and(|it| *it == "notifications/progress");
            is_progress.then(|| log().into())
        }),
        Sign::Has(LOGGED),
    )
    .shown_at(Revision::NEWEST_HANDSHAKE),
    Variation::new(
        "a changed list of tools before each reply",
        ORDER,
        Change::Before(|it| {
            let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
            // Not before the handshake is complete, nor unasked where there is none.
            let is_early = has_result(it, "protocolVersion") || has_result(it, "resultType");
            (it.get("result").is_some() && !is_early).then(|| changed.into())
        }),
        Sign::Where(|it| it.matches("notifications/tools/list_changed").count() > 3),
    )
    .shown_at(Revision::NEWEST_HANDSHAKE),
    Variation::new(
        "pings of the server",
        "basic/utilities/ping: either side may send one at any time",
        Change::Before(|it| {
            let id = format!("ping {}", it.get("id")?);
            let ping = json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
            has_result(it, "content").then(|| ping.into())
        }),
        Sign::Has(r#""id":"ping "#),
    )
    .shown_at(Revision::NEWEST_HANDSHAKE),
    Variation::new(
        "ids of any characters",
        ID,
        Change::Both {
            sent: |it| send_ids(it, |id| string_id(id, ODD_ID)),
            received: |it| receive_ids(it, |id| plain_id(id, ODD_ID)),
        },
        Sign::Has(r#""id":"é\"\u0000/ "#),
    )
    .shown_at(Revision::NEWEST_HANDSHAKE)
    .sets("ids"),
    Variation::new(
        "ids below 0",
        ID,
        Change::Both {
            sent: |it| {
                send_ids(it, |id| {
                    let number: i64 = id.as_str()?.strip_prefix(PLAIN_ID)?.parse().ok()?;
                    Some(json!(-number).into())
                });
            },
            received: |it| {
                receive_ids(it, |id| Some(json!(format!("{PLAIN_ID}{}", -id.as_i64()?)).into()));
            },
        },
        Sign::Where(|it| {
            let ids = it.split("\"id\":-").skip(1);
            ids.map(|it| it.trim_start_matches(|it: char| it.is_ascii_digit()))
                .any(|it| it.starts_with(",\"method\""))
        }),
    )
    .shown_at(Revision::NEWEST_HANDSHAKE)
    .sets("ids"),
    Variation::new(
        "late replies",
        "basic/lifecycle#timeouts: a reply takes as long as it takes",
        Change::Server(|server| {
            let late = |list: &str| Fault::late(list, Duration::from_millis(400));
            server.faults(["prompts/list", "resources/list", "tools/list"].map(late))
        }),
        Sign::Has("POST 200 after 400 ms"),
    )
    .shown_over(TransportKind::Router),
    // Lines.
    Variation::new(
        "CRLF at the end of lines",
        STDIO,
        Change::Line(|text| vec![format!("{text}\r\n").into_bytes()]),
        Sign::Has("}\r\n"),
    ),
    Variation::new(
        "one byte at a time",
        STDIO,
        Change::Line(|text| {
            format!("{text}\n").into_bytes().into_iter().map(|byte| vec![byte]).collect()
        }),
        Sign::Has("{\0\"\0"),
    ),
    Variation::new(
        "blanks at the end of lines",
        STDIO,
        Change::Line(|text| vec![format!("{text} \t \n").into_bytes()]),
        Sign::Has("} \t \n"),
    ),
    Variation::new(
        "lines written in two halves",
        STDIO,
        Change::Line(halves),
        Sign::Has("\0\n\0"),
    ),
    Variation::new(
        "a slow start",
        "basic/lifecycle: no page says how soon a server answers",
        Change::Pauses { start: Duration::from_secs(2), exit: Duration::ZERO },
        Sign::Has("a pause of 2000 ms\0{"),
    )
    .sets("pauses"),
    Variation::new(
        "a slow exit",
        "basic/lifecycle#shutdown: the client waits for the server to exit before it sends a signal",
        Change::Pauses { start: Duration::ZERO, exit: Duration::from_millis(300) },
        Sign::Has("closed 300 ms after"),
    )
    .sets("pauses"),
    Variation::new(
        "noise on the standard error",
        "basic/transports#stdio: a server may write to its standard error, which shows no error by itself",
        Change::Shell("tee /dev/stderr | \"$@\""),
        Sign::Has(r#""method":"tools/list""#),
    ),
];

/// What the ids of the reference server start with.
const PLAIN_ID: &str = "server-";

/// What no plain id starts with.
const ODD_ID: &str = "é\"\0/ ";

/// What only varied servers log.
const LOGGED: &str = r#""data":null,"level":"emergency""#;

fn log() -> serde_json::Value {
    let params = json!({"level": "emergency", "data": null});
    json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params})
}

/// A line in two halves and its end.
pub(crate) fn halves(text: &str) -> Vec<Vec<u8>> {
    let (first, second) = text.as_bytes().split_at(text.len() / 2);
    vec![first.to_vec(), second.to_vec(), b"\n".to_vec()]
}
