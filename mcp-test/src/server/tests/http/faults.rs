//! Faults that only HTTP has, and what others look like over it.

use futures_util::FutureExt;
use http::StatusCode;
use insta::assert_snapshot;

use super::{Endpoint, INITIALIZE, PING, run};
use crate::{server::reference::everything, transport::Fault};

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
