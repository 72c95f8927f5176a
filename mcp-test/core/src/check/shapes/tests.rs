//! Conversations written down line by line, and what is wrong with the shapes of their messages.

use super::{ShapeJudgement, judge_shapes};
use crate::spec::Requirement;
use crate::spec::Revision::{self, V2025_06_18, V2025_11_25, V2026_07_28};
use crate::spec::schema::{Authority, Schemas};
use crate::trace::{EventKind, Party, Recorder, Trace};

/// A conversation written down line by line: `>` from the client, `<` from the server, `!` from the client on purpose.
fn trace(lines: &[&str]) -> Trace {
    let recorder = Recorder::new();
    let on = recorder.open("duplex");
    for line in lines {
        let (mark, text) = line.split_at(1);
        let party = if mark == "<" { Party::Server } else { Party::Client };
        let seq = recorder.record(on, party, EventKind::message(text.trim().to_owned().into()));
        if mark == "!" {
            recorder.mark_deliberate(seq);
        }
    }
    recorder.trace()
}

fn judged(revision: Revision, lines: &[&str]) -> ShapeJudgement {
    let schemas = Schemas::default();
    judge_shapes(&trace(lines), Party::Server, &|_| revision, &schemas, Authority::Text)
}

fn reported(judgement: &ShapeJudgement) -> String {
    let line = |finding: &crate::check::Finding| {
        let shape = finding.shape.as_ref().expect("a shape");
        format!("{finding}\n  {shape}; {:?} {:?}\n", finding.requirements, finding.evidence)
    };
    let harness = judgement.harness.iter();
    judgement.findings.iter().chain(harness).map(line).collect()
}

const LIST: &str = r#"> {"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

#[test]
fn a_good_conversation_is_judged_without_a_finding() {
    let lines = [
        LIST,
        r#"< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}"#,
        r#"< {"jsonrpc":"2.0","id":"s","method":"roots/list"}"#,
        r#"> {"jsonrpc":"2.0","id":"s","result":{"roots":[]}}"#,
        r#"> {"jsonrpc":"2.0","id":2,"method":"com.example/own","params":{"any":["thing"]}}"#,
        r#"< {"jsonrpc":"2.0","id":2,"result":{"any":"thing"}}"#,
    ];
    let judgement = judged(V2025_11_25, &lines);
    assert_eq!(reported(&judgement), "");
    assert_eq!((judgement.judged, judgement.from_peer), (6, 3));
}

#[test]
fn a_result_is_judged_by_what_it_answers() {
    let lines = [
        LIST,
        r#"> {"jsonrpc":"2.0","id":"1","method":"prompts/list"}"#,
        r#"< {"jsonrpc":"2.0","id":"1","result":{"prompts":{}}}"#,
        r#"< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":7,"inputSchema":{"type":"object"}}]}}"#,
        r#"< {"jsonrpc":"2.0","id":9,"result":{"tools":7}}"#,
    ];
    insta::assert_snapshot!(reported(&judged(V2025_11_25, &lines)));
}

#[test]
fn the_revision_is_the_one_in_force() {
    let audio = r#"{"type":"audio","data":"","mimeType":"audio/wav"}"#;
    let said = format!(r#"< {{"jsonrpc":"2.0","id":1,"result":{{"content":[{audio}]}}}}"#);
    let call = r#"> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}"#;
    let begin = r#"> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}"#;
    let agree = r#"< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"a","version":"1"}}}"#;
    assert_eq!(reported(&judged(V2025_06_18, &[call, &said])), "");
    let older = judged(V2025_06_18, &[begin, agree, call, &said]);
    let shape = older.findings[0].shape.as_ref().expect("a shape");
    assert_eq!(shape.revision, Revision::V2024_11_05);
}

#[test]
fn what_the_envelope_breaks_is_not_said_again() {
    let lines = [
        LIST,
        r#"< {"jsonrpc":"2.0","id":1,"result":[]}"#,
        r#"< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#,
        r#"< {"jsonrpc":"2.0","method":"notifications/message","params":[]}"#,
        r#"< {"id":1,"result":{"tools":[]}}"#,
        r#"< {"jsonrpc":"2.0","id":null,"method":"ping"}"#,
    ];
    assert_eq!(reported(&judged(V2025_11_25, &lines)), "");
    let untyped = [
        LIST,
        r#"< {"jsonrpc":"2.0","id":1,"result":{"tools":[],"ttlMs":0,"cacheScope":"public"}}"#,
    ];
    assert_eq!(judged(V2026_07_28, &untyped).findings, []);
}

#[test]
fn ours_are_our_fault_unless_they_were_meant() {
    let wrong = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}"#;
    let meant = judged(V2025_11_25, &[&format!("! {wrong}")]);
    assert_eq!((meant.harness.len(), meant.judged), (0, 0));
    insta::assert_snapshot!(reported(&judged(V2025_11_25, &[&format!("> {wrong}")])));
}

