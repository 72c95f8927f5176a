//! Conversations, and the rules that the messages of the client break.

use std::time::Duration;

use super::*;
use crate::check::recorded::recorded;
use crate::check::walk::walk;
use crate::spec::Requirement;
use crate::trace::Trace;

/// The requirements that a conversation breaks; see [`recorded`].
fn broken(revision: Revision, lines: &[&str]) -> String {
    broken_in(&recorded(lines), revision)
}

fn broken_in(trace: &Trace, revision: Revision) -> String {
    let revisions = |_| revision;
    let mut judge = ClientConversationJudge::default();
    walk(trace, &revisions, &mut judge);
    let line = |finding: &Finding| {
        let level =
            if finding.severity == crate::check::Severity::Must { "must" } else { "should" };
        format!("{level} {} {:?}\n", words::joined(&finding.requirements, " "), finding.got)
    };
    judge.findings.into_findings().iter().map(line).collect()
}

const INITIALIZE: &str = r#"> "id":0,"method":"initialize","params":{"capabilities":{"roots":{}}}"#;
const INITIALIZED: &str = r#"< "id":0,"result":{"capabilities":{"tools":{},"resources":{}}}"#;
const LIST: &str = r#"> "id":1,"method":"tools/list""#;

fn after_the_handshake(revision: Revision, lines: &[&str]) -> String {
    broken(revision, &[&[INITIALIZE, INITIALIZED], lines].concat())
}

