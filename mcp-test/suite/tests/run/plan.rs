//! The scenario runs of a selection.

use std::collections::BTreeSet;

use mcp_test_core::run::UsageError;
use mcp_test_core::scenario::{RequirementSet, Scenario, Suite, TestedSide};
use mcp_test_core::server::reference::everything;

use super::*;

fn scenario_runs(profile: Profile, selection: &Selection) -> Result<Vec<String>, UsageError> {
    let plan = Plan::build(scenarios::all(), target(&everything()), profile, selection)?;
    Ok(plan
        .scenario_runs
        .iter()
        .map(|scenario_run| format!("{} {}", scenario_run.scenario.id, scenario_run.revision))
        .collect())
}

#[test]
fn officially_each_scenario_runs_once_at_the_official_revision() {
    let scenario_runs = scenario_runs(Profile::Official, &selection(&[])).unwrap();
    let officially = |scenario: &Scenario| {
        let official = scenario.official.expect("a scenario of the official suite");
        format!("{} {}", scenario.id, official.default_revision(scenario.tested_side))
    };
    let over_lines = server_scenarios()
        .filter(|it| Suite::Active.selects(it) && it.transports.contains(TransportKind::Duplex));
    assert_eq!(scenario_runs, over_lines.map(officially).collect::<Vec<_>>());
    assert!(scenario_runs.contains(&"ping 2025-11-25".to_owned()));
}

#[test]
fn elsewhere_it_runs_at_every_revision_where_it_exists() {
    for profile in [Profile::Adaptive, Profile::Strict] {
        let scenario_runs = scenario_runs(profile, &selection(&["tools-list", "ping"])).unwrap();
        assert_eq!(
            scenario_runs,
            [
                "ping 2024-11-05",
                "ping 2025-03-26",
                "ping 2025-06-18",
                "ping 2025-11-25",
                "tools-list 2024-11-05",
                "tools-list 2025-03-26",
                "tools-list 2025-06-18",
                "tools-list 2025-11-25",
                "tools-list 2026-07-28",
            ]
        );
    }
}

#[test]
fn revisions_that_are_asked_for_win_even_outside_the_official_window() {
    let mut asked = selection(&["tools-list"]);
    asked.revisions = vec![Revision::V2026_07_28, Revision::V2024_11_05, Revision::V2026_07_28];
    assert_eq!(
        scenario_runs(Profile::Official, &asked).unwrap(),
        ["tools-list 2024-11-05", "tools-list 2026-07-28"]
    );
}

#[test]
fn a_scenario_that_is_named_where_it_does_not_exist_is_reported_or_forced() {
    let mut asked = selection(&["ping"]);
    asked.revisions = vec![Revision::V2026_07_28];
    let plan =
        Plan::build(scenarios::all(), target(&everything()), Profile::Official, &asked).unwrap();
    assert!(plan.scenario_runs.is_empty());
    let [inapplicable] = &plan.inapplicable[..] else { panic!("{:?}", plan.inapplicable) };
    assert_eq!(inapplicable.scenario.id, "ping");
    assert_eq!(inapplicable.revision, Revision::V2026_07_28);
    assert_eq!(inapplicable.transport, None);
    assert_eq!(inapplicable.window().newest(), Some(Revision::V2025_11_25));

    asked.force = true;
    assert_eq!(scenario_runs(Profile::Official, &asked).unwrap(), ["ping 2026-07-28"]);
}

#[test]
fn a_scenario_about_http_does_not_apply_over_lines() {
    let named = selection(&["dns-rebinding-protection", "ping"]);
    let plan = Plan::build(scenarios::all(), target(&everything()), Profile::Adaptive, &named)
        .expect("a plan");
    assert!(
        plan.scenario_runs.iter().all(|scenario_run| scenario_run.scenario.id == "ping"),
        "{:?}",
        plan.scenario_runs
    );
    let [inapplicable] = &plan.inapplicable[..] else { panic!("{:?}", plan.inapplicable) };
    assert_eq!(inapplicable.scenario.id, "dns-rebinding-protection");
    assert_eq!(inapplicable.transport, Some(TransportKind::Duplex));
}

#[test]
fn streamable_http_is_not_tried_where_it_does_not_exist_unless_asked() {
    let http = || Target::url("http://127.0.0.1:9/mcp");
    let revisions = |selection: &Selection| -> Vec<Revision> {
        let plan =
            Plan::build(scenarios::all(), http(), Profile::Adaptive, selection).expect("a plan");
        plan.scenario_runs.iter().map(|scenario_run| scenario_run.revision).collect()
    };
    let mut asked = selection(&["tools-list"]);
    assert_eq!(revisions(&asked), Revision::ALL[1..]);
    asked.revisions = vec![Revision::V2024_11_05];
    assert_eq!(revisions(&asked), [Revision::V2024_11_05]);
}

