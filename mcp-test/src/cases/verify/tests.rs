//! The messages of a client, checked against the demands of cases.

use mcp_test_core::check::{Check, Status};
use mcp_test_core::scenario::{ClientTest, Profile};
use mcp_test_core::trace::{EventKind, Party, Recorder};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use super::*;
use crate::cases::ReadOptions;

fn cases(text: &str) -> Cases {
    match Cases::parse("contracts/shop.yaml", text, &ReadOptions::default()) {
        Ok((cases, _)) => cases,
        Err(why) => panic!("{why}"),
    }
}

fn scenarios(text: &str) -> Vec<Shared<Scenario>> {
    client_scenarios(&cases(text), &VerifyOptions::default()).expect("no inputs")
}

/// The checks of a scenario after these messages: `>` from the client, `<` from the server.
fn judged(scenario: &Shared<Scenario>, messages: &str) -> Vec<Check> {
    judged_in(scenario, messages, |_| None)
}

/// The same, with the exchange of each message, by its place.
fn judged_in(
    scenario: &Shared<Scenario>,
    messages: &str,
    exchange: fn(u64) -> Option<u64>,
) -> Vec<Check> {
    let recorder = Recorder::new();
    let wire = recorder.open("http");
    for (place, line) in (0..).zip(messages.lines()) {
        let (party, message) = match line.split_at(1) {
            (">", message) => (Party::Client, message),
            (_, message) => (Party::Server, message),
        };
        let kind = EventKind::message(message.trim().to_owned().into());
        recorder.record_in(wire, exchange(place), party, kind);
    }
    let revision = scenario.revisions.iter().last().expect("a revision");
    let test = ClientTest::new(scenario.declared(), revision, Profile::Adaptive);
    let mut judging = Judging::new(test, Arc::new(recorder.trace()));
    let Body::Client { judge, .. } = &scenario.body else { panic!("it tests a client") };
    judge(&mut judging).expect("every finding belongs to a check");
    judging.into_checks()
}

/// The checks of a contract after these messages, as text.
fn report(text: &str, messages: &str) -> String {
    report_of(&scenarios(text)[0], messages)
}

fn report_of(scenario: &Shared<Scenario>, messages: &str) -> String {
    let one = |check: &Check| {
        let message = check.message.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
        format!("{} {}{message}", check.status, check.id)
    };
    judged(scenario, messages).iter().map(one).collect::<Vec<_>>().join("\n")
}

/// The version that the server of a file answers with in a run at this revision.
async fn answered(text: &str, revision: Revision, proposed: &str) -> Option<String> {
    let scenario = &scenarios(text)[0];
    let Body::Client { serve, .. } = &scenario.body else { panic!("it tests a client") };
    let test = ClientTest::new(scenario.declared(), revision, Profile::Adaptive);
    let server = serve(&test).expect("a server");
    let (client, io) = tokio::io::duplex(4096);
    let served = tokio::spawn(async move { server.serve(io).await });
    let (reader, mut writer) = tokio::io::split(client);
    let request = INITIALIZED.trim().lines().next().expect("a request");
    let request = request.trim_start_matches("> ").replace("2025-11-25", proposed);
    writer.write_all(format!("{request}\n").as_bytes()).await.expect("it reads");
    let reply = BufReader::new(reader).lines().next_line().await.expect("text").expect("a reply");
    served.abort();
    let reply: serde_json::Value = serde_json::from_str(&reply).expect("JSON");
    reply["result"]["protocolVersion"].as_str().map(str::to_owned)
}

#[tokio::test]
async fn a_run_has_the_revision_with_which_it_is_labelled() {
    let text = r#"
case: Agrees
in: {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2024-11-05", "capabilities": {}, "serverInfo": {"name": "y", "version": "1"}}}
"#;
    assert_eq!(scenarios(text)[0].revisions, Revisions::only(Revision::V2024_11_05));
    for (text, revisions) in [
        (text, &[Revision::V2024_11_05][..]),
        (SHOP, &[Revision::V2024_11_05, Revision::V2025_11_25]),
    ] {
        for &revision in revisions {
            for proposed in ["2024-11-05", "2025-06-18", "2025-11-25"] {
                let answered = answered(text, revision, proposed).await;
                assert_eq!(answered.as_deref(), Some(revision.as_str()), "{proposed}");
            }
        }
    }
}

const SHOP: &str = r#"
case: Buys
in_list: {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
out_list: {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}
in_buy: {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "buy", "arguments": {"item": "tea", "count": 2}}}
out_buy: {"jsonrpc": "2.0", "id": 2, "result": {"content": []}}
---
case: Looks around
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
out: {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}
in_roots_changed: {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}
"#;

const INITIALIZED: &str = r#"
> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}
< {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "y", "version": "1"}}}
> {"jsonrpc": "2.0", "method": "notifications/initialized"}
"#;

