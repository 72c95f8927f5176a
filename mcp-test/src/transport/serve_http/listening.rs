//! An endpoint on a TCP port.

use std::{fmt, future::IntoFuture, io, net::SocketAddr, sync::atomic::Ordering, time::Duration};

use tokio::{
    net::{TcpListener, ToSocketAddrs},
    sync::oneshot,
    task::JoinHandle,
};

use super::{
    HttpServer, legacy,
    socket::{Sockets, Spoiling},
};
use crate::clock::{self, Deadline};

/// How long connections may take to end by themselves.
const GRACE: Duration = Duration::from_secs(1);

/// A server that listens; dropping it stops it.
pub struct Listening {
    address: SocketAddr,
    url: String,
    server: HttpServer,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<io::Result<()>>,
}

impl HttpServer {
    /// Listens on an address, best one of this machine: `127.0.0.1:0` takes any free port.
    ///
    /// On a loopback address it serves requests to this machine's own names only, whatever a name server says; on
    /// another one it cannot know by what names it is called, and `Host` is not looked at.
    ///
    /// # Errors
    ///
    /// When the address cannot be bound.
    pub async fn listen(&self, address: impl ToSocketAddrs) -> io::Result<Listening> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        self.0.is_remote.store(!address.ip().is_loopback(), Ordering::Relaxed);
        let (stop, stopped) = oneshot::channel::<()>();
        let service = self.router().into_make_service_with_connect_info::<Spoiling>();
        let serving = axum::serve(Sockets(listener), service).with_graceful_shutdown(async {
            stopped.await.ok();
        });
        let task = tokio::spawn(serving.into_future());
        let url = format!("http://{address}{}", self.0.options.endpoint);
        Ok(Listening { address, url, server: self.clone(), stop: Some(stop), task })
    }
}

impl Listening {
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
        for _ in 0..2 {
            let task = &mut self.task;
            if clock::within(Deadline::after(GRACE), task).await.is_ok() {
                return;
            }
            // Each connection has a task of its own, which does not end with the one that listens.
            self.server.cut_off();
        }
    }

    /// Serves until something else stops the listener.
    ///
    /// # Errors
    ///
    /// When the listener breaks.
    pub async fn serve(mut self) -> io::Result<()> {
        let task = &mut self.task;
        task.await.unwrap_or_else(|error| Err(io::Error::other(error)))
    }

    fn stop(&mut self) {
        self.server.end();
        if let Some(stop) = self.stop.take() {
            stop.send(()).ok();
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.stop();
        self.server.cut_off();
        self.task.abort();
    }
}

impl fmt::Debug for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listening").field("url", &self.url).finish_non_exhaustive()
    }
}
