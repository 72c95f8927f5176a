//! At which level a fault is told, in each revision: a MUST is a FAILURE, a SHOULD a WARNING.

use std::collections::BTreeMap;
use std::fmt::Write;

use mcp_test::check::{Check, Severity, Status};
use mcp_test::spec::{Level, Revision, requirement};
use mcp_test::transport::{CarrierKind, Target};
use mcp_test_tests::hostile::How;

use crate::played::{FOR_EVER, Played, SCENARIO, cells, play};
use crate::{http, lines};

/// What is judged of the wire, at each revision: the revisions with the same verdict together.
fn table(ways: &[How], target: impl Fn(How) -> Target, carrier: CarrierKind) -> String {
    let mut text = String::new();
    for &how in ways {
        let mut verdicts: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        let revisions = Revision::ALL.into_iter().filter(|it| carrier.exists_at(*it));
        for revision in revisions {
            let played = play(target(how), &cells(SCENARIO, &[revision], carrier), FOR_EVER);
            let verdict = verdict(&played, revision);
            verdicts.entry(verdict).or_default().push(revision.as_str());
        }
        writeln!(text, "{how}").expect("a string takes everything");
        for (verdict, revisions) in verdicts {
            writeln!(text, "  {verdict} at {}", revisions.join(" "))
                .expect("a string takes everything");
        }
    }
    text
}

fn verdict(played: &Played, revision: Revision) -> String {
    if let Some(finding) = &played.unfit {
        return format!("not run {}", finding.requirements.join(", "));
    }
    let check =
        checks_of(played).find(|check| check.id == "wire-well-formed").expect("every cell has it");
    let broken = || checks_of(played).find(|check| check.finding.is_some());
    let Some(finding) = &check.finding else {
        // Nothing was said that could be judged: it is the scenario that tells what is missing.
        return broken()
            .map_or("SUCCESS".to_owned(), |check| format!("{} of {}", check.status, check.id));
    };
    for id in &finding.requirements {
        let level = requirement::find(id).expect("it is one").level;
        let is_should = matches!(level, Level::Should | Level::ShouldNot);
        assert_eq!(is_should, finding.severity == Severity::Should, "{id} at {revision}");
    }
    assert_eq!(check.status == Status::Warning, finding.severity == Severity::Should);
    format!("{} {}", check.status, finding.requirements.join(", ")).trim_end().to_owned()
}

fn checks_of(played: &Played) -> impl Iterator<Item = &Check> {
    played.outcomes.iter().flat_map(|outcome| &outcome.checks)
}

#[test]
fn over_lines() {
    insta::assert_snapshot!(table(&lines::WAYS[1..], lines::in_process, CarrierKind::Duplex));
}

#[test]
fn in_a_body() {
    let target = |how| http::router(how, false);
    insta::assert_snapshot!(table(&http::BODIES[1..], target, CarrierKind::Router));
}

#[test]
fn in_a_stream() {
    let target = |how| http::router(how, true);
    insta::assert_snapshot!(table(&http::STREAMS[1..], target, CarrierKind::Router));
}
