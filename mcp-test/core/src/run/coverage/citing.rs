//! The checks that stand for a requirement: the one source for `explain`, `requirements --coverage` and the coverage of a run.

use crate::run::{COMMON, requirements_of_common, requirements_of_interruptions};
use crate::scenario::{CheckSpec, Proofs, Scenario, TestedSide};
use crate::spec::Side;
use crate::spec::requirement::Requirement;

const SIDES: [Side; 2] = [Side::Server, Side::Client];

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
    fn judges(&self, tested_side: TestedSide, requirement: &Requirement) -> bool {
        match (self, tested_side.side()) {
            (Self::Declared(scenario, _), _) => scenario.tested_side == tested_side,
            // The scenarios for authorization servers have no checks of the wire.
            (_, None) => false,
            (Self::Common(id), Some(side)) => {
                requirements_of_common(id, side).contains(&requirement)
            }
            (Self::Any, Some(side)) => {
                requirements_of_interruptions(side).any(|it| it == requirement)
            }
        }
    }

    /// The number of proofs that it can find a fault; `None` where they are not beside the check.
    #[must_use]
    pub fn proofs(&self) -> Option<usize> {
        let Self::Declared(scenario, check) = self else { return None };
        let Proofs { proofs, .. } = (scenario.proofs?)();
        Some(proofs.iter().filter(|proof| proof.check == check.id).count())
    }
}

/// The checks of these scenarios that may cite a requirement about a side under test.
pub fn citing_checks_of(
    scenarios: impl IntoIterator<Item = &'static Scenario>,
    tested_side: TestedSide,
    requirement: &Requirement,
) -> Vec<CitingCheck> {
    let mut checks = citing_checks(scenarios, requirement);
    checks.retain(|check| check.judges(tested_side, requirement));
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
    let of_common = |id, side| requirements_of_common(id, side).into_iter().any(is_it);
    let common = common.filter(|id| SIDES.iter().any(|side| of_common(id, *side)));
    let mut checks: Vec<CitingCheck> = declared.chain(common.map(CitingCheck::Common)).collect();
    if SIDES.iter().any(|side| requirements_of_interruptions(*side).any(is_it)) {
        checks.push(CitingCheck::Any);
    }
    checks
}
