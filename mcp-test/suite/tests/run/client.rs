//! Clients under test: whether they took part, how they exited, and what counts.

use mcp_test_core::check::Status;
use mcp_test_core::client::reference::good_client;
use mcp_test_core::client::{ClientTask, Options, ScriptedClient};
use mcp_test_core::clock::Deadline;
use mcp_test_core::run::{ExitCode, Outcome, Verdict};
use mcp_test_core::scenario::{CLIENT_CONNECTED, CLIENT_EXIT, Suite};
use mcp_test_core::spec::{self, Era, Revisions};
use mcp_test_core::trace::{Party, Recorder};
use mcp_test_core::transport::{ClientTarget, HttpRequest, Limits};
use mcp_test_core::wire::Message;

use super::*;

fn of(target: impl Into<Tested>, profile: Profile, ids: &[&str]) -> Plan {
    Plan::build(scenarios::all(), target, profile, &selection(ids))
        .expect("a plan")
        .timeout(Duration::from_secs(20))
}

fn outcomes(plan: &Plan) -> (Vec<Outcome>, ExitCode) {
    let (events, summary) = run_plan(plan);
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
            assert_eq!(
                outcome.verdict,
                Verdict::Failed,
                "{} under {profile}",
                outcome.scenario_run
            );
            assert!(
                outcome.failing().any(|check| check.id == CLIENT_CONNECTED),
                "{}",
                outcome.scenario_run
            );
        }
    }
    let (outcomes, _) = outcomes(&of(idle, Profile::Official, &["initialize"]));
    insta::assert_snapshot!(message(&outcomes[0], CLIENT_CONNECTED).1, @r"
    the client never connected
      expected at least one JSON-RPC message in a POST to the URL of the server
      got a client that exited on its own without an error
      hint: URL and scenario `initialize` are members of its `Endpoint`
    ");
}

#[test]
fn a_client_of_an_older_revision_is_skipped_at_a_newer_one() {
    let older = ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(Options::speaking(Revision::V2025_06_18)).await?;
        client.request("tools/list", json!({})).await?.result()?;
        client.end().await;
        Ok(())
    });
    let at = |profile, revision| {
        let asked = Selection { revisions: vec![revision], ..selection(&["tools_call"]) };
        let plan = Plan::build(scenarios::all(), older.target(), profile, &asked).expect("a plan");
        outcomes(&plan.timeout(Duration::from_secs(20))).0.remove(0)
    };
    let newer = at(Profile::Adaptive, Revision::V2025_11_25);
    assert_eq!(newer.verdict, Verdict::Skipped, "{:?}", newer.checks);
    insta::assert_snapshot!(newer.checks[0].message.clone().unwrap_or_default(), @"the client speaks up to 2025-06-18; it did not speak 2025-11-25");
    assert_eq!(at(Profile::Strict, Revision::V2025_11_25).verdict, Verdict::Failed);
    // Here the server has no handshake, so that it cannot select an older revision.
    let asked = Selection { revisions: vec![Revision::NEWEST], ..selection(&["request-metadata"]) };
    let plan =
        Plan::build(scenarios::all(), older.target(), Profile::Adaptive, &asked).expect("a plan");
    let (events, summary) = run_plan(&plan.timeout(Duration::from_secs(20)));
    let skipped = |event: &RunEvent| matches!(event, RunEvent::Finished(it) if it.verdict == Verdict::Skipped);
    assert!(events.iter().any(skipped), "{:?}", rows(&events));
    let speaks = summary.client_speaks.expect("what the client speaks");
    assert_eq!(speaks.spoken, Revisions::only(Revision::V2025_06_18));
    assert_eq!(speaks.not_spoken(), Revisions::only(Revision::NEWEST));
    assert!(speaks.is_limit());
    assert_eq!(at(Profile::Official, Revision::V2025_11_25).verdict, Verdict::Failed);
}

#[test]
fn nothing_passes_if_a_client_speaks_only_what_no_scenario_tests() {
    let oldest = ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(Options::speaking(Revision::V2024_11_05)).await?;
        client.request("tools/list", json!({})).await?.result()?;
        client.end().await;
        Ok(())
    });
    let ids = ["request-metadata", "tools_call"];
    let (outcomes, exit) = outcomes(&of(oldest.target(), Profile::Adaptive, &ids));
    let is_skipped = |it: &Outcome| it.verdict == Verdict::Skipped;
    assert!(outcomes.iter().all(is_skipped), "{outcomes:?}");
    assert_eq!(exit, ExitCode::NotRun);
}