#[test]
fn a_suite_leaves_out_what_does_not_exist_at_the_revision() {
    let mut asked = selection(&[]);
    asked.suite = Some(Suite::All);
    asked.revisions = vec![Revision::V2026_07_28];
    let plan =
        Plan::build(scenarios::all(), target(&everything()), Profile::Official, &asked).unwrap();
    assert!(plan.inapplicable.iter().all(|it| it.transport.is_some()));
    assert!(
        !plan.scenario_runs.iter().any(|scenario_run| scenario_run.scenario.id == "ping"),
        "{:?}",
        plan.scenario_runs
    );
    let there = server_scenarios().filter(|scenario| {
        scenario.official.is_some_and(|official| !official.is_extension())
            && scenario.revisions.contains(Revision::NEWEST)
            && scenario.transports.contains(TransportKind::Duplex)
    });
    assert_eq!(plan.scenario_runs.len(), there.count());
}

#[test]
fn a_set_of_scenarios_is_run_at_its_revision() {
    for set in RequirementSet::ALL {
        let asked = Selection { requirements: Some(set), ..Selection::default() };
        let plan = Plan::build(scenarios::all(), target(&everything()), Profile::Official, &asked);
        let plan = plan.expect("all its scenarios exist");
        assert!(
            plan.scenario_runs.iter().all(|scenario_run| scenario_run.revision == set.revision)
        );
        let runs: BTreeSet<&str> =
            plan.scenario_runs.iter().map(|scenario_run| &*scenario_run.scenario.id).collect();
        let unscored = set
            .unscored()
            .filter(|(tested_side, ..)| *tested_side == TestedSide::Server)
            .map(|(.., id)| id);
        let all: BTreeSet<&str> =
            set.scored(TestedSide::Server).iter().copied().chain(unscored).collect();
        // Others are about HTTP.
        let over_lines =
            server_scenarios().filter(|it| it.transports.contains(TransportKind::Duplex));
        let over_lines: BTreeSet<&str> = over_lines.map(|it| &*it.id).collect();
        assert_eq!(runs, all.intersection(&over_lines).copied().collect());
        for scenario_run in &plan.scenario_runs {
            assert!(scenario_run.scenario.revisions.contains(set.revision), "{scenario_run}");
        }
    }
}

#[test]
fn officially_an_extension_belongs_to_no_revision() {
    let suite = |suite| Selection { suite: Some(suite), ..Selection::default() };
    let is_there = |profile, selection: &Selection| {
        // A suite may have nothing over this transport.
        let scenario_runs = scenario_runs(profile, selection).unwrap_or_default();
        scenario_runs.contains(&"tasks-lifecycle 2026-07-28".to_owned())
    };
    for selection in [suite(Suite::Pending), suite(Suite::All)] {
        assert!(is_there(Profile::Official, &selection), "{selection:?}");
    }
    assert!(!is_there(Profile::Official, &suite(Suite::Active)));
    assert!(!is_there(Profile::Official, &suite(Suite::Draft)));
    let newest = Selection { revisions: vec![Revision::NEWEST], ..suite(Suite::All) };
    assert!(!is_there(Profile::Official, &newest));
    assert!(is_there(Profile::Adaptive, &newest));

    let named = Selection { revisions: vec![Revision::NEWEST], ..selection(&["tasks-lifecycle"]) };
    let plan =
        Plan::build(scenarios::all(), target(&everything()), Profile::Official, &named).unwrap();
    assert!(
        plan.scenario_runs.is_empty() && plan.inapplicable.len() == 1,
        "{:?}",
        plan.inapplicable
    );
    assert!(is_there(Profile::Official, &Selection { force: true, ..named }));
    assert!(is_there(Profile::Official, &selection(&["tasks-lifecycle"])));
    // It is judged by the official rules where the official suite runs it by default.
    let scenario = server_scenarios().find(|it| it.id == "tasks-lifecycle").expect("a scenario");
    assert_eq!(Profile::Official.at(scenario, Revision::NEWEST), Profile::Official);
}

#[test]
fn former_ids_name_scenarios_that_exist() {
    let former = [
        "auth/basic-dcr",
        "auth/client-credentials",
        "auth/scope-handling",
        "sse-multiple-streams",
        "sse-polling",
    ];
    for id in former {
        let refused = scenario_runs(Profile::Official, &selection(&[id])).unwrap_err();
        let UsageError::Renamed { now, .. } = &refused else { panic!("{id}: {refused}") };
        for id in *now {
            assert!(scenarios::all().any(|scenario| scenario.id == *id), "{id}");
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refusal = |selection: &Selection| {
        scenario_runs(Profile::Official, selection).unwrap_err().to_string()
    };
    insta::assert_snapshot!(refusal(&selection(&["tools-lst"])), @"there is no scenario `tools-lst`; did you mean `tools-list`?");
    insta::assert_snapshot!(refusal(&selection(&["tools_call"])), @"scenario `tools_call` tests a client, not a server");
    insta::assert_snapshot!(refusal(&selection(&["entirely-different"])), @"there is no scenario `entirely-different`");
    insta::assert_snapshot!(refusal(&selection(&["sse-polling"])), @"scenario `sse-polling` is now called `server-sse-polling`");
    let revisions = vec![Revision::V2025_06_18];
    let pending = Selection { suite: Some(Suite::Pending), revisions, ..Selection::default() };
    insta::assert_snapshot!(refusal(&pending), @"no scenario of this suite exists at these revisions and over these transports");
    let stdio = Selection { transports: vec![TransportKind::Stdio], ..Selection::default() };
    insta::assert_snapshot!(refusal(&stdio), @"the target has no transport stdio; it has duplex");
}
