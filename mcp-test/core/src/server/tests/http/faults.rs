//! Faults that only HTTP has, and what others look like over it.

use futures_util::{FutureExt, StreamExt};
use http::StatusCode;
use http_body_util::BodyExt;
use insta::assert_snapshot;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Endpoint, INITIALIZE, PING, run};
use crate::server::reference::everything;
use crate::server::tests::faults::on_ping;
use crate::transport::fault::FAULT_KINDS;
use crate::transport::{Fault, TransportKind};

/// What a ping comes to when this fault is on the server.
fn ping_with(fault: &str) -> String {
    let server = everything().faults([fault.parse::<Fault>().unwrap()]);
    run(async { Endpoint::new(&server).session("2025-06-18").await.post(PING).await.shown() })
}

#[test]
fn faults_show_over_http() {
    let faults = [
        "status:ping:500",
        "content-type:ping:text/plain",
        "html:ping",
        "empty-body:ping",
        "truncate:ping",
        "close:ping",
        "twice:ping",
        "wrong-id:ping",
    ];
    let shown: Vec<_> =
        faults.into_iter().map(|fault| format!("{fault}\n{}", ping_with(fault))).collect();
    assert_snapshot!(shown.join("\n"), @r#"
    status:ping:500
    500 application/json
    {"jsonrpc":"2.0","id":2,"result":{}}
    content-type:ping:text/plain
    200 text/plain
    {"jsonrpc":"2.0","id":2,"result":{}}
    html:ping
    200 text/html; charset=utf-8
    <!DOCTYPE html>
    <html><head><title>Welcome</title></head><body><h1>It works</h1></body></html>

    empty-body:ping
    200 application/json

    truncate:ping
    200 application/json
    {"jsonrpc":"2.0","
    close:ping
    200 application/json
    broken: connection aborted
    twice:ping
    200 text/event-stream
    id: 2-0
    data: {"jsonrpc":"2.0","id":2,"result":{}}

    id: 2-1
    data: {"jsonrpc":"2.0","id":2,"result":{}}


    wrong-id:ping
    200 application/json
    {"jsonrpc":"2.0","id":1002,"result":{}}
    "#);
}

#[test]
fn every_fault_shows() {
    // Those that wait are shown below, those of behaviour where that is tested.
    const OTHERWISE: [&str; 3] = ["late", "never", "sse-open"];
    let good = ping_with("banner:x");
    let of_http = FAULT_KINDS.iter().filter(|word| word.reach.covers(TransportKind::Router));
    for word in of_http.filter(|word| word.form != word.word && !OTHERWISE.contains(&word.word)) {
        let fault = on_ping(word);
        let id = run(async {
            let server = everything().faults([fault.parse::<Fault>().unwrap()]);
            let opened = Endpoint::new(&server).post(INITIALIZE).await;
            opened.header("mcp-session-id").to_owned()
        });
        assert!(ping_with(&fault) != good || id.contains('x'), "{fault}");
    }
}

#[test]
fn a_reply_that_never_comes_waits() {
    run(async {
        let server = everything().faults([Fault::never("ping")]);
        let session = Endpoint::new(&server).session("2025-06-18").await;
        let mut waiting = Box::pin(session.post(PING));
        for _ in 0..10 {
            tokio::task::yield_now().await;
            assert!((&mut waiting).now_or_never().is_none());
        }
    });
}

#[test]
fn a_faulty_session_id_still_names_its_session() {
    run(async {
        let endpoint = Endpoint::new(&everything().faults([Fault::session_id(" ")]));
        let opened = endpoint.post(INITIALIZE).await;
        let id = opened.header("mcp-session-id");
        assert!(id.contains(' '), "{id}");
        assert_eq!(endpoint.with("mcp-session-id", id).post(PING).await.status, StatusCode::OK);
    });
}

#[test]
fn faults_of_exchanges_show_over_http() {
    let faults = ["cut:ping", "redirect:ping:/elsewhere", "no-header:ping:Content-Type"];
    let shown: Vec<_> =
        faults.into_iter().map(|fault| format!("{fault}\n{}", ping_with(fault))).collect();
    assert_snapshot!(shown.join("\n"), @r#"
    cut:ping
    200 application/json
    broken: connection aborted
    redirect:ping:/elsewhere
    307 application/json

    no-header:ping:Content-Type
    200 
    {"jsonrpc":"2.0","id":2,"result":{}}
    "#);
    run(async {
        let server = everything().faults([
            "cut:ping".parse::<Fault>().unwrap(),
            "header:ping:X-Name:a value".parse().unwrap(),
        ]);
        let reply = Endpoint::new(&server).session("2025-06-18").await.post(PING).await;
        assert_eq!(reply.header("x-name"), "a value");
        assert_eq!(reply.header("content-length"), "36");
    });
}

#[test]
fn faults_of_event_streams_show_over_http() {
    let faults = ["sse-split:ping", "sse-garble:ping", "sse-end:ping", "flood:ping:1"];
    let shown: Vec<_> =
        faults.into_iter().map(|fault| format!("{fault}\n{}", ping_with(fault))).collect();
    assert_snapshot!(shown.join("\n"), @r#"
    sse-split:ping
    200 text/event-stream
    id: 2-0
    data: {"jsonrpc":"2.0","id":2,"result":{}}


    sse-garble:ping
    200 text/event-stream
    dat: {"jsonrpc":"2.0","id":2,"result":{}}


    sse-end:ping
    200 text/event-stream

    flood:ping:1
    200 text/event-stream
    id: 2-0
    data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"flood","level":"debug"}}

    id: 2-1
    data: {"jsonrpc":"2.0","id":2,"result":{}}
    "#);
    run(async {
        let frames = |fault: &str| {
            let server = everything().faults([fault.parse::<Fault>().unwrap()]);
            async move {
                let session = Endpoint::new(&server).session("2025-06-18").await;
                session.open("POST", PING).await.into_body()
            }
        };
        let split = frames("sse-split:ping").await.into_data_stream();
        let split: Vec<_> = StreamExt::collect(split).await;
        assert!(split.len() > 40 && split.iter().flatten().all(|frame| frame.len() == 1));
        let mut open = frames("sse-open:ping").await;
        assert!(open.frame().await.is_some());
        for _ in 0..10 {
            tokio::task::yield_now().await;
            assert!(open.frame().now_or_never().is_none());
        }
    });
}

#[test]
fn whatever_is_asked_for_may_be_refused() {
    let status = |fault: &str, method: &'static str, body: &'static str| {
        let server = everything().faults([fault.parse::<Fault>().unwrap()]);
        run(async {
            let session = Endpoint::new(&server).session("2025-06-18").await;
            session.open(method, body).await.status().as_u16()
        })
    };
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(status("status:DELETE:405", "DELETE", ""), 405);
    assert_eq!(status("status:GET:405", "GET", ""), 405);
    assert_eq!(status("status:notifications/initialized:500", "POST", initialized), 500);
    assert_eq!(status("status:*:500", "POST", PING), 500);
    assert_eq!(status("status:*:500", "POST", initialized), 202);
}

#[test]
fn chunks_are_wrong_on_the_wire() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let body = |faults: &'static [&'static str]| {
        runtime.block_on(async {
            let faults = faults.iter().map(|fault| fault.parse::<Fault>().unwrap());
            let listening = everything().faults(faults).listen("127.0.0.1:0").await.unwrap();
            let mut client = TcpStream::connect(listening.address()).await.unwrap();
            let request = format!(
                "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                 Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
                 Content-Length: {}\r\n\r\n{INITIALIZE}",
                INITIALIZE.len()
            );
            client.write_all(request.as_bytes()).await.unwrap();
            let mut response = String::new();
            client.read_to_string(&mut response).await.unwrap();
            response.split_once("\r\n\r\n").unwrap().1.to_owned()
        })
    };
    let right = body(&[]);
    let wrong = body(&["wrong-chunks:initialize"]);
    assert!(right.starts_with('{'), "{right}");
    let (size, rest) = wrong.split_once("\r\n").unwrap();
    assert!(size.starts_with('z'), "{wrong}");
    assert!(rest.starts_with('{'), "{wrong}");
}
