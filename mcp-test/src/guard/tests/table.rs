//! The table of the guide: each of its rows, over a byte stream and over HTTP.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::response::Response;
use axum::routing::any;
use futures_util::stream;
use http::Request;
use http_body_util::BodyExt;
use mcp_test_core::json::Value;
use mcp_test_core::spec::Revision;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, split};
use tower::ServiceExt;

use super::ROOM;
use crate::guard::{Guard, GuardedIo};

const GUIDE: &str = include_str!("../../guide/guarding_servers.md");

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const WRONG: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#;
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#;

/// What came before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// An `initialize` that is not answered.
    Initialize,
    /// A handshake at 2025-06-18.
    Handshake,
}

/// What a row describes, in one of its forms.
struct Case {
    row: &'static str,
    guard: Guard,
    before: Before,
    text: Bytes,
    /// Over HTTP: the request, without its body and the session.
    request: http::request::Builder,
    breaks_off: bool,
    /// Whether it has a form over a byte stream.
    is_line: bool,
}

fn case(row: &'static str, before: Before, text: impl Into<Bytes>) -> Case {
    let request = Request::post("/mcp").header("content-type", "application/json");
    let guard = Guard::negotiated().max_bytes(2_000_000);
    Case { row, guard, before, text: text.into(), request, breaks_off: false, is_line: true }
}

impl Case {
    fn by(self, guard: Guard) -> Self {
        Self { guard, ..self }
    }

    /// Only over HTTP, as this request.
    fn http(self, request: impl FnOnce(http::request::Builder) -> http::request::Builder) -> Self {
        Self { request: request(self.request), is_line: false, ..self }
    }
}

fn at(revision: Revision) -> Guard {
    Guard::new(revision).max_bytes(2_000_000)
}

