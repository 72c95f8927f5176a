//! [`Confirmed`]: the failures and warnings that do not depend on the scenarios before.
//!
//! What is shown on a shared connection may be due to the scenarios before. The same failure of the same scenario, on another
//! connection, shows that it is not. A message that is wrong by itself and a reply that is wrong in any state need no second
//! connection, if the first one is sound.

use std::collections::BTreeSet;

use crate::check::{Check, Finding, SCHEMA_VALID, Status, TOOL_SCHEMAS, WELL_FORMED};
use crate::spec::Requirement;

/// The failures and warnings that do not depend on the scenarios before.
#[derive(Debug, Default)]
pub(super) struct Confirmed(BTreeSet<Raised>);

/// A failure or a warning.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Raised {
    /// What a check of a scenario shows.
    Check { scenario: String, check: String, status: Status },
    /// What a message shows, in whichever scenario it is sent.
    Message { headline: String, requirements: Vec<&'static Requirement> },
}

impl Confirmed {
    /// Adds everything that the checks of a scenario show on a connection of its own, or on a second one.
    pub(super) fn add(&mut self, scenario: &str, own: &[Check]) {
        self.0.extend(uncertain(scenario, own, &[], |_, _| false));
    }

    /// Whether everything was added before.
    pub(super) fn includes(&self, raised: &[Raised]) -> bool {
        raised.iter().all(|raised| self.0.contains(raised))
    }
}

/// Whether a status reports something.
pub(super) fn is_raised(status: Status) -> bool {
    matches!(status, Status::Failure | Status::Warning)
}

/// What the checks of a scenario show, except for the findings that are certain.
///
/// `envelopes` are all findings about envelopes, of which their check has only some if there are many.
pub(super) fn uncertain(
    scenario: &str,
    checks: &[Check],
    envelopes: &[Finding],
    is_certain: impl Fn(&Check, &Finding) -> bool,
) -> Vec<Raised> {
    let mut raised = Vec::new();
    for check in checks.iter().filter(|check| is_raised(check.status)) {
        let all = if check.id == WELL_FORMED { envelopes } else { &[] };
        let findings = check.finding.iter().chain(&check.others).chain(all);
        let mut is_of_check = check.finding.is_none();
        for finding in findings.filter(|finding| !is_certain(check, finding)) {
            if is_of_one_message(check, finding) {
                let Finding { headline, requirements, .. } = finding.clone();
                raised.push(Raised::Message { headline, requirements });
            } else {
                is_of_check = true;
            }
        }
        if is_of_check {
            let (scenario, check, status) = (scenario.to_owned(), check.id.clone(), check.status);
            raised.push(Raised::Check { scenario, check, status });
        }
    }
    raised
}

/// The requirements of `wire-well-formed` that one message breaks by itself, whatever came before it.
const OF_SINGLE_MESSAGES: &[&Requirement] = &[
    Requirement::RESOURCES_ANNOTATIONS_LAST_MODIFIED_ISO8601,
    Requirement::TOOLS_CONTENT_EMBEDDED_NEEDS_RESOURCES_CAPABILITY,
    Requirement::JSONRPC_ERROR_CODE_APPLICATION_RANGE,
    Requirement::JSONRPC_ERROR_CODE_INTEGER,
    Requirement::JSONRPC_ERROR_CODE_LEGACY_RANGE_UNUSED,
    Requirement::MCP_TEST_ERROR_CODE_NOT_ZERO,
    Requirement::JSONRPC_ERROR_CODE_RESERVED_RANGE,
    Requirement::JSONRPC_ERROR_CODE_RETIRED,
    Requirement::JSONRPC_ERROR_MESSAGE_CONCISE,
    Requirement::JSONRPC_ERROR_SHAPE,
    Requirement::BASE_META_NAME_FORMAT,
    Requirement::BASE_META_PREFIX_FORMAT,
    Requirement::BASE_META_PREFIX_LABELS,
    Requirement::BASE_META_PREFIX_RESERVED_ANY_LABEL,
    Requirement::BASE_META_PREFIX_RESERVED_SECOND_LABEL,
    Requirement::BASE_META_PREFIX_REVERSE_DNS,
    Requirement::BASE_META_TRACE_FORMAT,
    Requirement::MCP_TEST_MIME_TYPES,
    Requirement::MCP_TEST_NO_INTERNAL_DETAILS,
    Requirement::PROMPTS_CONTENT_AUDIO_BASE64_MIME,
    Requirement::PROMPTS_CONTENT_EMBEDDED_MIME,
    Requirement::PROMPTS_CONTENT_IMAGE_BASE64_MIME,
    Requirement::JSONRPC_RESULT_OBJECT,
    Requirement::BASE_RESULT_TYPE_KNOWN_SET,
    Requirement::BASE_RESULT_TYPE_PRESENT,
    Requirement::TOOLS_STRUCTURED_TEXT_MIRROR,
    Requirement::JSONRPC_VERSION_MEMBER,
];

