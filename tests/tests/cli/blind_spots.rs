//! Mistakes of servers that the official suite does not look for: `mcp-test check` reports each row of `BLIND_SPOTS.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;

use mcp_test_tests::program::Serving;
use serde_json::Value;

use crate::program::{MCP_TEST, mcp_test};

const TABLE: &str = include_str!("BLIND_SPOTS.md");

/// The mistakes, each with a section.
const SECTIONS: usize = 29;

/// A row of the table.
struct Row<'a> {
    /// The heading of its section.
    section: &'a str,
    faults: Vec<&'a str>,
    /// The scenario, the revision, the transport, and further options.
    run: Vec<&'a str>,
    check: &'a str,
    requirement: &'a str,
    /// All checks that fail or warn, with their statuses.
    reported: BTreeSet<(String, String)>,
    is_blind: bool,
}

impl<'a> Row<'a> {
    fn parse(section: &'a str, line: &'a str) -> Self {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [_, faults, run, status, check, requirement, others, official] = cells[..] else {
            panic!("`{section}` has a row with {} cells: {line}", cells.len());
        };
        let own = (status.to_owned(), code(check)[0].to_owned());
        let others = others.split(", ").filter_map(|other| other.split_once(' '));
        let others = others.map(|(status, id)| (status.to_owned(), code(id)[0].to_owned()));
        Self {
            section,
            faults: code(faults),
            run: code(run).into_iter().flat_map(str::split_whitespace).collect(),
            check: code(check)[0],
            requirement: code(requirement)[0],
            reported: others.chain([own]).collect(),
            is_blind: official.starts_with("blind"),
        }
    }

    /// What is wrong with the row, if anything is.
    fn disproved(&self) -> Option<String> {
        let [scenario, revision, transport, ref options @ ..] = self.run[..] else {
            return Some(format!("{}: {:?} is not a run", self.section, self.run));
        };
        let mut words = vec!["check", "--scenario", scenario, "--spec-version", revision];
        words.extend(["--transport", transport, "--format", "json"]);
        words.extend(options);
        let serving = (transport == "http").then(|| Serving::reference(MCP_TEST, &self.faults));
        match &serving {
            Some(serving) => words.extend(["--url", &serving.url]),
            None => {
                words.extend(["--", MCP_TEST, "reference", "server", "--stdio"]);
                words.extend(self.faults.iter().flat_map(|fault| ["--fault", fault]));
            }
        }
        let run = mcp_test(&words);
        let report: Value = serde_json::from_str(&run.stdout).unwrap_or_default();
        let reported = reported(&report);
        let statuses: BTreeSet<_> =
            reported.iter().map(|(id, check)| (check.status.clone(), id.clone())).collect();
        let own = reported.get(self.check);
        let is_cited = own.is_some_and(|it| it.requirements.contains(self.requirement));
        // What the official suite does not see is not reported under an id of that suite.
        let is_own = own.is_some_and(|it| it.origin == "mcp-test" || !self.is_blind);
        let fails = self.reported.iter().any(|(status, _)| status == "FAILURE");
        if statuses == self.reported && is_cited && is_own && run.code == i32::from(fails) {
            return None;
        }
        let (section, expected) = (self.section, &self.reported);
        Some(format!(
            "{section}: {words:?}\n  expected {expected:?} with {}\n  got {reported:?}, exit code {}\n{}",
            self.requirement, run.code, run.stderr
        ))
    }
}

/// A check that fails or warns.
#[derive(Debug, Default)]
struct Reported {
    status: String,
    origin: String,
    requirements: BTreeSet<String>,
}

/// The checks of a report that fail or warn, by id. A check that was made several times has its worst status.
fn reported(report: &Value) -> BTreeMap<String, Reported> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut reported = BTreeMap::<_, Reported>::new();
    for check in list(&report["cells"]).iter().flat_map(|cell| list(&cell["checks"])) {
        let status = text(&check["status"]);
        if status != "FAILURE" && status != "WARNING" {
            continue;
        }
        let known = reported.entry(text(&check["id"])).or_default();
        if known.status != "FAILURE" {
            known.status = status;
        }
        known.origin = text(&check["origin"]);
        known.requirements.extend(list(&check["requirements"]).iter().map(|it| text(&it["id"])));
    }
    reported
}

/// The parts of a cell that are code.
fn code(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

fn rows() -> Vec<Row<'static>> {
    let sections = TABLE.split("\n## ").skip(1);
    let rows = sections.flat_map(|section| {
        let (heading, lines) = section.split_once('\n').unwrap_or((section, ""));
        let lines = lines.lines().filter(|line| line.starts_with('|'));
        lines.skip(2).map(move |line| Row::parse(heading, line))
    });
    rows.collect()
}

#[test]
fn what_the_official_suite_does_not_see_is_reported_by_requirement() {
    let rows = rows();
    let sections: BTreeSet<&str> = rows.iter().map(|row| row.section).collect();
    assert_eq!(sections.len(), SECTIONS, "{sections:?}");
    // Two at a time, because other tests run beside this one.
    let disproved: Vec<String> = thread::scope(|scope| {
        let halves = rows.chunks(rows.len().div_ceil(2));
        let run = |half: &[Row<'_>]| half.iter().filter_map(Row::disproved).collect::<Vec<_>>();
        let threads: Vec<_> = halves.map(|half| scope.spawn(move || run(half))).collect();
        threads.into_iter().flat_map(|it| it.join().expect("no panic")).collect()
    });
    assert!(disproved.is_empty(), "{}", disproved.join("\n\n"));
}
