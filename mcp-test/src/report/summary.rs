//! The whole run as one JSON document: `summary.json`, and what `--format json` prints.

use std::path::Path;

use crate::check::Finding;
use crate::clock;
use crate::json::{Object, Value};
use crate::run::{Cell, Counts, Inapplicable, Outcome, Summary, Verdict};
use crate::scenario::{Profile, Suite};

/// What is known of a run before it begins.
#[derive(Debug, Clone)]
pub struct About {
    /// The command: `server`, `check` or `client`.
    pub command: &'static str,
    /// What is tested.
    pub target: String,
    /// By whose rules.
    pub profile: Profile,
    /// The suite that was asked for.
    pub suite: Option<Suite>,
    /// What was asked for and cannot be played.
    pub inapplicable: Vec<Inapplicable>,
}

/// Gathers the document.
///
/// ```json
/// {
///   "tool": {"name": "mcp-test", "version": "0.1.0"},
///   "command": "check",
///   "target": "npx my-server",
///   "server": "my-server 1.0.0",
///   "profile": "adaptive",
///   "suite": null,
///   "started": "2026-11-21T21:37:43.473Z",
///   "exitCode": 1,
///   "interrupted": false,
///   "notRun": null,
///   "counts": {"success": 3, "failure": 1, "warning": 0, "skipped": 0, "info": 0},
///   "advisory": {"success": 0, "failure": 0, "warning": 0, "skipped": 0, "info": 0},
///   "cells": [{
///     "scenario": "tools-list", "revision": "2025-11-25", "transport": "stdio", "profile": "adaptive",
///     "verdict": "failed", "counts": {}, "advisory": {},
///     "started": "2026-11-21T21:37:43.480Z", "elapsedMs": 12, "directory": "server-tools-list-…"
///   }],
///   "inapplicable": [{"scenario": "ping", "revision": "2026-07-28"}],
///   "baseline": {"expected": [], "stale": [], "unexpected": []}
/// }
/// ```
///
/// `verdict` is `passed`, `failed`, `skipped` or `not-run`. `advisory` counts the checks that do not count in the
/// profile. `interrupted` tells that a signal broke the run off, so that cells are missing. `notRun` tells why nothing was played, as an object with `blame`, `headline`, `expected`, `got`, `hint`.
/// `inapplicable` has a `transport` where it is that which does not have what the scenario is about.
/// `directory` is there if results are written, `checks` if the document is printed, `baseline` is null without one.
#[derive(Debug)]
pub struct SummaryJson {
    about: About,
    started: String,
    server: Option<String>,
    cells: Vec<Value>,
}

impl SummaryJson {
    /// Begins a document.
    #[must_use]
    pub fn new(about: About) -> Self {
        Self { about, started: clock::utc_now(), server: None, cells: Vec::new() }
    }

    /// Notes what the server calls itself.
    pub fn server(&mut self, name: Option<&str>) {
        self.server = name.map(str::to_owned);
    }

    /// Adds a cell, with the directory of its results or its checks.
    pub fn cell(&mut self, outcome: &Outcome, directory: Option<&Path>, checks: Option<Value>) {
        let (counting, advisory): (Vec<_>, Vec<_>) =
            outcome.checks.iter().partition(|check| outcome.profile.counts(check));
        let mut cell = object_of(&outcome.cell);
        cell.push("profile", outcome.profile.as_str());
        cell.push("verdict", verdict(outcome.verdict));
        cell.push("counts", counts(Counts::of(counting)));
        cell.push("advisory", counts(Counts::of(advisory)));
        cell.push("started", outcome.started.as_str());
        cell.push("elapsedMs", u64::try_from(outcome.elapsed.as_millis()).unwrap_or(u64::MAX));
        if let Some(directory) = directory {
            cell.push("directory", directory.to_string_lossy().replace('\\', "/"));
        }
        if let Some(checks) = checks {
            cell.push("checks", checks);
        }
        self.cells.push(Value::Object(cell));
    }

    /// The finished document.
    #[must_use]
    pub fn finish(&self, summary: &Summary) -> Value {
        let tool = [("name", env!("CARGO_PKG_NAME")), ("version", env!("CARGO_PKG_VERSION"))];
        let mut document = Object::new();
        document.push("tool", Value::Object(tool.into_iter().collect()));
        document.push("command", self.about.command);
        document.push("target", self.about.target.as_str());
        document.push("server", self.server.as_deref());
        document.push("profile", self.about.profile.as_str());
        document.push("suite", self.about.suite.map(Suite::as_str));
        document.push("started", self.started.as_str());
        let exit = summary.interrupted.unwrap_or(summary.exit.number());
        document.push("exitCode", u64::from(exit));
        document.push("interrupted", summary.interrupted.is_some());
        document.push("notRun", summary.not_run.as_ref().map(finding));
        document.push("counts", counts(summary.counts));
        document.push("advisory", counts(summary.advisory));
        document.push("cells", self.cells.clone());
        let inapplicable = self.about.inapplicable.iter().map(|inapplicable| {
            let mut object = Object::new();
            object.push("scenario", inapplicable.scenario.id);
            object.push("revision", inapplicable.revision.as_str());
            if let Some(carrier) = inapplicable.carrier {
                object.push("transport", carrier.as_str());
            }
            Value::Object(object)
        });
        document.push("inapplicable", inapplicable.collect::<Value>());
        let baseline = summary.baseline.as_ref().map(|comparison| {
            let mut object = Object::new();
            object.push("expected", comparison.expected.clone());
            object.push("stale", comparison.stale.clone());
            object.push("unexpected", comparison.unexpected.clone());
            Value::Object(object)
        });
        document.push("baseline", baseline);
        Value::Object(document)
    }
}

fn object_of(cell: &Cell) -> Object {
    let mut object = Object::new();
    object.push("scenario", cell.scenario.id);
    object.push("revision", cell.revision.as_str());
    object.push("transport", cell.carrier.as_str());
    object
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

/// A finding: who is to blame, its texts, and the shape that is broken, where it has them.
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
    }
}
