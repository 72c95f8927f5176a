//! [`Confirmed`]: the failures and warnings that were shown on connections which no other scenario has used.
//!
//! What is shown on a shared connection may be due to the scenarios before. The same failure of the same scenario, on a
//! connection of its own, shows that it is not. What one message shows by itself does not depend on the scenario either.

use std::collections::BTreeSet;

use crate::check::{
    Check, Finding, OF_SINGLE_MESSAGES, SCHEMA_VALID, Status, TOOL_SCHEMAS, WELL_FORMED,
};

/// The failures and warnings that were shown on connections which no other scenario has used.
#[derive(Debug, Default)]
pub(super) struct Confirmed(BTreeSet<Raised>);

/// A failure or a warning.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Raised {
    /// What a check of a scenario shows.
    Check { scenario: String, check: String, status: Status },
    /// What a message shows, in whichever scenario it is sent.
    Message { headline: String, requirements: Vec<&'static str> },
}

impl Confirmed {
    /// Adds everything that the checks of a scenario show on a connection of its own.
    pub(super) fn add(&mut self, scenario: &str, own: &[Check]) {
        self.0.extend(raised(scenario, own));
    }

    /// Whether everything was shown before that the checks of a scenario show on a shared connection.
    pub(super) fn includes(&self, scenario: &str, shared: &[Check]) -> bool {
        raised(scenario, shared).all(|raised| self.0.contains(&raised))
    }
}

/// Whether a status reports something.
pub(super) fn is_raised(status: Status) -> bool {
    matches!(status, Status::Failure | Status::Warning)
}

fn raised(scenario: &str, checks: &[Check]) -> impl Iterator<Item = Raised> {
    let raised = checks.iter().filter(|check| is_raised(check.status));
    raised.flat_map(move |check| {
        let (of_messages, others): (Vec<&Finding>, Vec<&Finding>) = check
            .finding
            .iter()
            .chain(&check.others)
            .partition(|finding| is_of_one_message(check, finding));
        let of_check = (of_messages.is_empty() || !others.is_empty()).then(|| Raised::Check {
            scenario: scenario.to_owned(),
            check: check.id.clone(),
            status: check.status,
        });
        let of_messages = of_messages.into_iter().map(|finding| Raised::Message {
            headline: finding.headline.clone(),
            requirements: finding.requirements.clone(),
        });
        of_messages.chain(of_check).collect::<Vec<_>>()
    })
}

/// Whether one message shows what a check has found, whatever came before it.
fn is_of_one_message(check: &Check, finding: &Finding) -> bool {
    let is_of_content = |id: &&str| OF_SINGLE_MESSAGES.iter().any(|rule| rule.id() == *id);
    match &*check.id {
        SCHEMA_VALID | TOOL_SCHEMAS => true,
        WELL_FORMED => {
            !finding.requirements.is_empty() && finding.requirements.iter().all(is_of_content)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Origin, Rule};

    /// What a check shows that finds a rule broken.
    fn showing(check: &str, rule: Rule) -> Vec<Check> {
        let finding = Finding::peer("wrong").requires(rule.id());
        vec![Check::from_finding(check, Origin::Own, finding)]
    }

    #[test]
    fn what_does_not_show_in_one_message_is_confirmed_for_its_scenario_only() {
        let (own, twice) =
            (showing("ping", Rule::RESULT_OBJECT), showing(WELL_FORMED, Rule::SINGLE_RESPONSE));
        let mut confirmed = Confirmed::default();
        for checks in [&own, &twice] {
            confirmed.add("ping", checks);
            assert!(confirmed.includes("ping", checks));
            assert!(!confirmed.includes("tools-list", checks));
        }
    }

    #[test]
    fn what_shows_in_one_message_is_confirmed_for_all_scenarios() {
        let mut confirmed = Confirmed::default();
        confirmed.add("ping", &showing(WELL_FORMED, Rule::RESULT_OBJECT));
        assert!(confirmed.includes("tools-list", &showing(WELL_FORMED, Rule::RESULT_OBJECT)));
        assert!(!confirmed.includes("tools-list", &showing(WELL_FORMED, Rule::ERROR_SHAPE)));
    }

    #[test]
    fn everything_has_to_be_confirmed() {
        let one = showing("ping", Rule::RESULT_OBJECT);
        let both: Vec<Check> =
            one.iter().cloned().chain(showing("usable", Rule::RESULT_OBJECT)).collect();
        let mut confirmed = Confirmed::default();
        confirmed.add("ping", &one);
        assert!(!confirmed.includes("ping", &both));
        confirmed.add("ping", &both);
        assert!(confirmed.includes("ping", &both));
    }
}
