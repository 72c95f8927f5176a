//! Every kind of refusal, as the peer reads it.

use mcp_test_core::spec::Revision;
use mcp_test_core::spec::schema::{Authority, json_schema};

use super::{Reported, answered, through};
use crate::guard::Guard;

const OLD: Revision = Revision::V2025_06_18;
const NEW: Revision = Revision::V2026_07_28;

#[tokio::test]
async fn what_is_not_json_is_a_parse_error() {
    let guard = Guard::new(Revision::V2025_11_25);
    let lines = b"Hello?\n{\"jsonrpc\":\"2.0\",\n{\"id\":1}}\n\xff\n\"\x1b[31m\"\n\"\\x\"\n";
    insta::assert_snapshot!(answered(&guard, lines).await, @r#"
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: no JSON at line 1, column 1: expected a value","data":{"pointer":"","reason":"no JSON at line 1, column 1: expected a value"}}}
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: no JSON at line 1, column 18: expected a member name in double quotes","data":{"pointer":"","reason":"no JSON at line 1, column 18: expected a member name in double quotes"}}}
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: no JSON at line 1, column 9: expected nothing after the value","data":{"pointer":"","reason":"no JSON at line 1, column 9: expected nothing after the value"}}}
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: no JSON at line 1, column 1: expected UTF-8","data":{"pointer":"","reason":"no JSON at line 1, column 1: expected UTF-8"}}}
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: no JSON at line 1, column 2: expected an escape","data":{"pointer":"","reason":"no JSON at line 1, column 2: expected an escape"}}}
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: no JSON at line 1, column 3: expected one of `\"\\/bfnrtu` after the backslash","data":{"pointer":"","reason":"no JSON at line 1, column 3: expected one of `\"\\/bfnrtu` after the backslash"}}}
    "#);
    let deep = "[".repeat(200);
    insta::assert_snapshot!(answered(&guard, deep).await, @r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: line 1, column 129: nested deeper than the 128 levels that mcp-test reads","data":{"pointer":"","reason":"line 1, column 129: nested deeper than the 128 levels that mcp-test reads"}}}"#);
}

#[tokio::test]
async fn what_is_not_json_rpc_is_an_invalid_request() {
    let guard = Guard::new(Revision::V2025_11_25);
    let lines = [
        r#"7"#,
        r#"{}"#,
        r#"{"id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":"\u001b]0;x","method":5}"#,
        r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"ping","params":null}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"ping","result":{}}"#,
        r#"{"jsonrpc":"2.0","method":1,"params":"bar"}"#,
        r#"[{"jsonrpc":"2.0","id":4,"method":"ping"}]"#,
        r#"[]"#,
    ];
    insta::assert_snapshot!(answered(&guard, lines.join("\n")).await, @r#"
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: expected a JSON-RPC message, got a number","data":{"pointer":"","reason":"expected a JSON-RPC message, got a number"}}}
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: expected `/jsonrpc` is \"2.0\", got nothing","data":{"pointer":"/jsonrpc","reason":"expected \"2.0\", got nothing"}}}
    {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid Request: expected `/jsonrpc` is \"2.0\", got nothing","data":{"pointer":"/jsonrpc","reason":"expected \"2.0\", got nothing"}}}
    {"jsonrpc":"2.0","id":"\u001b]0;x","error":{"code":-32600,"message":"Invalid Request: expected `/method` is a string, got a number","data":{"pointer":"/method","reason":"expected a string, got a number"}}}
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: expected `/id` is a string or a number, got an array","data":{"pointer":"/id","reason":"expected a string or a number, got an array"}}}
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: expected `/id` is a string or an integer, got null","data":{"pointer":"/id","reason":"expected a string or an integer, got null","shape":"RequestId","keyword":"type"}}}
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: expected `/id` is a string or an integer, got null","data":{"pointer":"/id","reason":"expected a string or an integer, got null","shape":"RequestId","keyword":"type","causes":[{"pointer":"/params","reason":"expected a CallToolRequestParams, got nothing","shape":"CallToolRequest","keyword":"required"}]}}}
    {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"Invalid Request: expected `/params` is an object or an array, got null","data":{"pointer":"/params","reason":"expected an object or an array, got null"}}}
    {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"Invalid Request: expected `/result` is absent beside a method, got an object","data":{"pointer":"/result","reason":"expected absent beside a method, got an object"}}}
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: expected `/method` is a string, got a number","data":{"pointer":"/method","reason":"expected a string, got a number"}}}
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: expected a single message, got a batch","data":{"pointer":"","reason":"expected a single message, got a batch"}}}
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: expected a single message, got a batch","data":{"pointer":"","reason":"expected a single message, got a batch"}}}
    "#);
}

