//! What a scenario that tests a client gets: before the test its parameters, afterwards the recorded messages.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use super::check_builder::about_task;
use super::client_session::{ClientSession, ClientSessions};
use super::{CheckBuilder, Declared, Part, Profile};
use crate::check::{Check, Collector, Finding};
use crate::json::Value;
use crate::process::Exit;
#[cfg(feature = "suite")]
use crate::process::StandInBrowser;
use crate::spec::{Era, Revision, meta};
use crate::trace::{ReceivedMessage, Recorder, Trace};
use crate::transport::{ClientEnd, TransportKind};

/// The check of ours that a client connected and sent something, made in every scenario.
#[doc(hidden)]
pub const CLIENT_CONNECTED: &str = "client-connected";

/// The check of ours that a client exited on its own and without an error, made in every scenario.
#[doc(hidden)]
pub const CLIENT_EXIT: &str = "client-exit";

/// A test of a client: one scenario at one revision, by the rules of a profile.
#[doc(hidden)]
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ClientTest {
    /// The scenario.
    pub scenario: Declared,
    /// The revision that the client is asked to use.
    pub revision: Revision,
    /// The transport by which the client reaches the server.
    pub transport: TransportKind,
    /// The rules for the verdict.
    pub profile: Profile,
    /// The URL of the server; clones share it, because the server is made before it listens.
    url: Arc<OnceLock<String>>,
    /// What records the run.
    #[doc(hidden)]
    pub recorder: Recorder,
    context: Arc<OnceLock<serde_json::Value>>,
    facts: Arc<OnceLock<Facts>>,
    #[cfg(feature = "suite")]
    browser: Arc<OnceLock<Arc<StandInBrowser>>>,
}

/// What the server notes for the judge beside the trace. `Debug` does not show it, since it may have secrets.
#[derive(Clone)]
struct Facts(Arc<dyn Any + Send + Sync>);

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Facts")
    }
}

impl ClientTest {
    /// A test with this scenario, over HTTP.
    #[must_use]
    pub fn new(scenario: Declared, revision: Revision, profile: Profile) -> Self {
        let (transport, url) = (TransportKind::Http, Arc::default());
        let (context, facts) = (Arc::default(), Arc::default());
        let recorder = Recorder::default();
        Self {
            scenario,
            revision,
            transport,
            profile,
            url,
            recorder,
            context,
            facts,
            #[cfg(feature = "suite")]
            browser: Arc::default(),
        }
    }

    /// The same test over another transport.
    #[must_use]
    pub fn over(mut self, transport: TransportKind) -> Self {
        self.transport = transport;
        self
    }

    /// The same test, recorded with this.
    pub(crate) fn recorded_with(mut self, recorder: &Recorder) -> Self {
        self.recorder = recorder.clone();
        self
    }

    /// The URL of the server to which the client connects, for handlers that refer to it; empty until the server listens.
    #[must_use]
    pub fn url(&self) -> &str {
        self.url.get().map_or("", String::as_str)
    }

    /// Notes where the server listens.
    pub(crate) fn listens_at(&self, url: &str) {
        // A test has one server, so that this is called once.
        let _ = self.url.set(url.to_owned());
    }

    /// Passes this to the client as the context of the scenario: the members of a JSON object, which differ from run to run.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn tell_client(&self, context: serde_json::Value) {
        let _ = self.context.set(context);
    }

    /// What [`Self::tell_client`] was called with.
    pub(crate) fn context(&self) -> Option<&serde_json::Value> {
        self.context.get()
    }

    /// Keeps what the server notes beside the trace for the judge; a test keeps one value.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn keep<T: Any + Send + Sync>(&self, facts: Arc<T>) {
        let _ = self.facts.set(Facts(facts));
    }

    /// Has the client start something else instead of a browser, which writes down what it is given.
    ///
    /// # Errors
    ///
    /// If its files cannot be created, or nothing can take the place of a browser on this system.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn replace_browser(&self) -> std::io::Result<Arc<StandInBrowser>> {
        let name = format!("mcp-test-{}", crate::transport::generated_id::generate_id());
        let browser = Arc::new(StandInBrowser::create(&name)?);
        let _ = self.browser.set(Arc::clone(&browser));
        Ok(browser)
    }

    /// What the client starts instead of a browser.
    #[cfg(feature = "suite")]
    pub(crate) fn browser(&self) -> Option<Arc<StandInBrowser>> {
        self.browser.get().cloned()
    }

    /// The era of the revision.
    #[must_use]
    pub fn era(&self) -> Era {
        self.revision.era()
    }
}

