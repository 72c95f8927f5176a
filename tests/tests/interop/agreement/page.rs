//! `AGREEMENT.md`: how many verdicts agree on each server, and every disagreement with its reason.

use std::fmt::Write;
use std::{env, fs};

use mcp_test::scenario::TestedSide;
use mcp_test::spec::Revision;
use pretty_assertions::assert_eq;

use super::reasons::{NEVER_RAISED, Reason, reason_of, unexplained};
use super::runs::TestedPeer;
use super::verdicts::{Disagreement, Verdicts, disagreements};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/interop/AGREEMENT.md");

/// Sets that the page and the recorded verdicts are written instead of compared.
pub(super) const WRITE: &str = "MCP_TEST_TESTS_WRITE_TABLE";

const INTRODUCTION: &str = "\
# Agreement with the official conformance suite

What the official suite and `mcp-test`, in its profile `official`, make of the same servers and clients: each check should have the same \
status in both, and each run the same exit code. A status is the most severe one of all checks with the same id. A check that only \
`mcp-test` lists, as skipped, is not a disagreement: the official suite leaves out checks that it has not reached. Nor are the rows with \
which the official suite logs the messages of a client.

The runs are those of `agreement/runs.rs`: the reference server in each official scenario for servers at each revision, without \
faults, and with those of `agreement/faults.rs`; the server of each scenario's proofs, with each fault that is proven to give an \
official check a status; and three servers on SDKs, in each official scenario at each revision that the server supports. A fault is \
written as `mcp-test reference server --fault` takes it; an expression makes the faulty server in the scenario's file. Extensions \
belong to no revision. In the same way, the reference client is tested in each official scenario for clients, and so are the \
clients of the proofs, and four clients on SDKs, which use everything that a server offers, whatever the scenario asks for. In the scenarios `auth/…` they are clients that sign in.

The verdicts of the official suite are recorded in `agreement/official.jsonl`. CI compares them with ours, and runs twenty of \
them again in the official suite, ten of each side. `.ci/agreement DIR` records all of them again, and writes this page.
";

const COUNTS: &str = "\
| Runs | with a fault | Official checks | with the same status | Disagreements |
|---|---|---|---|---|---|";

/// What the page has about one server or client.
struct Section {
    /// Its row in the table of servers or clients.
    row: String,
    /// Its table of disagreements.
    disagreements: String,
}

impl Section {
    /// What the page has now.
    fn read(page: &str, peer: TestedPeer) -> Self {
        let title = peer.title();
        let row = page.lines().find(|line| line.starts_with(&format!("| {title} |")));
        let section = page.split("\n## ").find(|it| it.lines().next() == Some(title));
        let text = section.and_then(|it| it.split_once("\n\n")).map(|(_, text)| text.trim_end());
        Self {
            row: row.unwrap_or_default().to_owned(),
            disagreements: text.unwrap_or_default().to_owned(),
        }
    }

    /// What the page should have.
    fn new(peer: TestedPeer, official: &Verdicts, ours: &Verdicts) -> Self {
        let ours = ours.iter().filter(|(run, _)| run.peer == peer);
        let (mut runs, mut faulty, mut checks) = (0, 0, 0);
        let mut found = Vec::new();
        for (run, ours) in ours {
            let official = &official[run];
            runs += 1;
            faulty += usize::from(!run.fault.is_empty());
            checks += official.checks.len();
            found.extend(disagreements(run, official, ours));
        }
        let unexplained = unexplained(&found);
        assert!(unexplained.is_empty(), "without a reason in reasons.rs: {unexplained:#?}");
        let rows: String = found.iter().filter_map(row).collect();
        let differ = found.iter().filter(|it| official[&it.run].checks.contains_key(&it.check));
        let same = checks - differ.count();
        let title = peer.title();
        let count = found.len();
        Self {
            row: format!("| {title} | {runs} | {faulty} | {checks} | {same} | {count} |"),
            disagreements: match rows.is_empty() {
                true => "No disagreement.".to_owned(),
                false => format!("{HEADER}{rows}").trim_end().to_owned(),
            },
        }
    }
}

const HEADER: &str = "\
| Scenario | Revision | Fault | Check | Official | mcp-test | Reason | Specification |
|---|---|---|---|---|---|---|---|
";

/// The row of a disagreement that has a reason.
fn row(it: &Disagreement) -> Option<String> {
    let Disagreement { run, check, official, ours } = it;
    let Reason { why, requirement, .. } = reason_of(it)?;
    let revision = run.revision.parse().unwrap_or(Revision::NEWEST);
    let code = |text: &str| match text {
        "" => String::new(),
        text => format!("`{}`", text.replace('|', "\\|")),
    };
    let page = requirement.link(revision).expect("a page of the specification");
    let (scenario, revision) = (&run.scenario, &run.revision);
    let (fault, check) = (code(&run.fault), code(check));
    Some(format!(
        "| `{scenario}` | {revision} | {fault} | {check} | {official} | {ours} | {why} | <{page}> |\n"
    ))
}

/// The page.
pub(super) fn read() -> String {
    fs::read_to_string(FILE).unwrap_or_default()
}

/// The version of the official suite that `.ci/peers` installs.
fn official_version() -> String {
    let package = include_str!("../../../../.ci/npm/package.json");
    let package: serde_json::Value = serde_json::from_str(package).expect("JSON");
    let version = &package["dependencies"]["@modelcontextprotocol/conformance"];
    version.as_str().expect("a version").to_owned()
}

/// Compares the page with the verdicts on these peers, or writes their part of it.
#[track_caller]
pub(super) fn check(tested: &[TestedPeer], official: &Verdicts, ours: &Verdicts) {
    let page = read();
    let sections = TestedPeer::ALL.map(|peer| match tested.contains(&peer) {
        true => (peer, Section::new(peer, official, ours)),
        false => (peer, Section::read(&page, peer)),
    });
    let suite = official_version();
    let mut text = format!("{INTRODUCTION}\nVersion of the official suite: {suite}\n");
    let mut line = |it: std::fmt::Arguments<'_>| writeln!(text, "{it}").expect("a string");
    for (tested_side, title, column) in
        [(TestedSide::Server, "Servers", "Server"), (TestedSide::Client, "Clients", "Client")]
    {
        line(format_args!("\n## {title}\n\n| {column} {COUNTS}"));
        for (_, section) in sections.iter().filter(|(peer, _)| peer.tested_side() == tested_side) {
            line(format_args!("{}", section.row));
        }
    }
    for (peer, section) in &sections {
        line(format_args!("\n## {}\n\n{}", peer.title(), section.disagreements));
    }
    line(format_args!(
        "\n## Official checks that are never raised\n\n| Side | Check | Why |\n|---|---|---|"
    ));
    for (tested_side, check, why) in NEVER_RAISED {
        line(format_args!("| {tested_side} | `{check}` | {why} |"));
    }
    if env::var_os(WRITE).is_some() {
        return fs::write(FILE, &text).expect("the page can be written");
    }
    assert_eq!(page, text, "{WRITE}=1 writes AGREEMENT.md; see .ci/agreement");
}
