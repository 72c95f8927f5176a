//! What is refused, ended or forgotten when the memory of a server is used up.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use http::StatusCode;
use insta::assert_snapshot;
use serde_json::json;

use super::legacy::{listen_at, send};
use super::{Endpoint, INITIALIZE, META, PING, run};
use crate::clock::{self, Deadline};
use crate::server::reference::everything;
use crate::server::{Call, Server};
use crate::trace::{EventKind, Recorder, UnparsableKind};
use crate::transport::memory_budget::tests::budget;
use crate::transport::memory_budget::{MemoryBudget, Usage};
use crate::transport::serve_http::{HttpOptions, HttpServer};

const MIB: usize = 1024 * 1024;
/// More than a small unit, and less than half of what there is.
const LARGE: usize = 400 * 1024;
const CALL: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}}"#;

/// The memory of a server in these tests, which nobody waits for in vain for long.
fn memory() -> MemoryBudget {
    budget(MIB, Duration::from_millis(1))
}

fn router(server: &Server, memory: &MemoryBudget) -> axum::Router {
    let options = HttpOptions { memory: memory.clone(), ..HttpOptions::default() };
    HttpServer::new(Arc::new(server.clone()), &server.interceptor(), options).router()
}

fn endpoint(server: &Server, memory: &MemoryBudget) -> Endpoint {
    Endpoint::at(router(server, memory))
}

/// A request for a method that does not exist, whose name the error repeats.
fn request(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":2,"method":"{method}","params":{{{params}}}}}"#)
}

