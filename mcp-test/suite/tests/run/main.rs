//! Tests of plans, single scenario runs and whole runs.

mod attribution;
mod authorization;
mod catalogue;
mod client;
mod client_exit;
mod connection_pool;
mod costly_tools;
mod coverage;
mod discover_refused;
mod ending_messages;
mod execution;
mod fixtures;
mod http_bodies;
#[path = "../proofs/in_turn.rs"]
mod in_turn;
mod older;
mod one_http_fault;
mod parts;
mod plan;
mod problems;
mod refused;
mod runner;
mod sdk_marks;
mod silence;
#[cfg(unix)]
mod slow_starts;

use std::time::Duration;

use mcp_test_core::clock::virtual_time;
use mcp_test_core::run::{Plan, RunEvent, ScenarioRun, Selection, Summary, Tested, run};
use mcp_test_core::scenario::{Profile, Scenario, TestedSide};
use mcp_test_core::server::Server;
use mcp_test_core::spec::Revision;
use mcp_test_core::transport::{Target, TransportKind};
use mcp_test_suite::scenarios;
use serde_json::json;

/// A target that reaches `server` in memory.
fn target(server: &Server) -> Target {
    let server = server.clone();
    Target::duplex(move |io| {
        let server = server.clone();
        async move { Ok(server.serve(io).await?) }
    })
}

/// A server with nothing but a name.
fn bare() -> Server {
    Server::new(json!({"name": "bare", "version": "1.0.0"}))
}

/// The scenarios with these ids; without ids, all.
fn selection(ids: &[&str]) -> Selection {
    Selection { scenarios: ids.iter().map(|id| (*id).to_owned()).collect(), ..Selection::default() }
}

fn plan(server: &Server, profile: Profile, ids: &[&str]) -> Plan {
    Plan::build(scenarios::all(), target(server), profile, &selection(ids))
        .expect("a plan")
        .timeout(Duration::from_secs(20))
}

/// The scenarios that test servers.
fn server_scenarios() -> impl Iterator<Item = &'static Scenario> {
    scenarios::all().filter(|scenario| scenario.tested_side == TestedSide::Server)
}

fn find(id: &str) -> &'static Scenario {
    scenarios::find(TestedSide::Server, id).expect("a built-in scenario")
}

fn scenario_run(scenario: &'static Scenario, revision: Revision) -> ScenarioRun {
    ScenarioRun { scenario: scenario.into(), revision, transport: TransportKind::Duplex }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(future)
}

fn is_in_memory(transport: TransportKind) -> bool {
    matches!(transport, TransportKind::Duplex | TransportKind::Router)
}

/// The events and the summary of a run; in virtual time if it is in memory.
fn run_plan(plan: &Plan) -> (Vec<RunEvent>, Summary) {
    let mut events = Vec::new();
    let on = &mut |event| events.push(event);
    let summary = match &plan.target {
        Tested::Server(target) if target.transports().iter().all(|it| is_in_memory(*it)) => {
            virtual_time::block_on(run(plan, on))
        }
        _ => block_on(run(plan, on)),
    };
    (events, summary)
}

/// The checks of all outcomes, in the order of the report.
fn rows(events: &[RunEvent]) -> Vec<String> {
    events
        .iter()
        .filter_map(|event| match event {
            RunEvent::Finished(outcome) => Some(outcome),
            _ => None,
        })
        .flat_map(|outcome| {
            let scenario_run =
                format!("{} {}", outcome.scenario_run.scenario.id, outcome.scenario_run.revision);
            outcome
                .checks
                .iter()
                .map(move |check| format!("{scenario_run} {} {}", check.status, check.id))
        })
        .collect()
}
