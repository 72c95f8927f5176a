//! What a client under test gets: where its server is, and the scenario that it runs.
//!
//! How the client is started is in `client_target`, and what serves it is up to whoever runs the scenario.

#[cfg(feature = "suite")]
use std::path::PathBuf;
#[cfg(feature = "suite")]
use std::sync::Arc;

use tokio::io::DuplexStream;
use tokio::sync::{mpsc, oneshot};

use super::TransportKind;
use super::duplex::PIPE;
use crate::json::Value;
use crate::process::Command;
#[cfg(feature = "suite")]
use crate::process::StandInBrowser;
use crate::spec::Revision;

/// How many pipes may wait for the server.
const WAITING: usize = 16;

/// The server that a client connects to, and the scenario that it runs.
///
/// A client of several transports asks for the one of the run:
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::transport::{Endpoint, TransportKind};
///
/// async fn my_client(endpoint: Endpoint) -> mcp_test::Result {
///     match endpoint.transport() {
///         TransportKind::Duplex => {
///             let stream = endpoint.duplex().await?;
///             // … one message per line, in both directions …
///             # drop(stream);
///         }
///         _ => println!("connect to {}", endpoint.url()?),
///     }
///     Ok(())
/// }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Endpoint {
    /// Where the server is.
    pub server: ServerAddress,
    /// The id of the scenario.
    pub scenario: String,
    /// The revision of the scenario.
    pub revision: Revision,
    /// Further information, such as credentials: a JSON object.
    pub context: Option<Value>,
    /// What the client starts instead of a browser, if the scenario is about that.
    #[cfg(feature = "suite")]
    browser: Option<Browser>,
}

/// Where a server is.
#[derive(Debug, Clone)]
pub enum ServerAddress {
    /// At a URL.
    Url(String),
    /// In this process, at the other end of a pipe.
    Duplex(DuplexServer),
    /// In a program that the client starts, and that uses its standard input and output.
    Command(Command),
}

/// What a client starts as the browser.
#[derive(Debug, Clone)]
#[cfg(feature = "suite")]
enum Browser {
    /// What writes down which URLs it is given.
    StandIn(Arc<StandInBrowser>),
    #[cfg(feature = "suite")]
    Program(PathBuf),
}

/// A server in this process, which each connection reaches through a pipe of its own.
#[derive(Debug, Clone)]
pub struct DuplexServer(mpsc::Sender<DuplexConnection>);

/// The server's end of a pipe.
#[derive(Debug)]
pub(crate) struct DuplexConnection {
    /// The pipe.
    pub(crate) io: DuplexStream,
    /// Dropped when the server is done with the pipe.
    pub(crate) served: oneshot::Sender<()>,
}

/// Why a client cannot connect in the way that it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// The scenario runs over another transport.
    #[error(
        "the server of this scenario run is reached over {actual}, not over {wanted}; match on `Endpoint::transport`"
    )]
    OtherTransport {
        /// The transport of the run.
        actual: TransportKind,
        /// The transport that was asked for.
        wanted: TransportKind,
    },
    /// The scenario run has ended.
    #[error("the scenario run has ended, and its server with it")]
    Ended,
}

impl Endpoint {
    /// A server, for a scenario at a revision.
    #[must_use]
    pub fn new(
        server: impl Into<ServerAddress>,
        scenario: impl Into<String>,
        revision: Revision,
    ) -> Self {
        Self {
            server: server.into(),
            scenario: scenario.into(),
            revision,
            context: None,
            #[cfg(feature = "suite")]
            browser: None,
        }
    }

    /// Adds further information for the client.
    #[must_use]
    pub fn context(mut self, context: Option<Value>) -> Self {
        self.context = context;
        self
    }

    /// Has the client start this instead of a browser.
    #[cfg(feature = "suite")]
    #[must_use]
    pub(crate) fn with_browser(mut self, browser: Option<Arc<StandInBrowser>>) -> Self {
        self.browser = browser.map(Browser::StandIn);
        self
    }

    /// Has a client in this process start this program as the browser.
    #[cfg(feature = "suite")]
    #[must_use]
    #[doc(hidden)]
    pub fn with_browser_program(mut self, program: Option<PathBuf>) -> Self {
        self.browser = program.map(Browser::Program);
        self
    }

