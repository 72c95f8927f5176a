//! Variations of clients, in the notation of faults and over a pipe.

use std::time::Duration;

use mcp_test_core::json::{Object, Value};
use mcp_test_core::spec::meta;
use mcp_test_core::transport::TransportKind;
use serde_json::json;

use super::rewrite::{
    add_metadata, escaped, in_whole_numbers, number_id, outside_strings, plain_id, push,
    receive_ids, reverse, send_ids, string_id,
};
use super::server_http::HTTP;
use super::server_messages::{ID, JSON, STDIO, halves};
use super::variation::{Change, Sign, Variation};
use super::varied_socket::odd_case;

const fn client(
    name: &'static str,
    allowed_by: &'static str,
    faults: &'static [&'static str],
    sign: Sign,
) -> Variation {
    Variation::new(name, allowed_by, Change::Faults(faults), sign)
}

const fn client_over_http(
    name: &'static str,
    allowed_by: &'static str,
    faults: &'static [&'static str],
    sign: Sign,
) -> Variation {
    let http = Some(TransportKind::Http);
    Variation { only_over: http, ..client(name, allowed_by, faults, sign) }
}

const fn over_a_pipe(
    name: &'static str,
    allowed_by: &'static str,
    change: Change,
    sign: Sign,
) -> Variation {
    let pipe = Some(TransportKind::Duplex);
    Variation { only_over: pipe, ..Variation::new(name, allowed_by, change, sign) }
}

const OPEN: &str = "basic: params are objects that may have any further members";
const META: &str = "basic#_meta: keys with a prefix of one's own are allowed";
const LIFECYCLE: &str = "basic/lifecycle#initialization: the request may say so";
const TOKEN: &str = "basic/utilities/progress: a token is any string or whole number";

