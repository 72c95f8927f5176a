//! Servers that violate HTTP itself, over a socket.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::clock::{self, Deadline};
use crate::trace::Recorder;
use crate::transport::{HttpRequest, Incoming, Limits, Target, TransportKind};
use crate::wire::{Id, Message, Request};

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(20))
}

async fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    (listener, url)
}

/// Reads until the request is complete.
async fn read_request(stream: &mut TcpStream) {
    let mut seen = Vec::new();
    let mut buffer = [0; 4096];
    while !seen.ends_with(b"}") {
        match stream.read(&mut buffer).await {
            Ok(count) if count > 0 => seen.extend_from_slice(&buffer[..count]),
            _ => return,
        }
    }
}

/// The observations of a request to the server at `url`.
async fn observe(url: &str) -> String {
    let recorder = Recorder::new();
    let target = Target::url(url);
    let mut connection =
        target.open(TransportKind::Http, &recorder, Limits::default()).await.unwrap();
    let message =
        Message::Request(Request { id: Id::from(1), method: "ping".to_owned(), params: None });
    connection.send(message, soon()).await;
    let mut lines = Vec::new();
    loop {
        match clock::within(soon(), connection.next()).await.unwrap().unwrap() {
            Incoming::Message { message, .. } => lines.push(message.to_value().to_string()),
            Incoming::Invalid { head, why, .. } => lines.push(format!("{head} ({why})")),
            Incoming::Ended { how, .. } => {
                lines.push(how);
                let address = url.trim_start_matches("http://").trim_end_matches("/mcp");
                return lines.join("\n").replace(address, "[address]");
            }
            Incoming::Closed { how, .. } => panic!("closed: {how}"),
        }
    }
}

async fn observe_response(answer: impl AsRef<[u8]> + Send + 'static) -> String {
    let (listener, url) = listener().await;
    let serving = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            read_request(&mut stream).await;
            let _ = stream.write_all(answer.as_ref()).await;
            let _ = stream.shutdown().await;
        }
    });
    let observed = observe(&url).await;
    serving.abort();
    observed
}

#[tokio::test]
async fn a_port_without_a_listener() {
    let (listener, url) = listener().await;
    drop(listener);
    insta::assert_snapshot!(observe(&url).await, @"failed without an HTTP response: connection refused: nothing listens there");
}

#[tokio::test]
async fn a_connection_that_is_reset() {
    let (listener, url) = listener().await;
    let serving = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            read_request(&mut stream).await;
            let _ = stream.set_zero_linger();
            drop(stream);
        }
    });
    insta::assert_snapshot!(observe(&url).await, @"failed without an HTTP response: the server reset the connection");
    serving.abort();
}

#[tokio::test]
async fn responses_that_are_not_http_are_classified() {
    insta::assert_snapshot!(observe_response(b"").await, @"failed without an HTTP response: the server closed the connection before a response");
    insta::assert_snapshot!(observe_response(b"hello, this is not HTTP\r\n\r\n").await, @"failed without an HTTP response: the response is not HTTP, or is HTTP inside TLS: invalid HTTP version");
    // The alert with which a TLS server refuses plain text.
    insta::assert_snapshot!(observe_response(b"\x15\x03\x01\x00\x02\x02\x46").await, @"failed without an HTTP response: the response is not HTTP, or is HTTP inside TLS: invalid HTTP version");
    insta::assert_snapshot!(observe_response(b"HTTP/1.1 2 OK\r\n\r\n").await, @"failed without an HTTP response: the response is not HTTP: invalid HTTP status-code");
    insta::assert_snapshot!(observe_response(b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n").await, @"failed without an HTTP response: the response is not HTTP: invalid HTTP header");
}

#[tokio::test]
async fn a_truncated_or_wrongly_chunked_body_is_reported_with_its_beginning() {
    const LENGTH: &str = "application/json\r\ncontent-length: 100";
    const CHUNKED: &str = "application/json\r\ntransfer-encoding: chunked";
    const STREAM: &str = "text/event-stream\r\ntransfer-encoding: chunked";
    let body = async |head: &str, body: &str| {
        observe_response(format!("HTTP/1.1 200 OK\r\ncontent-type: {head}\r\n\r\n{body}")).await
    };
    insta::assert_snapshot!(body(LENGTH, "{\"jsonrpc\"").await, @r#"
    "{\"jsonrpc\"" (a body that broke off after 10 bytes: the connection was closed before the announced end of the body)
    ended with HTTP 200, a body that broke off after 10 bytes: the connection was closed before the announced end of the body
    "#);
    insta::assert_snapshot!(body(CHUNKED, "xyz\r\n{}\r\n0\r\n\r\n").await, @r#"
    "" (a body that broke off after 0 bytes: wrong chunking: invalid chunk size line: missing size digit)
    ended with HTTP 200, a body that broke off after 0 bytes: wrong chunking: invalid chunk size line: missing size digit
    "#);
    insta::assert_snapshot!(body(CHUNKED, "20\r\n{}\r\n").await, @r#"
    "{}\r\n" (a body that broke off after 4 bytes: the connection was closed before the announced end of the body)
    ended with HTTP 200, a body that broke off after 4 bytes: the connection was closed before the announced end of the body
    "#);
    insta::assert_snapshot!(body(STREAM, "5\r\ndata:\r\n").await, @r#"
    "data:" (an event without the empty line that ends it)
    ended with HTTP 200, the event stream broken off: the connection was closed before the last chunk after 1 event
    "#);
}

#[tokio::test]
async fn a_redirect_is_reported_and_not_followed() {
    let found = "HTTP/1.1 302 Found\r\nlocation: http://elsewhere.example/mcp\r\ncontent-length: 0";
    insta::assert_snapshot!(observe_response(format!("{found}\r\n\r\n")).await, @"ended with HTTP 302 to http://elsewhere.example/mcp, an empty body");
}

#[tokio::test]
async fn a_raw_request_is_sent_as_written() {
    let (listener, url) = listener().await;
    let serving = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
        String::from_utf8_lossy(&head).into_owned()
    });
    let target = Target::url(&url);
    let recorder = Recorder::new();
    let connection = target.open(TransportKind::Http, &recorder, Limits::default()).await.unwrap();
    let request = HttpRequest::get().header("Host", "evil.example").header("X-Twice", "1");
    let answer = connection.http(request.header("X-Twice", "2"), soon()).await.unwrap();
    assert_eq!((answer.status, answer.complete), (204, true));
    let head = serving.await.unwrap();
    assert_eq!(head, "GET /mcp HTTP/1.1\r\nHost: evil.example\r\nX-Twice: 1\r\nX-Twice: 2\r\n\r\n");
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn tls_on_a_plain_port() {
    let (listener, url) = listener().await;
    let serving = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut buffer = [0; 4096];
            let _ = stream.read(&mut buffer).await;
            let _ =
                stream.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n").await;
        }
    });
    insta::assert_snapshot!(observe(&url.replace("http:", "https:")).await, @"failed without an HTTP response: the response is not TLS: is the server at http:// instead of https://?");
    serving.abort();
}
