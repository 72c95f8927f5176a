//! What the server says beside its replies: notifications, and requests to the client.

use insta::assert_snapshot;
use serde_json::json;

use super::{Talk, block_on, mock, stateless, told};

#[test]
fn news_of_progress_carries_the_token_of_the_client_that_wants_it() {
    let mock = mock(
        r#"
case: Slow
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "slow", "_meta": {"progressToken": "p"}}}
out_half: {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": "p", "progress": 1, "total": 2}}
out_log: {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}
out_after: {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
"#,
    );
    block_on(async {
        let mut talk = Talk::begin(&mock).await;
        let params = json!({"name": "slow", "_meta": {"progressToken": 77}});
        let said = talk.ask_all("tools/call", params).await;
        assert_snapshot!(json!(said), @r#"[{"method":"notifications/progress","params":{"progress":1,"progressToken":77,"total":2}},{"method":"notifications/message","params":{"data":"x","level":"info"}},{"result":{"content":[]}}]"#);
        assert_eq!(talk.hear().await["method"], "notifications/tools/list_changed");
        let said = talk.ask_all("tools/call", json!({"name": "slow"})).await;
        assert_eq!(said.len(), 2, "{said:?}");
    });
    assert_snapshot!(told(&mock).lines().last().unwrap(), @"notifications/progress (contract.yaml:4) was not said: the client gave no progress token");
}

const ASKS: &str = r#"
case: Asks
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "count_roots"}}
out_request: {"jsonrpc": "2.0", "id": 1, "method": "roots/list"}
in_answer: {"jsonrpc": "2.0", "id": 1, "result": {"roots": []}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "none"}]}}
"#;

#[test]
fn the_server_asks_and_goes_on_whatever_is_answered() {
    let mock = mock(ASKS);
    block_on(async {
        for roots in [json!([]), json!([{"uri": "file:///x"}])] {
            let mut talk = Talk::begin(&mock).await;
            let id = talk.put("tools/call", json!({"name": "count_roots"})).await;
            let asked = talk.hear().await;
            assert_eq!((&asked["method"], asked.get("params")), (&json!("roots/list"), None));
            assert_ne!(asked["id"], json!(1), "the id is a label");
            talk.say(json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": roots}}))
                .await;
            assert_eq!(talk.hear().await["id"], id);
        }
    });
    assert_snapshot!(told(&mock), @r#"
    initialize ← made of what the cases show
    tools/call count_roots ← contract.yaml:3 "Asks"
    initialize ← made of what the cases show
    tools/call count_roots ← contract.yaml:3 "Asks"
    roots/list ← contract.yaml:5 "Asks": the client answered otherwise: /result/roots/0: expected nothing, got {"uri":"file:///x"}
    "#);
    assert!(mock.unused().is_empty());
}

#[test]
fn what_follows_a_notification_may_be_a_request_too() {
    let mock = mock(
        r#"
case: Looks at the roots
in: {"jsonrpc": "2.0", "method": "notifications/initialized"}
out: {"jsonrpc": "2.0", "id": "r", "method": "roots/list"}
in_answer: {"jsonrpc": "2.0", "id": "r", "result": {"roots": [{"uri": "file:///x"}]}}
_capture: {in_answer: {root: /result/roots/0/uri}}
out_log: {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "${root}"}}
in_call: {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "root"}}
out_call: {"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "${root}"}]}}
"#,
    );
    block_on(async {
        let mut talk = Talk::begin(&mock).await;
        let asked = talk.hear().await;
        assert_eq!(asked["method"], "roots/list");
        let roots = json!({"roots": [{"uri": "file:///home"}]});
        talk.say(json!({"jsonrpc": "2.0", "id": asked["id"], "result": roots})).await;
        assert_eq!(talk.hear().await["params"]["data"], "file:///home");
        assert_eq!(talk.call("root", json!({})).await, "file:///home");
    });
}

#[test]
fn a_conversation_may_open_with_the_server() {
    let mock = mock(
        r#"
case: Tells at once
out: {"jsonrpc": "2.0", "method": "notifications/resources/list_changed"}
"#,
    );
    assert_eq!(mock.unused().len(), 1);
    block_on(async {
        let mut talk = Talk::begin(&mock).await;
        assert_eq!(talk.hear().await["method"], "notifications/resources/list_changed");
    });
    assert!(mock.unused().is_empty());
}

#[test]
fn a_request_that_the_case_cancels_is_not_answered() {
    let mock = mock(
        r#"
case: Cancelled
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "slow"}}
in_cancel: {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "reason": "no time"}}
"#,
    );
    block_on(async {
        let mut talk = Talk::begin(&mock).await;
        let id = talk.put("tools/call", json!({"name": "slow"})).await;
        talk.tell("notifications/cancelled", json!({"requestId": id})).await;
        let pong = talk.put("ping", json!({})).await;
        assert_eq!(talk.hear().await["id"], pong);
    });
    assert!(mock.unused().is_empty());
}

