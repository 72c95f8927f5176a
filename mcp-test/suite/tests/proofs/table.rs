//! The rows of the tables of proofs: faults of a good peer, and the exact findings of the judge.

use std::collections::HashMap;
use std::iter;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use mcp_test_core::check::{Status, WELL_FORMED};
use mcp_test_core::run::{Outcome, ScenarioRun};
use mcp_test_core::scenario::{Peer, Profile};
use mcp_test_core::spec::Requirement;
use mcp_test_core::transport::{Fault, TransportKind};

use crate::medium::{Medium, over_other_medium};
use crate::runs::{outcome, statuses};
use crate::unfounded::unfounded;

/// Faults of a good peer in one scenario run, the status of a check that every scenario has, most often `wire-well-formed`, and all
/// requirements that it cites.
#[derive(Clone)]
pub(crate) struct Row {
    peer: Peer,
    /// The peer on which the faults are, if not the good one.
    other: Option<Peer>,
    scenario_run: ScenarioRun,
    profile: Profile,
    has_twin: bool,
    /// The check that it is about.
    check: &'static str,
    pub(crate) faults: Vec<Fault>,
    pub(crate) status: Status,
    pub(crate) requirements: Vec<&'static Requirement>,
}

impl Row {
    pub(crate) fn new(
        peer: impl Into<Peer>,
        scenario_run: ScenarioRun,
        faults: impl IntoIterator<Item = Fault>,
        status: Status,
        requirements: &[&'static Requirement],
    ) -> Self {
        let (faults, requirements) = (faults.into_iter().collect(), requirements.to_vec());
        let (peer, profile) = (peer.into(), Profile::Adaptive);
        Self {
            peer,
            other: None,
            scenario_run,
            profile,
            has_twin: true,
            check: WELL_FORMED,
            faults,
            status,
            requirements,
        }
    }

    /// The same row over another transport.
    pub(crate) fn over(mut self, transport: TransportKind) -> Self {
        self.scenario_run.transport = transport;
        self
    }

    /// The same row by the rules of another profile.
    pub(crate) fn under(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// The same row on another peer, which is why the judge finds something.
    pub(crate) fn on(mut self, other: impl Into<Peer>) -> Self {
        self.other = Some(other.into());
        self
    }

    /// The row about another check of every scenario.
    pub(crate) fn for_check(mut self, check: &'static str) -> Self {
        self.check = check;
        self
    }

    /// The row over this transport only, where the other medium shows something else: the streams of HTTP have no order.
    pub(crate) fn without_twin(mut self) -> Self {
        self.has_twin = false;
        self
    }

    /// The outcome with these faults, which are none or those of the row.
    pub(crate) fn run(&self, faults: &[Fault], profile: Profile) -> Outcome {
        self.outcome(&self.peer, faults, profile)
    }

    fn outcome(&self, peer: &Peer, faults: &[Fault], profile: Profile) -> Outcome {
        let peer = faults.iter().cloned().fold(peer.clone(), Peer::fault);
        outcome(&peer, self.scenario_run.clone(), profile)
    }

    /// The status of the check without the faults. Each run is made once: the good peer of a scenario run is always the same.
    fn good_status(&self) -> Option<Status> {
        type GoodRuns = HashMap<(String, Profile, &'static str), Arc<OnceLock<Option<Status>>>>;
        static GOOD: LazyLock<Mutex<GoodRuns>> = LazyLock::new(Mutex::default);
        let key = (self.scenario_run.to_string(), self.profile, self.check);
        let run = Arc::clone(GOOD.lock().expect("no panic").entry(key).or_default());
        *run.get_or_init(|| statuses(&self.run(&[], self.profile)).get(self.check).copied())
    }

    /// The same row over HTTP in place of lines, or the other way round; `None` if what it breaks cannot travel there.
    pub(crate) fn over_other_medium(&self) -> Option<Self> {
        let transport = over_other_medium(&self.peer, &self.scenario_run)?.transport;
        let medium = Medium::of(transport);
        let travels = self.has_twin
            && self.requirements.iter().all(|it| medium.carries(it))
            && self.faults.iter().all(|fault| fault.applies_to(transport));
        travels.then(|| self.clone().over(transport))
    }

    /// The requirements that it proves a check of, and over what.
    pub(crate) fn proven(&self) -> impl Iterator<Item = (&'static Requirement, Medium)> {
        let medium = Medium::of(self.scenario_run.transport);
        self.requirements.iter().map(move |requirement| (*requirement, medium))
    }

    /// The scenario run in which it is proven.
    pub(crate) fn scenario_run(&self) -> &ScenarioRun {
        &self.scenario_run
    }

    /// What differs from the row, if anything does.
    pub(crate) fn prove(&self) -> Option<String> {
        let good = self.good_status();
        let faulty = self.other.as_ref().unwrap_or(&self.peer);
        let bad = self.outcome(faulty, &self.faults, self.profile);
        let check = bad.checks.iter().find(|check| check.id == self.check).expect("the check");
        let unfounded = unfounded(&bad);
        let is_proven = good == Some(Status::Success)
            && check.status == self.status
            && check.requirements == self.requirements
            && unfounded.is_empty();
        (!is_proven).then(|| {
            let faults: Vec<String> = self.faults.iter().map(Fault::name).collect();
            format!(
                "{} with {}\n  without {good:?}\n  {:?} {:?} {unfounded:?}\n  {}",
                self.scenario_run,
                faults.join(" "),
                check.status,
                check.requirements,
                check.message.as_deref().unwrap_or_default()
            )
        })
    }
}

/// These rows, and the same ones over the other medium, as far as what they break can travel over it.
pub(crate) fn over_both(rows: impl IntoIterator<Item = Row>) -> Vec<Row> {
    let twins = |row: Row| {
        let twin = row.over_other_medium();
        iter::once(row).chain(twin)
    };
    rows.into_iter().flat_map(twins).collect()
}