#[test]
fn what_we_break_of_the_envelope_is_our_fault_too() {
    let places = |revision, who, line: &str| {
        let (trace, schemas) = (trace(&[line]), Schemas::default());
        let judged = |authority| {
            let judgement = judge_shapes(&trace, who, &|_| revision, &schemas, authority);
            assert_eq!(judgement.findings, []);
            let shapes = judgement.harness.into_iter().filter_map(|finding| finding.shape);
            shapes.map(|shape| shape.pointer.to_string()).collect::<Vec<_>>()
        };
        let found = judged(Authority::Text);
        assert_eq!(judged(Authority::Schema), found);
        found
    };
    let id = r#"> {"jsonrpc":"2.0","id":1.5,"method":"ping"}"#;
    assert_eq!(places(V2025_11_25, Party::Server, id), ["/id"]);
    let untyped = r#"< {"jsonrpc":"2.0","id":1,"result":{}}"#;
    assert_eq!(places(V2026_07_28, Party::Client, untyped), ["/result/resultType"]);
    let refusal = |id: &str| {
        format!(r#"> {{"jsonrpc":"2.0","id":{id},"error":{{"code":-1,"message":"no"}}}}"#)
    };
    for repeated in ["null", "1.5"] {
        assert!(places(V2025_11_25, Party::Server, &refusal(repeated)).is_empty());
    }
}

#[test]
fn a_flood_of_invalid_messages_is_judged_up_to_a_bound() {
    let log = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;
    let batch = format!("< [{}]", vec![log; 1000].join(","));
    let judgement = judged(Revision::V2025_03_26, &[batch.as_str(); 11]);
    assert_eq!((judgement.judged, judgement.from_peer), (super::WRONG, super::WRONG));
    let hint = judgement.findings.first().and_then(|finding| finding.hint.as_deref());
    assert_eq!(hint, Some("at least 9999 more of this kind"));
}

#[test]
fn a_repeated_violation_is_reported_once() {
    let log = r#"< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"loud","data":1}}"#;
    let other = r#"< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}"#;
    let lines: Vec<&str> = std::iter::repeat_n(log, 1000).chain([other]).collect();
    let judgement = judged(V2025_11_25, &lines);
    assert_eq!((judgement.findings.len(), judgement.from_peer), (2, 1001));
    let hint = judgement.findings[0].hint.as_deref();
    assert_eq!(hint, Some("999 more of this kind"));
}

#[test]
fn an_item_of_a_batch_is_found_in_its_place() {
    let batch = r#"< [{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}},{"jsonrpc":"2.0","method":"notifications/message","params":{}}]"#;
    let judgement = judged(Revision::V2025_03_26, &[batch]);
    let places: Vec<&str> = judgement
        .findings
        .iter()
        .filter_map(|finding| Some(finding.shape.as_ref()?.pointer.as_str()))
        .collect();
    assert_eq!(places, ["/1/params/level", "/1/params/data"]);
}

#[test]
fn what_the_text_allows_is_marked_where_the_schema_is_the_law() {
    let trace = trace(&[
        r#"< {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"a","requestedSchema":{"type":"object","properties":{}}}}"#,
        r#"> {"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"score":95.5,"name":{}}}}"#,
    ]);
    let allowed = |authority| {
        let schemas = Schemas::default();
        let judgement = judge_shapes(&trace, Party::Client, &|_| V2025_11_25, &schemas, authority);
        let shapes = judgement.findings.into_iter().filter_map(|finding| finding.shape);
        shapes.map(|it| (it.pointer.to_string(), it.allowed)).collect::<Vec<_>>()
    };
    let (score, name) = ("/result/content/score".to_owned(), "/result/content/name".to_owned());
    let why = "the numbers in the content of a form need not be integers";
    assert_eq!(allowed(Authority::Text), [(name.clone(), None)]);
    assert_eq!(allowed(Authority::Schema), [(score, Some(why)), (name, None)]);
}

#[test]
fn what_answers_something_wrong_is_not_held_against_us() {
    let answer = r#"> {"jsonrpc":"2.0","id":"s","result":{"roots":[{"uri":7}]}}"#;
    let harness = |lines: &[&str]| judged(V2025_11_25, lines).harness.len();
    assert_eq!(harness(&[r#"< {"jsonrpc":"2.0","id":"s","method":"roots/list"}"#, answer]), 1);
    let wrong = r#"< {"jsonrpc":"2.0","id":"s","method":"roots/list","params":{"_meta":7}}"#;
    assert_eq!(harness(&[wrong, answer]), 0);

    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let call = format!(
        r#"> {{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"a",{meta}}}}}"#
    );
    let again = format!(
        r#"> {{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"a","inputResponses":{{"r":7}},{meta}}}}}"#
    );
    let asks = |requests: &str| {
        format!(
            r#"< {{"jsonrpc":"2.0","id":1,"result":{{"resultType":"input_required","inputRequests":{requests}}}}}"#
        )
    };
    let harness = |asked: &str| judged(V2026_07_28, &[&call, &asks(asked), &again]).harness.len();
    assert_eq!(harness(r#"{"r":{"method":"roots/list"}}"#), 1);
    assert_eq!(harness(r#"{"r":{"method":"roots/give"}}"#), 0);
}

#[test]
fn what_a_client_sends_is_judged_by_the_place_in_it() {
    let broken = |revision: Revision, lines: &[&str]| -> Vec<&'static Requirement> {
        let schemas = Schemas::default();
        let trace = trace(lines);
        let judged = judge_shapes(&trace, Party::Client, &|_| revision, &schemas, Authority::Text);
        judged.findings.iter().flat_map(|finding| finding.requirements.clone()).collect()
    };
    let get = r#"> {"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"a","arguments":{"count":3}}}"#;
    assert_eq!(broken(V2025_11_25, &[get]), [Requirement::PROMPTS_GET_CLIENT_ARGUMENTS_STRINGS]);
    let ask = r#"< {"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}"#;
    let answer = |content: &str| {
        let message = format!(r#"{{"role":"assistant","model":"m","content":{content}}}"#);
        format!(r#"> {{"jsonrpc":"2.0","id":"s","result":{message}}}"#)
    };
    let link = answer(r#"{"type":"resource_link","uri":"a:b","name":"a"}"#);
    assert_eq!(
        broken(V2025_11_25, &[ask, &link]),
        [Requirement::SAMPLING_CONTENT_TYPES_WITH_TOOLS]
    );
    let several = answer(r#"[{"type":"text","text":"a"}]"#);
    assert_eq!(
        broken(V2025_06_18, &[ask, &several]),
        [Requirement::SAMPLING_CONTENT_TYPES_WITH_AUDIO]
    );
    let image = answer(r#"{"type":"image","data":"data:,","mimeType":"image/png"}"#);
    assert_eq!(broken(V2025_11_25, &[ask, &image]), [Requirement::SAMPLING_CONTENT_BASE64]);
}

#[test]
fn the_reply_to_a_request_without_a_revision_has_no_shape_where_each_has_to_name_one() {
    let result = r#"< {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#;
    assert_eq!(judged(V2026_07_28, &[LIST.replacen('>', "!", 1).as_str(), result]).findings, []);
    assert_eq!(judged(V2025_11_25, &[LIST, result]).from_peer, 1);
}
