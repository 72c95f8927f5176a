//! What the server sends apart from replies: notifications, and requests to the client.

use insta::assert_snapshot;
use serde_json::json;

use super::{TestClient, block_on, events, mock, stateless};

#[test]
fn progress_has_the_token_of_a_client_that_asked_for_it() {
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
        let mut client = TestClient::initialized(&mock).await;
        let params = json!({"name": "slow", "_meta": {"progressToken": 77}});
        let received = client.request_all("tools/call", params).await;
        assert_snapshot!(json!(received), @r#"[{"method":"notifications/progress","params":{"progress":1,"progressToken":77,"total":2}},{"method":"notifications/message","params":{"data":"x","level":"info"}},{"result":{"content":[]}}]"#);
        assert_eq!(client.receive().await["method"], "notifications/tools/list_changed");
        let received = client.request_all("tools/call", json!({"name": "slow"})).await;
        assert_eq!(received.len(), 2, "{received:?}");
    });
    assert_snapshot!(events(&mock).lines().last().unwrap(), @"notifications/progress (contract.yaml:4) was not sent: the client gave no progress token");
}

const ASKS: &str = r#"
case: Asks
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "count_roots"}}
out_request: {"jsonrpc": "2.0", "id": 1, "method": "roots/list"}
in_answer: {"jsonrpc": "2.0", "id": 1, "result": {"roots": []}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "none"}]}}
"#;

#[test]
fn the_server_sends_its_request_and_goes_on_after_any_answer() {
    let mock = mock(ASKS);
    block_on(async {
        for roots in [json!([]), json!([{"uri": "file:///x"}])] {
            let mut client = TestClient::initialized(&mock).await;
            let id = client.start_request("tools/call", json!({"name": "count_roots"})).await;
            let request = client.receive().await;
            assert_eq!((&request["method"], request.get("params")), (&json!("roots/list"), None));
            assert_ne!(request["id"], json!(1), "the id is a label");
            client
                .send(json!({"jsonrpc": "2.0", "id": request["id"], "result": {"roots": roots}}))
                .await;
            assert_eq!(client.receive().await["id"], id);
        }
    });
    assert_snapshot!(events(&mock), @r#"
    initialize ← inferred from the cases
    tools/call count_roots ← contract.yaml:3 "Asks"
    initialize ← inferred from the cases
    tools/call count_roots ← contract.yaml:3 "Asks"
    roots/list ← contract.yaml:5 "Asks": the client's answer differs: /result/roots/0: expected nothing, got {"uri":"file:///x"}
    "#);
    assert!(mock.unused().is_empty());
}

#[test]
fn a_request_of_the_server_may_follow_a_notification() {
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
        let mut client = TestClient::initialized(&mock).await;
        let request = client.receive().await;
        assert_eq!(request["method"], "roots/list");
        let roots = json!({"roots": [{"uri": "file:///home"}]});
        client.send(json!({"jsonrpc": "2.0", "id": request["id"], "result": roots})).await;
        assert_eq!(client.receive().await["params"]["data"], "file:///home");
        assert_eq!(client.call("root", json!({})).await, "file:///home");
    });
}

#[test]
fn the_server_may_send_the_first_message() {
    let mock = mock(
        r#"
case: Tells at once
out: {"jsonrpc": "2.0", "method": "notifications/resources/list_changed"}
"#,
    );
    assert_eq!(mock.unused().len(), 1);
    block_on(async {
        let mut client = TestClient::initialized(&mock).await;
        assert_eq!(client.receive().await["method"], "notifications/resources/list_changed");
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
        let mut client = TestClient::initialized(&mock).await;
        let id = client.start_request("tools/call", json!({"name": "slow"})).await;
        client.notify("notifications/cancelled", json!({"requestId": id})).await;
        let pong = client.start_request("ping", json!({})).await;
        assert_eq!(client.receive().await["id"], pong);
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
        let mut client = TestClient::initialized(&mock).await;
        assert_snapshot!(client.call("later", json!({})).await, @r#"{"error":{"code":-32603,"message":"contract.yaml:3: the case has no `out` that answers this request"}}"#);
    });
}

#[test]
fn errors_are_sent_as_the_case_has_them() {
    let mock = mock(
        r#"
case: Unknown tool
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "nope"}}
out: {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "Unknown tool: nope", "data": [1]}}
"#,
    );
    block_on(async {
        let mut client = TestClient::initialized(&mock).await;
        assert_snapshot!(client.call("nope", json!({})).await, @r#"{"error":{"code":-32602,"data":[1],"message":"Unknown tool: nope"}}"#);
    });
}

#[test]
fn a_subscription_has_the_id_of_the_client_and_stays_open() {
    let mock = mock(
        r#"
case: Listens
in: {"jsonrpc": "2.0", "id": 5, "method": "subscriptions/listen", "params": {"notifications": {"toolsListChanged": true}}}
out_acknowledged: {"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {"notifications": {"toolsListChanged": true}, "_meta": {"io.modelcontextprotocol/subscriptionId": 5}}}
out_changed: {"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {"_meta": {"io.modelcontextprotocol/subscriptionId": 5}}}
"#,
    );
    block_on(async {
        let mut client = TestClient::connect(&mock);
        let wanted = json!({"notifications": {"toolsListChanged": true}});
        let id = client.start_request("subscriptions/listen", stateless(wanted)).await;
        for method in
            ["notifications/subscriptions/acknowledged", "notifications/tools/list_changed"]
        {
            let received = client.receive().await;
            assert_eq!(received["method"], method);
            assert_eq!(received["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
        }
        client.disconnect().await;
    });
}

#[test]
fn another_case_with_the_answer_of_the_client_takes_over() {
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
        let mut client = TestClient::initialized(&mock).await;
        for action in ["decline", "decline", "accept", "cancel"] {
            let params = json!({"name": "ask", "_meta": {"progressToken": "mine"}});
            let id = client.start_request("tools/call", params).await;
            let request = client.receive().await;
            let result = json!({ "action": action });
            client.send(json!({"jsonrpc": "2.0", "id": request["id"], "result": result})).await;
            assert_eq!(client.receive().await["params"]["progressToken"], "mine");
            let reply = client.receive().await;
            let text = format!("so you {action}");
            assert_eq!(
                (&reply["id"], &reply["result"]["content"][0]["text"]),
                (&json!(id), &json!(text))
            );
        }
    });
    assert!(mock.unused().is_empty());
    assert!(!events(&mock).contains("otherwise"), "{}", events(&mock));
}
