//! A client that runs a script against a server.
//!
//! Scenarios that test clients are proven against it, with faults where needed, as scenarios that test servers are
//! against [`Server`](crate::server::Server).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::{Client, Options};
use crate::check::Finding;
use crate::json::Value;
use crate::spec::Revision;
use crate::trace::Recorder;
use crate::transport::{ClientTarget, Connection, Endpoint, Fault};

// Without `Send`: a script runs in the task of its scenario.
type Script = dyn Fn(ClientTask) -> Pin<Box<dyn Future<Output = crate::Result>>> + Send + Sync;

/// A client that runs a script.
///
/// ```
/// use mcp_test::client::{ClientTask, ScriptedClient};
/// use mcp_test::transport::Fault;
///
/// let lister = ScriptedClient::new(|task: ClientTask| async move {
///     let mut client = task.connect(task.options()).await?;
///     client.request("tools/list", serde_json::json!({})).await?.result()?;
///     client.end().await;
///     Ok(())
/// });
/// let nameless = lister.faults([Fault::remove("initialize", "/clientInfo/name")]);
/// # drop(nameless);
/// ```
#[derive(Clone)]
pub struct ScriptedClient {
    script: Arc<Script>,
    faults: Arc<[Fault]>,
    recorder: Option<Recorder>,
}

/// One run of a [`ScriptedClient`]: the server to connect to, and the faults on the connection.
#[derive(Debug, Clone)]
pub struct ClientTask {
    endpoint: Endpoint,
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only used over HTTP"))]
    faults: Arc<[Fault]>,
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only used over HTTP"))]
    recorder: Recorder,
}

impl ScriptedClient {
    /// Creates a client that runs the script once for each task.
    #[must_use]
    pub fn new<F, Fut>(script: F) -> Self
    where
        F: Fn(ClientTask) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = crate::Result> + 'static,
    {
        let script =
            move |task| -> Pin<Box<dyn Future<Output = crate::Result>>> { Box::pin(script(task)) };
        Self { script: Arc::new(script), faults: Arc::default(), recorder: None }
    }

    /// Adds faults to the messages that it sends.
    #[must_use]
    pub fn faults(mut self, faults: impl IntoIterator<Item = Fault>) -> Self {
        self.faults = self.faults.iter().cloned().chain(faults).collect();
        self
    }

    /// Records all runs with this recorder.
    #[must_use]
    pub fn record(mut self, recorder: Recorder) -> Self {
        self.recorder = Some(recorder);
        self
    }

    /// Runs the script against a server.
    ///
    /// # Errors
    ///
    /// The error that the script returns.
    pub async fn run(&self, endpoint: Endpoint) -> crate::Result {
        let faults = Arc::clone(&self.faults);
        // Without one each run gets a recorder of its own, whose trace nobody reads.
        let recorder = self.recorder.clone().unwrap_or_default();
        (self.script)(ClientTask { endpoint, faults, recorder }).await
    }

    /// The client as an in-process target.
    #[must_use]
    pub fn target(&self) -> ClientTarget {
        let client = self.clone();
        ClientTarget::future(move |endpoint| {
            let client = client.clone();
            async move { client.run(endpoint).await }
        })
    }
}

impl ClientTask {
    /// The server to connect to.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The id of the scenario.
    #[must_use]
    pub fn scenario(&self) -> &str {
        &self.endpoint.scenario
    }

    /// The revision to speak.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.endpoint.revision
    }

    /// The context that the scenario passes to the client; `null` if there is none.
    #[must_use]
    pub fn context(&self) -> &Value {
        self.endpoint.context.as_ref().unwrap_or(&Value::Null)
    }

    /// The default options at the revision of the task.
    #[must_use]
    pub fn options(&self) -> Options {
        Options::speaking(self.revision())
    }

    /// Connects a client and completes the handshake, where the revision has one.
    ///
    /// # Errors
    ///
    /// As [`Client::connect`].
    pub async fn connect(&self, options: Options) -> Result<Client, Finding> {
        Client::connect(self.open().await?, options).await
    }

    /// Connects a client that has sent nothing yet.
    ///
    /// # Errors
    ///
    /// If the URL is not valid.
    pub async fn uninitialized(&self, options: Options) -> Result<Client, Finding> {
        Ok(Client::uninitialized(self.open().await?, options))
    }

    /// Opens a connection with the faults on it, without a client.
    ///
    /// # Errors
    ///
    /// If the URL is not valid.
    #[cfg(feature = "http")]
    pub async fn open(&self) -> Result<Connection, Finding> {
        use crate::transport::{Limits, Target, TransportKind};

        let target = Target::url(&self.endpoint.url);
        let connection =
            target.open(TransportKind::Http, &self.recorder, Limits::default()).await?;
        Ok(connection.faults(Arc::clone(&self.faults)))
    }

    /// Opens a connection, which needs the feature `http`.
    ///
    /// # Errors
    ///
    /// Always: the feature `http` is disabled.
    #[cfg(not(feature = "http"))]
    #[allow(clippy::unused_async, reason = "there is nothing to wait for without HTTP")]
    pub async fn open(&self) -> Result<Connection, Finding> {
        Err(Finding::environment("a scripted client needs the feature `http` of mcp-test"))
    }
}

impl fmt::Debug for ScriptedClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedClient").field("faults", &self.faults).finish_non_exhaustive()
    }
}
