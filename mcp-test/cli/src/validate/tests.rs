//! The verdicts on the messages of a conversation, line by line.

use mcp_test_core::spec::Revision;

use super::*;

/// The verdict on each line: `valid as Shape`, or the text of its problems.
fn reported(given: Option<Revision>, lines: &str) -> String {
    let schemas = Schemas::ours();
    let mut validator = MessageValidator::new(&schemas, given);
    let mut reported = Vec::new();
    for (index, line) in lines.lines().enumerate() {
        let text = Bytes::copy_from_slice(line.as_bytes());
        match validator.text(None, &text, &ParsedText::parse(&text)) {
            Err(why) => reported.push(format!("line {}: {why:?}", index + 1)),
            Ok(verdicts) => {
                reported.extend(verdicts.iter().map(|verdict| match verdict.is_valid() {
                    true => format!(
                        "line {}: {} is valid as {}{}",
                        index + 1,
                        verdict.what,
                        verdict.shape.as_deref().unwrap_or("a message"),
                        if verdict.is_unmatched { ", without its request" } else { "" }
                    ),
                    false => verdict.text(Some(index + 1)).trim_end().to_owned(),
                }));
            }
        }
    }
    reported.join("\n")
}

const OPENING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
"#;

#[test]
fn a_message_with_duplicate_keys_is_not_valid() {
    let lines = r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}
{"jsonrpc":"2.0","id":2,"method":"ping","params":{"_meta":{"a":1,"a":2}}}"#;
    insta::assert_snapshot!(reported(Some(Revision::V2025_11_25), lines), @r#"
    line 1: the request `tools/list` is not valid as ListToolsRequest of MCP 2025-11-25
      expected `/method` is a key that occurs once
      got a duplicate key "method"
      JSON: https://www.rfc-editor.org/rfc/rfc8259#section-4
    line 2: the request `ping` is not valid as PingRequest of MCP 2025-11-25
      expected `/params/_meta/a` is a key that occurs once
      got a duplicate key "a"
      JSON: https://www.rfc-editor.org/rfc/rfc8259#section-4
    "#);
}

#[test]
fn a_conversation_names_its_revision_and_results_are_validated_against_their_requests() {
    let rest = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"add"}]}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":5}}
{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"no"}}"#;
    insta::assert_snapshot!(reported(None, &format!("{OPENING}{rest}")), @"
    line 1: the request `initialize` is valid as InitializeRequest
    line 2: the result of `initialize` is valid as InitializeResult
    line 3: the notification `notifications/initialized` is valid as InitializedNotification
    line 4: the request `tools/list` is valid as ListToolsRequest
    line 5: the result of `tools/list` is not valid as ListToolsResult of MCP 2025-06-18
      expected `/result/tools/0/inputSchema` is an object
      got nothing
      Tool: https://modelcontextprotocol.io/specification/2025-06-18/server/tools#tool
    line 6: the request `tools/call` is not valid as CallToolRequest of MCP 2025-06-18
      expected `/params/name` is a string
      got 5, which is a number
      CallToolRequestParams: https://modelcontextprotocol.io/specification/2025-06-18/server/tools#calling-tools
    line 7: the error reply to `tools/call` is valid as JSONRPCErrorResponse
    ");
}

#[test]
fn the_same_ids_of_both_sides_are_kept_apart() {
    let lines = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}
{"jsonrpc":"2.0","id":7,"method":"roots/list"}
{"jsonrpc":"2.0","id":7,"result":{"roots":[]}}
{"jsonrpc":"2.0","id":7,"result":{"tools":[]}}
{"jsonrpc":"2.0","id":7,"result":{"tools":[]}}"#;
    insta::assert_snapshot!(reported(Some(Revision::V2025_11_25), lines), @"
    line 1: the request `tools/list` is valid as ListToolsRequest
    line 2: the request `roots/list` is valid as ListRootsRequest
    line 3: the result of `roots/list` is valid as ListRootsResult
    line 4: the result of `tools/list` is valid as ListToolsResult
    line 5: a result is valid as Result, without its request
    ");
}

