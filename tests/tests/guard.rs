//! The guard under load: 100,000 messages, one in ten of them wrong, over a byte stream and over HTTP. Nothing is altered or
//! lost, each stream keeps its order, each request has one reply, and that is its own.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use mcp_test::guard::Guard;
use mcp_test::json::Value;
use mcp_test::spec::Revision;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, BufWriter, split};
use tower::ServiceExt;

const MESSAGES: u64 = 100_000;
/// One message in so many is wrong.
const WRONG: u64 = 10;
const CLIENTS: u64 = 8;

/// What the message with this number says.
fn text(number: u64) -> String {
    if !number.is_multiple_of(WRONG) {
        return match number % 4 {
            0 => format!(r#"{{"jsonrpc":"2.0","id":{number},"method":"ping"}}"#),
            1 => format!(
                r#"{{ "id":{number}, "method":"tools/call", "params":{{"name":"add","arguments":{{"a":{number},"b":1.0,"\u00e4":"\/"}}}}, "jsonrpc":"2.0" }}"#
            ),
            2 => format!(
                r#"{{"jsonrpc":"2.0","id":{number},"method":"resources/read","params":{{"uri":"file:///{number}/%C3%A4"}}}}"#
            ),
            _ => format!(
                r#"{{"jsonrpc":"2.0","id":{number},"method":"acme/unknown","params":{{"x":[{number}]}}}}"#
            ),
        };
    }
    match number / WRONG % 3 {
        0 => format!(r#"{{"jsonrpc":"2.0","id":{number},"method":"tools/call","params":{{}}}}"#),
        1 => format!(r#"{{"id":{number},"method":"ping"}}"#),
        _ => format!(
            r#"{{"jsonrpc":"2.0","id":{number},"method":"resources/read","params":{{"uri":7}}}}"#
        ),
    }
}

/// What the handler says to a message: that it has read these very bytes.
fn reply(text: &str) -> String {
    let id = number(&Value::parse(text.as_bytes()).expect("the handler reads JSON").value);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"bytes":{}}}}}"#, text.len())
}

fn number(message: &Value) -> u64 {
    message.get("id").and_then(Value::as_u64).expect("each message has a number")
}

/// Whether a reply is the one to the message with this number.
fn assert_answers(number: u64, reply: &Value) {
    if number.is_multiple_of(WRONG) {
        let code = if number / WRONG % 3 == 1 { -32600 } else { -32602 };
        assert_eq!(
            reply.at("/error/code").and_then(Value::as_i64),
            Some(code),
            "{number}: {reply}"
        );
    } else {
        let bytes = reply.at("/result/bytes").and_then(Value::as_u64);
        assert_eq!(bytes, Some(text(number).len() as u64), "{number}: {reply}");
    }
}