/// Whether one message shows what a check has found, whatever came before it.
pub(super) fn is_of_one_message(check: &Check, finding: &Finding) -> bool {
    let is_of_content = |rule: &&Requirement| OF_SINGLE_MESSAGES.contains(rule);
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
    use crate::check::Origin;

    /// What a check shows that finds a rule broken.
    fn showing(check: &str, rule: &'static Requirement) -> Vec<Check> {
        let finding = Finding::peer("wrong").requires(rule);
        vec![Check::from_finding(check, Origin::Own, finding)]
    }

    fn includes(confirmed: &Confirmed, scenario: &str, checks: &[Check]) -> bool {
        confirmed.includes(&uncertain(scenario, checks, &[], |_, _| false))
    }

    #[test]
    fn what_does_not_show_in_one_message_is_confirmed_for_its_scenario_only() {
        let (own, twice) = (
            showing("ping", Requirement::JSONRPC_RESULT_OBJECT),
            showing(WELL_FORMED, Requirement::JSONRPC_SINGLE_RESPONSE),
        );
        let mut confirmed = Confirmed::default();
        for checks in [&own, &twice] {
            confirmed.add("ping", checks);
            assert!(includes(&confirmed, "ping", checks));
            assert!(!includes(&confirmed, "tools-list", checks));
        }
    }

    #[test]
    fn what_shows_in_one_message_is_confirmed_for_all_scenarios() {
        let mut confirmed = Confirmed::default();
        confirmed.add("ping", &showing(WELL_FORMED, Requirement::JSONRPC_RESULT_OBJECT));
        let is_included = |rule| includes(&confirmed, "tools-list", &showing(WELL_FORMED, rule));
        assert!(is_included(Requirement::JSONRPC_RESULT_OBJECT));
        assert!(!is_included(Requirement::JSONRPC_ERROR_SHAPE));
    }

    #[test]
    fn everything_has_to_be_confirmed() {
        let one = showing("ping", Requirement::JSONRPC_RESULT_OBJECT);
        let both: Vec<Check> = one
            .iter()
            .cloned()
            .chain(showing("usable", Requirement::JSONRPC_RESULT_OBJECT))
            .collect();
        let mut confirmed = Confirmed::default();
        confirmed.add("ping", &one);
        assert!(!includes(&confirmed, "ping", &both));
        confirmed.add("ping", &both);
        assert!(includes(&confirmed, "ping", &both));
    }

    #[test]
    fn what_is_certain_needs_no_confirmation_beside_what_does() {
        let others = vec![Finding::peer("not answered")];
        let certain = Finding::peer("not refused").in_any_state();
        let check = Check::from_finding("unknown", Origin::Own, certain);
        let raised = |check: &Check| {
            uncertain("ping", std::slice::from_ref(check), &[], |_, finding| finding.in_any_state)
        };
        assert!(raised(&check).is_empty());
        assert_eq!(raised(&Check { others, ..check }).len(), 1);
    }

    #[test]
    fn a_check_that_failed_without_a_finding_is_uncertain() {
        let check = Check::new("unknown", Origin::Own, Status::Failure);
        assert_eq!(uncertain("ping", &[check], &[], |_, _| true).len(), 1);
    }

    #[test]
    fn an_envelope_that_the_check_does_not_have_is_uncertain_as_well() {
        let certain = Finding::peer("not refused").in_any_state();
        let check = Check::from_finding(WELL_FORMED, Origin::Own, certain);
        let late = [Finding::peer("answered twice").requires(Requirement::JSONRPC_SINGLE_RESPONSE)];
        let raised = |envelopes| {
            uncertain("ping", std::slice::from_ref(&check), envelopes, |_, it| it.in_any_state)
        };
        assert!(raised(&[]).is_empty());
        assert_eq!(raised(&late).len(), 1);
    }
}
