//! Conversations written down line by line, and what is found in them.

use bytes::Bytes;

use super::judge_envelopes;
use crate::expect::words;
use crate::spec::{Requirement, Revision};
use crate::trace::{ConnectionId, EventKind, ParsedText, Party, Recorder, UnparsableKind};

/// A conversation written down line by line: `>` from the client, `<` from the server.
fn judged(revision: Revision, lines: &[&str]) -> String {
    let recorder = Recorder::new();
    let connection = recorder.open("duplex");
    for line in lines {
        let (party, text) = match line.split_at(1) {
            (">", text) => (Party::Client, text),
            (_, text) => (Party::Server, text),
        };
        say(&recorder, connection, None, party, text);
    }
    shown(&recorder, revision)
}

fn say(recorder: &Recorder, on: ConnectionId, exchange: Option<u64>, party: Party, text: &str) {
    let text = Bytes::copy_from_slice(text.trim().as_bytes());
    let parsed = ParsedText::parse(&text);
    let what = if parsed.frame().is_some() {
        EventKind::Message { text, parsed }
    } else {
        let stray = exchange.is_none() || text.starts_with(b"stray");
        let kind = if stray { UnparsableKind::Stray } else { UnparsableKind::BrokenMessage };
        EventKind::Unparsable { bytes: text, why: "not JSON".to_owned(), kind }
    };
    recorder.record_in(on, exchange, party, what);
}

/// A POST of the client and its response, a connection for each.
fn post(recorder: &Recorder, sent: &str, status: u16, media: &str, body: &str) {
    let (on, number) = (recorder.open("http"), Some(1));
    let request =
        EventKind::HttpRequest { method: "POST".into(), path: "/mcp".into(), headers: Vec::new() };
    recorder.record_in(on, number, Party::Client, request);
    say(recorder, on, number, Party::Client, sent);
    let headers = vec![("Content-Type".to_owned(), media.to_owned())];
    recorder.record_in(on, number, Party::Server, EventKind::HttpResponse { status, headers });
    if !body.is_empty() {
        say(recorder, on, number, Party::Server, body);
    }
}

fn shown(recorder: &Recorder, revision: Revision) -> String {
    let findings = judge_envelopes(&recorder.trace(), Party::Server, &|_| revision);
    let line = |finding: &crate::check::Finding| {
        format!(
            "{:?} {:?} {:?}\n{finding}\n",
            finding.severity, finding.requirements, finding.evidence
        )
    };
    findings.iter().map(line).collect()
}

/// The grade and the requirements of each finding, in one line.
fn cited(findings: &[crate::check::Finding]) -> Vec<String> {
    let line = |finding: &crate::check::Finding| {
        format!("{:?} {}", finding.severity, words::joined(&finding.requirements, " "))
            .trim_end()
            .to_owned()
    };
    findings.iter().map(line).collect()
}

const PING: &str = r#"> {"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[test]
fn a_good_conversation_gives_no_finding() {
    let lines = [
        PING,
        r#"< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#,
        r#"< {"jsonrpc":"2.0","id":"s1","method":"roots/list"}"#,
        r#"< {"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"> {"jsonrpc":"2.0","id":"s1","result":{"roots":[]}}"#,
        r#"> {"jsonrpc":"2.0","id":2,"method":"nope"}"#,
        r#"< {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}"#,
    ];
    assert_eq!(judged(Revision::V2025_11_25, &lines), "");
}

#[test]
fn a_number_that_the_client_has_sent_may_be_repeated() {
    let call = r#"> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"n":9007199254740993}}}"#;
    let result = r#"< {"jsonrpc":"2.0","id":1,"result":{"n":9007199254740992}}"#;
    assert_eq!(judged(Revision::V2025_11_25, &[call, result]), "");
    let found = judged(Revision::V2025_11_25, &[PING, result]);
    assert!(found.contains("a number that not every parser can read"), "{found}");
}

#[test]
fn ids_of_replies_are_those_of_requests() {
    let lines = [
        PING,
        r#"< {"jsonrpc":"2.0","id":"1","result":{}}"#,
        r#"< {"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"< {"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"< {"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"x"}}"#,
        r#"< {"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}"#,
    ];
    insta::assert_snapshot!(judged(Revision::V2025_11_25, &lines));
}

