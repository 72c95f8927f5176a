//! Gets a document that is no part of any conversation, such as a schema, from a URL.

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use reqwest::Url;

use super::Door;
use crate::clock::{self, Deadline};
use crate::transport::bare::HttpReply;

/// How many redirects are followed.
const REDIRECTS: usize = 5;

/// The body at `url`, which may have up to `most` bytes, by the deadline; the error says in words why it cannot be had.
pub(crate) async fn fetch(url: &str, most: usize, deadline: Deadline) -> Result<Bytes, String> {
    clock::within(deadline, following(url, most)).await.unwrap_or_else(|_| {
        let allotted = deadline.allotted().map(clock::in_words).unwrap_or_default();
        Err(format!("it has not come within {allotted}"))
    })
}

async fn following(url: &str, most: usize) -> Result<Bytes, String> {
    let mut url = Url::parse(url).map_err(|error| error.to_string())?;
    for _ in 0..=REDIRECTS {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("`{}` is neither http nor https", url.scheme()));
        }
        let door = Door::network(url.as_str())?;
        let headers = [("Accept".to_owned(), "application/json, */*".to_owned())];
        let reply = door.call("GET", url.as_str(), &headers, Bytes::new()).await?;
        match (reply.status, reply.header("location")) {
            (200, _) => return body(reply, most).await,
            (301 | 302 | 303 | 307 | 308, Some(location)) => {
                url = url
                    .join(&location)
                    .map_err(|error| format!("HTTP {} leads to no URL: {error}", reply.status))?;
            }
            (status, _) => return Err(format!("HTTP {status}")),
        }
    }
    Err(format!("more than {REDIRECTS} redirects"))
}

async fn body(reply: HttpReply, most: usize) -> Result<Bytes, String> {
    let mut pieces = reply.body;
    let mut body = BytesMut::new();
    while let Some(piece) = pieces.next().await {
        let piece = piece?;
        if body.len() + piece.len() > most {
            return Err(format!("it has more than {} MiB", most / (1024 * 1024)));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body.freeze())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::Router;
    use axum::http::{StatusCode, header};
    use axum::response::IntoResponse;
    use axum::routing::get;
    use tokio::net::TcpListener;

    use super::*;

    const MIB: usize = 1024 * 1024;

    fn moved(to: &'static str) -> impl IntoResponse {
        (StatusCode::FOUND, [(header::LOCATION, to)])
    }

    /// What comes of a path of a server that has several, in words.
    async fn fetched(path: &str, deadline: Deadline) -> String {
        let router = Router::new()
            .route("/schema", get(|| async { "{}" }))
            .route("/moved", get(|| async { moved("schema") }))
            .route("/circle", get(|| async { moved("/circle") }))
            .route("/elsewhere", get(|| async { moved("file:///etc/passwd") }))
            .route("/large", get(|| async { "x".repeat(MIB + 1) }))
            .route("/slow", get(std::future::pending::<&str>));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}{path}", listener.local_addr().unwrap());
        let serving = tokio::spawn(async move { axum::serve(listener, router).await });
        let fetched = fetch(&url, MIB, deadline).await;
        serving.abort();
        fetched.map_or_else(|why| why, |body| String::from_utf8_lossy(&body).into_owned())
    }

    #[tokio::test]
    async fn a_document_is_fetched_or_it_is_said_why_not() {
        let soon = || Deadline::after(Duration::from_secs(20));
        assert_eq!(fetched("/schema", soon()).await, "{}");
        assert_eq!(fetched("/moved", soon()).await, "{}");
        assert_eq!(fetched("/circle", soon()).await, "more than 5 redirects");
        assert_eq!(fetched("/elsewhere", soon()).await, "`file` is neither http nor https");
        assert_eq!(fetched("/nothing", soon()).await, "HTTP 404");
        assert_eq!(fetched("/large", soon()).await, "it has more than 1 MiB");
        let at_once = Deadline::after(Duration::from_millis(1));
        assert_eq!(fetched("/slow", at_once).await, "it has not come within 1 ms");
        let why = fetch("http://127.0.0.1:1/", MIB, soon()).await.unwrap_err();
        assert_eq!(why, "connection refused: nothing listens there");
        assert_eq!(
            fetch("no URL", MIB, soon()).await,
            Err("relative URL without a base".to_owned())
        );
    }
}
