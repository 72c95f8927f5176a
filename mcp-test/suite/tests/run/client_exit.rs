//! The bad exit of a client: when it follows from what another check reports, and when it is a finding of its own.

use mcp_test_core::check::Status;
use mcp_test_core::client::reference::good_client;
use mcp_test_core::client::{ClientTask, ScriptedClient};
use mcp_test_core::run::{ExitCode, Level, Outcome, Problem};
use mcp_test_core::scenario::{CLIENT_EXIT, Suite};
use mcp_test_core::transport::{ClientTarget, Fault};

use super::*;

/// The outcome of a scenario at one revision, and the summary of the run.
fn tested(
    client: impl Into<Tested>,
    profile: Profile,
    id: &str,
    revision: Revision,
) -> (Outcome, Summary) {
    let revisions = vec![revision];
    let transports = vec![TransportKind::Http];
    let asked = Selection { revisions, transports, ..selection(&[id]) };
    outcome_of(&Plan::build(scenarios::all(), client, profile, &asked).expect("a plan"), id)
}

fn outcome_of(plan: &Plan, id: &str) -> (Outcome, Summary) {
    let (events, summary) = run_plan(&plan.clone().timeout(Duration::from_secs(5)));
    let mut finished = events.into_iter().filter_map(|event| match event {
        RunEvent::Finished(outcome) => Some(*outcome),
        _ => None,
    });
    (
        finished.find(|outcome| &*outcome.scenario_run.scenario.id == id).expect("an outcome"),
        summary,
    )
}

/// The checks that fail or warn, and the status and message of the exit.
fn shown(outcome: &Outcome) -> (Vec<&str>, Status, &str) {
    let failing = outcome.checks.iter().filter(|check| check.status.is_failing());
    let exit = outcome.checks.iter().find(|check| check.id == CLIENT_EXIT).expect("the check");
    let message = exit.message.as_deref().unwrap_or_default();
    (failing.map(|check| check.id.as_str()).collect(), exit.status, message)
}

fn failing(summary: &Summary) -> Vec<&Problem> {
    let problems = summary.problems.sorted().into_iter();
    problems.filter(|problem| problem.level() == Level::Failing).collect()
}

/// Lists the tools, sends nothing more, and ends in this way.
fn lists_and<F, Fut>(end: F) -> ScriptedClient
where
    F: Fn() -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = mcp_test_core::Result> + 'static,
{
    ScriptedClient::new(move |task: ClientTask| {
        let end = end.clone();
        async move {
            let mut client = task.connect(task.options()).await?;
            client.request("tools/list", json!({})).await?.result()?;
            client.end().await;
            end().await
        }
    })
}

fn fails_after_the_list() -> ScriptedClient {
    lists_and(|| async { Err("no tools".into()) })
}

/// Does everything that a good client does, with this fault, and then fails.
fn fails_at_the_end(fault: Fault) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| {
        let client = good_client().faults([fault.clone()]);
        async move {
            client.run(task.endpoint().clone()).await?;
            Err("out of paper".into())
        }
    })
}

/// Sends `initialize`, nothing after its result, and ends in this way.
fn initializes_and<F, Fut>(end: F) -> ScriptedClient
where
    F: Fn() -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = mcp_test_core::Result> + 'static,
{
    ScriptedClient::new(move |task: ClientTask| {
        let end = end.clone();
        async move {
            let mut client = task.uninitialized(task.options()).await?;
            let params = client.initialize_params();
            client.request("initialize", params).await?.result()?;
            end().await
        }
    })
}

#[test]
fn a_bad_exit_after_a_finding_is_one_problem_that_names_both() {
    let message_of = |client: ScriptedClient, profile| {
        let (outcome, summary) =
            tested(client.target(), profile, "client-handshake", Revision::V2025_11_25);
        let (failing_checks, exit, message) = shown(&outcome);
        let check = "client-tolerates-early-messages";
        assert_eq!((failing_checks, exit), (vec![check], Status::Skipped), "{profile}");
        let problems = failing(&summary);
        assert_eq!((problems.len(), summary.exit), (1, ExitCode::Failed), "{profile}");
        assert_eq!((problems[0].bad_exits, problems[0].not_reached), (1, 0), "{profile}");
        assert_eq!(problems[0].exits.iter().collect::<Vec<_>>(), [message]);
        message.to_owned()
    };
    let fails = || initializes_and(|| async { Err("a message before the result".into()) });
    let hangs = || initializes_and(std::future::pending);
    for profile in [Profile::Adaptive, Profile::Strict] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(message_of(fails(), profile), @"after what `client-tolerates-early-messages` reports, the client failed: a message before the result");
            insta::assert_snapshot!(message_of(hangs(), profile), @"after what `client-tolerates-early-messages` reports, the client was still running after 5 s");
        }
    }
}

