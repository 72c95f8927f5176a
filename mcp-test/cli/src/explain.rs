//! `mcp-test explain ID`: describes a scenario, a check or a requirement.

use std::fmt::{Display, Write};

use mcp_test_core::check::{Origin, SCHEMA_VALID, WELL_FORMED};
use mcp_test_core::expect::words::closest;
use mcp_test_core::run::{COMMON, CitingCheck};
use mcp_test_core::scenario::{
    CLIENT_CONNECTED, CLIENT_EXIT, CheckSpec, Scenario, Suite, TestedSide, Transports,
};
use mcp_test_core::spec::requirement::{self, Requirement};
use mcp_test_core::spec::{Revision, Revisions};
use mcp_test_suite::scenarios;

use super::args::ExplainArgs;
use super::error::CliError;
use super::proof_page;

/// The output of the command: everything with this id.
pub(super) fn text(args: &ExplainArgs) -> Result<String, CliError> {
    let (id, proofs) = (args.id.as_str(), args.proofs);
    let scenarios = scenarios::all().filter(|scenario| scenario.id == id);
    let mut parts: Vec<String> = scenarios.map(|it| explain_scenario(it, proofs)).collect();
    // A scenario is explained with its checks, so that a check of the same id is not explained again.
    let is_explained =
        scenarios::all().any(|scenario| scenario.id == id && scenario.check(id).is_some());
    if !is_explained {
        parts.extend(explain_check(id, proofs));
    }
    parts.extend(requirement::find(id).map(explain_requirement));
    if parts.is_empty() {
        return Err(CliError::Unknown { id: id.to_owned(), suggestion: suggestion(id) });
    }
    Ok(parts.join("\n"))
}

fn suggestion(id: &str) -> Option<String> {
    let checks = scenarios::all().flat_map(|scenario| scenario.checks.iter());
    let checks = checks.map(|check| &*check.id);
    let known = scenarios::all()
        .map(|scenario| &*scenario.id)
        .chain(checks)
        .chain(COMMON.map(|(id, _)| id))
        .chain(requirement::all().map(|requirement| requirement.id));
    closest(id, known).map(str::to_owned)
}

/// The text of an explanation.
#[derive(Default)]
struct Page(String);

impl Page {
    fn line(&mut self, text: impl Display) {
        // Writing to a String does not fail.
        let _ = writeln!(self.0, "{text}");
    }

    fn row(&mut self, name: &str, text: impl Display) {
        self.line(format_args!("{name:<14}{text}"));
    }

    fn requirement(&mut self, indent: &str, requirement: &Requirement, revision: Revision) {
        for line in requirement.cite(revision).lines() {
            self.line(format_args!("{indent}{line}"));
        }
    }
}

fn explain_scenario(scenario: &Scenario, proofs: bool) -> String {
    let mut page = Page::default();
    page.line(format_args!(
        "{} scenario {}: {}",
        scenario.tested_side, scenario.id, scenario.title
    ));
    page.line("");
    for line in scenario.doc.lines() {
        // A doc comment has a blank after its `///`.
        page.line(line.strip_prefix(' ').unwrap_or(line));
    }
    page.line("");
    page.row("Revisions", list(scenario.revisions));
    match scenario.official {
        Some(official) => {
            // What is in no other suite is in that of all scenarios.
            let suites = match official.suites {
                [] => &[Suite::All],
                suites => suites,
            };
            let suites: Vec<&str> =
                suites.iter().map(|suite| suite.name(scenario.tested_side)).collect();
            let window = match official.is_extension() {
                true => {
                    "without --spec-version, since an extension belongs to no revision".to_owned()
                }
                false => list(official.revisions),
            };
            match scenario.tested_side {
                TestedSide::Authorization => page.row("Official", window),
                _ => page.row("Official", format_args!("{window} (suite {})", suites.join(", "))),
            }
        }
        None => page.row("Official", "no: the official suite has no such scenario"),
    }
    // An authorization server has no transport of MCP.
    let is_of_mcp = scenario.tested_side != TestedSide::Authorization;
    if is_of_mcp && scenario.transports == Transports::StreamableHttp {
        page.row("Over", "Streamable HTTP only");
    }
    for need in scenario.needs {
        page.row("Needs", need);
    }
    for need in scenario.optional_needs {
        page.row("Looks for", need);
    }
    if let Some(exclusive) = scenario.exclusive {
        page.row("Runs alone", format_args!("it changes {exclusive}"));
    }
    page.row("Source", &scenario.file);
    page.row(
        "Run it",
        format_args!("mcp-test {} --scenario {} …", scenario.tested_side, scenario.id),
    );
    page.line("\nChecks");
    for check in scenario.checks.iter() {
        page.line("");
        check_details(&mut page, scenario, check);
        if proofs {
            proofs_of(&mut page, scenario, check);
        }
    }
    page.line("");
    common_checks(&mut page, scenario);
    page.0
}

