//! The context of a scenario while it runs: a client that connects when it is first used, the trace, and the checks.

use std::sync::Arc;
use std::time::Duration;

use super::connected::{ClientPool, Opened};
use super::conversation::{Conversation, Ended};
use super::setup_function::Setups;
use super::{
    CheckBuilder, CheckSpec, Connected, Declared, Golden, Inventory, Profile, RunOfTest, Skip,
    ToolCalls,
};
use crate::check::{Collector, Finding, Status};
#[cfg(feature = "suite")]
use crate::client::EndingMessages;
use crate::client::{Client, Fixtures, Handlers, Options, ReplyHistory, ServerExit};
use crate::clock::{self, Deadline};
use crate::json::Value;
use crate::spec::Revision;
use crate::spec::schema::Schemas;
use crate::trace::{ConnectionId, Event, EventKind, Party, Recorder, Seq, Trace};
use crate::transport::{Connection, Limits, Target, TransportKind};

/// How long the reply to a `ping` may take until it counts as late.
///
/// The specification says "promptly", without a number. No server has to compute anything for it, so that only a busy machine
/// explains a delay; five seconds are far beyond that.
#[doc(hidden)]
pub const PROMPT: Duration = Duration::from_secs(5);

/// The parameters of a context.
#[doc(hidden)]
#[derive(Clone)]
pub struct Setup {
    /// The server under test.
    pub target: Target,
    /// The transport of the run.
    pub transport: TransportKind,
    /// The revision of the run.
    pub revision: Revision,
    /// The rules for the verdict.
    pub profile: Profile,
    /// The size limits on what the peer sends.
    pub limits: Limits,
    /// How long one request may take.
    pub timeout: Duration,
    /// How long the reply to a `ping` may take until it counts as late.
    pub prompt: Duration,
    /// The deadline of every reply: before the end of the run, so that the scenario can report what it awaited.
    pub until: Deadline,
    /// When the connections are closed by force, if they have not ended by then.
    pub ends: Deadline,
    /// What the peer offers, if it was asked.
    pub inventory: Inventory,
    /// What the peer declares in the stateless era, if that was asked before. Unlike the inventory it is for the judge alone, so that
    /// a scenario sends the same requests whether or not it is known.
    #[doc(hidden)]
    pub discovered: Option<Value>,
    /// The tools that may be called although no scenario names them.
    pub calls: ToolCalls,
    /// What is requested instead of the fixtures that the scenario names.
    pub fixtures: Fixtures,
    /// The schemas that messages are validated against.
    pub schemas: Schemas,
    /// What other scenarios of the run know about replies.
    #[doc(hidden)]
    pub history: ReplyHistory,
    /// The revisions that the peer has spoken over this transport before the scenario.
    #[doc(hidden)]
    pub spoken: Vec<Revision>,
    /// Whether the run may start the program of the server once more, which has exited or hung; counts the start.
    #[doc(hidden)]
    pub may_start_again: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

impl Setup {
    /// The parameters for a context without a deadline, with the default limits and nothing known about the peer.
    #[must_use]
    pub fn new(
        target: Target,
        transport: TransportKind,
        revision: Revision,
        profile: Profile,
        timeout: Duration,
    ) -> Self {
        Self {
            target,
            transport,
            revision,
            profile,
            limits: Limits::default(),
            timeout,
            prompt: PROMPT,
            until: Deadline::never(),
            ends: Deadline::never(),
            inventory: Inventory::default(),
            discovered: None,
            calls: ToolCalls::default(),
            fixtures: Fixtures::new(),
            schemas: Schemas::default(),
            history: ReplyHistory::default(),
            spoken: Vec::new(),
            may_start_again: None,
        }
    }
}

/// The context of a scenario: a client of the server under test, and the checks.
///
/// The client connects at its first use, so that a failed connection is a finding like any other.
pub struct Ctx {
    pub(super) setup: Setup,
    pub(super) scenario: Option<Declared>,
    recorder: Recorder,
    collector: Collector,
    pub(super) handlers: Handlers,
    pub(super) client: Option<Connected>,
    /// The connection for raw HTTP requests.
    pub(super) raw: Option<Connection>,
    pool: ClientPool,
    pub(super) golden: Option<Golden>,
    pub(super) run_of_test: Option<RunOfTest>,
    pub(super) setups: Setups,
    /// Whether the connections are closed with little time for each step.
    is_hurried: bool,
}

impl Ctx {
    /// A new context, which opens no connection yet. With `scenario`, only the checks that it declares can be made.
    #[must_use]
    pub fn new(setup: Setup, scenario: Option<Declared>) -> Self {
        Self {
            setup,
            scenario,
            recorder: Recorder::new(),
            collector: Collector::new(),
            handlers: Handlers::new(),
            client: None,
            raw: None,
            pool: ClientPool::default(),
            golden: None,
            run_of_test: None,
            setups: Setups::default(),
            is_hurried: false,
        }
    }

