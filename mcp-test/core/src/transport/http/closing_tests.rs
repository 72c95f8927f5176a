//! Servers that close a connection which was kept open, without announcing it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::clock::{self, Deadline};
use crate::json::Value;
use crate::trace::{EventKind, Recorder};
use crate::transport::{Connection, Incoming, Limits, Target, TransportKind};
use crate::wire::{Id, Message, Notification, Request};

/// When a connection is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Close {
    /// After this many responses.
    After(usize),
    /// Instead of answering the request after this many responses.
    InsteadOfNext(usize),
    /// Like that, with a reset.
    WithReset(usize),
}

/// A server that closes its connections; it ends when this is dropped.
struct Closing {
    target: Target,
    /// The methods of the requests that it has read, answered or not.
    read: Arc<Mutex<Vec<String>>>,
    serving: JoinHandle<()>,
}

impl Drop for Closing {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Closing {
    async fn start(close: Close) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let target = Target::url(format!("http://{}/mcp", listener.local_addr().unwrap()));
        let read = Arc::<Mutex<Vec<String>>>::default();
        let log = read.clone();
        let serving = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let log = log.clone();
                tokio::spawn(async move { serve(socket, close, &log).await });
            }
        });
        Self { target, read, serving }
    }

    fn count(&self, method: &str) -> usize {
        self.read.lock().unwrap().iter().filter(|read| *read == method).count()
    }
}

async fn serve(mut socket: TcpStream, close: Close, log: &Mutex<Vec<String>>) -> Option<()> {
    for answered in 0.. {
        if close == Close::After(answered) {
            break;
        }
        let message = read_message(&mut socket).await?;
        log.lock().unwrap().push(message.get("method")?.as_str()?.to_owned());
        if close == Close::WithReset(answered) {
            socket.set_zero_linger().ok()?;
            break;
        }
        if close == Close::InsteadOfNext(answered) {
            break;
        }
        let response = match message.get("id") {
            None => "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n".to_owned(),
            Some(id) => {
                let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
                let length = body.len();
                format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
                )
            }
        };
        socket.write_all(response.as_bytes()).await.ok()?;
    }
    Some(())
}

/// Reads a request; its body is JSON, which shows where it ends.
async fn read_message(socket: &mut TcpStream) -> Option<Value> {
    let mut bytes = Vec::new();
    loop {
        if let Some(head) = bytes.windows(4).position(|end| end == b"\r\n\r\n")
            && let Ok(document) = Value::parse(&bytes[head + 4..])
        {
            return Some(document.value);
        }
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(20))
}

async fn open(target: &Target, recorder: &Recorder) -> Connection {
    target.open(TransportKind::Http, recorder, Limits::default()).await.unwrap()
}

/// Sends a request, and returns its reply or how its exchange ended instead.
async fn ask(connection: &mut Connection, id: i64, method: &str) -> String {
    let request = Request { id: Id::from(id), method: method.to_owned(), params: None };
    connection.send(Message::Request(request), soon()).await;
    next(connection).await
}

async fn next(connection: &mut Connection) -> String {
    loop {
        match clock::within(soon(), connection.next()).await.unwrap().unwrap() {
            Incoming::Message { message, .. } => return message.to_value().to_string(),
            Incoming::Ended { status: Some(200), .. } => {}
            Incoming::Ended { how, .. } => return how,
            other => panic!("{other:?}"),
        }
    }
}

fn resent(recorder: &Recorder) -> Vec<String> {
    let events = recorder.trace().events.into_iter();
    let reasons = events.filter_map(|event| match event.kind {
        EventKind::Resent { why } => Some(why),
        _ => None,
    });
    reasons.collect()
}

/// The first requests of a conversation, and a call.
async fn converse(target: &Target, recorder: &Recorder) {
    let mut connection = open(target, recorder).await;
    for (id, method) in [(1, "initialize"), (2, "tools/list"), (3, "tools/call"), (4, "ping")] {
        let got = ask(&mut connection, id, method).await;
        assert_eq!(got, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#), "{method}");
        if id == 1 {
            let method = "notifications/initialized".to_owned();
            let notification = Message::Notification(Notification { method, params: None });
            connection.send(notification, soon()).await;
            next(&mut connection).await;
        }
    }
}

#[tokio::test]
async fn a_connection_closed_after_each_response_changes_nothing() {
    for close in [Close::After(1), Close::InsteadOfNext(1), Close::WithReset(1)] {
        let server = Closing::start(close).await;
        for conversation in 1..=20 {
            // A clone would know what the others have learned.
            let url = server.target.http_url(TransportKind::Http).unwrap();
            let recorder = Recorder::new();
            converse(&Target::url(url), &recorder).await;
            assert_eq!(server.count("tools/call"), conversation, "{close:?}");
            let resent = resent(&recorder);
            match close {
                // Nothing is sent again if the end of the connection arrives first.
                Close::After(_) => assert!(resent.len() <= 1, "{resent:?}"),
                // From then on each request has a connection of its own.
                _ => assert_eq!(resent.len(), 1, "{close:?}: {resent:?}"),
            }
        }
    }
}

#[tokio::test]
async fn a_call_is_never_sent_again() {
    let server = Closing::start(Close::InsteadOfNext(2)).await;
    let recorder = Recorder::new();
    let mut connection = open(&server.target, &recorder).await;
    for id in [1, 2] {
        ask(&mut connection, id, "tools/list").await;
    }
    // Two responses on one connection: the server seemed to keep it open.
    insta::assert_snapshot!(ask(&mut connection, 3, "tools/call").await, @"failed without an HTTP response: the server closed the connection before a response");
    assert_eq!(server.count("tools/call"), 1);
    // All connections to the target know it from now on.
    let mut other = open(&server.target, &recorder).await;
    for id in 1..=6 {
        let reply = ask(&mut other, id, "tools/call").await;
        assert!(reply.contains("result"), "{reply}");
    }
    assert_eq!(server.count("tools/call"), 7);
    assert!(resent(&recorder).is_empty());
}

#[tokio::test]
async fn a_request_on_a_new_connection_is_not_sent_again() {
    for close in [Close::InsteadOfNext(0), Close::WithReset(0)] {
        let server = Closing::start(close).await;
        let recorder = Recorder::new();
        let mut connection = open(&server.target, &recorder).await;
        for id in 1..=3 {
            let how = ask(&mut connection, id, "ping").await;
            assert!(how.starts_with("failed without an HTTP response"), "{how}");
        }
        assert_eq!(server.count("ping"), 3);
        assert!(resent(&recorder).is_empty());
    }
}