#[test]
fn a_client_that_is_offered_a_newer_version_and_leaves_does_not_speak_it() {
    let older = ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.uninitialized(task.options()).await?;
        let info = json!({ "name": "older", "version": "1.0.0" });
        let version = Revision::V2025_06_18.as_str();
        let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": info });
        client.request("initialize", params).await?.result()?;
        client.end().await;
        Ok(())
    });
    let revisions = vec![Revision::V2025_11_25];
    let asked = Selection { revisions, ..selection(&["client-handshake"]) };
    let plan =
        Plan::build(scenarios::all(), older.target(), Profile::Adaptive, &asked).expect("a plan");
    let (events, summary) = run_plan(&plan.timeout(Duration::from_secs(20)));
    let skipped = events.iter().find_map(|event| match event {
        RunEvent::Finished(outcome) if outcome.verdict == Verdict::Skipped => Some(outcome),
        _ => None,
    });
    let why = skipped.expect("a skipped run").checks[0].message.clone();
    insta::assert_snapshot!(why.unwrap_or_default(), @"the client speaks up to 2025-06-18; it did not speak 2025-11-25");
    let spoken = summary.client_speaks.map(|it| it.spoken);
    assert_eq!(spoken, Some(Revisions::only(Revision::V2025_06_18)));
}

/// Lists the tools, and calls none.
fn only_lists() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options()).await?;
        client.request("tools/list", json!({})).await?.result()?;
        client.end().await;
        Ok(())
    })
}

#[test]
fn a_client_that_does_not_do_the_task_is_skipped_unless_it_has_to() {
    for scenario in ["tools_call", "sse-retry"] {
        let verdicts = |client: ScriptedClient| {
            Profile::ALL.map(|profile| {
                let (outcomes, _) = outcomes(&of(client.target(), profile, &[scenario]));
                let newest = outcomes.into_iter().next_back().expect("an outcome");
                // What every client has to do is checked all the same.
                assert_eq!(message(&newest, CLIENT_CONNECTED).0, Status::Success, "{scenario}");
                newest.verdict
            })
        };
        let skipped = [Verdict::Failed, Verdict::Skipped, Verdict::Failed];
        assert_eq!(verdicts(only_lists()), skipped, "{scenario}");
        // With an error nothing explains why it did not do the task.
        let failing = ScriptedClient::new(|task: ClientTask| async move {
            only_lists().run(task.endpoint().clone()).await?;
            Err("out of paper".into())
        });
        assert_eq!(verdicts(failing), [Verdict::Failed; 3], "{scenario}");
    }
    let (outcomes, exit) = outcomes(&of(only_lists().target(), Profile::Adaptive, &["tools_call"]));
    assert_eq!(exit, ExitCode::NotRun);
    let (status, why) = message(&outcomes[0], "tool-add-numbers");
    assert_eq!(status, Status::Skipped);
    insta::assert_snapshot!(why, @"the client never called a tool; the id of the scenario, in $MCP_CONFORMANCE_SCENARIO, asks for it");
}

/// Proposes the newest revision with a handshake, speaks no other, and ends as `end` says.
fn speaks_only_one<F, Fut>(end: F) -> ScriptedClient
where
    F: Fn() -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = mcp_test_core::Result> + 'static,
{
    ScriptedClient::new(move |task: ClientTask| {
        let end = end.clone();
        async move {
            let newest = Revision::NEWEST_HANDSHAKE.as_str();
            let mut client =
                task.uninitialized(Options::speaking(Revision::NEWEST_HANDSHAKE)).await?;
            let info = json!({ "name": "picky", "version": "1.0.0" });
            let params =
                json!({ "protocolVersion": newest, "capabilities": {}, "clientInfo": info });
            client.request("initialize", params).await?.result()?;
            client.end().await;
            end().await
        }
    })
}

#[test]
fn a_client_that_disconnects_from_another_revision_is_skipped_but_may_not_hang() {
    let asked = |client: ScriptedClient| {
        let revisions = vec![Revision::V2025_06_18];
        let asked = Selection { revisions, ..selection(&["tools_call"]) };
        let plan = Plan::build(scenarios::all(), client.target(), Profile::Adaptive, &asked)
            .expect("a plan");
        outcomes(&plan.timeout(Duration::from_secs(5))).0.remove(0)
    };
    let failing = asked(speaks_only_one(|| async { Err("unsupported version".into()) }));
    assert_eq!(failing.verdict, Verdict::Skipped, "{:?}", failing.checks);
    insta::assert_snapshot!(message(&failing, "tool-add-numbers").1, @"the client disconnected: it does not speak 2025-06-18");
    assert_eq!(message(&failing, CLIENT_EXIT).0, Status::Skipped);
    let hanging = asked(speaks_only_one(std::future::pending));
    assert_eq!(hanging.verdict, Verdict::Failed, "{:?}", hanging.checks);
    assert_eq!(message(&hanging, CLIENT_EXIT).0, Status::Failure);
}

