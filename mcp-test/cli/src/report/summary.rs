//! The whole run as one JSON document: `summary.json`, and what `--format json` prints.

use std::path::Path;

use mcp_test_core::check::Finding;
use mcp_test_core::clock;
use mcp_test_core::json::{Object, Value};
use mcp_test_core::run::{
    ClientSpeaks, Comparison, Counts, Inapplicable, Level, Outcome, Problem, ScenarioRun, Summary,
    Untested, Verdict,
};
use mcp_test_core::scenario::{Profile, RequirementSet, Suite, TestedSide};
use mcp_test_core::spec::{Revision, Revisions};

use super::coverage;

/// The version of `schemas/run.schema.json`.
const SCHEMA_VERSION: u64 = 1;

/// What is known about a run before it begins.
#[derive(Debug, Clone)]
pub struct RunInfo {
    /// The command: `server`, `check` or `client`.
    pub command: &'static str,
    /// What is tested.
    pub target: String,
    /// The rules for verdicts.
    pub profile: Profile,
    /// The selected suite.
    pub suite: Option<Suite>,
    /// The selected set of scenarios, not all of which are scored.
    pub requirements: Option<&'static RequirementSet>,
    /// The selected scenarios that are not applicable.
    pub inapplicable: Vec<Inapplicable>,
    /// The side whose requirements are listed with whether they were tested; `None` if they are not listed.
    pub coverage: Option<TestedSide>,
}

/// Builds the document.
///
/// ```json
/// {
///   "schemaVersion": 1,
///   "tool": {"name": "mcp-test", "version": "0.1.0"},
///   "command": "check",
///   "target": "npx my-server",
///   "server": "my-server 1.0.0",
///   "clientSpeaks": null,
///   "profile": "adaptive",
///   "suite": null,
///   "started": "2026-11-21T21:37:43.473Z",
///   "exitCode": 1,
///   "interrupted": false,
///   "notRun": null,
///   "counts": {"success": 3, "failure": 1, "warning": 0, "skipped": 0, "info": 0},
///   "advisory": {"success": 0, "failure": 0, "warning": 0, "skipped": 0, "info": 0},
///   "checks": {"success": 3, "failure": 1, "warning": 0, "skipped": 0, "info": 0},
///   "problems": [{
///     "level": "failing", "headline": "the reply to `tools/list` has the wrong id",
///     "requirements": ["jsonrpc.result-id-echo"], "scenarios": ["tools-list"],
///     "checks": ["tools-list", "wire-well-formed"], "revisions": ["2025-11-25"], "transports": ["stdio"],
///     "runs": 1, "occurrences": 2, "notReached": 0, "notRun": 0, "badExits": 0,
///     "example": {"scenario": "tools-list", "revision": "2025-11-25", "transport": "stdio"}
///   }],
///   "notTested": [],
///   "coverage": null,
///   "cells": [{
///     "scenario": "tools-list", "revision": "2025-11-25", "transport": "stdio", "profile": "adaptive",
///     "verdict": "failed", "counts": {}, "advisory": {},
///     "started": "2026-11-21T21:37:43.480Z", "elapsedMs": 12, "directory": "server-tools-list-…"
///   }],
///   "inapplicable": [{"scenario": "ping", "revision": "2026-07-28"}],
///   "baseline": {"expected": [], "stale": [], "unexpected": []},
///   "known": [{"requirement": "transport.http.event-id-unique", "reason": "fixed in 2.0", "occurs": true}],
///   "shard": null, "notStarted": [],
///   "serverStarts": {"all": 9, "again": 0}
/// }
/// ```
///
/// `clientSpeaks` has for a client the revisions that it spoke, the newest of them and the newest that it was asked to speak, such as
/// `{"spoken": ["2025-06-18", "2025-11-25"], "newest": "2025-11-25", "asked": "2026-07-28"}`; it is null for a server, and for a client
/// that has not shown it.
/// `verdict` is `passed`, `failed`, `skipped`, `not-run` or `flaky`: a flaky scenario run failed, and did not when it was run again. A scenario run
/// that was run again has its `attempts` in order, each with `verdict`, `started` and `elapsedMs`; everything else is about the first
/// of them that failed. `shard` is the part of the run, such as `1/3`. `notStarted` has the scenario runs that were not run after the first
/// failure. `serverStarts` has how often the program of the server was started for a connection over standard streams, and how many of
/// these starts were needed because it had exited or did not answer in time. `advisory` counts the checks that do not count in the
/// profile. `counts` and `advisory` count each check once per scenario run, `checks` those that count once, with the most severe
/// status. `problems` has each cause once, most severe first (`failing`, `not-run`, `warning`, `advisory`); `notReached`
/// counts the checks that could not be made because of it, `notRun` the scenario runs that were not run, `badExits` the scenario runs in which the
/// client then exited with an error or did not exit. `notTested` has the scenario runs
/// that were skipped, each with its `reason`. A scenario run has `silence` if the server has stopped answering: the scenario run in which that
/// was noticed, and the `headline` of its finding. `interrupted` is true if a signal ended the run early, so that scenario runs are
/// missing. `notRun` is why nothing was run, an object with `blame`, `headline`, `expected`, `got`, `hint` and
/// `requirements`. `inapplicable` has a `transport` if the scenario
/// does not apply to that transport. `directory` exists if results are written, `checks` if the document is printed;
/// `baseline` is null without one. `known` has the requirements whose violations are expected; `occurs` is null if that is unknown.
#[derive(Debug)]
pub struct SummaryJson {
    info: RunInfo,
    started: String,
    server: Option<String>,
    scenario_runs: Vec<Value>,
}

