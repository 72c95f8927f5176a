//! Conversations over a byte stream, one per era, and the rules of JSON-RPC.

use insta::assert_snapshot;

use super::say;
use crate::server::reference::everything;
use crate::spec::{Revision, Revisions};
use crate::transport::Limits;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

fn initialize(version: &str) -> String {
    INITIALIZE.replace("2025-11-25", version)
}

/// A request of the stateless era.
fn request(id: u32, method: &str, params: &str) -> String {
    let comma = if params.is_empty() { "" } else { "," };
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}{comma}{META}}}}}"#
    )
}

#[test]
fn a_handshake_and_a_tool() {
    let said = say(
        &everything(),
        &[
            INITIALIZE,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":"three","method":"tools/call","params":{"name":"test_simple_text"}}"#,
            r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"nope"}}"#,
            r#"{"jsonrpc":"2.0","id":5,"method":"server/discover"}"#,
        ],
    );
    assert_snapshot!(said, @r#"
    {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"completions":{},"logging":{},"prompts":{"listChanged":true},"resources":{"subscribe":true},"tools":{"listChanged":true}},"serverInfo":{"name":"mcp-test-everything","version":"0.1.0"},"instructions":"A server for tests: it offers something of everything, and says the same at every call."}}
    {"jsonrpc":"2.0","id":2,"result":{}}
    {"jsonrpc":"2.0","id":"three","result":{"content":[{"text":"This is a simple text response for testing.","type":"text"}]}}
    {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"unknown tool: nope"}}
    {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"`_meta` must hold a string as `io.modelcontextprotocol/protocolVersion`, got nothing"}}
    "#);
}

#[test]
fn a_stateless_conversation() {
    let said = say(
        &everything(),
        &[
            &request(1, "server/discover", ""),
            &request(2, "tools/call", r#""name":"test_simple_text""#),
            &request(3, "resources/read", r#""uri":"test://static-text""#),
            &request(4, "resources/read", r#""uri":"test://nothing""#),
            &request(5, "ping", ""),
            &request(6, "initialize", ""),
            &request(7, "tools/list", "").replace("2026-07-28", "2099-01-01"),
            r#"{"jsonrpc":"2.0","id":8,"method":"server/discover","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
        ],
    );
    assert_snapshot!(said, @r#"
    {"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"capabilities":{"completions":{},"extensions":{"io.modelcontextprotocol/skills":{"directoryRead":true},"io.modelcontextprotocol/tasks":{}},"logging":{},"prompts":{"listChanged":true},"resources":{"subscribe":true},"tools":{"listChanged":true}},"instructions":"A server for tests: it offers something of everything, and says the same at every call.","resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mcp-test-everything","version":"0.1.0"}}}}
    {"jsonrpc":"2.0","id":2,"result":{"content":[{"text":"This is a simple text response for testing.","type":"text"}],"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mcp-test-everything","version":"0.1.0"}}}}
    {"jsonrpc":"2.0","id":3,"result":{"contents":[{"mimeType":"text/plain","text":"This is the content of the static text resource.","uri":"test://static-text"}],"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mcp-test-everything","version":"0.1.0"}}}}
    {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"resource not found","data":{"uri":"test://nothing"}}}
    {"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"method not found: ping"}}
    {"jsonrpc":"2.0","id":6,"error":{"code":-32601,"message":"method not found: initialize"}}
    {"jsonrpc":"2.0","id":7,"error":{"code":-32022,"message":"unsupported protocol version; this server speaks 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05","data":{"requested":"2099-01-01","supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]}}}
    {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"`_meta` must hold a string as `io.modelcontextprotocol/protocolVersion`, got nothing"}}
    {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"`_meta` must hold an object as `io.modelcontextprotocol/clientCapabilities`, got nothing"}}
    "#);
}

#[test]
fn both_eras_on_one_stream() {
    let said = say(
        &everything(),
        &[
            &request(1, "prompts/get", r#""name":"test_simple_prompt""#),
            &initialize("2025-06-18"),
            r#"{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"test_simple_prompt"}}"#,
            &request(3, "prompts/get", r#""name":"test_simple_prompt""#),
        ],
    );
    assert_snapshot!(said, @r#"
    {"jsonrpc":"2.0","id":1,"result":{"messages":[{"content":{"text":"This is a simple prompt for testing.","type":"text"},"role":"user"}],"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mcp-test-everything","version":"0.1.0"}}}}
    {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"completions":{},"logging":{},"prompts":{"listChanged":true},"resources":{"subscribe":true},"tools":{"listChanged":true}},"serverInfo":{"name":"mcp-test-everything","version":"0.1.0"},"instructions":"A server for tests: it offers something of everything, and says the same at every call."}}
    {"jsonrpc":"2.0","id":2,"result":{"messages":[{"content":{"text":"This is a simple prompt for testing.","type":"text"},"role":"user"}]}}
    {"jsonrpc":"2.0","id":3,"result":{"messages":[{"content":{"text":"This is a simple prompt for testing.","type":"text"},"role":"user"}],"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mcp-test-everything","version":"0.1.0"}}}}
    "#);
}

