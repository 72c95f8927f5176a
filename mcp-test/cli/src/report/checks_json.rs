//! The results directory: `checks.json` for each scenario run, in the official format, and `summary.json` for the run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mcp_test_core::check::{Check, SpecReference};
use mcp_test_core::files;
use mcp_test_core::json::{Object, Value};
use mcp_test_core::run::{MaskedEvent, Outcome, RunEvent};

use super::{ReportError, Reporter, RunInfo, ScenarioRunNames, SummaryJson};

/// Writes the results directory during the run.
///
/// ```text
/// <out>/server-<scenario>-<stamp>/checks.json     the checks that count, in the order in which they were reported
/// <out>/server-<scenario>-<stamp>/advisory.json   the others, if there are any, in the same format
/// <out>/<scenario>-<stamp>/stdout.txt, stderr.txt  for a client under test: its output
/// <out>/server-<scenario>-<stamp>/attempt-<n>/    the same files for each other attempt of a scenario run that was run again
/// <out>/summary.json                              the run; see `SummaryJson`
/// ```
///
/// In profile `official` mcp-test's own checks are advisory, so a script that counts the failures in `checks.json` counts
/// those that the official suite would count. [`ScenarioRunNames`] names the directories.
#[derive(Debug)]
pub struct ResultFiles {
    out: PathBuf,
    names: ScenarioRunNames,
    timestamps: bool,
    summary: SummaryJson,
}

impl ResultFiles {
    /// Creates the output directory.
    ///
    /// # Errors
    ///
    /// If it cannot be created.
    pub fn create(out: &Path, info: RunInfo) -> Result<Self, ReportError> {
        fs::create_dir_all(out).map_err(ReportError::write(out))?;
        let summary = SummaryJson::new(info);
        let names = ScenarioRunNames::default();
        Ok(Self { out: out.to_owned(), names, timestamps: true, summary })
    }

    /// Sets whether the directories of scenario runs have the time in their names. If not, a run replaces the files of an earlier one.
    #[must_use]
    pub fn timestamps(mut self, timestamps: bool) -> Self {
        self.timestamps = timestamps;
        self
    }

    fn finished(&mut self, outcome: &Outcome) -> Result<(), ReportError> {
        let name = self.names.directory(outcome);
        let directory = self.out.join(&name);
        if !self.timestamps {
            remove_earlier(&directory).map_err(ReportError::write(&directory))?;
        }
        self.write_attempt(&directory, outcome)?;
        for other in &outcome.other_attempts {
            self.write_attempt(&directory.join(format!("attempt-{}", other.attempt)), other)?;
        }
        self.summary.scenario_run(outcome, Some(&name), None);
        Ok(())
    }

    fn write_attempt(&self, directory: &Path, outcome: &Outcome) -> Result<(), ReportError> {
        fs::create_dir_all(directory).map_err(ReportError::write(directory))?;
        let (counting, advisory): (Vec<_>, Vec<_>) =
            outcome.checks.iter().partition(|check| outcome.counts(check));
        self.write(&directory.join("checks.json"), &rows(counting))?;
        // Apart from `checks.json`, whose failures scripts count.
        if !advisory.is_empty() {
            self.write(&directory.join("advisory.json"), &rows(advisory))?;
        }
        if let Some(run) = &outcome.client_run {
            for (name, text) in [("stdout.txt", &run.stdout), ("stderr.txt", &run.stderr)] {
                let path = directory.join(name);
                files::replace(&path, text).map_err(ReportError::write(&path))?;
            }
        }
        Ok(())
    }

    fn write(&self, path: &Path, document: &Value) -> Result<(), ReportError> {
        files::replace(path, document.pretty()).map_err(ReportError::write(path))
    }
}

