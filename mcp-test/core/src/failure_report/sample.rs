//! Sample outcomes for the tests of reports.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;

use super::Rerun;
use crate::check::{Check, Finding, Origin, SpecReference, Status};
use crate::run::{
    Counts, Coverage, ExitCode, KnownResults, Outcome, Preflight, Problems, Results, RunEvent,
    ScenarioRun, Summary, Verdict,
};
use crate::scenario::{
    Body, Kind, Official, Profile, Repeats, Scenario, Shared, Suite, TestedSide, Transports,
};
use crate::spec::{Requirement, Revision, Revisions};
use crate::trace::{EventKind, Party, Recorder};
use crate::transport::TransportKind;

static TOOLS_LIST: Scenario = scenario(
    "tools-list",
    "The server lists its tools",
    Official::active(Revisions::from(Revision::V2025_06_18)),
    Revisions::all(),
);

static PING: Scenario = scenario(
    "ping",
    "The server answers a ping",
    Official::active(Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25)),
    Revisions::between(Revision::V2024_11_05, Revision::V2025_11_25),
);

const fn scenario(
    id: &'static str,
    title: &'static str,
    official: Official,
    revisions: Revisions,
) -> Scenario {
    Scenario {
        id: Cow::Borrowed(id),
        title: Cow::Borrowed(title),
        doc: Cow::Borrowed(""),
        kind: Kind::BuiltIn,
        tested_side: TestedSide::Server,
        revisions,
        repeats: Repeats::EachRevision,
        official: Some(official),
        transports: Transports::Any,
        needs: &[],
        optional_needs: &[],
        exclusive: None,
        timeout: None,
        activity: None,
        context: None,
        tolerates_failed_exit: false,
        later_runs_wait: false,
        opens: false,
        shares_connection: Revisions::none(),
        checks: Shared::Static(&[]),
        body: Body::Server(Shared::Static(&|_| Box::pin(async { Ok(()) }))),
        teardown: None,
        proofs: None,
        file: Cow::Borrowed(file!()),
    }
}

/// The target of the sample.
pub const TARGET: &str = "http://localhost:3000/mcp";

/// The command that runs it again.
pub fn rerun() -> Rerun {
    Rerun {
        before: vec!["mcp-test".to_owned(), "server".to_owned()],
        option: Some("--scenario"),
        after: vec!["--".to_owned(), "node".to_owned(), "my server.js".to_owned()],
        names_transport: false,
    }
}

/// A passing scenario run, over stdio at 2025-11-25.
pub fn passed() -> Outcome {
    let mut check = check("tools-list", Status::Success);
    check.name = "ToolsList".to_owned();
    check.description = "Server lists its tools".to_owned();
    check.spec_references = vec![SpecReference {
        id: "MCP-Tools-List".to_owned(),
        url: Some("https://example.org/tools".to_owned()),
    }];
    outcome(&TOOLS_LIST, vec![check], Verdict::Passed)
}

/// A passing scenario run of another scenario.
pub fn ping() -> Outcome {
    outcome(&PING, vec![check("ping", Status::Success)], Verdict::Passed)
}

/// The same scenario as [`passed`] at another revision, skipped.
pub fn skipped() -> Outcome {
    let mut check = check("tools-list", Status::Skipped);
    check.message = Some("the server does not declare the capability `tools`".to_owned());
    let mut outcome = outcome(&TOOLS_LIST, vec![check], Verdict::Skipped);
    outcome.scenario_run.revision = Revision::NEWEST;
    outcome
}