/// The messages of a client, for the scenario to judge after the client has exited.
#[doc(hidden)]
pub struct Judging {
    pub(super) test: ClientTest,
    trace: Arc<Trace>,
    collector: Collector,
    tolerate_failed_exit: bool,
    end: (ClientEnd, Option<Exit>),
    /// What the client printed.
    #[cfg(feature = "suite")]
    printed: [String; 2],
}

impl Judging {
    /// The messages of a test.
    #[must_use]
    pub fn new(test: ClientTest, trace: Arc<Trace>) -> Self {
        let (collector, end) = (Collector::new(), (ClientEnd::Unobserved, None));
        Self {
            test,
            trace,
            collector,
            tolerate_failed_exit: false,
            end,
            #[cfg(feature = "suite")]
            printed: Default::default(),
        }
    }

    /// The same messages of a client that has ended in this way.
    pub(crate) fn ended(mut self, end: ClientEnd, exit: Option<Exit>) -> Self {
        self.end = (end, exit);
        self
    }

    /// The same messages of a client that has printed this on its standard output and its standard error.
    #[cfg(feature = "suite")]
    pub(crate) fn printed(mut self, stdout: &str, stderr: &str) -> Self {
        self.printed = [stdout.to_owned(), stderr.to_owned()];
        self
    }