#[test]
fn a_client_of_the_older_transport_is_skipped_where_no_server_has_it() {
    let over_sse = ClientTarget::future(|endpoint| async move {
        let target = Target::url(endpoint.url()?.replace("/mcp", "/sse"));
        let (over, recorder) = (TransportKind::Http, Recorder::new());
        let connection = target.open(over, &recorder, Limits::default()).await?;
        let get = HttpRequest::get().header("Accept", "text/event-stream");
        connection.http(get, Deadline::after(Duration::from_secs(20))).await?;
        Err("no event stream".into())
    });
    let (outcomes, exit) = outcomes(&of(over_sse, Profile::Adaptive, &["request-metadata"]));
    assert_eq!((outcomes[0].verdict, exit), (Verdict::Skipped, ExitCode::NotRun));
    insta::assert_snapshot!(outcomes[0].checks[0].message.clone().unwrap_or_default(), @"the client tried only HTTP+SSE; it did not speak 2026-07-28");
}

/// Speaks both eras: tries the stateless one first.
fn dual_era() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut probe = task.uninitialized(Options::speaking(Revision::NEWEST)).await?;
        let _ = probe.discover().await?.outcome();
        probe.end().await;
        good_client().run(task.endpoint().clone()).await
    })
}

/// Opens two sessions at once, and uses them in turn.
fn two_sessions() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut first = task.connect(task.options()).await?;
        let mut second = task.connect(task.options()).await?;
        for client in [&mut first, &mut second] {
            client.request("tools/list", json!({})).await?.result()?;
        }
        first.end().await;
        second.end().await;
        Ok(())
    })
}

#[test]
fn a_probe_of_the_other_era_and_a_second_handshake_are_no_failure() {
    for profile in Profile::ALL {
        for (client, ids) in
            [(dual_era(), ["initialize", "tools_call"]), (two_sessions(), ["initialize"; 2])]
        {
            let revisions = Revision::ALL.into_iter().filter(|it| it.era() == Era::Handshake);
            let asked = Selection { revisions: revisions.collect(), ..selection(&ids) };
            let plan =
                Plan::build(scenarios::all(), client.target(), profile, &asked).expect("a plan");
            let (outcomes, exit) = outcomes(&plan.timeout(Duration::from_secs(20)));
            for outcome in &outcomes {
                let failing: Vec<_> = outcome
                    .checks
                    .iter()
                    .filter(|check| check.status.is_failing())
                    .map(|check| (&check.id, &check.message))
                    .collect();
                assert_eq!(failing, Vec::new(), "{} under {profile}", outcome.scenario_run);
                assert_eq!(
                    outcome.verdict,
                    Verdict::Passed,
                    "{} under {profile}",
                    outcome.scenario_run
                );
            }
            assert_eq!(exit, ExitCode::Passed, "{profile}");
        }
    }
}

/// Calls every tool, and declares no capability.
fn without_capabilities() -> ScriptedClient {
    ScriptedClient::new(|task: ClientTask| async move {
        let mut client = task.connect(task.options().capabilities(json!({}))).await?;
        let page = client.request("tools/list", json!({})).await?;
        let tools = page.outcome().ok().and_then(|page| page.get("tools")?.as_array());
        let names = tools.unwrap_or_default().iter().filter_map(|tool| tool.get("name")?.as_str());
        let names: Vec<String> = names.map(str::to_owned).collect();
        for name in names {
            let call = json!({ "name": name, "arguments": {} });
            let _ = client.request("tools/call", call).await?.outcome();
        }
        client.end().await;
        Ok(())
    })
}

#[test]
fn a_client_is_never_asked_for_what_it_does_not_declare() {
    for profile in Profile::ALL {
        let (outcomes, _) = outcomes(&of(without_capabilities().target(), profile, &[]));
        assert!(!outcomes.is_empty());
        // These ask for it on purpose, to see that it is refused.
        let on_purpose = ["client-features", "client-answers-requests"];
        let asks = |it: &Outcome| on_purpose.contains(&it.scenario_run.scenario.id.as_ref());
        let others = outcomes.into_iter().filter(|it| !asks(it));
        for outcome in others {
            for (event, message) in outcome.trace.messages() {
                let asks = match message {
                    // No capability belongs to a ping, nor to a method that does not exist.
                    Message::Request(request) => {
                        spec::method(&request.method).is_some_and(|method| method.name != "ping")
                    }
                    Message::Response(response) => response.result.get("inputRequests").is_some(),
                    _ => false,
                };
                assert!(
                    event.party == Party::Client || !asks,
                    "{}: {message:?}",
                    outcome.scenario_run
                );
            }
        }
    }
}

