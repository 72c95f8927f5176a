//! What a case means: on a good server it passes, whatever way it says it.

use super::*;
use crate::json::Value;
use crate::server::reference::everything;
use crate::transport::Fault;

/// A call, as the reference server answers it.
const CALL: &str = r#"
case: Says hello
in: {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "test_simple_text", "arguments": {}}}
out: {"jsonrpc": "2.0", "id": "a", "result": {"content": [{"type": "text", "text": "This is a simple text response for testing."}]}}
"#;

#[tokio::test]
async fn a_case_without_a_handshake_gets_one_in_either_era_and_over_every_carrier() {
    let stage = Stage::of(&everything());
    for revision in Revision::ALL {
        for carrier in stage.target.carriers() {
            let rows = stage.clone().at(revision).over(carrier).only(CALL).await;
            assert_eq!(rows, "SUCCESS out\nSUCCESS unexpected", "{revision} over {carrier}");
        }
    }
}

#[tokio::test]
async fn a_case_makes_the_handshake_itself_and_goes_on_in_what_was_agreed() {
    let text = r#"
case: Initialization lifecycle
in_request_to_initialize: {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "case", "version": "1"}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-06-18"}}
in_notification_initialized: {"jsonrpc": "2.0", "method": "notifications/initialized"}
in_list: {"jsonrpc": "2.0", "method": "tools/list", "id": 1}
out_list: {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}
_match: {out: contains, out_list: contains}
"#;
    let scenario = of(text)[0];
    assert!(scenario.opens);
    assert_eq!(scenario.revisions.to_string(), "2025-06-18");
    let stage = Stage::of(&everything()).at(Revision::V2025_06_18);
    for carrier in stage.target.carriers() {
        let ended = stage.clone().over(carrier).play(scenario).await;
        let rows: Vec<&str> = ended.checks.iter().map(|it| it.status.as_str()).collect();
        assert_eq!(rows, ["SUCCESS"; 3], "{carrier}: {:#?}", ended.checks);
        assert_eq!(ended.judged, [], "{carrier}");
        let handshakes = ended.trace.messages().filter(|(_, it)| it.method() == Some("initialize"));
        assert_eq!(handshakes.count(), 1);
    }
}

#[tokio::test]
async fn what_the_era_adds_is_tolerated_unless_the_rules_are_strict() {
    let stage = Stage::of(&everything()).at(Revision::NEWEST);
    assert_eq!(stage.only(CALL).await, "SUCCESS out\nSUCCESS unexpected");
    let strict = stage.strictly().only(CALL).await;
    assert!(strict.contains("/result/resultType"), "{strict}");
}

#[tokio::test]
async fn requests_may_be_under_way_together_and_be_answered_in_any_order() {
    let text = r#"
case: Two at once
in_1: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add", "arguments": {"a": 1, "b": 2}}}
in_2: {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "add", "arguments": {"a": 3, "b": 4}}}
out_2: {"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "7"}]}}
out_1: {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "3"}]}}
"#;
    let stage = Stage::of(&everything());
    for carrier in stage.target.carriers() {
        let rows = stage.clone().over(carrier).only(text).await;
        assert_eq!(rows, "SUCCESS out_2\nSUCCESS out_1\nSUCCESS unexpected", "{carrier}");
    }
}

#[tokio::test]
async fn values_are_captured_and_given_and_a_case_goes_on_where_another_ended() {
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
    let ended = Stage::of(&everything()).play(scenarios[1]).await;
    let asked = ended.trace.messages().filter(|(_, it)| it.method() == Some("tools/call"));
    let named: Vec<String> =
        asked.filter_map(|(_, it)| Some(it.params()?.get("name")?.as_str()?.to_owned())).collect();
    assert_eq!(named, ["add", "42"]);
    let ids: Vec<&str> = ended.checks.iter().map(|check| check.id.as_str()).collect();
    assert_eq!(ids, ["out", "unexpected"], "only the checks of the case itself");
}

