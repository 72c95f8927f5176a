//! The invalid messages that third-party implementations send, compared with `FINDINGS.md`.
//!
//! The file has a section for each peer, with a table and an explanation of its rows by the specification.

use std::collections::{BTreeMap, BTreeSet};

use mcp_test::check::{Finding, Shape, judge_shapes};
use mcp_test::spec::Revision;
use mcp_test::spec::schema::{Authority, Schemas};
use mcp_test::trace::{Party, Trace};

const FINDINGS: &str = include_str!("FINDINGS.md");

/// The findings about the messages of a peer, by the first columns of their row in the table.
#[derive(Default)]
pub(crate) struct Findings(BTreeMap<String, Occurrences>);

/// Over which transports and at which revisions a finding occurred, and the page on it in the newest of these revisions.
#[derive(Default)]
struct Occurrences {
    over: BTreeMap<&'static str, BTreeSet<Revision>>,
    page: Option<(Revision, String)>,
}

impl Findings {
    /// Judges the messages of `who` in a conversation, of which there must be at least `least`; ours must be valid.
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
        assert!(
            judged.from_peer >= least,
            "only {} messages over {over} at {revision}",
            judged.from_peer
        );
        assert_eq!(judged.harness, [], "over {over} at {revision}");
        for finding in &judged.findings {
            let shape = finding.shape.as_deref().expect("findings about shapes name the shape");
            let found = self.0.entry(row(finding, shape)).or_default();
            found.over.entry(over).or_default().insert(shape.revision);
            if found.page.as_ref().is_none_or(|(newest, _)| *newest < shape.revision) {
                found.page = Some((shape.revision, shape.link.clone()));
            }
        }
    }

    /// Compares the findings with the table of a peer.
    #[track_caller]
    pub(crate) fn assert_documented(&self, peer: &str) {
        let section = FINDINGS.split("\n## ").find(|section| section.lines().next() == Some(peer));
        let section = section.unwrap_or_else(|| panic!("FINDINGS.md has no section on {peer}"));
        let listed: BTreeSet<&str> =
            section.lines().filter(|line| line.starts_with("| `")).collect();
        let found: Vec<String> = self.0.iter().map(|(row, found)| found.complete(row)).collect();
        let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
        let lines = |lines: &BTreeSet<&str>| lines.iter().copied().collect::<Vec<_>>().join("\n");
        pretty_assertions::assert_eq!(lines(&found), lines(&listed), "{peer} in FINDINGS.md");
    }
}

impl Occurrences {
    /// The row with its last two columns: transports with revisions, and the page.
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

/// The first columns of a row: the shape, the place in the message with `*` for indices, expected and got.
fn row(finding: &Finding, shape: &Shape) -> String {
    let place = shape.pointer.as_str();
    let is_index = |step: &&str| !step.is_empty() && step.bytes().all(|it| it.is_ascii_digit());
    let steps = place.split('/').map(|step| if is_index(&step) { "*" } else { step });
    let pattern = steps.collect::<Vec<_>>().join("/");
    let cell = |text: &Option<String>| text.clone().unwrap_or_default().replace('|', "\\|");
    let expected = cell(&finding.expected).replace(&format!("`{place}` is "), "");
    format!("| `{}` | `{pattern}` | {expected} | {} |", shape.name, cell(&finding.got))
}