/// The params of a call, with a version in `_meta`.
fn call(params: &str, version: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{params}"_meta":{{"io.modelcontextprotocol/protocolVersion":"{version}","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}

/// What the rows about both transports describe.
fn texts() -> Vec<Case> {
    use Before::{Handshake, Initialize, Nothing};
    let batches = || at(Revision::V2025_03_26);
    let unknown = r#"{"jsonrpc":"2.0","id":1,"method":"acme/x"}"#;
    let nonsense = INITIALIZE.replace("2025-06-18", "nonsense");
    let discover = call("", "nonsense").replace("tools/call", "server/discover");
    let other_case = PING.replace("ping", "Tools/Call");
    let mut cases = vec![
        case("a valid message", Handshake, PING),
        case("a valid message", Initialize, PING),
        case("a valid message", Nothing, INITIALIZE),
        case("a method that the specification does not have", Handshake, unknown),
        case("the same, with `reject_unknown_methods`", Handshake, unknown)
            .by(Guard::negotiated().reject_unknown_methods()),
        case("a known method in another spelling, such as `Tools/Call`", Handshake, other_case),
        case("`initialize` with a version that is not a revision", Nothing, nonsense),
        case("`server/discover` with a version that is not a revision", Nothing, discover)
            .by(Guard::negotiated().reject_unknown_methods()),
        case("only white space", Handshake, " \t"),
        case("a text that is longer than `max_bytes`", Handshake, " ".repeat(400) + PING)
            .by(Guard::negotiated().max_bytes(400)),
        case("a carriage return inside of a line", Handshake, PING.replace("\"id\"", "\r\"id\"")),
        case(
            "a notification that is not valid",
            Handshake,
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#,
        ),
        case("a reply that is not valid", Handshake, r#"{"jsonrpc":"2.0","id":1,"result":5}"#),
        case("a batch where the revision has none", Handshake, format!("[{PING}]")),
        case("a batch within a batch", Nothing, format!("[[{PING}]]")).by(batches()),
        case("a batch of which some messages are not valid", Nothing, format!("[{PING},{WRONG}]"))
            .by(batches()),
        case("invalid params before any `initialize`", Nothing, WRONG),
        case("invalid params behind an `initialize` that is not answered", Initialize, WRONG),
        case(
            "the same with another revision in `_meta`, after one was agreed on",
            Handshake,
            call("", "2024-11-05"),
        ),
        case(
            "the same with another revision in `_meta`, after one was agreed on",
            Handshake,
            call("", "2026-07-28"),
        ),
        case(
            "the `_meta` of 2026-07-28, if it is not valid",
            Nothing,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
        ),
    ];
    let mut add = |row, before, texts: &[&str]| {
        cases.extend(texts.iter().map(|text| case(row, before, (*text).to_owned())));
    };
    let several = format!("{PING} {PING}");
    let mark = format!("\u{feff}{PING}");
    let null = format!("{PING}\0");
    let wide: String = PING.chars().flat_map(|char| [char, '\0']).collect();
    add("text that is not JSON", Handshake, &["Hello?", &several, &mark, &null, &wide, "{'id':1}"]);
    let (deep, many) = ("[".repeat(200), format!("[{}1]", "1,".repeat(500_000)));
    add("more than 500,000 values, or 128 levels", Handshake, &[&deep, &many]);
    add(
        "a value that is not a JSON-RPC message",
        Handshake,
        &["7", "{}", r#"{"id":1,"method":"ping"}"#],
    );
    let id = |id: &str| PING.replace(":1,", &format!(":{id},"));
    add("an id that is null or not an integer", Handshake, &[&id("null"), &id("1.5"), &id("[]")]);
    add(
        "two members of one name, in any object",
        Handshake,
        &[
            &PING.replace("\"method\"", "\"method\":\"tools/call\",\"m\\u0065thod\""),
            &PING.replace("}", ",\"params\":{\"_meta\":{\"a\":[{\"b\":1,\"b\":1}]}}}"),
            &PING.replace("}", ",\"params\":{},\"params\":{}}"),
        ],
    );
    add("half of a surrogate pair", Handshake, &[&PING.replace("ping", "ping\\udc00")]);
    add(
        "a member such as `Method` or `PARAMS`",
        Handshake,
        &[&PING.replace("}", ",\"Method\":\"x\"}"), &PING.replace("}", ",\"PARAMS\":{}}")],
    );
    add("params that are not valid", Handshake, &[WRONG, &WRONG.replace("{}", "[]")]);
    for before in [Nothing, Initialize, Handshake] {
        let wrong = call("", "nonsense");
        add("the same with a version in `_meta` that is not a revision", before, &[&wrong]);
    }
    for text in ["[]".to_owned(), format!("[{}{PING}]", format!("{PING},").repeat(1000))] {
        let row = "a batch that is empty, or has more than 1000 messages";
        cases.push(case(row, Nothing, text).by(batches()));
    }
    cases
}

/// What the rows about HTTP alone describe.
fn requests() -> Vec<Case> {
    use Before::{Handshake, Nothing};
    let wrong = |row| case(row, Handshake, WRONG);
    let header = |name: &'static str, value: &'static str| {
        move |request: http::request::Builder| request.header(name, value)
    };
    let version = "mcp-protocol-version";
    let named = "the same with a version in `MCP-Protocol-Version` that is not a revision";
    let kind = "the same with any `Content-Type`, or none";
    let plain = "the same with a `Content-Encoding` that is empty or `identity`";
    let encoded = "a body with another `Content-Encoding`";
    let contradicted = "different values of `Mcp-Session-Id` or `MCP-Protocol-Version`";
    let without = "a request without a body, except for POST";
    let mut cases = vec![
        wrong(named).http(header(version, "nonsense")),
        wrong(named).http(header(version, "2025-06-18, 2025-06-18")),
        wrong(named).http(header(version, "\u{ff}")),
        case(named, Nothing, WRONG).http(header(version, "nonsense")),
        case("the same in a session that the guard does not know", Nothing, WRONG)
            .http(header("mcp-session-id", "unknown")),
        wrong(kind).http(|_| Request::post("/mcp")),
        wrong(kind).http(|_| Request::post("/mcp").header("content-type", "text/plain")),
        wrong(kind)
            .http(|_| Request::post("/mcp").header("content-type", "application/json;x=\u{ff}")),
        wrong(plain).http(header("content-encoding", "")),
        wrong(plain).http(header("content-encoding", "identity, Identity")),
        wrong(encoded).http(header("content-encoding", "gzip")),
        case(contradicted, Nothing, PING)
            .http(header(version, "2025-06-18"))
            .http(header(version, "2025-03-26")),
        case(contradicted, Handshake, PING).http(header("mcp-session-id", "other")),
        wrong("a body that breaks off").http(|request| request),
        case("a body of another length than `Content-Length`", Handshake, PING)
            .http(header("content-length", "3")),
    ];
    for case in &mut cases {
        case.breaks_off = case.row == "a body that breaks off";
    }
    for method in ["PUT", "PATCH", "GET", "DELETE"] {
        let row = "the same with another method than POST";
        cases.push(wrong(row).http(|request| request.method(method)));
    }
    for method in ["GET", "DELETE", "OPTIONS"] {
        cases.push(case(without, Handshake, "").http(|request| request.method(method)));
    }
    cases
}

/// What became of a text, in the words of the table.
fn outcome(passed: Option<&[u8]>, text: &[u8], status: Option<u16>, answer: &[u8]) -> String {
    let reply = Value::parse(answer).ok().map(|document| document.value);
    let first = reply.as_ref().map(|reply| match reply {
        Value::Array(items) => items.iter().next_back().unwrap_or(reply),
        reply => reply,
    });
    let code = first.and_then(|reply| reply.at("/error/code")).and_then(Value::as_i64);
    match (passed, code, status) {
        (Some(passed), None, _) if passed == text => "passes".to_owned(),
        (Some(_), Some(code), _) => format!("passes in part, {code}"),
        (None, Some(code), Some(status)) => format!("{status}, {code}"),
        (None, Some(code), None) => code.to_string(),
        (None, None, None) if text.trim_ascii().is_empty() => "skipped".to_owned(),
        (None, None, None) => "dropped".to_owned(),
        other => panic!("{other:?}: {}", String::from_utf8_lossy(answer)),
    }
}

/// Reads exactly this from the guard.
async fn handled(io: &mut GuardedIo<DuplexStream>, text: &str) {
    let mut read = vec![0; text.len() + 1];
    io.read_exact(&mut read).await.unwrap();
    assert_eq!(read, format!("{text}\n").as_bytes());
}

async fn over_a_stream(case: &Case) -> String {
    // More than the longest of the texts: the handler reads only when all of it is written.
    let (peer, inner) = tokio::io::duplex(ROOM.max(case.text.len() + ROOM));
    let (mut peer_reads, mut peer_writes) = split(peer);
    let mut io = case.guard.io(inner);
    if case.before != Before::Nothing {
        peer_writes.write_all(format!("{INITIALIZE}\n").as_bytes()).await.unwrap();
        handled(&mut io, INITIALIZE).await;
    }
    if case.before == Before::Handshake {
        io.write_all(format!("{INITIALIZED}\n").as_bytes()).await.unwrap();
        let mut read = vec![0; INITIALIZED.len() + 1];
        peer_reads.read_exact(&mut read).await.unwrap();
    }
    peer_writes.write_all(&case.text).await.unwrap();
    peer_writes.shutdown().await.unwrap();
    let (mut passed, mut answer) = (Vec::new(), Vec::new());
    io.read_to_end(&mut passed).await.unwrap();
    drop(io);
    peer_reads.read_to_end(&mut answer).await.unwrap();
    let passed = Some(passed).filter(|passed| !passed.is_empty());
    outcome(passed.as_deref(), &case.text, None, &answer)
}

/// A handler that answers `initialize`, with a session, and accepts everything else.
fn router(guard: &Guard, seen: &Arc<Mutex<Option<Bytes>>>, before: Before) -> Router {
    let seen = Arc::clone(seen);
    let handler = any(move |body: Bytes| {
        let is_opening = body.windows(12).any(|window| window == b"\"initialize\"");
        *seen.lock().unwrap() = Some(body);
        async move {
            let response = Response::builder().header("content-type", "application/json");
            let answered = is_opening && before == Before::Handshake;
            let text = if answered { INITIALIZED } else { "" };
            let response = response.header("mcp-session-id", "s");
            response.status(if answered { 200 } else { 202 }).body(Body::from(text)).unwrap()
        }
    });
    Router::new().route("/mcp", handler).layer(guard.layer())
}

async fn over_http(case: Case) -> String {
    let seen = Arc::default();
    let router = router(&case.guard, &seen, case.before);
    let send = async |request: Request<Body>| {
        let response = router.clone().oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        (status, response.into_body().collect().await.unwrap().to_bytes())
    };
    let mut request = case.request;
    if case.before != Before::Nothing {
        send(Request::post("/mcp").body(INITIALIZE.into()).unwrap()).await;
        assert!(seen.lock().unwrap().take().is_some());
        request = request.header("mcp-session-id", "s");
    }
    let body = match case.breaks_off {
        true => Body::from_stream(stream::iter([
            Ok(case.text.clone()),
            Err(std::io::Error::from(std::io::ErrorKind::ConnectionReset)),
        ])),
        false => Body::from(case.text.clone()),
    };
    let (status, answer) = send(request.body(body).unwrap()).await;
    let passed = seen.lock().unwrap().take();
    outcome(passed.as_deref(), &case.text, Some(status), &answer)
}

/// The rows of the table: what comes in, and what becomes of it over either transport.
fn rows() -> Vec<[&'static str; 3]> {
    let table = GUIDE.split("| what comes in |").nth(1).expect("the guide has the table");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let mut cells = row.trim_matches('|').split('|').map(str::trim);
        std::array::from_fn(|_| cells.next().expect("a row has three cells"))
    })
    .collect()
}

#[tokio::test]
async fn the_guard_does_what_the_table_of_the_guide_says() {
    let rows = rows();
    let mut without_case: BTreeSet<&str> = rows.iter().map(|[row, ..]| *row).collect();
    assert_eq!(without_case.len(), rows.len(), "a row occurs twice");
    for case in texts().into_iter().chain(requests()) {
        let name = case.row;
        let text = String::from_utf8_lossy(&case.text[..case.text.len().min(200)]).into_owned();
        let row = rows.iter().find(|[row, ..]| *row == name);
        let [_, by_line, by_http] = row.unwrap_or_else(|| panic!("no row for {name:?}"));
        without_case.remove(name);
        let before = case.before;
        let line = if case.is_line { over_a_stream(&case).await } else { "–".to_owned() };
        assert_eq!(line, *by_line, "{name} {before:?} over a stream: {text}");
        assert_eq!(over_http(case).await, *by_http, "{name} {before:?} over HTTP: {text}");
    }
    assert_eq!(without_case, BTreeSet::new(), "rows without a case");
}
