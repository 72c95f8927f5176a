//! Duties that a server neglects under a fault.

use futures_util::FutureExt;
use http::StatusCode;
use http_body_util::BodyExt;
use serde_json::json;

use super::{Endpoint, INITIALIZE, META, PING, run};
use crate::server::reference::everything;
use crate::server::{Call, Server};

const CALL: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}}"#;

fn misbehaving(word: &str) -> Server {
    everything()
        .on("tools/call", |call: Call| async move {
            call.end_stream().await.unwrap();
            json!({"content": []})
        })
        .faults([word.parse().unwrap()])
}

#[test]
fn sessions_are_not_issued_kept_or_forgotten() {
    run(async {
        let endpoint = Endpoint::new(&misbehaving("no-session"));
        assert!(endpoint.post(INITIALIZE).await.headers.get("mcp-session-id").is_none());
        assert_eq!(endpoint.post(PING).await.status, StatusCode::OK);

        let session = Endpoint::new(&misbehaving("keep-session")).session("2025-11-25").await;
        assert_eq!(session.call("DELETE", "").await.status, StatusCode::NO_CONTENT);
        assert_eq!(session.post(PING).await.status, StatusCode::OK);

        let session = Endpoint::new(&misbehaving("forget-session")).session("2025-11-25").await;
        assert_eq!(session.post(PING).await.status, StatusCode::OK);
        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert_eq!(session.post(initialized).await.status, StatusCode::ACCEPTED);
        assert_eq!(session.post(PING).await.status, StatusCode::NOT_FOUND);
    });
}

#[test]
fn streams_are_not_numbered_timed_or_replayed() {
    run(async {
        let endpoint = Endpoint::new(&misbehaving("no-retry"));
        let said = endpoint.session("2025-11-25").await.post(CALL).await;
        assert_eq!(said.body.unwrap(), "id: 2-0\ndata: \n\n");

        let endpoint = Endpoint::new(&misbehaving("no-event-ids"));
        let said = endpoint.session("2025-11-25").await.post(CALL).await;
        assert_eq!(said.body.unwrap(), "");

        let session = Endpoint::new(&misbehaving("no-replay")).session("2025-11-25").await;
        assert!(session.post(CALL).await.body.unwrap().contains("id: 2-0"));
        let rest = session.with("last-event-id", "2-0").open("GET", "").await;
        assert_eq!(rest.status(), StatusCode::OK);
        assert!(rest.into_body().frame().now_or_never().is_none());
    });
}

#[test]
fn headers_are_not_looked_at() {
    run(async {
        let session = Endpoint::new(&misbehaving("any-version")).session("2025-11-25").await;
        let session = session.with("mcp-protocol-version", "1999-01-01");
        assert_eq!(session.post(PING).await.status, StatusCode::OK);

        let endpoint = Endpoint::new(&misbehaving("any-mirror")).stateless("prompts/list");
        let list =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{META}}}}}"#);
        assert_eq!(endpoint.post(&list).await.status, StatusCode::OK);

        let endpoint = Endpoint::new(&misbehaving("any-origin")).with("host", "evil.example");
        let endpoint = endpoint.with("origin", "http://evil.example");
        assert_eq!(endpoint.post(INITIALIZE).await.status, StatusCode::OK);
    });
}
