//! The checks that a scenario declares and did not make.

use std::collections::HashSet;

use crate::check::{Blame, Cause, Check, Fate, Finding, Origin, Severity, Status};
use crate::expect::words;
use crate::run::ScenarioRun;
use crate::run::common_checks::SCENARIO_TIMEOUT;
use crate::scenario::CheckSpec;
use crate::spec::Requirement;

/// The checks that can be made in a scenario run.
pub(super) fn declared(scenario_run: &ScenarioRun) -> impl Iterator<Item = &CheckSpec> {
    let checks = scenario_run.scenario.checks_at(scenario_run.revision);
    checks.filter(|check| check.transports.contains(scenario_run.transport))
}

pub(super) fn unmade<'a>(scenario_run: &'a ScenarioRun, checks: &[Check]) -> Vec<&'a CheckSpec> {
    let made: HashSet<&str> = checks.iter().map(|check| &*check.id).collect();
    declared(scenario_run).filter(|spec| !made.contains(&*spec.id)).collect()
}

pub(super) fn skipped(spec: &CheckSpec, reason: &str) -> Check {
    Check { message: Some(words::into_inert(reason)), ..spec.row(Status::Skipped) }
}

pub(super) fn failed(spec: &CheckSpec, mut finding: Finding) -> Check {
    let status = match finding.severity {
        // A check for a SHOULD can only warn, whatever the finding says.
        Severity::Must if spec.fails => Status::Failure,
        Severity::Must | Severity::Should => Status::Warning,
    };
    // The environment breaks no requirement.
    if finding.requirements.is_empty() && finding.blame != Blame::Environment {
        let first = spec.requirements.first().copied();
        finding.requirements.extend(refused_ping(&finding).or(first));
    }
    Check { message: Some(finding.to_string()), finding: Some(finding), ..spec.row(status) }
}

/// The requirement that a refused `ping` breaks, with which many scenarios see whether the peer still answers.
fn refused_ping(finding: &Finding) -> Option<&'static Requirement> {
    match finding.cause.as_deref() {
        Some(Cause::Request { method, fate: Fate::Refused, .. }) if method == "ping" => {
            Some(Requirement::PING_RESPONDS_PROMPTLY)
        }
        _ => None,
    }
}

/// The check that the official suite reports when a scenario does not end in time.
pub(super) fn timeout_row(finding: Finding) -> Check {
    let row = Check::from_finding(SCENARIO_TIMEOUT, Origin::Official, finding);
    row.described("ScenarioTimeout", "The scenario ends in time")
}

/// Why a check was not made that a finding prevented.
pub(super) fn not_reached(finding: &Finding) -> String {
    format!("not reached: {}", finding.headline)
}

/// Adds the checks that were not made because a finding ended the scenario.
///
/// As in the official suite, the official checks that every run makes fail with the finding, and all others are skipped.
/// Without an official check, the finding fails the first check that remains, so that it is reported.
pub(super) fn fail_unmade(scenario_run: &ScenarioRun, checks: &mut Vec<Check>, finding: &Finding) {
    let unmade = unmade(scenario_run, checks);
    let carries_finding = |spec: &&&CheckSpec| spec.always && spec.origin == Origin::Official;
    let any_carries = unmade.iter().any(|spec| carries_finding(&spec));
    if unmade.is_empty() {
        let id = &*scenario_run.scenario.id;
        // As if it were an official check, so that it counts in every profile.
        checks.push(Check::from_finding(id, Origin::Official, finding.clone()));
    }
    for (index, spec) in unmade.into_iter().enumerate() {
        checks.push(if carries_finding(&&spec) || (!any_carries && index == 0) {
            failed(spec, finding.clone())
        } else {
            Check { finding: Some(finding.clone()), ..skipped(spec, &not_reached(finding)) }
        });
    }
}

/// Adds a failure for each check that every run makes and that a complete run did not make.
pub(super) fn demand_declared(scenario_run: &ScenarioRun, checks: &mut Vec<Check>) {
    for spec in unmade(scenario_run, checks) {
        if spec.always {
            let finding =
                Finding::harness(format!("the scenario ended without its check `{}`", spec.id));
            checks.push(failed(spec, finding));
        }
    }
}
