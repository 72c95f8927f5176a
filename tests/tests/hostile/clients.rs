//! Hostile clients over lines: the server answers as JSON-RPC requires and continues, and the trace shows what they did.

use std::fmt::Write;

use mcp_test::check::{Finding, judge_envelopes};
use mcp_test::server::reference::everything;
use mcp_test::spec::Revision;
use mcp_test::trace::{Party, Recorder};
use mcp_test_core::expect::words::joined;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Runtime;

/// A client, and what it sends.
struct Client {
    name: &'static str,
    sent: Vec<u8>,
}

fn client(name: &'static str, sent: impl Into<Vec<u8>>) -> Client {
    Client { name, sent: sent.into() }
}

/// A request that any server answers.
pub(crate) const PING: &str = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;

/// The last request, which the server must answer whatever came before.
const LAST: &str = r#"{"jsonrpc":"2.0","id":99,"method":"ping"}"#;

pub(crate) const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"hostile","version":"1"}}}"#;
pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// Texts in the place of a message, for every transport.
pub(crate) fn texts() -> Vec<(&'static str, Vec<u8>)> {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"ping","params":{}{}}}"#,
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    let digits = "7".repeat(400);
    let texts: Vec<(&str, Vec<u8>)> = vec![
        ("a word", b"hello".to_vec()),
        ("HTML", b"<!DOCTYPE html><html></html>".to_vec()),
        ("a request of HTTP", b"GET / HTTP/1.1".to_vec()),
        ("the hello of TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec()),
        ("colours", b"\x1b[32mhello\x1b[0m".to_vec()),
        ("a blank line", b" ".to_vec()),
        ("truncated JSON", PING[..30].into()),
        ("invalid UTF-8", b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\xff\"}".to_vec()),
        ("a byte order mark", format!("\u{feff}{PING}").into()),
        ("NUL bytes", format!("\0{PING}").into()),
        ("two messages", format!("{PING} {PING}").into()),
        ("deep nesting", deep.into()),
        ("duplicate members", PING.replace(r#""id":7"#, r#""id":7,"id":8"#).into()),
        ("a huge number", PING.replace("7", &digits).into()),
        ("a number beyond doubles", PING.replace("7", "1e400").into()),
        ("a fraction as id", PING.replace("7", "7.5").into()),
        ("the id null", PING.replace("7", "null").into()),
        ("an object as id", PING.replace("7", "{}").into()),
        ("no method", br#"{"jsonrpc":"2.0","id":7}"#.to_vec()),
        ("a number as method", PING.replace(r#""ping""#, "5").into()),
        ("another version", PING.replace("2.0", "1.0").into()),
        ("no version", PING.replace(r#""jsonrpc":"2.0","#, "").into()),
        ("an array as params", PING.replace("}", r#","params":[1]}"#).into()),
        ("an unknown method", PING.replace("ping", "no/such").into()),
        ("a batch", format!("[{PING},{PING}]").into()),
        ("an empty batch", b"[]".to_vec()),
        ("a string", br#""ping""#.to_vec()),
        ("an answer to nothing", br#"{"jsonrpc":"2.0","id":4711,"result":{}}"#.to_vec()),
        ("an answer that is both", br#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#.to_vec()),
        ("a request of the other side", PING.replace("ping", "roots/list").into()),
    ];
    texts
}

fn clients() -> Vec<Client> {
    let mut clients: Vec<Client> =
        texts().into_iter().map(|(name, text)| client(name, [&text[..], b"\n"].concat())).collect();
    clients.extend([
        client("one id twice", format!("{PING}\n{PING}\n")),
        client("initialize twice", format!("{INITIALIZE}\n").replace(r#""id":1"#, r#""id":8"#)),
        client("blank lines", "\n\r\n\n"),
        client("a cancellation of nothing", format!(
            "{}\n",
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4711}}"#
        )),
        client("a framing of its own", format!("Content-Length: {}\r\n\r\n{PING}\n", PING.len())),
    ]);
    clients
}

/// The answers of the server, and the findings about the client.
fn run_client(client: &Client) -> String {
    let recorder = Recorder::new();
    let server = everything().record(recorder.clone());
    let begin = format!("{INITIALIZE}\n{INITIALIZED}\n");
    let sent = [begin.as_bytes(), &client.sent, LAST.as_bytes(), b"\n"].concat();
    let answers = Runtime::new().expect("a runtime").block_on(async {
        let (ours, theirs) = tokio::io::duplex(1024);
        let serving = tokio::spawn(async move { server.serve(theirs).await });
        let (mut input, mut output) = tokio::io::split(ours);
        let sending = tokio::spawn(async move {
            output.write_all(&sent).await.expect("the server reads");
            output.shutdown().await.expect("the server is there");
        });
        let mut answers = String::new();
        input.read_to_string(&mut answers).await.expect("the server writes text");
        sending.await.expect("everything was sent");
        serving.await.expect("no panic").expect("no error");
        answers
    });
    let last = r#""id":99,"result""#;
    assert!(answers.contains(last), "{}: the server does not continue:\n{answers}", client.name);
    let answers =
        answers.lines().filter(|line| !line.contains(last) && !line.contains(r#""id":1,"#));
    report(client.name, answers, &recorder)
}

/// Formats answers and findings for a snapshot.
pub(crate) fn report<'a>(
    name: &str,
    answers: impl IntoIterator<Item = &'a str>,
    recorder: &Recorder,
) -> String {
    let findings = judge_envelopes(&recorder.trace(), Party::Client, &|_| Revision::V2025_11_25);
    let mut text = format!("# {name}\n");
    let mut answers: Vec<&str> = answers.into_iter().collect();
    answers.sort_unstable();
    for answer in answers {
        writeln!(text, "< {answer}").expect("a string takes everything");
    }
    findings.iter().for_each(|finding| write_finding(&mut text, finding));
    text
}

fn write_finding(text: &mut String, finding: &Finding) {
    let requirements = joined(&finding.requirements, ", ");
    writeln!(text, "{:?} ({requirements}): {finding}", finding.severity)
        .expect("a string takes everything");
}

#[test]
fn each_message_is_answered_and_reported() {
    let texts: Vec<String> = clients().iter().map(run_client).collect();
    insta::assert_snapshot!(texts.join("\n"));
}
