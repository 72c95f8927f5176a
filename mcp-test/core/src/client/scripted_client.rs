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
use crate::transport::authorizer::Authorizer;
use crate::transport::{
    ClientTarget, Connection, Endpoint, Fault, Limits, ServerAddress, Target, TransportKind,
};

// Without `Send`: a script runs in the task of its scenario.
type Script = dyn Fn(ClientTask) -> Pin<Box<dyn Future<Output = crate::Result>>> + Send + Sync;

/// A client that runs a script.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
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
#[doc(hidden)]
#[derive(Clone)]
pub struct ScriptedClient {
    script: Arc<Script>,
    faults: Arc<[Fault]>,
    recorder: Option<Recorder>,
    sign_in: Option<SignIn>,
}

/// Makes what gives a client its credentials, for one run.
type SignIn = Arc<dyn Fn(&ClientTask) -> Arc<dyn Authorizer> + Send + Sync>;

/// One run of a [`ScriptedClient`]: the server to connect to, and the faults on the connection.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct ClientTask {
    endpoint: Endpoint,
    faults: Arc<[Fault]>,
    recorder: Recorder,
    authorizer: Option<Arc<dyn Authorizer>>,
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
        Self { script: Arc::new(script), faults: Arc::default(), recorder: None, sign_in: None }
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

    /// Has each run sign in, with what `sign_in` makes for its task, where a server over HTTP demands it.
    #[cfg(feature = "suite")]
    #[must_use]
    #[doc(hidden)]
    pub fn signing_in(
        mut self,
        sign_in: impl Fn(&ClientTask) -> Arc<dyn Authorizer> + Send + Sync + 'static,
    ) -> Self {
        self.sign_in = Some(Arc::new(sign_in));
        self
    }

    /// Runs another script as well, before its own.
    #[cfg(feature = "suite")]
    #[must_use]
    #[doc(hidden)]
    pub fn also<F, Fut>(mut self, other: F) -> Self
    where
        F: Fn(ClientTask) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = crate::Result> + 'static,
    {
        let (own, other) = (self.script, Arc::new(other));
        self.script = Arc::new(move |task: ClientTask| {
            let (own, other) = (Arc::clone(&own), Arc::clone(&other));
            Box::pin(async move {
                other(task.clone()).await?;
                own(task).await
            })
        });
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
        let mut task = ClientTask { endpoint, faults, recorder, authorizer: None };
        task.authorizer = self.sign_in.as_ref().map(|sign_in| sign_in(&task));
        let authorizer = task.authorizer.clone();
        let ended = (self.script)(task).await;
        match (ended, authorizer.and_then(|authorizer| authorizer.failure())) {
            // That a request was refused for want of a token does not say why there is none.
            (Err(error), Some(why)) => Err(format!("{error}\ncannot sign in: {why}").into()),
            (ended, _) => ended,
        }
    }

    /// The client as an in-process target: over HTTP, with the feature `http`, and over a pipe.
    #[must_use]
    pub fn target(&self) -> ClientTarget {
        let client = self.clone();
        let target = ClientTarget::future(move |endpoint| {
            let client = client.clone();
            async move { client.run(endpoint).await }
        });
        let transports = [TransportKind::Http, TransportKind::Duplex];
        target.over(transports.into_iter().filter(|it| cfg!(feature = "http") || !it.is_http()))
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

    /// The faults of the client.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn faults(&self) -> &Arc<[Fault]> {
        &self.faults
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
    /// As [`ClientTask::open`].
    pub async fn uninitialized(&self, options: Options) -> Result<Client, Finding> {
        Ok(Client::uninitialized(self.open().await?, options))
    }

    /// Opens a connection with the faults on it, without a client.
    ///
    /// # Errors
    ///
    /// If the URL is not valid, or the server cannot be started.
    pub async fn open(&self) -> Result<Connection, Finding> {
        let (target, kind) = (self.server()?, self.endpoint.transport());
        let connection = target.open(kind, &self.recorder, Limits::default()).await?;
        Ok(connection.faults(Arc::clone(&self.faults)))
    }

    /// The server, as a target.
    fn server(&self) -> Result<Target, Finding> {
        match &self.endpoint.server {
            ServerAddress::Duplex(server) => {
                let server = server.clone();
                Ok(Target::duplex(move |io| {
                    let server = server.clone();
                    async move { Ok(server.serve(io).await?) }
                }))
            }
            ServerAddress::Command(command) => Ok(Target::command(command.clone())),
            #[cfg(feature = "http")]
            ServerAddress::Url(url) => Ok(match &self.authorizer {
                Some(authorizer) => Target::url(url).authorized_by(Arc::clone(authorizer)),
                None => Target::url(url),
            }),
            #[cfg(not(feature = "http"))]
            ServerAddress::Url(_) => {
                let what = "a scripted client needs the feature `http` of mcp-test for a URL";
                Err(Finding::environment(what))
            }
        }
    }
}

impl fmt::Debug for ScriptedClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedClient").field("faults", &self.faults).finish_non_exhaustive()
    }
}
