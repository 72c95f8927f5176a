//! A service that a protected server calls in a test: it answers every request, and keeps what it received.

use std::future::IntoFuture;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::header::CONTENT_TYPE;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::transport::memory_budget::MemoryBudget;
use crate::transport::request_body::{self, BodyLimits};
use crate::transport::test_tokens::Downstream;

/// The bytes of the largest body that is read.
const LARGEST_BODY: usize = 64 * 1024;
/// How long a body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(5);
/// How many requests are kept; the oldest are forgotten.
const MOST_KEPT: usize = 1_000;
/// The bytes of all that are kept.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// A service that a server under test calls; dropping it stops it.
#[derive(Debug)]
pub struct DownstreamService {
    address: SocketAddr,
    received: Arc<Mutex<Received>>,
    task: JoinHandle<io::Result<()>>,
}

/// The requests, each as a text: URL, headers, body.
#[derive(Debug, Default)]
struct Received {
    texts: std::collections::VecDeque<String>,
    bytes: usize,
    total: usize,
}

impl DownstreamService {
    /// Starts the service on an address.
    ///
    /// # Errors
    ///
    /// If the address cannot be bound.
    #[doc(hidden)]
    pub async fn listen(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let received = Arc::default();
        let router = Router::new().fallback(answer).with_state(Arc::clone(&received));
        let task = tokio::spawn(axum::serve(listener, router).into_future());
        Ok(Self { address, received, task })
    }

    /// Its URL.
    #[doc(hidden)]
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }
}

impl Downstream for DownstreamService {
    fn requests(&self) -> usize {
        lock(&self.received).total
    }

    fn has_received(&self, text: &str) -> bool {
        lock(&self.received).texts.iter().any(|received| received.contains(text))
    }
}

impl Drop for DownstreamService {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(State(received): State<Arc<Mutex<Received>>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let limits = BodyLimits { bytes: LARGEST_BODY, time: Some(BODY_TIME) };
    let read = request_body::read(&MemoryBudget::for_process(), body, limits).await;
    let (body, _memory) = read.unwrap_or_default();
    let mut text = format!("{} {}\n", head.method, head.uri);
    for (name, value) in &head.headers {
        text.push_str(&format!("{name}: {}\n", String::from_utf8_lossy(value.as_bytes())));
    }
    text.push_str(&String::from_utf8_lossy(&body));
    lock(&received).add(text);
    let mut response = Response::new(Body::from("{}"));
    response.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
    response
}

impl Received {
    fn add(&mut self, text: String) {
        self.total += 1;
        self.bytes += text.len();
        self.texts.push_back(text);
        while self.texts.len() > MOST_KEPT || self.bytes > MOST_BYTES {
            let Some(oldest) = self.texts.pop_front() else { break };
            self.bytes -= oldest.len();
        }
    }
}

fn lock(received: &Mutex<Received>) -> MutexGuard<'_, Received> {
    received.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded() {
        let mut received = Received::default();
        received.add("the first".to_owned());
        for _ in 0..100 {
            received.add("x".repeat(LARGEST_BODY));
        }
        assert_eq!(received.total, 101);
        assert!(received.bytes <= MOST_BYTES);
        assert!(!received.texts.iter().any(|text| text == "the first"));
    }
}
