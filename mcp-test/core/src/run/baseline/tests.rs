//! Every rule of the official file format, and ours on unknown names.

use super::*;
use crate::run::results::ScenarioResults;
use crate::scenario::{Body, CheckSpec, Kind};

fn parse(text: &str) -> Result<Baseline, BaselineError> {
    Baseline::parse("known.yml", text)
}

/// `ping` without checks, and `tools-list` with one.
fn scenarios() -> [Shared<Scenario>; 2] {
    static CHECKS: &[CheckSpec] = &[crate::check!("tools-name-format", "")];
    ["ping", "tools-list"].map(|id| {
        let body = Body::Server(Shared::Static(&|_| Box::pin(async { Ok(()) })));
        let checks = Shared::Static(if id == "ping" { &[][..] } else { CHECKS });
        let scenario = Scenario::dynamic(Kind::BuiltIn, TestedSide::Server, id, body);
        Shared::from(Scenario { checks, ..scenario })
    })
}

fn problem(text: &str) -> String {
    parse(text).map_or_else(|error| error.to_string(), |baseline| format!("{:?}", baseline.entries))
}

fn entries(text: &str) -> Vec<String> {
    parse(text)
        .expect(text)
        .entries
        .iter()
        .map(|entry| format!("{} {entry}", entry.tested_side))
        .collect()
}

#[test]
fn entries_are_read_from_both_sections() {
    let text = "server:\n  - tools-call-image   # later\n  - tools-list:tools-name-format\nclient: [auth/dpop]\nnotes: [a: b]\n";
    assert_eq!(
        entries(text),
        ["server tools-call-image", "server tools-list:tools-name-format", "client auth/dpop"]
    );
    assert_eq!(entries("server: [ping, ping]"), ["server ping"]);
}

#[test]
fn an_empty_file_is_an_empty_baseline() {
    for text in ["", "# nothing\n", "---\n", "server:\n", "server: []\n", "{}"] {
        assert_eq!(entries(text), Vec::<String>::new(), "{text:?}");
    }
}

#[test]
fn an_invalid_baseline_is_reported_with_its_line() {
    insta::assert_snapshot!(problem("- ping\n"), @"known.yml:1: expected a mapping with the lists `server` and `client`, got a list");
    insta::assert_snapshot!(problem("ping"), @"known.yml:1: expected a mapping with the lists `server` and `client`, got a string");
    insta::assert_snapshot!(problem("\nserver: ping\n"), @"known.yml:2: `server` must be a list, got a string");
    insta::assert_snapshot!(problem("server:\n  a: b\n"), @"known.yml:2: `server` must be a list, got a mapping");
    insta::assert_snapshot!(problem("server:\n  - tools-list: tools-name-format\n"), @"known.yml:2: an entry is a mapping; write `scenario:check`, without a space after the colon");
    insta::assert_snapshot!(problem("server:\n  - ping\n  -\n"), @"known.yml:3: an entry is empty");
    insta::assert_snapshot!(problem("server:\n  - ' '\n"), @"known.yml:2: an entry is empty");
    insta::assert_snapshot!(problem("server:\n  - ':ping'\n"), @"known.yml:2: `:ping` has no scenario before the colon");
    insta::assert_snapshot!(problem("server:\n  - 'ping:'\n"), @"known.yml:2: `ping:` has no check after the colon");
    insta::assert_snapshot!(problem("server:\n  - [ping]\n"), @"known.yml:2: an entry is a list; write `scenario` or `scenario:check`");
    insta::assert_snapshot!(problem("server:\n  - ping\n  - ping:ping\n"), @"known.yml:3: `ping` is listed as a whole and by check; the other entry is on line 2");
}

#[test]
fn a_missing_file_is_named() {
    let error = Baseline::read("/does/not/exist.yml").unwrap_err().to_string();
    assert!(error.starts_with("cannot read the baseline /does/not/exist.yml: "), "{error}");
}

