//! Connections that several scenario runs use, in memory.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join;
use mcp_test_core::check;
use mcp_test_core::check::{Status, WELL_FORMED};
use mcp_test_core::clock::virtual_time;
use mcp_test_core::run::connection_pool::{ConnectionPool, Key, SharedConnection, Taken};
use mcp_test_core::run::execution::{ScenarioRunFacts, run_scenario_watched};
use mcp_test_core::run::{Outcome, Plan, ScenarioRun, Selection, Verdict};
use mcp_test_core::scenario::{Body, CheckSpec, Kind, Profile, Scenario, Shared, TestedSide};
use mcp_test_core::server::reference::everything;
use mcp_test_core::server::{Answer, Call};
use mcp_test_core::spec::{Era, Revision, Revisions, error_code};
use mcp_test_core::trace::{EventKind, Party, Trace};
use mcp_test_core::transport::{Fault, Target, TransportKind};
use mcp_test_suite::scenarios;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};

use crate::in_turn::in_turn;

const DUPLEX: TransportKind = TransportKind::Duplex;

fn scenario_run(id: &str, revision: Revision) -> ScenarioRun {
    let scenario = scenarios::find(TestedSide::Server, id).expect("a built-in scenario");
    ScenarioRun { scenario: scenario.into(), revision, transport: DUPLEX }
}

fn plan(target: &Target) -> Plan {
    let selection = Selection { transports: vec![DUPLEX], ..Selection::default() };
    let plan = Plan::build(scenarios::all(), target.clone(), Profile::Adaptive, &selection)
        .expect("a plan");
    plan.timeout(Duration::from_secs(60)).jobs(NonZeroUsize::new(2).expect("two"))
}

/// A server in memory, made for each connection, and how many connections there were.
fn counted<F, Fut>(serve: F) -> (Target, Arc<AtomicUsize>)
where
    F: Fn(DuplexStream) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = mcp_test_core::Result> + Send + 'static,
{
    let connections = Arc::new(AtomicUsize::new(0));
    let count = connections.clone();
    let target = Target::duplex(move |io| {
        count.fetch_add(1, Ordering::SeqCst);
        serve(io)
    });
    (target, connections)
}

fn good() -> (Target, Arc<AtomicUsize>) {
    counted(|io| async { Ok(everything().serve(io).await?) })
}

async fn run_in_turn(target: &Target, scenario_runs: &[ScenarioRun]) -> Vec<Outcome> {
    let plan = plan(target);
    in_turn(&plan, &ConnectionPool::new(&plan, target).over(DUPLEX), scenario_runs).await
}

/// The requests of the client, in order.
fn requests(outcome: &Outcome) -> Vec<String> {
    let messages = outcome.trace.messages().filter(|(event, _)| event.party == Party::Client);
    messages.filter_map(|(_, message)| message.method().map(str::to_owned)).collect()
}

#[tokio::test]
async fn scenarios_use_one_connection_and_see_nothing_of_each_other() {
    let ids = ["ping", "resources-read-text", "tools-call-simple-text", "ping"];
    let scenario_runs = ids.map(|id| scenario_run(id, Revision::V2025_11_25));
    let (target, connections) = good();
    let outcomes = run_in_turn(&target, &scenario_runs).await;
    assert_eq!(connections.load(Ordering::SeqCst), 1);
    let methods = ["ping", "resources/read", "tools/call", "ping"];
    for (outcome, method) in outcomes.iter().zip(methods) {
        let rows: Vec<_> = outcome.checks.iter().map(|check| (&check.id, check.status)).collect();
        assert!(rows.iter().all(|(_, status)| *status == Status::Success), "{rows:?}");
        assert_eq!(requests(outcome), ["initialize", "notifications/initialized", method]);
        assert!(matches!(outcome.trace.events[0].kind, EventKind::Opened { .. }));
    }
    // The end of the connection belongs to the last one.
    let is_end =
        |event: &mcp_test_core::trace::Event| matches!(event.kind, EventKind::Closed { .. });
    let ends: Vec<bool> =
        outcomes.iter().map(|outcome| outcome.trace.events.iter().any(is_end)).collect();
    assert_eq!(ends, [false, false, false, true]);
}

#[tokio::test]
async fn without_a_handshake_a_trace_begins_with_the_first_request() {
    let ids = ["resources-read-text", "tools-call-simple-text"];
    let (target, connections) = good();
    let outcomes =
        run_in_turn(&target, &ids.map(|id| scenario_run(id, Revision::V2026_07_28))).await;
    assert_eq!(connections.load(Ordering::SeqCst), 1);
    assert_eq!(requests(&outcomes[0]), ["resources/read"]);
    assert_eq!(requests(&outcomes[1]), ["tools/call"]);
}

