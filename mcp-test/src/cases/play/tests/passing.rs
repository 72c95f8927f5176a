//! Cases that pass on a correct server, however they are written.

use mcp_test_core::json::Value;
use mcp_test_core::server::reference::everything;
use mcp_test_core::transport::Fault;

use super::*;

/// A call, as the reference server answers it.
const CALL: &str = r#"
case: Says hello
in: {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "test_simple_text", "arguments": {}}}
out: {"jsonrpc": "2.0", "id": "a", "result": {"content": [{"type": "text", "text": "This is a simple text response for testing."}]}}
"#;

#[tokio::test]
async fn a_case_without_a_handshake_gets_one_in_either_era_and_over_every_transport() {
    let stage = Stage::of(&everything());
    for revision in Revision::ALL {
        for transport in stage.target.transports() {
            let rows = stage.clone().at(revision).over(transport).only(CALL).await;
            assert_eq!(rows, "SUCCESS out\nSUCCESS unexpected", "{revision} over {transport}");
        }
    }
}

#[tokio::test]
async fn a_case_with_a_handshake_continues_at_the_agreed_revision() {
    let text = r#"
case: Initialization lifecycle
in_request_to_initialize: {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "case", "version": "1"}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-06-18"}}
in_notification_initialized: {"jsonrpc": "2.0", "method": "notifications/initialized"}
in_list: {"jsonrpc": "2.0", "method": "tools/list", "id": 1}
out_list: {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}
_match: {out: contains, out_list: contains}
"#;
    let scenario = of(text).remove(0);
    assert!(scenario.opens);
    assert_eq!(scenario.revisions.to_string(), "2025-06-18");
    let stage = Stage::of(&everything()).at(Revision::V2025_06_18);
    for transport in stage.target.transports() {
        let ended = stage.clone().over(transport).play(&scenario).await;
        let rows: Vec<&str> = ended.checks.iter().map(|it| it.status.as_str()).collect();
        assert_eq!(rows, ["SUCCESS"; 3], "{transport}: {:#?}", ended.checks);
        assert_eq!(ended.judgement.envelopes, [], "{transport}");
        let handshakes = ended.trace.messages().filter(|(_, it)| it.method() == Some("initialize"));
        assert_eq!(handshakes.count(), 1);
    }
}

#[tokio::test]
async fn additions_of_an_era_are_tolerated_unless_strict() {
    let stage = Stage::of(&everything()).at(Revision::NEWEST);
    assert_eq!(stage.only(CALL).await, "SUCCESS out\nSUCCESS unexpected");
    let strict = stage.strictly().only(CALL).await;
    assert!(strict.contains("/result/resultType"), "{strict}");
}

#[tokio::test]
async fn requests_may_be_pending_together_and_be_answered_in_any_order() {
    let text = r#"
case: Two at once
in_1: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add", "arguments": {"a": 1, "b": 2}}}
in_2: {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "add", "arguments": {"a": 3, "b": 4}}}
out_2: {"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "7"}]}}
out_1: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "3"}]}}
"#;
    let stage = Stage::of(&everything());
    for transport in stage.target.transports() {
        let rows = stage.clone().over(transport).only(text).await;
        assert_eq!(rows, "SUCCESS out_2\nSUCCESS out_1\nSUCCESS unexpected", "{transport}");
    }
}

#[tokio::test]
async fn values_are_captured_and_given_and_a_case_continues_another() {
    let text = r#"
case: Adds
_inputs: [{name: first, default: 1}]
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add", "arguments": {"a": "${first}", "b": 2}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "${sum}"}]}}
_match: {out: {/result/content/0/text: any}}
_capture: {out: {sum: /result/content/0/text}}
---
case: Goes on
_continues: true
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "${sum}"}}
out: {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "unknown tool: ${sum}"}}
"#;
    let text = text.replace("\"text\": \"${sum}\"", "\"text\": \"?\"");
    let options = PlayOptions::default().input("first", 40);
    let scenarios = of_with(&text, &options);
    let ended = Stage::of(&everything()).play(&scenarios[1]).await;
    let asked = ended.trace.messages().filter(|(_, it)| it.method() == Some("tools/call"));
    let named: Vec<String> =
        asked.filter_map(|(_, it)| Some(it.params()?.get("name")?.as_str()?.to_owned())).collect();
    assert_eq!(named, ["add", "42"]);
    let ids: Vec<&str> = ended.checks.iter().map(|check| check.id.as_str()).collect();
    assert_eq!(ids, ["out", "unexpected"], "only the checks of the case itself");
}

