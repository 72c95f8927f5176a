//! Conversations, and the rules that their messages break.

use super::*;
use crate::check::recorded::{NOTHING, recorded};
use crate::check::walk::walk;
use crate::spec::Requirement;
use crate::trace::{ConnectionId, ParsedText, Recorder};

/// The requirements that a conversation breaks; see [`recorded`].
fn broken(revision: Revision, lines: &[&str]) -> String {
    let (trace, revisions) = (recorded(lines), |_| revision);
    let mut judge = ConversationJudge::default();
    walk(&trace, &revisions, &mut judge);
    let line = |finding: &Finding| {
        format!("{} {:?}\n", words::joined(&finding.requirements, " "), finding.got)
    };
    judge.findings.into_findings().iter().map(line).collect()
}

const HANDSHAKE: [&str; 2] = [
    r#"> "id":0,"method":"initialize","params":{"capabilities":{"roots":{}}}"#,
    r#"< "id":0,"result":{"capabilities":{"tools":{},"logging":{}}}"#,
];

fn after_the_handshake(revision: Revision, lines: &[&str]) -> String {
    broken(revision, &[&HANDSHAKE, lines].concat())
}

#[test]
fn a_notification_belongs_to_a_request_or_a_subscription() {
    let list = r#"> "id":1,"method":"tools/list","params":{}"#;
    let reply = r#"< "id":1,"result":{}"#;
    let changed = r#"< "method":"notifications/tools/list_changed""#;
    let lines = [list, changed, reply, changed];
    insta::assert_snapshot!(broken(Revision::V2026_07_28, &lines), @r#"tools.list-changed.only-on-listen-stream Some("no such request in this connection")"#);
    assert_eq!(broken(Revision::V2025_11_25, &lines), "");
    let filter = r#"{"notifications":{"toolsListChanged":true}}"#;
    let listen = list.replace("tools/list", "subscriptions/listen").replace("{}", filter);
    let again = [listen.as_str(), reply, changed];
    insta::assert_snapshot!(broken(Revision::V2026_07_28, &again), @r#"transport.stdio.server-message-kinds Some("`notifications/tools/list_changed`")"#);
    assert_eq!(broken(Revision::V2026_07_28, &[&listen, changed]), "");
    let posted = [&format!("1{list}"), &format!("1{changed}")];
    insta::assert_snapshot!(broken(Revision::V2026_07_28, &posted.map(String::as_str)), @r#"tools.list-changed.only-on-listen-stream Some("no such request in this connection")"#);
}

#[test]
fn progress_arrives_on_the_response_to_its_own_request() {
    let call = |id: u8| {
        format!(
            r#"{id}> "id":{id},"method":"tools/call","params":{{"_meta":{{"progressToken":"{id}"}}}}"#
        )
    };
    let progress = |exchange: u8, token: u8| {
        format!(
            r#"{exchange}< "method":"notifications/progress","params":{{"progressToken":"{token}","progress":1}}"#
        )
    };
    let lines = [call(1), call(2), progress(1, 1), progress(1, 2)];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    insta::assert_snapshot!(broken(Revision::V2025_11_25, &lines), @r#"transport.http.sse-messages-related Some("progress for the token \"2\"")"#);
    insta::assert_snapshot!(broken(Revision::V2026_07_28, &lines), @r#"transport.http.sse-notifications-related Some("progress for the token \"2\"")"#);
}

/// A conversation over HTTP that a test records step by step.
struct Http {
    recorder: Recorder,
    connection: ConnectionId,
}

impl Http {
    fn new() -> Self {
        let recorder = Recorder::new();
        let connection = recorder.open("http");
        Self { recorder, connection }
    }

    fn record(&self, exchange: u64, party: Party, kind: EventKind) {
        self.recorder.record_in(self.connection, Some(exchange), party, kind);
    }

    fn message(&self, exchange: u64, party: Party, text: &str) {
        let text = bytes::Bytes::from(format!("{{\"jsonrpc\":\"2.0\",{text}}}"));
        let parsed = ParsedText::parse(&text);
        self.record(exchange, party, EventKind::Message { text, parsed });
    }

    /// Posts a message in a session.
    fn post(&self, exchange: u64, session: &str, text: &str) {
        let headers = vec![(header::MCP_SESSION_ID.to_owned(), session.to_owned())];
        let (method, path) = ("POST".to_owned(), "/mcp".to_owned());
        self.record(exchange, Party::Client, EventKind::HttpRequest { method, path, headers });
        self.message(exchange, Party::Client, text);
    }

    fn close(&self, exchange: u64) {
        let how = "closed by mcp-test".to_owned();
        self.record(exchange, Party::Client, EventKind::Closed { how });
    }

    fn broken(&self, revision: Revision) -> Vec<&'static Requirement> {
        let (trace, revisions) = (self.recorder.trace(), |_| revision);
        let mut judge = ConversationJudge::default();
        walk(&trace, &revisions, &mut judge);
        judge
            .findings
            .into_findings()
            .into_iter()
            .flat_map(|finding| finding.requirements)
            .collect()
    }
}

#[test]
fn a_request_whose_response_was_closed_reports_no_progress_elsewhere() {
    let http = Http::new();
    let call = |id: u64| {
        let meta = format!(r#""_meta":{{"progressToken":"{id}"}}"#);
        let text = format!(r#""id":{id},"method":"tools/call","params":{{{meta}}}"#);
        http.message(id, Party::Client, &text);
    };
    call(1);
    http.close(1);
    call(2);
    let progress =
        r#""method":"notifications/progress","params":{"progressToken":"1","progress":1}"#;
    http.message(2, Party::Server, progress);
    assert_eq!(
        http.broken(Revision::V2026_07_28),
        [
            Requirement::TRANSPORT_HTTP_CANCEL_NO_FURTHER_MESSAGES,
            Requirement::TRANSPORT_HTTP_SSE_NOTIFICATIONS_RELATED
        ]
    );
}

#[test]
fn a_subscription_whose_response_was_closed_brings_nothing_elsewhere() {
    let filter = r#""params":{"notifications":{"toolsListChanged":true}}"#;
    let meta = r#""_meta":{"io.modelcontextprotocol/subscriptionId":1}"#;
    let changed = format!(r#""method":"notifications/tools/list_changed","params":{{{meta}}}"#);
    let misplaced = Requirement::TRANSPORT_HTTP_SSE_NOTIFICATIONS_RELATED;
    let broken = |is_closed: bool| {
        let http = Http::new();
        let listen = format!(r#""id":1,"method":"subscriptions/listen",{filter}"#);
        http.message(1, Party::Client, &listen);
        if is_closed {
            http.close(1);
        }
        http.message(2, Party::Client, r#""id":2,"method":"tools/list""#);
        http.message(2, Party::Server, &changed);
        http.broken(Revision::V2026_07_28)
    };
    assert_eq!(broken(true), [Requirement::SUBSCRIPTIONS_CANCEL_ENDS, misplaced]);
    assert_eq!(broken(false), [misplaced]);
}

#[test]
fn what_is_sent_needs_its_capability() {
    let lines = [
        r#"< "method":"notifications/tools/list_changed""#,
        r#"< "method":"notifications/prompts/list_changed""#,
        r#"< "method":"notifications/resources/list_changed""#,
        r#"< "method":"notifications/resources/updated","params":{"uri":"a:b"}"#,
        r#"< "method":"notifications/message","params":{"level":"info","data":1}"#,
        r#"< "id":"s1","method":"roots/list""#,
        r#"< "id":"s2","method":"sampling/createMessage""#,
        r#"< "id":"s3","method":"ping""#,
        r#"< "id":"s4","method":"example.com/other""#,
    ];
    insta::assert_snapshot!(after_the_handshake(Revision::V2025_11_25, &lines), @r#"
    tools.list-changed.requires-capability Some("`notifications/tools/list_changed`")
    prompts.list-changed.requires-capability Some("`notifications/prompts/list_changed`")
    resources.list-changed.requires-capability Some("`notifications/resources/list_changed`")
    resources.updated.requires-subscribe-capability Some("`notifications/resources/updated`")
    sampling.request.requires-capability lifecycle.capabilities-respected Some("`sampling/createMessage`")
    "#);
    insta::assert_snapshot!(after_the_handshake(Revision::V2025_03_26, &lines[6..]), @r#"sampling.request.requires-capability lifecycle.capabilities-respected-should Some("`sampling/createMessage`")"#);
    // Nobody knows what was declared.
    assert_eq!(broken(Revision::V2025_11_25, &lines), "");
}

#[test]
fn what_is_served_needs_its_capability() {
    let exchange = |id: usize, method: &str| {
        [
            format!(r#"> "id":{id},"method":"{method}","params":{{}}"#),
            format!(r#"< "id":{id},"result":{{}}"#),
        ]
    };
    let served = |revision, methods: &[&str]| {
        let lines = (1..).zip(methods).flat_map(|(id, method)| exchange(id, method));
        let lines: Vec<String> = lines.collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let lines = [&[HANDSHAKE[0], r#"< "id":0,"result":{"capabilities":{}}"#], &*lines].concat();
        broken(revision, &lines)
    };
    let levels = ["logging/setLevel", "resources/subscribe"];
    let tasks = ["tasks/get", "tasks/result", "tasks/list", "tasks/cancel"];
    insta::assert_snapshot!(served(Revision::V2025_11_25, &[&levels[..], &tasks].concat()), @r#"
    lifecycle.capabilities-respected Some("a result")
    lifecycle.capabilities-respected Some("a result")
    lifecycle.capabilities-respected Some("a result")
    lifecycle.capabilities-respected Some("a result")
    tasks.list-requires-capability lifecycle.capabilities-respected Some("a result")
    tasks.cancel-requires-capability lifecycle.capabilities-respected Some("a result")
    "#);
    insta::assert_snapshot!(served(Revision::V2025_03_26, &levels), @r#"
    lifecycle.capabilities-respected-should Some("a result")
    lifecycle.capabilities-respected-should Some("a result")
    "#);
    let extension = ["tasks/get", "tasks/update", "tasks/cancel"];
    insta::assert_snapshot!(served(Revision::V2026_07_28, &extension), @r#"
    base.capabilities-respected Some("a result")
    base.capabilities-respected Some("a result")
    base.capabilities-respected Some("a result")
    "#);
}

#[test]
fn log_messages_are_not_below_the_level_that_was_set() {
    let debug = r#"< "method":"notifications/message","params":{"level":"debug","data":1}"#;
    let error = r#"< "method":"notifications/message","params":{"level":"error","data":1}"#;
    let set = r#"> "id":1,"method":"logging/setLevel","params":{"level":"error"}"#;
    let lines = [debug, set, debug, r#"< "id":1,"result":{}"#, error, debug];
    insta::assert_snapshot!(after_the_handshake(Revision::V2025_11_25, &lines), @r#"logging.set-level.threshold Some("level `debug`")"#);
    let refused = [set, r#"< "id":1,"error":{"code":-32603,"message":"no"}"#, debug];
    assert_eq!(after_the_handshake(Revision::V2025_11_25, &refused), "");
    // On another stream it may have been sent before.
    let elsewhere = [&format!("1{set}"), r#"1< "id":1,"result":{}"#, &format!("2{debug}")];
    assert_eq!(after_the_handshake(Revision::V2025_11_25, &elsewhere), "");
}

#[test]
fn a_level_holds_for_requests_that_are_posted_later_in_the_same_session() {
    let debug = r#""method":"notifications/message","params":{"level":"debug","data":1}"#;
    let broken = |session: &str, is_before: bool| {
        let http = Http::new();
        let call = || http.post(2, session, r#""id":2,"method":"tools/list""#);
        if is_before {
            call();
        }
        http.post(1, "a", r#""id":1,"method":"logging/setLevel","params":{"level":"error"}"#);
        http.message(1, Party::Server, r#""id":1,"result":{}"#);
        if !is_before {
            call();
        }
        http.message(2, Party::Server, debug);
        http.broken(Revision::V2025_11_25)
    };
    assert_eq!(broken("a", false), [Requirement::LOGGING_SET_LEVEL_THRESHOLD]);
    assert_eq!(broken("a", true), NOTHING);
    assert_eq!(broken("b", false), NOTHING);
}

#[test]
fn from_2026_07_28_on_log_messages_are_asked_for() {
    let call = |id: u8, meta: &str| {
        format!(r#"> "id":{id},"method":"tools/call","params":{{"name":"a","_meta":{{{meta}}}}}"#)
    };
    let asking = call(2, r#""io.modelcontextprotocol/logLevel":"warning""#);
    let log = |level: &str| {
        format!(r#"< "method":"notifications/message","params":{{"level":"{level}","data":1}}"#)
    };
    let (warning, info) = (log("warning"), log("info"));
    let silent = call(1, "");
    let lines = [&silent, &info, &asking, &warning, &info].map(String::as_str);
    insta::assert_snapshot!(broken(Revision::V2026_07_28, &lines), @r#"
    logging.per-request.silent-without-level Some("one while no such request was open")
    logging.per-request.threshold Some("level `info`")
    "#);
    let reply = r#"< "id":2,"result":{}"#.to_owned();
    assert_eq!(
        broken(Revision::V2026_07_28, &[&asking, &warning, &reply, &warning].map(String::as_str)),
        "logging.per-request.before-response Some(\"one after it\")\n"
    );
    let exchanges = [("1", &silent), ("2", &asking), ("2", &warning), ("1", &warning)];
    let exchanges = exchanges.map(|(exchange, line)| format!("{exchange}{line}"));
    let exchanges = exchanges.each_ref().map(String::as_str);
    insta::assert_snapshot!(broken(Revision::V2026_07_28, &exchanges), @r#"logging.per-request.silent-without-level Some("one while no such request was open")"#);
}

#[test]
fn progress_has_a_known_token_increases_and_ends_with_the_reply() {
    let call =
        r#"> "id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":"p"}}"#;
    let task = r#"> "id":1,"method":"tools/call","params":{"name":"a","task":{},"_meta":{"progressToken":"p"}}"#;
    let progress = |token: &str, progress: u8| {
        format!(
            r#"< "method":"notifications/progress","params":{{"progressToken":{token},"progress":{progress}}}"#
        )
    };
    let (one, two, other) = (progress("\"p\"", 1), progress("\"p\"", 2), progress("7", 1));
    let reply = r#"< "id":1,"result":{}"#;
    let lines = [call, &one, &two, &two, &other, reply, &progress("\"p\"", 9)];
    insta::assert_snapshot!(broken(Revision::V2025_11_25, &lines), @r#"
    progress.increases Some("2")
    progress.token-known Some("7")
    progress.stops-after-completion Some("progress for the token \"p\"")
    "#);
    assert_eq!(broken(Revision::V2025_11_25, &[task, &one, reply, &two]), "");
    let text = call.replace(r#""p""#, r#""7""#);
    insta::assert_snapshot!(broken(Revision::V2025_11_25, &[&text, &other]), @r#"progress.token-echoed Some("7")"#);
    // The same token again is that of the new request.
    let again = [call, &two, reply, &call.replace("1,", "2,"), &one];
    assert_eq!(broken(Revision::V2025_11_25, &again), "");
    let other_stream = [&format!("1{call}"), &format!("1{reply}"), &format!("2{one}")];
    assert_eq!(broken(Revision::V2025_11_25, &other_stream.map(String::as_str)), "");
}

#[test]
fn progress_of_a_task_ends_with_the_task() {
    let call = r#"> "id":1,"method":"tools/call","params":{"name":"a","task":{},"_meta":{"progressToken":"p"}}"#;
    let created = r#"< "id":1,"result":{"task":{"taskId":"t","status":"working"}}"#;
    let get = r#"> "id":2,"method":"tasks/get","params":{"taskId":"t"}"#;
    let state = |status: &str| format!(r#"< "id":2,"result":{{"taskId":"t","status":"{status}"}}"#);
    let progress = |token: &str, progress: u8| {
        format!(
            r#"< "method":"notifications/progress","params":{{"progressToken":"{token}","progress":{progress}}}"#
        )
    };
    let (one, two) = (progress("p", 1), progress("p", 2));
    let lines = [call, created, &one, get, &state("working"), &two];
    assert_eq!(broken(Revision::V2025_11_25, &lines), "");
    let lines = [call, created, &one, get, &state("completed"), &two];
    insta::assert_snapshot!(broken(Revision::V2025_11_25, &lines), @r#"progress.task-stops-terminal Some("progress for the token \"p\"")"#);
    let posted = [&format!("1{call}"), &format!("1{created}"), &format!("2{get}")];
    let posted = posted.map(String::as_str);
    let ended = format!("2{}", state("completed"));
    let (ping, late) = (r#"3> "id":3,"method":"ping""#, format!("3{two}"));
    let lines = [&posted[..], &[&ended, ping, &late]].concat();
    insta::assert_snapshot!(broken(Revision::V2025_11_25, &lines), @r#"progress.task-stops-terminal Some("progress for the token \"p\"")"#);
    // It may have been sent before the reply.
    let lines = [&posted[..], &[ping, &ended, &late]].concat();
    assert_eq!(broken(Revision::V2025_11_25, &lines), "");
    let lines = [call, created, &progress("t", 1)];
    insta::assert_snapshot!(broken(Revision::V2025_11_25, &lines), @r#"progress.task-token-continues progress.token-known Some("\"t\"")"#);
}

#[test]
fn requests_of_the_server_are_tasks_only_if_the_client_has_tasks() {
    let sample = r#"< "id":"s1","method":"sampling/createMessage","params":{"task":{}}"#;
    let initialize = |tasks: &str| {
        format!(
            r#"> "id":0,"method":"initialize","params":{{"capabilities":{{"sampling":{{}}{tasks}}}}}"#
        )
    };
    let with = |tasks: &str| broken(Revision::V2025_11_25, &[&initialize(tasks), sample]);
    insta::assert_snapshot!(with(""), @r#"tasks.no-augment-without-capability tasks.augment-only-declared Some("a request with `task`")"#);
    insta::assert_snapshot!(with(r#","tasks":{"list":{}}"#), @r#"tasks.augment-only-declared Some("a request with `task`")"#);
    assert_eq!(with(r#","tasks":{"requests":{"sampling":{"createMessage":{}}}}"#), "");
}

#[test]
fn a_type_of_results_is_one_of_mcp_or_of_a_declared_extension() {
    let discover = r#"> "id":1,"method":"server/discover""#;
    let list = r#"> "id":2,"method":"tools/list""#;
    let result = r#"< "id":2,"result":{"resultType":"task"}"#;
    let with = |extensions: &str| {
        let declared = format!(
            r#"< "id":1,"result":{{"resultType":"complete","capabilities":{{"extensions":{{{extensions}}}}}}}"#
        );
        broken(Revision::V2026_07_28, &[discover, &declared, list, result])
    };
    for known in ["", r#""io.modelcontextprotocol/skills":{}"#] {
        assert_eq!(with(known).trim_end(), r#"base.result-type-known-set Some("\"task\"")"#);
    }
    for may_define in ["io.modelcontextprotocol/tasks", "com.example/x"] {
        assert_eq!(with(&format!(r#""{may_define}":{{}}"#)), "");
    }
}
