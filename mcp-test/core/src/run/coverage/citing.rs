//! The checks that stand for a requirement: the one source for `explain`, `requirements --coverage` and the coverage of a run.

use crate::check::{OF_CLIENTS_ALONE, OF_SERVERS_ALONE};
use crate::run::{COMMON, requirements_of_common, requirements_of_interruptions};
use crate::scenario::{CheckSpec, LEFT_WELL, Leg, Proofs, Scenario, TOOK_PART};
use crate::spec::requirement::Requirement;

/// A check that stands for a requirement.
#[derive(Debug, Clone, Copy)]
pub enum CitingCheck {
    /// A check that a scenario declares.
    Declared(&'static Scenario, &'static CheckSpec),
    /// A check that every scenario of a side has.
    Common(&'static str),
    /// Any check that needs the message which violates the requirement.
    Any,
}

impl CitingCheck {
    /// Whether it judges this side by the requirement.
    fn judges(&self, leg: Leg, requirement: &Requirement) -> bool {
        match self {
            Self::Declared(scenario, _) => scenario.leg == leg,
            Self::Common(TOOK_PART | LEFT_WELL) => leg == Leg::Client,
            // Its scenarios have no checks of the wire.
            Self::Common(_) | Self::Any if leg == Leg::Authorization => false,
            Self::Common(_) | Self::Any => {
                let of_others =
                    if leg == Leg::Server { OF_CLIENTS_ALONE } else { OF_SERVERS_ALONE };
                !of_others.contains(&requirement)
            }
        }
    }

    /// The number of proofs that it can find a fault; `None` where they are not beside the check.
    #[must_use]
    pub fn proofs(&self) -> Option<usize> {
        let Self::Declared(scenario, check) = self else { return None };
        let Proofs { proofs, .. } = (scenario.proofs?)();
        Some(proofs.iter().filter(|proof| proof.proves.check == check.id).count())
    }
}

/// The checks of these scenarios that may cite a requirement about a side under test.
pub fn citing_checks_of(
    scenarios: impl IntoIterator<Item = &'static Scenario>,
    leg: Leg,
    requirement: &Requirement,
) -> Vec<CitingCheck> {
    let mut checks = citing_checks(scenarios, requirement);
    checks.retain(|check| check.judges(leg, requirement));
    checks
}

/// The checks of these scenarios that may cite a requirement, from the tables by which they are judged.
pub fn citing_checks(
    scenarios: impl IntoIterator<Item = &'static Scenario>,
    requirement: &Requirement,
) -> Vec<CitingCheck> {
    let is_it = |other: &Requirement| other == requirement;
    let declared = scenarios
        .into_iter()
        .flat_map(|scenario| scenario.checks.iter().map(move |check| (scenario, check)))
        .filter(|(_, check)| check.requirements.iter().copied().any(is_it))
        .map(|(scenario, check)| CitingCheck::Declared(scenario, check));
    let common = COMMON.into_iter().map(|(id, _)| id);
    let common = common.filter(|id| requirements_of_common(id).into_iter().any(is_it));
    let mut checks: Vec<CitingCheck> = declared.chain(common.map(CitingCheck::Common)).collect();
    if requirements_of_interruptions().any(is_it) {
        checks.push(CitingCheck::Any);
    }
    checks
}