#[tokio::test]
async fn a_request_without_a_reply_in_the_case_needs_a_result() {
    let list = r#"{case: Lists, in: {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}}"#;
    let stage = Stage::of(&everything());
    assert_eq!(stage.only(list).await, "SUCCESS in\nSUCCESS unexpected");
    let refused = list.replace("tools/list", "tools/lost");
    insta::assert_snapshot!(stage.only(&refused).await, @"
    FAILURE in `in` was refused, and the case has no error
      expected any result
      got error -32601: method not found: tools/lost
      hint: if the refusal is expected, add the error as an `out`
    SUCCESS unexpected
    ");
}

#[tokio::test]
async fn a_case_without_requests_is_followed_by_one() {
    let notification =
        r#"{case: Tells, in: {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}}"#;
    for revision in [Revision::V2025_11_25, Revision::NEWEST] {
        let rows = Stage::of(&everything()).at(revision).only(notification).await;
        assert_eq!(rows, "SUCCESS goes-on\nSUCCESS unexpected");
    }
    let gone = everything().faults([Fault::close_on("ping")]);
    let rows = Stage::of(&gone).only(notification).await;
    assert!(rows.starts_with("FAILURE goes-on the connection ended before `ping`"), "{rows}");
    let bare = notification.replace("{case: Tells,", "{case: Tells, _handshake: false,");
    insta::assert_snapshot!(Stage::of(&everything()).only(&bare).await, @"
    FAILURE goes-on the case sends no request
      expected at least one request, or one `out`
      got only messages without a reply
      hint: without `_handshake: false`, a `ping` would show whether the server still answers
    SUCCESS unexpected
    ");
}

#[tokio::test]
async fn a_cancelled_request_is_not_awaited() {
    let text = r#"
case: Changes its mind
in: {"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": {"name": "test_streaming_elicitation"}}
out: {"jsonrpc": "2.0", "id": "e", "method": "elicitation/create", "params": {"message": "What is your favourite colour?"}}
in_no: {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "x"}}
in_then: {"jsonrpc": "2.0", "id": "y", "method": "ping"}
out_then: {"jsonrpc": "2.0", "id": "y", "result": {}}
_match: {out: contains}
"#;
    let stage = Stage::of(&everything());
    for transport in stage.target.transports() {
        let ended = stage.clone().over(transport).play(&of(text)[0]).await;
        let failing: Vec<_> = ended.checks.iter().filter(|it| it.status.is_failing()).collect();
        assert!(failing.is_empty(), "{transport}: {failing:#?}");
        let real_id = ended.trace.messages().find_map(|(_, message)| {
            message
                .params()
                .filter(|_| message.method() == Some("notifications/cancelled"))?
                .get("requestId")
        });
        assert!(real_id.is_some_and(Value::is_number), "the real id is sent: {real_id:?}");
    }
}

#[tokio::test]
async fn without_a_handshake_only_messages_of_the_case_are_sent() {
    let text = r#"
case: Too early
_handshake: false
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
out: {"jsonrpc": "2.0", "id": 1, "error": {"code": 0, "message": ""}}
_match: {out: {/error: any}}
"#;
    let scenario = of(text).remove(0);
    for revision in [Revision::V2025_11_25, Revision::NEWEST] {
        let ended = Stage::of(&everything()).at(revision).play(&scenario).await;
        let said: Vec<String> = ended
            .trace
            .messages()
            .filter(|(event, _)| event.party == mcp_test_core::trace::Party::Client)
            .map(|(_, message)| message.to_value().to_string())
            .collect();
        assert_eq!(said, [r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#]);
    }
}

#[tokio::test]
async fn an_invalid_message_is_sent_as_it_is() {
    let text = r#"
case: No version
in: {"id": 1, "method": "ping"}
out: {"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "?"}}
_match: {out: {/error/message: any}}
"#;
    let stage = Stage::of(&everything());
    insta::assert_snapshot!(stage.only(text).await, @"
    SUCCESS out
    SUCCESS unexpected
    ");
}

#[test]
fn a_case_applies_to_its_revisions_and_where_its_methods_exist() {
    let window = |text: &str| of(text)[0].revisions.to_string();
    let ping = r#"in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
    assert_eq!(window(ping), "2024-11-05..2025-11-25");
    assert_eq!(window(&format!("{ping}\n_revision: 2025-06-18..")), "2025-06-18..2025-11-25");
    assert_eq!(window(&format!("{ping}\n_revision: 2026-07-28")), "2026-07-28");
    let begins = r#"in: {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-03-26"}}"#;
    let file = format!("{begins}\n---\n{ping}\n");
    let other = |options: &PlayOptions| of_with(&file, options)[1].revisions.to_string();
    assert_eq!(other(&PlayOptions::default()), "2025-03-26");
    let asked = PlayOptions { asked_revisions: true, ..PlayOptions::default() };
    assert_eq!(other(&asked), "2024-11-05..2025-11-25");
}

#[test]
fn tags_and_only_select() {
    let text = "{case: A, _tags: x}\n---\n{case: B, _tags: [x, y]}\n---\n{case: C}\n";
    let ids = |text: &str, tags: &[&str], skip: &[&str]| {
        let own = |tags: &[&str]| tags.iter().map(|it| (*it).to_owned()).collect();
        let options =
            PlayOptions { tags: own(tags), skip_tags: own(skip), ..PlayOptions::default() };
        of_with(text, &options).iter().map(|it| it.title.clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids(text, &[], &[]), ["A", "B", "C"]);
    assert_eq!(ids(text, &["x"], &["y"]), ["A"]);
    assert_eq!(ids(&text.replace("{case: C}", "{case: C, _only: true}"), &[], &[]), ["C"]);
}

#[tokio::test]
async fn a_skipped_case_says_why_and_so_does_one_that_continues_it() {
    let text = format!("{CALL}_skip: not yet\n---\n{CALL}_continues: true\n");
    let stage = Stage::of(&everything());
    let scenarios = of(&text);
    insta::assert_snapshot!(stage.rows(&scenarios[0]).await, @"
    SKIPPED out not yet
    SKIPPED unexpected not yet
    ");
    insta::assert_snapshot!(stage.rows(&scenarios[1]).await, @"
    SKIPPED out it continues `contract::says-hello`, which is skipped: not yet
    SKIPPED unexpected it continues `contract::says-hello`, which is skipped: not yet
    ");
}