/// Serves only those that discover it and then list its tools, as some servers of both eras do.
async fn serve_once_discovered(io: DuplexStream) -> mcp_test_core::Result {
    let (input, mut output) = tokio::io::split(io);
    let mut input = BufReader::new(input);
    for (method, result) in [
        ("server/discover", json!({"capabilities": {"prompts": {}, "resources": {}}})),
        ("prompts/list", json!({"prompts": []})),
    ] {
        let mut request = String::new();
        input.read_line(&mut request).await?;
        let request: serde_json::Value = serde_json::from_str(&request)?;
        if request["method"] != method {
            return Ok(());
        }
        let reply = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
        output.write_all(format!("{reply}\n").as_bytes()).await?;
    }
    Ok(everything().serve(tokio::io::join(input, output)).await?)
}

#[tokio::test]
async fn each_connection_begins_with_the_same_requests() {
    let (target, _) = counted(serve_once_discovered);
    let scenario_runs =
        ["tools-call-simple-text"].map(|id| scenario_run(id, Revision::V2026_07_28));
    let outcomes = run_in_turn(&target, &scenario_runs).await;
    assert_eq!(outcomes[0].verdict, Verdict::Passed, "{:?}", outcomes[0].checks);
    assert_eq!(requests(&outcomes[0]), ["tools/call"]);
}