/// Adds the checks that every scenario for this side has.
fn common_checks(page: &mut Page, scenario: &Scenario) {
    let origin_of = |id: &str| {
        // The official suite validates messages only in some of its scenarios.
        let official = id == SCHEMA_VALID && scenario.is_validated_officially();
        let origin = if official { "official here" } else { "of mcp-test" };
        format!("{origin}, in every scenario for {}s", scenario.tested_side)
    };
    let common: &[&str] = match scenario.tested_side {
        TestedSide::Server => &[SCHEMA_VALID, WELL_FORMED],
        TestedSide::Client => &[CLIENT_CONNECTED, CLIENT_EXIT, SCHEMA_VALID, WELL_FORMED],
        TestedSide::Authorization => &[],
    };
    common.iter().for_each(|id| page.line(format_args!("  {id} ({})", origin_of(id))));
}

/// Adds the details of a check.
fn check_details(page: &mut Page, scenario: &Scenario, check: &CheckSpec) {
    let origin = match check.origin {
        Origin::Official => "official",
        Origin::Own | Origin::User => "of mcp-test",
    };
    let worst = match (check.fails, check.warns) {
        (true, true) => "FAILURE or WARNING",
        (true, false) => "FAILURE",
        (false, true) => "WARNING",
        (false, false) => "INFO",
    };
    let made_at = check.revisions.intersection(scenario.revisions);
    let window = match made_at == scenario.revisions {
        true => String::new(),
        false => format!(", at {}", list(made_at)),
    };
    let sometimes = if check.always { "" } else { ", not in every run" };
    page.line(format_args!("  {} ({origin}; {worst}{window}{sometimes})", check.id));
    page.line(format_args!("    {}", check.description));
    if let Some(reason) = check.status_reason {
        page.line(format_args!("    {worst} because {reason}"));
    }
    if let Some(reason) = check.revisions_reason {
        page.line(format_args!("    at these revisions because {reason}"));
    }
    // The requirements are cited from the pages of a revision at which the check exists.
    let revision = made_at.newest().unwrap_or(Revision::NEWEST);
    for requirement in check.requirements {
        page.requirement("    ", requirement, revision);
    }
    for reference in check.references {
        page.line(format_args!("    {}: {}", reference.id, reference.url));
    }
}

/// Adds the faults that are proven to give the check a status.
fn proofs_of(page: &mut Page, scenario: &Scenario, check: &CheckSpec) {
    let proofs = proof_page::proofs_of(scenario, check);
    if proofs.is_empty() {
        page.line("    No fault is shown to be reported: it only informs.");
        return;
    }
    page.line("    Shown to be reported:");
    for proof in proofs {
        let (fault, conditions) = (proof_page::fault(&proof), proof.conditions());
        page.line(format_args!("      {} by {fault}{conditions}", proof.status));
    }
}

fn explain_check(id: &str, proofs: bool) -> Option<String> {
    let mut page = Page::default();
    if let Some((_, description)) = COMMON.into_iter().find(|(common, _)| *common == id) {
        page.line(format_args!("check {id}, which no scenario declares"));
        page.line("");
        page.line(description);
        return Some(page.0);
    }
    // Several scenarios may declare the same check, each for its own revisions.
    for (scenario, check) in
        scenarios::all().filter_map(|scenario| Some((scenario, scenario.check(id)?)))
    {
        page.line(format_args!("check of the {} scenario {}", scenario.tested_side, scenario.id));
        check_details(&mut page, scenario, check);
        if proofs {
            proofs_of(&mut page, scenario, check);
        }
    }
    (!page.0.is_empty()).then_some(page.0)
}

fn explain_requirement(requirement: &Requirement) -> String {
    let mut page = Page::default();
    page.line(format_args!("requirement {} ({})", requirement.id, requirement.level));
    page.line("");
    page.line(requirement.text);
    page.line("");
    if let Some(reason) = requirement.reason() {
        page.row("Required by", format_args!("mcp-test, not by the specification: {reason}"));
    }
    page.row("Binds", requirement.binds);
    page.row("Revisions", list(requirement.revisions));
    page.row("Shows", requirement.testable);
    page.row("Find out", requirement.probe);
    page.row("Violation", requirement.violation);
    if !requirement.aliases.is_empty() {
        page.row("Also called", requirement.aliases.join(", "));
    }
    for revision in requirement.revisions.iter() {
        requirement.link(revision).into_iter().for_each(|link| page.row("Text", link));
    }
    let checks = scenarios::citing_checks(requirement);
    if checks.is_empty() {
        page.row("Checks", "none cites it yet");
    }
    for check in checks {
        page.row("Check", citing_check(&check));
    }
    page.0
}

/// Names a check that stands for a requirement.
pub(super) fn citing_check(check: &CitingCheck) -> String {
    match check {
        CitingCheck::Declared(scenario, check) => {
            format!("{} (scenario {})", check.id, scenario.id)
        }
        CitingCheck::Common(id) => format!("{id} ({})", scope_of(id)),
        CitingCheck::Any => "any check that needs the message which violates it".to_owned(),
    }
}

/// The scenarios that have a common check.
fn scope_of(check: &str) -> &'static str {
    match check {
        CLIENT_CONNECTED | CLIENT_EXIT => "every scenario for clients",
        _ => "every scenario",
    }
}

fn list(revisions: Revisions) -> String {
    revisions.iter().map(Revision::as_str).collect::<Vec<_>>().join(", ")
}