#[test]
fn a_request_without_a_reply_in_its_case_is_refused() {
    let mock = mock(
        r#"
case: A sketch
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "later"}}
"#,
    );
    block_on(async {
        let mut talk = Talk::begin(&mock).await;
        assert_snapshot!(talk.call("later", json!({})).await, @r#"{"error":{"code":-32603,"message":"contract.yaml:3: the case has no `out` that answers this request"}}"#);
    });
}

#[test]
fn errors_are_said_as_they_stand() {
    let mock = mock(
        r#"
case: Unknown tool
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "nope"}}
out: {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "Unknown tool: nope", "data": [1]}}
"#,
    );
    block_on(async {
        let mut talk = Talk::begin(&mock).await;
        assert_snapshot!(talk.call("nope", json!({})).await, @r#"{"error":{"code":-32602,"data":[1],"message":"Unknown tool: nope"}}"#);
    });
}

#[test]
fn a_subscription_of_a_case_carries_the_id_of_the_client_and_stays_open() {
    let mock = mock(
        r#"
case: Listens
in: {"jsonrpc": "2.0", "id": 5, "method": "subscriptions/listen", "params": {"notifications": {"toolsListChanged": true}}}
out_acknowledged: {"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {"notifications": {"toolsListChanged": true}, "_meta": {"io.modelcontextprotocol/subscriptionId": 5}}}
out_changed: {"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {"_meta": {"io.modelcontextprotocol/subscriptionId": 5}}}
"#,
    );
    block_on(async {
        let mut talk = Talk::connect(&mock);
        let wanted = json!({"notifications": {"toolsListChanged": true}});
        let id = talk.put("subscriptions/listen", stateless(wanted)).await;
        for method in
            ["notifications/subscriptions/acknowledged", "notifications/tools/list_changed"]
        {
            let heard = talk.hear().await;
            assert_eq!(heard["method"], method);
            assert_eq!(heard["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
        }
        talk.leave().await;
    });
}

#[test]
fn another_case_goes_on_that_has_the_answer_of_the_client() {
    let mut text = String::new();
    for (id, action) in [(1, "accept"), (5, "decline"), (9, "cancel")] {
        text += &format!(
            r#"---
case: {action}
in: {{"jsonrpc": "2.0", "id": {id}, "method": "tools/call", "params": {{"name": "ask", "_meta": {{"progressToken": {id}}}}}}}
out_request: {{"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": {{"message": "?", "requestedSchema": {{"type": "object", "properties": {{}}}}}}}}
in_answer: {{"jsonrpc": "2.0", "id": "q", "result": {{"action": "{action}"}}}}
out_progress: {{"jsonrpc": "2.0", "method": "notifications/progress", "params": {{"progressToken": {id}, "progress": 1}}}}
out: {{"jsonrpc": "2.0", "id": {id}, "result": {{"content": [{{"type": "text", "text": "so you {action}"}}]}}}}
"#
        );
    }
    let mock = mock(&text);
    block_on(async {
        let mut talk = Talk::begin(&mock).await;
        for action in ["decline", "decline", "accept", "cancel"] {
            let params = json!({"name": "ask", "_meta": {"progressToken": "mine"}});
            let id = talk.put("tools/call", params).await;
            let asked = talk.hear().await;
            let result = json!({ "action": action });
            talk.say(json!({"jsonrpc": "2.0", "id": asked["id"], "result": result})).await;
            assert_eq!(talk.hear().await["params"]["progressToken"], "mine");
            let reply = talk.hear().await;
            let text = format!("so you {action}");
            assert_eq!(
                (&reply["id"], &reply["result"]["content"][0]["text"]),
                (&json!(id), &json!(text))
            );
        }
    });
    assert!(mock.unused().is_empty());
    assert!(!told(&mock).contains("otherwise"), "{}", told(&mock));
}