#[test]
fn every_handshake_revision_is_agreed_to_as_asked() {
    for revision in
        Revision::ALL.into_iter().filter(|revision| *revision <= Revision::NEWEST_HANDSHAKE)
    {
        let said = say(&everything(), &[&initialize(revision.as_str())]);
        assert!(said.contains(&format!(r#""protocolVersion":"{revision}""#)), "{revision}: {said}");
    }
}

#[test]
fn another_revision_is_offered_for_one_that_is_not_served() {
    let old =
        everything().revisions(Revisions::between(Revision::V2024_11_05, Revision::V2025_03_26));
    for asked in ["2025-11-25", "2026-07-28", "yesterday"] {
        let said = say(&old, &[&initialize(asked)]);
        assert!(said.contains(r#""protocolVersion":"2025-03-26""#), "{said}");
    }
}

#[test]
fn a_modern_server_names_its_versions_to_an_old_client() {
    let modern = everything().revisions(Revisions::only(Revision::V2026_07_28));
    let said = say(&modern, &[INITIALIZE, r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#]);
    assert_snapshot!(said, @r#"
    {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"unsupported protocol version; this server speaks 2026-07-28","data":{"requested":"2025-11-25","supported":["2026-07-28"]}}}
    {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"`_meta` must hold a string as `io.modelcontextprotocol/protocolVersion`, got nothing"}}
    "#);
}

#[test]
fn capabilities_are_those_of_the_revision() {
    let said = say(&everything(), &[&initialize("2024-11-05")]);
    assert!(!said.contains("completions") && said.contains("logging"), "{said}");
    let said = say(&everything(), &[&initialize("2025-03-26")]);
    assert!(said.contains("completions"), "{said}");
}

#[test]
fn what_is_no_request_is_refused() {
    let said = say(
        &everything(),
        &[
            "Hello",
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"1.0","id":2,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":3,"method":"ping","params":[]}"#,
            r#"{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#,
            r#"{"jsonrpc":"2.0","id":5,"result":{},"error":{}}"#,
            r#"{"jsonrpc":"2.0","method":"no/such/notification","params":"bad"}"#,
            r#"{"jsonrpc":"2.0","method":"no/such/notification"}"#,
            INITIALIZE,
            INITIALIZE,
            "{",
        ],
    );
    assert_snapshot!(said, @r#"
    {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"line 1, column 1: expected a value, found `H`"}}
    {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"the first request of a conversation is `initialize`"}}
    {"jsonrpc":"2.0","id":1,"result":{}}
    {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"expected /jsonrpc is \"2.0\", got \"1.0\""}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a request id is a string or a whole number"}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a request id is a string or a whole number"}}
    {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"`params` must be an object"}}
    {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"`params/capabilities` must be an object, got nothing"}}
    {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"completions":{},"logging":{},"prompts":{"listChanged":true},"resources":{"subscribe":true},"tools":{"listChanged":true}},"serverInfo":{"name":"mcp-test-everything","version":"0.1.0"},"instructions":"A server for tests: it offers something of everything, and says the same at every call."}}
    {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"this conversation is initialized already"}}
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"line 1, column 2: expected a member name in double quotes, found the end of the text"}}
    "#);
}

#[test]
fn batches_are_answered_where_there_are_batches() {
    let batch = r#"[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":3,"method":"nope"},7]"#;
    let only_notifications = r#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#;
    let said = say(&everything(), &[&initialize("2025-03-26"), batch, only_notifications, "[]"]);
    assert_snapshot!(said.split_once('\n').unwrap().1, @r#"
    [{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"method not found: nope"}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"expected /3 is a JSON-RPC message, got 7"}}]
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"expected a batch of at least one message, got []"}}
    "#);
    for revision in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let said = say(&everything(), &[&initialize(revision), batch]);
        let refused = said.lines().nth(1).unwrap();
        assert!(refused.contains("-32600") && said.lines().count() == 2, "{revision}: {said}");
    }
}

#[test]
fn errors_have_the_codes_of_their_revision() {
    let unknown = |revision: &str| {
        let lines = [
            r#"{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"test://no"}}"#,
            r#"{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"no"}}"#,
            r#"{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"cursor":"no"}}"#,
            r#"{"jsonrpc":"2.0","id":5,"method":"logging/setLevel","params":{"level":"no"}}"#,
            r#"{"jsonrpc":"2.0","id":6,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"no"},"argument":{"name":"a","value":""}}}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}"#,
        ];
        let initialize = initialize(revision);
        let mut all = vec![initialize.as_str()];
        all.extend(lines);
        let said = say(&everything(), &all);
        said.split_once('\n').unwrap().1.to_owned()
    };
    assert_snapshot!(unknown("2025-06-18"), @r#"
    {"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"resource not found","data":{"uri":"test://no"}}}
    {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"unknown prompt: no"}}
    {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"invalid cursor: \"no\""}}
    {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"unknown log level: no"}}
    {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"unknown prompt: no"}}
    {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"`b` must be a number"}}
    "#);
    assert_snapshot!(unknown("2025-11-25").lines().last().unwrap(), @r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"text":"`b` must be a number","type":"text"}],"isError":true}}"#);
}

#[test]
fn a_line_that_is_too_long_is_refused_and_the_next_one_served() {
    let limits = Limits { line: 100, ..Limits::default() };
    let long = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":"{}"}}}}"#,
        "x".repeat(200)
    );
    let said =
        say(&everything().limits(limits), &[&long, r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#]);
    assert_snapshot!(said, @r#"
    {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the line is too long: 101 bytes"}}
    {"jsonrpc":"2.0","id":2,"result":{}}
    "#);
}

#[test]
fn completions_start_with_what_was_typed() {
    let complete = request(
        1,
        "completion/complete",
        r#""ref":{"type":"ref/prompt","name":"test_prompt_with_arguments"},"argument":{"name":"arg1","value":"par"}"#,
    );
    let said = say(&everything(), &[&complete]);
    assert!(said.contains(r#""values":["paris","park","party"]"#), "{said}");
}