/// One success, a failure with every optional member, a warning, and two advisory checks.
pub fn failed() -> Outcome {
    let recorder = Recorder::new();
    let connection = recorder.open("stdio");
    let record = |party, text: &'static str| {
        recorder.record(connection, party, EventKind::message(Bytes::from_static(text.as_bytes())))
    };
    let request = record(Party::Client, r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
    let reply =
        record(Party::Server, r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":7}]}}"#);
    recorder.record(connection, Party::Server, EventKind::Stderr("warning: no name".to_owned()));

    let mut success = check("server-answers", Status::Success);
    success.description = "Server answers".to_owned();
    let finding = Finding::peer("the tool list is malformed")
        .expected("`/tools/0/name` is a non-empty string")
        .got("7, which is a number")
        .hint("give every tool a name")
        .requires(Requirement::TOOLS_LIST_RESPOND)
        .evidence(request)
        .evidence(reply);
    let mut failure = Check::from_finding("tools-list", Origin::Official, finding);
    failure.name = "ToolsList".to_owned();
    failure.description = "Server lists its tools".to_owned();
    failure.known_false = Some("the specification does not demand it".to_owned());
    let finding = Finding::peer("the tool has no description").should();
    let mut warning = Check::from_finding("tools-described", Origin::Official, finding);
    warning.description = "Tools have a description".to_owned();
    let mut untestable = check("tools-annotated", Status::Failure);
    untestable.message = Some("Not testable: no tool has annotations".to_owned());
    untestable.untestable = true;
    let mut own = Check::from_finding(
        "wire-well-formed",
        Origin::Own,
        Finding::harness("the schema cannot be read"),
    );
    own.description = "Every message is well-formed".to_owned();
    let mut fine = check("own-fine", Status::Success);
    fine.origin = Origin::Own;

    let mut checks = vec![success, failure, warning, untestable, own, fine];
    for check in &mut checks {
        check.timestamp = "2026-11-21T21:37:43.480Z".to_owned();
    }
    let mut outcome = outcome(&TOOLS_LIST, checks, Verdict::Failed);
    outcome.trace = recorder.trace();
    outcome.stderr_tail = vec!["warning: no name".to_owned()];
    outcome
}

/// The events of a run of these scenario runs.
pub fn events(scenario_runs: Vec<ScenarioRun>, outcomes: Vec<Outcome>) -> Vec<RunEvent> {
    let speaks = vec![Revision::V2025_11_25, Revision::NEWEST];
    let preflight = Preflight {
        speaks: [(TransportKind::Stdio, speaks)].into(),
        complete: true,
        server: Some("sample 1.0.0".to_owned()),
        called: None,
        cut_lists: Vec::new(),
    };
    let mut events = vec![RunEvent::PreflightDone(preflight), RunEvent::Planned(scenario_runs)];
    let mut summary = Summary {
        target: TARGET.to_owned(),
        profile: Profile::Official,
        suite: Some(Suite::Active),
        requirements: None,
        lines: Vec::new(),
        counts: Counts::default(),
        advisory: Counts::default(),
        results: Results::default(),
        problems: Problems::default(),
        coverage: Coverage::default(),
        known: KnownResults::default(),
        baseline: None,
        client_speaks: None,
        not_run: None,
        exit: ExitCode::Passed,
        shard: None,
        not_started: Vec::new(),
        program_starts: 0,
        program_restarts: 0,
        interrupted: None,
    };
    for outcome in outcomes {
        summary.take(&outcome);
        if outcome.verdict.is_failing() {
            summary.exit = ExitCode::Failed;
        }
        events.push(RunEvent::Started(outcome.scenario_run.clone()));
        events.push(RunEvent::Finished(Box::new(outcome)));
    }
    events.push(RunEvent::Ended(summary));
    events
}

fn check(id: &str, status: Status) -> Check {
    let mut check = Check::new(id, Origin::Official, status);
    check.timestamp = "2026-11-21T21:37:43.480Z".to_owned();
    check
}

fn outcome(scenario: &'static Scenario, checks: Vec<Check>, verdict: Verdict) -> Outcome {
    Outcome {
        scenario_run: ScenarioRun {
            scenario: scenario.into(),
            revision: Revision::V2025_11_25,
            transport: TransportKind::Stdio,
        },
        profile: Profile::Official,
        checks,
        trace: Recorder::new().trace(),
        stderr_tail: Vec::new(),
        exited: None,
        client_run: None,
        spoken: None,
        silence: None,
        unmet: None,
        assertion: None,
        started: "2026-11-21T21:37:43.473Z".to_owned(),
        elapsed: Duration::from_millis(12),
        verdict,
        attempt: 1,
        unscored: None,
        other_attempts: Vec::new(),
    }
}
