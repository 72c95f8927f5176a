//! The digest of a run: how many problems there are, one line for each, and what was not tested.
//!
//! The same texts are used on the terminal and in the reports for CI. They have no colours.

use std::collections::BTreeSet;

use mcp_test_core::expect::words;
use mcp_test_core::run::{Counts, Level, Line, Problem, ScenarioRun, Summary, Untested, Verdict};
use mcp_test_core::scenario::{Kind, Need, Reason};
use mcp_test_core::spec::{Revision, Revisions};

/// How many ids a list in a line has at most.
pub(super) const LISTED: usize = 3;

/// The longest headline of a problem that is shown in full, in characters.
pub(super) const HEADLINE: usize = 400;

/// A problem, and how severe it is beside what the baseline expects.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ranked<'a> {
    pub(super) problem: &'a Problem,
    pub(super) level: Level,
}

/// The problems that the baseline does not expect, most severe first, and the number of the others.
pub(super) fn ranked(summary: &Summary) -> (Vec<Ranked<'_>>, usize) {
    let all = summary.problems.sorted();
    let level = |problem: &Problem| problem.unexpected_level(summary.baseline.as_ref());
    let unexpected =
        all.iter().filter_map(|problem| Some(Ranked { problem, level: level(problem)? }));
    let mut unexpected: Vec<Ranked<'_>> = unexpected.collect();
    unexpected.sort_by_key(|ranked| ranked.level);
    let expected = all.len() - unexpected.len();
    (unexpected, expected)
}

/// `3 problems, 2 warnings`.
pub(super) fn totals(summary: &Summary) -> String {
    let (ranked, expected) = ranked(summary);
    let count = |level| ranked.iter().filter(|ranked| ranked.level == level).count();
    let mut parts = Vec::new();
    match count(Level::Failing) {
        0 if summary.has_tested_nothing() => parts.push("nothing was tested".to_owned()),
        0 if summary.interrupted.is_some() => parts.push("no problems so far".to_owned()),
        0 => parts.push("no problems".to_owned()),
        failing => parts.push(words::count(failing, "problem")),
    }
    let others = [
        (
            count(Level::NotRun),
            "cause that kept something from being tested",
            "causes that kept something from being tested",
        ),
        (count(Level::Warning), "warning", "warnings"),
        (count(Level::Advisory), "remark", "remarks"),
        (expected, "expected problem", "expected problems"),
        (flaky_scenario_runs(summary).len(), "flaky scenario run", "flaky scenario runs"),
        (summary.problems.more(), "finding that is not shown", "findings that are not shown"),
    ];
    for (count, one, several) in others {
        match count {
            0 => {}
            1 => parts.push(format!("1 {one}")),
            _ => parts.push(format!("{count} {several}")),
        }
    }
    parts.join(", ")
}

