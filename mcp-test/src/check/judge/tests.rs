//! Conversations written down line by line, and what is found in them.

use bytes::Bytes;

use super::judge;
use crate::spec::Revision;
use crate::trace::{Connection, Damage, Party, Reading, Recorder, What};

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

fn say(recorder: &Recorder, on: Connection, exchange: Option<u64>, party: Party, text: &str) {
    let text = Bytes::copy_from_slice(text.trim().as_bytes());
    let what = match text.first() {
        Some(b'{' | b'[') => Reading::message(text),
        _ => What::Noise { bytes: text, why: "not JSON".to_owned(), damage: Damage::Stray },
    };
    recorder.record_in(on, exchange, party, what);
}

fn shown(recorder: &Recorder, revision: Revision) -> String {
    let findings = judge(&recorder.trace(), Party::Server, &|_| revision);
    let line = |finding: &crate::check::Finding| {
        format!(
            "{:?} {:?} {:?}\n{finding}\n",
            finding.severity, finding.requirements, finding.evidence
        )
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
    let lines = [
        PING,
        r#"< {"jsonrpc":"2.0","id":null,"method":"roots/list"}"#,
        r#"< {"jsonrpc":"2.0","id":7,"method":"tools/list"}"#,
        r#"< {"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"> {"jsonrpc":"2.0","id":2,"method":"resources/read"}"#,
        r#"< {"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"gone"}}"#,
        r#"> {"jsonrpc":"2.0","id":3,"method":"resources/read"}"#,
        r#"< {"jsonrpc":"2.0","id":3,"error":{"code":-32050,"message":"home made"}}"#,
    ];
    insta::assert_snapshot!(judged(Revision::V2026_07_28, &lines));
}

#[test]
fn http_has_rules_of_its_own() {
    let recorder = Recorder::new();
    let on = recorder.open("http");
    let mut exchange = 0;
    let mut post = |sent: &str, status: u16, media: &str, body: &str| {
        exchange += 1;
        let number = Some(exchange);
        let request =
            What::HttpRequest { method: "POST".into(), path: "/mcp".into(), headers: Vec::new() };
        recorder.record_in(on, number, Party::Client, request);
        say(&recorder, on, number, Party::Client, sent);
        let headers = vec![("content-type".to_owned(), media.to_owned())];
        recorder.record_in(on, number, Party::Server, What::HttpResponse { status, headers });
        if !body.is_empty() {
            say(&recorder, on, number, Party::Server, body);
        }
    };
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let ping = |id: u8| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    post(notification, 202, "", "");
    post(notification, 200, "application/json", "");
    post(&ping(1), 200, "text/html", "<html>");
    post(&ping(2), 500, "text/html", "<html>");
    post(
        &ping(3),
        400,
        "application/json",
        r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"x"}}"#,
    );
    post(&ping(4), 200, "text/event-stream", "not json at all");
    insta::assert_snapshot!(shown(&recorder, Revision::V2025_11_25));
}