    /// The program that a client in this process starts as the browser.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn browser_program(&self) -> Option<PathBuf> {
        self.browser.as_ref().map(|browser| match browser {
            Browser::StandIn(browser) => browser.program(),
            #[cfg(feature = "suite")]
            Browser::Program(program) => program.clone(),
        })
    }

    /// The variables by which a program finds what it starts as the browser.
    #[cfg(feature = "suite")]
    pub(super) fn browser_variables(&self) -> Vec<(&'static str, String)> {
        match &self.browser {
            Some(Browser::StandIn(browser)) => browser.environment().into(),
            // The variables that name another program are inherited.
            _ => Vec::new(),
        }
    }

    /// The transport by which the client reaches the server.
    #[must_use]
    pub const fn transport(&self) -> TransportKind {
        match &self.server {
            ServerAddress::Url(_) => TransportKind::Http,
            ServerAddress::Duplex(_) => TransportKind::Duplex,
            ServerAddress::Command(_) => TransportKind::Stdio,
        }
    }

    /// The URL of the server.
    ///
    /// # Errors
    ///
    /// [`EndpointError::OtherTransport`] if the scenario does not run over HTTP.
    pub fn url(&self) -> Result<&str, EndpointError> {
        match &self.server {
            ServerAddress::Url(url) => Ok(url),
            _ => Err(self.not_over(TransportKind::Http)),
        }
    }

    /// The command that starts the server, for a client that uses its standard input and output.
    ///
    /// # Errors
    ///
    /// [`EndpointError::OtherTransport`] if the scenario does not run over stdio.
    pub fn command(&self) -> Result<&Command, EndpointError> {
        match &self.server {
            ServerAddress::Command(command) => Ok(command),
            _ => Err(self.not_over(TransportKind::Stdio)),
        }
    }

    /// Opens a connection to the server in this process: the client's end of a pipe, which carries one message per line.
    ///
    /// # Errors
    ///
    /// [`EndpointError`] if the scenario does not run over a pipe, or has ended.
    pub async fn duplex(&self) -> Result<DuplexStream, EndpointError> {
        let ServerAddress::Duplex(server) = &self.server else {
            return Err(self.not_over(TransportKind::Duplex));
        };
        let (ours, theirs) = tokio::io::duplex(PIPE);
        server.open(theirs).await?;
        Ok(ours)
    }

    const fn not_over(&self, wanted: TransportKind) -> EndpointError {
        EndpointError::OtherTransport { actual: self.transport(), wanted }
    }
}

impl DuplexServer {
    /// A server, and the pipes that clients open to it.
    pub(crate) fn new() -> (Self, mpsc::Receiver<DuplexConnection>) {
        let (connections, opened) = mpsc::channel(WAITING);
        (Self(connections), opened)
    }

    /// A server of which each pipe is served by a future, such as a relay to another server.
    ///
    /// Must be called within a tokio runtime.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn serving<F, Fut>(serve: F) -> Self
    where
        F: Fn(DuplexStream) -> Fut + Send + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let (server, mut opened) = Self::new();
        tokio::spawn(async move {
            while let Some(DuplexConnection { io, served }) = opened.recv().await {
                let serving = serve(io);
                tokio::spawn(async move {
                    serving.await;
                    drop(served);
                });
            }
        });
        server
    }

    /// Has the server serve a pipe, and waits until it is done with it.
    pub(crate) async fn serve(&self, io: DuplexStream) -> Result<(), EndpointError> {
        let done = self.open(io).await?;
        // The sender is only ever dropped.
        let _ = done.await;
        Ok(())
    }

    async fn open(&self, io: DuplexStream) -> Result<oneshot::Receiver<()>, EndpointError> {
        let (served, done) = oneshot::channel();
        let connection = DuplexConnection { io, served };
        self.0.send(connection).await.map_err(|_| EndpointError::Ended)?;
        Ok(done)
    }
}

impl From<&str> for ServerAddress {
    fn from(url: &str) -> Self {
        Self::Url(url.to_owned())
    }
}

impl From<String> for ServerAddress {
    fn from(url: String) -> Self {
        Self::Url(url)
    }
}

impl From<DuplexServer> for ServerAddress {
    fn from(server: DuplexServer) -> Self {
        Self::Duplex(server)
    }
}

impl From<Command> for ServerAddress {
    fn from(command: Command) -> Self {
        Self::Command(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_endpoint_has_only_the_address_of_its_transport() {
        let at_url = Endpoint::new("http://127.0.0.1:1/mcp", "ping", Revision::NEWEST);
        assert_eq!(at_url.url(), Ok("http://127.0.0.1:1/mcp"));
        let error = at_url.duplex().await.expect_err("no pipe");
        insta::assert_snapshot!(error, @"the server of this scenario run is reached over http, not over duplex; match on `Endpoint::transport`");
        let started = Endpoint::new(Command::new("server"), "ping", Revision::NEWEST);
        assert_eq!(started.command(), Ok(&Command::new("server")));
        let (actual, wanted) = (TransportKind::Stdio, TransportKind::Http);
        assert_eq!(started.url(), Err(EndpointError::OtherTransport { actual, wanted }));
    }

    #[tokio::test]
    async fn a_pipe_to_a_server_that_has_ended_is_an_error() {
        let (server, opened) = DuplexServer::new();
        drop(opened);
        let endpoint = Endpoint::new(server, "ping", Revision::NEWEST);
        assert_eq!(endpoint.duplex().await.err(), Some(EndpointError::Ended));
    }
}