/// `96 checks passed, 3 failed, 2 with warnings, 12 skipped`: each check once.
pub(super) fn checks(summary: &Summary) -> String {
    let Counts { success, failure, warning, skipped, .. } = summary.problems.checks();
    let mut text = format!("{} passed", words::count(success, "check"));
    let warn = if warning == 1 { "with a warning" } else { "with warnings" };
    for (count, what) in [(failure, "failed"), (warning, warn), (skipped, "skipped")] {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    text
}

/// Where a problem shows: `17 scenarios since 2025-03-26 over stdio`.
pub(super) fn places(problem: &Problem, summary: &Summary) -> String {
    let scenarios = problem.scenarios();
    let scenarios = match scenarios.len() {
        0..=LISTED => scenarios.join(", "),
        many => words::count(many, "scenario"),
    };
    let newest = summary.lines.iter().map(|line| line.scenario_run.revision).max();
    let revisions = revisions(problem.revisions(), newest);
    let transports = problem.transports();
    let transports: Vec<&str> = transports.iter().map(|transport| transport.as_str()).collect();
    let mut text = format!("{scenarios} {revisions} over {}", transports.join(", "));
    if problem.not_run > 0 {
        let not_run = words::count(problem.not_run, "scenario run");
        text.push_str(&format!("; {not_run} not made because of it"));
    }
    text
}

/// `at 2025-11-25`, `since 2025-03-26`, `at 2024-11-05 to 2025-06-18`.
fn revisions(revisions: Revisions, newest: Option<Revision>) -> String {
    let (Some(first), Some(last)) = (revisions.oldest(), revisions.newest()) else {
        return String::new();
    };
    let is_range = revisions == Revisions::between(first, last);
    match (first == last, is_range, Some(last) == newest) {
        (true, ..) => format!("at {first}"),
        (_, true, true) => format!("since {first}"),
        (_, true, false) => format!("at {first} to {last}"),
        _ => format!("at {revisions}"),
    }
}

/// What is wrong, where it shows, what it breaks, the SDK that does it, if it is recognised, and how many exits follow from it.
pub(super) fn line(problem: &Problem, summary: &Summary) -> String {
    let requirement = problem.requirements().first();
    let requirement = requirement.map(|id| format!("; {id}")).unwrap_or_default();
    let sdk = problem.finding().and_then(|finding| finding.sdk);
    let sdk = sdk.map(|sdk| format!("; by {sdk}")).unwrap_or_default();
    let exits = match problem.bad_exits {
        0 => String::new(),
        count => format!("; also: {} of the client", words::count(count, "bad exit")),
    };
    let places = places(problem, summary);
    let headline = words::cut(problem.headline(), HEADLINE);
    words::inert(&format!("{headline} ({places}{requirement}{sdk}{exits})"))
}

/// The scenario runs that failed, and did not when they were run again.
fn flaky_scenario_runs(summary: &Summary) -> Vec<&Line> {
    summary.lines.iter().filter(|line| line.verdict == Verdict::Flaky).collect()
}

/// Which scenario runs are flaky, in one line; nothing if none is.
fn flaky(summary: &Summary) -> Option<String> {
    let lines = flaky_scenario_runs(summary);
    let name = |line: &&Line| {
        let ScenarioRun { scenario, revision, transport } = &line.scenario_run;
        let attempts = line.attempts;
        format!(
            "{} at {revision} over {transport} ({attempts} attempts)",
            words::name(&scenario.id)
        )
    };
    let names: Vec<String> = lines.iter().map(name).collect();
    (!names.is_empty()).then(|| {
        let runs = words::count(names.len(), "scenario run");
        format!("flaky: {runs} failed, and did not when run again: {}", names.join(", "))
    })
}

/// What was run with a set of scenarios and not scored, one line for each scenario; nothing without a set.
pub(super) fn not_scored(summary: &Summary) -> Vec<String> {
    let Some(set) = summary.requirements else { return Vec::new() };
    let mut scenarios: Vec<(String, Reason, bool)> = Vec::new();
    for line in &summary.lines {
        let Some(reason) = line.unscored else { continue };
        let id = words::name(&line.scenario_run.scenario.id);
        let fails = line.counts.failure > 0;
        match scenarios.iter_mut().find(|(known, ..)| *known == id) {
            Some((_, _, failing)) => *failing |= fails,
            None => scenarios.push((id, reason, fails)),
        }
    }
    if scenarios.is_empty() {
        return Vec::new();
    }
    let failing = scenarios.iter().filter(|(_, _, fails)| *fails).count();
    // The words of the official suite.
    let head = format!(
        "Not scored for {}: {} scenario(s) run, {failing} failing. These do not affect conformance.",
        set.revision,
        scenarios.len()
    );
    let of = |(id, reason, fails): &(String, Reason, bool)| {
        format!("  {} {id} ({reason})", if *fails { '✗' } else { '✓' })
    };
    [head].into_iter().chain(scenarios.iter().map(of)).collect()
}

/// What was unusual in a run, a line each.
pub(super) fn exceptions(summary: &Summary) -> impl Iterator<Item = String> {
    let others = [flaky(summary), restarts(summary), not_started(summary)];
    known(summary).chain(others.into_iter().flatten())
}

/// What failed as expected, since it is known, and what no longer does.
fn known(summary: &Summary) -> impl Iterator<Item = String> {
    let occurring = summary.known.occurring().map(|it| format!("expected failure: {it}"));
    let gone = summary.known.gone().map(|(id, _, runs)| {
        let runs = words::count(runs, "scenario run");
        format!("the known violation `{id}` no longer occurs, although {runs} tried it; remove it from `--known`")
    });
    occurring.chain(gone).map(|line| words::inert(&line))
}

/// How often the program of the server was started, in one line; nothing if it has answered until the end each time.
fn restarts(summary: &Summary) -> Option<String> {
    let (all, again) = (summary.program_starts, summary.program_restarts);
    (again > 0).then(|| {
        format!("the server was started {all} times, {again} of them because it had exited or did not answer in time")
    })
}

/// What was not run after the first failure, in one line; nothing if everything was.
fn not_started(summary: &Summary) -> Option<String> {
    let mut ids: Vec<String> = Vec::new();
    for scenario_run in &summary.not_started {
        let id = words::name(&scenario_run.scenario.id);
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    (!ids.is_empty()).then(|| {
        let runs = words::count(summary.not_started.len(), "scenario run");
        format!("not run after the first failure: {runs}: {}", ids.join(", "))
    })
}

/// What was not tested, in one line; nothing if everything was.
pub(super) fn not_tested<'a>(summary: &'a Summary) -> Option<String> {
    let groups = reasons(summary.problems.untested());
    let scenarios = |group: &[&Untested]| {
        let ids: BTreeSet<&str> = group.iter().map(|it| &*it.scenario_run.scenario.id).collect();
        ids.len()
    };
    let all: Vec<&Untested> = groups.iter().flat_map(|(_, group)| group.iter().copied()).collect();
    let total = scenarios(&all);
    if total == 0 {
        return None;
    }
    let partition = |group: Vec<&'a Untested>,
                     belongs: fn(&Untested) -> bool|
     -> (Vec<_>, Vec<_>) { group.into_iter().partition(|it| belongs(it)) };
    let (fixtures, rest) = partition(all, lacks_fixture);
    let (undeclared, rest) = partition(rest, |it| matches!(it.unmet, Some(Need::Capability(_))));
    let (uncallable, others) = partition(rest, |it| matches!(it.unmet, Some(Need::CallableTool)));
    let mut parts = Vec::new();
    for (group, why) in [
        (
            fixtures,
            "of the official suite need a tool, resource or prompt that this server does not have",
        ),
        (undeclared, "need a capability that is not declared"),
        (uncallable, "need a tool that may be called"),
        (others, "for other reasons"),
    ] {
        match scenarios(&group) {
            0 => {}
            count => parts.push(format!("{count} {why}")),
        }
    }
    Some(format!("not tested: {}: {}", words::count(total, "scenario"), parts.join(", ")))
}

/// Why scenarios were not tested, one line for each reason; those for fixtures are one.
pub(super) fn reasons_not_tested(summary: &Summary) -> Vec<String> {
    let untested = summary.problems.untested();
    let mut lines = Vec::new();
    for (reason, group) in reasons(untested) {
        let mut ids: Vec<&str> = Vec::new();
        for it in &group {
            if !ids.contains(&&*it.scenario_run.scenario.id) {
                ids.push(&it.scenario_run.scenario.id);
            }
        }
        let all = ids.join(", ");
        lines.push(words::inert(&match reason {
            None => format!(
                "{} a tool, resource or prompt that this server does not have: {all}",
                match ids.len() {
                    1 => "1 official fixture scenario needs".to_owned(),
                    many => format!("{many} official fixture scenarios need"),
                }
            ),
            Some(reason) => format!("{all}{}: {reason}", at_revisions(&group, summary)),
        }));
    }
    lines
}

/// The revisions, if the scenarios were tested at others.
fn at_revisions(group: &[&Untested], summary: &Summary) -> String {
    let is_of_group = |scenario_run: &ScenarioRun| {
        group.iter().any(|it| it.scenario_run.scenario == scenario_run.scenario)
    };
    let all = summary.lines.iter().filter(|line| is_of_group(&line.scenario_run)).count();
    if all == group.len() {
        return String::new();
    }
    let of_group = group.iter().map(|it| it.scenario_run.revision);
    let at = of_group.fold(Revisions::none(), |all, one| all.union(Revisions::only(one)));
    format!(" {}", revisions(at, None))
}

/// Whether it needs a tool, a resource or a prompt that servers have only for the official suite.
fn lacks_fixture(untested: &Untested) -> bool {
    let is_fixture = untested.unmet.as_ref().is_some_and(Need::is_fixture);
    is_fixture && untested.scenario_run.scenario.kind == Kind::BuiltIn
}

/// What was not tested, by reason; `None` stands for missing fixtures.
fn reasons(untested: &[Untested]) -> Vec<(Option<&str>, Vec<&Untested>)> {
    let mut groups: Vec<(Option<&str>, Vec<&Untested>)> = Vec::new();
    for it in untested {
        let reason = (!lacks_fixture(it)).then_some(&*it.reason);
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, group)) => group.push(it),
            None => groups.push((reason, vec![it])),
        }
    }
    groups
}