impl SummaryJson {
    /// Starts a document.
    #[must_use]
    pub fn new(info: RunInfo) -> Self {
        Self { info, started: clock::utc_now(), server: None, scenario_runs: Vec::new() }
    }

    /// Sets the name of the server.
    pub fn server(&mut self, name: Option<&str>) {
        self.server = name.map(str::to_owned);
    }

    /// Adds a scenario run, with its checks or the directory of its results.
    pub fn scenario_run(
        &mut self,
        outcome: &Outcome,
        directory: Option<&Path>,
        checks: Option<Value>,
    ) {
        // Of an unscored scenario, what would count.
        let (counting, advisory): (Vec<_>, Vec<_>) =
            outcome.checks.iter().partition(|check| outcome.profile.counts(check));
        let mut scenario_run = object_of(&outcome.scenario_run);
        scenario_run.push("profile", outcome.profile.as_str());
        scenario_run.push("verdict", verdict(outcome.verdict));
        scenario_run.push("counts", counts(Counts::of(counting)));
        scenario_run.push("advisory", counts(Counts::of(advisory)));
        scenario_run.push("started", outcome.started.as_str());
        scenario_run
            .push("elapsedMs", u64::try_from(outcome.elapsed.as_millis()).unwrap_or(u64::MAX));
        if let Some(reason) = outcome.unscored {
            scenario_run.push("unscored", reason.as_str());
        }
        if let Some(silence) = &outcome.silence {
            let mut object = object_of(&silence.scenario_run);
            object.push("headline", silence.finding.headline.as_str());
            scenario_run.push("silence", object);
        }
        if !outcome.other_attempts.is_empty() {
            let attempts = outcome.attempts().into_iter().map(attempt);
            scenario_run.push("attempts", attempts.collect::<Value>());
        }
        if let Some(directory) = directory {
            // The document has the same paths on every system.
            scenario_run.push("directory", directory.to_string_lossy().replace('\\', "/"));
        }
        if let Some(checks) = checks {
            scenario_run.push("checks", checks);
        }
        self.scenario_runs.push(Value::Object(scenario_run));
    }

    /// The finished document.
    #[must_use]
    pub fn finish(&self, summary: &Summary) -> Value {
        let tool = [("name", "mcp-test"), ("version", env!("CARGO_PKG_VERSION"))];
        let mut document = Object::new();
        document.push("schemaVersion", SCHEMA_VERSION);
        document.push("tool", Value::Object(tool.into_iter().collect()));
        document.push("command", self.info.command);
        document.push("target", self.info.target.as_str());
        document.push("server", self.server.as_deref());
        document.push("clientSpeaks", summary.client_speaks.map(client_speaks));
        document.push("profile", self.info.profile.as_str());
        document.push("suite", self.info.suite.map(Suite::as_str));
        document.push("requirements", self.info.requirements.map(|set| set.revision.as_str()));
        document.push("started", self.started.as_str());
        // A signal decides the exit code of the process, whatever the verdict so far.
        let exit = summary.interrupted.unwrap_or(summary.exit.number());
        document.push("exitCode", u64::from(exit));
        document.push("interrupted", summary.interrupted.is_some());
        document.push("notRun", summary.not_run.as_ref().map(finding));
        document.push("counts", counts(summary.counts));
        document.push("advisory", counts(summary.advisory));
        document.push("checks", counts(summary.problems.checks()));
        document.push("problems", problems(summary));
        document
            .push("notTested", summary.problems.untested().iter().map(untested).collect::<Value>());
        document.push("cells", self.scenario_runs.clone());
        let inapplicable = self.info.inapplicable.iter().map(|inapplicable| {
            let mut object = Object::new();
            object.push("scenario", &*inapplicable.scenario.id);
            object.push("revision", inapplicable.revision.as_str());
            if let Some(transport) = inapplicable.transport {
                object.push("transport", transport.as_str());
            }
            Value::Object(object)
        });
        document.push("inapplicable", inapplicable.collect::<Value>());
        let baseline = summary.baseline.as_ref().map(|comparison| {
            let Comparison { expected, stale, unexpected } = comparison.clone();
            let lists = [("expected", expected), ("stale", stale), ("unexpected", unexpected)];
            Value::Object(lists.into_iter().collect())
        });
        document.push("baseline", baseline);
        document.push("known", known(summary));
        let coverage =
            self.info.coverage.map(|tested_side| coverage::json(&summary.coverage, tested_side));
        document.push("coverage", coverage);
        document.push("shard", summary.shard.map(|shard| shard.to_string()));
        let not_started =
            summary.not_started.iter().map(|scenario_run| Value::Object(object_of(scenario_run)));
        document.push("notStarted", not_started.collect::<Value>());
        let mut starts = Object::new();
        starts.push("all", summary.program_starts);
        starts.push("again", summary.program_restarts);
        document.push("serverStarts", Value::Object(starts));
        Value::Object(document)
    }
}

