//! What other people's programs say in the wrong shape, held against `FINDINGS.md`.
//!
//! The file has a section for each peer, with a table and with what the specification says to its rows.

use std::collections::{BTreeMap, BTreeSet};

use mcp_test::check::{Finding, Shape, judge_shapes};
use mcp_test::spec::Revision;
use mcp_test::spec::schema::{Authority, Schemas};
use mcp_test::trace::{Party, Trace};

const FINDINGS: &str = include_str!("FINDINGS.md");

/// What is wrong with what a peer says, by the row of the table that tells it.
#[derive(Default)]
pub(crate) struct Findings(BTreeMap<String, Found>);

/// Where something wrong came up, and where the newest of these revisions speaks of it.
#[derive(Default)]
struct Found {
    over: BTreeMap<&'static str, BTreeSet<Revision>>,
    page: Option<(Revision, String)>,
}

impl Findings {
    /// Judges a conversation in which `who` has to have said at least `least` messages, and ours were all right.
    #[track_caller]
    pub(crate) fn judge(
        &mut self,
        who: Party,
        (over, revision): (&'static str, Revision),
        trace: &Trace,
        least: usize,
    ) {
        let schemas = Schemas::ours();
        let judged = judge_shapes(trace, who, &|_| revision, &schemas, Authority::Text);
        assert!(judged.said >= least, "only {} messages over {over} at {revision}", judged.said);
        assert_eq!(judged.harness, [], "over {over} at {revision}");
        for finding in &judged.findings {
            let shape = finding.shape.as_deref().expect("findings of shapes name the shape");
            let found = self.0.entry(row(finding, shape)).or_default();
            found.over.entry(over).or_default().insert(shape.revision);
            if found.page.as_ref().is_none_or(|(newest, _)| *newest < shape.revision) {
                found.page = Some((shape.revision, shape.link.clone()));
            }
        }
    }

    /// Compares with the table in the section of a peer.
    #[track_caller]
    pub(crate) fn assert_told_of(&self, peer: &str) {
        let section = FINDINGS.split("\n## ").find(|section| section.lines().next() == Some(peer));
        let section = section.unwrap_or_else(|| panic!("FINDINGS.md has no section on {peer}"));
        let told: BTreeSet<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
        let found: Vec<String> = self.0.iter().map(|(row, found)| found.complete(row)).collect();
        let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
        let lines = |lines: &BTreeSet<&str>| lines.iter().copied().collect::<Vec<_>>().join("\n");
        pretty_assertions::assert_eq!(lines(&found), lines(&told), "{peer} in FINDINGS.md");
    }
}

impl Found {
    /// The row with its last columns: where it came up, and the page.
    fn complete(&self, row: &str) -> String {
        let over = self.over.iter().map(|(over, revisions)| {
            let revisions: Vec<&str> = revisions.iter().map(|it| it.as_str()).collect();
            format!("{over} {}", revisions.join(" "))
        });
        let over: Vec<String> = over.collect();
        let page = self.page.as_ref().map(|(_, page)| page.as_str()).unwrap_or_default();
        format!("{row} {} | <{page}> |", over.join(", "))
    }
}

/// A row of a table: the shape, the place in the message with any index, what is expected there, and what came.
fn row(finding: &Finding, shape: &Shape) -> String {
    let place = shape.pointer.as_str();
    let is_index = |step: &&str| !step.is_empty() && step.bytes().all(|it| it.is_ascii_digit());
    let steps = place.split('/').map(|step| if is_index(&step) { "*" } else { step });
    let anywhere = steps.collect::<Vec<_>>().join("/");
    let said = |said: &Option<String>| said.clone().unwrap_or_default().replace('|', "\\|");
    let expected = said(&finding.expected).replace(&format!("`{place}` is "), "");
    format!("| `{}` | `{anywhere}` | {expected} | {} |", shape.name, said(&finding.got))
}
