//! The context of one scenario on one cell: a client that connects when it is first needed, a trace, and the checks.

use std::time::Duration;

use super::connected::Keep;
use super::{CheckBuilder, CheckSpec, Connected, Inventory, Profile, Scenario};
use crate::check::{
    Check, Collector, Finding, ShapeJudgement, ToolJudgement, judge, judge_shapes, judge_tools,
};
use crate::client::{Client, Handlers, Options};
use crate::clock::Deadline;
use crate::spec::Revision;
use crate::spec::schema::Schemas;
use crate::trace::{Connection, Party, Recorder, Seq, Trace, What};
use crate::transport::{CarrierKind, Limits, Link, Target};

/// What a context is made from.
#[derive(Clone)]
pub struct Setup {
    /// What is tested.
    pub target: Target,
    /// How it is reached.
    pub carrier: CarrierKind,
    /// What is spoken.
    pub revision: Revision,
    /// By whose rules.
    pub profile: Profile,
    /// The limits of size on what the peer sends.
    pub limits: Limits,
    /// How long one request may take.
    pub timeout: Duration,
    /// When the last reply must have come, for the scenario to be able to say what it waited for.
    pub until: Deadline,
    /// What the peer was seen to offer, where that was asked.
    pub inventory: Inventory,
    /// What the shapes of messages are judged by.
    pub schemas: Schemas,
}

/// What is left of a context at its end.
#[derive(Debug)]
#[non_exhaustive]
pub struct Ended {
    /// The checks, in the order in which they were made.
    pub checks: Vec<Check>,
    /// Everything that was said.
    pub trace: Trace,
    /// What is wrong with the peer's side of the whole conversation, but for the shapes of its messages.
    pub judged: Vec<Finding>,
    /// What the shapes of all messages come to.
    pub shapes: ShapeJudgement,
    /// What the schemas of the peer's tools come to.
    pub tools: ToolJudgement,
    /// Error replies at which the scenario never looked.
    pub unexamined: Vec<Finding>,
}

/// The reason for which a scenario ends without a verdict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("skipped: {reason}")]
pub struct Skip {
    /// Why.
    pub reason: String,
}

/// What a scenario has in its hands: a client on the peer under test, and the checks that it makes.
///
/// The client connects at its first use, so that a failed connection is a finding like any other.
pub struct Ctx {
    pub(super) setup: Setup,
    pub(super) scenario: Option<&'static Scenario>,
    recorder: Recorder,
    collector: Collector,
    handlers: Handlers,
    client: Option<Connected>,
    /// The connection for bare HTTP requests.
    pub(super) bare: Option<Link>,
    keep: Keep,
    pub(super) golden: Option<super::Golden>,
}

impl Ctx {
    /// A fresh context; nothing is opened yet. A built-in scenario brings the checks that it declares.
    #[must_use]
    pub fn new(setup: Setup, scenario: Option<&'static Scenario>) -> Self {
        Self {
            setup,
            scenario,
            recorder: Recorder::new(),
            collector: Collector::new(),
            handlers: Handlers::new(),
            client: None,
            bare: None,
            keep: Keep::default(),
            golden: None,
        }
    }

