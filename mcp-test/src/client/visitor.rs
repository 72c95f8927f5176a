//! A client made of a script: it is sent to a server, does what the script says, and leaves.
//!
//! What a [`Server`](crate::server::Server) is for scenarios that test servers, this is for those that test clients: the
//! peer on which they are proven, with faults if they are wanted.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::{Client, Options};
use crate::check::Finding;
use crate::json::Value;
use crate::spec::Revision;
use crate::trace::Recorder;
use crate::transport::{ClientTarget, Endpoint, Fault, Link};

type Script = dyn Fn(Errand) -> Pin<Box<dyn Future<Output = crate::Result>>> + Send + Sync;

/// A client made of a script.
///
/// ```
/// use mcp_test::client::{Errand, Visitor};
/// use mcp_test::transport::Fault;
///
/// let lister = Visitor::new(|errand: Errand| async move {
///     let mut client = errand.connect(errand.options()).await?;
///     client.request("tools/list", serde_json::json!({})).await?.result()?;
///     client.end().await;
///     Ok(())
/// });
/// let nameless = lister.faults([Fault::remove("initialize", "/clientInfo/name")]);
/// # drop(nameless);
/// ```
#[derive(Clone)]
pub struct Visitor {
    script: Arc<Script>,
    faults: Arc<[Fault]>,
    recorder: Option<Recorder>,
}

/// One errand of a [`Visitor`]: where it goes, and the way there.
#[derive(Debug, Clone)]
pub struct Errand {
    endpoint: Endpoint,
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "there is no way without HTTP"))]
    faults: Arc<[Fault]>,
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "there is no way without HTTP"))]
    recorder: Recorder,
}

impl Visitor {
    /// A client that does on each visit what the script says.
    #[must_use]
    pub fn new<F, Fut>(script: F) -> Self
    where
        F: Fn(Errand) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = crate::Result> + 'static,
    {
        let script = move |errand| -> Pin<Box<dyn Future<Output = crate::Result>>> {
            Box::pin(script(errand))
        };
        Self { script: Arc::new(script), faults: Arc::default(), recorder: None }
    }

    /// Puts faults on what it sends, beside those already there.
    #[must_use]
    pub fn faults(mut self, faults: impl IntoIterator<Item = Fault>) -> Self {
        self.faults = self.faults.iter().cloned().chain(faults).collect();
        self
    }

    /// Records what is said on every visit, in place of a record for each that nobody reads.
    #[must_use]
    pub fn record(mut self, recorder: Recorder) -> Self {
        self.recorder = Some(recorder);
        self
    }

    /// Goes to a server, and comes back.
    ///
    /// # Errors
    ///
    /// Whatever the script ends with.
    pub async fn visit(&self, endpoint: Endpoint) -> crate::Result {
        let faults = Arc::clone(&self.faults);
        let recorder = self.recorder.clone().unwrap_or_default();
        (self.script)(Errand { endpoint, faults, recorder }).await
    }

    /// The client as what is tested, in process.
    #[must_use]
    pub fn target(&self) -> ClientTarget {
        let visitor = self.clone();
        ClientTarget::future(move |endpoint| {
            let visitor = visitor.clone();
            async move { visitor.visit(endpoint).await }
        })
    }
}

impl Errand {
    /// Where it goes.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The id of the scenario.
    #[must_use]
    pub fn scenario(&self) -> &str {
        &self.endpoint.scenario
    }

    /// The revision that is to be spoken.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.endpoint.revision
    }

    /// What else the client was told; `null` if there is nothing.
    #[must_use]
    pub fn context(&self) -> &Value {
        self.endpoint.context.as_ref().unwrap_or(&Value::Null)
    }

    /// The options of a client that speaks the revision of the visit.
    #[must_use]
    pub fn options(&self) -> Options {
        Options::speaking(self.revision())
    }

    /// A client that has completed what its revision begins with.
    ///
    /// # Errors
    ///
    /// As [`Client::connect`].
    pub async fn connect(&self, options: Options) -> Result<Client, Finding> {
        Client::connect(self.open().await?, options).await
    }

    /// A client that has said nothing yet.
    ///
    /// # Errors
    ///
    /// If the URL is none.
    pub async fn silent(&self, options: Options) -> Result<Client, Finding> {
        Ok(Client::silent(self.open().await?, options))
    }

    /// A bare connection, with the faults on it.
    ///
    /// # Errors
    ///
    /// If the URL is none.
    #[cfg(feature = "http")]
    pub async fn open(&self) -> Result<Link, Finding> {
        use crate::transport::{CarrierKind, Limits, Target};

        let target = Target::url(&self.endpoint.url);
        let link = target.open(CarrierKind::Http, &self.recorder, Limits::default()).await?;
        Ok(link.faults(Arc::clone(&self.faults)))
    }

    /// A bare connection, which needs HTTP.
    ///
    /// # Errors
    ///
    /// Always: HTTP is not built in.
    #[cfg(not(feature = "http"))]
    #[allow(clippy::unused_async, reason = "there is nothing to wait for without HTTP")]
    pub async fn open(&self) -> Result<Link, Finding> {
        Err(Finding::environment("a client needs the feature `http` of mcp-test to visit a server"))
    }
}

impl fmt::Debug for Visitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visitor").field("faults", &self.faults).finish_non_exhaustive()
    }
}