/// These messages, after the handshake.
fn after(messages: &str) -> String {
    format!("{}\n{}", INITIALIZED.trim(), messages.trim())
}

#[test]
fn a_message_counts_for_several_cases_and_the_handshake_is_not_demanded() {
    let messages = r#"
> {"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {"_meta": {"progressToken": 1}}}
< {"jsonrpc": "2.0", "id": 7, "result": {"tools": []}}
> {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}
> {"jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": {"arguments": {"count": 2, "item": "tea"}, "name": "buy"}}
"#;
    insta::assert_snapshot!(report(SHOP, messages.trim()), @"
    SUCCESS shop::buys
    SUCCESS shop::looks-around
    ");
}

#[test]
fn a_missing_message_is_reported_with_the_nearest() {
    let messages = r#"
> {"jsonrpc": "2.0", "id": 7, "method": "tools/list"}
> {"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": "sell", "arguments": {}}}
> {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "buy", "arguments": {"item": "tea", "count": 3}}}
"#;
    insta::assert_snapshot!(report(SHOP, &after(messages)), @r#"
    FAILURE shop::buys: the client did not send `in_buy` of "Buys"
      expected {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"buy","arguments":{"item":"tea","count":2}}}, contracts/shop.yaml:5:1
      got {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"buy","arguments":{"item":"tea","count":3}}}
        /params/arguments/count: expected 2, got 3
    FAILURE shop::looks-around: the client did not send `in_roots_changed` of "Looks around"
      expected {"jsonrpc":"2.0","method":"notifications/roots/list_changed"}, contracts/shop.yaml:11:1
      got only `initialize`, `notifications/initialized`, `tools/list` and `tools/call`
    "#);
    insta::assert_snapshot!(report(SHOP, ""), @r#"
    FAILURE shop::buys: the client did not send `in_list` of "Buys"
      expected {"jsonrpc":"2.0","id":1,"method":"tools/list"}, contracts/shop.yaml:3:1
      got nothing
    FAILURE shop::looks-around: the client did not send `in` of "Looks around"
      expected {"jsonrpc":"2.0","id":1,"method":"tools/list"}, contracts/shop.yaml:9:1
      got nothing
    "#);
}

#[test]
fn a_message_that_comes_too_early_is_reported_as_such() {
    let messages = r#"
> {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "buy", "arguments": {"item": "tea", "count": 2}}}
> {"jsonrpc": "2.0", "id": 7, "method": "tools/list"}
> {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}
"#;
    insta::assert_snapshot!(report(SHOP, messages.trim()), @r#"
    FAILURE shop::buys: the client did not send `in_buy` of "Buys"
      expected {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"buy","arguments":{"item":"tea","count":2}}}, contracts/shop.yaml:5:1
      got the same, before `in_list`
    SUCCESS shop::looks-around
    "#);
}