fn initialize(length: usize) -> String {
    let declared =
        format!(r#""capabilities":{{"experimental":{{"x":{{"y":"{}"}}}}}}"#, "y".repeat(length));
    INITIALIZE.replace(r#""capabilities":{}"#, &declared)
}

#[test]
fn a_request_without_memory_is_refused_with_the_reason() {
    let memory = memory();
    run(async {
        let server = endpoint(&everything(), &memory);
        let session = server.session("2025-11-25").await;
        let method = "x".repeat(LARGE - LARGE / 4);
        let in_eras = [(&session, ""), (&server.stateless(&method), META)];
        for usage in [Usage::Body, Usage::Message, Usage::Reply] {
            for (endpoint, params) in in_eras {
                let request = request(&method, params);
                let answered = endpoint.post(&request).await;
                assert!(answered.body.unwrap().contains("method not found"), "{usage:?}");
                let _held = memory.try_reserve(usage, MIB).unwrap();
                let refused = endpoint.post(&request).await;
                assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE, "{usage:?}");
                assert_eq!(refused.header("retry-after"), "5");
                assert!(
                    refused
                        .body
                        .unwrap()
                        .ends_with("is used up; try again later, or send smaller messages")
                );
                // A modest client is served meanwhile.
                assert_eq!(session.post(PING).await.status, StatusCode::OK);
            }
        }
        for usage in [Usage::Body, Usage::Message, Usage::Reply] {
            assert!(memory.try_reserve(usage, MIB).is_some(), "{usage:?} is still reserved");
        }
    });
}

#[test]
fn what_was_not_read_for_lack_of_memory_is_recorded() {
    let (memory, recorder) = (memory(), Recorder::new());
    let _held = memory.try_reserve(Usage::Body, MIB).unwrap();
    run(async {
        let server = endpoint(&everything().record(recorder.clone()), &memory);
        assert_snapshot!(server.post(&initialize(LARGE)).await.shown(), @"
        503 text/plain; charset=utf-8
        the memory that mcp-test has for bodies is used up; try again later, or send smaller messages
        ");
    });
    let recorded = recorder.trace().events.into_iter().find_map(|event| match event.kind {
        EventKind::Unparsable { why, kind, .. } => Some((why, kind)),
        _ => None,
    });
    let (why, kind) = recorded.expect("it is recorded");
    assert!(why.starts_with("the memory"), "{why}");
    assert_eq!(kind, UnparsableKind::OverLimit);
}

#[test]
fn the_oldest_large_session_ends_for_a_new_one() {
    // The work of the session that ends releases its memory in a task of its own.
    let memory = budget(MIB, Duration::from_secs(60));
    run(async {
        let server = endpoint(&everything(), &memory);
        let modest = server.session("2025-11-25").await;
        let mut large = Vec::new();
        for _ in 0..3 {
            let opened = server.post(&initialize(LARGE)).await;
            assert_eq!(opened.status, StatusCode::OK);
            large.push(server.with("mcp-session-id", opened.header("mcp-session-id")));
        }
        let mut statuses = Vec::new();
        for session in large.iter().chain([&modest]) {
            statuses.push(session.post(PING).await.status.as_u16());
        }
        assert_eq!(statuses, [404, 200, 200, 200]);
    });
}

#[test]
fn the_memory_of_a_session_is_free_when_its_work_has_ended() {
    // A tool that never answers.
    let server = everything().on("tools/call", |call: Call| async move {
        call.notify("notifications/message", json!({"level": "info", "data": 1})).await.unwrap();
        std::future::pending::<serde_json::Value>().await
    });
    let memory = budget(LARGE + LARGE / 2, Duration::from_millis(1));
    run(async {
        let server = endpoint(&server, &memory);
        let opened = server.post(&initialize(LARGE)).await;
        let busy = server.with("mcp-session-id", opened.header("mcp-session-id"));
        let mut response = busy.open("POST", CALL).await.into_body().into_data_stream();
        response.next().await.unwrap().unwrap();
        let refused = server.post(&initialize(LARGE)).await;
        assert_snapshot!(refused.shown(), @"
        503 text/plain; charset=utf-8
        the memory that mcp-test has for sessions is used up; try again later, or send smaller messages
        ");
        drop(response);
        // The work ends in a task of its own.
        let work_ends = async {
            while memory.try_reserve(Usage::Session, LARGE).is_none() {
                tokio::task::yield_now().await;
            }
        };
        clock::within(Deadline::after(Duration::from_secs(60)), work_ends).await.unwrap();
        assert_eq!(server.post(&initialize(LARGE)).await.status, StatusCode::OK);
    });
}

#[test]
fn a_session_over_http_and_sse_reserves_memory_as_well() {
    let memory = memory();
    run(async {
        let router = router(&everything(), &memory);
        let initialize = initialize(LARGE).replace("2025-11-25", "2024-11-05");
        let (first, path) = listen_at(&router).await;
        assert_eq!(send(&router, "POST", &path, &initialize).await.status(), StatusCode::ACCEPTED);
        assert!(memory.try_reserve(Usage::Session, MIB).is_none());
        let held = memory.try_reserve(Usage::Session, LARGE).unwrap();
        let (_second, path) = listen_at(&router).await;
        let refused = send(&router, "POST", &path, &initialize).await;
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        drop((first, held));
        assert!(memory.try_reserve(Usage::Session, MIB).is_some(), "it ends with its stream");
    });
}

#[test]
fn events_that_were_taken_are_kept_as_long_as_there_is_memory() {
    let server = everything().on("tools/call", |call: Call| async move {
        let data = "y".repeat(LARGE);
        call.notify("notifications/message", json!({"level": "info", "data": data})).await.unwrap();
        json!({"content": []})
    });
    let memory = memory();
    run(async {
        let session = endpoint(&server, &memory).session("2025-11-25").await;
        let resumed = session.with("last-event-id", "2-0");
        let reply = session.post(CALL).await.body.unwrap();
        assert!(reply.contains("id: 2-1\n") && reply.contains("id: 2-2\n"), "{reply:.100}");
        // What is kept is not reserved as a reply any more.
        assert!(memory.try_reserve(Usage::Reply, MIB).is_some());
        assert_eq!(resumed.call("GET", "").await.status, StatusCode::OK);

        let session = endpoint(&server, &memory).session("2025-11-25").await;
        let resumed = session.with("last-event-id", "2-0");
        session.post(CALL).await.body.unwrap();
        assert_snapshot!(resumed.call("GET", "").await.shown(), @"
        400 text/plain; charset=utf-8
        no stream can be resumed after the event of `Last-Event-ID`
        ");
    });
}

#[test]
fn what_nobody_comes_back_for_takes_no_memory_from_replies() {
    let server = everything().on("tools/call", |call: Call| async move {
        let begun = json!({"level": "info", "data": "begun"});
        call.notify("notifications/message", begun).await.unwrap();
        json!({"content": [{"type": "text", "text": "y".repeat(LARGE)}]})
    });
    let memory = memory();
    run(async {
        let session = endpoint(&server, &memory).session("2025-11-25").await;
        for _ in 0..3 {
            let mut response = session.open("POST", CALL).await.into_body().into_data_stream();
            response.next().await.unwrap().unwrap();
            drop(response);
        }
        // Each reply is sent by a task of its own.
        let replies_are_sent = async {
            while memory.try_reserve(Usage::KeptEvent, MIB).is_some()
                || memory.try_reserve(Usage::Reply, MIB).is_none()
            {
                tokio::task::yield_now().await;
            }
        };
        clock::within(Deadline::after(Duration::from_secs(60)), replies_are_sent).await.unwrap();
        assert_eq!(session.call("DELETE", "").await.status, StatusCode::NO_CONTENT);
    });
}
