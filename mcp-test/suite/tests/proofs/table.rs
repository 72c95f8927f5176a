//! The rows of the tables of proofs: damage on a good peer, and the exact findings of the judge.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use mcp_test_core::check::{Status, WELL_FORMED};
use mcp_test_core::run::{Cell, Outcome};
use mcp_test_core::scenario::{Peer, Profile};
use mcp_test_core::transport::{Fault, TransportKind};

use crate::runs::{outcome, statuses};
use crate::unfounded::unfounded;

/// Damage on a good peer in one cell, the status of `wire-well-formed`, and all requirements that it cites.
pub(crate) struct Row {
    peer: Peer,
    /// The peer on which the faults are, if not the good one.
    other: Option<Peer>,
    cell: Cell,
    profile: Profile,
    pub(crate) faults: Vec<Fault>,
    pub(crate) status: Status,
    pub(crate) requirements: Vec<&'static str>,
}

impl Row {
    pub(crate) fn new(
        peer: impl Into<Peer>,
        cell: Cell,
        faults: impl IntoIterator<Item = Fault>,
        status: Status,
        requirements: &[&'static str],
    ) -> Self {
        let (faults, requirements) = (faults.into_iter().collect(), requirements.to_vec());
        let (peer, profile) = (peer.into(), Profile::Adaptive);
        Self { peer, other: None, cell, profile, faults, status, requirements }
    }

    /// The same row over another transport.
    pub(crate) fn over(mut self, transport: TransportKind) -> Self {
        self.cell.transport = transport;
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

    /// The outcome with these faults, which are none or those of the row.
    pub(crate) fn run(&self, faults: &[Fault], profile: Profile) -> Outcome {
        self.outcome(&self.peer, faults, profile)
    }

    fn outcome(&self, peer: &Peer, faults: &[Fault], profile: Profile) -> Outcome {
        let peer = faults.iter().cloned().fold(peer.clone(), Peer::fault);
        outcome(&peer, self.cell.clone(), profile)
    }

    /// The status of `wire-well-formed` without damage. Each run is made once: the good peer of a cell is always the same.
    fn good_status(&self) -> Option<Status> {
        type GoodRuns = HashMap<(String, Profile), Arc<OnceLock<Option<Status>>>>;
        static GOOD: LazyLock<Mutex<GoodRuns>> = LazyLock::new(Mutex::default);
        let key = (self.cell.to_string(), self.profile);
        let run = Arc::clone(GOOD.lock().expect("no panic").entry(key).or_default());
        *run.get_or_init(|| statuses(&self.run(&[], self.profile)).get(WELL_FORMED).copied())
    }

    /// The cell in which it is proven.
    pub(crate) fn cell(&self) -> &Cell {
        &self.cell
    }

    /// What differs from the row, if anything does.
    pub(crate) fn prove(&self) -> Option<String> {
        let good = self.good_status();
        let damaged = self.other.as_ref().unwrap_or(&self.peer);
        let bad = self.outcome(damaged, &self.faults, self.profile);
        let check = bad.checks.iter().find(|check| check.id == WELL_FORMED).expect("the check");
        let unfounded = unfounded(&bad);
        let is_proven = good == Some(Status::Success)
            && check.status == self.status
            && check.requirements == self.requirements
            && unfounded.is_empty();
        (!is_proven).then(|| {
            let faults: Vec<String> = self.faults.iter().map(Fault::name).collect();
            format!(
                "{} damaged by {}\n  without {good:?}\n  {:?} {:?} {unfounded:?}\n  {}",
                self.cell,
                faults.join(" "),
                check.status,
                check.requirements,
                check.message.as_deref().unwrap_or_default()
            )
        })
    }
}
