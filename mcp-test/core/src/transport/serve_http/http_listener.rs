//! An HTTP endpoint on a TCP port.

use std::future::IntoFuture;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;
use std::{fmt, io};

use axum::Extension;
use axum::routing::any;
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::socket::{SocketFaults, Sockets};
use super::{HttpServer, Unrouted, answer, legacy};
use crate::clock::{self, Deadline};
use crate::transport::fault::Misbehavior;

/// How long connections may take to end before they are cut off.
const GRACE: Duration = Duration::from_secs(1);

/// A server that listens; dropping it stops it.
pub struct HttpListener {
    address: SocketAddr,
    url: String,
    server: HttpServer,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<io::Result<()>>,
}

impl HttpServer {
    /// Listens on an address, preferably a loopback address: `127.0.0.1:0` takes any free port.
    ///
    /// It only serves requests whose `Host` is `localhost`, a loopback address, this address, or a host that was allowed.
    ///
    /// # Errors
    ///
    /// When the address cannot be bound.
    pub(crate) async fn listen(&self, address: impl ToSocketAddrs) -> io::Result<HttpListener> {
        let mut listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        if self.0.wire.misbehaves(Misbehavior::ListensEverywhere) {
            // Its own port first: both at the same time are one address too many.
            drop(listener);
            listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, address.port())).await?;
        }
        // The router may exist before the address is known, so this is set afterwards.
        self.0.hosts.listens_on(address.ip());
        let (stop, stopped) = oneshot::channel::<()>();
        // A request to another path is recorded, too: it shows what a client tried.
        let unrouted = any(answer).layer(Extension(Unrouted)).with_state(self.clone());
        let upper_case = self.0.wire.misbehaves(Misbehavior::UpperCaseHeaders);
        let sockets = Sockets { listener, upper_case };
        let router = self.router().fallback_service(unrouted);
        let service = router.into_make_service_with_connect_info::<SocketFaults>();
        let serving = axum::serve(sockets, service).with_graceful_shutdown(async {
            stopped.await.ok();
        });
        // In a task, so that the listener can be stopped without being polled.
        let task = tokio::spawn(serving.into_future());
        let url = format!("http://{address}{}", self.0.options.endpoint);
        Ok(HttpListener { address, url, server: self.clone(), stop: Some(stop), task })
    }
}

impl HttpListener {
    /// The address it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of the MCP endpoint.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The URL of the event stream that 2024-11-05 has instead of an endpoint.
    #[must_use]
    pub fn sse_url(&self) -> String {
        format!("http://{}{}", self.address, legacy::STREAM)
    }

    /// Ends the sessions and stops listening; what does not end within a second is cut off.
    pub async fn end(mut self) {
        self.stop();
        // First gracefully, then after what is left was cut off.
        for _ in 0..2 {
            let task = &mut self.task;
            if clock::within(Deadline::after(GRACE), task).await.is_ok() {
                return;
            }
            // axum runs each connection in a task of its own, which outlives the one that listens.
            self.server.cut_off();
        }
    }

    /// Serves until something else stops the listener.
    ///
    /// # Errors
    ///
    /// When accepting connections fails.
    pub async fn serve(mut self) -> io::Result<()> {
        let task = &mut self.task;
        task.await.unwrap_or_else(|error| Err(io::Error::other(error)))
    }

    fn stop(&mut self) {
        self.server.end();
        if let Some(stop) = self.stop.take() {
            // It fails only if the server has stopped already.
            stop.send(()).ok();
        }
    }
}

impl Drop for HttpListener {
    fn drop(&mut self) {
        self.stop();
        self.server.cut_off();
        self.task.abort();
    }
}

impl fmt::Debug for HttpListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpListener").field("url", &self.url).finish_non_exhaustive()
    }
}
