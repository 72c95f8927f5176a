//! Failures of assertions about any reply: results and refusals.

use super::*;
use crate::expect::{object, string};

#[test]
fn replies() {
    let ping = || reply("ping", json!({"result": {"a": [1]}}));
    insta::assert_snapshot!(message(reply("ping", refused()).try_ok()), @"
    `ping` was refused
      expected a result
      got error -32602: Unknown tool: add
    ");
    insta::assert_snapshot!(message(ping().try_result(object().and_nothing_else())), @"
    the result of `ping` is not as expected
      expected `/a` is absent
      got [1]
    ");
    insta::assert_snapshot!(message(ping().try_member("/a/0", string())), @"
    the result of `ping` is not as expected
      expected `/a/0` is a string
      got 1, which is a number
    ");
    insta::assert_snapshot!(message(ping().try_member("/b", string())), @"
    the result of `ping` is not as expected
      expected `/b` is a string
      got nothing
    ");
    insta::assert_snapshot!(message(ping().try_no_member("/a")), @"
    the result of `ping` is not as expected
      expected no value at `/a`
      got [1]
    ");
    let finding = ping().try_member("a", string()).expect_err("no pointer");
    assert_eq!(finding.blame, Blame::Test);
    insta::assert_snapshot!(finding, @r#"
    the test uses an invalid JSON pointer
      expected a JSON pointer, such as `/content/0/text`; the empty one is the whole result
      got "a"
    "#);
}

#[test]
fn errors() {
    let refused = || reply("tools/call", refused());
    insta::assert_snapshot!(message(texts(["3"]).try_error()), @r#"
    `tools/call` was not refused
      expected a JSON-RPC error
      got the result {"content":[{"text":"3","type":"text"}]}
    "#);
    let failed = || call(json!({"result": {"isError": true, "content": []}}));
    insta::assert_snapshot!(message(failed().try_error_code(-32602)), @r#"
    `tools/call` was not refused
      expected a JSON-RPC error
      got the result {"content":[],"isError":true}
      hint: the tool reported an error in its result; use `assert_tool_error`
    "#);
    let asks = call(json!({"result": {"resultType": "input_required", "requestState": "1"}}));
    insta::assert_snapshot!(message(asks.try_error()), @r#"
    `tools/call` was not refused
      expected a JSON-RPC error
      got the result {"requestState":"1","resultType":"input_required"}
      hint: the server asks for input before it decides; the handlers of the test answer it
    "#);
    insta::assert_snapshot!(message(refused().try_error_code(-32601)), @r#"
    `tools/call` was refused with an unexpected error
      expected error code -32601 (MethodNotFound)
      got error code -32602 (InvalidParams): "Unknown tool: add"
    "#);
    insta::assert_snapshot!(message(refused().try_error_code(7)), @r#"
    `tools/call` was refused with an unexpected error
      expected error code 7
      got error code -32602 (InvalidParams): "Unknown tool: add"
    "#);
    insta::assert_snapshot!(message(refused().try_error_message("no such tool")), @r#"
    `tools/call` was refused with an unexpected error
      expected an error whose message contains "no such tool"
      got error code -32602 (InvalidParams): "Unknown tool: add"
    "#);
    insta::assert_snapshot!(message(refused().try_error_data(object().member("known", string()))), @r#"
    `tools/call` was refused with an unexpected error
      expected `/error/data/known` is a string
      got ["sub"], which is an array
    "#);
    refused().assert_error_data(object());
}
