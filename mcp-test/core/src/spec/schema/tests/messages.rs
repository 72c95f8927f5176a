//! Each message is validated against the definition that applies to it.

use serde_json::json;

use crate::spec::Revision;
use crate::spec::schema::{Authority, Schemas, Violation};
use crate::wire::Message;

const OLD: Revision = Revision::V2025_03_26;
const LATE: Revision = Revision::V2025_11_25;
const NEW: Revision = Revision::V2026_07_28;

/// The violations of a value; checks that they are the same for the parsed message, if it can be parsed.
fn violations(revision: Revision, answers: Option<&str>, message: serde_json::Value) -> String {
    let schemas = Schemas::ours();
    let message = message.into();
    let lines = |found: Vec<_>| {
        let lines = found.iter().map(|it: &Violation| format!("{it} ({})", it.shape));
        lines.collect::<Vec<_>>().join("\n")
    };
    let found = lines(schemas.validate_value(&message, answers, revision, Authority::Text));
    if let Ok(read) = Message::read(&message) {
        assert_eq!(lines(schemas.validate(&read, answers, revision, Authority::Text)), found);
    }
    found
}

fn definition_for(revision: Revision, answers: Option<&str>, message: serde_json::Value) -> String {
    let message = Message::read(&message.into()).unwrap();
    let found = Schemas::ours().definition_for(&message, answers, revision, Authority::Text);
    found.map_or_else(|| "nothing".to_owned(), |definition| definition.name().to_owned())
}

#[test]
fn requests_and_notifications_are_validated_by_their_method() {
    let call =
        |params| json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    insta::assert_snapshot!(violations(OLD, None, call(json!({"name": 5}))), @"expected `/params/name` is a string, got 5, which is a number (CallToolRequestParams)");
    insta::assert_snapshot!(violations(OLD, None, json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call"})), @"expected `/params` is a CallToolRequestParams, got nothing (CallToolRequest)");
    insta::assert_snapshot!(violations(NEW, None, call(json!({"name": "add"}))), @"expected `/params/_meta` is a RequestMetaObject, got nothing (CallToolRequestParams)");
    insta::assert_snapshot!(violations(LATE, None, json!({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "add"}})), @"expected `/id` is a string or an integer, got nothing (CallToolRequest)");
    insta::assert_snapshot!(violations(LATE, None, json!({"jsonrpc": "2.0", "id": null, "method": "ping"})), @"expected `/id` is a string or an integer, got null (RequestId)");
    insta::assert_snapshot!(violations(LATE, None, json!({"jsonrpc": "2.0", "id": 1, "method": "x/y", "params": []})), @"expected `/params` is an object, got [], which is an empty array (RequestParams)");
    for revision in [OLD, LATE, NEW] {
        let unknown =
            json!({"jsonrpc": "2.0", "method": "notifications/x", "params": {"_meta": 7}});
        insta::allow_duplicates! {
            insta::assert_snapshot!(violations(revision, None, unknown), @"expected `/params/_meta` is an object, got 7, which is a number (NotificationMetaObject)");
        }
    }
    assert_eq!(
        violations(
            LATE,
            None,
            json!({"jsonrpc": "2.0", "id": 1, "method": "x/y", "params": {"a": 1}})
        ),
        ""
    );
    assert_eq!(violations(LATE, None, json!({"jsonrpc": "2.0", "method": "notifications/x"})), "");
}

#[test]
fn an_acknowledgement_names_its_subscription() {
    let acknowledged = |meta| {
        json!({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
            "params": {"_meta": meta, "notifications": {}}})
    };
    let key = "io.modelcontextprotocol/subscriptionId";
    insta::assert_snapshot!(violations(NEW, None, acknowledged(json!({}))), @"expected `/params/_meta/io.modelcontextprotocol~1subscriptionId` is a string or an integer, got nothing (SubscriptionsAcknowledgedNotificationMetaObject)");
    assert_eq!(violations(NEW, None, acknowledged(json!({key: 1}))), "");
    // Whether another notification was sent on such a stream cannot be seen in it.
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    assert_eq!(violations(NEW, None, changed), "");
}

#[test]
fn a_method_determines_whether_there_is_an_id() {
    let call = json!({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "add"}});
    insta::assert_snapshot!(violations(OLD, None, call), @"expected `/id` is a string or an integer, got nothing (JSONRPCRequest)");
    let initialized = json!({"jsonrpc": "2.0", "id": 3, "method": "notifications/initialized"});
    for revision in [OLD, LATE] {
        assert_eq!(
            violations(revision, None, initialized.clone()),
            "expected `/id` is absent in a notification, got 3 (JSONRPCNotification)"
        );
    }
    let initialized = Message::read(&initialized.into()).unwrap();
    assert_eq!(Schemas::ours().validate(&initialized, None, LATE, Authority::Schema), []);
}

