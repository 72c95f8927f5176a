//! Clients under test: that they came, how they left, and what counts of it.

use super::*;
use crate::check::Status;
use crate::client::reference::good_client;
use crate::run::{ExitCode, Outcome, Verdict};
use crate::scenario::{LEFT_WELL, Suite, TOOK_PART};
use crate::transport::ClientTarget;

fn of(target: impl Into<crate::run::Tested>, profile: Profile, ids: &[&str]) -> Plan {
    Plan::build(target, profile, &selection(ids)).expect("a plan").timeout(Duration::from_secs(20))
}

fn outcomes(plan: &Plan) -> (Vec<Outcome>, ExitCode) {
    let (events, summary) = told(plan);
    let finished = events.into_iter().filter_map(|event| match event {
        RunEvent::Finished(outcome) => Some(*outcome),
        _ => None,
    });
    (finished.collect(), summary.exit)
}

fn message(outcome: &Outcome, id: &str) -> (Status, String) {
    let check = outcome.checks.iter().find(|check| check.id == id).expect("the check");
    (check.status, check.message.clone().unwrap_or_default())
}

#[test]
fn the_good_client_passes_in_every_profile() {
    for profile in Profile::ALL {
        let (outcomes, exit) = outcomes(&of(good_client().target(), profile, &["initialize"]));
        let rows: Vec<_> =
            outcomes.iter().flat_map(Outcome::failing).map(|check| &check.id).collect();
        assert_eq!((rows, exit), (Vec::new(), ExitCode::Passed), "{profile}");
    }
}

#[test]
fn a_client_that_does_nothing_passes_nowhere() {
    let idle = ClientTarget::future(|_| async { Ok(()) });
    for profile in Profile::ALL {
        let (outcomes, exit) = outcomes(&of(idle.clone(), profile, &[]));
        assert_eq!(exit, ExitCode::Failed, "{profile}");
        for outcome in outcomes {
            assert_eq!(outcome.verdict, Verdict::Failed, "{} under {profile}", outcome.cell);
            assert!(outcome.failing().any(|check| check.id == TOOK_PART), "{}", outcome.cell);
        }
    }
    let (outcomes, _) = outcomes(&of(idle, Profile::Official, &["initialize"]));
    insta::assert_snapshot!(message(&outcomes[0], TOOK_PART).1, @r"
    the client never connected
      expected at least one JSON-RPC message in a POST to the URL of the server
      got a client that left by itself, and content
      hint: URL and scenario `initialize` are members of its `Endpoint`
    ");
}

#[test]
fn of_a_client_that_is_started_by_hand_nobody_sees_how_it_leaves() {
    let nobody = ClientTarget::by_hand(|_| async { Ok(()) });
    let (outcomes, _) = outcomes(&of(nobody, Profile::Official, &["initialize"]));
    let (status, why) = message(&outcomes[0], LEFT_WELL);
    assert_eq!(status, Status::Skipped, "{why}");
    insta::assert_snapshot!(message(&outcomes[0], TOOK_PART).1, @r"
    the client never connected
      expected at least one JSON-RPC message in a POST to the URL of the server
      got nothing until the wait for a client was ended
      hint: start the client with the URL that was printed; the scenario `initialize` is in $MCP_CONFORMANCE_SCENARIO
    ");
}

#[test]
fn a_client_that_hangs_is_told_by_what_it_did_last() {
    let hanging = crate::client::Visitor::new(|errand: crate::client::Errand| async move {
        let _client = errand.connect(errand.options()).await?;
        std::future::pending().await
    });
    let plan = of(hanging.target(), Profile::Official, &["initialize"]);
    let (outcomes, exit) = outcomes(&plan.timeout(Duration::from_secs(5)));
    let (status, told) = message(&outcomes[0], LEFT_WELL);
    assert_eq!((status, exit), (Status::Failure, ExitCode::Failed));
    insta::assert_snapshot!(told, @r"
    the client did not leave in time, and was ended
      expected its end within 5 s
      got a client that was still there after 5 s; the last that it said was `notifications/initialized`
    ");
}

#[test]
fn how_a_client_leaves_counts_officially_only_for_a_scenario_by_name() {
    let leaving = crate::client::Visitor::new(|errand: crate::client::Errand| async move {
        good_client().visit(errand.endpoint().clone()).await?;
        Err("out of paper".into())
    });
    let named = of(leaving.target(), Profile::Official, &["initialize"]);
    let (outcomes_of_one, exit) = outcomes(&named);
    assert_eq!(exit, ExitCode::Failed);
    assert!(message(&outcomes_of_one[0], LEFT_WELL).1.contains("out of paper"));
    let suite = Selection { suite: Some(Suite::Active), ..Selection::default() };
    let suite = Plan::build(leaving.target(), Profile::Official, &suite).expect("a plan");
    assert_eq!(outcomes(&suite).1, ExitCode::Passed);
}

#[cfg(unix)]
#[test]
fn a_command_that_does_not_start_is_no_verdict() {
    let missing = ClientTarget::command("no-such-client --quiet");
    let (outcomes, exit) = outcomes(&of(missing, Profile::Official, &["initialize"]));
    assert_eq!((outcomes[0].verdict, exit), (Verdict::NotRun, ExitCode::NotRun));
    let (_, told) = message(&outcomes[0], "mcp-client-initialization");
    assert!(told.starts_with("the client could not be started\n  expected a command"), "{told}");
}

#[test]
fn a_suite_of_servers_is_none_of_clients() {
    let asked = Selection { suite: Some(Suite::Pending), ..Selection::default() };
    let error = Plan::build(good_client().target(), Profile::Official, &asked).err();
    let error = error.map(|error| error.to_string()).unwrap_or_default();
    insta::assert_snapshot!(error, @"there is no suite `pending` for clients; there are all, core, extensions, backcompat, auth, metadata, draft, sep-835");
}

#[test]
fn a_scenario_runs_officially_at_one_revision_and_elsewhere_at_all() {
    let cells = |profile, revisions: &[Revision]| {
        let asked = Selection {
            revisions: revisions.to_vec(),
            ..selection(&["initialize", "request-metadata"])
        };
        let plan = Plan::build(good_client().target(), profile, &asked).expect("a plan");
        let cells = plan.cells.iter().map(|cell| format!("{} {}", cell.scenario.id, cell.revision));
        (cells.collect::<Vec<_>>(), plan.inapplicable.len())
    };
    let officially =
        vec!["initialize 2025-11-25".to_owned(), "request-metadata 2026-07-28".to_owned()];
    assert_eq!(cells(Profile::Official, &[]), (officially, 0));
    let asked = cells(Profile::Official, &[Revision::V2025_03_26]);
    assert_eq!(asked, (vec!["initialize 2025-03-26".to_owned()], 1));
    assert_eq!(cells(Profile::Adaptive, &[]).0.len(), 4);
}
