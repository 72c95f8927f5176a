//! What each fault changes, and what its words say.

use insta::assert_snapshot;
use serde_json::json;

use super::{Delivery, Fault, FaultError, Part, Then, WORDS};
use crate::transport::{CarrierKind, serve::Emitted, tap::Tap};

fn reply() -> Emitted {
    let value = json!({"id": 1, "jsonrpc": "2.0", "result": {"tools": [{"name": "add"}]}});
    Emitted { value: value.into(), answers: Some("tools/list".to_owned()), status: None }
}

/// What is left of a good reply, a line per part.
fn left_by(fault: &str) -> String {
    let fault: Fault = fault.parse().unwrap();
    let delivery = Delivery::of(reply(), &[fault]);
    let mut lines: Vec<_> = delivery.parts.iter().map(show).collect();
    if delivery.then != Then::GoOn {
        lines.push(format!("then {:?}", delivery.then));
    }
    lines.extend(delivery.status.map(|status| format!("status {status}")));
    lines.extend(delivery.content_type.map(|kind| format!("content-type {kind}")));
    lines.extend(delivery.body.map(|body| format!("body {:?}", String::from_utf8_lossy(&body))));
    lines.join("\n")
}

fn show(part: &Part) -> String {
    let kind = if matches!(part, Part::Message(_)) { "" } else { "noise " };
    format!("{kind}{}", String::from_utf8_lossy(part.bytes()))
}

fn refused(words: &str) -> String {
    let error: FaultError = words.parse::<Fault>().unwrap_err();
    error.to_string()
}