#[test]
fn results_are_validated_by_the_method_they_answer() {
    let result = |result| json!({"jsonrpc": "2.0", "id": 1, "result": result});
    insta::assert_snapshot!(violations(LATE, Some("tools/list"), result(json!({}))), @"expected `/result/tools` is an array of Tools, got nothing (ListToolsResult)");
    insta::assert_snapshot!(violations(NEW, Some("tools/call"), result(json!({"content": []}))), @"expected `/result/resultType` is a string, got nothing (CallToolResult)");
    insta::assert_snapshot!(violations(NEW, Some("tools/call"), result(json!({"resultType": "input_required", "inputRequests": []}))), @"expected `/result/inputRequests` is an object, got [], which is an empty array (InputRequests)");
    insta::assert_snapshot!(violations(NEW, Some("tools/call"), result(json!({"resultType": "input_required"}))), @r#"expected `/result` is an InputRequiredResult with `inputRequests` or `requestState`, got {"resultType":"input_required"} (InputRequiredResult)"#);
    insta::assert_snapshot!(violations(NEW, Some("tools/call"), result(json!({"resultType": "input_required", "inputRequests": {"a": {"method": "ping"}}, "requestState": 5}))), @r#"
    expected `/result/requestState` is a string, got 5, which is a number (InputRequiredResult)
    expected `/result/inputRequests/a/method` is "sampling/createMessage", "roots/list" or "elicitation/create", got "ping" (InputRequest)
    "#);
    insta::assert_snapshot!(violations(NEW, Some("tools/call"), result(json!({"resultType": "input_required", "inputRequests": {"a": {}}, "requestState": "s"}))), @r#"expected `/result/inputRequests/a/method` is "sampling/createMessage", "roots/list" or "elicitation/create", got nothing (InputRequest)"#);
    assert_eq!(
        violations(
            NEW,
            Some("tools/call"),
            result(json!({"resultType": "input_required", "requestState": "s"}))
        ),
        ""
    );
    insta::assert_snapshot!(violations(LATE, Some("tools/call"), result(json!({"task": {"taskId": 1}}))), @r#"
    expected `/result/task/status` is "working", "input_required", "completed", "failed" or "cancelled", got nothing (Task)
    expected `/result/task/createdAt` is a string, got nothing (Task)
    expected `/result/task/lastUpdatedAt` is a string, got nothing (Task)
    expected `/result/task/ttl` is an integer or null, got nothing (Task)
    expected `/result/task/taskId` is a string, got 1, which is a number (Task)
    "#);
    assert_eq!(violations(NEW, Some("tools/call"), result(json!({"resultType": "task"}))), "");
    assert_eq!(violations(LATE, None, result(json!({"x": 1}))), "");
    assert_eq!(violations(LATE, Some("x/y"), result(json!({"x": 1}))), "");
    assert_eq!(
        definition_for(LATE, Some("tools/call"), result(json!({"content": [], "task": {}}))),
        "CallToolResult"
    );
    assert_eq!(
        definition_for(LATE, Some("tools/call"), result(json!({"task": {}}))),
        "CreateTaskResult"
    );
    assert_eq!(
        definition_for(NEW, Some("tools/call"), result(json!({"resultType": "task"}))),
        "nothing"
    );
}

#[test]
fn errors_are_validated_by_their_code() {
    let error = |code, data| json!({"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": "No", "data": data}});
    insta::assert_snapshot!(violations(NEW, None, error(-32022, json!({"supported": "2026-07-28"}))), @r#"
    expected `/error/data/requested` is a string, got nothing (UnsupportedProtocolVersionError)
    expected `/error/data/supported` is an array of strings, got "2026-07-28", which is a string (UnsupportedProtocolVersionError)
    "#);
    insta::assert_snapshot!(violations(LATE, None, error(-32042, json!({}))), @"expected `/error/data/elicitations` is an array of ElicitRequestURLParams, got nothing (URLElicitationRequiredError)");
    insta::assert_snapshot!(violations(OLD, None, json!({"jsonrpc": "2.0", "id": 1, "error": {"code": "x"}})), @r#"
    expected `/error/message` is a string, got nothing (Error)
    expected `/error/code` is an integer, got "x", which is a string (Error)
    "#);
    assert_eq!(violations(OLD, None, error(-32022, json!({}))), "");
    assert_eq!(definition_for(NEW, None, error(-32700, json!(null))), "ParseError");
    assert_eq!(definition_for(NEW, None, error(7, json!(null))), "JSONRPCErrorResponse");
}

#[test]
fn values_that_are_not_messages_and_batches() {
    insta::assert_snapshot!(violations(LATE, None, json!({"jsonrpc": "2.0", "id": 1})), @r#"expected the value is a request, a notification or a response, got {"id":1,"jsonrpc":"2.0"}, which is an object (JSONRPCMessage)"#);
    insta::assert_snapshot!(violations(LATE, None, json!([{"jsonrpc": "2.0", "method": "notifications/x"}])), @r#"expected the value is a request, a notification or a response, got [{"jsonrpc":"2.0","method":"notifications/x"}], which is an array (JSONRPCMessage)"#);
    insta::assert_snapshot!(violations(OLD, None, json!([{"jsonrpc": "2.0", "method": "notifications/x"}, {"jsonrpc": "2.0", "id": true, "method": "ping"}])), @"expected `/1/id` is a string or an integer, got true, which is a boolean (RequestId)");
}