#[test]
fn a_scenario_that_needs_a_capability_is_skipped_for_a_client_without_it() {
    let rows = |profile| {
        let plan =
            of(without_capabilities().target(), profile, &["elicitation-sep1034-client-defaults"]);
        let (outcomes, _) = outcomes(&plan);
        let outcome = outcomes.into_iter().next().expect("an outcome");
        let check = "client-elicitation-sep1034-string-default";
        let row = outcome.checks.iter().find(|row| row.id == check).expect("the check").clone();
        (outcome.verdict, row)
    };
    let (verdict, row) = rows(Profile::Adaptive);
    assert_eq!((verdict, row.status), (Verdict::Skipped, Status::Skipped));
    insta::assert_snapshot!(row.message.unwrap_or_default(), @"the client does not declare the capability `elicitation.form`");
    let (verdict, row) = rows(Profile::Strict);
    assert_eq!((verdict, row.status), (Verdict::Failed, Status::Failure));
    insta::assert_snapshot!(row.message.unwrap_or_default(), @"Not testable: the client does not declare the capability `elicitation.form`");
    let (verdict, row) = rows(Profile::Official);
    assert_eq!((verdict, row.status), (Verdict::Failed, Status::Failure));
    insta::assert_snapshot!(row.known_false.unwrap_or_default(), @"a client declares `elicitation` only if it supports it");
}

#[test]
fn a_client_is_run_over_each_transport_that_it_has_and_the_scenario_applies_to() {
    let scenario_runs = |transports: &[TransportKind], ids: &[&str]| {
        let asked = Selection { transports: transports.to_vec(), ..selection(ids) };
        let plan = Plan::build(scenarios::all(), good_client().target(), Profile::Official, &asked);
        plan.map(|plan| plan.scenario_runs.iter().map(ToString::to_string).collect::<Vec<_>>())
            .map_err(|error| error.to_string())
    };
    let both = ["tools_call::2025-11-25::http", "tools_call::2025-11-25::duplex"];
    assert_eq!(scenario_runs(&[], &["tools_call"]), Ok(both.map(str::to_owned).to_vec()));
    let duplex = [TransportKind::Duplex];
    assert_eq!(scenario_runs(&duplex, &["tools_call"]), Ok(vec![both[1].to_owned()]));
    assert_eq!(scenario_runs(&duplex, &["sse-retry"]), Ok(Vec::new()));
    insta::assert_snapshot!(scenario_runs(&[TransportKind::Stdio], &["tools_call"]).unwrap_err(), @"the target has no transport stdio; it has http, duplex");
}

#[test]
fn a_client_over_duplex_has_a_pipe_of_its_own_for_each_connection() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    let manual = ClientTarget::future(move |endpoint| async move {
        for _ in 0..2 {
            let mut pipe = endpoint.duplex().await?;
            pipe.write_all(ping.as_bytes()).await?;
            pipe.shutdown().await?;
            let mut answer = String::new();
            pipe.read_to_string(&mut answer).await?;
            assert!(answer.ends_with('\n'), "{answer}");
        }
        Ok(())
    });
    let plan = of(manual.over([TransportKind::Duplex]), Profile::Adaptive, &["initialize"]);
    let (outcomes, _) = outcomes(&plan);
    assert_eq!(message(&outcomes[0], CLIENT_CONNECTED).0, Status::Success);
    assert_eq!(message(&outcomes[0], CLIENT_EXIT).0, Status::Success);
    let connections: Vec<_> = outcomes[0].trace.messages().map(|it| it.0.connection).collect();
    assert_eq!(connections.iter().collect::<std::collections::BTreeSet<_>>().len(), 2);
}