#[test]
fn requests_that_are_made_at_the_same_time_over_http_have_no_order() {
    let contract = r#"
case: Asks for two lists
in_tools: {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
in_prompts: {"jsonrpc": "2.0", "id": 2, "method": "prompts/list"}
out_tools: {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}
in_ping: {"jsonrpc": "2.0", "id": 3, "method": "ping"}
"#;
    let scenario = &scenarios(contract)[0];
    let [tools, prompts, ping] = [("tools/list", 1), ("prompts/list", 2), ("ping", 3)]
        .map(|(method, id)| format!(r#"> {{"jsonrpc": "2.0", "id": {id}, "method": "{method}"}}"#));
    let passes = |messages: [&String; 3], exchange| {
        let messages = messages.map(String::as_str).join("\n");
        judged_in(scenario, &messages, exchange)[0].status == Status::Success
    };
    let over_http: fn(u64) -> Option<u64> = Some;
    let over_stdio: fn(u64) -> Option<u64> = |_| None;
    for exchange in [over_http, over_stdio] {
        assert!(passes([&tools, &prompts, &ping], exchange));
        assert!(!passes([&tools, &ping, &prompts], exchange));
        // One message counts once.
        assert!(!passes([&tools, &tools, &ping], exchange));
    }
    assert!(passes([&prompts, &tools, &ping], over_http));
    assert!(!passes([&prompts, &tools, &ping], over_stdio));
}

const CAPTURED: &str = r#"
case: Opens what it has found
_capture: {out: {uri: /result/resources/0/uri}}
_match: {in_open: {/params/depth: any}}
in: {"jsonrpc": "2.0", "id": 1, "method": "resources/list"}
out: {"jsonrpc": "2.0", "id": 1, "result": {"resources": [{"uri": "a:1", "name": "a"}]}}
in_open: {"jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": {"uri": "${uri}", "depth": 1}}
out_open: {"jsonrpc": "2.0", "id": 2, "result": {"contents": []}}
"#;

#[test]
fn values_are_captured_from_what_the_server_really_sent() {
    let messages = |uri: &str| {
        after(&format!(
            r#"
> {{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}}
< {{"jsonrpc": "2.0", "id": 1, "result": {{"resources": [{{"uri": "a:0", "name": "a"}}]}}}}
> {{"jsonrpc": "2.0", "id": 2, "method": "resources/list"}}
< {{"jsonrpc": "2.0", "id": 2, "result": {{"resources": [{{"uri": "a:2", "name": "a"}}]}}}}
> {{"jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": {{"uri": "{uri}", "depth": 5}}}}
"#
        ))
    };
    // The second of two requests that fit is the one that is meant.
    insta::assert_snapshot!(report(CAPTURED, &messages("a:2")), @"SUCCESS shop::opens-what-it-has-found");
    insta::assert_snapshot!(report(CAPTURED, &messages("a:1")), @r#"
    FAILURE shop::opens-what-it-has-found: the client did not send `in_open` of "Opens what it has found"
      expected {"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"${uri}","depth":1}}, contracts/shop.yaml:7:1
      got {"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"a:1","depth":5}}
        /params/uri: expected "a:0", got "a:1"
    "#);
}

const ASKED: &str = r#"
case: Is asked for a name
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "greet"}}
out_ask: {"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": {"message": "Who?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}}
in_answer: {"jsonrpc": "2.0", "id": "q", "result": {"action": "accept", "content": {"name": "Ada"}}}
out: {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}
"#;

#[test]
fn an_answer_belongs_to_the_real_request_of_the_server() {
    let messages = |answer: &str| {
        after(&format!(
            r#"
> {{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {{"name": "greet"}}}}
< {{"jsonrpc": "2.0", "id": 55, "method": "elicitation/create", "params": {{"message": "Who?", "requestedSchema": {{}}}}}}
{answer}
"#
        ))
    };
    let ada = r#"> {"jsonrpc": "2.0", "id": 55, "result": {"action": "accept", "content": {"name": "Ada"}}}"#;
    insta::assert_snapshot!(report(ASKED, &messages(ada)), @"SUCCESS shop::is-asked-for-a-name");
    insta::assert_snapshot!(report(ASKED, &messages(&ada.replace("Ada", "Bob"))), @r#"
    FAILURE shop::is-asked-for-a-name: the client did not answer with `in_answer` of "Is asked for a name"
      expected {"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":{"name":"Ada"}}}, contracts/shop.yaml:5:1
      got {"jsonrpc":"2.0","id":55,"result":{"action":"accept","content":{"name":"Bob"}}}
        /result/content/name: expected "Ada", got "Bob"
    "#);
    insta::assert_snapshot!(report(ASKED, &messages(&ada.replace("55", "56"))), @r#"
    FAILURE shop::is-asked-for-a-name: the client did not answer with `in_answer` of "Is asked for a name"
      expected {"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":{"name":"Ada"}}}, contracts/shop.yaml:5:1
      got no answer
    "#);
}

#[test]
fn an_answer_may_be_part_of_a_request() {
    let messages = |name: &str| {
        format!(
            r#"> {{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {{"name": "greet"}}}}
< {{"jsonrpc": "2.0", "id": 1, "result": {{"resultType": "input_required", "inputRequests": {{"q": {{}}}}, "requestState": "1"}}}}
> {{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {{"name": "greet", "requestState": "1", "inputResponses": {{"q": {{"action": "accept", "content": {{"name": "{name}"}}}}}}}}}}"#
        )
    };
    let text = format!("{ASKED}_revision: 2026-07-28\n");
    insta::assert_snapshot!(report(&text, &messages("Ada")), @"SUCCESS shop::is-asked-for-a-name");
    insta::assert_snapshot!(report(&text, &messages("Bob")), @r#"
    FAILURE shop::is-asked-for-a-name: the client did not answer with `in_answer` of "Is asked for a name"
      expected {"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":{"name":"Ada"}}}, contracts/shop.yaml:5:1
      got {"result":{"action":"accept","content":{"name":"Bob"}}}
        /result/content/name: expected "Ada", got "Bob"
    "#);
}

#[test]
fn a_case_that_is_skipped_or_has_no_message_of_the_client_demands_nothing() {
    let text = r#"
case: One day
_skip: not yet
in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
---
case: Receives a notification
out: {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
"#;
    insta::assert_snapshot!(report(text, ""), @"
    SKIPPED shop::one-day: not yet
    SKIPPED shop::receives-a-notification: the client sends nothing in it
    ");
}

#[test]
fn a_file_is_served_at_the_revisions_that_its_cases_prefer() {
    let window = |text: &str| scenarios(text)[0].revisions.to_string();
    let ping = r#"in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
    assert_eq!(window(SHOP), "2025-11-25");
    assert_eq!(window(&format!("{SHOP}\n---\n_revision: 2026-07-28\n{ping}")), "2025-11-25..");
    assert_eq!(window(&format!("_revision: ..2025-06-18\n{ping}")), "2025-06-18");
    let asked = VerifyOptions { asked_revisions: true, ..VerifyOptions::default() };
    let asked = client_scenarios(&cases(&format!("_revision: ..2025-06-18\n{ping}")), &asked);
    let asked = asked.expect("no inputs");
    assert_eq!(asked[0].revisions.to_string(), "2024-11-05..2025-06-18");
}

#[test]
fn a_file_without_demanded_cases_is_omitted() {
    let options =
        VerifyOptions { cases: vec!["shop::buys".to_owned()], ..VerifyOptions::default() };
    let scenarios = client_scenarios(&cases(SHOP), &options).expect("no inputs");
    let checks: Vec<&str> = scenarios[0].checks.iter().map(|check| &*check.id).collect();
    assert_eq!((&*scenarios[0].id, checks), ("shop", vec!["shop::buys"]));
    let options = VerifyOptions { tags: vec!["slow".to_owned()], ..VerifyOptions::default() };
    assert!(client_scenarios(&cases(SHOP), &options).is_ok_and(|none| none.is_empty()));
}

#[test]
fn an_input_is_the_given_value_or_else_anything() {
    let text = r#"
case: Logs in
_inputs: [{name: token, secret: true}]
in: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "login", "arguments": {"token": "${token}"}}}
"#;
    let messages = r#"> {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "login", "arguments": {"token": "hunter2"}}}"#;
    insta::assert_snapshot!(report(text, messages), @"SUCCESS shop::logs-in");
    let options = VerifyOptions::default().input("token", "swordfish");
    let scenarios = client_scenarios(&cases(text), &options).expect("the input is a text");
    insta::assert_snapshot!(report_of(&scenarios[0], messages), @r#"
    FAILURE shop::logs-in: the client did not send `in` of "Logs in"
      expected {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"token":"${token}"}}}, contracts/shop.yaml:4:1
      got {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"token":"hunter2"}}}
        /params/arguments/token: expected "[secret]", got "hunter2"
    "#);
}

#[test]
fn a_case_may_be_long() {
    let message = |number| {
        format!(
            r#"{{"jsonrpc": "2.0", "id": {number}, "method": "tools/call", "params": {{"name": "t{number}"}}}}"#
        )
    };
    let keys: String = (0..5_000).map(|at| format!("in_{at}: {}\n", message(at))).collect();
    let messages: String = (0..5_000).map(|at| format!("> {}\n", message(at))).collect();
    let text = format!("case: Long\n{keys}");
    assert_eq!(report(&text, messages.trim()), "SUCCESS shop::long");
    let (but_the_last, _) = messages.trim().rsplit_once('\n').expect("lines");
    assert!(
        report(&text, but_the_last)
            .starts_with("FAILURE shop::long: the client did not send `in_4999`")
    );
}
