//! `http-standard-headers`, of clients.

use serde_json::json;

use super::references::SEP_2243;
use crate::check::Finding;
use crate::client::reference::good_client;
use crate::json::Value;
use crate::scenario::{CheckSpec, Heard, Judging, Official, Stage};
use crate::server::{Answer, Call, Server};
use crate::spec::{self, Revision, Revisions, error_code, header};
use crate::transport::Fault;
use crate::transport::fault::Lapse;
use crate::wire::Message;
use crate::{proofs, scenario};

scenario! {
    /// Every request mirrors its method in a header, and the name or the address that it is about in another one, for
    /// those on the way who only read headers.
    ///
    /// The official check judges the first request of each method out of a list that `server/discover` is not on, and
    /// skips what was never sent, so that a client which sends nothing passes. Our own looks at every request.
    Client "http-standard-headers": "Headers mirror what a request is about",
    revisions: Revisions::from(Revision::V2026_07_28),
    official: Official::draft(),
    checks: [
        CheckSpec::official(
            "sep-2243-client-includes-standard-headers",
            "ClientStandardHeaders",
            "The first request of each method has the headers that mirror it",
            &[SEP_2243],
        )
        .requires(&["transport.http.mcp-method-header", "transport.http.mcp-name-header"]),
        CheckSpec::own(
            "client-mirrors-every-request",
            "ClientMirrorsEveryRequest",
            "Every request has the headers that mirror it",
        )
        .requires(&["transport.http.mcp-method-header", "transport.http.mcp-name-header"]),
    ],
}

/// What the official suite looks at, in its order.
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

/// The server reads no mirrored header, so that one that is missing does not hide the others.
fn serve(_: &Stage) -> Server {
    Server::new(json!({ "name": "http-standard-headers-server", "version": "1.0.0" }))
        .revisions(Revisions::from(Revision::V2026_07_28))
        .capabilities(json!({ "tools": {}, "resources": {}, "prompts": {} }))
        .faults([Fault::lapse(Lapse::SkipsMirrors)])
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
const RESOURCES: [&str; 2] =
    ["file:///path/to/file%20name.txt", "https://example.com/resource?id=123"];

fn tool(name: &str) -> serde_json::Value {
    json!({ "name": name, "description": "Takes nothing", "inputSchema": { "type": "object" } })
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
    let heard = judging.heard();
    let first = |method: &str| heard.iter().find(|said| said.method() == method);
    for method in METHODS {
        let check = judging.check(OFFICIAL).named(row("Method", method));
        let check = check.requires("transport.http.mcp-method-header");
        match first(method).map(mirrors_method) {
            None => check.skip(format!("`{method}` was never sent")),
            Some(mirrored) => check.judge(mirrored),
        };
    }
    for method in METHODS.into_iter().filter(|method| name_param(method).is_some()) {
        let check = judging.check(OFFICIAL).named(row("Name", method));
        let check = check.requires("transport.http.mcp-name-header");
        match first(method).map(mirrors_name) {
            None => check.skip(format!("`{method}` was never sent")),
            Some(mirrored) => check.judge(mirrored),
        };
    }
    let mut check = judging.check("client-mirrors-every-request");
    let mut requests =
        heard.iter().filter(|said| matches!(said.message, Message::Request(_))).peekable();
    if requests.peek().is_none() {
        check.skip("the client asked for nothing");
        return Ok(());
    }
    for said in requests {
        check = check.requires("transport.http.mcp-method-header");
        check = check.judge(mirrors_method(said));
        check = check.requires("transport.http.mcp-name-header");
        check = check.judge(mirrors_name(said));
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

fn mirrors_method(said: &Heard) -> Result<(), Finding> {
    same(said, header::MCP_METHOD, said.method())
}

fn mirrors_name(said: &Heard) -> Result<(), Finding> {
    let name = name_param(said.method()).and_then(|member| said.params().get(member)?.as_str());
    name.map_or(Ok(()), |name| same(said, header::MCP_NAME, name))
}

fn same(said: &Heard, name: &str, wanted: &str) -> Result<(), Finding> {
    let got = said.header(name);
    if got.and_then(|value| header::decode_value(value).ok()).as_deref() == Some(wanted) {
        return Ok(());
    }
    Err(Finding::peer(format!("`{name}` does not mirror the request"))
        .expected(format!("`{name}: {wanted}` with `{}`", said.method()))
        .got(got.map_or("no such header".to_owned(), |value| format!("`{value}`")))
        .evidence(said.seq))
}

proofs! {
    passes on good_client();
    catches "sep-2243-client-includes-standard-headers" by no_header("tools/list", "Mcp-Method"),
        also "client-mirrors-every-request" Failure;
    catches "sep-2243-client-includes-standard-headers" by header("prompts/get", "Mcp-Method", "Prompts/Get"),
        also "client-mirrors-every-request" Failure;
    catches "sep-2243-client-includes-standard-headers" by header("resources/read", "Mcp-Name", "file:///other"),
        also "client-mirrors-every-request" Failure;
    catches "client-mirrors-every-request" by no_header("server/discover", "Mcp-Method");
}