fn assert_counted(guard: &Guard) {
    let counter = guard.stats();
    assert_eq!((counter.messages, counter.rejected), (MESSAGES, MESSAGES / WRONG), "{counter}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_byte_stream_keeps_its_order_and_its_bytes() {
    let guard = Guard::new(Revision::V2025_06_18);
    let (peer, inner) = tokio::io::duplex(16 * 1024);
    let (handler_reads, handler_writes) = split(guard.io(inner));
    let handler = tokio::spawn(async move {
        let mut lines = BufReader::new(handler_reads).lines();
        let mut replies = BufWriter::new(handler_writes);
        let mut valid = (0..MESSAGES).filter(|number| !number.is_multiple_of(WRONG));
        while let Some(line) = lines.next_line().await.expect("the stream can be read") {
            // In order, and as it was written.
            assert_eq!(Some(&line), valid.next().map(text).as_ref());
            let reply = reply(&line) + "\n";
            replies.write_all(reply.as_bytes()).await.expect("the peer reads");
        }
        assert_eq!(valid.next(), None);
        replies.shutdown().await.expect("the peer reads");
    });
    let (peer_reads, peer_writes) = split(peer);
    let writer = tokio::spawn(async move {
        let mut messages = BufWriter::new(peer_writes);
        for number in 0..MESSAGES {
            let line = text(number) + "\n";
            messages.write_all(line.as_bytes()).await.expect("the guard reads");
        }
        messages.shutdown().await.expect("the guard reads");
    });
    let mut lines = BufReader::new(peer_reads).lines();
    let (mut results, mut errors) = (Vec::new(), Vec::new());
    while let Some(line) = lines.next_line().await.expect("the stream can be read") {
        let reply = Value::parse(line.as_bytes()).expect("each line is whole").value;
        let number = number(&reply);
        assert_answers(number, &reply);
        if reply.get("error").is_some() { errors.push(number) } else { results.push(number) }
    }
    assert!(results.into_iter().eq((0..MESSAGES).filter(|number| !number.is_multiple_of(WRONG))));
    assert!(errors.into_iter().eq((0..MESSAGES).filter(|number| number.is_multiple_of(WRONG))));
    writer.await.expect("everything was written");
    handler.await.expect("everything was handled");
    assert_counted(&guard);
}

/// A server that answers each message with its own reply, and counts them.
fn router(guard: &Guard, handled: &Arc<AtomicU64>) -> Router {
    let handled = Arc::clone(handled);
    let handler = post(move |body: Bytes| {
        handled.fetch_add(1, Relaxed);
        async move { answer(&body) }
    });
    Router::new().route("/mcp", handler).layer(guard.layer())
}

fn answer(body: &Bytes) -> Response {
    let message = std::str::from_utf8(body).expect("a message is text");
    let number = number(&Value::parse(body).expect("the handler reads JSON").value);
    assert_eq!(message, text(number));
    ([(header::CONTENT_TYPE, "application/json")], reply(message)).into_response()
}

/// The messages of one of several clients, one after the other.
fn numbers(client: u64, of: u64) -> impl Iterator<Item = u64> {
    (client..of).step_by(CLIENTS as usize)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_of_many_clients_has_its_own_replies() {
    let guard = Guard::new(Revision::V2025_06_18);
    let handled = Arc::default();
    let router = router(&guard, &handled);
    let clients = (0..CLIENTS).map(|client| {
        let router = router.clone();
        tokio::spawn(async move {
            for number in numbers(client, MESSAGES) {
                let request =
                    Request::post("/mcp").header(header::CONTENT_TYPE, "application/json");
                let request = request.body(Body::from(text(number))).expect("a request");
                let response = router.clone().oneshot(request).await.expect("a response");
                let status = response.status();
                let body = to_bytes(response.into_body(), 10_000).await.expect("a body");
                let reply = Value::parse(&body).expect("JSON").value;
                assert_eq!(self::number(&reply), number);
                assert_answers(number, &reply);
                let is_malformed = number.is_multiple_of(WRONG) && number / WRONG % 3 == 1;
                assert_eq!(status == StatusCode::BAD_REQUEST, is_malformed);
            }
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.expect("the client is content");
    }
    assert_counted(&guard);
    assert_eq!(handled.load(Relaxed), MESSAGES - MESSAGES / WRONG);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn behind_a_port_it_is_the_same() {
    const FEW: u64 = 2000;
    let guard = Guard::new(Revision::V2025_06_18);
    let handled = Arc::default();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let router = router(&guard, &handled);
    let server = tokio::spawn(async move { axum::serve(listener, router).await });
    // The client wants one even where there is nothing to encrypt.
    rustls::crypto::ring::default_provider().install_default().ok();
    let http = reqwest::Client::new();
    let clients = (0..CLIENTS).map(|client| {
        let (http, url) = (http.clone(), url.clone());
        tokio::spawn(async move {
            for number in numbers(client, FEW) {
                let request = http.post(&url).header("content-type", "application/json");
                let response = request.body(text(number)).send().await.expect("a response");
                let body = response.bytes().await.expect("a body");
                let reply = Value::parse(&body).expect("JSON").value;
                assert_eq!(self::number(&reply), number);
                assert_answers(number, &reply);
            }
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.expect("the client is content");
    }
    server.abort();
    assert_eq!((guard.stats().messages, guard.stats().rejected), (FEW, FEW / WRONG));
    assert_eq!(handled.load(Relaxed), FEW - FEW / WRONG);
}