/// The known violations.
fn known(summary: &Summary) -> Value {
    let violations = summary.known.violations();
    let known = violations.iter().map(|(requirement, known)| {
        let mut object = Object::new();
        object.push("requirement", requirement.id);
        object.push("reason", known.why());
        let occurs = summary.known.occurring().any(|it| it == known);
        let is_gone = summary.known.gone().any(|(gone, ..)| gone == requirement);
        object.push("occurs", (occurs || is_gone).then_some(occurs));
        Value::Object(object)
    });
    known.collect()
}

/// One of several attempts.
fn attempt(outcome: &Outcome) -> Value {
    let mut object = Object::new();
    let failing = Outcome::judge(&outcome.scenario_run, outcome.profile, &outcome.checks);
    object.push("verdict", verdict(failing));
    object.push("started", outcome.started.as_str());
    object.push("elapsedMs", u64::try_from(outcome.elapsed.as_millis()).unwrap_or(u64::MAX));
    Value::Object(object)
}

/// The problems, most severe first.
fn problems(summary: &Summary) -> Value {
    let problems = summary.problems.sorted().into_iter();
    problems.map(|problem| Value::Object(problem_of(problem))).collect()
}

fn problem_of(problem: &Problem) -> Object {
    let mut object = Object::new();
    object.push(
        "level",
        match problem.level() {
            Level::Failing => "failing",
            Level::NotRun => "not-run",
            Level::Warning => "warning",
            Level::Advisory => "advisory",
        },
    );
    object.push("headline", problem.headline());
    let further = problem.further_requirements();
    let cited = problem.requirements().iter().copied().chain(further);
    object.push("requirements", texts(cited.map(|requirement| requirement.id)));
    object.push("scenarios", texts(problem.scenarios()));
    object.push("checks", texts(problem.checks()));
    object.push("revisions", texts(problem.revisions().iter().map(Revision::as_str)));
    object.push("transports", texts(problem.transports().iter().map(|it| it.as_str())));
    object.push("runs", problem.scenario_runs().len());
    object.push("occurrences", problem.occurrences.len());
    object.push("notReached", problem.not_reached);
    object.push("notRun", problem.not_run);
    object.push("badExits", problem.bad_exits);
    object.push("example", object_of(&problem.example.scenario_run));
    object
}

fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Value {
    texts.into_iter().map(Value::from).collect()
}

fn untested(untested: &Untested) -> Value {
    let mut object = object_of(&untested.scenario_run);
    object.push("reason", untested.reason.as_str());
    Value::Object(object)
}

fn client_speaks(speaks: ClientSpeaks) -> Value {
    let newest = |revisions: Revisions| revisions.newest().map(Revision::as_str);
    Value::Object(Object::from_iter([
        ("spoken", texts(speaks.spoken.iter().map(Revision::as_str))),
        ("newest", newest(speaks.spoken).into()),
        ("asked", newest(speaks.asked).into()),
    ]))
}

fn object_of(scenario_run: &ScenarioRun) -> Object {
    Object::from_iter([
        ("scenario", &*scenario_run.scenario.id),
        ("revision", scenario_run.revision.as_str()),
        ("transport", scenario_run.transport.as_str()),
    ])
}

fn counts(counts: Counts) -> Value {
    let members = [
        ("success", counts.success),
        ("failure", counts.failure),
        ("warning", counts.warning),
        ("skipped", counts.skipped),
        ("info", counts.info),
    ];
    Value::Object(members.into_iter().collect())
}

/// A finding: blame, texts, the broken requirements, and the violated shape, as far as it has them.
pub(super) fn finding(finding: &Finding) -> Value {
    let mut object = Object::new();
    object.push("blame", finding.blame.to_string());
    object.push("headline", finding.headline.as_str());
    let Finding { expected, got, hint, excerpt, .. } = finding;
    let texts = [("expected", expected), ("got", got), ("hint", hint), ("excerpt", excerpt)];
    for (name, text) in texts {
        if let Some(text) = text {
            object.push(name, text.as_str());
        }
    }
    if let Some(sdk) = finding.sdk {
        object.push("sdk", sdk.as_str());
    }
    if !finding.requirements.is_empty() {
        let ids = finding.requirements.iter().map(|requirement| requirement.id);
        object.push("requirements", ids.collect::<Value>());
    }
    if let Some(shape) = &finding.shape {
        let members = [
            ("name", shape.name.as_str()),
            ("specVersion", shape.revision.as_str()),
            ("pointer", shape.pointer.as_str()),
            ("url", &shape.link),
        ];
        object.push("shape", Object::from_iter(members));
    }
    Value::Object(object)
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "passed",
        Verdict::Failed => "failed",
        Verdict::Skipped => "skipped",
        Verdict::NotRun => "not-run",
        Verdict::Flaky => "flaky",
    }
}