#[test]
fn until_initialize_is_answered_only_pings_are_requested() {
    let ping = r#"> "id":7,"method":"ping""#;
    insta::assert_snapshot!(broken(Revision::V2025_11_25, &[INITIALIZE, ping, LIST, INITIALIZED]), @r#"should lifecycle.client-requests-before-response Some("`tools/list`")"#);
    assert_eq!(broken(Revision::V2025_11_25, &[INITIALIZE, ping, INITIALIZED, LIST]), "");
    // A second client on the same connection may have its session already.
    let second = INITIALIZE.replace("\"id\":0", "\"id\":9");
    let posted = [
        format!("1{INITIALIZE}"),
        format!("1{INITIALIZED}"),
        format!("2{second}"),
        format!("3{LIST}"),
    ];
    assert_eq!(broken(Revision::V2025_11_25, &posted.each_ref().map(String::as_str)), "");
}

#[test]
fn what_is_sent_needs_its_capability() {
    let lines = [
        LIST,
        r#"> "id":2,"method":"prompts/list""#,
        r#"> "id":3,"method":"resources/subscribe","params":{"uri":"a:b"}"#,
        r#"> "id":4,"method":"resources/unsubscribe","params":{"uri":"a:c"}"#,
        r#"> "method":"notifications/roots/list_changed""#,
        r#"> "id":5,"method":"ping""#,
        r#"> "id":6,"method":"example.com/other""#,
    ];
    insta::assert_snapshot!(after_the_handshake(Revision::V2025_11_25, &lines), @r#"
    must prompts.impl.respect-negotiation lifecycle.capabilities-respected Some("`prompts/list`")
    must resources.subscribe.requires-capability Some("`resources/subscribe`")
    must resources.subscribe.requires-capability Some("`resources/unsubscribe`")
    should resources.unsubscribe.after-subscribe Some("a:c")
    must roots.list-changed.requires-capability Some("`notifications/roots/list_changed`")
    "#);
    insta::assert_snapshot!(after_the_handshake(Revision::V2024_11_05, &lines), @r#"
    should prompts.impl.respect-negotiation lifecycle.capabilities-respected-should Some("`prompts/list`")
    must resources.subscribe.requires-capability Some("`resources/subscribe`")
    must resources.subscribe.requires-capability Some("`resources/unsubscribe`")
    should resources.unsubscribe.after-subscribe Some("a:c")
    must roots.list-changed.requires-capability Some("`notifications/roots/list_changed`")
    "#);
    let without_tools = r#"< "id":0,"result":{"capabilities":{}}"#;
    insta::assert_snapshot!(broken(Revision::V2025_11_25, &[INITIALIZE, without_tools, LIST]), @r#"must base.tools-require-capability Some("`tools/list`")"#);
    // What the server offers is not known.
    assert_eq!(broken(Revision::V2026_07_28, &[LIST]), "");
    let discovered = [
        r#"> "id":0,"method":"server/discover""#,
        r#"< "id":0,"result":{"capabilities":{}}"#,
        LIST,
        r#"> "id":2,"method":"prompts/list""#,
    ];
    insta::assert_snapshot!(broken(Revision::V2026_07_28, &discovered), @r#"
    must base.tools-require-capability Some("`tools/list`")
    must prompts.impl.respect-negotiation base.capabilities-respected Some("`prompts/list`")
    "#);
}

#[test]
fn what_is_sent_belongs_to_the_agreed_version() {
    let tasks = [r#"> "id":2,"method":"tasks/list""#];
    insta::assert_snapshot!(after_the_handshake(Revision::V2025_06_18, &tasks), @r#"must lifecycle.version-respected Some("`tasks/list`")"#);
    insta::assert_snapshot!(after_the_handshake(Revision::V2025_03_26, &tasks), @r#"should lifecycle.version-respected-should Some("`tasks/list`")"#);
    let subscribe = [r#"> "id":2,"method":"resources/subscribe","params":{"uri":"a:b"}"#];
    insta::assert_snapshot!(broken(Revision::V2026_07_28, &subscribe), @r#"must resources.subscribe.removed Some("`resources/subscribe`")"#);
    let removed = [
        r#"> "id":2,"method":"ping""#,
        r#"> "id":3,"method":"logging/setLevel","params":{"level":"info"}"#,
        r#"> "method":"notifications/roots/list_changed""#,
    ];
    insta::assert_snapshot!(broken(Revision::V2026_07_28, &removed), @r#"
    should ping.removed Some("`ping`")
    must logging.set-level.removed Some("`logging/setLevel`")
    must roots.list-changed.removed Some("`notifications/roots/list_changed`")
    "#);
    let declares = r#"> "id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{"roots":{"listChanged":true}}}}"#;
    insta::assert_snapshot!(broken(Revision::V2026_07_28, &[declares]), @r#"must roots.list-changed.removed Some("true")"#);
    assert_eq!(broken(Revision::V2025_11_25, &[declares]), "");
    let discover = [r#"> "id":2,"method":"server/discover""#, INITIALIZE, INITIALIZED];
    assert_eq!(broken(Revision::V2025_11_25, &discover), "");
}

#[test]
fn the_version_that_is_proposed_is_one_of_mcp() {
    let proposed = |version: &str| {
        let initialize = format!(
            r#"> "id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}}}}"#
        );
        broken(Revision::V2025_11_25, &[&initialize])
    };
    insta::assert_snapshot!(proposed("1.0"), @r#"must lifecycle.version-client-supported Some("1.0")"#);
    insta::assert_snapshot!(proposed("2025-01-01"), @r#"must lifecycle.version-client-supported Some("2025-01-01")"#);
    for version in ["2024-11-05", "2025-11-25", "2031-01-01", "DRAFT-2026-v1"] {
        assert_eq!(proposed(version), "", "{version}");
    }
}

#[test]
fn a_cancellation_names_a_request_of_the_client_other_than_initialize() {
    let cancel =
        |id: u8| format!(r#"> "method":"notifications/cancelled","params":{{"requestId":{id}}}"#);
    let [initialize, list, unknown] = [0, 1, 7].map(cancel);
    let lines = [&initialize, LIST, &list, &unknown];
    insta::assert_snapshot!(after_the_handshake(Revision::V2025_11_25, &lines), @r#"
    must cancellation.initialize-not-cancelled Some("`notifications/cancelled` for the request 0")
    must cancellation.only-own-inflight Some("7")
    "#);
    insta::assert_snapshot!(broken(Revision::V2026_07_28, &[LIST, &list, &unknown]), @r#"must cancellation.only-client-inflight Some("7")"#);
}

#[test]
fn a_task_is_not_cancelled_with_a_notification() {
    let call = r#"> "id":2,"method":"tools/call","params":{"name":"a","task":{}}"#;
    let cancel = r#"> "method":"notifications/cancelled","params":{"requestId":2}"#;
    let declared = r#"< "id":0,"result":{"capabilities":{"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}}}"#;
    insta::assert_snapshot!(broken(Revision::V2025_11_25, &[INITIALIZE, declared, call, cancel]), @r#"must cancellation.task-uses-tasks-cancel Some("`notifications/cancelled` for 2")"#);
    let plain = call.replace(r#","task":{}"#, "");
    assert_eq!(broken(Revision::V2025_11_25, &[INITIALIZE, declared, &plain, cancel]), "");
}

#[test]
fn pings_are_not_excessive() {
    let ping = |id: u8| format!(r#"> "id":{id},"method":"ping""#);
    let pings = [1, 2, 3, 4, 5, 6].map(ping);
    let pings = pings.each_ref().map(String::as_str);
    insta::assert_snapshot!(after_the_handshake(Revision::V2025_11_25, &pings), @r#"should ping.not-excessive Some("more")"#);
    assert_eq!(after_the_handshake(Revision::V2025_11_25, &pings[..5]), "");
}

#[test]
fn initialize_is_not_in_a_batch() {
    use crate::trace::{ParsedText, Recorder};
    let recorder = Recorder::new();
    let connection = recorder.open("duplex");
    let text = r#"[{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}]"#;
    let text = bytes::Bytes::from(text);
    let parsed = ParsedText::parse(&text);
    recorder.record(connection, Party::Client, EventKind::Message { text, parsed });
    let (trace, revisions) = (recorder.trace(), |_| Revision::V2025_03_26);
    let mut judge = ClientConversationJudge::default();
    walk(&trace, &revisions, &mut judge);
    let findings = judge.findings.into_findings();
    let requirements = findings.iter().flat_map(|finding| finding.requirements.clone());
    assert_eq!(requirements.collect::<Vec<_>>(), [Requirement::LIFECYCLE_INITIALIZE_NOT_BATCHED]);
}

#[test]
fn requests_in_progress_have_their_own_progress_tokens() {
    let call = |id: u8| {
        format!(r#"> "id":{id},"method":"tools/list","params":{{"_meta":{{"progressToken":5}}}}"#)
    };
    let reply = r#"< "id":1,"result":{"tools":[]}"#;
    let [first, second] = [1, 2].map(call);
    insta::assert_snapshot!(after_the_handshake(Revision::V2025_11_25, &[&first, &second, reply]), @r#"must progress.token-unique Some("5")"#);
    assert_eq!(after_the_handshake(Revision::V2025_11_25, &[&first, reply, &second]), "");
    let cancel = r#"> "method":"notifications/cancelled","params":{"requestId":1}"#;
    assert_eq!(after_the_handshake(Revision::V2025_11_25, &[&first, cancel, &second]), "");
}

#[test]
fn a_tool_is_called_as_a_task_where_both_sides_say_so() {
    let tools = r#"< "id":1,"result":{"tools":[{"name":"plain"},{"name":"free","execution":{"taskSupport":"optional"}},{"name":"task","execution":{"taskSupport":"required"}}]}"#;
    let call = |id: u8, tool: &str, task: &str| {
        format!(r#"> "id":{id},"method":"tools/call","params":{{"name":"{tool}"{task}}}"#)
    };
    let task = r#","task":{}"#;
    let calls = [
        call(2, "plain", task),
        call(3, "plain", ""),
        call(4, "free", task),
        call(5, "free", ""),
        call(6, "task", task),
        call(7, "task", ""),
    ];
    let calls = calls.each_ref().map(String::as_str);
    let declared = r#"< "id":0,"result":{"capabilities":{"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}}}"#;
    let before = [INITIALIZE, declared, LIST, tools];
    insta::assert_snapshot!(broken(Revision::V2025_11_25, &[&before, &calls[..]].concat()), @r#"
    must tools.definition.task-support-default tasks.tool-forbidden-not-augmented Some("`tools/call` of the tool \"plain\"")
    must tasks.tool-required-augmented Some("`tools/call` of the tool \"task\"")
    "#);
    insta::assert_snapshot!(after_the_handshake(Revision::V2025_11_25, &[&[LIST, tools], &calls[..]].concat()), @r#"
    must tasks.augment-only-declared tasks.no-augment-without-capability tasks.tool-augment-requires-capability Some("`tools/call` of the tool \"plain\"")
    must tasks.augment-only-declared tasks.no-augment-without-capability tasks.tool-augment-requires-capability Some("`tools/call` of the tool \"free\"")
    must tasks.augment-only-declared tasks.no-augment-without-capability tasks.tool-augment-requires-capability Some("`tools/call` of the tool \"task\"")
    "#);
}

#[test]
fn progress_has_the_token_of_a_request_and_increases_until_the_reply() {
    let request =
        r#"< "id":7,"method":"sampling/createMessage","params":{"_meta":{"progressToken":7}}"#;
    let progress = |token: &str, progress: u8| {
        format!(
            r#"> "method":"notifications/progress","params":{{"progressToken":{token},"progress":{progress}}}"#
        )
    };
    let reply = r#"> "id":7,"result":{}"#;
    let said = [
        progress("7", 1),
        progress("7", 2),
        progress("7", 2),
        progress("\"7\"", 3),
        progress("8", 1),
    ];
    let said = said.each_ref().map(String::as_str);
    let late = progress("7", 9);
    insta::assert_snapshot!(after_the_handshake(Revision::V2025_11_25, &[&[request], &said[..], &[reply, &late]].concat()), @r#"
    must progress.increases Some("2")
    must progress.token-echoed Some("\"7\"")
    must progress.token-known Some("8")
    must progress.stops-after-completion Some("progress for the token 7")
    "#);
}

#[test]
fn progress_can_be_shown_and_says_something() {
    let request =
        r#"< "id":7,"method":"sampling/createMessage","params":{"_meta":{"progressToken":7}}"#;
    let progress = |progress: usize, text: &str| {
        format!(
            r#"> "method":"notifications/progress","params":{{"progressToken":7,"progress":{progress}{text}}}"#
        )
    };
    let much: Vec<String> = (1..=1001).map(|number| progress(number, "")).collect();
    let much =
        [INITIALIZE, INITIALIZED, request].into_iter().chain(much.iter().map(String::as_str));
    let much = recorded(&much.collect::<Vec<_>>());
    // A message of a client over HTTP has an exchange of its own, which changes nothing.
    let after = |milliseconds: u64, has_exchanges: bool| {
        let mut trace = much.clone();
        for (event, number) in trace.events.iter_mut().zip(0..) {
            event.at = Duration::from_millis(milliseconds) * number;
            event.exchange = has_exchanges.then(|| u64::from(number));
        }
        broken_in(&trace, Revision::V2025_11_25)
    };
    insta::allow_duplicates! {
        for has_exchanges in [false, true] {
            insta::assert_snapshot!(after(0, has_exchanges), @r#"should progress.rate-limited Some("more")"#);
            assert_eq!(after(1, has_exchanges), "");
        }
    }
    let [blank, text] = [" ", "half"].map(|text| progress(1, &format!(r#","message":"{text}""#)));
    insta::assert_snapshot!(after_the_handshake(Revision::V2025_11_25, &[request, &blank]), @r#"should progress.message-meaningful Some("\" \"")"#);
    assert_eq!(after_the_handshake(Revision::V2025_11_25, &[request, &text]), "");
}