impl Reporter for ResultFiles {
    fn event(&mut self, event: &MaskedEvent) -> Result<(), ReportError> {
        match &**event {
            RunEvent::PreflightDone(preflight) => self.summary.server(preflight.server.as_deref()),
            RunEvent::Planned(scenario_runs) => {
                self.names = ScenarioRunNames::of(scenario_runs).timestamps(self.timestamps);
            }
            RunEvent::Finished(outcome) => self.finished(outcome)?,
            RunEvent::Ended(summary) => {
                let document = self.summary.finish(summary);
                self.write(&self.out.join("summary.json"), &document)?;
            }
            RunEvent::PreflightFailed { .. } | RunEvent::Started(_) => {}
        }
        Ok(())
    }
}

/// The files in the directory of a scenario run.
const FILES: [&str; 4] = ["checks.json", "advisory.json", "stdout.txt", "stderr.txt"];

/// How many attempts of a scenario run have directories at most.
const ATTEMPTS: usize = 100;

/// Removes the files of an earlier run, of which this one may not write all; other files are kept.
fn remove_earlier(directory: &Path) -> io::Result<()> {
    remove_files(directory)?;
    for number in 1..=ATTEMPTS {
        let attempt = directory.join(format!("attempt-{number}"));
        // A symbolic link may lead anywhere.
        if fs::symlink_metadata(&attempt).is_ok_and(|it| it.is_dir()) {
            remove_files(&attempt)?;
            // It stays if somebody has put other files there.
            let _ = fs::remove_dir(&attempt);
        }
    }
    Ok(())
}

