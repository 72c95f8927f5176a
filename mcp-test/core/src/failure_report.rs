//! The report on a failed check: what is wrong, the requirement, the exchange, and how to run it again.
//!
//! The first two lines are those of the official suite; the rest is indented below them. The text has no colours.

#[cfg(test)]
mod known_violations;
#[cfg(any(test, feature = "suite"))]
pub mod sample;
mod test_function;

use std::fmt::Write;

use crate::check::{Blame, Check, Finding, Sdk, Status};
use crate::expect::words;
use crate::process::Command;
use crate::run::{Outcome, ScenarioRun};
use crate::spec::{Requirement, Revision};
use crate::trace;

#[doc(hidden)]
pub use test_function::expected;
#[doc(hidden)]
pub use test_function::format_probe_failure;
#[doc(hidden)]
pub use test_function::stderr_of_test;

/// The command that runs one scenario again, at one revision over one transport.
#[derive(Debug, Clone)]
pub struct Rerun {
    /// The arguments before the choice: program, command, options.
    pub before: Vec<String>,
    /// The option that selects the scenario, such as `--scenario`; `None` if there is only one.
    pub option: Option<&'static str>,
    /// The arguments after it: the target.
    pub after: Vec<String>,
    /// Whether the target has several transports, so that the command must name one.
    pub names_transport: bool,
}

impl Rerun {
    /// The command for `scenario_run`, quoted for a shell.
    #[must_use]
    pub fn command(&self, scenario_run: &ScenarioRun) -> String {
        let (id, revision) = (&*scenario_run.scenario.id, scenario_run.revision.as_str());
        let choice = self.option.into_iter().flat_map(|option| [option, id]);
        // In profile `official` asking for a revision excludes a scenario of an extension, which runs at one revision there.
        let is_excluded = scenario_run.scenario.official.is_some_and(|official| {
            official.is_extension()
                && official.default_revision(scenario_run.scenario.tested_side)
                    == scenario_run.revision
        });
        let version = (!is_excluded).then_some(["--spec-version", revision]);
        let choice = choice.chain(version.into_iter().flatten());
        let transport =
            self.names_transport.then(|| ["--transport", scenario_run.transport.as_str()]);
        let words = self
            .before
            .iter()
            .map(String::as_str)
            .chain(choice)
            .chain(transport.into_iter().flatten())
            .chain(self.after.iter().map(String::as_str));
        // The text form of a `Command` is quoted for a shell.
        Command::parse(words).map(|command| command.to_string()).unwrap_or_default()
    }
}

/// Formats the failures and warnings of one run of a scenario, each finding once.
///
/// A finding that ends a scenario fails every check that could not be made because of it; only the first of these is reported
/// in full.
#[derive(Debug)]
pub struct FailureFormatter<'a> {
    outcome: &'a Outcome,
    reported: Vec<(&'a str, &'a Finding)>,
    exchanges: Vec<String>,
}

impl<'a> FailureFormatter<'a> {
    /// A formatter for this outcome.
    #[must_use]
    pub fn new(outcome: &'a Outcome) -> Self {
        Self { outcome, reported: Vec::new(), exchanges: Vec::new() }
    }

    /// The report on a check that failed or warns.
    #[must_use]
    pub fn check(&mut self, check: &'a Check) -> String {
        let mut text = String::new();
        let out = &mut text;
        line(out, 2, &format!("- {}: {}", check.name, check.description));
        let word = if check.status == Status::Warning { "Warning" } else { "Error" };
        let earlier = check.finding.as_ref().and_then(|finding| self.earlier(finding));
        // The message has the text of the finding. Where that is above, the headline is enough.
        let reason = match (&check.finding, earlier) {
            (Some(finding), Some(_)) => &finding.headline,
            _ => check.message.as_deref().unwrap_or("no reason was given"),
        };
        line(out, 4, &format!("{word}: {reason}"));
        let counts = self.outcome.counts(check);
        let advisory = if counts { "" } else { " (advisory: does not count)" };
        line(out, 4, &format!("Check: {}{advisory}", check.id));
        if let Some(why) = &check.known_false {
            let allowed = "The official suite fails this, but the specification allows it";
            line(out, 4, &format!("{allowed}: {why}"));
        }
        if let Some(earlier) = earlier {
            line(out, 4, &format!("This is what {earlier} found, above."));
            return text;
        }
        let finding = check.finding.as_ref();
        if let Some(blame) = finding.and_then(|finding| blame(finding.blame)) {
            line(out, 4, &format!("Blame: {blame}"));
        }
        if let Some(sdk) = finding.and_then(|finding| finding.sdk) {
            line(out, 4, &format!("SDK: {}", sdk_hint(sdk)));
        }
        if let Some(shape) = finding.and_then(|finding| finding.shape.as_ref()) {
            line(out, 4, &format!("Shape: {shape}\n{}", shape.link));
        }
        match check.broken_requirements() {
            // A check of the official suite may cite pages without a requirement of ours.
            [] => references(out, check),
            ids => requirements(out, 4, ids, self.outcome.scenario_run.revision),
        }
        if let Some(finding) = finding {
            self.exchange(out, finding);
            self.reported.push((&check.id, finding));
        }
        text
    }