#[tokio::test]
async fn a_request_without_a_reply_in_the_case_has_to_be_granted() {
    let list = r#"{case: Lists, in: {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}}"#;
    let stage = Stage::of(&everything());
    assert_eq!(stage.only(list).await, "SUCCESS in\nSUCCESS unexpected");
    let refused = list.replace("tools/list", "tools/lost");
    insta::assert_snapshot!(stage.only(&refused).await, @"
    FAILURE in `in` was refused, of which the case says nothing
      expected a result, whatever it holds
      got error -32601: method not found: tools/lost
      hint: if it is meant to be refused, write the error as an `out`
    SUCCESS unexpected
    ");
}

#[tokio::test]
async fn a_case_that_asks_for_nothing_is_followed_by_a_sign_of_life() {
    let told =
        r#"{case: Tells, in: {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}}"#;
    for revision in [Revision::V2025_11_25, Revision::NEWEST] {
        let rows = Stage::of(&everything()).at(revision).only(told).await;
        assert_eq!(rows, "SUCCESS goes-on\nSUCCESS unexpected");
    }
    let gone = everything().faults([Fault::close_on("ping")]);
    let rows = Stage::of(&gone).only(told).await;
    assert!(rows.starts_with("FAILURE goes-on the connection ended before `ping`"), "{rows}");
    let bare = told.replace("{case: Tells,", "{case: Tells, _handshake: false,");
    insta::assert_snapshot!(Stage::of(&everything()).only(&bare).await, @"
    FAILURE goes-on the case asks the server for nothing
      expected at least one request, or one `out`
      got only what is not answered
      hint: without `_handshake: false`, a `ping` would tell whether the server goes on
    SUCCESS unexpected
    ");
}

#[tokio::test]
async fn a_request_that_is_cancelled_is_not_waited_for() {
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
    for carrier in stage.target.carriers() {
        let ended = stage.clone().over(carrier).play(of(text)[0]).await;
        let failing: Vec<_> = ended.checks.iter().filter(|it| it.status.is_failing()).collect();
        assert!(failing.is_empty(), "{carrier}: {failing:#?}");
        let told = ended.trace.messages().find_map(|(_, message)| {
            message
                .params()
                .filter(|_| message.method() == Some("notifications/cancelled"))?
                .get("requestId")
        });
        assert!(told.is_some_and(Value::is_number), "the real id is told: {told:?}");
    }
}

#[tokio::test]
async fn without_a_handshake_nothing_is_said_but_what_the_case_has() {
    let text = r#"
case: Too early
_handshake: false
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
out: {"jsonrpc": "2.0", "id": 1, "error": {"code": 0, "message": ""}}
_match: {out: {/error: any}}
"#;
    let scenario = of(text)[0];
    for revision in [Revision::V2025_11_25, Revision::NEWEST] {
        let ended = Stage::of(&everything()).at(revision).play(scenario).await;
        let said: Vec<String> = ended
            .trace
            .messages()
            .filter(|(event, _)| event.party == crate::trace::Party::Client)
            .map(|(_, message)| message.to_value().to_string())
            .collect();
        assert_eq!(said, [r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#]);
    }
}

#[tokio::test]
async fn what_is_no_message_is_sent_as_it_stands() {
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
fn a_case_holds_where_it_says_and_where_its_methods_exist() {
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
        of_with(text, &options).iter().map(|it| it.title).collect::<Vec<_>>()
    };
    assert_eq!(ids(text, &[], &[]), ["A", "B", "C"]);
    assert_eq!(ids(text, &["x"], &["y"]), ["A"]);
    assert_eq!(ids(&text.replace("{case: C}", "{case: C, _only: true}"), &[], &[]), ["C"]);
}

#[tokio::test]
async fn a_case_that_is_skipped_says_why_and_so_does_one_that_goes_on_from_it() {
    let text = format!("{CALL}_skip: not yet\n---\n{CALL}_continues: true\n");
    let stage = Stage::of(&everything());
    let scenarios = of(&text);
    insta::assert_snapshot!(stage.rows(scenarios[0]).await, @"
    SKIPPED out not yet
    SKIPPED unexpected not yet
    ");
    insta::assert_snapshot!(stage.rows(scenarios[1]).await, @"
    SKIPPED out it goes on from `contract::says-hello`, which is skipped: not yet
    SKIPPED unexpected it goes on from `contract::says-hello`, which is skipped: not yet
    ");
}
