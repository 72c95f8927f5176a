//! Serves the metadata documents of clients to an authorization server under test, and records which it fetches.

use std::future::IntoFuture;
use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderName, Method, StatusCode, header};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// How many requests are recorded; those after them are answered only.
const MOST_RECORDED: usize = 100;

/// A server of documents on this machine; dropping it stops it.
#[doc(hidden)]
pub struct DocumentHost {
    origin: String,
    state: Arc<HostState>,
    task: JoinHandle<io::Result<()>>,
}

/// A document, or another response.
#[doc(hidden)]
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HostedDocument {
    /// Its path.
    pub path: &'static str,
    /// The status of the response.
    pub status: u16,
    /// A header beside that of the type.
    pub header: (HeaderName, String),
    /// The text of the document.
    pub body: String,
}

struct HostState {
    documents: Mutex<Vec<HostedDocument>>,
    fetched: Mutex<Vec<String>>,
}

impl HostedDocument {
    /// A document that may be kept for this many seconds; 0 stands for not at all.
    #[must_use]
    pub fn new(path: &'static str, body: impl Into<String>, max_age: u32) -> Self {
        let control = match max_age {
            0 => "no-store".to_owned(),
            seconds => format!("max-age={seconds}"),
        };
        Self { path, status: 200, header: (header::CACHE_CONTROL, control), body: body.into() }
    }

    /// A redirect to another URL.
    #[must_use]
    pub fn redirect(path: &'static str, target: String) -> Self {
        Self { path, status: 302, header: (header::LOCATION, target), body: String::new() }
    }
}

impl DocumentHost {
    /// Starts at a free port of this machine, without a document.
    ///
    /// # Errors
    ///
    /// If no port can be bound.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let origin = format!("http://{}", listener.local_addr()?);
        let state = Arc::new(HostState { documents: Mutex::default(), fetched: Mutex::default() });
        let router = Router::new().fallback(respond).with_state(Arc::clone(&state));
        let task = tokio::spawn(axum::serve(listener, router).into_future());
        Ok(Self { origin, state, task })
    }

    /// The URL of a path.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    /// Adds a document.
    pub fn add(&self, document: HostedDocument) {
        self.state.documents.lock().unwrap_or_else(PoisonError::into_inner).push(document);
    }

    /// How often a path was fetched.
    #[must_use]
    pub fn fetches(&self, path: &str) -> usize {
        let fetched = self.state.fetched.lock().unwrap_or_else(PoisonError::into_inner);
        fetched.iter().filter(|own| own.as_str() == path).count()
    }
}

impl Drop for DocumentHost {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn respond(State(state): State<Arc<HostState>>, request: Request) -> Response {
    let path = request.uri().path();
    let documents = state.documents.lock().unwrap_or_else(PoisonError::into_inner);
    let found = documents.iter().find(|document| document.path == path);
    let Some(HostedDocument { path, status, header, body }) = found.cloned() else {
        return StatusCode::NOT_FOUND.into_response();
    };
    drop(documents);
    if request.method() == Method::GET {
        let mut fetched = state.fetched.lock().unwrap_or_else(PoisonError::into_inner);
        if fetched.len() < MOST_RECORDED {
            fetched.push(path.to_owned());
        }
    }
    let status = StatusCode::from_u16(status).unwrap_or_default();
    let (name, value) = header;
    (status, [(header::CONTENT_TYPE, "application/json".to_owned()), (name, value)], body)
        .into_response()
}
