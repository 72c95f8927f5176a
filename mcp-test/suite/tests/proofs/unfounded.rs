//! Failures that do not cite what they have to.

use mcp_test_core::check::{
    Blame, Check, Demand, Finding, Origin, Status, TOOL_SCHEMAS, WELL_FORMED,
};
use mcp_test_core::run::{
    Outcome, ScenarioRun, requirements_of_common, requirements_of_interruptions,
};
use mcp_test_core::scenario::{Profile, TestedSide};
use mcp_test_core::server::reference::everything;
use mcp_test_core::spec::{Requirement, Revision};
use mcp_test_core::transport::TransportKind;
use mcp_test_suite::scenarios;

use crate::runs::outcome;

/// The failures of a faulty run without a valid citation: they must cite a requirement that exists at the revision, and of
/// which `mcp-test explain` says so, unless they are false failures, about a fixture, or a remark of the judge.
pub(crate) fn unfounded(outcome: &Outcome) -> Vec<String> {
    let mut unfounded = Vec::new();
    for check in outcome.checks.iter().filter(|check| check.status.is_failing()) {
        let Some(finding) = &check.finding else {
            unfounded.push(format!("{} fails without a finding", check.id));
            continue;
        };
        // A fixture or a snapshot is an agreement with the test, not with MCP.
        let of_fixture = [Demand::Fixture, Demand::Snapshot].contains(&finding.demand);
        // The judges also remark on what no requirement covers, as a WARNING, and on what is beyond the bounds of mcp-test.
        let is_of_judge = [WELL_FORMED, TOOL_SCHEMAS].contains(&check.id.as_str());
        let is_remark =
            is_of_judge && (check.status == Status::Warning || finding.blame == Blame::Environment);
        let excused = check.known_false.is_some() || of_fixture || is_remark;
        if finding.requirements.is_empty() && !excused {
            unfounded.push(format!("{} fails without a requirement: {finding}", check.id));
        }
        let why = check.known_false.as_deref().filter(|why| !is_clause(why));
        unfounded.extend(why.map(|why| format!("{} is allowed because \"{why}\"", check.id)));
        let unexplained =
            finding.requirements.iter().filter(|id| !is_explained(outcome, check, id));
        unfounded.extend(unexplained.map(|id| format!("{} cites {id} unexplained", check.id)));
        let revision = outcome.scenario_run.revision;
        let elsewhere =
            finding.requirements.iter().filter(|cited| !cited.revisions.contains(revision));
        unfounded.extend(elsewhere.map(|cited| {
            format!("{} cites `{cited}`, which does not hold at {revision}", check.id)
        }));
    }
    unfounded
}

/// Whether a text reads as the end of "but the specification allows it: …".
fn is_clause(why: &str) -> bool {
    let (first, last) = (why.chars().next(), why.chars().next_back());
    let begins = first.is_some_and(|first| first == '`' || first.is_lowercase());
    // What "it", "this" or "the specification" is, the sentence has said already.
    let repeats = ["it ", "this ", "the specification "].iter().any(|word| why.starts_with(word));
    begins && !repeats && last != Some('.')
}

/// Whether `mcp-test explain` names the check for this requirement.
fn is_explained(outcome: &Outcome, check: &Check, cited: &'static Requirement) -> bool {
    let is_it = |other: &Requirement| other == cited;
    let side = outcome.scenario_run.scenario.tested_side.side();
    match outcome.scenario_run.scenario.check(&check.id) {
        Some(spec) => {
            spec.requirements.iter().copied().any(is_it)
                || side.is_some_and(|side| requirements_of_interruptions(side).any(is_it))
        }
        None => {
            side.is_some_and(|side| requirements_of_common(&check.id, side).into_iter().any(is_it))
        }
    }
}

/// Only those need none.
pub(crate) fn only_fixtures_and_remarks_need_no_requirement() {
    let server = everything().into();
    let ping = scenarios::find(TestedSide::Server, "ping").expect("ping");
    let newest = Revision::NEWEST_HANDSHAKE;
    let scenario_run =
        ScenarioRun { scenario: ping.into(), revision: newest, transport: TransportKind::Duplex };
    let mut outcome = outcome(&server, scenario_run, Profile::Adaptive);
    let mut problems = |id: &str, finding: Finding| {
        outcome.checks = vec![Check::from_finding(id, Origin::Own, finding)];
        unfounded(&outcome).len()
    };
    let wrong = |hint: &str| Finding::peer("it is wrong").hint(hint);
    assert_eq!(problems("ping", wrong("try again")), 1);
    assert_eq!(problems("ping", wrong("try again").should()), 1);
    let mut of_fixture = wrong("rename it");
    of_fixture.demand = Demand::Fixture;
    assert_eq!(problems("ping", of_fixture), 0);
    assert_eq!(problems(WELL_FORMED, wrong("nothing is said of it")), 1);
    assert_eq!(problems(WELL_FORMED, wrong("nothing is said of it").should()), 0);
}