    fn earlier(&self, finding: &Finding) -> Option<&'a str> {
        // The requirements may differ: each check names its own.
        let is_same = |other: &Finding| {
            (&other.headline, &other.expected, &other.got, &other.excerpt)
                == (&finding.headline, &finding.expected, &finding.got, &finding.excerpt)
        };
        self.reported.iter().find(|(_, other)| is_same(other)).map(|(id, _)| *id)
    }

    fn exchange(&mut self, out: &mut String, finding: &Finding) {
        // Without evidence it is the end of the conversation, which says nothing new below an exchange.
        if finding.evidence.is_empty() && !self.exchanges.is_empty() {
            return;
        }
        let trace = &self.outcome.trace;
        let excerpt = trace::excerpt_at(trace, &finding.evidence, finding.place());
        let excerpt = excerpt.trim_end();
        if excerpt.trim().is_empty() {
            return;
        }
        // Several findings about one message would repeat the same lines.
        if self.exchanges.iter().any(|shown| shown == excerpt) {
            line(out, 4, "Exchange: the same as above");
            return;
        }
        line(out, 4, "Exchange:");
        line(out, 6, excerpt);
        self.exchanges.push(excerpt.to_owned());
    }
}

/// The report on a single check; see [`FailureFormatter`] for several of one outcome.
#[must_use]
pub fn format_check(outcome: &Outcome, check: &Check) -> String {
    FailureFormatter::new(outcome).check(check)
}

/// The line with the command that runs the scenario again.
#[must_use]
pub fn format_rerun(outcome: &Outcome, rerun: &Rerun) -> String {
    format!("  Rerun: {}\n", words::inert(&rerun.command(&outcome.scenario_run)))
}

/// The report on what belongs to no single check: the last lines on stderr, and the command that runs it again.
#[must_use]
pub fn format_scenario_run(outcome: &Outcome, rerun: Option<&Rerun>) -> String {
    let mut text = String::new();
    let who = outcome.scenario_run.scenario.tested_side.noun();
    if let Some(exited) = &outcome.exited {
        line(&mut text, 2, &format!("The {who} exited on its own, with {exited}"));
    }
    // Not among the failures, since it follows from one of them.
    if let Some(exit) = outcome.traced_exit() {
        line(&mut text, 2, &format!("Also: {exit}"));
    }
    if !outcome.stderr_tail.is_empty() {
        line(&mut text, 2, &format!("The last lines on the {who}'s stderr:"));
        for tail in &outcome.stderr_tail {
            line(&mut text, 4, &stderr_line(tail));
        }
    }
    // After the output of the peer, which may be long.
    text.extend(rerun.map(|rerun| format_rerun(outcome, rerun)));
    text
}

/// A line of stderr, without what would move the cursor or change colours.
fn stderr_line(line: &str) -> String {
    format!("| {}", words::name(line))
}

/// The report on a target that could not be tested at all, after an attempt at the revision `tried`.
#[must_use]
pub fn format_preflight_failure(
    target: &str,
    finding: &Finding,
    tried: Option<Revision>,
) -> String {
    let mut text = format!("cannot test `{target}`: {finding}\n");
    // That a program was not found, or a port refused the connection, needs no remark that it is the environment.
    if let Some(blame) = blame(finding.blame).filter(|_| finding.blame != Blame::Environment) {
        line(&mut text, 2, &format!("blame: {blame}"));
    }
    requirements(&mut text, 2, &finding.requirements, tried.unwrap_or(Revision::NEWEST));
    text
}

/// What it means for an author that an SDK was recognised.
pub fn sdk_hint(sdk: Sdk) -> String {
    format!("this comes from {sdk}, not from the server's own code")
}

/// Who is to blame, unless it is the peer.
pub fn blame(blame: Blame) -> Option<&'static str> {
    match blame {
        Blame::Peer => None,
        Blame::Test => Some("the test, not the peer"),
        Blame::Harness => Some("mcp-test itself, not the peer; please report it"),
        Blame::Environment => Some("the environment, not the peer"),
    }
}

fn requirements(out: &mut String, indent: usize, cited: &[&Requirement], revision: Revision) {
    for requirement in cited {
        line(out, indent, &format!("Requirement: {}", requirement.cite(revision)));
    }
}

fn references(out: &mut String, check: &Check) {
    for reference in &check.spec_references {
        line(out, 4, &format!("Reference: {}", reference.id));
        if let Some(url) = &reference.url {
            line(out, 6, url);
        }
    }
}

