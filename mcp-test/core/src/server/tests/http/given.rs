//! Rules over HTTP: streams, and ends at any point of them.

use futures_util::FutureExt;
use insta::assert_snapshot;
use serde_json::json;

use super::{Endpoint, run};
use crate::server::reference::everything;
use crate::server::{Server, SteppedResponse, given, method, steps};

const CALL: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":7}}}"#;

fn server(course: SteppedResponse) -> Server {
    let server = everything();
    server.mount(given(method("tools/call")).respond_with(course).expect(1));
    server
}

fn answered(course: SteppedResponse) -> String {
    let server = server(course);
    let shown =
        run(async { Endpoint::new(&server).session("2025-06-18").await.post(CALL).await.shown() });
    server.assert_verified();
    shown
}

#[test]
fn a_stream_ends_at_any_point() {
    let progress = || steps().progress(1, 2);
    assert_snapshot!(answered(progress().answer(json!({"content": []}))), @r#"
    200 text/event-stream
    id: 2-0
    data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":7,"total":2}}

    id: 2-1
    data: {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
    "#);
    assert_snapshot!(answered(progress().end_stream()), @r#"
    200 text/event-stream
    id: 2-0
    data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":7,"total":2}}
    "#);
    assert_snapshot!(answered(progress().close()), @"
    200 text/event-stream
    broken: connection aborted
    ");
    assert_snapshot!(answered(steps().close()), @"
    200 application/json
    broken: connection aborted
    ");
    assert_snapshot!(answered(steps().end_stream()), @"200 text/event-stream");
    assert_snapshot!(answered(steps().answer(json!({"content": []}))), @r#"
    200 application/json
    {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
    "#);
}

#[test]
fn a_stream_stays_open_without_an_answer() {
    run(async {
        let session = Endpoint::new(&server(steps().never())).session("2025-06-18").await;
        let mut waiting = Box::pin(session.post(CALL));
        for _ in 0..10 {
            tokio::task::yield_now().await;
            assert!((&mut waiting).now_or_never().is_none());
        }
    });
}

#[test]
fn a_client_comes_back_for_the_rest() {
    run(async {
        let course = steps().progress(1, 2).end_connection().answer(json!({"content": []}));
        let session = Endpoint::new(&server(course)).session("2025-11-25").await;
        assert_snapshot!(session.post(CALL).await.shown(), @r#"
        200 text/event-stream
        id: 2-0
        retry: 100
        data: 

        id: 2-1
        data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":7,"total":2}}
        "#);
        let rest = session.with("last-event-id", "2-1").call("GET", "").await;
        assert_snapshot!(rest.shown(), @r#"
        200 text/event-stream
        id: 2-2
        data: {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
        "#);
    });
}