#[tokio::test]
async fn before_2025_11_25_an_error_without_a_request_has_the_id_null() {
    let lines = "Hello?\n7\n{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}";
    insta::assert_snapshot!(answered(&Guard::new(OLD), lines).await, @r#"
    {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: no JSON at line 1, column 1: expected a value","data":{"pointer":"","reason":"no JSON at line 1, column 1: expected a value"}}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: expected a JSON-RPC message, got a number","data":{"pointer":"","reason":"expected a JSON-RPC message, got a number"}}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: expected `/id` is a string or an integer, got null","data":{"pointer":"/id","reason":"expected a string or an integer, got null","shape":"RequestId","keyword":"type"}}}
    "#);
}

#[tokio::test]
async fn params_that_do_not_fit_are_named_by_place_and_shape() {
    let guard = Guard::new(OLD);
    let lines = [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":5}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"add","arguments":[1]}}"#,
        r#"{"jsonrpc":"2.0","id":6,"method":"logging/setLevel","params":{"level":"\u001b[2Jloud"}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"x","arguments":{"\u001b[31m":1}}}"#,
        r#"{"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":null}}"#,
    ];
    insta::assert_snapshot!(answered(&guard, lines.join("\n")).await, @r#"
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: expected `/params` is a CallToolRequestParams, got nothing","data":{"pointer":"/params","reason":"expected a CallToolRequestParams, got nothing","shape":"CallToolRequest","keyword":"required"}}}
    {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Invalid params: expected `/params/name` is a string, got nothing","data":{"pointer":"/params/name","reason":"expected a string, got nothing","shape":"CallToolRequestParams","keyword":"required"}}}
    {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid params: expected `/params/name` is a string, got a number","data":{"pointer":"/params/name","reason":"expected a string, got a number","shape":"CallToolRequestParams","keyword":"type"}}}
    {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid params: expected `/params` is an object, got an array","data":{"pointer":"/params","reason":"expected an object, got an array","shape":"CallToolRequestParams","keyword":"type"}}}
    {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid params: expected `/params/arguments` is an object, got an array","data":{"pointer":"/params/arguments","reason":"expected an object, got an array","shape":"CallToolRequestParams","keyword":"type"}}}
    {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid params: expected `/params/level` is \"debug\", \"info\", \"notice\", \"warning\", \"error\", \"critical\", \"alert\" or \"emergency\", got another string","data":{"pointer":"/params/level","reason":"expected \"debug\", \"info\", \"notice\", \"warning\", \"error\", \"critical\", \"alert\" or \"emergency\", got another string","shape":"LoggingLevel","keyword":"enum","causes":[{"pointer":"/params/level","reason":"expected \"debug\", got another string","shape":"LoggingLevel","keyword":"const"},{"pointer":"/params/level","reason":"expected \"info\", got another string","shape":"LoggingLevel","keyword":"const"},{"pointer":"/params/level","reason":"expected \"notice\", got another string","shape":"LoggingLevel","keyword":"const"},{"pointer":"/params/level","reason":"expected \"warning\", got another string","shape":"LoggingLevel","keyword":"const"},{"pointer":"/params/level","reason":"expected \"error\", got another string","shape":"LoggingLevel","keyword":"const"},{"pointer":"/params/level","reason":"expected \"critical\", got another string","shape":"LoggingLevel","keyword":"const"}]}}}
    {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid params: in `/params/arguments` a member is wrong: expected a string, got a number","data":{"pointer":"/params/arguments","reason":"a member is wrong: expected a string, got a number","shape":"GetPromptRequestParams","keyword":"type"}}}
    {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"Invalid params: expected `/params/uri` is a URI, got null","data":{"pointer":"/params/uri","reason":"expected a URI, got null","shape":"ReadResourceRequestParams","keyword":"type"}}}
    "#);
    let without_meta = r#"{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{}}"#;
    insta::assert_snapshot!(answered(&Guard::new(NEW), without_meta).await, @r#"{"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"Invalid params: expected `/params/_meta` is a RequestMetaObject, got nothing","data":{"pointer":"/params/_meta","reason":"expected a RequestMetaObject, got nothing","shape":"PaginatedRequestParams","keyword":"required"}}}"#);
}

#[tokio::test]
async fn the_id_comes_back_as_it_was() {
    let guard = Guard::new(OLD);
    for id in ["1e2", "-0", "12345678901234567890", "\"\"", "\"1\"", "\"\\u2028 \\ud83d\\ude00\""] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call"}}"#);
        let answer =
            mcp_test_core::json::Value::parse(answered(&guard, &line).await.as_bytes()).unwrap();
        let written = mcp_test_core::json::Value::parse(line.as_bytes()).unwrap();
        assert_eq!(answer.value.get("id"), written.value.get("id"), "{id}");
        assert_eq!(answer.value.get("id").unwrap().to_string().contains("1e2"), id == "1e2");
    }
}

#[tokio::test]
async fn notifications_and_replies_are_never_answered() {
    let reported = Reported::default();
    let guard = Guard::new(OLD).on_rejected(reported.callback());
    let lines = [
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":"all"}"#,
        r#"{"method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":5}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"both"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":"boom"}"#,
        r#"{"jsonrpc":"2.0","result":{}}"#,
    ];
    assert_eq!(answered(&guard, lines.join("\n")).await, "");
    assert_eq!((guard.stats().messages, guard.stats().rejected), (7, 7));
    insta::assert_snapshot!(reported.lines(), @r#"
    the client's notifications/progress: expected `/params/progress` is a number, got nothing (dropped)
    the client's notifications/cancelled: expected `/params` is an object or an array, got a string (dropped)
    the client's notifications/initialized: expected `/jsonrpc` is "2.0", got nothing (dropped)
    the client's message 1: expected `/result` is an object, got a number (dropped)
    the client's message 1: expected `/error` is absent beside a result, got an object (dropped)
    the client's message 1: expected `/error` is an object, got a string (dropped)
    the client's message: expected `/id` is the id of a request, got nothing (dropped)
    "#);
}

#[tokio::test]
async fn unknown_methods_pass_unless_they_are_to_be_rejected() {
    let lines = [
        r#"{"jsonrpc":"2.0","id":1,"method":"acme/sum","params":{"of":[1]}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"roots/list"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/acme"}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#,
        "",
    ]
    .join("\n");
    let (handled, said) = through(&Guard::new(OLD), &lines).await;
    assert_eq!((handled, said), (lines.clone(), String::new()));

    let guard = Guard::new(OLD).reject_unknown_methods();
    let (handled, said) = through(&guard, &lines).await;
    insta::assert_snapshot!(handled, @r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#);
    insta::assert_snapshot!(said, @r#"
    {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: expected `/method` is a method of 2025-06-18, got another","data":{"pointer":"/method","reason":"expected a method of 2025-06-18, got another"}}}
    {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found: expected `/method` is a method of 2025-06-18, got another","data":{"pointer":"/method","reason":"expected a method of 2025-06-18, got another"}}}
    "#);

    let (handled, said) = through(&guard.allow_method("acme/sum"), &lines).await;
    insta::assert_snapshot!(handled, @r#"
    {"jsonrpc":"2.0","id":1,"method":"acme/sum","params":{"of":[1]}}
    {"jsonrpc":"2.0","id":3,"method":"ping"}
    "#);
    insta::assert_snapshot!(said, @r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found: expected `/method` is a method of 2025-06-18, got another","data":{"pointer":"/method","reason":"expected a method of 2025-06-18, got another"}}}"#);
}

#[tokio::test]
async fn what_a_method_is_called_by_the_wrong_side_is_unknown() {
    let listing = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let client = Guard::new(OLD).for_client().reject_unknown_methods();
    insta::assert_snapshot!(answered(&client, listing).await, @r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: expected `/method` is a method of 2025-06-18, got another","data":{"pointer":"/method","reason":"expected a method of 2025-06-18, got another"}}}"#);
    let (handled, _) = through(&client, r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#).await;
    assert!(handled.contains("roots/list"));
}

#[tokio::test]
async fn where_only_one_side_asks_the_other_neither_asks_nor_is_answered() {
    let reported = Reported::default();
    let reply = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}"#;
    assert_eq!(answered(&Guard::new(NEW).on_rejected(reported.callback()), reply).await, "");
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"roots/list","params":{}}"#;
    let client = Guard::new(NEW).for_client().on_rejected(reported.callback());
    assert_eq!(answered(&client, request).await, "");
    insta::assert_snapshot!(reported.lines(), @"
    the client's message 1: a client sends no replies at 2026-07-28 (dropped)
    the server's roots/list 1: a server sends no requests at 2026-07-28 (dropped)
    ");
}

#[tokio::test]
async fn a_line_that_is_too_long_is_answered_and_the_next_one_read() {
    let guard = Guard::new(OLD).max_bytes(60);
    let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    let (handled, said) = through(&guard, format!("{}\n{ping}", "x".repeat(20_000))).await;
    assert_eq!(handled, ping);
    insta::assert_snapshot!(said, @r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the message is longer than 60 bytes","data":{"pointer":"","reason":"the message is longer than 60 bytes"}}}"#);
    assert_eq!((guard.stats().messages, guard.stats().rejected), (2, 1));
}

#[tokio::test]
async fn in_a_batch_each_message_stands_for_itself() {
    let guard = Guard::new(Revision::V2025_03_26);
    let good = r#"{ "jsonrpc":"2.0", "id":1.0, "method":"ping"}"#;
    let wrong = r#"{"jsonrpc":"2.0","id":"b","method":"tools/call"}"#;
    let (handled, said) = through(&guard, format!("[ {good} ,5,{wrong},{good}]\r\n")).await;
    assert_eq!(handled, format!("[{good},{good}]\n"));
    insta::assert_snapshot!(said, @r#"[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: expected a JSON-RPC message, got a number","data":{"pointer":"","reason":"expected a JSON-RPC message, got a number"}}},{"jsonrpc":"2.0","id":"b","error":{"code":-32602,"message":"Invalid params: expected `/params` is a CallToolRequestParams, got nothing","data":{"pointer":"/params","reason":"expected a CallToolRequestParams, got nothing","shape":"CallToolRequest","keyword":"required"}}}]"#);

    let untouched = format!(" [ {good} , {good} ] \n");
    assert_eq!(through(&guard, &untouched).await, (untouched, String::new()));

    let dropped = r#"{"jsonrpc":"2.0","method":"notifications/progress"}"#;
    assert_eq!(answered(&guard, format!("[{dropped}]")).await, "");
    insta::assert_snapshot!(answered(&guard, "[]").await, @r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: expected a batch of at least one message, got an empty one","data":{"pointer":"","reason":"expected a batch of at least one message, got an empty one"}}}"#);
    insta::assert_snapshot!(answered(&guard, format!("[{}1]", "1,".repeat(1000))).await, @r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: the batch has more than 1000 messages","data":{"pointer":"","reason":"the batch has more than 1000 messages"}}}"#);
}

#[tokio::test]
async fn what_parsers_read_differently_is_refused() {
    let guard = Guard::new(Revision::V2025_03_26);
    let lines = [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":2,"met\u0068od":"tools/call","method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x"},"params":{"name":"y"}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"x","name":"y"}}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x","arguments":{"a":[{"b":1,"b":2}]}}}"#,
        r#"{"jsonrpc":"2.0","id":6,"id":7,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":8,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"ping","Method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":10,"method":"ping","param\u017f":{}}"#,
        r#"{"jsonrpc":"2.0","ID":10,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":11,"method":"tools/call\ud800"}"#,
        r#"{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"x","_meta":{"\udc00":1}}}"#,
        r#"{"jsonrpc":"2.0","id":13,"result":{},"result":{}}"#,
    ];
    insta::assert_snapshot!(answered(&guard, lines.join("\n")).await, @r#"
    {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid Request: expected `/method` is the only member of that name, got a second one","data":{"pointer":"/method","reason":"expected the only member of that name, got a second one"}}}
    {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"Invalid Request: expected `/method` is the only member of that name, got a second one","data":{"pointer":"/method","reason":"expected the only member of that name, got a second one"}}}
    {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"Invalid Request: expected `/params` is the only member of that name, got a second one","data":{"pointer":"/params","reason":"expected the only member of that name, got a second one"}}}
    {"jsonrpc":"2.0","id":4,"error":{"code":-32600,"message":"Invalid Request: expected `/params/name` is the only member of that name, got a second one","data":{"pointer":"/params/name","reason":"expected the only member of that name, got a second one"}}}
    {"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"Invalid Request: expected `/params/arguments/a/0/b` is the only member of that name, got a second one","data":{"pointer":"/params/arguments/a/0/b","reason":"expected the only member of that name, got a second one"}}}
    {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: expected `/id` is the only member of that name, got a second one","data":{"pointer":"/id","reason":"expected the only member of that name, got a second one"}}}
    {"jsonrpc":"2.0","id":8,"error":{"code":-32600,"message":"Invalid Request: expected `/jsonrpc` is the only member of that name, got a second one","data":{"pointer":"/jsonrpc","reason":"expected the only member of that name, got a second one"}}}
    {"jsonrpc":"2.0","id":9,"error":{"code":-32600,"message":"Invalid Request: expected `/Method` is absent, got a member that differs from one of JSON-RPC in case only","data":{"pointer":"/Method","reason":"expected absent, got a member that differs from one of JSON-RPC in case only"}}}
    {"jsonrpc":"2.0","id":10,"error":{"code":-32600,"message":"Invalid Request: expected `/paramſ` is absent, got a member that differs from one of JSON-RPC in case only","data":{"pointer":"/paramſ","reason":"expected absent, got a member that differs from one of JSON-RPC in case only"}}}
    {"jsonrpc":"2.0","id":11,"error":{"code":-32600,"message":"Invalid Request: expected `/method` is Unicode text, got half of a surrogate pair","data":{"pointer":"/method","reason":"expected Unicode text, got half of a surrogate pair"}}}
    {"jsonrpc":"2.0","id":12,"error":{"code":-32600,"message":"Invalid Request: expected `/params/_meta/�` is Unicode text, got half of a surrogate pair","data":{"pointer":"/params/_meta/�","reason":"expected Unicode text, got half of a surrogate pair"}}}
    "#);
    let right = r#"{"jsonrpc":"2.0","id":14,"method":"ping"}"#;
    let (handled, said) = through(&guard, format!("[{right},{},{right}]", lines[3])).await;
    assert_eq!(handled, format!("[{right},{right}]"));
    insta::assert_snapshot!(said, @r#"[{"jsonrpc":"2.0","id":4,"error":{"code":-32600,"message":"Invalid Request: expected `/params/name` is the only member of that name, got a second one","data":{"pointer":"/params/name","reason":"expected the only member of that name, got a second one"}}}]"#);
}

#[tokio::test]
async fn nothing_crowds_out_a_duplicate() {
    let guard = Guard::new(Revision::V2025_03_26);
    let many = "9007199254740993,".repeat(100);
    let call = |params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#)
    };
    let large = call(&format!(r#"{{"name":"x","arguments":{{"n":[{many}0]}}}}"#));
    assert_eq!(through(&guard, &large).await, (large.clone(), String::new()));
    let twice = call(&format!(r#"{{"name":"x","arguments":{{"n":[{many}0],"a":1,"a":2}}}}"#));
    assert!(answered(&guard, &twice).await.contains("/params/arguments/a"));
    // In a batch each of them counts.
    let twice = call(r#"{"name":"x","name":"y"}"#);
    let batch = format!("[{}]", vec![twice; 100].join(","));
    insta::assert_snapshot!(answered(&guard, &batch).await, @r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: the batch has too many members that occur twice","data":{"pointer":"","reason":"the batch has too many members that occur twice"}}}"#);
}

#[tokio::test]
async fn a_carriage_return_inside_of_a_line_is_refused() {
    let guard = Guard::new(OLD);
    let inner = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#;
    let lines = format!("{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\",\"x\":\r{inner}\r}}\n");
    insta::assert_snapshot!(answered(&guard, &lines).await, @r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: expected one line per message, got a carriage return inside of it","data":{"pointer":"","reason":"expected one line per message, got a carriage return inside of it"}}}"#);
    let ping = "\r{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} \r\r\n";
    assert_eq!(through(&guard, ping).await, (ping.to_owned(), String::new()));
}

#[tokio::test]
async fn a_refusal_has_the_causes() {
    let guard = Guard::new(OLD).for_client();
    let ask = |message: &str, properties: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{{"message":{message},"requestedSchema":{{"type":"object","properties":{properties}}}}}}}"#
        )
    };
    let several =
        ask("5", r#"{"a":{"type":"string","minLength":"\u001b"},"b":{"type":"object"},"c":5}"#);
    insta::assert_snapshot!(answered(&guard, several).await, @r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: expected `/params/message` is a string, got a number","data":{"pointer":"/params/message","reason":"expected a string, got a number","shape":"ElicitRequestFormParams","keyword":"type","causes":[{"pointer":"/params/requestedSchema/properties/a/minLength","reason":"expected an integer, got a string","shape":"StringSchema","keyword":"type"},{"pointer":"/params/requestedSchema/properties/b/type","reason":"expected \"string\", \"number\", \"integer\" or \"boolean\", got another string","shape":"PrimitiveSchemaDefinition","keyword":"enum"},{"pointer":"/params/requestedSchema/properties/c","reason":"expected a StringSchema, a NumberSchema, a BooleanSchema or an EnumSchema, got a number","shape":"PrimitiveSchemaDefinition","keyword":"anyOf"}]}}}"#);
    // Neither alternative is nearer than the other.
    let either = ask("\"x\"", r#"{"a":{"type":"string","minLength":"x","enum":5}}"#);
    insta::assert_snapshot!(answered(&guard, &either).await, @r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: expected `/params/requestedSchema/properties/a` is a StringSchema, a NumberSchema, a BooleanSchema or an EnumSchema, got an object","data":{"pointer":"/params/requestedSchema/properties/a","reason":"expected a StringSchema, a NumberSchema, a BooleanSchema or an EnumSchema, got an object","shape":"PrimitiveSchemaDefinition","keyword":"anyOf","causes":[{"pointer":"/params/requestedSchema/properties/a/minLength","reason":"expected an integer, got a string","shape":"StringSchema","keyword":"type"},{"pointer":"/params/requestedSchema/properties/a/type","reason":"expected \"number\" or \"integer\", got another string","shape":"NumberSchema","keyword":"enum"},{"pointer":"/params/requestedSchema/properties/a/type","reason":"expected \"boolean\", got another string","shape":"BooleanSchema","keyword":"const"},{"pointer":"/params/requestedSchema/properties/a/enum","reason":"expected an array of strings, got a number","shape":"LegacyTitledEnumSchema","keyword":"type"}]}}}"#);
    let official = json_schema(OLD, Authority::Schema).to_string();
    guard.load_schema(OLD, official.as_bytes()).unwrap();
    insta::assert_snapshot!(answered(&guard, &either).await, @r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: expected `/params/requestedSchema/properties/a` is what one of 4 schemas allows, got an object","data":{"pointer":"/params/requestedSchema/properties/a","reason":"expected what one of 4 schemas allows, got an object","shape":"ElicitRequestParams","keyword":"anyOf","causes":[{"pointer":"/params/requestedSchema/properties/a/minLength","reason":"expected an integer, got a string","shape":"ElicitRequestParams","keyword":"type"},{"pointer":"/params/requestedSchema/properties/a/type","reason":"expected \"number\" or \"integer\", got another string","shape":"ElicitRequestParams","keyword":"enum"},{"pointer":"/params/requestedSchema/properties/a/type","reason":"expected \"boolean\", got another string","shape":"ElicitRequestParams","keyword":"const"},{"pointer":"/params/requestedSchema/properties/a/enum","reason":"expected an array, got a number","shape":"ElicitRequestParams","keyword":"type"}]}}}"#);
    let many: Vec<String> = (0..100).map(|n| format!("\"{n}\":{{\"type\":\"{n}\"}}")).collect();
    let many = answered(&guard, ask("5", &format!("{{{}}}", many.join(",")))).await;
    assert!(many.matches("\"reason\"").count() <= 7 && many.len() < 8192, "{many}");
}
