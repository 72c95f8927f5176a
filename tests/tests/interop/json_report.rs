//! The parts of the `--format json` report that these tests look at.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use mcp_test::json::Value;
use mcp_test::scenario::TestedSide;
use mcp_test::transport::TransportKind;
use mcp_test_suite::scenarios;

use crate::program::Run;

/// The results of a run, scenario run by scenario run.
pub(crate) struct Report(Value);

impl Report {
    pub(crate) fn read(run: &Run) -> Self {
        let document = Value::parse(run.stdout.as_bytes());
        let document =
            document.unwrap_or_else(|why| panic!("{why}\n{}\n{}", run.stdout, run.stderr));
        Self(document.value)
    }

    fn scenario_runs(&self) -> &[Value] {
        self.0.at("/cells").and_then(Value::as_array).expect("the report has cells")
    }

    /// One line for each scenario and verdict, with the revisions: `ping: passed at 2025-06-18 2025-11-25`.
    pub(crate) fn verdicts(&self) -> String {
        let mut verdicts: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for scenario_run in self.scenario_runs() {
            let key = (text(scenario_run, "scenario"), text(scenario_run, "verdict"));
            verdicts.entry(key).or_default().push(text(scenario_run, "revision"));
        }
        let mut lines = String::new();
        for ((scenario, verdict), revisions) in verdicts {
            writeln!(lines, "{scenario}: {verdict} at {}", revisions.join(" "))
                .expect("writing to a string does not fail");
        }
        lines
    }

    /// The same of the scenarios of the official suite only, where they are not skipped.
    pub(crate) fn official_verdicts(&self) -> String {
        let official: BTreeSet<String> = scenarios::all()
            .filter(|scenario| scenario.official.is_some())
            .map(|scenario| scenario.id.to_string())
            .collect();
        let verdicts = self.verdicts();
        let is_official =
            |line: &&str| line.split(':').next().is_some_and(|id| official.contains(id));
        let shown =
            verdicts.lines().filter(is_official).filter(|line| !line.contains(": skipped at "));
        shown.map(|line| format!("{line}\n")).collect()
    }

    /// Each check with this status, its scenario run, and the requirements that it reports as broken.
    fn broken(&self, status: &'static str) -> impl Iterator<Item = (&Value, &str, Vec<&str>)> {
        let checks = self.scenario_runs().iter().flat_map(|scenario_run| {
            let checks = scenario_run.at("/checks").and_then(Value::as_array);
            checks
                .expect("a scenario run has checks")
                .iter()
                .map(move |check| (scenario_run, check))
        });
        checks.filter(move |(_, check)| text(check, "status") == status).map(
            |(scenario_run, check)| {
                let ids = check.at("/finding/requirements").and_then(Value::as_array);
                let ids: Vec<&str> =
                    ids.unwrap_or_default().iter().filter_map(Value::as_str).collect();
                let (check, scenario) = (text(check, "id"), text(scenario_run, "scenario"));
                assert!(!ids.is_empty(), "{check} of {scenario} failed without a requirement");
                (scenario_run, check, ids)
            },
        )
    }

    /// The statuses of a check of a scenario, over all revisions.
    pub(crate) fn statuses(&self, scenario: &str, check: &str) -> BTreeSet<&str> {
        let scenario_runs = self
            .scenario_runs()
            .iter()
            .filter(|scenario_run| text(scenario_run, "scenario") == scenario);
        let checks = scenario_runs
            .filter_map(|scenario_run| scenario_run.at("/checks")?.as_array())
            .flatten();
        checks.filter(|it| text(it, "id") == check).map(|it| text(it, "status")).collect()
    }

    /// Each failed check with the requirements that it reports as broken: `tools-list of tools-list: tools.a`.
    pub(crate) fn failures(&self) -> BTreeSet<String> {
        let failures = self.broken("FAILURE").map(|(scenario_run, check, ids)| {
            format!("{check}{}: {}", of_scenario(scenario_run, check), ids.join(", "))
        });
        failures.collect()
    }

    /// The failures and warnings over a transport, as `PUBLISHED_SERVERS.md` lists them: status, check, broken requirements,
    /// and the transport with the revisions.
    pub(crate) fn findings(&self, transport: &str) -> BTreeSet<String> {
        let mut findings: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for status in ["FAILURE", "WARNING"] {
            for (scenario_run, check, mut ids) in self.broken(status) {
                ids.sort_unstable();
                let of = of_scenario(scenario_run, check);
                let row = format!("| {status} | `{check}`{of} | {} | {transport}", ids.join(" "));
                findings.entry(row).or_default().insert(text(scenario_run, "revision"));
            }
        }
        let rows = findings.into_iter().map(|(row, revisions)| {
            let revisions: Vec<&str> = revisions.into_iter().collect();
            format!("{row} {}", revisions.join(" "))
        });
        rows.collect()
    }

    /// The checks whose finding names an SDK: `tools-list: the official Go SDK`.
    pub(crate) fn sdks(&self) -> BTreeSet<String> {
        let checks = self
            .scenario_runs()
            .iter()
            .filter_map(|scenario_run| scenario_run.at("/checks")?.as_array());
        let named = checks.flatten().filter_map(|check| {
            Some(format!("{}: {}", text(check, "id"), check.at("/finding/sdk")?.as_str()?))
        });
        named.collect()
    }
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value.get(member).and_then(Value::as_str).unwrap_or_else(|| panic!("no `{member}` in {value}"))
}

/// The verdicts of the scenarios that exist over stdio, so of those that are not about HTTP.
pub(crate) fn over_lines(verdicts: &str) -> String {
    let exists = |line: &&str| {
        let scenario =
            line.split(':').next().and_then(|id| scenarios::find(TestedSide::Server, id));
        scenario.is_some_and(|it| it.transports.contains(TransportKind::Stdio))
    };
    verdicts.split_inclusive('\n').filter(exists).collect()
}

/// The verdicts over Streamable HTTP, which 2024-11-05 does not have.
pub(crate) fn over_streamable_http(verdicts: &str) -> String {
    let others = verdicts.replace("2024-11-05 ", "");
    others.split_inclusive('\n').filter(|line| !line.contains("2024-11-05")).collect()
}

/// The scenario of a check; nothing for those about the conversation, which are made in every scenario.
fn of_scenario(scenario_run: &Value, check: &str) -> String {
    match check.starts_with("wire-") {
        true => String::new(),
        false => format!(" of {}", text(scenario_run, "scenario")),
    }
}
