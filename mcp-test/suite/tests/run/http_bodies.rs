//! Servers over a socket whose headers do not describe the bodies of their responses.

use std::collections::BTreeSet;
use std::io;
use std::net::TcpListener;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use mcp_test_core::check::Status;
use mcp_test_core::server::reference::everything;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tower::ServiceExt;

use super::*;

/// The headers that describe a body, and what is sent as the body.
type Framing = fn(Vec<u8>) -> (String, Vec<u8>);

/// More than any body has.
const LONGEST: usize = 64 * 1024 * 1024;

/// Serves one request on a connection; the reply to `tools/list` is sent with this framing.
async fn serve(stream: TcpStream, router: Router, framing: Framing) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).await? == 0 {
            return Ok(());
        }
    }
    let mut lines = head.lines();
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut request = Request::builder().method(method).uri(path);
    let mut length = 0;
    for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
        if name.eq_ignore_ascii_case("content-length") {
            length = value.parse().expect("a length");
        }
        request = request.header(name, value);
    }
    // A stream that is opened would not end.
    if method == "GET" {
        let refused = b"HTTP/1.1 405 Method Not Allowed\r\nAllow: POST\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        return stream.write_all(refused).await;
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    let is_list = String::from_utf8_lossy(&body).contains("tools/list");
    let request = request.body(Body::from(body)).expect("a request");
    let Ok(response) = router.oneshot(request).await;
    let (head, body) = response.into_parts();
    let body = to_bytes(body, LONGEST).await.expect("a body").to_vec();
    let (framed, body) = if is_list { framing(body) } else { whole(body) };
    let mut text = format!("HTTP/1.1 {} \r\nConnection: close\r\n{framed}", head.status.as_u16());
    for (name, value) in &head.headers {
        if ![header::CONTENT_LENGTH, header::TRANSFER_ENCODING].contains(name) {
            text += &format!("{name}: {}\r\n", value.to_str().expect("a text"));
        }
    }
    stream.write_all(format!("{text}\r\n").as_bytes()).await?;
    stream.write_all(&body).await?;
    stream.shutdown().await
}

fn target(framing: Framing) -> Target {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.set_nonblocking(true).expect("a listener for tokio");
    let url = format!("http://{}/mcp", listener.local_addr().expect("its address"));
    std::thread::spawn(move || {
        block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            let router = everything().router();
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, router.clone(), framing));
            }
        });
    });
    Target::url(&url)
}

/// What fails in `tools-list` at 2025-11-25.
fn failures(framing: Framing) -> BTreeSet<String> {
    let plan = Plan::build(
        scenarios::all(),
        target(framing),
        Profile::Adaptive,
        &selection(&["tools-list"]),
    );
    let (events, _) = run_plan(&plan.expect("a plan").timeout(Duration::from_secs(20)));
    let outcomes = events.iter().filter_map(|event| match event {
        RunEvent::Finished(it) if it.scenario_run.revision == Revision::V2025_11_25 => Some(it),
        _ => None,
    });
    let failing =
        outcomes.flat_map(|it| it.checks.iter()).filter(|it| it.status == Status::Failure);
    let findings = failing.filter_map(|it| it.finding.as_ref());
    findings.map(|it| it.headline.clone()).collect()
}

fn whole(body: Vec<u8>) -> (String, Vec<u8>) {
    (format!("Content-Length: {}\r\n", body.len()), body)
}

fn chunked(body: &[u8]) -> Vec<u8> {
    let size = format!("{:x}\r\n", body.len());
    [size.as_bytes(), body, b"\r\n0\r\n\r\n"].concat()
}

fn gzip(body: Vec<u8>) -> (String, Vec<u8>) {
    let (length, body) = whole(body);
    (format!("Content-Encoding: gzip\r\n{length}"), body)
}

/// The body in the format of zlib, not compressed; nobody reads so far that the missing checksum matters.
fn deflated(body: &[u8]) -> Vec<u8> {
    let length = u16::try_from(body.len()).expect("a short body");
    [&[0x78, 1, 1], &length.to_le_bytes()[..], &(!length).to_le_bytes(), body].concat()
}

#[test]
fn a_body_that_is_not_as_its_headers_say_is_noticed() {
    const CODING: &[&str] =
        &["the body of a response does not have the coding that a header names"];
    const LENGTHS: &[&str] = &["a response has both Content-Length and Transfer-Encoding"];
    const UNREADABLE: &[&str] = &[
        "the reply to `tools/list` is not an MCP message",
        "the server sent a body of application/json that is not JSON",
    ];
    let cases: [(&str, Framing, &[&str]); 8] = [
        ("as it says", whole, &[]),
        ("plain in place of gzip", gzip, CODING),
        ("deflate in place of gzip", |body| gzip(deflated(&body)), UNREADABLE),
        ("longer", |body| (format!("Content-Length: {}\r\n", body.len() - 5), body), UNREADABLE),
        ("shorter", |body| (format!("Content-Length: {}\r\n", body.len() + 5), body), UNREADABLE),
        ("not chunked", |body| ("Transfer-Encoding: chunked\r\n".to_owned(), body), UNREADABLE),
        (
            "chunked in place of gzip and chunked",
            |body| ("Transfer-Encoding: gzip, chunked\r\n".to_owned(), chunked(&body)),
            CODING,
        ),
        (
            "with two lengths",
            |body| {
                (format!("Transfer-Encoding: chunked\r\n{}", whole(body.clone()).0), chunked(&body))
            },
            LENGTHS,
        ),
    ];
    for (body, framing, expected) in cases {
        let expected = expected.iter().map(|it| (*it).to_owned()).collect();
        assert_eq!(failures(framing), expected, "a body that is {body}");
    }
}