#[test]
fn a_server_that_does_not_answer_its_list_is_shared_nevertheless() {
    let (target, connections) = counted(|io| async {
        Ok(everything().faults([Fault::never("tools/list")]).serve(io).await?)
    });
    let scenario_runs = ["tools-call-simple-text", "resources-read-text"];
    let scenario_runs = scenario_runs.map(|id| scenario_run(id, Revision::V2026_07_28));
    let outcomes = virtual_time::block_on(run_in_turn(&target, &scenario_runs));
    assert!(outcomes.iter().all(|outcome| outcome.verdict == Verdict::Passed), "{outcomes:?}");
    assert_eq!(connections.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_subscription_that_was_refused_is_ended_nevertheless() {
    // Subscriptions begin although they are refused, and a ping announces updates of what is subscribed to.
    let (target, _) = counted(|io| async {
        let subscribed = Arc::new(AtomicUsize::new(0));
        let [begun, ended] = [(); 2].map(|()| Arc::clone(&subscribed));
        let server = everything()
            .on("resources/subscribe", move |_: Call| {
                begun.fetch_add(1, Ordering::SeqCst);
                async { Answer::error(error_code::INTERNAL_ERROR, "no") }
            })
            .on("resources/unsubscribe", move |_: Call| {
                ended.fetch_sub(1, Ordering::SeqCst);
                async { json!({}) }
            })
            .on("ping", move |call: Call| {
                let updates = subscribed.load(Ordering::SeqCst) > 0;
                async move {
                    if updates {
                        let params = json!({ "uri": "test://static-text" });
                        call.notify("notifications/resources/updated", params).await.ok();
                    }
                    json!({})
                }
            });
        Ok(server.serve(io).await?)
    });
    let scenario_runs = ["resources-subscriptions", "ping"];
    let outcomes =
        run_in_turn(&target, &scenario_runs.map(|id| scenario_run(id, Revision::V2025_11_25)))
            .await;
    let mut messages = outcomes[1].trace.messages().filter_map(|(_, message)| message.method());
    assert!(messages.all(|method| method != "notifications/resources/updated"));
}

#[tokio::test]
async fn a_scenario_that_leaves_something_behind_has_a_connection_of_its_own() {
    let ids = ["ping", "resources-subscribe", "ping"];
    let (target, connections) = good();
    run_in_turn(&target, &ids.map(|id| scenario_run(id, Revision::V2025_11_25))).await;
    assert_eq!(connections.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn what_scenarios_do_to_each_other_counts_against_nobody() {
    // Once its tools were listed, it lists no prompts on that connection.
    let (target, connections) = counted(|io| async {
        let listed = Arc::new(AtomicUsize::new(0));
        let server = everything().on("prompts/list", {
            let listed = listed.clone();
            move |_: Call| {
                let leaks = listed.load(Ordering::SeqCst) > 0;
                async move {
                    if leaks {
                        Answer::error(error_code::INTERNAL_ERROR, "out of order")
                    } else {
                        json!({"prompts": []}).into()
                    }
                }
            }
        });
        let server = server.on("tools/list", move |_: Call| {
            listed.fetch_add(1, Ordering::SeqCst);
            async { json!({"tools": []}) }
        });
        Ok(server.serve(io).await?)
    });
    let ids = ["tools-list", "prompts-list", "ping", "prompts-list"];
    let outcomes =
        run_in_turn(&target, &ids.map(|id| scenario_run(id, Revision::V2025_11_25))).await;
    for outcome in &outcomes {
        assert_eq!(outcome.verdict, Verdict::Passed, "{}", outcome.scenario_run);
    }
    // One that is shared, and one on which the prompts are listed before anything else.
    assert_eq!(connections.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_failure_counts_once_it_was_seen_on_a_connection_of_its_own() {
    let bad = everything().faults([Fault::set("ping", "/pong", json!(true))]);
    let (target, connections) = counted(move |io| {
        let bad = bad.clone();
        async move { Ok(bad.serve(io).await?) }
    });
    let scenario_runs =
        [scenario_run("ping", Revision::V2025_06_18), scenario_run("ping", Revision::V2025_11_25)];
    let outcomes = run_in_turn(&target, &scenario_runs).await;
    for outcome in &outcomes {
        assert_eq!(outcome.verdict, Verdict::Failed, "{}", outcome.scenario_run);
    }
    assert_eq!(connections.load(Ordering::SeqCst), 3);
}

/// A server in memory that writes this when its input ends; the function gets all of its input.
fn writing_at_the_end(last: fn(&str) -> &'static str) -> Target {
    let (target, _) = counted(move |io| async move {
        let (mut ours, theirs) = tokio::io::duplex(1 << 16);
        let serving = async { Ok(everything().serve(theirs).await?) };
        let (mut input, mut output) = tokio::io::split(io);
        let relaying = async {
            let mut whole = Vec::new();
            let mut buffer = vec![0; 1 << 16];
            loop {
                let count = input.read(&mut buffer).await?;
                if count == 0 {
                    break;
                }
                whole.extend_from_slice(&buffer[..count]);
                ours.write_all(&buffer[..count]).await?;
                let count = ours.read(&mut buffer).await?;
                output.write_all(&buffer[..count]).await?;
            }
            let last = last(&String::from_utf8_lossy(&whole));
            output.write_all(last.as_bytes()).await?;
            mcp_test_core::Result::Ok(())
        };
        let (_, relayed): (mcp_test_core::Result, mcp_test_core::Result) =
            join(serving, relaying).await;
        relayed
    });
    target
}

/// The statuses of the checks of envelopes.
fn well_formed_in_turn(target: &Target, ids: [&str; 2]) -> Vec<Option<Status>> {
    let scenario_runs = ids.map(|id| scenario_run(id, Revision::V2025_11_25));
    let outcomes = virtual_time::block_on(run_in_turn(target, &scenario_runs));
    let well_formed = outcomes.iter().map(|outcome| {
        let mut rows = outcome.checks.iter().filter(|check| check.id == WELL_FORMED);
        rows.next().map(|check| check.status)
    });
    well_formed.collect()
}

#[test]
fn a_reply_that_comes_at_the_end_counts_against_the_last_scenario() {
    // It answers the handshake once more.
    let target = writing_at_the_end(|_| "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    let well_formed = well_formed_in_turn(&target, ["ping", "ping"]);
    assert_eq!(well_formed, [Some(Status::Success), Some(Status::Failure)]);
}

#[test]
fn what_comes_at_the_end_because_of_an_earlier_scenario_counts_against_nobody() {
    let target = writing_at_the_end(|input| match input.contains("tools/list") {
        true => {
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":\"a:b\"}}\n"
        }
        false => "",
    });
    let well_formed = well_formed_in_turn(&target, ["tools-list", "ping"]);
    assert_eq!(well_formed, [Some(Status::Success), Some(Status::Success)]);
    let well_formed = well_formed_in_turn(&target, ["ping", "tools-list"]);
    assert_eq!(well_formed, [Some(Status::Success), Some(Status::Warning)]);
}

#[tokio::test]
async fn what_arrives_late_belongs_to_the_run_before_and_a_reply_retires_the_connection() {
    let (target, connections) = good();
    let plan = plan(&target);
    let pool = ConnectionPool::new(&plan, &target).over(DUPLEX);
    let key = Key::shared(DUPLEX, Revision::V2025_11_25);
    let timeout = Duration::from_secs(60);
    let give_back_and_receive = |shared: SharedConnection, late: &'static str| {
        let (recorder, id) = (shared.client.recorder().clone(), shared.client.connection());
        let fate = pool.give_back(key, shared, recorder.last());
        recorder.record(id, Party::Server, EventKind::message(late.into()));
        fate
    };
    let Taken { shared, .. } = pool.take(key, timeout).await.expect("a connection");
    let news = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    let fate = give_back_and_receive(shared, news);
    let Taken { shared, .. } = pool.take(key, timeout).await.expect("the same connection");
    let of_news = fate.await.expect("a trace");
    assert_eq!(connections.load(Ordering::SeqCst), 1);
    let reply = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let fate = give_back_and_receive(shared, reply);
    pool.take(key, timeout).await.expect("another connection");
    assert_eq!(connections.load(Ordering::SeqCst), 2);
    // The news belong to the trace that was current, not to the next one.
    let of_reply = fate.await.expect("a trace");
    let is_news = |trace: &Trace| {
        trace.messages().any(|(_, message)| message.method().is_some_and(|it| it.contains("tools")))
    };
    assert_eq!((is_news(&of_news), is_news(&of_reply)), (true, false));
    let replies = of_reply.messages().filter(|(_, message)| message.is_reply()).count();
    assert_eq!(replies, 2);
}

#[tokio::test]
async fn what_the_server_has_spoken_before_is_not_tried_again() {
    let handshakes = Revision::ALL.into_iter().filter(|revision| revision.era() == Era::Handshake);
    for (spoken, expected) in [(Vec::new(), 5), (handshakes.collect(), 2)] {
        let (target, connections) = good();
        let facts = ScenarioRunFacts { spoken, ..ScenarioRunFacts::default() };
        let scenario_run = scenario_run("versioning-supported", Revision::V2026_07_28);
        let outcome = run_scenario_watched(&plan(&target), scenario_run, facts, &|_| {}).await;
        assert_eq!(outcome.verdict, Verdict::Passed);
        let works = outcome.checks.iter().filter(|check| check.id == "supported-version-works");
        assert_eq!(works.count(), Revision::ALL.len());
        assert_eq!(connections.load(Ordering::SeqCst), expected);
    }
}

/// Serves `initialize` alone, and negotiates the version whenever it is asked to.
async fn negotiate(io: DuplexStream) -> mcp_test_core::Result {
    let (input, mut output) = tokio::io::split(io);
    let mut lines = BufReader::new(input).lines();
    while let Some(line) = lines.next_line().await.expect("a line") {
        let request: serde_json::Value = serde_json::from_str(&line).expect("a request");
        let mut reply = json!({"jsonrpc": "2.0", "id": request["id"]});
        let params = &request["params"];
        let is_complete =
            params["capabilities"].is_object() && params["clientInfo"]["name"].is_string();
        match params["protocolVersion"].as_str().filter(|_| is_complete) {
            Some(proposed) => {
                let known =
                    proposed.parse().ok().filter(|it: &Revision| it.era() == Era::Handshake);
                let version = known.unwrap_or(Revision::NEWEST_HANDSHAKE).as_str();
                let info = json!({"name": "a-server", "version": "1.0.0"});
                reply["result"] =
                    json!({"protocolVersion": version, "capabilities": {}, "serverInfo": info});
            }
            None => reply["error"] = json!({"code": -32602, "message": "incomplete"}),
        }
        output.write_all(format!("{reply}\n").as_bytes()).await.expect("a reader");
    }
    Ok(())
}

#[tokio::test]
async fn a_server_that_negotiates_again_is_not_started_for_each_version() {
    let handshakes = Revision::ALL.into_iter().filter(|revision| revision.era() == Era::Handshake);
    for (spoken, expected) in [(Vec::new(), 2), (handshakes.collect(), 1)] {
        let (target, connections) = counted(negotiate);
        let facts = ScenarioRunFacts { spoken, ..ScenarioRunFacts::default() };
        let scenario_run = scenario_run("lifecycle-versions", Revision::V2025_11_25);
        let outcome = run_scenario_watched(&plan(&target), scenario_run, facts, &|_| {}).await;
        assert_eq!(outcome.verdict, Verdict::Passed);
        let offers = outcome.checks.iter().filter(|it| it.id == "unknown-version-alternative");
        assert_eq!(offers.count(), 2);
        assert_eq!(connections.load(Ordering::SeqCst), expected);
    }
}

#[tokio::test]
async fn a_scenario_may_end_a_shared_connection_and_the_next_one_begins_another() {
    let scenario_runs =
        ["ping", "stdio-last-reply", "ping"].map(|id| scenario_run(id, Revision::V2025_11_25));
    let (target, connections) = good();
    let outcomes = run_in_turn(&target, &scenario_runs).await;
    assert!(outcomes.iter().all(|outcome| outcome.verdict == Verdict::Passed));
    assert_eq!(connections.load(Ordering::SeqCst), 2);
    let answered = outcomes[1].checks.iter().find(|check| check.id == "reply-before-exit");
    assert_eq!(answered.map(|check| check.status), Some(Status::Success));
}

#[tokio::test]
async fn a_connection_that_a_scenario_opens_beside_a_shared_one_does_not_disturb_that() {
    let (target, connections) = good();
    let plan = plan(&target);
    let pool = ConnectionPool::new(&plan, &target).over(DUPLEX);
    let scenario_runs = [scenario_run("versioning-supported", Revision::V2026_07_28)];
    // It opens one for each other version, and closes it.
    in_turn(&plan, &pool, &[&scenario_runs[..], &scenario_runs].concat()).await;
    let opened = connections.load(Ordering::SeqCst);
    assert_eq!(opened, 1 + 2 * (Revision::ALL.len() - 1));
}

#[tokio::test]
async fn a_scenario_waits_for_a_connection_that_another_one_gives_back() {
    let (target, connections) = good();
    let plan = plan(&target);
    let pool = ConnectionPool::new(&plan, &target).over(DUPLEX);
    let key = Key::shared(DUPLEX, Revision::V2025_11_25);
    let timeout = Duration::from_secs(60);
    pool.set_start_up(timeout);
    let Taken { shared, in_use, .. } = pool.take(key, timeout).await.expect("a connection");
    let giving_back = async {
        pool.keep(key, shared);
        drop(in_use);
    };
    let (taken, ()) = join(pool.take(key, timeout), giving_back).await;
    assert!(taken.is_ok());
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_scenario_waits_for_a_connection_no_longer_than_for_a_start() {
    let (target, connections) = good();
    let plan = plan(&target);
    let pool = ConnectionPool::new(&plan, &target).over(DUPLEX);
    let key = Key::shared(DUPLEX, Revision::V2025_11_25);
    let timeout = Duration::from_secs(60);
    pool.set_start_up(Duration::ZERO);
    let _first = pool.take(key, timeout).await.expect("a connection");
    let _second = pool.take(key, timeout).await.expect("another connection");
    assert_eq!(connections.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn with_one_job_or_officially_nothing_is_shared() {
    let target = Target::command(mcp_test_core::process::Command::new("a-server"));
    let scenario_run = |plan: &Plan| {
        let is_ping = |scenario_run: &&ScenarioRun| scenario_run.scenario.id == "ping";
        plan.scenario_runs.iter().find(is_ping).cloned().expect("a ping")
    };
    let shares = |profile: Profile, jobs: usize| {
        let plan = Plan::build(scenarios::all(), target.clone(), profile, &Selection::default())
            .expect("a plan");
        let plan = plan.jobs(NonZeroUsize::new(jobs).expect("some"));
        ConnectionPool::new(&plan, &target).shares(&scenario_run(&plan), profile)
    };
    assert!(shares(Profile::Adaptive, 2) && shares(Profile::Strict, 2));
    assert!(!shares(Profile::Adaptive, 1) && !shares(Profile::Official, 2));
}

#[test]
fn what_does_not_end_on_a_shared_connection_has_the_rest_of_its_time_alone() {
    static CHECKS: &[CheckSpec] = &[check!("ends", "The scenario ends")];
    let body = Body::server(|ctx| {
        Box::pin(async move {
            ctx.client().await?;
            std::future::pending().await
        })
    });
    let scenario = Scenario {
        checks: Shared::Static(CHECKS),
        shares_connection: Revisions::all(),
        ..Scenario::dynamic(Kind::BuiltIn, TestedSide::Server, "never-ends", body)
    };
    let scenario = Shared::from(scenario);
    let scenario_run = ScenarioRun { scenario, revision: Revision::V2025_11_25, transport: DUPLEX };
    let (target, _) = good();
    let outcomes = virtual_time::block_on(run_in_turn(&target, &[scenario_run]));
    let mut failing = outcomes[0].failing().filter_map(|check| check.finding.as_ref());
    let expected = failing.find_map(|finding| finding.expected.clone());
    assert_eq!(expected.as_deref(), Some("an end within 60 s"));
}