    /// The revision that is spoken.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.setup.revision
    }

    /// How the peer is reached.
    #[must_use]
    pub fn carrier(&self) -> CarrierKind {
        self.setup.carrier
    }

    /// By whose rules is judged.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.setup.profile
    }

    /// What the peer was seen to offer before the run.
    #[must_use]
    pub fn inventory(&self) -> &Inventory {
        &self.setup.inventory
    }

    /// Where everything that is said is recorded.
    #[must_use]
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Everything that was said so far.
    #[must_use]
    pub fn trace(&self) -> Trace {
        self.recorder.trace()
    }

    /// The connected client.
    ///
    /// # Errors
    ///
    /// If the peer cannot be reached, or does not complete the opening of the conversation.
    pub async fn client(&mut self) -> Result<&mut Client, Finding> {
        Ok(&mut *self.connected().await?)
    }

    async fn connected(&mut self) -> Result<&mut Connected, Finding> {
        let client = match self.client.take() {
            Some(client) => client,
            None if self.setup.profile == Profile::Official => self.connect_as_officially().await?,
            None => self.connect(self.options()).await?,
        };
        Ok(self.client.insert(client))
    }

    /// A further client, on a connection of its own and with its own options, recorded in the same trace.
    ///
    /// It is judged as [`Ctx::client`] is: in its own revision, and with its error replies.
    ///
    /// # Errors
    ///
    /// As [`Ctx::client`].
    pub async fn connect(&self, options: Options) -> Result<Connected, Finding> {
        let link = self.link(options.revision).await?;
        let connection = link.connection();
        Ok(Connected::new(Client::connect(link, options).await?, connection, &self.keep))
    }

    /// A further client that has said nothing yet: `initialize` is up to the scenario.
    ///
    /// # Errors
    ///
    /// If the peer cannot be reached.
    pub async fn silent(&self, options: Options) -> Result<Connected, Finding> {
        let link = self.link(options.revision).await?;
        let connection = link.connection();
        Ok(Connected::new(Client::silent(link, options), connection, &self.keep))
    }

    /// A bare connection on which nothing has been said yet. To end it, and to look at every error, is up to the caller;
    /// see [`Ctx::silent`].
    ///
    /// # Errors
    ///
    /// If the peer cannot be reached.
    pub async fn open(&self) -> Result<Link, Finding> {
        self.link(self.setup.revision).await
    }

    pub(super) async fn link(&self, revision: Revision) -> Result<Link, Finding> {
        let Setup { target, carrier, limits, .. } = &self.setup;
        let link = target.open(*carrier, &self.recorder, *limits).await?;
        self.keep.speaks(link.connection(), revision);
        Ok(link)
    }

    /// The options with which [`Ctx::client`] connects.
    #[must_use]
    pub fn options(&self) -> Options {
        Options::speaking(self.setup.revision)
            .timeout(self.setup.timeout)
            .until(self.setup.until)
            .handlers(self.handlers.clone())
    }

    /// Answers what the peer asks, and declares the capabilities that go with that.
    ///
    /// Comes before the first use of the client, which declares them when it connects.
    ///
    /// # Errors
    ///
    /// If the client is connected already.
    pub fn handle(&mut self, handlers: Handlers) -> Result<(), Finding> {
        if self.client.is_some() {
            return Err(Finding::test("the handlers come too late")
                .expected("`Ctx::handle` before the first use of the client")
                .got("a client that has connected, and declared its capabilities, already"));
        }
        self.handlers = handlers;
        Ok(())
    }

    /// Sets a fence: a named point in the trace, for assertions on what was not seen before it.
    ///
    /// It says something about the peer when it stands after an exchange that the peer can finish only when it has
    /// dealt with everything before.
    ///
    /// ```
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
    /// As [`Ctx::client`], on whose connection the fence stands.
    pub async fn fence(&mut self, name: impl Into<String>) -> Result<Seq, Finding> {
        let connection = self.connected().await?.connection();
        Ok(self.recorder.record(connection, Party::Harness, What::Fence(name.into())))
    }

    /// Begins a check. In a built-in scenario it has to be one that the scenario declares.
    #[must_use = "a check of which nothing is asked is not made; go on with `expect`, `pass`, `info` …"]
    pub fn check(&mut self, id: &str) -> CheckBuilder<'_> {
        let Setup { profile, revision, .. } = self.setup;
        match self.scenario {
            Some(scenario) => {
                CheckBuilder::of(scenario, &mut self.collector, (profile, revision), id)
            }
            None => CheckBuilder::new(&mut self.collector, profile, id, None),
        }
    }

    /// The error with which a scenario ends as SKIPPED.
    #[must_use]
    pub fn skip(&self, reason: impl Into<String>) -> crate::Error {
        Skip { reason: reason.into() }.into()
    }

    /// Ends a scenario in which everything that goes wrong on the way has a check of its own, as the official suite has
    /// them for exceptions: the finding goes there, and what was not reached is SKIPPED.
    ///
    /// # Errors
    ///
    /// With the finding itself, if it is a time-out of the whole scenario by the official rules.
    pub fn conclude(&mut self, id: &str, outcome: Result<(), Finding>) -> Result<(), Finding> {
        let Err(finding) = outcome else { return Ok(()) };
        if self.setup.profile == Profile::Official && self.recorder.trace().deadline_fired() {
            return Err(finding);
        }
        let why = format!("not reached: {}", finding.headline);
        self.check(id).fail(finding);
        self.skip_the_rest(&why);
        Ok(())
    }

    /// Every check that each run makes, and that was not made yet, is SKIPPED for this reason.
    pub fn skip_the_rest(&mut self, reason: &str) {
        let unmade: Vec<&str> = self.unmade().map(|spec| spec.id).collect();
        for id in unmade {
            self.check(id).skip(reason);
        }
    }

    /// The checks that each run makes, and that were not made yet.
    pub(crate) fn unmade(&self) -> impl Iterator<Item = &'static CheckSpec> {
        let declared = self.scenario.into_iter().flat_map(|it| it.checks_at(self.setup.revision));
        declared.filter(|spec| spec.always && !self.collector.has(spec.id))
    }

    /// Whether a check of this id has been made.
    #[must_use]
    pub fn has_checked(&self, id: &str) -> bool {
        self.collector.has(id)
    }

    /// The revision that each connection is meant to be held in.
    pub(super) fn meant(&self) -> impl Fn(Connection) -> Revision + use<> {
        let (known, revision) = (self.keep.revisions(), self.setup.revision);
        move |connection| known.get(&connection).copied().unwrap_or(revision)
    }

    /// Ends all conversations, and judges each as a whole, in the revision that it was held in.
    pub async fn end(mut self) -> Ended {
        self.end_bare().await;
        drop(self.client);
        let (revisions, unexamined) = self.keep.end().await;
        let trace = self.recorder.trace();
        let spoken = |connection| revisions.get(&connection).copied();
        let Setup { revision, profile, schemas, .. } = &self.setup;
        let meant = |connection| spoken(connection).unwrap_or(*revision);
        let judged = judge(&trace, Party::Server, &meant);
        let authority = profile.authority(self.scenario);
        let shapes = judge_shapes(&trace, Party::Server, &meant, schemas, authority);
        let tools = judge_tools(&trace, Party::Server, &meant);
        Ended { checks: self.collector.into_checks(), trace, judged, shapes, tools, unexamined }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use serde_json::json;

    use super::*;
    use crate::check::Blame;
    use crate::server::reference::everything;
    use crate::spec::Revisions;
    use crate::transport::Fault;
    use crate::wire::Message;

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(future)
    }

    fn ctx(target: Target, profile: Profile) -> Ctx {
        let setup = Setup {
            target,
            carrier: CarrierKind::Duplex,
            revision: Revision::V2025_11_25,
            profile,
            limits: Limits::default(),
            timeout: Duration::from_secs(10),
            until: Deadline::never(),
            inventory: Inventory::default(),
            schemas: Schemas::default(),
        };
        Ctx::new(setup, None)
    }

    #[test]
    fn nothing_is_opened_before_it_is_needed_and_then_once() {
        block_on(async {
            let mut ctx = ctx(everything().target(), Profile::Adaptive);
            assert!(ctx.trace().events.is_empty());
            let _ = ctx.ping().await.expect("a reply");
            let _ = ctx.ping().await.expect("a reply");
            let initialized = ctx
                .trace()
                .messages()
                .filter(|(_, message)| message.method() == Some("initialize"))
                .count();
            assert_eq!(initialized, 1);
        });
    }

    #[test]
    fn another_revision_than_asked_for_is_taken_officially_and_a_finding_elsewhere() {
        let old = everything().revisions(Revisions::only(Revision::V2025_06_18)).target();
        block_on(async {
            let mut official = ctx(old.clone(), Profile::Official);
            assert_eq!(
                official.client().await.expect("a client").revision(),
                Revision::V2025_06_18
            );
            let mut adaptive = ctx(old, Profile::Adaptive);
            let finding = adaptive.client().await.expect_err("a finding");
            assert_eq!(finding.blame, Blame::Test);
        });
    }

    #[test]
    fn the_end_brings_what_was_checked_said_and_overlooked() {
        block_on(async {
            let mut ctx = ctx(everything().target(), Profile::Strict);
            let reply = ctx.ping().await.expect("a reply");
            ctx.check("pong").expect(&reply, super::super::empty_result());
            let _overlooked = ctx.request("no/such/method", json!({})).await.expect("a reply");
            assert!(ctx.has_checked("pong"));
            let ended = ctx.end().await;
            assert_eq!(ended.checks.len(), 1);
            assert_eq!(ended.unexamined.len(), 1);
            assert_eq!(ended.judged, []);
            assert!(ended.trace.exchanged());
        });
    }

    #[test]
    fn further_clients_are_examined_judged_and_ended_like_the_first() {
        let returned = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&returned);
        let server = everything().faults([Fault::remove("tools/list", "/resultType")]);
        let target = Target::duplex(move |io| {
            let (server, returned) = (server.clone(), Arc::clone(&count));
            async move {
                server.serve(io).await?;
                returned.fetch_add(1, Ordering::SeqCst);
                Ok(())
            }
        });
        block_on(async {
            let mut ctx = ctx(target, Profile::Adaptive);
            let _ = ctx.list_tools().await.expect("a list");
            let newest = Options::speaking(Revision::V2026_07_28);
            let mut other = ctx.connect(newest.clone()).await.expect("a client");
            let _overlooked = other.request("no/such/method", json!({})).await.expect("a reply");
            let _untyped = other.request("tools/list", json!({})).await.expect("a reply");
            let mut early = ctx.connect(newest).await.expect("a client");
            let _overlooked = early.request("no/such/method", json!({})).await.expect("a reply");
            assert!(early.end().await.orderly);
            assert_eq!(returned.load(Ordering::SeqCst), 1);
            drop(other);
            let ended = ctx.end().await;
            assert_eq!(returned.load(Ordering::SeqCst), 3);
            assert_eq!(ended.unexamined.len(), 2);
            let cited: Vec<_> =
                ended.judged.iter().flat_map(|finding| &finding.requirements).collect();
            assert_eq!(cited, [&"base.result-type-present"]);
        });
    }

    #[test]
    fn a_fence_divides_what_was_said() {
        block_on(async {
            let mut ctx = ctx(everything().target(), Profile::Adaptive);
            let _ = ctx.ping().await.expect("a reply");
            ctx.fence("pinged").await.expect("a fence");
            let _ = ctx.list_tools().await.expect("a list");
            let trace = ctx.trace().try_not_seen_before_fence("tools/list", "pinged");
            let trace = trace.expect("only after the fence");
            let finding = trace.try_not_seen_before_fence("ping", "pinged").expect_err("seen");
            assert_eq!(finding.blame, Blame::Peer);
        });
    }

    #[test]
    fn handlers_come_before_the_client_and_decide_what_it_declares() {
        let roots = || Handlers::new().on("roots/list", |_| Ok(json!({"roots": []}).into()));
        block_on(async {
            let mut ctx = ctx(everything().target(), Profile::Adaptive);
            ctx.handle(roots()).expect("in time");
            let _ = ctx.ping().await.expect("a reply");
            let declared = ctx.trace().messages().find_map(|(_, message)| match message {
                Message::Request(request) if request.method == "initialize" => {
                    request.params.as_ref()?.get("capabilities").cloned()
                }
                _ => None,
            });
            assert_eq!(declared, Some(json!({"roots": {}}).into()));
            let finding = ctx.handle(roots()).expect_err("too late");
            assert_eq!(finding.blame, Blame::Test);
        });
    }

    #[test]
    fn a_skip_is_found_again_in_the_error() {
        let error = ctx(everything().target(), Profile::Strict).skip("no database here");
        assert_eq!(error.to_string(), "skipped: no database here");
        assert_eq!(
            error.downcast_ref::<Skip>().map(|skip| skip.reason.as_str()),
            Some("no database here")
        );
    }
}
