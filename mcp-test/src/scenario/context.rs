//! The context of one scenario on one cell: a client that connects when it is first needed, a trace, and the checks.

use std::time::Duration;

use super::{CheckBuilder, Inventory, Profile, Scenario};
use crate::check::{Check, Collector, Finding, judge};
use crate::client::{Client, Options};
use crate::spec::Revision;
use crate::trace::{Party, Recorder, Trace};
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
    /// What the peer was seen to offer, where that was asked.
    pub inventory: Inventory,
}

/// What is left of a context at its end.
#[derive(Debug)]
#[non_exhaustive]
pub struct Ended {
    /// The checks, in the order in which they were made.
    pub checks: Vec<Check>,
    /// Everything that was said.
    pub trace: Trace,
    /// What is wrong with the peer's side of the whole conversation.
    pub judged: Vec<Finding>,
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
    setup: Setup,
    scenario: Option<&'static Scenario>,
    recorder: Recorder,
    collector: Collector,
    client: Option<Client>,
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
            client: None,
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
        let client = match self.client.take() {
            Some(client) => client,
            None if self.setup.profile == Profile::Official => self.connect_as_officially().await?,
            None => self.connect(self.options()).await?,
        };
        Ok(self.client.insert(client))
    }

    /// A further client, on a connection of its own and with its own options, recorded in the same trace.
    ///
    /// # Errors
    ///
    /// As [`Ctx::client`].
    pub async fn connect(&self, options: Options) -> Result<Client, Finding> {
        Client::connect(self.open().await?, options).await
    }

    /// A connection on which nothing has been said yet.
    ///
    /// # Errors
    ///
    /// If the peer cannot be reached.
    pub async fn open(&self) -> Result<Link, Finding> {
        let Setup { target, carrier, limits, .. } = &self.setup;
        Ok(target.open(*carrier, &self.recorder, *limits).await?)
    }

    /// The options with which [`Ctx::client`] connects.
    #[must_use]
    pub fn options(&self) -> Options {
        Options::speaking(self.setup.revision).timeout(self.setup.timeout)
    }

    /// Begins a check. In a built-in scenario it has to be one that the scenario declares.
    #[must_use = "a check of which nothing is asked is not made; go on with `expect`, `pass`, `info` …"]
    pub fn check(&mut self, id: &str) -> CheckBuilder<'_> {
        let Some(scenario) = self.scenario else {
            return CheckBuilder::new(&mut self.collector, self.setup.profile, id, None);
        };
        let spec = scenario.check(id).filter(|spec| spec.revisions.contains(self.setup.revision));
        let check = CheckBuilder::new(&mut self.collector, self.setup.profile, id, spec);
        if spec.is_some() {
            return check;
        }
        check.fail(Finding::harness(format!(
            "the scenario `{}` declares no check `{id}` at {}",
            scenario.id, self.setup.revision
        )))
    }

    /// The error with which a scenario ends as SKIPPED.
    #[must_use]
    pub fn skip(&self, reason: impl Into<String>) -> crate::Error {
        Skip { reason: reason.into() }.into()
    }

    /// Whether a check of this id has been made.
    #[must_use]
    pub fn has_checked(&self, id: &str) -> bool {
        self.collector.has(id)
    }

    /// Ends the conversation and judges it as a whole.
    pub async fn end(self) -> Ended {
        let mut revision = self.setup.revision;
        let mut unexamined = Vec::new();
        if let Some(client) = self.client {
            revision = client.server().revision;
            unexamined = client.unexamined_errors();
            client.end().await;
        }
        let trace = self.recorder.trace();
        let judged = judge(&trace, Party::Server, &|_| revision);
        Ended { checks: self.collector.into_checks(), trace, judged, unexamined }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::reference::everything;
    use crate::spec::Revisions;
    use serde_json::json;

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
            inventory: Inventory::default(),
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
            assert_eq!(finding.blame, crate::check::Blame::Test);
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
    fn a_skip_is_found_again_in_the_error() {
        let error = ctx(everything().target(), Profile::Strict).skip("no database here");
        assert_eq!(error.to_string(), "skipped: no database here");
        assert_eq!(
            error.downcast_ref::<Skip>().map(|skip| skip.reason.as_str()),
            Some("no database here")
        );
    }
}
