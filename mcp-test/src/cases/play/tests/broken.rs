//! What goes wrong is told at the case's own line, and at once.

use super::*;
use crate::server::reference::everything;
use crate::transport::Fault;

const CALL: &str = r#"
case: Says hello
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "test_simple_text", "arguments": {}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "This is a simple text response for testing."}]}}
"#;

async fn with(fault: Fault) -> String {
    Stage::of(&everything().faults([fault])).only(CALL).await
}

#[tokio::test]
async fn another_result_is_shown_where_the_case_has_it() {
    let fault = Fault::set("tools/call", "/content/0/text", serde_json::json!("Hello"));
    insta::assert_snapshot!(with(fault).await, @r#"
    FAILURE out `out` is not what came (contract.yaml:4:1)
      got /result/content/0/text: expected "This is a simple text response for testing.", got "Hello"
    SUCCESS unexpected
    "#);
}

#[tokio::test]
async fn an_error_for_a_result_and_a_wrong_id_are_told() {
    insta::assert_snapshot!(with(Fault::reply_error("tools/call", -32603)).await, @r#"
    FAILURE out `out` is not what came (contract.yaml:4:1)
      got /error: expected a reply with `result`, got {"code":-32603,"message":"InternalError"}, which is its `error`
    SUCCESS unexpected
    "#);
    insta::assert_snapshot!(with(Fault::wrong_id("tools/call")).await, @"
    FAILURE out the reply to `tools/call` has the wrong id
      expected a response with id 2
      got id 1002, which no request has
    SUCCESS unexpected
    ");
}