pub(crate) static FAULTS: &[Variation] = &[
    client(
        "further members in params",
        OPEN,
        &[r#"set:tools/list:/com.example~1x:[null]"#, r#"set:tools/call:/com.example~1x:{}"#],
        Sign::Has(r#""com.example/x":[null]"#),
    ),
    client(
        "metadata of its own",
        META,
        &[r#"set:tools/list:/_meta/com.example~1trace:{"a":[]}"#],
        Sign::Has(r#""com.example/trace":{"a":[]}"#),
    ),
    client(
        "unknown capabilities",
        LIFECYCLE,
        &[r#"set:initialize:/capabilities/com.example~1dance:{}"#],
        Sign::Has("com.example/dance"),
    ),
    client(
        "experimental capabilities",
        LIFECYCLE,
        &[r#"set:initialize:/capabilities/experimental:{"dance":{"steps":3}}"#],
        Sign::Has(r#""experimental":{"dance""#),
    ),
    client(
        "details of the implementation",
        LIFECYCLE,
        &[
            r#"set:initialize:/clientInfo/title:"A client""#,
            r#"set:initialize:/clientInfo/websiteUrl:"https://client.example/a?b#c""#,
        ],
        Sign::Has("https://client.example/a?b#c"),
    ),
    client(
        "a long request",
        "no page limits the size of a message",
        &["pad:tools/call:100000"],
        Sign::Where(|it| it.len() > 100_000),
    ),
    client(
        "a late request",
        "no page says when a client sends its requests",
        &["late:tools/list:300ms"],
        Sign::Has("a pause of 300 ms"),
    ),
    client_over_http(
        "media types in the other order",
        HTTP,
        &["header:tools/list:Accept:text/event-stream, application/json"],
        Sign::Has("accept: text/event-stream, application/json"),
    ),
    client_over_http(
        "weights of media types",
        HTTP,
        &["header:tools/list:Accept:application/json;q=0.9,text/event-stream;q=0.8"],
        Sign::Has("accept: application/json;q=0.9"),
    ),
    client_over_http(
        "further media types",
        HTTP,
        &["header:tools/list:Accept:text/html, application/json, text/event-stream, */*;q=0.1"],
        Sign::Has("accept: text/html"),
    ),
    client_over_http(
        "a charset",
        HTTP,
        &["content-type:tools/list:application/json; charset=utf-8"],
        Sign::Has("content-type: application/json; charset=utf-8"),
    ),
    client_over_http(
        "a media type in upper case",
        HTTP,
        &["content-type:tools/list:APPLICATION/JSON"],
        Sign::Has("content-type: APPLICATION/JSON"),
    ),
    client_over_http(
        "further headers",
        HTTP,
        &["header:tools/list:X-Odd:a, \"b\"; c=d", "header:tools/list:User-Agent:odd (client) 1.0"],
        Sign::Has("x-odd: a, "),
    ),
    client(
        "further members in the first request",
        OPEN,
        &[
            r#"set:initialize:/com.example~1x:"a""#,
            r#"set:initialize:/_meta:{"com.example/y":[{}]}"#,
        ],
        Sign::Has(r#""com.example/y":[{}]"#),
    ),
    client(
        "metadata of notifications",
        META,
        &[r#"set:notifications/initialized:/params:{"_meta":{"com.example/z":null}}"#],
        Sign::Has(r#""com.example/z":null"#),
    ),
    client(
        "roots that may change",
        "client/roots#capabilities: `listChanged` is optional",
        &[r#"set:initialize:/capabilities/roots:{"listChanged":true}"#],
        Sign::Has(r#""roots":{"listChanged":true}"#),
    ),
    client(
        "further members in capabilities",
        LIFECYCLE,
        &[r#"set:initialize:/capabilities/sampling:{"com.example/model":"large"}"#],
        Sign::Has(r#""com.example/model":"large""#),
    ),
    client(
        "an implementation with any version",
        LIFECYCLE,
        &[r#"set:initialize:/clientInfo/version:"\u03b2 (unknown), 1..2+x""#],
        Sign::Has("β (unknown)"),
    ),
    client(
        "an implementation with any name",
        LIFECYCLE,
        &[r#"set:initialize:/clientInfo/name:"\u00e9 \ud83e\udd80 \"<b>\" \\ /""#],
        Sign::Has("<b>"),
    ),
    client(
        "icons of the implementation",
        LIFECYCLE,
        &[
            r#"set:initialize:/clientInfo/icons:[{"src":"data:image/png;base64,AAAA","mimeType":"image/png","sizes":["48x48","any"]}]"#,
        ],
        Sign::Has("data:image/png;base64,AAAA"),
    ),
    client_over_http(
        "parameters of media types",
        HTTP,
        &["header:tools/list:Accept:application/json; charset=utf-8, text/event-stream; x=\"a,b\""],
        Sign::Has("text/event-stream; x="),
    ),
    client_over_http(
        "accepted media types in upper case",
        HTTP,
        &["header:tools/list:Accept:APPLICATION/JSON,Text/Event-Stream"],
        Sign::Has("accept: APPLICATION/JSON"),
    ),
    client_over_http(
        "blanks in the content type",
        HTTP,
        &["content-type:tools/list:application/json ; charset=\"UTF-8\""],
        Sign::Has("content-type: application/json ; charset"),
    ),
    client_over_http(
        "cookies and languages",
        HTTP,
        &[
            "header:tools/list:Cookie:a=b; c=\"d\"",
            "header:tools/list:Accept-Language:fr-CH, fr;q=0.9, *;q=0.5",
            "header:tools/list:Accept-Encoding:identity",
        ],
        Sign::Has("cookie: a=b"),
    ),
    Variation::new(
        "names of headers in any case",
        HTTP,
        Change::Head(odd_case),
        Sign::Has("CoNtEnT-TyPe: "),
    ),
    Variation::new(
        "several streams",
        "basic/transports#multiple-connections: a client may stay connected to several streams at once",
        Change::Streams(2),
        Sign::Where(|it| it.matches("GET\n").count() > 1),
    ),
    Variation::new(
        "a new session each time",
        "basic/transports#session-management: no page says how many sessions a client has",
        Change::Sessions(2),
        Sign::Where(|it| it.matches(r#""method":"initialize""#).count() > 1),
    ),
    client_over_http(
        "the version in a header of the first request",
        "basic/transports#protocol-version-header: all requests after the first one need it; the first one may have it",
        &["header:initialize:MCP-Protocol-Version:2025-11-25"],
        Sign::Where(|it| {
            it.split("POST\n").any(|exchange| {
                exchange.contains(r#""method":"initialize""#)
                    && exchange.contains("mcp-protocol-version: 2025-11-25")
            })
        }),
    ),
];

pub(crate) static OVER_A_PIPE: &[Variation] = &[
    over_a_pipe(
        "a progress token of any characters",
        TOKEN,
        Change::Message(|it| {
            add_metadata(it, "tools/call", "progressToken", &json!("\0\u{1F980}/~\""));
        }),
        Sign::Has("/~\\\""),
    )
    .sets("progress token"),
    over_a_pipe(
        "a progress token below 0",
        TOKEN,
        Change::Message(|it| add_metadata(it, "tools/call", "progressToken", &json!(-7))),
        Sign::Has(r#""progressToken":-7"#),
    )
    .sets("progress token"),
    over_a_pipe(
        "a progress token that is empty",
        TOKEN,
        Change::Message(|it| add_metadata(it, "tools/call", "progressToken", &json!(""))),
        Sign::Has(r#""progressToken":"""#),
    )
    .sets("progress token"),
    over_a_pipe(
        "a progress token that is 0",
        TOKEN,
        Change::Message(|it| add_metadata(it, "tools/call", "progressToken", &json!(0))),
        Sign::Has(r#""progressToken":0"#),
    )
    .sets("progress token"),
    over_a_pipe(
        "ids of any characters",
        ID,
        Change::Both {
            sent: |it| send_ids(it, |id| string_id(id, "é\"\0/ ")),
            received: |it| receive_ids(it, |id| plain_id(id, "é\"\0/ ")),
        },
        Sign::Has(r#""id":"é\"\u0000/ "#),
    )
    .sets("ids"),
    over_a_pipe(
        "long ids",
        ID,
        Change::Both {
            sent: |it| send_ids(it, |id| string_id(id, &"i".repeat(1000))),
            received: |it| receive_ids(it, |id| plain_id(id, &"i".repeat(1000))),
        },
        Sign::Has(r#""id":"iiiii"#),
    )
    .sets("ids"),
    over_a_pipe(
        "ids that look like numbers",
        ID,
        Change::Both {
            sent: |it| send_ids(it, |id| string_id(id, "")),
            received: |it| receive_ids(it, |id| plain_id(id, "")),
        },
        Sign::Has(r#""id":"1""#),
    )
    .sets("ids"),
    over_a_pipe(
        "ids from 0 downwards",
        ID,
        Change::Both {
            sent: |it| send_ids(it, |id| number_id(id, 1)),
            received: |it| receive_ids(it, |id| number_id(id, 1)),
        },
        Sign::Has(r#""id":0,"#),
    )
    .sets("ids"),
    over_a_pipe(
        "large ids",
        ID,
        Change::Both {
            sent: |it| send_ids(it, |id| number_id(id, LARGEST_ID)),
            received: |it| receive_ids(it, |id| number_id(id, LARGEST_ID)),
        },
        Sign::Has(r#""id":900719925474"#),
    )
    .sets("ids"),
    over_a_pipe(
        "members in reverse order",
        JSON,
        Change::Message(reverse),
        Sign::Has(r#","jsonrpc":"2.0"}"#),
    ),
    over_a_pipe(
        "blanks between tokens",
        JSON,
        Change::Text(|text| {
            outside_strings(text, |char| matches!(char, ',' | ':' | '[' | '{').then_some(' '))
        }),
        Sign::Has(r#"{ "jsonrpc": "2.0", "#),
    ),
    over_a_pipe(
        "escaped slashes",
        JSON,
        Change::Text(|text| text.replace('/', "\\/")),
        Sign::Has("tools\\/list"),
    ),
    over_a_pipe(
        "tabs around the message",
        JSON,
        Change::Text(|text| format!("\t {text}\t ")),
        Sign::Has("}\t "),
    ),
    over_a_pipe("escaped letters", JSON, Change::Text(escaped), Sign::Has("\\u006a\\u0073")),
    over_a_pipe(
        "numbers with a fraction that is 0",
        JSON,
        Change::Message(|it| {
            if let Some(arguments) = it.at_mut("/params/arguments") {
                in_whole_numbers(arguments, ".0");
            }
        }),
        Sign::Has(r#""a":5.0"#),
    ),
    over_a_pipe(
        "no params",
        "basic#requests: the schema has params as optional, and no page demands them of a list",
        Change::Message(|it| {
            if it.at("/params").and_then(Value::as_object).is_some_and(Object::is_empty) {
                it.remove("/params");
            }
        }),
        Sign::Has(r#""method":"tools/list"}"#),
    )
    .sets("params"),
    over_a_pipe(
        "empty metadata",
        META,
        Change::Message(|it| {
            let is_bare = it.at("/params").is_some_and(|it| it.get("_meta").is_none());
            if let Some(params) = it.at_mut("/params").filter(|_| is_bare) {
                push(params, "_meta", json!({}));
            }
        }),
        Sign::Has(r#""_meta":{}"#),
    )
    .sets("params"),
    over_a_pipe(
        "no capabilities",
        "basic/lifecycle#capability-negotiation: a client declares what it offers, and need not offer anything",
        Change::Message(|it| {
            if it.at("/params/capabilities").is_some() {
                it.set("/params/capabilities", json!({}).into());
            }
            let metadata = it.at_mut("/params/_meta");
            if let Some(metadata) =
                metadata.filter(|it| it.get(meta::CLIENT_CAPABILITIES).is_some())
            {
                push(metadata, meta::CLIENT_CAPABILITIES, json!({}));
            }
        }),
        Sign::Has(r#""capabilities":{}"#),
    ),
    over_a_pipe(
        "CRLF at the end of lines",
        STDIO,
        Change::Line(|text| vec![format!("{text}\r\n").into_bytes()]),
        Sign::Has("}\r\n"),
    ),
    over_a_pipe(
        "one byte at a time",
        STDIO,
        Change::Line(|text| {
            format!("{text}\n").into_bytes().into_iter().map(|byte| vec![byte]).collect()
        }),
        Sign::Has("{\0\"\0"),
    ),
    over_a_pipe(
        "blanks at the end of lines",
        STDIO,
        Change::Line(|text| vec![format!("{text} \t \n").into_bytes()]),
        Sign::Has("} \t \n"),
    ),
    over_a_pipe("lines written in two halves", STDIO, Change::Line(halves), Sign::Has("\0\n\0")),
    over_a_pipe(
        "a slow start",
        "basic/lifecycle: no page says how soon a client begins",
        Change::Pauses { start: Duration::from_millis(300), exit: Duration::ZERO },
        Sign::Where(|it| it.starts_with("a pause of 300 ms")),
    ),
];

/// The largest whole number that every reader of JSON keeps as it is (RFC 8259, section 6).
const LARGEST_ID: i64 = (1 << 53) - 1;
