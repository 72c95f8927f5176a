//! Cases that fail: problems are reported at the line of the case, and at once.

use mcp_test_core::server::reference::everything;
use mcp_test_core::transport::Fault;

use super::*;

const CALL: &str = r#"
case: Says hello
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "test_simple_text", "arguments": {}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "This is a simple text response for testing."}]}}
"#;

async fn with(fault: Fault) -> String {
    Stage::of(&everything().faults([fault])).only(CALL).await
}

#[tokio::test]
async fn another_result_is_shown_at_its_place_in_the_case() {
    let fault = Fault::set("tools/call", "/content/0/text", serde_json::json!("Hello"));
    insta::assert_snapshot!(with(fault).await, @r#"
    FAILURE out the message does not match `out`: `/result/content/0/text` differs
       --> contract.yaml:4:82
        |
      4 | ...[{"type": "text", "text": "This is a simple text response for testing."}]}}
        |                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ got "Hello"
      /result/content/0/text
      - "This is a simple text response for testing."
      + "Hello"
    SUCCESS unexpected
    "#);
}

#[tokio::test]
async fn an_error_for_a_result_and_a_wrong_id_are_reported() {
    insta::assert_snapshot!(with(Fault::reply_error("tools/call", -32603)).await, @r#"
    FAILURE out the message does not match `out`: `/error` differs
       --> contract.yaml:4:44
        |
      4 | ...result": {"content": [{"type": "text", "text": "This is a simple text response for testing."}]}}
        |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ got {"code":-32603,"message":"InternalError"}, which is its `error`
      /error
      - a reply with `result`
      + {"code":-32603,"message":"InternalError"}
    SUCCESS unexpected
    "#);
    insta::assert_snapshot!(with(Fault::wrong_id("tools/call")).await, @"
    FAILURE out the reply to `tools/call` has the wrong id
      expected a response with id 2
      got id 1002, which no request has
    SUCCESS unexpected
    ");
}

#[tokio::test]
async fn a_closed_connection_and_invalid_bytes_end_the_case_at_once() {
    let text = format!(
        "{CALL}in_2: {{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"ping\"}}\nout_2: {{\"jsonrpc\": \"2.0\", \"id\": 2, \"result\": {{}}}}\n"
    );
    let report = async |fault: Fault| Stage::of(&everything().faults([fault])).only(&text).await;
    insta::assert_snapshot!(report(Fault::close_on("tools/call")).await, @"
    FAILURE out the connection ended before `tools/call` was answered
      expected a response with id 2
      got the server returned
    SUCCESS unexpected
    SKIPPED out_2 not reached: the connection ended before `tools/call` was answered
    ");
    insta::assert_snapshot!(report(Fault::truncate("tools/call")).await, @r#"
    FAILURE out the reply to `tools/call` is not an MCP message
      expected a JSON-RPC response with id 2 of MCP 2025-11-25
      got "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"text\":\"This" (not JSON: line 1, column 59: expected the end of the string that begins in line 1, column 54, found the end of the text)
    SUCCESS unexpected
    SKIPPED out_2 not reached: the reply to `tools/call` is not an MCP message
    "#);
}

#[tokio::test]
async fn silence_is_reported_with_the_awaited_message() {
    let mut stage = Stage::of(&everything().faults([Fault::never("tools/call")]));
    // The handshake has to be done by then, also on a machine that is busy.
    stage.timeout = Duration::from_secs(2);
    insta::assert_snapshot!(stage.only(CALL).await, @"
    FAILURE out `tools/call` was not answered
      expected a response with id 2 within 2 s
      got nothing at all in that time
    SUCCESS unexpected
    ");
}

#[tokio::test]
async fn the_rest_is_played_after_a_difference() {
    let text = format!(
        "{CALL}in_2: {{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"ping\"}}\nout_2: {{\"jsonrpc\": \"2.0\", \"id\": 2, \"result\": {{\"a\": 1}}}}\n"
    );
    let fault = Fault::set("tools/call", "/content/0/text", serde_json::json!("Hello"));
    insta::assert_snapshot!(Stage::of(&everything().faults([fault])).only(&text).await, @r#"
    FAILURE out the message does not match `out`: `/result/content/0/text` differs
       --> contract.yaml:4:82
        |
      4 | ...[{"type": "text", "text": "This is a simple text response for testing."}]}}
        |                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ got "Hello"
      /result/content/0/text
      - "This is a simple text response for testing."
      + "Hello"
    FAILURE out_2 the message does not match `out_2`: `/result/a` differs
       --> contract.yaml:6:52
        |
      6 | out_2: {"jsonrpc": "2.0", "id": 2, "result": {"a": 1}}
        |                                                    ^ got nothing
      /result/a
      - 1
    SUCCESS unexpected
    "#);
}

#[tokio::test]
async fn a_case_that_cannot_be_played_is_the_fault_of_its_author() {
    let report = async |text: &str| Stage::of(&everything()).only(text).await;
    let stray = r#"
case: Answers nothing
in: {"jsonrpc": "2.0", "id": 5, "result": {}}
out: {"jsonrpc": "2.0", "id": 9, "result": {}}
"#;
    insta::assert_snapshot!(report(stray).await, @"
    SUCCESS unexpected
    FAILURE out `in` answers no request of the server
      expected an `out` before it that has a `method` and the same `id`
      got none in the case (contract.yaml:3:1)
    ");
    let unasked = r#"
case: Was not asked
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
out: {"jsonrpc": "2.0", "id": 9, "result": {}}
"#;
    insta::assert_snapshot!(report(unasked).await, @"
    FAILURE out `out` answers no request
      expected an `in` before it that has the same `id` and is not answered yet
      got none in the case (contract.yaml:4:1)
    SUCCESS unexpected
    SKIPPED in not reached: `out` answers no request
    ");
    insta::assert_snapshot!(report("case: Nothing").await, @"
    FAILURE goes-on the case has no message
      expected at least one key that begins with `in` or `out`
    SKIPPED unexpected not reached: the case has no message
    ");
}

#[tokio::test]
async fn a_case_that_continues_one_that_ends_early_says_so() {
    let next = "case: Next\n_continues: true\nin: {\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"ping\"}\nout: {\"jsonrpc\": \"2.0\", \"id\": 2, \"result\": {}}\n";
    let text = format!("{CALL}---\n{next}");
    let stage = Stage::of(&everything().faults([Fault::close_on("tools/call")]));
    insta::assert_snapshot!(stage.rows(&of(&text)[1]).await, @"
    SUCCESS unexpected
    FAILURE out `contract::says-hello`, which this case continues, ends early: the connection ended before `tools/call` was answered
      expected a response with id 2
      got the server returned
    ");
}

#[tokio::test]
async fn a_value_that_is_missing_is_reported_where_it_is_used() {
    let text = format!(
        "{CALL}{}",
        r#"in_2: {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "${text}"}}
out_2: {"jsonrpc": "2.0", "id": 2, "result": {}}
_match: {out: {/result/content: ignored}}
_capture: {out: {text: /result/content/0/text}}
"#
    );
    let server = everything().faults([Fault::set("tools/call", "/content", serde_json::json!([]))]);
    insta::assert_snapshot!(Stage::of(&server).only(&text).await, @"
    FAILURE out no value to capture as `text` from `out`
      expected a value at `/result/content/0/text`
      got []
    SUCCESS unexpected
    FAILURE out_2 `in_2` cannot be sent
      got `${text}` has no value yet: it is captured from `out`, which did not contain it so far (contract.yaml:5:78)
    ");
}

#[tokio::test]
async fn an_invalid_message_is_answered_under_its_label_and_not_mistaken_for_another_request() {
    let said = "\ncase: Babbles\nin: {\"jsonrpc\": \"2.0\", \"id\": 1, \"methd\": \"ping\"}\n";
    let out = "out: {\"jsonrpc\": \"2.0\", \"id\": 1, \"error\": {\"code\": -32600, \"message\": \"no\"}}\n\
               _match: {out: {/error/message: any}}\n";
    let answered = Stage::of(&everything()).only(&format!("{said}{out}")).await;
    insta::assert_snapshot!(answered, @r"
    SUCCESS out
    SUCCESS unexpected
    ");
    let other = out.replace("-32600", "-32601");
    let answered = Stage::of(&everything()).only(&format!("{said}{other}")).await;
    assert!(answered.contains("/error/code"), "{answered}");
}