    /// Like [`Ctx::new`], with a connection that was opened before, and with its recorder. It is the first one to be used.
    pub(crate) fn on(opened: Opened, setup: Setup, scenario: Option<Declared>) -> Self {
        let recorder = opened.recorder().clone();
        let pool = ClientPool::with(opened);
        Self { recorder, pool, ..Self::new(setup, scenario) }
    }

    /// The revision of the run.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.setup.revision
    }

    /// The transport of the run.
    #[must_use]
    pub fn transport(&self) -> TransportKind {
        self.setup.transport
    }

    /// The rules for the verdict.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.setup.profile
    }

    /// How long the reply to a `ping` may take until it counts as late.
    #[cfg(any(test, feature = "suite"))]
    #[doc(hidden)]
    pub fn ping_limit(&self) -> Duration {
        self.setup.prompt
    }

    /// What the peer offers, as asked before the run.
    #[must_use]
    pub fn inventory(&self) -> &Inventory {
        &self.setup.inventory
    }

    /// What is requested instead of the fixtures that the scenario names. Requests of [`Ctx::client`] have the names already.
    #[must_use]
    pub fn fixtures(&self) -> &Fixtures {
        &self.setup.fixtures
    }

    /// The recorder of the whole conversation.
    #[must_use]
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// The conversation so far.
    #[must_use]
    pub fn trace(&self) -> Trace {
        self.recorder.trace()
    }

    /// The connected client.
    ///
    /// # Errors
    ///
    /// If the peer cannot be reached, or the handshake fails.
    pub async fn client(&mut self) -> Result<&mut Client, Finding> {
        Ok(&mut *self.connected().await?)
    }

    async fn connected(&mut self) -> Result<&mut Connected, Finding> {
        // Moved out and in again, because the borrow checker rejects a reference that only one arm returns.
        let begun = self.client.is_none().then(|| self.pool.take_begun()).flatten();
        let client = match self.client.take().or_else(|| Some(self.resume(begun?))) {
            Some(client) => client,
            None if self.setup.profile == Profile::Official => self.connect_as_officially().await?,
            None => self.connect(self.options()).await?,
        };
        Ok(self.client.insert(client))
    }

    /// The client of a conversation that has begun.
    fn resume(&self, client: Client) -> Connected {
        let connection = client.connection();
        self.pool.set_revision(connection, client.revision());
        Connected::new(client.renewed(self.options()), connection, &self.pool)
    }

    /// The messages after which the server does not answer any more.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn ending_messages(&self) -> &EndingMessages {
        &self.setup.history.ending_messages
    }

    /// Connects another client because the server has exited or hung at a message of this kind; `None` if it does not start again,
    /// or was started too often already: a program once in a run after each kind of message.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub async fn connect_again(&self, after: &str) -> Option<Connected> {
        if self.setup.transport == TransportKind::Stdio {
            let is_first = self.ending_messages().note_restart(after);
            let may_start = self.setup.may_start_again.as_ref();
            if !is_first || may_start.is_some_and(|may_start| !may_start()) {
                return None;
            }
        }
        self.connect(self.options()).await.ok()
    }

    /// Connects another client, on a connection and with options of its own, recorded in the same trace.
    ///
    /// It is judged like [`Ctx::client`], at its own revision.
    ///
    /// # Errors
    ///
    /// As [`Ctx::client`].
    pub async fn connect(&self, options: Options) -> Result<Connected, Finding> {
        let connection = self.open_connection(options.revision).await?;
        let id = connection.id();
        Ok(Connected::new(Client::connect(connection, options).await?, id, &self.pool))
    }

    /// Opens a connection for another client without `initialize`, which is left to the scenario.
    ///
    /// # Errors
    ///
    /// If the peer cannot be reached.
    pub async fn connect_uninitialized(&self, options: Options) -> Result<Connected, Finding> {
        let connection = self.open_connection(options.revision).await?;
        let id = connection.id();
        Ok(Connected::new(Client::uninitialized(connection, options), id, &self.pool))
    }

    /// Opens a connection without a client. The caller must close it and examine every error; see
    /// [`Ctx::connect_uninitialized`].
    ///
    /// # Errors
    ///
    /// If the peer cannot be reached.
    pub async fn open(&self) -> Result<Connection, Finding> {
        self.open_connection(self.setup.revision).await
    }

    pub(super) async fn open_connection(&self, revision: Revision) -> Result<Connection, Finding> {
        let Setup { target, transport, limits, .. } = &self.setup;
        let connection = match self.pool.take_unused() {
            Some(connection) => connection,
            None => target.open(*transport, &self.recorder, *limits).await?,
        };
        // Before the handshake, so that a failed one is judged at this revision, too.
        self.pool.set_revision(connection.id(), revision);
        Ok(connection)
    }

    /// Whether the peer has spoken this revision before the scenario, over the same transport.
    #[doc(hidden)]
    pub fn has_spoken(&self, revision: Revision) -> bool {
        self.setup.spoken.contains(&revision)
    }

    /// The options with which [`Ctx::client`] connects.
    #[must_use]
    pub fn options(&self) -> Options {
        let options = Options::speaking(self.setup.revision)
            .timeout(self.setup.timeout)
            .until(self.setup.until)
            .handlers(self.handlers.clone());
        let (history, fixtures) = (self.setup.history.clone(), self.setup.fixtures.clone());
        Options { history, fixtures, ..options }
    }

    /// Closes the connection properly and returns how the server ended; the next request connects again.
    ///
    /// # Errors
    ///
    /// As [`Ctx::client`].
    pub async fn disconnect(&mut self) -> Result<ServerExit, Finding> {
        self.connected().await?;
        let client = self.client.take().ok_or_else(|| Finding::harness("the client is gone"))?;
        let (connection, transport) = (client.connection(), client.transport());
        let revision = client.revision();
        let end = client.end().await;
        Ok(ServerExit::new(end, (connection, transport), revision, self.recorder.clone()))
    }

    /// Records a fence: a named point in the trace, for assertions about what was not seen before it.
    ///
    /// Such an assertion holds for the peer only if the fence follows an exchange that the peer finishes after everything
    /// earlier.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::prelude::*;
    /// # async fn scenario(ctx: &mut Ctx) -> Result<()> {
    /// ctx.ping().await?.assert_ok();
    /// ctx.fence("the server is up").await?;
    /// ctx.trace().assert_not_seen_before_fence("notifications/message", "the server is up");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Ctx::client`], on whose connection the fence is recorded.
    pub async fn fence(&mut self, name: impl Into<String>) -> Result<Seq, Finding> {
        let connection = self.connected().await?.connection();
        Ok(self.recorder.record(connection, Party::Harness, EventKind::Fence(name.into())))
    }

    /// Begins a check; in a built-in scenario, one that the scenario declares.
    #[must_use = "a check without a verdict is not made; continue with `expect`, `pass`, `info` …"]
    pub fn check(&mut self, id: &str) -> CheckBuilder<'_> {
        let Setup { profile, revision, ref fixtures, .. } = self.setup;
        match &self.scenario {
            Some(scenario) => {
                CheckBuilder::of(scenario, &mut self.collector, (profile, revision), id)
                    .replacing(fixtures)
            }
            None => CheckBuilder::new(&mut self.collector, profile, id, None),
        }
    }

    /// The error with which a scenario ends as SKIPPED.
    #[must_use]
    pub fn skip(&self, reason: impl Into<String>) -> crate::Error {
        Skip { reason: reason.into() }.into()
    }

    /// Ends a scenario that has a check of its own for early ends, as the official suite has for exceptions: that check gets
    /// the finding, and checks that were not reached are SKIPPED.
    ///
    /// # Errors
    ///
    /// The finding, if it is a time-out of the whole scenario by the official rules.
    pub fn conclude(&mut self, id: &str, outcome: Result<(), Finding>) -> Result<(), Finding> {
        let Err(finding) = outcome else { return Ok(()) };
        // There, the time-out is reported instead of the checks of the scenario.
        if self.setup.profile == Profile::Official && self.recorder.trace().deadline_fired() {
            return Err(finding);
        }
        let why = format!("not reached: {}", finding.headline);
        self.check(id).fail(finding);
        self.skip_the_rest(&why);
        Ok(())
    }

    /// Skips every check that each run makes and that was not made yet, for this reason.
    pub fn skip_the_rest(&mut self, reason: &str) {
        let unmade: Vec<_> = self.unmade().map(|spec| spec.id.clone()).collect();
        for id in unmade {
            self.check(&id).skip(reason);
        }
    }

    /// Skips the checks that were not made because the server does not answer any more, and is not started again.
    #[cfg(feature = "suite")]
    #[doc(hidden)]
    pub fn skip_without_server(&mut self) {
        let id = self.scenario.as_ref().map(|scenario| scenario.id.to_string());
        self.skip_the_rest(&format!(
            "the server does not answer any more, and is not started again: `--scenario {} --spec-version {}` tries it alone",
            id.unwrap_or_default(),
            self.revision()
        ));
    }

    /// The checks that each run makes and that were not made yet.
    #[doc(hidden)]
    pub fn unmade(&self) -> impl Iterator<Item = &CheckSpec> {
        // A conditional check that was not made is not missing.
        let declared = self.scenario.iter().flat_map(|it| it.checks_at(self.setup.revision));
        declared.filter(|spec| spec.always && !self.collector.has(&spec.id))
    }

    /// Whether a check of this id has been made.
    #[must_use]
    pub fn has_checked(&self, id: &str) -> bool {
        self.collector.has(id)
    }

    /// Whether a check of this id has failed.
    #[cfg(any(test, feature = "suite"))]
    #[doc(hidden)]
    pub fn has_failed(&self, id: &str) -> bool {
        let checks = self.collector.checks().iter();
        checks.filter(|check| check.id == id).any(|check| check.status == Status::Failure)
    }

    /// The revision of each connection.
    pub(super) fn revisions(&self) -> impl Fn(ConnectionId) -> Revision + use<> {
        let (known, revision) = (self.pool.revisions(), self.setup.revision);
        move |connection| known.get(&connection).copied().unwrap_or(revision)
    }

    /// Closes all connections, and judges the conversation on each, at its revision.
    pub async fn end(self) -> Ended {
        let recorder = self.recorder.clone();
        let conversation = self.close().await;
        conversation.judge(recorder.trace())
    }

    /// Whether the connection that was opened before is used.
    pub(crate) fn uses_begun(&self) -> bool {
        self.client.is_some() || !self.pool.has_begun()
    }

    /// Takes the client back whose conversation had begun before the run, so that another run can use its connection.
    pub(crate) fn release(&mut self) -> Option<Client> {
        // Dropping the client returns it to the pool, which takes note of its unexamined errors.
        let used = self.client.take().map(|client| client.connection());
        used.map_or_else(|| self.pool.take_begun(), |connection| self.pool.take(connection))
    }

    /// Takes back the connection that was opened before the run, if nothing was sent on it.
    pub(crate) fn release_unused(&mut self) -> Option<Connection> {
        self.pool.take_unused()
    }

    /// Closes the connections soon if a fault of the server is known, so that its report does not wait for a program that does
    /// not exit.
    pub(crate) fn hurry_after_a_fault(&mut self, has_failed: bool, trace: &Trace) {
        let is_stray = |event: &Event| matches!(event.kind, EventKind::Unparsable { .. });
        self.is_hurried = has_failed
            || self.collector.checks().iter().any(|check| check.status == Status::Failure)
            || trace.events.iter().any(is_stray);
    }

    /// Closes all connections.
    pub(crate) async fn close(mut self) -> Conversation {
        // Dropping the client returns it to the pool, which closes all connections at the same time.
        drop(self.client.take());
        let ends = self.setup.ends;
        let closing = async {
            self.end_raw().await;
            self.pool.end(self.is_hurried).await;
        };
        // Dropping what is left closes it too, and kills the programs; that they were slow is then no verdict.
        let _ = clock::within(ends, closing).await;
        let [unexamined, unawaited] = self.pool.take_omissions();
        let Setup { revision, profile, schemas, discovered, .. } = self.setup;
        Conversation {
            checks: self.collector.into_checks(),
            unexamined,
            unawaited,
            revisions: self.pool.revisions(),
            revision,
            discovered,
            schemas,
            authority: profile.authority(self.scenario.as_ref()),
            ends,
        }
    }
}

#[cfg(test)]
mod tests;
