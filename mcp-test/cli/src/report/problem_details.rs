//! The report on one problem: what is wrong, where it shows, the exchange, the requirement, and how to see it again.

use std::fmt::Write;

use mcp_test_core::expect::words;
use mcp_test_core::failure_report;
use mcp_test_core::run::{Example, Problem, ScenarioRun, Summary};
use mcp_test_core::scenario::{Kind, TestedSide};
use mcp_test_suite::scenarios;

use super::Rerun;
use super::digest;
use super::wrap::{cut, cut_and_count, wrap};

/// How many of the last lines on stderr are shown.
const STDERR_LINES: usize = 10;

/// How many lines of one text of a finding are shown.
const LINES: usize = 8;

/// Formats problems, and shows what several of them have in common once.
#[derive(Debug, Default)]
pub(super) struct ProblemDetails {
    exchanges: Vec<String>,
    stderr: Vec<String>,
}

impl ProblemDetails {
    /// The report on a problem, without its headline.
    pub(super) fn text(&mut self, problem: &Problem, summary: &Summary, rerun: &Rerun) -> String {
        let example = &problem.example;
        let mut text = findings(problem);
        text.push_str(&row("Shows in", &places(problem, summary)));
        if problem.not_reached > 0 {
            let unmade = words::count(problem.not_reached, "check");
            text.push_str(&row("Also", &format!("{unmade} could not be made because of it")));
        }
        for exit in &problem.exits {
            text.push_str(&row("Also", exit));
        }
        if let Some(why) = &example.check.known_false {
            text.push_str(&row(
                "Note",
                &format!("the official suite fails this, but the specification allows it: {why}"),
            ));
        }
        if let Some(blame) = problem.finding().and_then(|it| failure_report::blame(it.blame)) {
            text.push_str(&row("Blame", blame));
        }
        if let Some(sdk) = problem.finding().and_then(|it| it.sdk) {
            text.push_str(&row("SDK", &failure_report::sdk_hint(sdk)));
        }
        if let Some(shape) = problem.finding().and_then(|it| it.shape.as_ref()) {
            text.push_str(&row("Shape", &format!("{shape}\n{}", shape.link)));
        }
        for requirement in problem.requirements() {
            text.push_str(&row("Requirement", &requirement.cite(example.scenario_run.revision)));
        }
        let further = problem.further_requirements();
        if !further.is_empty() {
            text.push_str(&row("Also cited", &words::joined(further, ", ")));
        }
        self.exchange(&mut text, example);
        self.stderr(&mut text, example);
        let rerun = words::inert(&rerun.command(&example.scenario_run));
        let _ = writeln!(text, "   Rerun: {rerun}");
        if let Some(explain) = explain(&example.scenario_run) {
            let _ = writeln!(text, "   What it checks and why: {explain}");
        }
        text
    }

    fn exchange(&mut self, text: &mut String, example: &Example) {
        let has_evidence = example.check.finding.as_ref().is_some_and(|it| !it.evidence.is_empty());
        // Without evidence it is the end of the conversation, which says nothing new below an exchange.
        if example.exchange.is_empty() || (!has_evidence && !self.exchanges.is_empty()) {
            return;
        }
        let name = name(&example.scenario_run);
        if self.exchanges.contains(&example.exchange) {
            let _ = writeln!(text, "   Exchange (`{name}`): the same as above");
            return;
        }
        let what = if has_evidence { "Exchange" } else { "End of the conversation" };
        let _ = writeln!(text, "   {what} (`{name}`):");
        for line in example.exchange.lines() {
            let _ = writeln!(text, "{}", cut(&format!("     {}", words::printable(line))));
        }
        self.exchanges.push(example.exchange.clone());
    }

    /// The last lines on stderr that no other problem has shown.
    fn stderr(&mut self, text: &mut String, example: &Example) {
        let tested_side = example.scenario_run.scenario.tested_side;
        if let Some(exited) = &example.exited {
            let _ = writeln!(text, "   The {tested_side} exited on its own, with {exited}");
        }
        let is_new = |line: &&String| !line.trim().is_empty() && !self.stderr.contains(line);
        let lines: Vec<String> = example.stderr_tail.iter().filter(is_new).cloned().collect();
        let first = lines.len().saturating_sub(STDERR_LINES);
        if !lines.is_empty() {
            let _ = writeln!(text, "   The last lines on the {tested_side}'s stderr:");
        }
        for line in &lines[first..] {
            let line = format!("     | {}", words::printable(line));
            let _ = writeln!(text, "{}", cut_and_count(&line));
        }
        self.stderr.extend(lines);
    }
}

/// What was expected and received, and what else was.
fn findings(problem: &Problem) -> String {
    let Some(finding) = problem.finding() else {
        let message = problem.example.check.message.as_deref().unwrap_or_default();
        let further = message.split_once('\n').map(|(_, further)| further).unwrap_or_default();
        return wrap(&words::inert(further), "   ", "     ");
    };
    let mut text = String::new();
    if let Some((_, further)) = finding.headline.split_once('\n') {
        text.push_str(&wrap(&words::inert(further), "   ", "     "));
    }
    let rows = [("expected", &finding.expected), ("got", &finding.got), ("hint:", &finding.hint)];
    for (word, part) in rows {
        if let Some(part) = part {
            let part = words::inert(&format!("{word} {part}"));
            let all: Vec<&str> = part.lines().collect();
            text.push_str(&wrap(&all[..all.len().min(LINES)].join("\n"), "   ", "     "));
            if all.len() > LINES {
                text.push_str("     …\n");
            }
        }
    }
    for line in finding.excerpt.iter().flat_map(|excerpt| excerpt.lines()) {
        let _ = writeln!(text, "{}", format!("   {}", words::inert(line)).trim_end());
    }
    if problem.variants.len() > 1 {
        text.push_str("   in all of these:\n");
        for variant in &problem.variants {
            let variant = words::inert(&words::cut(variant, digest::HEADLINE));
            text.push_str(&wrap(&variant, "     - ", "       "));
        }
    }
    text
}

/// The scenario runs and checks in which it shows.
fn places(problem: &Problem, summary: &Summary) -> String {
    let scenario_runs = problem.scenario_runs().len();
    let scenarios = problem.scenarios().join(", ");
    let checks = problem.checks();
    let mut text = digest::places(problem, summary);
    if problem.scenarios().len() > digest::LISTED {
        text = format!("{text}: {scenarios}");
    }
    text.push_str(&format!("; {}", words::count(scenario_runs, "scenario run")));
    match checks.as_slice() {
        [only] => text.push_str(&format!("; check `{only}`")),
        several => text.push_str(&format!("; checks {}", several.join(", "))),
    }
    text
}

/// A row with a label, further lines indented below it.
fn row(label: &str, text: &str) -> String {
    wrap(&words::inert(&format!("{label}: {text}")), "   ", "     ")
}

/// `ping at 2025-11-25 over stdio`.
fn name(scenario_run: &ScenarioRun) -> String {
    let id = words::name(&scenario_run.scenario.id);
    format!("{id} at {} over {}", scenario_run.revision, scenario_run.transport)
}

/// The command that explains a built-in scenario.
fn explain(scenario_run: &ScenarioRun) -> Option<String> {
    let tested_side: TestedSide = scenario_run.scenario.tested_side;
    // A file of cases may have the name of a built-in scenario.
    let is_built_in = scenario_run.scenario.kind == Kind::BuiltIn;
    let known = scenarios::find(tested_side, &scenario_run.scenario.id).filter(|_| is_built_in)?;
    Some(format!("mcp-test explain {}", known.id))
}