#[test]
fn where_only_the_exit_shows_a_finding_both_fail_and_are_one_problem() {
    let client = fails_after_the_list();
    let (outcome, summary) =
        tested(client.target(), Profile::Adaptive, "client-empty-lists", Revision::V2025_11_25);
    let (failing_checks, _, message) = shown(&outcome);
    assert_eq!(failing_checks, ["client-accepts-no-tools", CLIENT_EXIT]);
    insta::assert_snapshot!(message, @"after what `client-accepts-no-tools` reports, the client failed: no tools");
    let problems = failing(&summary);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].checks(), ["client-accepts-no-tools", CLIENT_EXIT]);
    assert_eq!(problems[0].exits.iter().collect::<Vec<_>>(), [message]);
}

#[test]
fn an_exit_after_a_wrong_header_that_the_server_accepts_is_a_finding_of_its_own() {
    let client = fails_at_the_end(Fault::no_header("server/discover", "Accept"));
    let (outcome, summary) =
        tested(client.target(), Profile::Adaptive, "client-http-headers", Revision::V2026_07_28);
    assert_eq!(shown(&outcome).0, ["client-post-accept", CLIENT_EXIT]);
    let problems = failing(&summary);
    assert_eq!(problems.iter().map(|problem| problem.bad_exits).collect::<Vec<_>>(), [0, 0]);
}

#[test]
fn an_exit_after_a_wrong_message_that_the_server_refuses_follows_from_it() {
    let client = good_client().faults([Fault::remove("initialize", "/clientInfo/version")]);
    let (outcome, _) =
        tested(client.target(), Profile::Adaptive, "initialize", Revision::V2025_11_25);
    let (_, exit, message) = shown(&outcome);
    assert_eq!(exit, Status::Skipped);
    assert!(message.starts_with("after what `mcp-client-initialization` reports"), "{message}");
}

#[test]
fn an_exit_follows_from_a_warning_only_where_that_counts() {
    let exit = |profile| {
        let client = fails_after_the_list();
        let (outcome, summary) =
            tested(client.target(), profile, "client-pages", Revision::V2025_11_25);
        assert_eq!(summary.exit, ExitCode::Failed, "{profile}");
        shown(&outcome).1
    };
    assert_eq!(exit(Profile::Adaptive), Status::Failure);
    assert_eq!(exit(Profile::Strict), Status::Skipped);
}

#[test]
fn officially_an_exit_that_counts_stays() {
    let client = good_client().faults([Fault::remove("initialize", "/clientInfo/version")]);
    let named = selection(&["initialize"]);
    let suite = Selection { suite: Some(Suite::Active), ..Selection::default() };
    for (asked, status) in [(named, Status::Failure), (suite, Status::Skipped)] {
        let asked = Selection { transports: vec![TransportKind::Http], ..asked };
        let plan = Plan::build(scenarios::all(), client.target(), Profile::Official, &asked)
            .expect("a plan");
        let (outcome, summary) = outcome_of(&plan, "initialize");
        assert_eq!((shown(&outcome).1, summary.exit), (status, ExitCode::Failed));
        assert_eq!(outcome.failing().any(|check| check.id == CLIENT_EXIT), plan.single);
    }
}

#[cfg(unix)]
#[test]
fn only_a_crash_of_an_absent_client_is_a_finding_of_its_own() {
    let exit = |line: &str| {
        let client = ClientTarget::command(line);
        let (outcome, _) = tested(client, Profile::Adaptive, "client-pages", Revision::V2025_11_25);
        let (_, status, message) = shown(&outcome);
        (status, message.to_owned())
    };
    let (status, message) = exit("exit 3; :");
    assert_eq!(status, Status::Skipped);
    insta::assert_snapshot!(message, @"after what `client-connected` reports, the client exited with exit code 3");
    assert_eq!(exit("kill -9 $$; :").0, Status::Failure);
}
