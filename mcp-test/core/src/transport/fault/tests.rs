//! What each fault changes, and its notation.

use bytes::Bytes;
use insta::assert_snapshot;
use serde_json::json;

use super::{
    Delivery, DeliveryPart, FAULT_KINDS, Fault, FaultError, FaultKind, FollowUp, HttpFaults,
    Misbehavior, Reach, intake,
};
use crate::spec::Side;
use crate::transport::TransportKind;
use crate::transport::actor::{InboundText, OutboundMessage};
use crate::transport::interceptor::Interceptor;

fn fault(words: &str) -> Fault {
    words.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn reply() -> OutboundMessage {
    let value = json!({"id": 1, "jsonrpc": "2.0", "result": {"tools": [{"name": "add"}]}});
    OutboundMessage::reply(value.into(), "tools/list", None)
}

/// What is left of a good reply, a line per part.
fn left_by(words: &str) -> String {
    show_delivery(&Delivery::of(reply(), &[fault(words)]))
}

fn show_delivery(delivery: &Delivery) -> String {
    let mut lines: Vec<_> = delivery.parts.iter().map(show).collect();
    if delivery.then != FollowUp::Continue {
        lines.push(format!("then {:?}", delivery.then));
    }
    lines.extend(delivery.delay.map(|by| format!("late by {by:?}")));
    lines.extend(delivery.streams.then(|| "as a stream".to_owned()));
    lines.extend(delivery.bytewise.then(|| "a byte at a time".to_owned()));
    lines.join("\n")
}

/// What is left of the exchange that carries it.
fn exchange_left_by(words: &str) -> String {
    let HttpFaults { status, headers, body, wrong_chunks, two_responses } =
        HttpFaults::of("tools/list", true, &[fault(words)]);
    let mut lines: Vec<_> = status.iter().map(ToString::to_string).collect();
    lines.extend(headers.iter().map(|(name, value)| match value {
        Some(value) => format!("{name}: {value}"),
        None => format!("no {name}"),
    }));
    lines.extend(body.map(|body| format!("body {:?}", String::from_utf8_lossy(&body))));
    lines.extend(wrong_chunks.then(|| "wrong chunks".to_owned()));
    lines.extend(two_responses.then(|| "two responses".to_owned()));
    lines.join("\n")
}

fn show(part: &DeliveryPart) -> String {
    let kind = match part {
        DeliveryPart::Message(_) => String::new(),
        DeliveryPart::Deliberate(_) => "deliberate ".to_owned(),
        DeliveryPart::Noise(_) => "noise ".to_owned(),
        DeliveryPart::Torn { of, .. } => format!("the beginning of {of} bytes: "),
        DeliveryPart::Lines(_) => "lines ".to_owned(),
    };
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
    assert_snapshot!(left_by("duplicate:tools/list:/tools/0/name"), @r#"{"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add","name":"add"}]}}"#);
    assert_snapshot!(left_by("duplicate:tools/list:/id"), @r#"{"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]},"id":1}"#);
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
    assert_snapshot!(left_by("null-id:tools/list"), @r#"{"id":null,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}}"#);
    assert_snapshot!(left_by("late:tools/list:2s"), @r#"
    {"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}}
    late by 2s
    "#);
    assert_snapshot!(left_by("flood:tools/list:2"), @r#"
    {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"flood","level":"debug"}}
    {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"flood","level":"debug"}}
    {"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}}
    "#);
}

#[test]
fn faults_of_the_text_and_the_connection() {
    assert_snapshot!(left_by("truncate:tools/list"), @r#"noise {"id":1,"jsonrpc":"2.0","resul"#);
    assert_snapshot!(left_by("bom:tools/list").escape_debug(), @r#"noise \u{feff}{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"tools\":[{\"name\":\"add\"}]}}"#);
    assert_snapshot!(left_by("nul:tools/list").escape_debug(), @r#"noise \0\0{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"tools\":[{\"name\":\"add\"}]}}"#);
    assert_snapshot!(left_by("invalid-utf8:tools/list"), @r#"noise {"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]},"x-fault":"�"}"#);
    let deep = left_by("deep:tools/list");
    assert_snapshot!(&deep[..80], @r#"{"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]},"x-fault":[[[[[[[[[["#);
    assert_eq!(deep.matches('[').count(), 10_001);
    assert_snapshot!(left_by("pad:tools/list:20"), @r#"{"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]},"x-fault":"xxxxxxx"}"#);
    assert_eq!(left_by("pad:tools/list:1000").len(), left_by("set:tools/list:/id:1").len() + 1000);
    assert_snapshot!(left_by("cut:tools/list"), @r#"
    the beginning of 60 bytes: {"id":1,"jsonrpc":"2.0","resul
    then CloseConnection
    "#);
    assert_snapshot!(left_by("close:tools/list"), @"then CloseConnection");
    assert_snapshot!(left_by("exit:tools/list"), @"then Exit");
    assert_snapshot!(left_by("exit-after:tools/list"), @r#"
    {"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}}
    then Exit
    "#);
}

#[test]
fn faults_of_lines() {
    assert_snapshot!(left_by("noise:tools/list:listing tools"), @r#"
    noise listing tools
    {"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}}
    "#);
    assert_snapshot!(left_by("blank-line:tools/list"), @r#"
    noise 
    {"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}}
    "#);
    assert_snapshot!(left_by("two-on-a-line:tools/list"), @r#"noise {"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}}{"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}}"#);
    assert_snapshot!(left_by("embedded-newline:tools/list"), @r#"
    noise {
      "id": 1,
      "jsonrpc": "2.0",
      "result": {
        "tools": [
          {
            "name": "add"
          }
        ]
      }
    }
    "#);
}

#[test]
fn faults_of_event_streams() {
    assert_snapshot!(left_by("sse-split:tools/list"), @r#"
    {"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}}
    as a stream
    a byte at a time
    "#);
    assert_snapshot!(left_by("sse-garble:tools/list"), @r#"
    lines dat: {"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}}


    as a stream
    "#);
    assert_snapshot!(left_by("sse-end:tools/list"), @"
    then EndStream
    as a stream
    ");
    assert_snapshot!(left_by("sse-open:tools/list"), @r#"
    {"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}}
    then Silence
    as a stream
    "#);
}

#[test]
fn faults_of_exchanges() {
    assert_snapshot!(exchange_left_by("status:tools/list:500"), @"500");
    assert_snapshot!(exchange_left_by("header:tools/list:Mcp-Session-Id:a b"), @"Mcp-Session-Id: a b");
    assert_snapshot!(exchange_left_by("no-header:tools/list:mcp-session-id"), @"no mcp-session-id");
    assert_snapshot!(exchange_left_by("content-type:*:text/plain"), @"Content-Type: text/plain");
    assert_snapshot!(exchange_left_by("redirect:tools/list:http://localhost:1/mcp"), @r#"
    307
    Location: http://localhost:1/mcp
    body ""
    "#);
    assert_snapshot!(exchange_left_by("html:tools/list"), @r#"
    Content-Type: text/html; charset=utf-8
    body "<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><h1>It works</h1></body></html>\n"
    "#);
    assert_snapshot!(exchange_left_by("empty-body:tools/list"), @r#"body """#);
    assert_snapshot!(exchange_left_by("wrong-chunks:tools/list"), @"wrong chunks");
    assert_snapshot!(exchange_left_by("two-responses:tools/list"), @"two responses");
    assert_eq!(exchange_left_by("status:DELETE:500"), "");
}

#[test]
fn headers_are_changed_whatever_their_case() {
    let faults = [fault("header:*:Accept:text/html"), fault("no-header:*:MCP-METHOD")];
    let mut headers = vec![("accept".into(), "*/*".into()), ("Mcp-Method".into(), "ping".into())];
    HttpFaults::of("ping", true, &faults).change_headers(&mut headers);
    assert_eq!(headers, [("Accept".to_owned(), "text/html".to_owned())]);
}

#[test]
fn ignored_messages_do_not_reach_the_actor() {
    let receive = |words: &str, text: &str| {
        let text = Bytes::copy_from_slice(text.as_bytes());
        let (received, replies) = intake(InboundText::parse(text), &[fault(words)]);
        let received = received.as_ref().and_then(InboundText::value).map(ToString::to_string);
        let replies = replies.into_iter().map(|reply| reply.value.to_string());
        replies.chain(received).collect::<Vec<_>>().join("\n")
    };
    const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    const CANCELLED: &str = r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#;
    assert_eq!(receive("ignore:ping", CANCELLED), CANCELLED);
    assert_eq!(receive("ignore:notifications/cancelled", CANCELLED), "");
    assert_eq!(receive("ignore:*", CANCELLED), CANCELLED);
    assert_snapshot!(receive("answer:ping:{\"a\":1}", PING), @r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#);
    assert_snapshot!(receive("answer:ping:{}", &format!("[{PING},{CANCELLED}]")), @r#"
    {"jsonrpc":"2.0","id":1,"result":{}}
    [{"jsonrpc":"2.0","method":"notifications/cancelled"}]
    "#);
    assert_eq!(receive("answer:notifications/cancelled:{}", CANCELLED), CANCELLED);
}

#[test]
fn pointers_into_notifications_are_relative_to_params() {
    let progress = json!({"method": "notifications/progress", "params": {"progress": 1}});
    let emitted = OutboundMessage::unsolicited(progress.into());
    let left = |words: &str| {
        show_delivery(&Delivery::of(emitted.clone(), &[fault(words), fault("twice:*")]))
    };
    assert_snapshot!(left("set:notifications/progress:/progress:0"), @r#"{"method":"notifications/progress","params":{"progress":0}}"#);
    assert_snapshot!(left("never:notifications/progress"), @"");
}

#[test]
fn faults_of_clients_affect_their_requests_and_replies() {
    let call = json!({"id": 1, "method": "tools/call", "params": {"name": "add"}});
    let left = |words: &str| {
        show_delivery(&Delivery::from_client(call.clone().into(), None, &[fault(words)]))
    };
    assert_snapshot!(left("remove:tools/call:/name"), @r#"{"id":1,"method":"tools/call","params":{}}"#);
    assert_snapshot!(left("set:*:/params/_meta:1"), @r#"{"id":1,"method":"tools/call","params":{"name":"add","_meta":1}}"#);
    assert_snapshot!(left("error:tools/call:-32603"), @r#"{"id":1,"method":"tools/call","params":{"name":"add"}}"#);
    assert_snapshot!(left("never:tools/call"), @"");
    let answer = json!({"id": "server-1", "result": {"action": "accept"}});
    let answers = Some("elicitation/create".to_owned());
    let faults = [fault("retype:elicitation/create:/action"), fault("wrong-id:*")];
    assert_snapshot!(show_delivery(&Delivery::from_client(answer.into(), answers, &faults)), @r#"{"id":"server-1","result":{"action":7}}"#);
}

#[test]
fn faults_affect_the_items_of_a_batch_separately() {
    let ping = OutboundMessage::reply(json!({"id": 2, "result": {}}).into(), "ping", None);
    let left = |words: &str| {
        show_delivery(&Delivery::of(
            OutboundMessage::batch([reply(), ping.clone()]),
            &[fault(words)],
        ))
    };
    assert_snapshot!(left("wrong-id:ping"), @r#"[{"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}},{"id":1002,"result":{}}]"#);
    assert_snapshot!(left("never:ping"), @r#"[{"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}}]"#);
    assert_snapshot!(left("never:*"), @"then Silence");
    assert_snapshot!(left("twice:ping"), @r#"[{"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}},{"id":2,"result":{}},{"id":2,"result":{}}]"#);
    assert_snapshot!(left("truncate:ping"), @r#"noise [{"id":1,"jsonrpc":"2.0","result":{"tools":[{"name":"add"}]}},{"id":2,"r]"#);
    assert_snapshot!(left("close:tools/list"), @r#"
    [{"id":2,"result":{}}]
    then CloseConnection
    "#);
}

#[test]
fn a_fault_leaves_other_replies_alone() {
    let untouched = show(&Delivery::of(reply(), &[]).parts[0]);
    assert_eq!(left_by("error:tools/call:-32603"), untouched);
    assert_ne!(left_by("error:*:-32603"), untouched);
    let notification =
        OutboundMessage::unsolicited(json!({"jsonrpc": "2.0", "method": "x"}).into());
    let delivery = Delivery::of(notification.clone(), &[Fault::never("*"), Fault::twice("*")]);
    assert_eq!(delivery.parts, [DeliveryPart::Message(notification.value.to_string().into())]);
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
fn every_kind_round_trips_through_its_notation() {
    for word in FAULT_KINDS {
        let example = example(word);
        let fault = fault(&example);
        assert_eq!(fault.name(), example);
        assert_eq!(fault.reach(), word.reach, "{example}");
        assert!(word.form == word.word || word.form.starts_with(&format!("{}:", word.word)));
    }
}

/// A fault of this kind.
fn example(word: &FaultKind) -> String {
    let parts = [
        ("METHOD", "tools/list"),
        ("POINTER", "/name"),
        ("JSON", "{\"a\":[1]}"),
        ("CODE", "-1"),
        ("STATUS", "503"),
        ("TYPE", "text/plain"),
        ("TIME", "20ms"),
        ("COUNT", "3"),
        ("BYTES", "99"),
        ("NAME", "X-Name"),
        ("REQUEST", "token"),
        ("STEP", "discover"),
        ("LOCATION", "http://localhost:1/mcp?a=b"),
        ("TEXT", "a: b"),
    ];
    parts.iter().fold(word.form.to_owned(), |form, (part, with)| form.replace(part, with))
}

#[test]
fn every_fault_of_clients_has_an_effect() {
    let call = || {
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add"}}).into()
    };
    let answer = || json!({"jsonrpc": "2.0", "id": 1, "result": {}}).into();
    let good = Delivery::from_client(call(), None, &[]);
    let good_answer = Delivery::from_client(answer(), Some("ping".to_owned()), &[]);
    let is_of_messages = |word: &&FaultKind| word.is_of(Side::Client) && word.is_of(Side::Server);
    for word in FAULT_KINDS.iter().filter(is_of_messages) {
        let fault = [fault(&example(word).replace("tools/list", "tools/call"))];
        let answered = [self::fault(&example(word).replace("tools/list", "ping"))];
        let shows = Delivery::from_client(call(), None, &fault) != good
            || Delivery::from_client(answer(), Some("ping".to_owned()), &answered) != good_answer
            || !HttpFaults::of("tools/call", true, &fault).is_none()
            || fault[0].is(Misbehavior::IgnoresTerm);
        assert!(shows, "{}", fault[0]);
        assert!(fault[0].is_of(Side::Client) && fault[0].is_of(Side::Server));
    }
    assert!(!fault("status:ping:500").is_of(Side::Client));
}

#[test]
fn reach_lists_the_transports() {
    let transports = |reach: Reach| {
        let transports =
            TransportKind::ALL.into_iter().filter(|transport| reach.covers(*transport));
        transports.map(TransportKind::as_str).collect::<Vec<_>>().join(" ")
    };
    assert_snapshot!(transports(Reach::Everywhere), @"duplex stdio http router sse");
    assert_snapshot!(transports(Reach::Lines), @"duplex stdio");
    assert_snapshot!(transports(Reach::Process), @"stdio http sse");
    assert_snapshot!(transports(Reach::Http), @"http router");
    assert_snapshot!(transports(Reach::Network), @"http");
    assert!(!fault("status:ping:500").applies_to(TransportKind::Stdio));
}

#[test]
fn the_interceptor_knows_the_misbehavior() {
    let wire = Interceptor::new([Fault::misbehavior(Misbehavior::KeepsSession)]).open("http");
    assert!(wire.misbehaves(Misbehavior::KeepsSession));
    assert!(!wire.misbehaves(Misbehavior::NoSession));
}

#[test]
fn invalid_notations_are_explained() {
    assert_snapshot!(refused("bannner:x"), @"unknown fault `bannner`; did you mean `banner`?");
    assert_snapshot!(refused("explode"), @"unknown fault `explode`; `mcp-test list --faults` lists all");
    assert_snapshot!(refused("remove:tools/list"), @"`remove:tools/list` has no POINTER; expected `remove:METHOD:POINTER`");
    assert_snapshot!(refused("remove:tools/list:tools/0"), @"`remove:tools/list:tools/0`: POINTER `tools/0` must start with `/`");
    assert_snapshot!(refused("never:"), @"`never:` has no METHOD; expected `never:METHOD`");
    assert_snapshot!(refused("never:tools/lst"), @"`never:tools/lst`: METHOD `tools/lst` is not a method of MCP; did you mean `tools/list`?");
    assert_snapshot!(refused("never:tools/list:now"), @"unexpected `now` at the end of `never:tools/list:now`; expected `never:METHOD`");
    assert_snapshot!(refused("set:tools/list:/tools:{"), @"`set:tools/list:/tools:{`: JSON `{` is not valid JSON: line 1, column 2: expected a member name in double quotes, found the end of the text");
    assert_snapshot!(refused("set:tools/list:/tools"), @"`set:tools/list:/tools` has no JSON; expected `set:METHOD:POINTER:JSON`");
    assert_snapshot!(refused("error:tools/list:many"), @"`error:tools/list:many`: CODE `many` must be a whole number");
    assert_snapshot!(refused("status:tools/list:7"), @"`status:tools/list:7`: STATUS `7` must be an HTTP status from 200 to 599");
    assert_snapshot!(refused("status:DELET:500"), @"`status:DELET:500`: METHOD `DELET` is not a method of MCP; did you mean `DELETE`?");
    assert_snapshot!(refused("never:GET"), @"`never:GET`: METHOD `GET` is not a method of MCP");
    assert_snapshot!(refused("late:ping:5"), @"`late:ping:5`: TIME `5` must be a whole number with its unit, such as `500ms`");
    assert_snapshot!(refused("flood:ping:99999999"), @"`flood:ping:99999999`: COUNT `99999999` must be a whole number up to 1000000");
    assert_snapshot!(refused("header:ping:a b:c"), @"`header:ping:a b:c`: NAME `a b` is not an HTTP header name");
    assert_snapshot!(refused("ignore-eof:now"), @"unexpected `now` at the end of `ignore-eof:now`; expected `ignore-eof`");
    assert_snapshot!(refused("session-id:a\nb"), @r"
    `session-id:a
    b`: TEXT `a
    b` contains a control character, which HTTP headers do not allow
    ");
}

#[test]
fn banners_and_session_ids() {
    let wire =
        Interceptor::new([Fault::banner("Starting up"), Fault::session_id(" ")]).open("duplex");
    let banners: Vec<_> = wire.banners().map(|part| show(&part)).collect();
    assert_eq!(banners, ["noise Starting up"]);
    assert_eq!(wire.session_id("abcd"), b"ab cd");
}
