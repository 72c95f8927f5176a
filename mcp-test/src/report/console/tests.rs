//! What the console shows of hand-made runs.

use anstream::StripStream;
use pretty_assertions::assert_eq;

use super::super::sample;
use super::*;

fn shown(view: View, cells: Vec<Cell>, outcomes: Vec<Outcome>) -> String {
    shown_with(view, sample::events(cells, outcomes))
}

fn shown_with(view: View, events: Vec<RunEvent>) -> String {
    let mut console = Console::new(StripStream::new(Vec::new()), view);
    for event in events {
        console.event(&event).expect("memory does not refuse");
    }
    String::from_utf8(console.out.into_inner()).expect("UTF-8")
}

fn view() -> View {
    View {
        target: "http://localhost:3000/mcp".to_owned(),
        what: "active suite".to_owned(),
        profile: Profile::Official,
        single: false,
        brief: false,
        verbose: false,
        results: None,
        rerun: sample::rerun(),
        secrets: Secrets::default(),
    }
}

#[test]
fn a_single_scenario_is_shown_check_by_check() {
    let view = View { single: true, results: Some("out".into()), ..view() };
    let outcome = sample::failed();
    insta::assert_snapshot!(shown(view, vec![outcome.cell], vec![outcome]), @"");
}

#[test]
fn verbose_shows_the_checks_of_a_single_scenario_as_json() {
    let view = View { single: true, verbose: true, ..view() };
    let outcome = sample::passed();
    insta::assert_snapshot!(shown(view, vec![outcome.cell], vec![outcome]), @"");
}

#[test]
fn a_suite_is_shown_as_officially() {
    let (failed, passed) = (sample::failed(), sample::ping());
    let cells = vec![failed.cell, passed.cell];
    insta::assert_snapshot!(shown(view(), cells, vec![failed, passed]), @"");
}

#[test]
fn several_cells_of_a_scenario_are_told_apart_and_those_that_went_well_are_not_announced() {
    let view = View { what: "adaptive check".to_owned(), profile: Profile::Adaptive, brief: true, ..view() };
    let (passed, skipped) = (sample::passed(), sample::skipped());
    let cells = vec![passed.cell, skipped.cell];
    insta::assert_snapshot!(shown(view, cells, vec![passed, skipped]), @"");
}

#[test]
fn a_baseline_is_compared_in_the_official_words() {
    let outcome = sample::failed();
    let events = |comparison: Comparison| {
        let mut events = sample::events(vec![outcome.cell], vec![outcome.clone()]);
        if let Some(RunEvent::Ended(summary)) = events.last_mut() {
            summary.baseline = Some(comparison);
        }
        events
    };
    let mixed = Comparison {
        expected: vec!["tools-call-image".to_owned()],
        stale: vec!["ping".to_owned()],
        unexpected: vec!["tools-list:tools-list".to_owned()],
    };
    let tail = |text: String| text.split_once("Total:").map(|(_, tail)| tail.to_owned()).unwrap_or(text);
    insta::assert_snapshot!(tail(shown_with(view(), events(mixed))), @"");
    let clean = Comparison { expected: vec!["tools-list".to_owned()], ..Comparison::default() };
    insta::assert_snapshot!(tail(shown_with(view(), events(clean))), @"");
}

#[test]
fn a_scenario_that_does_not_exist_at_a_revision_is_skipped_as_officially() {
    let mut console = Console::new(StripStream::new(Vec::new()), view());
    let ping = Inapplicable { scenario: sample::ping().cell.scenario, revision: Revision::NEWEST };
    console.inapplicable(&ping).expect("memory does not refuse");
    let text = String::from_utf8(console.out.into_inner()).expect("UTF-8");
    insta::assert_snapshot!(text, @"");
}

#[test]
fn a_target_that_is_not_there_is_left_to_the_error_message() {
    let mut events = sample::events(Vec::new(), Vec::new());
    if let Some(RunEvent::Ended(summary)) = events.last_mut() {
        summary.not_run = Some(crate::check::Finding::environment("nothing listens"));
    }
    events.retain(|event| matches!(event, RunEvent::Ended(_)));
    assert_eq!(shown_with(view(), events), "");
}

#[test]
fn a_secret_is_shown_nowhere() {
    let view = View { secrets: Secrets::new(["tools".to_owned()]), ..view() };
    let outcome = sample::failed();
    let text = shown(view, vec![outcome.cell], vec![outcome]);
    assert!(text.contains("[secret]-list") && !text.contains("tools"), "{text}");
}
