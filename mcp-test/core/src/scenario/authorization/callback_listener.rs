//! The redirect URI of mcp-test: a listener on this machine, to which the authorization server sends the browser.

use std::future::IntoFuture;
use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::clock::{self, Deadline};
use crate::oauth::parameters::Parameters;

/// The path, as in the official suite.
const PATH: &str = "/callback";
/// How many responses wait to be read: only the first is.
const WAITING: usize = 4;
/// How long the page for the person may take to be sent.
const SENDING: Duration = Duration::from_millis(500);

const PAGE: &str =
    "mcp-test has received the response of the authorization server. You can close this page.";
const NOT_HERE: &str = "This is where mcp-test waits for the response of an authorization server.";

/// Listens where browsers are redirected to; dropping it stops it.
#[doc(hidden)]
pub struct CallbackListener {
    uri: String,
    received: mpsc::Receiver<Callback>,
    task: JoinHandle<io::Result<()>>,
    stop: Option<oneshot::Sender<()>>,
}

/// The response of the authorization server, as a browser has brought it.
#[doc(hidden)]
#[derive(Clone)]
#[non_exhaustive]
pub struct Callback {
    /// The URL, from the `Host` header and the path, without the query.
    pub place: String,
    /// The whole URL.
    pub url: String,
    #[doc(hidden)]
    pub parameters: Parameters,
}

impl Callback {
    /// The response in the target of a redirect that no browser has followed.
    #[must_use]
    pub fn from_redirect(location: &str) -> Self {
        let url = location.split('#').next().unwrap_or_default();
        let (place, query) = url.split_once('?').unwrap_or((url, ""));
        let parameters = Parameters::parse(query.as_bytes());
        Self { place: place.to_owned(), url: location.to_owned(), parameters }
    }
}

impl CallbackListener {
    /// Listens on a port of this machine; 0 is any free one.
    ///
    /// # Errors
    ///
    /// If the port cannot be bound.
    pub async fn start(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let uri = format!("http://{}{PATH}", listener.local_addr()?);
        let (sender, received) = mpsc::channel(WAITING);
        let router = Router::new().fallback(receive).with_state(sender);
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = axum::serve(listener, router).with_graceful_shutdown(async {
            stopped.await.ok();
        });
        let task = tokio::spawn(serving.into_future());
        Ok(Self { uri, received, task, stop: Some(stop) })
    }

    /// The redirect URI.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Waits for a response of the authorization server; `None` if none came in time.
    pub async fn next(&mut self, deadline: Deadline) -> Option<Callback> {
        clock::within(deadline, self.received.recv()).await.ok().flatten()
    }

    /// Stops, when the browser has its page.
    pub async fn end(mut self) {
        drop(self.stop.take());
        // A browser that keeps the connection open is not waited for.
        clock::within(Deadline::after(SENDING), &mut self.task).await.ok();
    }
}

impl Drop for CallbackListener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn receive(
    State(sender): State<mpsc::Sender<Callback>>,
    request: Request,
) -> (StatusCode, &'static str) {
    if request.method() != Method::GET {
        return (StatusCode::METHOD_NOT_ALLOWED, NOT_HERE);
    }
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    let place = format!("http://{}{}", host.unwrap_or_default(), request.uri().path());
    let query = request.uri().query().unwrap_or_default();
    let parameters = Parameters::parse(query.as_bytes());
    // Browsers also ask for an icon, and may look at a URL before it is opened.
    let is_response = ["code", "state", "error"].iter().any(|it| parameters.first(it).is_some());
    if !is_response {
        return (StatusCode::NOT_FOUND, NOT_HERE);
    }
    let url = format!("{place}?{query}");
    // Those after the first few are not read.
    sender.try_send(Callback { place, url, parameters }).ok();
    (StatusCode::OK, PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{HttpRequest, request_once};

    async fn get(url: &str) -> u16 {
        let deadline = Deadline::after(Duration::from_secs(20));
        let got = request_once(url, &HttpRequest::get(), 1024, deadline).await;
        got.map(|response| response.status).expect("a response")
    }

    #[tokio::test]
    async fn only_a_response_of_oauth_ends_the_wait() {
        let mut listener = CallbackListener::start(0).await.expect("a free port");
        let uri = listener.uri().to_owned();
        assert_eq!(get(&uri).await, 404);
        assert_eq!(get(&uri.replace("/callback", "/favicon.ico")).await, 404);
        assert_eq!(get(&format!("{uri}?code=1&state=2")).await, 200);
        let callback = listener.next(Deadline::after(Duration::from_secs(20))).await;
        let callback = callback.expect("a response");
        assert_eq!(
            (callback.place.as_str(), callback.parameters.first("code")),
            (&*uri, Some("1"))
        );
        assert!(listener.next(Deadline::after(Duration::from_millis(1))).await.is_none());
        listener.end().await;
    }

    #[tokio::test]
    async fn a_port_that_is_taken_is_an_error() {
        let listener = CallbackListener::start(0).await.expect("a free port");
        let port = listener.uri().split([':', '/']).find_map(|word| word.parse().ok());
        assert!(CallbackListener::start(port.expect("a port")).await.is_err());
    }
}