#[test]
fn an_id_that_no_request_may_have_can_come_back() {
    let with = |id: &str| format!(r#"> {{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    let reply = |id: &str| format!(r#"< {{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
    let error =
        |id: &str| format!(r#"< {{"jsonrpc":"2.0",{id}"error":{{"code":-32600,"message":"no"}}}}"#);
    let judged = |lines: [String; 2]| {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        judged(Revision::V2025_11_25, &lines)
    };
    for id in ["null", "{}", "[1]", "true", "1.5"] {
        assert_eq!(judged([with(id), reply(id)]), "", "{id}");
        assert_eq!(judged([with(id), error(&format!(r#""id":{id},"#))]), "", "{id}");
        assert_eq!(judged([with(id), error("")]), "", "{id}");
        assert_eq!(judged([with(id), error(r#""id":null,"#)]), "", "{id}");
    }
    for (sent, got) in [("{}", "[]"), ("1.5", "1"), ("1", "null"), ("1", "{}")] {
        assert_ne!(judged([with(sent), reply(got)]), "", "{sent} {got}");
    }
}

#[test]
fn an_error_without_an_id_is_traced_back_to_its_request() {
    let unknown = r#"> {"jsonrpc":"2.0","id":2,"method":"no/such"}"#;
    let error = r#"< {"jsonrpc":"2.0","error":{"code":-32601,"message":"no"}}"#;
    let late = r#"< {"jsonrpc":"2.0","id":2,"result":{}}"#;
    insta::assert_snapshot!(judged(Revision::V2025_11_25, &[unknown, error, late]), @r#"
    Must ["jsonrpc.error-id-echo"] [Seq(3)]
    the error that answers `no/such` has no id
      expected the id of the request that it answers
      got no member `id`
    "#);
    // Nobody knows which of the two it answers.
    assert!(judged(Revision::V2025_11_25, &[PING, unknown, error]).contains("a reply has no id"));
}

#[test]
fn an_error_without_an_id_may_be_answered_by_one_that_names_no_request() {
    let sent = r#"> {"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}"#;
    let error = r#"< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#;
    assert_eq!(judged(Revision::V2025_11_25, &[sent, error]), "");
    assert_ne!(judged(Revision::V2025_11_25, &[sent, error, error]), "");
}

#[test]
fn an_error_over_http_may_lack_its_id_unless_it_shows_that_the_request_was_read() {
    let judged = |revision, sent: &str, status, code: i64| {
        let recorder = Recorder::new();
        let body = format!(r#"{{"jsonrpc":"2.0","error":{{"code":{code},"message":"no"}}}}"#);
        post(&recorder, sent, status, "application/json", &body);
        let findings = judge_envelopes(&recorder.trace(), Party::Server, &|_| revision);
        findings.iter().any(|finding| finding.headline.ends_with("has no id"))
    };
    let (old, new) = (Revision::V2025_11_25, Revision::V2026_07_28);
    let request = |method: &str| format!(r#"{{"jsonrpc":"2.0","id":2,"method":"{method}"}}"#);
    let (list, initialize) = (request("tools/list"), request("initialize"));
    assert!(judged(old, &list, 400, -32601));
    assert!(judged(new, &list, 404, -32601));
    assert!(judged(new, &list, 400, -32602));
    assert!(judged(old, &initialize, 400, -32602));
    assert!(judged(old, &list, 200, -32000));
    // For the session, the path, the version or the origin.
    assert!(!judged(old, &list, 400, -32602));
    assert!(!judged(old, &list, 404, -32601));
    assert!(!judged(old, &list, 400, -32000));
    assert!(!judged(old, &initialize, 403, -32602));
    let unreadable = r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#;
    assert!(!judged(new, unreadable, 400, -32601));
}

#[test]
fn an_error_may_repeat_the_id_of_a_text_that_is_not_json() {
    let broken = r#">{"jsonrpc":"2.0", "id" : "p1","method":"#;
    let error = |id: &str| {
        format!(r#"<{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32700,"message":"no"}}}}"#)
    };
    let judged = |reply: &str| judged(Revision::V2025_06_18, &[broken, reply]);
    assert_eq!(judged(&error(r#""p1""#)), "");
    assert_eq!(judged(&error("null")), "");
    let unknown = |reply: &str| judged(reply).contains("a reply has an id that no request has");
    assert!(unknown(&error("2")));
    // What cannot be read has no result.
    assert!(unknown(r#"<{"jsonrpc":"2.0","id":"p1","result":{}}"#));
}

#[test]
fn a_response_announces_its_length_once() {
    let response = |headers: &[(&str, &str)]| {
        let recorder = Recorder::new();
        let headers = headers.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let headers = headers.collect();
        let (on, what) = (recorder.open("http"), EventKind::HttpResponse { status: 200, headers });
        recorder.record_in(on, Some(1), Party::Server, what);
        recorder
    };
    for one in [("Content-Length", "2"), ("Transfer-Encoding", "chunked")] {
        assert_eq!(shown(&response(&[one]), Revision::V2025_11_25), "");
    }
    let both = response(&[("content-length", "2"), ("Transfer-Encoding", "chunked")]);
    insta::assert_snapshot!(shown(&both, Revision::V2025_11_25), @r#"
    Must ["mcp-test.http-one-length"] [Seq(2)]
    a response has both Content-Length and Transfer-Encoding
      expected one of the two headers
      got Content-Length "2" and Transfer-Encoding "chunked"
      hint: programs that believe different headers see different messages
    "#);
    // A client is not blamed for the server's.
    assert_eq!(judge_envelopes(&both.trace(), Party::Client, &|_| Revision::V2025_11_25), []);
}

#[test]
fn a_body_has_the_coding_that_its_headers_name() {
    let response = |name: &str, value: &str| {
        let recorder = Recorder::new();
        let headers = vec![(name.to_owned(), value.to_owned())];
        let (on, what) = (recorder.open("http"), EventKind::HttpResponse { status: 200, headers });
        recorder.record_in(on, Some(1), Party::Server, what);
        let text = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        say(&recorder, on, Some(1), Party::Server, text);
        cited(&judge_envelopes(&recorder.trace(), Party::Server, &|_| Revision::V2025_11_25))
    };
    let wrong = "Must mcp-test.http-coding-fits";
    for (name, value) in [("Content-Encoding", "gzip"), ("transfer-encoding", "gzip, chunked")] {
        assert!(response(name, value).contains(&wrong.to_owned()), "{name}: {value}");
    }
    for (name, value) in [("content-encoding", "identity"), ("Transfer-Encoding", "Chunked")] {
        assert!(!response(name, value).contains(&wrong.to_owned()), "{name}: {value}");
    }
}

#[test]
fn a_message_without_its_newline_is_named() {
    let recorder = Recorder::new();
    let (on, bytes) = (recorder.open("stdio"), "{}".into());
    let (why, kind) = ("no newline follows".to_owned(), UnparsableKind::Unended);
    recorder.record(on, Party::Server, EventKind::Unparsable { bytes, why, kind });
    insta::assert_snapshot!(shown(&recorder, Revision::V2024_11_05), @r#"
    Must ["transport.stdio.newline-delimited"] [Seq(2)]
    the server wrote a message without a newline at its end
      expected one JSON-RPC message per line, ended by a newline
      got "{}" (no newline follows)
    "#);
    let (why, kind) = ("no newline follows".to_owned(), UnparsableKind::Unended);
    let bytes = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.into();
    let on = recorder.open("stdio");
    recorder.record(on, Party::Client, EventKind::Unparsable { bytes, why, kind });
    let of_client = judge_envelopes(&recorder.trace(), Party::Client, &|_| Revision::V2024_11_05);
    assert_eq!(of_client.len(), 1);
    assert_eq!(of_client[0].requirements, [Requirement::TRANSPORT_STDIO_NEWLINE_DELIMITED]);
}

#[test]
fn noise_and_malformed_messages_are_named() {
    let lines = [
        "< Server started on stdio",
        PING,
        r#"< {"id":1,"result":{}}"#,
        r#"< {"jsonrpc":"2.0","id":1,"result":[]}"#,
        r#"< [{"jsonrpc":"2.0","method":"notifications/message"}]"#,
        r#"< {"jsonrpc":"2.0","method":"notifications/message","params":[1],"method":"x"}"#,
    ];
    insta::assert_snapshot!(judged(Revision::V2025_11_25, &lines));
}

#[test]
fn a_server_of_the_stateless_era_asks_nothing_and_types_its_results() {
    let meta = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#;
    let request = |id: u32, method: &str| {
        format!(r#"> {{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{meta}}}"#)
    };
    let lines = [
        &request(1, "ping"),
        r#"< {"jsonrpc":"2.0","id":null,"method":"roots/list"}"#,
        r#"< {"jsonrpc":"2.0","id":7,"method":"tools/list"}"#,
        r#"< {"jsonrpc":"2.0","id":1,"result":{}}"#,
        &request(2, "resources/read"),
        r#"< {"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"gone"}}"#,
        &request(3, "resources/read"),
        r#"< {"jsonrpc":"2.0","id":3,"error":{"code":-32050,"message":"home made"}}"#,
    ];
    insta::assert_snapshot!(judged(Revision::V2026_07_28, &lines));
}

#[test]
fn a_method_says_whether_there_is_an_id() {
    let recorder = Recorder::new();
    let on = recorder.open("duplex");
    for text in [
        r#"{"jsonrpc":"2.0","id":1,"method":"notifications/tools/list_changed"}"#,
        r#"{"jsonrpc":"2.0","method":"roots/list"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"notifications/x"}"#,
        r#"{"jsonrpc":"2.0","method":"x"}"#,
    ] {
        say(&recorder, on, None, Party::Server, text);
    }
    let findings = judge_envelopes(&recorder.trace(), Party::Server, &|_| Revision::V2025_06_18);
    assert_eq!(
        cited(&findings),
        ["Must jsonrpc.notification-no-id", "Must jsonrpc.request-id-type"]
    );
}

const NOTIFICATION: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const REQUEST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[test]
fn http_has_rules_of_its_own() {
    let recorder = Recorder::new();
    post(&recorder, NOTIFICATION, 202, "", "");
    post(&recorder, NOTIFICATION, 200, "application/json", "");
    post(&recorder, NOTIFICATION, 202, "application/json", "null");
    post(&recorder, REQUEST, 200, "text/html", "<html>");
    post(&recorder, REQUEST, 200, "application/json; charset=utf-8", r#"{"jsonrpc":"2.0","#);
    post(&recorder, REQUEST, 200, "application/json", "7");
    post(&recorder, REQUEST, 200, "text/event-stream", "not json at all");
    post(&recorder, REQUEST, 200, "text/event-stream", "stray");
    insta::assert_snapshot!(shown(&recorder, Revision::V2025_11_25));
}

#[test]
fn a_refusal_may_say_why_in_any_form_that_does_not_claim_to_be_a_message() {
    let body = |body: &str| {
        let recorder = Recorder::new();
        post(&recorder, REQUEST, 401, "application/json", body);
        cited(&judge_envelopes(&recorder.trace(), Party::Server, &|_| Revision::V2025_11_25))
    };
    for good in [
        "<html>",
        r#"{"error":"invalid_token"}"#,
        r#"{"a":1,"a":2}"#,
        "[7]",
        r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"x"}}"#,
    ] {
        assert_eq!(body(good), [""; 0], "{good}");
    }
    let bad = r#"{"jsonrpc":"2.0","error":{"code":"E","message":"x"}}"#;
    assert_eq!(body(bad), ["Must jsonrpc.error-code-integer"]);
}

#[test]
fn over_http_with_sse_a_body_beside_the_event_stream_is_a_warning() {
    let recorder = Recorder::new();
    post(&recorder, REQUEST, 200, "application/json", "{");
    insta::assert_snapshot!(shown(&recorder, Revision::V2024_11_05), @r#"
    Should [] [Seq(5)]
    the server sent a message in the response to a POST
      expected each message as an event of the event stream, and only there
      got "{" (not JSON)
      hint: clients of HTTP+SSE read messages from the event stream only
    "#);
}

#[test]
fn what_a_revision_does_not_demand_is_no_failure_there() {
    let recorder = Recorder::new();
    post(&recorder, NOTIFICATION, 200, "", "");
    post(&recorder, REQUEST, 200, "application/json", "{");
    post(&recorder, REQUEST, 200, "application/json", "7");
    post(&recorder, REQUEST, 200, "application/json", &format!("[{REQUEST}]"));
    let at = |revision| cited(&judge_envelopes(&recorder.trace(), Party::Server, &|_| revision));
    assert_eq!(at(Revision::V2024_11_05), ["Should", "Must jsonrpc.version-member", "Should"]);
    assert_eq!(
        at(Revision::V2025_03_26),
        [
            "Must transport.http.accepted-202",
            "Must transport.http.request-content-type",
            "Must transport.http.request-content-type",
        ]
    );
    assert_eq!(
        at(Revision::V2025_06_18),
        [
            "Must transport.http.accepted-202",
            "Must transport.http.json-single-object",
            "Must transport.http.json-single-object",
            "Must jsonrpc.batch-not-sent",
        ]
    );
    let batch = shown(&recorder, Revision::V2024_11_05);
    insta::assert_snapshot!(batch.lines().last().unwrap_or_default(), @"  hint: MCP 2024-11-05 does not require it; `jsonrpc.batch-not-sent` applies to 2025-06-18..");
}

#[test]
fn each_connection_is_judged_at_its_own_revision() {
    let recorder = Recorder::new();
    let connections = [recorder.open("duplex"), recorder.open("duplex")];
    let log = r#"[{"jsonrpc":"2.0","method":"notifications/message"}]"#;
    for on in connections {
        say(&recorder, on, None, Party::Server, log);
    }
    let findings = judge_envelopes(&recorder.trace(), Party::Server, &|on| {
        if on == connections[0] { Revision::V2025_03_26 } else { Revision::V2025_06_18 }
    });
    assert_eq!(cited(&findings), ["Must jsonrpc.batch-not-sent"]);
}

#[test]
fn a_process_left_behind_fails_and_ignoring_the_end_of_input_warns() {
    use crate::trace::Leftover;
    let cited_for = |what| {
        let recorder = Recorder::new();
        let lingered = EventKind::Lingered { what, how: "it runs on".to_owned(), wait: None };
        recorder.record(recorder.open("stdio"), Party::Server, lingered);
        cited(&judge_envelopes(&recorder.trace(), Party::Server, &|_| Revision::V2025_11_25))
    };
    assert_eq!(cited_for(Leftover::Descendant), ["Must mcp-test.server-leaves-no-process"]);
    assert_eq!(cited_for(Leftover::Process), ["Should transport.stdio.exit-on-eof-implied"]);
}

#[test]
fn a_client_that_does_not_let_its_server_exit_warns() {
    use std::time::Duration;

    use crate::trace::EndSignal::{self, Kill, Terminate};
    let cited_for = |revision, signals: &[(EndSignal, Option<u64>)]| {
        let recorder = Recorder::new();
        let on = recorder.open("stdio");
        for (signal, since_eof) in signals {
            let (signal, since_eof) = (*signal, since_eof.map(Duration::from_millis));
            recorder.record(on, Party::Client, EventKind::Signalled { signal, since_eof });
        }
        cited(&judge_envelopes(&recorder.trace(), Party::Client, &|_| revision))
    };
    let older = Revision::V2025_11_25;
    let close = "Should transport.stdio.shutdown-close-stdin";
    let wait = "Should transport.stdio.shutdown-waits";
    let term = "Should transport.stdio.shutdown-sigterm-sigkill";
    assert_eq!(cited_for(older, &[(Terminate, None), (Kill, None)]), [close]);
    assert_eq!(cited_for(older, &[(Terminate, Some(10))]), [wait]);
    assert_eq!(cited_for(older, &[(Kill, None)]), [close, term]);
    assert_eq!(cited_for(older, &[(Kill, Some(2000))]), [term]);
    assert_eq!(cited_for(older, &[(Terminate, Some(2000)), (Kill, Some(4000))]), [""; 0]);
    // How it is ended by force is up to the client there.
    assert_eq!(cited_for(Revision::V2026_07_28, &[(Kill, Some(2000))]), [""; 0]);
    assert_eq!(cited_for(Revision::V2026_07_28, &[(Kill, None)]), [close]);
}

#[test]
fn a_program_that_may_be_starting_or_slow_is_not_blamed_for_running_on() {
    use std::time::Duration;

    use crate::trace::{ExitWait, Leftover};
    let cited_after = |start_up| {
        let recorder = Recorder::new();
        let on = recorder.open("stdio");
        let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        recorder.record(on, Party::Client, EventKind::message(Bytes::from_static(ping)));
        let wait = Some(ExitWait { waited: Duration::from_secs(10), start_up });
        let (what, how) = (Leftover::Process, "it runs on".to_owned());
        recorder.record(on, Party::Server, EventKind::Lingered { what, how, wait });
        let findings =
            judge_envelopes(&recorder.trace(), Party::Server, &|_| Revision::V2026_07_28);
        !findings.is_empty()
    };
    assert!(!cited_after(None));
    assert!(cited_after(Some(Duration::from_secs(1))));
    assert!(!cited_after(Some(Duration::from_secs(29))));
}

#[test]
fn an_error_page_that_shows_a_stack_trace_warns() {
    let page = "<html><pre>SyntaxError: Unexpected token<br> &nbsp; &nbsp;at parse (/srv/node_modules/a.js:92:19)<br></pre></html>";
    let cited_for = |status, page| {
        let recorder = Recorder::new();
        post(&recorder, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, status, "text/html", page);
        cited(&judge_envelopes(&recorder.trace(), Party::Server, &|_| Revision::V2025_11_25))
    };
    let none: [&str; 0] = [];
    assert_eq!(cited_for(400, page), ["Should mcp-test.no-internal-details"]);
    assert_eq!(cited_for(400, "<html><pre>Cannot parse<br>the body</pre></html>"), none);
}

#[test]
fn our_own_limits_are_not_held_against_the_peer() {
    for (transport, exchange) in [("stdio", None), ("http", Some(1))] {
        let recorder = Recorder::new();
        let on = recorder.open(transport);
        let bytes = Bytes::from_static(b"[[[[");
        let why = "not JSON: nested deeper than 128 levels".to_owned();
        let noise = EventKind::Unparsable { bytes, why, kind: UnparsableKind::OverLimit };
        recorder.record_in(on, exchange, Party::Server, noise);
        let findings =
            judge_envelopes(&recorder.trace(), Party::Server, &|_| Revision::V2025_11_25);
        assert_eq!(cited(&findings), ["Should"]);
        let hint = findings[0].hint.as_deref().unwrap_or_default();
        assert!(hint.contains("one of mcp-test"), "{hint}");
    }
}

#[test]
fn a_reply_to_what_was_dropped_is_no_reply_to_nothing() {
    let recorder = Recorder::new();
    let on = recorder.open("duplex");
    say(&recorder, on, None, Party::Server, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    let refusal = r#"{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}"#;
    say(&recorder, on, Some(3), Party::Server, refusal);
    say(&recorder, on, Some(4), Party::Server, "<html>");
    let count = |trace: &crate::trace::Trace| {
        judge_envelopes(trace, Party::Server, &|_| Revision::V2025_11_25).len()
    };
    let mut trace = recorder.trace();
    assert_eq!(count(&trace), 3);
    trace.elided = 1;
    assert_eq!(count(&trace), 0);
    recorder.record(on, Party::Client, EventKind::Elided { was: "tools/call".into(), bytes: 5000 });
    assert_eq!(count(&recorder.trace()), 0);
}

#[test]
fn a_message_that_is_not_utf_8_breaks_its_encoding() {
    let broken = |bytes: &'static [u8], kind| {
        let (recorder, why) = (Recorder::new(), "not JSON".to_owned());
        let what = EventKind::Unparsable { bytes: Bytes::from_static(bytes), why, kind };
        recorder.record(recorder.open("stdio"), Party::Server, what);
        let trace = recorder.trace();
        cited(&judge_envelopes(&trace, Party::Server, &|_| Revision::V2025_11_25)).join("; ")
    };
    let message = UnparsableKind::BrokenMessage;
    let stray = "Must transport.stdio.stdout-only-messages";
    let encoding = "Must jsonrpc.utf8 transport.stdio.stdout-only-messages";
    assert_eq!(broken(b"{\"a\":\"\xff\"}", message), encoding);
    assert_eq!(broken(b"{\"a\":\"\xc3", message), stray);
    assert_eq!(broken(b"caf\xe9", UnparsableKind::Stray), stray);
}

#[test]
fn a_server_uses_an_id_once_in_a_session() {
    let asked = |sessions: [&str; 2], cursor: Option<&str>| {
        let recorder = Recorder::new();
        let on = recorder.open("http");
        for (number, session) in (1..).zip(sessions) {
            let cursor = cursor.filter(|_| number == 2).map(|id| ("Last-Event-ID", id));
            let session = (!session.is_empty()).then_some(("Mcp-Session-Id", session));
            let headers = session.into_iter().chain(cursor);
            let headers = headers.map(|(name, value)| (name.into(), value.into())).collect();
            let request =
                EventKind::HttpRequest { method: "GET".into(), path: "/mcp".into(), headers };
            recorder.record_in(on, Some(number), Party::Client, request);
            let text = r#"{"jsonrpc":"2.0","id":"s1","method":"roots/list"}"#;
            say(&recorder, on, Some(number), Party::Server, text);
        }
        let trace = recorder.trace();
        cited(&judge_envelopes(&trace, Party::Server, &|_| Revision::V2025_11_25)).join("; ")
    };
    assert_eq!(asked(["a", "a"], None), "Must jsonrpc.request-id-unique-session");
    for others in [["a", "b"], ["", ""]] {
        assert_eq!(asked(others, None), "");
    }
    // A client that resumes a stream may receive again what was on it.
    assert_eq!(asked(["a", "a"], Some("7")), "");
}

#[test]
fn a_client_uses_an_id_once_in_a_session() {
    // Each request has its session and the status of its response.
    let asked = |requests: [(&str, u16); 2]| {
        let recorder = Recorder::new();
        let on = recorder.open("http");
        for (number, (session, status)) in (1..).zip(requests) {
            let headers = match session {
                "" => Vec::new(),
                session => vec![("Mcp-Session-Id".to_owned(), session.to_owned())],
            };
            let request =
                EventKind::HttpRequest { method: "POST".into(), path: "/mcp".into(), headers };
            recorder.record_in(on, Some(number), Party::Client, request);
            let text = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
            say(&recorder, on, Some(number), Party::Client, text);
            let response = EventKind::HttpResponse { status, headers: Vec::new() };
            recorder.record_in(on, Some(number), Party::Server, response);
        }
        let trace = recorder.trace();
        cited(&judge_envelopes(&trace, Party::Client, &|_| Revision::V2025_11_25)).join("; ")
    };
    assert_eq!(asked([("a", 200), ("a", 200)]), "Must jsonrpc.request-id-unique-session");
    // Of another session, of a client without one, and sent again with a token.
    for others in [[("a", 200), ("b", 200)], [("", 200), ("", 200)], [("a", 401), ("a", 200)]] {
        assert_eq!(asked(others), "");
    }
}

#[test]
fn a_request_without_a_revision_may_be_answered_as_with_a_handshake() {
    let unnamed = r#"> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}"#;
    let malformed = r#"> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}"#;
    let named = r#"> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
    let result = r#"< {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#;
    let error = r#"< {"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"not found"}}"#;
    for reply in [result, error] {
        for request in [unnamed, malformed] {
            assert_eq!(judged(Revision::V2026_07_28, &[request, reply]), "");
        }
        assert_ne!(judged(Revision::V2026_07_28, &[named, reply]), "");
    }
}