/// Adds a text with every line indented, and further lines a little more, unless they have an indentation of their own.
fn line(out: &mut String, indent: usize, text: &str) {
    for (number, part) in text.lines().enumerate() {
        // What is indented by 6, such as an exchange, has a layout of its own.
        let hangs = number > 0 && indent < 6 && !part.starts_with(' ');
        let indent = if hangs { indent + 2 } else { indent };
        // Writing to a `String` cannot fail.
        let _ = writeln!(out, "{}", format!("{:indent$}{part}", "").trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Origin;

    #[test]
    fn a_recognised_sdk_is_named() {
        let mut outcome = sample::failed();
        let finding = Finding::peer("a second GET is refused").sdk(Some(Sdk::TypeScript));
        outcome.checks = vec![Check::from_finding("streams", Origin::Own, finding)];
        insta::assert_snapshot!(format_check(&outcome, &outcome.checks[0]), @r#"
        - streams:
          Error: a second GET is refused
          Check: streams (advisory: does not count)
          SDK: this comes from the official TypeScript SDK, not from the server's own code
          Exchange:
            1  client → server  tools/list
            2  client ← server  result {"tools":[{"name":7}]}
        "#);
    }

    #[test]
    fn a_failing_check_is_reported_in_full() {
        let outcome = sample::failed();
        let mut formatter = FailureFormatter::new(&outcome);
        let texts: Vec<String> = outcome.failing().map(|check| formatter.check(check)).collect();
        insta::assert_snapshot!(texts.join("\n"), @r#"
        - ToolsList: Server lists its tools
          Error: the tool list is malformed
            expected `/tools/0/name` is a non-empty string
            got 7, which is a number
            hint: give every tool a name
          Check: tools-list
          The official suite fails this, but the specification allows it: the specification does not demand it
          Requirement: tools.list.respond (MUST) Having advertised `tools`, the server answers `tools/list` with the tools currently available to that caller.
            https://modelcontextprotocol.io/specification/2025-11-25/server/tools#capabilities
          Exchange:
            1  client → server  tools/list
            2  client ← server  result {"tools":[{"name":7}]}

        - tools-annotated:
          Error: Not testable: no tool has annotations
          Check: tools-annotated
        "#);
        insta::assert_snapshot!(format_scenario_run(&outcome, Some(&sample::rerun())), @r"
        The last lines on the server's stderr:
          | warning: no name
        Rerun: mcp-test server --scenario tools-list --spec-version 2025-11-25 -- node 'my server.js'
        ");
    }

    #[test]
    fn the_rerun_of_an_extension_names_no_revision() {
        let listing = sample::passed().scenario_run;
        let official = Some(crate::scenario::Official::extension());
        let scenario = crate::scenario::Scenario { official, ..(*listing.scenario).clone() };
        let at = |revision| ScenarioRun {
            scenario: scenario.clone().into(),
            revision,
            ..listing.clone()
        };
        let command = |revision| sample::rerun().command(&at(revision));
        insta::assert_snapshot!(command(Revision::NEWEST), @"mcp-test server --scenario tools-list -- node 'my server.js'");
        // Only in other profiles it runs elsewhere.
        insta::assert_snapshot!(command(Revision::V2025_11_25), @"mcp-test server --scenario tools-list --spec-version 2025-11-25 -- node 'my server.js'");
    }

    #[test]
    fn a_server_that_exited_is_reported() {
        let mut outcome = sample::failed();
        outcome.exited = Some("exit code 1".to_owned());
        insta::assert_snapshot!(format_scenario_run(&outcome, None), @r"
        The server exited on its own, with exit code 1
        The last lines on the server's stderr:
          | warning: no name
        ");
    }

    #[test]
    fn a_finding_is_reported_once() {
        let outcome = sample::failed();
        let mut formatter = FailureFormatter::new(&outcome);
        let full = formatter.check(&outcome.checks[1]);
        let short = formatter.check(&outcome.checks[1]);
        assert!(full.contains("Exchange:") && full.contains("expected"), "{full}");
        insta::assert_snapshot!(short, @r"
        - ToolsList: Server lists its tools
          Error: the tool list is malformed
          Check: tools-list
          The official suite fails this, but the specification allows it: the specification does not demand it
          This is what tools-list found, above.
        ");
    }

    #[test]
    fn an_unreachable_target_is_reported_in_one_message() {
        let finding = Finding::environment("nothing listens at http://127.0.0.1:9/mcp")
            .got("connection refused")
            .hint("start the server, or let mcp-test start it: `--url URL -- COMMAND`");
        insta::assert_snapshot!(format_preflight_failure("http://127.0.0.1:9/mcp", &finding, None), @r"
        cannot test `http://127.0.0.1:9/mcp`: nothing listens at http://127.0.0.1:9/mcp
          got connection refused
          hint: start the server, or let mcp-test start it: `--url URL -- COMMAND`
        ");
    }

    #[test]
    fn a_requirement_is_looked_up_in_the_revision_that_was_tried() {
        let finding = Finding::peer("no answer").requires(Requirement::JSONRPC_REQUEST_ANSWERED);
        let text = format_preflight_failure("x", &finding, Some(Revision::V2025_06_18));
        assert!(text.contains("/specification/2025-06-18/"), "{text}");
    }
}