#[test]
fn an_unknown_name_is_a_warning_officially_and_an_error_elsewhere() {
    let baseline = parse(
        "server:\n  - pinng\n  - tools-list:tools-name-formats\n  - ping:scenario-timeout\nclient: [x]\n",
    );
    let baseline = baseline.expect("a baseline");
    insta::assert_snapshot!(baseline.vet(&scenarios(), TestedSide::Server, Profile::Official).unwrap().join("\n"), @r"
    known.yml:2: there is no scenario `pinng`; did you mean `ping`?
    known.yml:3: `tools-list` has no check `tools-name-formats`; did you mean `tools-name-format`?
    ");
    let error = baseline.vet(&scenarios(), TestedSide::Server, Profile::Strict).unwrap_err();
    insta::assert_snapshot!(error, @"known.yml:2: there is no scenario `pinng`; did you mean `ping`?");
}

#[test]
fn an_unknown_section_is_a_warning_officially_and_an_error_elsewhere() {
    let baseline = parse("client: []\nservr:\n  - ping\nnotes: [x]\n").expect("a baseline");
    insta::assert_snapshot!(baseline.vet(&scenarios(), TestedSide::Server, Profile::Official).unwrap().join("\n"), @r"
    known.yml:2: there is no section `servr`; did you mean `server`?
    known.yml:4: there is no section `notes`; a baseline has `server` and `client`
    ");
    let error = baseline.vet(&scenarios(), TestedSide::Server, Profile::Adaptive).unwrap_err();
    insta::assert_snapshot!(error, @"known.yml:2: there is no section `servr`; did you mean `server`?");
}

fn compare(text: &str, results: impl IntoIterator<Item = ScenarioResults>) -> Comparison {
    parse(text).expect(text).compare(&results.into_iter().collect())
}

fn played(id: &'static str, checks: &[(&str, Status)]) -> ScenarioResults {
    ScenarioResults::new(TestedSide::Server, id, checks)
}

fn comparison(expected: &[&str], stale: &[&str], unexpected: &[&str]) -> Comparison {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Comparison { expected: owned(expected), stale: owned(stale), unexpected: owned(unexpected) }
}

#[test]
fn a_whole_entry_is_expected_when_anything_fails_and_stale_when_nothing_does() {
    use Status::{Success, Warning};
    let text = "server: [a, b, not-played]";
    let results = [played("a", &[("x", Success), ("y", Warning)]), played("b", &[("x", Success)])];
    assert_eq!(compare(text, results), comparison(&["a"], &["b"], &[]));
}

#[test]
fn an_entry_by_check_uses_the_most_severe_status() {
    use Status::{Failure, Skipped, Success};
    let text = "server: ['a:x', 'a:y', 'a:z', 'a:absent']";
    let results = [played(
        "a",
        &[("x", Success), ("y", Success), ("x", Failure), ("z", Skipped), ("w", Failure)],
    )];
    assert_eq!(compare(text, results), comparison(&["a:x"], &["a:y"], &["a:w"]));
}

#[test]
fn a_failure_without_an_entry_is_unexpected() {
    use Status::{Failure, Info, Success};
    let results = [played("a", &[("x", Failure)]), played("b", &[("x", Success), ("y", Info)])];
    let found = compare("server: []", results);
    assert_eq!(found, comparison(&[], &[], &["a"]));
    assert!(!found.is_clean());
}

#[test]
fn a_written_baseline_expects_what_failed() {
    use Status::{Failure, Success};
    let previous = parse("server: [not-played, a]\nclient: [c]\n").expect("a baseline");
    let results: Results =
        [played("a", &[("x", Failure), ("y", Success)]), played("b", &[("x", Success)])]
            .into_iter()
            .collect();
    let text = Baseline::text(&results, Some(&previous));
    insta::assert_snapshot!(text, @r"
    # Known failures: `scenario`, or `scenario:check`.
    server:
      - not-played
      - a:x
    client:
      - c
    ");
    assert!(parse(&text).expect("the written baseline").compare(&results).is_clean());
}

#[test]
fn entries_of_scenario_runs_that_could_not_run_are_kept() {
    use Status::{Failure, Success};
    let partly = |id, checks: &[_]| {
        let mut played = played(id, checks);
        played.partial = true;
        played
    };
    let results: Results = [
        partly("a", &[("x", Success), ("y", Failure), ("z", Failure)]),
        partly("b", &[("x", Failure)]),
        partly("c", &[]),
    ]
    .into_iter()
    .collect();
    let previous = parse("server: ['a:x', 'a:y', b, c]").expect("a baseline");
    assert_eq!(previous.compare(&results), comparison(&["a:y", "b"], &[], &["a:z"]));
    insta::assert_snapshot!(Baseline::text(&results, Some(&previous)), @r"
    # Known failures: `scenario`, or `scenario:check`.
    server:
      - a:x
      - a:y
      - b
      - c
      - a:z
    ");
}
