//! Hand-made outcomes for the tests of this room.

use std::time::Duration;

use bytes::Bytes;

use super::{About, Rerun};
use crate::check::{Check, Finding, Origin, SpecReference, Status};
use crate::run::{
    Cell, Counts, ExitCode, Line, Outcome, Preflight, Results, RunEvent, Summary, Verdict,
};
use crate::scenario::{Body, Carriers, CheckSpec, Leg, Official, Profile, Proofs, Scenario, Suite};
use crate::server::reference::everything;
use crate::spec::{Revision, Revisions};
use crate::trace::{Party, Reading, Recorder, What};
use crate::transport::CarrierKind;

static TOOLS_LIST: Scenario = scenario(
    "tools-list",
    "Tools are listed",
    Official::active(Revisions::from(Revision::V2025_06_18)),
    Revisions::all(),
);

#[cfg(feature = "cli")]
static PING: Scenario = scenario(
    "ping",
    "A ping is answered",
    Official::active(Revisions::between(Revision::V2025_06_18, Revision::V2025_11_25)),
    Revisions::between(Revision::V2024_11_05, Revision::V2025_11_25),
);

const fn scenario(
    id: &'static str,
    title: &'static str,
    official: Official,
    revisions: Revisions,
) -> Scenario {
    const CHECKS: &[CheckSpec] = &[];
    Scenario {
        id,
        title,
        doc: "",
        leg: Leg::Server,
        revisions,
        official: Some(official),
        carriers: Carriers::Any,
        needs: &[],
        disturbs: None,
        timeout: None,
        opens: false,
        verbatim: false,
        checks: CHECKS,
        body: Body::Server(&|_| Box::pin(async { Ok(()) })),
        proofs: || Proofs { peer: || everything().into(), proofs: Vec::new() },
        file: file!(),
    }
}

pub(super) fn about() -> About {
    About {
        command: "server",
        target: "http://localhost:3000/mcp".to_owned(),
        profile: Profile::Official,
        suite: Some(Suite::Active),
        inapplicable: Vec::new(),
    }
}

pub(super) fn rerun() -> Rerun {
    Rerun {
        before: vec!["mcp-test".to_owned(), "server".to_owned()],
        chooses: "--scenario",
        after: vec!["--".to_owned(), "node".to_owned(), "my server.js".to_owned()],
        names_carrier: false,
    }
}

/// All is well, over stdio at 2025-11-25.
pub(super) fn passed() -> Outcome {
    let mut check = check("tools-list", Status::Success);
    check.name = "ToolsList".to_owned();
    check.description = "Server lists its tools".to_owned();
    check.spec_references = vec![SpecReference {
        id: "MCP-Tools-List".to_owned(),
        url: Some("https://example.org/tools".to_owned()),
    }];
    outcome(&TOOLS_LIST, vec![check], Verdict::Passed)
}

/// Another scenario, and all is well.
#[cfg(feature = "cli")]
pub(super) fn ping() -> Outcome {
    outcome(&PING, vec![check("ping", Status::Success)], Verdict::Passed)
}

/// The same scenario as [`passed`] at another revision, skipped.
#[cfg(feature = "cli")]
pub(super) fn skipped() -> Outcome {
    let mut check = check("tools-list", Status::Skipped);
    check.message = Some("the server does not declare the capability `tools`".to_owned());
    let mut outcome = outcome(&TOOLS_LIST, vec![check], Verdict::Skipped);
    outcome.cell.revision = Revision::NEWEST;
    outcome
}

/// One success, one failure with everything that a failure can have, one warning, and two advisory checks.
pub(super) fn failed() -> Outcome {
    let recorder = Recorder::new();
    let connection = recorder.open("stdio");
    let said = |party, text: &'static str| {
        recorder.record(connection, party, Reading::message(Bytes::from_static(text.as_bytes())))
    };
    let asked = said(Party::Client, r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
    let answered =
        said(Party::Server, r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":7}]}}"#);
    recorder.record(connection, Party::Server, What::Stderr("warning: no name".to_owned()));

    let mut success = check("server-answers", Status::Success);
    success.description = "Server answers".to_owned();
    let finding = Finding::peer("the tool list is malformed")
        .expected("`/tools/0/name` is a non-empty string")
        .got("7, which is a number")
        .hint("give every tool a name")
        .requires("tools.list.respond")
        .evidence(asked)
        .evidence(answered);
    let mut failure = Check::from_finding("tools-list", Origin::Official, finding);
    failure.name = "ToolsList".to_owned();
    failure.description = "Server lists its tools".to_owned();
    failure.known_false = Some("the specification does not demand it".to_owned());
    let finding = Finding::peer("the tool has no description").should();
    let mut warning = Check::from_finding("tools-described", Origin::Official, finding);
    warning.description = "Tools say what they do".to_owned();
    let mut untestable = check("tools-annotated", Status::Failure);
    untestable.message = Some("Not testable: there is no tool with annotations".to_owned());
    untestable.untestable = true;
    let mut own = Check::from_finding(
        "wire-well-formed",
        Origin::Own,
        Finding::harness("the schema cannot be read"),
    );
    own.description = "Every message is well formed".to_owned();
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

/// The events of a run of these cells.
pub(super) fn events(cells: Vec<Cell>, outcomes: Vec<Outcome>) -> Vec<RunEvent> {
    let speaks = vec![Revision::V2025_11_25, Revision::NEWEST];
    let preflight = Preflight {
        speaks: [(CarrierKind::Stdio, speaks)].into(),
        complete: true,
        server: Some("sample 1.0.0".to_owned()),
    };
    let mut events = vec![RunEvent::PreflightDone(preflight), RunEvent::Planned(cells)];
    let mut summary = Summary {
        target: about().target,
        profile: Profile::Official,
        suite: Some(Suite::Active),
        lines: Vec::new(),
        counts: Counts::default(),
        advisory: Counts::default(),
        results: Results::default(),
        baseline: None,
        not_run: None,
        exit: ExitCode::Passed,
        interrupted: None,
    };
    for outcome in outcomes {
        let (counting, others): (Vec<_>, Vec<_>) =
            outcome.checks.iter().partition(|check| outcome.profile.counts(check));
        let line = Line {
            cell: outcome.cell,
            profile: outcome.profile,
            verdict: outcome.verdict,
            counts: Counts::of(counting),
            advisory: Counts::of(others),
        };
        summary.counts.add(line.counts);
        summary.advisory.add(line.advisory);
        if line.verdict == Verdict::Failed {
            summary.exit = ExitCode::Failed;
        }
        summary.lines.push(line);
        events.push(RunEvent::Started(outcome.cell));
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
        cell: Cell { scenario, revision: Revision::V2025_11_25, carrier: CarrierKind::Stdio },
        profile: Profile::Official,
        checks,
        trace: Recorder::new().trace(),
        stderr_tail: Vec::new(),
        exited: None,
        left: None,
        started: "2026-11-21T21:37:43.473Z".to_owned(),
        elapsed: Duration::from_millis(12),
        verdict,
    }
}