fn remove_files(directory: &Path) -> io::Result<()> {
    for name in FILES {
        match fs::remove_file(directory.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Checks in the official format.
#[must_use]
pub fn rows<'a>(checks: impl IntoIterator<Item = &'a Check>) -> Value {
    checks.into_iter().map(|check| Value::Object(row(check))).collect()
}

/// One check in the official format.
pub(super) fn row(check: &Check) -> Object {
    let mut row = Object::from_iter([
        ("id", check.id.as_str()),
        ("name", &check.name),
        ("description", &check.description),
        ("status", check.status.as_str()),
        ("timestamp", &check.timestamp),
    ]);
    if let Some(message) = &check.message {
        row.push("errorMessage", message.as_str());
    }
    if !check.spec_references.is_empty() {
        row.push("specReferences", check.spec_references.iter().map(reference).collect::<Value>());
    }
    if let Some(details) = details(check) {
        row.push("details", details);
    }
    row
}

/// The details; the official format marks untestable checks in them.
fn details(check: &Check) -> Option<Value> {
    if !check.untestable {
        return check.details.clone();
    }
    let mut object = match &check.details {
        Some(Value::Object(object)) => object.clone(),
        // Details that are not an object have no place for a member.
        Some(other) => [("value", other.clone())].into_iter().collect(),
        None => Object::new(),
    };
    object.insert("untestable", true);
    Some(Value::Object(object))
}

fn reference(reference: &SpecReference) -> Value {
    let mut object = Object::new();
    object.push("id", reference.id.as_str());
    if let Some(url) = &reference.url {
        object.push("url", url.as_str());
    }
    Value::Object(object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    fn write_results(outcome: Outcome, several: bool) -> (tempfile::TempDir, PathBuf) {
        let out = tempfile::tempdir().expect("a directory");
        let mut files = ResultFiles::create(&out.path().join("results"), sample::info())
            .expect("the directory can be created");
        let mut scenario_runs = vec![outcome.scenario_run.clone()];
        scenario_runs.extend(several.then(|| outcome.scenario_run.clone()));
        let directory = out
            .path()
            .join("results")
            .join(ScenarioRunNames::of(&scenario_runs).directory(&outcome));
        for event in sample::events(scenario_runs, vec![outcome]) {
            files.event(&sample::masked(event)).expect("the files can be written");
        }
        (out, directory)
    }

    fn read(path: &Path) -> String {
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    #[test]
    fn checks_are_written_in_the_official_format() {
        let (_out, directory) = write_results(sample::failed(), false);
        insta::assert_snapshot!(read(&directory.join("checks.json")), @r#"
        [
          {
            "id": "server-answers",
            "name": "server-answers",
            "description": "Server answers",
            "status": "SUCCESS",
            "timestamp": "2026-11-21T21:37:43.480Z"
          },
          {
            "id": "tools-list",
            "name": "ToolsList",
            "description": "Server lists its tools",
            "status": "FAILURE",
            "timestamp": "2026-11-21T21:37:43.480Z",
            "errorMessage": "the tool list is malformed\n  expected `/tools/0/name` is a non-empty string\n  got 7, which is a number\n  hint: give every tool a name"
          },
          {
            "id": "tools-described",
            "name": "tools-described",
            "description": "Tools have a description",
            "status": "WARNING",
            "timestamp": "2026-11-21T21:37:43.480Z",
            "errorMessage": "the tool has no description"
          },
          {
            "id": "tools-annotated",
            "name": "tools-annotated",
            "description": "",
            "status": "FAILURE",
            "timestamp": "2026-11-21T21:37:43.480Z",
            "errorMessage": "Not testable: no tool has annotations",
            "details": {
              "untestable": true
            }
          }
        ]
        "#);
        insta::assert_snapshot!(read(&directory.join("advisory.json")), @r#"
        [
          {
            "id": "wire-well-formed",
            "name": "wire-well-formed",
            "description": "Every message is well-formed",
            "status": "FAILURE",
            "timestamp": "2026-11-21T21:37:43.480Z",
            "errorMessage": "the schema cannot be read"
          },
          {
            "id": "own-fine",
            "name": "own-fine",
            "description": "",
            "status": "SUCCESS",
            "timestamp": "2026-11-21T21:37:43.480Z"
          }
        ]
        "#);
    }

    #[test]
    fn the_summary_is_written_to_the_same_directory() {
        let (out, directory) = write_results(sample::passed(), true);
        assert!(!directory.join("advisory.json").exists());
        let summary = read(&out.path().join("results/summary.json"));
        let summary = Value::parse(summary.as_bytes()).expect("JSON").value;
        let mut summary = summary;
        assert!(
            summary.set("/started", "[time]".into())
                && summary.set("/tool/version", "[version]".into())
        );
        insta::assert_snapshot!(summary.pretty(), @r#"
        {
          "schemaVersion": 1,
          "tool": {
            "name": "mcp-test",
            "version": "[version]"
          },
          "command": "server",
          "target": "http://localhost:3000/mcp",
          "server": "sample 1.0.0",
          "clientSpeaks": null,
          "profile": "official",
          "suite": "active",
          "requirements": null,
          "started": "[time]",
          "exitCode": 0,
          "interrupted": false,
          "notRun": null,
          "counts": {
            "success": 1,
            "failure": 0,
            "warning": 0,
            "skipped": 0,
            "info": 0
          },
          "advisory": {
            "success": 0,
            "failure": 0,
            "warning": 0,
            "skipped": 0,
            "info": 0
          },
          "checks": {
            "success": 1,
            "failure": 0,
            "warning": 0,
            "skipped": 0,
            "info": 0
          },
          "problems": [],
          "notTested": [],
          "cells": [
            {
              "scenario": "tools-list",
              "revision": "2025-11-25",
              "transport": "stdio",
              "profile": "official",
              "verdict": "passed",
              "counts": {
                "success": 1,
                "failure": 0,
                "warning": 0,
                "skipped": 0,
                "info": 0
              },
              "advisory": {
                "success": 0,
                "failure": 0,
                "warning": 0,
                "skipped": 0,
                "info": 0
              },
              "started": "2026-11-21T21:37:43.473Z",
              "elapsedMs": 12,
              "directory": "server-tools-list-2026-11-21T21-37-43-473Z-2025-11-25-stdio"
            }
          ],
          "inapplicable": [],
          "baseline": null,
          "known": [],
          "coverage": null,
          "shard": null,
          "notStarted": [],
          "serverStarts": {
            "all": 0,
            "again": 0
          }
        }
        "#);
    }

    #[test]
    fn the_error_names_an_output_directory_that_cannot_be_created() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let error = ResultFiles::create(&file.path().join("x"), sample::info())
            .expect_err("a file is not a directory");
        assert!(error.to_string().starts_with(&format!("cannot write {}", file.path().display())));
    }
}
