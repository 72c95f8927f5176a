//! `mcp-test explain ID`: what a scenario, a check or a requirement is about.

use std::fmt::{Display, Write};

use super::error::CliError;
use crate::check::{Origin, SCHEMA_VALID, WELL_FORMED};
use crate::expect::words::closest;
use crate::run::COMMON;
use crate::scenario::{Carriers, CheckSpec, LEFT_WELL, Leg, Scenario, TOOK_PART};
use crate::scenarios;
use crate::spec::requirement::{self, Requirement};
use crate::spec::{Revision, Revisions};

/// What the command prints: everything that has this id.
pub(super) fn text(id: &str) -> Result<String, CliError> {
    let mut parts: Vec<String> =
        scenarios::all().filter(|scenario| scenario.id == id).map(of_scenario).collect();
    let told = scenarios::all().any(|scenario| scenario.id == id && scenario.check(id).is_some());
    if !told {
        parts.extend(of_check(id));
    }
    parts.extend(requirement::find(id).map(of_requirement));
    if parts.is_empty() {
        return Err(CliError::Unknown { id: id.to_owned(), suggestion: suggestion(id) });
    }
    Ok(parts.join("\n"))
}

fn suggestion(id: &str) -> Option<String> {
    let checks = scenarios::all().flat_map(|scenario| scenario.checks).map(|check| check.id);
    let known = scenarios::all()
        .map(|scenario| scenario.id)
        .chain(checks)
        .chain(COMMON.map(|(id, _)| id))
        .chain(requirement::all().iter().map(|requirement| requirement.id));
    closest(id, known).map(str::to_owned)
}

/// A page that grows line by line.
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

    fn requirement(&mut self, indent: &str, id: &str, revision: Revision) {
        for line in requirement::cite(id, revision).lines() {
            self.line(format_args!("{indent}{line}"));
        }
    }
}

fn of_scenario(scenario: &Scenario) -> String {
    let mut page = Page::default();
    page.line(format_args!("{} scenario {}: {}", scenario.leg, scenario.id, scenario.title));
    page.line("");
    for line in scenario.doc.lines() {
        page.line(line.strip_prefix(' ').unwrap_or(line));
    }
    page.line("");
    page.row("Revisions", list(scenario.revisions));
    match scenario.official {
        Some(official) => {
            let suites: Vec<&str> =
                official.suites.iter().map(|suite| suite.name(scenario.leg)).collect();
            page.row(
                "Official",
                format_args!("{} (suite {})", list(official.revisions), suites.join(", ")),
            );
        }
        None => page.row("Official", "no: the official suite has no such scenario"),
    }
    if scenario.carriers == Carriers::StreamableHttp {
        page.row("Over", "Streamable HTTP only");
    }
    for need in scenario.needs {
        page.row("Needs", need);
    }
    if let Some(disturbs) = scenario.disturbs {
        page.row("Disturbs", format_args!("{disturbs}; so it runs alone"));
    }
    page.row("Source", scenario.file);
    page.row("Run it", format_args!("mcp-test {} --scenario {} …", scenario.leg, scenario.id));
    page.line("\nChecks");
    let newest = scenario.revisions.newest().unwrap_or(Revision::NEWEST);
    for check in scenario.checks {
        page.line("");
        told(&mut page, check, newest);
    }
    let every = |id: &str| {
        let official = id == SCHEMA_VALID && scenario.is_validated_officially();
        let origin = if official { "official here" } else { "of mcp-test" };
        format!("{origin}, in every scenario for {}s", scenario.leg)
    };
    let common: &[&str] = match scenario.leg {
        Leg::Server => &[SCHEMA_VALID, WELL_FORMED],
        Leg::Client => &[TOOK_PART, LEFT_WELL, SCHEMA_VALID, WELL_FORMED],
    };
    page.line("");
    common.iter().for_each(|id| page.line(format_args!("  {id} ({})", every(id))));
    page.0
}

/// A check within a page.
fn told(page: &mut Page, check: &CheckSpec, newest: Revision) {
    let origin = match check.origin {
        Origin::Official => "official",
        Origin::Own => "of mcp-test",
    };
    let worst = match (check.fails, check.warns) {
        (true, true) => "FAILURE or WARNING",
        (true, false) => "FAILURE",
        (false, true) => "WARNING",
        (false, false) => "INFO",
    };
    let window = if check.revisions == Revisions::all() {
        String::new()
    } else {
        format!(", at {}", list(check.revisions))
    };
    let sometimes = if check.always { "" } else { ", not in every run" };
    page.line(format_args!("  {} ({origin}; {worst}{window}{sometimes})", check.id));
    page.line(format_args!("    {}", check.description));
    let revision = if check.revisions.contains(newest) {
        newest
    } else {
        check.revisions.newest().unwrap_or(newest)
    };
    for id in check.requirements {
        page.requirement("    ", id, revision);
    }
    for reference in check.references {
        page.line(format_args!("    {}: {}", reference.id, reference.url));
    }
}

fn of_check(id: &str) -> Option<String> {
    let mut page = Page::default();
    if let Some((_, says)) = COMMON.into_iter().find(|(common, _)| *common == id) {
        page.line(format_args!("check {id}, which no scenario declares"));
        page.line("");
        page.line(says);
        return Some(page.0);
    }
    let mut makers =
        scenarios::all().filter_map(|scenario| Some((scenario, scenario.check(id)?))).peekable();
    makers.peek()?;
    for (scenario, check) in makers {
        page.line(format_args!("check of the {} scenario {}", scenario.leg, scenario.id));
        told(&mut page, check, scenario.revisions.newest().unwrap_or(Revision::NEWEST));
    }
    Some(page.0)
}

fn of_requirement(requirement: &Requirement) -> String {
    let mut page = Page::default();
    page.line(format_args!("requirement {} ({})", requirement.id, requirement.level));
    page.line("");
    page.line(requirement.says);
    page.line("");
    page.row("Binds", requirement.who);
    page.row("Revisions", list(requirement.revisions));
    page.row("Shows", requirement.testable);
    page.row("Find out", requirement.probe);
    page.row("Violation", requirement.violation);
    if !requirement.aliases.is_empty() {
        page.row("Also called", requirement.aliases.join(", "));
    }
    for revision in requirement.revisions.iter() {
        page.row("Text", requirement.link(revision));
    }
    let makers: Vec<String> = scenarios::all()
        .flat_map(|scenario| scenario.checks.iter().map(move |check| (scenario, check)))
        .filter(|(_, check)| {
            check.requirements.iter().any(|id| requirement::find(id) == Some(requirement))
        })
        .map(|(scenario, check)| format!("{} (scenario {})", check.id, scenario.id))
        .collect();
    if makers.is_empty() {
        page.row("Checks", "none yet names it");
    }
    for maker in makers {
        page.row("Check", maker);
    }
    page.0
}

fn list(revisions: Revisions) -> String {
    revisions.iter().map(Revision::as_str).collect::<Vec<_>>().join(", ")
}
