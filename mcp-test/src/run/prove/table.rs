//! The rows of the tables of proofs: damage on a good peer, and the exact findings of the judge.

use super::{block_on, outcome, statuses, unfounded};
use crate::check::{Status, WELL_FORMED};
use crate::run::{Cell, Outcome};
use crate::scenario::{Peer, Profile};
use crate::transport::{Fault, TransportKind};

/// Damage on a good peer in one cell, the status of `wire-well-formed`, and all requirements that it cites.
pub(super) struct Row {
    peer: Peer,
    /// The peer on which the faults are, if not the good one.
    other: Option<Peer>,
    cell: Cell,
    profile: Profile,
    pub(super) faults: Vec<Fault>,
    pub(super) status: Status,
    pub(super) requirements: Vec<&'static str>,
}

impl Row {
    pub(super) fn new(
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
    #[cfg(feature = "http")]
    pub(super) fn over(mut self, transport: TransportKind) -> Self {
        self.cell.transport = transport;
        self
    }

    /// The same row by the rules of another profile.
    #[cfg(feature = "http")]
    pub(super) fn under(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// The same row on another peer, which is why the judge finds something.
    #[cfg(feature = "http")]
    pub(super) fn on(mut self, other: impl Into<Peer>) -> Self {
        self.other = Some(other.into());
        self
    }

    /// The outcome with these faults, which are none or those of the row.
    pub(super) fn run(&self, faults: &[Fault], profile: Profile) -> Outcome {
        self.outcome(&self.peer, faults, profile)
    }

    fn outcome(&self, peer: &Peer, faults: &[Fault], profile: Profile) -> Outcome {
        let peer = faults.iter().cloned().fold(peer.clone(), Peer::fault);
        block_on(outcome(&peer, self.cell.clone(), profile))
    }

    /// What differs from the row, if anything does.
    pub(super) fn prove(&self) -> Option<String> {
        let good = self.run(&[], self.profile);
        let good = statuses(&good).get(WELL_FORMED).copied();
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