    /// Whether the client has shown a text: printed it, or named it as the reason why it failed.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn has_shown(&self, text: &str) -> bool {
        let reason = match &self.end.0 {
            ClientEnd::Failed(reason) => Some(reason),
            _ => None,
        };
        self.printed.iter().chain(reason).any(|shown| shown.contains(text))
    }

    /// How the client ended and, if it was a process, how that exited on its own.
    #[must_use]
    pub fn client_end(&self) -> (&ClientEnd, Option<Exit>) {
        (&self.end.0, self.end.1)
    }

    /// The URL of the server.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn server_url(&self) -> String {
        self.test.url().to_owned()
    }

    /// What the server kept for the judge with [`ClientTest::keep`].
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn kept<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        Arc::downcast(Arc::clone(&self.test.facts.get()?.0)).ok()
    }

    /// What the client could start instead of a browser, if it got to know of it.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn browser(&self) -> Option<Arc<StandInBrowser>> {
        self.test.browser().filter(|browser| browser.is_offered())
    }

    /// The revision that the client was asked to use.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.test.revision
    }

    /// The transport by which the client reached the server.
    #[must_use]
    pub fn transport(&self) -> TransportKind {
        self.test.transport
    }

    /// The rules for the verdict.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.test.profile
    }

    /// The newest revision that client and server negotiated in a handshake.
    #[must_use]
    pub fn negotiated(&self) -> Option<Revision> {
        self.sessions().into_iter().filter_map(|session| session.negotiated).max()
    }

    /// The revision that the client spoke, as far as its messages show it.
    #[must_use]
    pub fn spoken(&self) -> Option<Revision> {
        self.sorted().spoken(self.test.era())
    }

    /// The sessions that the client opened, in that order.
    #[must_use]
    pub fn sessions(&self) -> Vec<ClientSession> {
        self.sorted().sessions
    }

    /// The messages that belong to no session: those before the first one, those of the stateless era, and each `initialize`
    /// that was refused.
    #[must_use]
    pub fn outside_sessions(&self) -> Vec<ReceivedMessage> {
        self.sorted().outside
    }

    /// Every capabilities object that the client declared: in `initialize`, or in a request of the stateless era.
    #[must_use]
    pub fn declared_capabilities(&self) -> Vec<Value> {
        let messages = self.messages();
        let declared = messages.iter().filter_map(|received| match received.method() {
            "initialize" => received.params().get("capabilities"),
            _ => received.meta(meta::CLIENT_CAPABILITIES),
        });
        declared.cloned().collect()
    }

    fn sorted(&self) -> ClientSessions {
        ClientSessions::of(&self.trace, self.messages())
    }

    /// The whole conversation.
    #[must_use]
    pub fn trace(&self) -> Arc<Trace> {
        Arc::clone(&self.trace)
    }

    /// Every well-formed message of the client, in the order of arrival.
    #[must_use]
    pub fn messages(&self) -> Vec<ReceivedMessage> {
        self.trace.received_messages()
    }

    /// The requests and notifications of one method.
    #[must_use]
    pub fn requests(&self, method: &str) -> Vec<ReceivedMessage> {
        self.messages().into_iter().filter(|received| received.method() == method).collect()
    }

    /// The calls of one tool.
    #[must_use]
    pub fn calls(&self, tool: &str) -> Vec<ReceivedMessage> {
        let mut calls = self.requests("tools/call");
        calls.retain(|call| call.tool() == Some(tool));
        calls
    }

    /// The finding that the client did not do the task of the scenario.
    #[must_use]
    pub fn task_not_done(&self, headline: impl Into<String>) -> Finding {
        about_task(Finding::peer(headline))
    }

    /// Notes that no requirement demands that the client finishes its task, since what it needs for that is only recommended, say, or
    /// a person would have to answer. If it then fails or waits, its exit is at most a warning.
    pub fn tolerate_failed_exit(&mut self) {
        self.tolerate_failed_exit = true;
    }

    /// Whether a scenario called [`Judging::tolerate_failed_exit`].
    pub(crate) fn tolerates_failed_exit(&self) -> bool {
        self.tolerate_failed_exit
    }

    /// Skips every check of the scenario that applies, for one reason.
    #[cfg(any(test, feature = "suite"))]
    #[doc(hidden)]
    pub fn skip_checks(&mut self, reason: &str) {
        let ClientTest { scenario, revision, transport, .. } = self.test.clone();
        for check in scenario.checks.iter() {
            if check.revisions.contains(revision) && check.transports.contains(transport) {
                self.check(&check.id).skip(reason);
            }
        }
    }

    /// Whether the scenario declares a check.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn declares(&self, id: &str) -> bool {
        let ClientTest { scenario, revision, .. } = &self.test;
        scenario.check_at(id, *revision).is_some()
    }

    /// Whether a check of the scenario never fails, but warns at most.
    #[cfg(any(test, feature = "suite"))]
    #[doc(hidden)]
    pub fn only_warns(&self, id: &str) -> bool {
        self.test.scenario.checks.iter().any(|check| check.id == id && !check.fails)
    }

    /// Begins a check, which the scenario must declare.
    #[must_use = "a check without a verdict is not made; continue with `expect`, `pass`, `info` …"]
    pub fn check(&mut self, id: &str) -> CheckBuilder<'_> {
        let ClientTest { scenario, revision, profile, .. } = &self.test;
        CheckBuilder::of(scenario, &mut self.collector, (*profile, *revision), id)
    }

    /// The checks, in the order in which they were made.
    #[must_use]
    pub fn into_checks(self) -> Vec<Check> {
        self.collector.into_checks()
    }
}

impl ReceivedMessage {
    /// The params, as the subject of a check.
    #[must_use]
    pub fn part(&self) -> Part<'_> {
        let what = format!("the message `{}`", self.method());
        Part::new(what, self.params(), Some(self.seq))
    }
}
