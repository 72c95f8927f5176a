//! Clients that a metadata document describes.

use std::future::IntoFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::Request;
use axum::response::IntoResponse;
use http::{StatusCode, header};
use tokio::net::TcpListener;

use super::*;

/// A host of documents, which counts the requests, and its origin.
struct Host {
    origin: String,
    requests: Arc<AtomicUsize>,
}

impl Host {
    /// Serves, for each path, a document with these changes, and a header.
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(AtomicUsize::new(0));
        let (base, count) = (origin.clone(), Arc::clone(&requests));
        let answer = move |request: Request| {
            count.fetch_add(1, Ordering::Relaxed);
            let path = request.uri().path().to_owned();
            let mut document = json!({
                "client_id": format!("{base}{path}"),
                "client_name": "a test",
                "redirect_uris": [REDIRECT_URI],
                "grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
                "token_endpoint_auth_method": "none",
            });
            let (mut status, mut kind, mut control) =
                (StatusCode::OK, "application/json", "max-age=60");
            let mut location = "";
            match path.as_str() {
                "/other" => document["client_id"] = json!(format!("{base}/client")),
                "/secret" => document["client_secret"] = json!("known to all"),
                "/basic" => document["token_endpoint_auth_method"] = json!("client_secret_basic"),
                "/nameless" => document["client_name"] = json!(""),
                "/nowhere" => document["redirect_uris"] = json!([]),
                "/insecure" => document["redirect_uris"] = json!(["http://app.example/callback"]),
                "/large" => document["note"] = json!("x".repeat(6 * 1024)),
                "/page" => kind = "text/html",
                "/missing" => status = StatusCode::NOT_FOUND,
                "/redirect" => (status, location) = (StatusCode::FOUND, "/client"),
                "/unkept" => control = "no-store",
                _ => {}
            }
            let headers = [
                (header::CONTENT_TYPE, kind.to_owned()),
                (header::CACHE_CONTROL, control.to_owned()),
                (header::LOCATION, location.to_owned()),
            ];
            let response = (status, headers, document.to_string()).into_response();
            std::future::ready(response)
        };
        tokio::spawn(axum::serve(listener, Router::new().fallback(answer)).into_future());
        Self { origin, requests }
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }
}

#[tokio::test]
async fn the_client_of_a_document_gets_tokens() {
    let (flow, host) = (Flow::start(builder()).await, Host::start().await);
    let id = format!("{}/client", host.origin);
    let code = flow.code(&id, &[]).await;
    let issued = flow.token(&exchange(&id, &code)).await;
    let refresh = text(&issued, "refresh_token");
    let form = [("grant_type", "refresh_token"), ("client_id", &id), ("refresh_token", &refresh)];
    assert_eq!(flow.token(&form).await.status, 200);
    assert_eq!(host.requests(), 1, "it may be kept");
    let unkept = format!("{}/unkept", host.origin);
    let code = flow.code(&unkept, &[]).await;
    assert_eq!(flow.token(&exchange(&unkept, &code)).await.status, 200);
    assert_eq!(host.requests(), 3, "it may not be kept");
    let metadata = body(&flow.get("/.well-known/oauth-authorization-server").await);
    let announced = metadata.get("client_id_metadata_document_supported");
    assert_eq!(announced.and_then(Value::as_bool), Some(true));
}

#[tokio::test]
async fn a_wrong_document_describes_no_client() {
    let (flow, host) =
        (Flow::start(builder().remote_client_documents()).await, Host::start().await);
    let refused = async |id: &str, redirect_uri: &str| {
        let mut parameters = authorization(id).to_vec();
        parameters.retain(|(name, _)| *name != "redirect_uri");
        parameters.push(("redirect_uri", redirect_uri));
        refusal(&flow.get(&format!("/authorize?{}", form(&parameters))).await)
    };
    let invalid = (400, "invalid_request".to_owned());
    for path in [
        "/other",
        "/secret",
        "/basic",
        "/nameless",
        "/nowhere",
        "/insecure",
        "/large",
        "/page",
        "/missing",
        "/redirect",
    ] {
        let before = host.requests();
        let id = format!("{}{path}", host.origin);
        assert_eq!(refused(&id, REDIRECT_URI).await, invalid, "{path}");
        assert_eq!(host.requests(), before + 1, "{path}");
    }
    let id = format!("{}/client", host.origin);
    assert_eq!(refused(&id, "http://127.0.0.1/other").await, invalid);
    // Nothing is fetched from there.
    let before = host.requests();
    for id in [
        format!("{}/a/../client", host.origin),
        format!("{}/client#part", host.origin),
        host.origin.clone(),
        "https://169.254.169.254/latest".to_owned(),
        "https://10.0.0.1/client".to_owned(),
        "http://app.example/client".to_owned(),
    ] {
        assert_eq!(refused(&id, REDIRECT_URI).await, invalid, "{id}");
    }
    let token = flow.token(&exchange("https://10.0.0.1/client", "c")).await;
    assert_eq!(refusal(&token), (401, "invalid_client".to_owned()));
    assert_eq!(host.requests(), before);
}

#[tokio::test]
async fn a_server_can_do_without_documents() {
    let (flow, host) = (Flow::start(builder().no_client_documents()).await, Host::start().await);
    let id = format!("{}/client", host.origin);
    let response = flow.get(&format!("/authorize?{}", form(&authorization(&id)))).await;
    assert_eq!(refusal(&response), (400, "invalid_request".to_owned()));
    assert_eq!(host.requests(), 0);
    let metadata = body(&flow.get("/.well-known/oauth-authorization-server").await);
    assert!(metadata.get("client_id_metadata_document_supported").is_none(), "{metadata}");
}
