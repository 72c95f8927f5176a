//! The reference server behind a layer that requires a header.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use mcp_test::server::Server;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// A server that runs until this is dropped.
pub(crate) struct Guarded {
    pub(crate) url: String,
    admitted: Arc<AtomicUsize>,
    _runtime: Runtime,
}

impl Guarded {
    /// The layer admits requests with this value of the header, and repeats the value of others in its refusal.
    pub(crate) fn new(server: &Server, name: &'static str, value: &'static str) -> Self {
        let admitted = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&admitted);
        let door = from_fn(move |request: Request, next: Next| {
            let count = Arc::clone(&count);
            async move {
                let sent = request.headers().get(name).and_then(|value| value.to_str().ok());
                if sent == Some(value) {
                    count.fetch_add(1, Ordering::Relaxed);
                    return next.run(request).await;
                }
                refusal(sent)
            }
        });
        let router = server.router().layer(door);
        let runtime = Runtime::new().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let address = listener.local_addr().expect("an address");
        runtime.spawn(async move { axum::serve(listener, router).await });
        Self { url: format!("http://{address}/mcp"), admitted, _runtime: runtime }
    }

    /// How many requests were admitted.
    pub(crate) fn admitted(&self) -> usize {
        self.admitted.load(Ordering::Relaxed)
    }
}

fn refusal(sent: Option<&str>) -> Response {
    let text = format!("not the right key: {}", sent.unwrap_or("none"));
    (StatusCode::UNAUTHORIZED, [("x-you-sent", sent.unwrap_or("none").to_owned())], text)
        .into_response()
}