#[test]
fn invalid_messages_are_reported_and_the_rest_is_validated() {
    let lines = r#"Server listening on stdio
{"jsonrpc":"2.0","id":1}
{"jsonrpc":"2.0","id":null,"method":"ping"}
[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":3,"method":5}]
{"jsonrpc":"2.0","id":4,"method":"ping"}"#;
    insta::assert_snapshot!(reported(Some(Revision::V2025_11_25), lines), @r#"
    line 1: not JSON
      expected a JSON-RPC message
      got "Server listening on stdio", column 1: expected a value, found `S`
    line 2: not a JSON-RPC message
      expected a message with a method, a result or an error
      got {"jsonrpc":"2.0","id":1}
      jsonrpc.response-result-or-error: https://modelcontextprotocol.io/specification/2025-11-25/basic#responses
    line 3: the request `ping` is not valid as PingRequest of MCP 2025-11-25
      expected `/id` is a string or an integer
      got null
      RequestId: https://modelcontextprotocol.io/specification/2025-11-25/basic#requests
    line 4: the request `ping` is valid as PingRequest
    line 4: not a JSON-RPC message
      expected `/1/method` is a string
      got 5
      jsonrpc.request-method-string: https://modelcontextprotocol.io/specification/2025-11-25/basic#requests
    line 4: a batch, which MCP 2025-11-25 does not have
      expected one message at a time
      got an array of 2 messages
      jsonrpc.batch-not-sent: https://modelcontextprotocol.io/specification/2025-11-25/basic#messages
    line 5: the request `ping` is valid as PingRequest
    "#);
    let batch = r#"[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":3,"method":5}]"#;
    insta::assert_snapshot!(reported(Some(Revision::V2025_03_26), batch), @"
    line 1: the request `ping` is valid as PingRequest
    line 1: not a JSON-RPC message
      expected `/1/method` is a string
      got 5
      jsonrpc.request-method-string: https://modelcontextprotocol.io/specification/2025-03-26/basic#requests
    ");
}

#[test]
fn without_a_revision_nothing_is_validated() {
    assert_eq!(reported(None, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), "line 1: NoRevision");
    assert_eq!(reported(None, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), "line 1: NoRevision");
    let unknown = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2099-01-01"}}"#;
    assert_eq!(reported(None, unknown), "line 1: UnknownRevision(\"2099-01-01\")");
    let ahead = OPENING.replacen("2025-11-25", "2026-07-28", 1);
    assert_eq!(reported(None, &ahead), reported(None, OPENING));
    let beyond = OPENING.replace("2025-06-18", "2026-07-28");
    assert_eq!(reported(None, &beyond), reported(None, OPENING));
    let stateless = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}"#;
    insta::assert_snapshot!(reported(None, stateless), @r#"
    line 1: the request `server/discover` is valid as DiscoverRequest
    line 2: the result of `server/discover` is not valid as DiscoverResult of MCP 2026-07-28
      expected `/result/ttlMs` is an integer of at least 0
      got nothing
      DiscoverResult: https://modelcontextprotocol.io/specification/2026-07-28/server/discover#discoverresult
      expected `/result/cacheScope` is "public" or "private"
      got nothing
      DiscoverResult: https://modelcontextprotocol.io/specification/2026-07-28/server/discover#discoverresult
      expected `/result/supportedVersions` is an array of strings
      got nothing
      DiscoverResult: https://modelcontextprotocol.io/specification/2026-07-28/server/discover#discoverresult
      expected `/result/capabilities` is a ServerCapabilities
      got nothing
      DiscoverResult: https://modelcontextprotocol.io/specification/2026-07-28/server/discover#discoverresult
    "#);
}

#[test]
fn a_header_names_the_revision_of_its_exchange_and_of_the_connection_if_nothing_else_does() {
    let schemas = Schemas::ours();
    let mut validator = MessageValidator::new(&schemas, None);
    let connection = mcp_test_core::trace::Recorder::new().open("http");
    let source = |exchange| {
        Some(MessageSource {
            connection,
            party: mcp_test_core::trace::Party::Client,
            exchange: Some(exchange),
        })
    };
    let named = |version: &str| [("mcp-protocol-version".to_owned(), version.to_owned())];
    let spoken = |validator: &mut MessageValidator<'_>, exchange, text: &'static str| {
        let text = Bytes::from_static(text.as_bytes());
        let result = validator.text(source(exchange), &text, &ParsedText::parse(&text));
        result.map(|verdicts| verdicts[0].revision.map(Revision::as_str))
    };
    let ping = r#"{"jsonrpc":"2.0","id":5,"method":"ping"}"#;
    assert_eq!(spoken(&mut validator, 0, ping), Err(NotValidated::NoRevision));
    validator.http_headers(source(1), &named(" 2025-03-26 "));
    assert_eq!(spoken(&mut validator, 0, ping), Ok(Some("2025-03-26")));
    let begin = OPENING.lines().next().expect("a line");
    assert_eq!(spoken(&mut validator, 2, begin), Ok(Some("2025-11-25")));
    validator.http_headers(source(3), &named("2024-11-05"));
    assert_eq!(spoken(&mut validator, 3, ping), Ok(Some("2024-11-05")));
    assert_eq!(spoken(&mut validator, 4, ping), Ok(Some("2025-11-25")));
}
