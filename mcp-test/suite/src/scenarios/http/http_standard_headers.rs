//! `http-standard-headers`, for clients.

use mcp_test_core::scenario::ReceivedMessage;
use mcp_test_core::spec;

use crate::scenarios::listing_server::lenient_server;
use crate::scenarios::prelude::*;
use crate::scenarios::references::SEP_2243_STANDARD;

scenario! {
    /// Every request mirrors its method in a header, and the name or URI of its target in another one, for
    /// intermediaries that read only headers.
    ///
    /// The official check looks at the first request of each method in a list that does not include `server/discover`,
    /// and skips methods that were never sent, so a client that sends nothing passes. Our own check looks at every request.
    Client "http-standard-headers": "Headers mirror the method and target of a request",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    transports: StreamableHttp,
    checks: [
        check!("sep-2243-client-includes-standard-headers",
            "The first request of each method has the headers that mirror it",
            [TRANSPORT_HTTP_MCP_METHOD_HEADER, TRANSPORT_HTTP_MCP_NAME_HEADER])
            .official(&[SEP_2243_STANDARD]).named("ClientStandardHeaders"),
        check!("client-mirrors-every-request", "Every request has the headers that mirror it",
            [TRANSPORT_HTTP_MCP_METHOD_HEADER, TRANSPORT_HTTP_MCP_NAME_HEADER]),
    ],
}

/// The methods that the official suite looks at, in its order.
///
/// The first two do not exist at 2026-07-28; the official reports have their rows nevertheless, as SKIPPED.
const METHODS: [&str; 8] = [
    "initialize",
    "notifications/initialized",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
];

const OFFICIAL: &str = "sep-2243-client-includes-standard-headers";

fn serve(test: &ClientTest) -> Server {
    lenient_server(test)
        .capabilities(json!({ "tools": {}, "resources": {}, "prompts": {} }))
        .on("tools/list", |_: Call| async { json!({ "tools": TOOLS.map(tool) }) })
        .on("tools/call", |_: Call| async { json!({ "content": [{ "type": "text", "text": "called" }] }) })
        .on("resources/list", |_: Call| async { json!({ "resources": RESOURCES.map(resource) }) })
        .on("resources/read", |call: Call| async move { read(&call) })
        .on("prompts/list", |_: Call| async { json!({ "prompts": [{ "name": "test_prompt" }] }) })
        .on("prompts/get", |_: Call| async {
            json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": "Hello" } }] })
        })
}

const TOOLS: [&str; 2] = ["test_headers", "my-hyphenated-tool"];
// As in the official suite: a header can hold both unchanged, so decoding the percent sign or cutting the query is a mistake.
const RESOURCES: [&str; 2] =
    ["file:///path/to/file%20name.txt", "https://example.com/resource?id=123"];

fn tool(name: &str) -> serde_json::Value {
    json!({ "name": name, "description": "Takes no arguments", "inputSchema": { "type": "object" } })
}

fn resource(uri: &str) -> serde_json::Value {
    json!({ "uri": uri, "name": uri.rsplit('/').next(), "mimeType": "text/plain" })
}

fn read(call: &Call) -> Answer {
    match call.param("uri").and_then(Value::as_str) {
        Some(uri) => json!({ "contents": [{ "uri": uri, "text": "read" }] }).into(),
        None => Answer::error(error_code::INVALID_PARAMS, "`uri` must be a string"),
    }
}

fn judge(judging: &mut Judging) -> Result<(), Finding> {
    let messages = judging.messages();
    let first = |method: &str| messages.iter().find(|received| received.method() == method);
    for method in METHODS {
        let check = judging.check(OFFICIAL).named(row("Method", method));
        let check = check.requires(Requirement::TRANSPORT_HTTP_MCP_METHOD_HEADER);
        match first(method).map(mirrors_method) {
            None => check.skip(format!("`{method}` was never sent")),
            Some(mirrored) => check.judge(mirrored),
        };
    }
    for method in METHODS.into_iter().filter(|method| name_param(method).is_some()) {
        let check = judging.check(OFFICIAL).named(row("Name", method));
        let check = check.requires(Requirement::TRANSPORT_HTTP_MCP_NAME_HEADER);
        match first(method).map(mirrors_name) {
            None => check.skip(format!("`{method}` was never sent")),
            Some(mirrored) => check.judge(mirrored),
        };
    }
    let mut check = judging.check("client-mirrors-every-request");
    // Only requests have to be mirrored (`basic/transports/streamable-http#standard-request-headers`).
    let mut requests = messages
        .iter()
        .filter(|received| matches!(received.message, Message::Request(_)))
        .peekable();
    if requests.peek().is_none() {
        check.skip("the client sent no requests");
        return Ok(());
    }
    for received in requests {
        check = check.requires(Requirement::TRANSPORT_HTTP_MCP_METHOD_HEADER);
        check = check.judge(mirrors_method(received));
        check = check.requires(Requirement::TRANSPORT_HTTP_MCP_NAME_HEADER);
        check = check.judge(mirrors_name(received));
    }
    Ok(())
}

/// The official name of a row: `ClientMcpMethodHeader_tools_call`.
fn row(which: &str, method: &str) -> String {
    format!("ClientMcp{which}Header_{}", method.replace('/', "_"))
}

fn name_param(method: &str) -> Option<&'static str> {
    spec::method(method).and_then(|known| known.name_param)
}

fn mirrors_method(received: &ReceivedMessage) -> Result<(), Finding> {
    has_header(received, header::MCP_METHOD, received.method())
}

fn mirrors_name(received: &ReceivedMessage) -> Result<(), Finding> {
    // Without the member, or with one that is not a string, there is nothing to mirror; the shapes report that.
    let name =
        name_param(received.method()).and_then(|member| received.params().get(member)?.as_str());
    name.map_or(Ok(()), |name| has_header(received, header::MCP_NAME, name))
}

fn has_header(received: &ReceivedMessage, name: &str, expected: &str) -> Result<(), Finding> {
    let got = received.header(name);
    ensure(
        // A value that a header cannot hold unchanged is sent in Base64 (`…#value-encoding`).
        got.and_then(|value| header::decode_value(value).ok()).as_deref() == Some(expected),
        || {
            Finding::peer(format!("`{name}` does not mirror the request"))
                .expected(format!("`{name}: {expected}` on `{}`", received.method()))
                .got(got.map_or("no such header".to_owned(), |value| format!("`{value}`")))
                .evidence(received.seq)
        },
    )
}

proofs! {
    passes on good_client();
    catches "sep-2243-client-includes-standard-headers" by no_header("tools/list", "Mcp-Method");
    catches "sep-2243-client-includes-standard-headers" by header("prompts/get", "Mcp-Method", "Prompts/Get");
    catches "sep-2243-client-includes-standard-headers" by header("resources/read", "Mcp-Name", "file:///other");
    catches "client-mirrors-every-request" by no_header("server/discover", "Mcp-Method");
}
