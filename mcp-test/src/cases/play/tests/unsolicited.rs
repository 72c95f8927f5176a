//! Unsolicited messages of the server.

use mcp_test_core::server::reference::everything;
use mcp_test_core::transport::Fault;

use super::*;

const SAMPLING: &str = r#"
case: Asks a model
in: {"jsonrpc": "2.0", "method": "tools/call", "id": 7, "params": {"name": "test_sampling", "arguments": {"prompt": "Hi"}}}
out_asks: {"jsonrpc": "2.0", "id": "s", "method": "sampling/createMessage", "params": {"messages": [{"role": "user", "content": {"type": "text", "text": "Hi"}}], "maxTokens": 100}}
in_answer: {"jsonrpc": "2.0", "id": "s", "result": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Ho"}}}
out: {"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text", "text": "LLM response: Ho"}]}}
"#;

const PROGRESS: &str = r#"
case: Reports progress
in: {"jsonrpc": "2.0", "method": "tools/call", "id": 1, "params": {"name": "test_tool_with_progress", "_meta": {"progressToken": "t"}}}
out_begun: {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": "t", "progress": 0, "total": 100}}
out_half: {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": "t", "progress": 50, "total": 100}}
out_done: {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": "t", "progress": 100, "total": 100}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "Tool with progress executed successfully"}]}}
"#;

const CHANGE: &str = r#"
case: Tells that its tools have changed
in: {"jsonrpc": "2.0", "method": "tools/call", "id": 1, "params": {"name": "test_trigger_tool_change"}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "Told that the list of tools has changed"}]}}
out_changed: {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
"#;

const ROUNDS: &str = r#"
case: Asks for input
in: {"jsonrpc": "2.0", "method": "tools/call", "id": 1, "params": {"name": "test_sampling", "arguments": {"prompt": "Hi"}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"resultType": "input_required", "inputRequests": {"sampling": {"method": "sampling/createMessage", "params": {}}}}}
in_again: {"jsonrpc": "2.0", "method": "tools/call", "id": 2, "params": {"name": "test_sampling", "arguments": {"prompt": "Hi"}, "inputResponses": {"sampling": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Ho"}}}}}
out_again: {"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "LLM response: Ho"}]}}
_match: {out: contains}
"#;

const LISTEN: &str = r#"
case: Listens
in: {"jsonrpc": "2.0", "method": "subscriptions/listen", "id": "l", "params": {"notifications": {"toolsListChanged": true}}}
out_acknowledged: {"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {"notifications": {"toolsListChanged": true}, "_meta": {"io.modelcontextprotocol/subscriptionId": "l"}}}
in_change: {"jsonrpc": "2.0", "method": "tools/call", "id": 1, "params": {"name": "test_trigger_tool_change"}}
out_changed: {"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {"_meta": {"io.modelcontextprotocol/subscriptionId": "l"}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "Told that the list of tools has changed"}]}}
"#;

/// Plays a case over every transport of the reference server, and wants nothing but successes.
async fn passes(text: &str, revision: Revision) {
    let stage = Stage::of(&everything()).at(revision);
    for transport in stage.target.transports() {
        let rows = stage.clone().over(transport).only(text).await;
        let is_good = |row: &str| row.starts_with("SUCCESS ");
        assert!(rows.lines().all(is_good), "{revision} over {transport}:\n{rows}");
    }
}

#[tokio::test]
async fn a_request_of_the_server_is_answered_by_the_case() {
    passes(SAMPLING, Revision::V2025_11_25).await;
    passes(SAMPLING, Revision::V2024_11_05).await;
}

#[tokio::test]
async fn notifications_are_awaited_on_every_stream() {
    for revision in [Revision::V2025_06_18, Revision::V2025_11_25] {
        passes(PROGRESS, revision).await;
        passes(CHANGE, revision).await;
    }
    passes(PROGRESS, Revision::NEWEST).await;
}

#[tokio::test]
async fn input_rounds_and_subscriptions_are_messages_like_others() {
    passes(ROUNDS, Revision::NEWEST).await;
    passes(LISTEN, Revision::NEWEST).await;
}

#[tokio::test]
async fn an_unexpected_request_is_refused_and_reported() {
    let roots = serde_json::json!({"jsonrpc": "2.0", "id": "r", "method": "roots/list"});
    let server = everything().faults([Fault::stray("tools/call", roots)]);
    insta::assert_snapshot!(Stage::of(&server).only(SAMPLING).await, @"
    SUCCESS out_asks
    SUCCESS out
    FAILURE unexpected the server sends requests that are not in the case
      expected nothing that is not in the case
      got the request `roots/list`
      hint: to expect it, add an `out` with its `method` and an `id`, and an `in` with the same `id` that answers it
    ");
}

#[tokio::test]
async fn an_unexpected_notification_is_reported_and_a_failure_if_strict() {
    let text = CHANGE.replace("out_changed:", "_note:");
    let stage = Stage::of(&everything());
    insta::assert_snapshot!(stage.only(&text).await, @"
    SUCCESS out
    INFO unexpected the server also sent `notifications/tools/list_changed`, which is not in the case
    ");
    insta::assert_snapshot!(stage.strictly().only(&text).await, @"
    SUCCESS out
    FAILURE unexpected the server sends notifications that are not in the case
      expected nothing that is not in the case
      got `notifications/tools/list_changed`
    ");
}

#[tokio::test]
async fn a_request_that_differs_is_shown_and_still_answered() {
    let text = SAMPLING.replace("\"maxTokens\": 100", "\"maxTokens\": 7");
    insta::assert_snapshot!(Stage::of(&everything()).only(&text).await, @r#"
    FAILURE out_asks the message does not match `out_asks`: `/params/maxTokens` differs
       --> contract.yaml:4:176
        |
      4 | ...": {"type": "text", "text": "Hi"}}], "maxTokens": 7}}
        |                                                      ^ got 100
      /params/maxTokens
      - 7
      + 100
    SUCCESS out
    SUCCESS unexpected
    "#);
}

#[tokio::test]
async fn late_and_missing_messages_are_reported_at_once() {
    let text = PROGRESS.replace("\"progress\": 50", "\"progress\": 51");
    insta::assert_snapshot!(Stage::of(&everything()).only(&text).await, @r#"
    SUCCESS out_begun
    FAILURE out_half the message does not match `out_half`: `/params/progress` differs
       --> contract.yaml:5:111
        |
      5 | ...ss", "params": {"progressToken": "t", "progress": 51, "total": 100}}
        |                                                      ^^ got 50
      /params/progress
      - 51
      + 50
    SUCCESS out_done
    SUCCESS out
    SUCCESS unexpected
    "#);
    let text = PROGRESS.replace("out_half: ", "out_log: ").replace(
        r#""method": "notifications/progress", "params": {"progressToken": "t", "progress": 50, "total": 100}"#,
        r#""method": "notifications/message", "params": {"level": "info", "data": 1}"#,
    );
    insta::assert_snapshot!(Stage::of(&everything()).only(&text).await, @"
    SUCCESS out_begun
    FAILURE out_log the server did not send the notification `notifications/message`
      expected `out_log` of the case (contract.yaml:5:1), before the reply to `tools/call`
      got the reply, and before it `notifications/progress` and `notifications/progress`
    SUCCESS out_done
    SUCCESS out
    INFO unexpected the server also sent `notifications/progress`, which is not in the case
    ");
    let text = SAMPLING.replace("test_sampling", "test_simple_text");
    insta::assert_snapshot!(Stage::of(&everything()).only(&text).await, @"
    FAILURE out_asks the server did not send the request `sampling/createMessage`
      expected `out_asks` of the case (contract.yaml:4:1), before the reply to `tools/call`
      got the reply, and before it nothing similar
    SUCCESS unexpected
    SKIPPED out not reached: the server did not send the request `sampling/createMessage`
    ");
}