#[test]
fn faults_of_the_json() {
    assert_snapshot!(left_by("set:tools/list:/tools/0/name:7"), @r#"{"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":7}]}}"#);
    assert_snapshot!(left_by("set:tools/list:/result/tools:\"a:b\""), @r#"{"id":1,"jsonrpc":"2.0","result":{"tools":"a:b"}}"#);
    assert_snapshot!(left_by("remove:tools/list:/tools/0/name"), @r#"{"id":1,"jsonrpc":"2.0","result":{"tools":[{}]}}"#);
    assert_snapshot!(left_by("remove:tools/list:/jsonrpc"), @r#"{"id":1,"result":{"tools":[{"name":"add"}]}}"#);
    assert_snapshot!(left_by("retype:tools/list:/tools/0/name"), @r#"{"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":7}]}}"#);
    assert_snapshot!(left_by("retype:tools/list:/tools"), @r#"{"id":1,"jsonrpc":"2.0","result":{"tools":{}}}"#);
}

#[test]
fn faults_of_the_reply() {
    assert_snapshot!(left_by("error:tools/list:-32603"), @r#"{"id":1,"jsonrpc":"2.0","error":{"code":-32603,"message":"InternalError"}}"#);
    assert_snapshot!(left_by("wrong-id:tools/list"), @r#"{"id":1001,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}}"#);
    assert_snapshot!(left_by("retyped-id:tools/list"), @r#"{"id":"1","jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}}"#);
    assert_snapshot!(left_by("twice:tools/list"), @r#"
    {"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}}
    {"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}}
    "#);
    assert_snapshot!(left_by("never:tools/list"), @"then Silence");
    assert_snapshot!(left_by("stray:tools/list:{\"id\":9,\"jsonrpc\":\"2.0\",\"result\":{}}"), @r#"
    {"id":9,"jsonrpc":"2.0","result":{}}
    {"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}}
    "#);
    assert_snapshot!(left_by("truncate:tools/list"), @r#"noise {"id":1,"jsonrpc":"2.0","resul"#);
    assert_snapshot!(left_by("close:tools/list"), @"then Close");
    assert_snapshot!(left_by("exit:tools/list"), @"then Exit");
    assert_snapshot!(left_by("blank-line:tools/list"), @r#"
    noise 
    {"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}}
    "#);
}

#[test]
fn faults_of_http() {
    assert_snapshot!(left_by("status:tools/list:500").lines().last().unwrap(), @"status 500");
    assert_snapshot!(left_by("content-type:tools/list:text/plain").lines().last().unwrap(), @"content-type text/plain");
    assert_snapshot!(left_by("html:tools/list").lines().nth(1).unwrap(), @"content-type text/html; charset=utf-8");
    assert_snapshot!(left_by("empty-body:tools/list").lines().last().unwrap(), @r#"body """#);
}

#[test]
fn a_fault_leaves_other_replies_alone() {
    let untouched = show(&Delivery::of(reply(), &[]).parts[0]);
    assert_eq!(left_by("error:tools/call:-32603"), untouched);
    assert_ne!(left_by("error:*:-32603"), untouched);
    let notification = Emitted::unprompted(json!({"jsonrpc": "2.0", "method": "x"}).into());
    let delivery = Delivery::of(notification.clone(), &[Fault::never("*"), Fault::twice("*")]);
    assert_eq!(delivery.parts, [Part::Message(notification.value.to_string().into())]);
}

#[test]
fn faults_add_up_in_their_order() {
    let faults = [
        Fault::remove("tools/list", "/tools"),
        Fault::set("tools/list", "/tools", json!(1)),
        Fault::twice("*"),
    ];
    let parts: Vec<_> = Delivery::of(reply(), &faults).parts.iter().map(show).collect();
    assert_snapshot!(parts.join("\n"), @r#"
    {"id":1,"jsonrpc":"2.0","result":{"tools":1}}
    {"id":1,"jsonrpc":"2.0","result":{"tools":1}}
    "#);
}

#[test]
fn every_word_has_an_example_that_reads_back() {
    let examples: Vec<_> = WORDS
        .iter()
        .map(|word| {
            let example = word
                .form
                .replace("METHOD", "tools/list")
                .replace("POINTER", "/tools/0")
                .replace("JSON", "{\"a\":[1]}");
            let example = example
                .replace("CODE", "-1")
                .replace("STATUS", "503")
                .replace("TYPE", "text/plain")
                .replace("TEXT", "a: b");
            let fault: Fault = example.parse().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(fault.name(), example);
            assert!(
                CarrierKind::ALL.into_iter().any(|carrier| fault.applies_to(carrier)),
                "{example}"
            );
            let over_http = fault.applies_to(CarrierKind::Http);
            assert_eq!(over_http, !word.summary.contains("not over HTTP"), "{example}");
            assert_eq!(
                fault.applies_to(CarrierKind::Stdio),
                !word.summary.contains("HTTP only"),
                "{example}"
            );
            example
        })
        .collect();
    assert_eq!(examples.len(), WORDS.len());
}

#[test]
fn wrong_words_are_named() {
    assert_snapshot!(refused("bannner:x"), @"`bannner` is no fault; did you mean `banner`?");
    assert_snapshot!(refused("explode"), @"`explode` is no fault; `mcp-test list --faults` shows all");
    assert_snapshot!(refused("remove:tools/list"), @"`remove:tools/list` lacks its POINTER: the form is `remove:METHOD:POINTER`");
    assert_snapshot!(refused("remove:tools/list:tools/0"), @"`remove:tools/list:tools/0`: POINTER `tools/0` must start with `/`");
    assert_snapshot!(refused("never:"), @"`never:` lacks its METHOD: the form is `never:METHOD`");
    assert_snapshot!(refused("never:tools/lst"), @"`never:tools/lst`: METHOD `tools/lst` is no method of MCP; did you mean `tools/list`?");
    assert_snapshot!(refused("never:tools/list:now"), @"`never:tools/list:now`: the end `now` is too much: the form is `never:METHOD`");
    assert_snapshot!(refused("set:tools/list:/tools:{"), @"`set:tools/list:/tools:{`: JSON `{` cannot be read: line 1, column 2: expected a member name in double quotes, found the end of the text");
    assert_snapshot!(refused("set:tools/list:/tools"), @"`set:tools/list:/tools` lacks its JSON: the form is `set:METHOD:POINTER:JSON`");
    assert_snapshot!(refused("error:tools/list:many"), @"`error:tools/list:many`: CODE `many` must be a whole number");
    assert_snapshot!(refused("status:tools/list:7"), @"`status:tools/list:7`: STATUS `7` must be an HTTP status from 200 to 599");
    assert_snapshot!(refused("session-id:a\nb"), @r"
    `session-id:a
    b`: TEXT `a
    b` has a control character, which no HTTP header can carry
    ");
}

#[test]
fn banners_and_session_ids() {
    let wire = Tap::new([Fault::banner("Starting up"), Fault::session_id(" ")]).open("duplex");
    let banners: Vec<_> = wire.banners().map(|part| show(&part)).collect();
    assert_eq!(banners, ["noise Starting up"]);
    assert_eq!(wire.session_id("abcd"), b"ab cd");
}