#[test]
fn the_finding_about_an_absent_client_says_where_the_pipe_is() {
    let idle = ClientTarget::future(|_| async { Ok(()) }).over([TransportKind::Duplex]);
    let (outcomes, _) = outcomes(&of(idle, Profile::Official, &["initialize"]));
    insta::assert_snapshot!(message(&outcomes[0], CLIENT_CONNECTED).1, @r"
    the client never connected
      expected at least one JSON-RPC message on a pipe that `Endpoint::duplex` opens
      got a client that exited on its own without an error
      hint: server and scenario `initialize` are members of its `Endpoint`
    ");
}

#[test]
fn the_exit_of_a_manually_started_client_is_skipped() {
    let nobody = ClientTarget::manual(|_| async { Ok(()) });
    let (outcomes, _) = outcomes(&of(nobody, Profile::Official, &["initialize"]));
    let (status, why) = message(&outcomes[0], CLIENT_EXIT);
    assert_eq!(status, Status::Skipped, "{why}");
    insta::assert_snapshot!(message(&outcomes[0], CLIENT_CONNECTED).1, @r"
    the client never connected
      expected at least one JSON-RPC message in a POST to the URL of the server
      got nothing until the wait for a client was ended
      hint: start the client with the URL that was printed; the scenario `initialize` is in $MCP_CONFORMANCE_SCENARIO
    ");
}

#[test]
fn a_client_that_hangs_is_reported_with_its_last_message() {
    let hanging = ScriptedClient::new(|task: ClientTask| async move {
        let _client = task.connect(task.options()).await?;
        std::future::pending().await
    });
    let plan = of(hanging.target(), Profile::Official, &["initialize"]);
    let (outcomes, exit) = outcomes(&plan.timeout(Duration::from_secs(5)));
    let (status, text) = message(&outcomes[0], CLIENT_EXIT);
    assert_eq!((status, exit), (Status::Failure, ExitCode::Failed));
    insta::assert_snapshot!(text, @r"
    the client did not exit in time, and was ended
      expected its exit within 5 s
      got a client that was still running after 5 s; the last message that it sent was `notifications/initialized`
    ");
}

// The core suite has scenarios in which a client has to sign in.
#[test]
fn the_exit_of_a_client_counts_officially_only_for_a_scenario_by_name() {
    use mcp_test_suite::scenarios::authorization::client::signing_in_client::signing_in_client;

    let failing = ScriptedClient::new(|task: ClientTask| async move {
        signing_in_client().run(task.endpoint().clone()).await?;
        Err("out of paper".into())
    });
    let named = of(failing.target(), Profile::Official, &["initialize"]);
    let (outcomes_of_one, exit) = outcomes(&named);
    assert_eq!(exit, ExitCode::Failed);
    assert!(message(&outcomes_of_one[0], CLIENT_EXIT).1.contains("out of paper"));
    let suite = Selection { suite: Some(Suite::Active), ..Selection::default() };
    let suite =
        Plan::build(scenarios::all(), failing.target(), Profile::Official, &suite).expect("a plan");
    assert_eq!(outcomes(&suite).1, ExitCode::Passed);
}

#[cfg(unix)]
#[test]
fn a_command_that_does_not_start_is_not_a_verdict() {
    let missing = ClientTarget::command("no-such-client --quiet");
    let (outcomes, exit) = outcomes(&of(missing, Profile::Official, &["initialize"]));
    assert_eq!((outcomes[0].verdict, exit), (Verdict::NotRun, ExitCode::NotRun));
    let (_, text) = message(&outcomes[0], "mcp-client-initialization");
    assert!(text.starts_with("the client could not be started\n  expected a command"), "{text}");
}

#[test]
fn a_suite_of_servers_is_an_error_for_clients() {
    let asked = Selection { suite: Some(Suite::Pending), ..Selection::default() };
    let error =
        Plan::build(scenarios::all(), good_client().target(), Profile::Official, &asked).err();
    let error = error.map(|error| error.to_string()).unwrap_or_default();
    insta::assert_snapshot!(error, @"there is no suite `pending` for clients; there are all, core, extensions, backcompat, auth, metadata, draft, sep-835");
}

#[test]
fn a_scenario_runs_officially_at_one_revision_and_elsewhere_at_all() {
    let scenario_runs = |profile, revisions: &[Revision]| {
        let asked = Selection {
            revisions: revisions.to_vec(),
            transports: vec![TransportKind::Http],
            ..selection(&["initialize", "request-metadata"])
        };
        let plan =
            Plan::build(scenarios::all(), good_client().target(), profile, &asked).expect("a plan");
        let scenario_runs = plan
            .scenario_runs
            .iter()
            .map(|scenario_run| format!("{} {}", scenario_run.scenario.id, scenario_run.revision));
        (scenario_runs.collect::<Vec<_>>(), plan.inapplicable.len())
    };
    let officially =
        vec!["initialize 2025-11-25".to_owned(), "request-metadata 2026-07-28".to_owned()];
    assert_eq!(scenario_runs(Profile::Official, &[]), (officially, 0));
    let asked = scenario_runs(Profile::Official, &[Revision::V2025_03_26]);
    assert_eq!(asked, (vec!["initialize 2025-03-26".to_owned()], 1));
    assert_eq!(scenario_runs(Profile::Adaptive, &[]).0.len(), 4);
}
