//! A server with planted bugs, and one without.

mod leaks;
mod links;
mod permission;
mod refusals;
mod tools;

use std::time::Duration;

use mcp_test_core::clock::virtual_time;
use mcp_test_core::scenario::{Activity, CalledTools, Ctx, Profile, Setup, ToolCalls};
use mcp_test_core::spec::Revision;
use mcp_test_core::trace::Trace;
use mcp_test_core::transport::{Target, TransportKind};

use super::{
    Exploration, ExploreOptions, FailureKind, Reduced, coverage_table, explained, saved_cases,
    saved_tests, scenario,
};

/// Explores all tools of a server that are not destructive.
fn explore(target: Target, options: ExploreOptions) -> Exploration {
    let calls = ToolCalls { unnamed: CalledTools::All, ..ToolCalls::default() };
    explore_some(target, options, calls).0
}

/// Explores the tools of a server that may be called; also returns what was seen on the wire.
fn explore_some(target: Target, options: ExploreOptions, calls: ToolCalls) -> (Exploration, Trace) {
    virtual_time::block_on(async {
        let (transport, revision) = (TransportKind::Duplex, Revision::V2025_11_25);
        let timeout = Duration::from_secs(60);
        let mut setup = Setup::new(target, transport, revision, Profile::Adaptive, timeout);
        setup.calls = calls;
        let mut ctx = Ctx::new(setup, None);
        let exploration = scenario::explore(&mut ctx, options, Activity::default()).await;
        (exploration.expect("a server that can be reached"), ctx.trace())
    })
}

fn options() -> ExploreOptions {
    ExploreOptions {
        calls: 60,
        // More than is needed, so that the number of calls decides.
        time: Duration::from_secs(600),
        reply: Duration::from_secs(3),
        seed: 1,
    }
}

/// The failures, with the calls that show them; without those of a call that is not answered, which depend on how long is waited.
fn shown(exploration: &Exploration) -> String {
    let failures = exploration.operations.iter().flat_map(|tool| &tool.failures);
    let lines = failures.map(|reduced| {
        let calls =
            reduced.chain.steps.iter().map(|step| format!("{} {}", step.operation, step.arguments));
        let calls = calls.collect::<Vec<String>>().join("; ");
        format!(
            "{:?}, {} of {}: {}\n",
            reduced.failure.kind,
            reduced.failed,
            reduced.tried,
            if reduced.failure.kind == FailureKind::NoReply {
                reduced.chain.steps[0].operation.to_string()
            } else {
                calls
            }
        )
    });
    lines.collect()
}

#[test]
fn planted_bugs_are_found_and_reduced() {
    let exploration = explore(tools::target(false), options());
    let planted = tools::tools().into_iter().filter(tools::Tool::has_bug);
    let planted: Vec<&str> = planted.map(|tool| tool.name).collect();
    let found = exploration.operations.iter().filter(|tool| !tool.failures.is_empty());
    let found: Vec<String> = found.map(|tool| tool.operation.to_string()).collect();
    let is_found = |name: &&&str| found.iter().any(|found| found == **name);
    let missed: Vec<_> = planted.iter().filter(|name| !is_found(name)).collect();
    assert!(planted.len() >= 20 && missed.len() <= 1, "missed {missed:?} of {planted:?}");
    let wrong: Vec<_> = found.iter().filter(|name| !planted.contains(&name.as_str())).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    insta::assert_snapshot!(shown(&exploration));
    snapshots_of_what_is_saved(exploration);
}

fn snapshots_of_what_is_saved(mut exploration: Exploration) {
    let is_silent = |reduced: &Reduced| reduced.failure.kind == FailureKind::NoReply;
    exploration.operations.retain(|tool| !tool.failures.iter().any(is_silent));
    insta::assert_snapshot!("saved_cases", saved_cases(&exploration));
    insta::assert_snapshot!("saved_tests", saved_tests(&exploration));
    insta::assert_snapshot!("coverage_table", coverage_table(&exploration));
    let findings = exploration.operations.iter().flat_map(|tool| {
        tool.failures.iter().map(|reduced| format!("{}\n", explained(reduced, tool)))
    });
    insta::assert_snapshot!("explained", findings.collect::<String>());
}

#[test]
fn a_sound_server_has_no_findings_with_any_seed() {
    for seed in 0..20 {
        let reply = Duration::from_secs(60);
        let options = ExploreOptions { calls: 12, seed, reply, ..options() };
        let exploration = explore(tools::target(true), options);
        for tool in &exploration.operations {
            let findings: Vec<_> = tool.failures.iter().map(|it| &it.failure.finding).collect();
            assert!(findings.is_empty(), "{} with seed {seed}: {findings:#?}", tool.operation);
            assert_eq!(tool.not_generated, None, "{}", tool.operation);
        }
    }
}
