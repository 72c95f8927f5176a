//! The parts of the `--format json` report that these tests look at.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use mcp_test::json::Value;
use mcp_test::scenario::Leg;
use mcp_test::scenarios;
use mcp_test::transport::TransportKind;

use crate::program::Run;

/// The results of a run, cell by cell.
pub(crate) struct Report(Value);

impl Report {
    pub(crate) fn read(run: &Run) -> Self {
        let document = Value::parse(run.stdout.as_bytes());
        let document =
            document.unwrap_or_else(|why| panic!("{why}\n{}\n{}", run.stdout, run.stderr));
        Self(document.value)
    }

    fn cells(&self) -> &[Value] {
        self.0.at("/cells").and_then(Value::as_array).expect("the report has cells")
    }

    /// One line for each scenario and verdict, with the revisions: `ping: passed at 2025-06-18 2025-11-25`.
    pub(crate) fn verdicts(&self) -> String {
        let mut verdicts: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for cell in self.cells() {
            let key = (text(cell, "scenario"), text(cell, "verdict"));
            verdicts.entry(key).or_default().push(text(cell, "revision"));
        }
        let mut lines = String::new();
        for ((scenario, verdict), revisions) in verdicts {
            writeln!(lines, "{scenario}: {verdict} at {}", revisions.join(" "))
                .expect("writing to a string does not fail");
        }
        lines
    }

    /// Each failed check with the requirements that it reports as broken: `tools-list of tools-list: tools.a`.
    pub(crate) fn failures(&self) -> BTreeSet<String> {
        let mut failures = BTreeSet::new();
        for cell in self.cells() {
            let checks = cell.at("/checks").and_then(Value::as_array).expect("a cell has checks");
            for check in checks.iter().filter(|check| text(check, "status") == "FAILURE") {
                let requirements =
                    check.at("/requirements").and_then(Value::as_array).unwrap_or_default();
                let ids: Vec<&str> =
                    requirements.iter().map(|requirement| text(requirement, "id")).collect();
                let (check, scenario) = (text(check, "id"), text(cell, "scenario"));
                assert!(!ids.is_empty(), "{check} of {scenario} failed without a requirement");
                failures.insert(format!("{check} of {scenario}: {}", ids.join(", ")));
            }
        }
        failures
    }

    /// The checks whose finding names an SDK: `tools-list: the official Go SDK`.
    pub(crate) fn sdks(&self) -> BTreeSet<String> {
        let checks = self.cells().iter().filter_map(|cell| cell.at("/checks")?.as_array());
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
        let scenario = line.split(':').next().and_then(|id| scenarios::find(Leg::Server, id));
        scenario.is_some_and(|it| it.transports.contains(TransportKind::Stdio))
    };
    verdicts.split_inclusive('\n').filter(exists).collect()
}

/// The verdicts over Streamable HTTP, which 2024-11-05 does not have.
pub(crate) fn over_streamable_http(verdicts: &str) -> String {
    let others = verdicts.replace("2024-11-05 ", "");
    others.split_inclusive('\n').filter(|line| !line.contains("2024-11-05")).collect()
}
