//! The results directory: `checks.json` of each cell, as the official suite writes it, and `summary.json` of the run.

use std::fs;
use std::path::{Path, PathBuf};

use super::{About, Naming, ReportError, SummaryJson};
use crate::check::{Check, SpecReference};
use crate::json::{Object, Value};
use crate::run::{Outcome, RunEvent};

/// Writes the results directory while the run goes on.
///
/// ```text
/// <out>/server-<scenario>-<stamp>/checks.json     the checks that count, in the order in which they were made
/// <out>/server-<scenario>-<stamp>/advisory.json   the others, if there are any: the same form
/// <out>/<scenario>-<stamp>/stdout.txt, stderr.txt  for a client under test: what it printed
/// <out>/summary.json                              the run; see `SummaryJson`
/// ```
///
/// In profile `official` the checks of mcp-test's own are advisory, so a script that counts the failures in
/// `checks.json` counts those that the official suite would count. Directories are named by [`Naming`].
#[derive(Debug)]
pub struct ResultFiles {
    out: PathBuf,
    naming: Naming,
    summary: SummaryJson,
}

impl ResultFiles {
    /// Makes the output directory.
    ///
    /// # Errors
    ///
    /// If it cannot be made.
    pub fn create(out: &Path, about: About) -> Result<Self, ReportError> {
        fs::create_dir_all(out).map_err(ReportError::write(out))?;
        let summary = SummaryJson::new(about);
        Ok(Self { out: out.to_owned(), naming: Naming::default(), summary })
    }

    /// Writes what follows from `event`.
    ///
    /// # Errors
    ///
    /// If the file system refuses.
    pub fn event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        match event {
            RunEvent::PreflightDone(preflight) => self.summary.server(preflight.server.as_deref()),
            RunEvent::Planned(cells) => self.naming = Naming::of(cells),
            RunEvent::Finished(outcome) => self.finished(outcome)?,
            RunEvent::Ended(summary) => {
                let document = self.summary.finish(summary);
                self.write(&self.out.join("summary.json"), &document)?;
            }
            RunEvent::PreflightFailed { .. } | RunEvent::Started(_) => {}
        }
        Ok(())
    }

    fn finished(&mut self, outcome: &Outcome) -> Result<(), ReportError> {
        let name = self.naming.directory(outcome);
        let directory = self.out.join(&name);
        fs::create_dir_all(&directory).map_err(ReportError::write(&directory))?;
        let (counting, advisory): (Vec<_>, Vec<_>) =
            outcome.checks.iter().partition(|check| outcome.profile.counts(check));
        self.write(&directory.join("checks.json"), &rows(counting))?;
        if !advisory.is_empty() {
            self.write(&directory.join("advisory.json"), &rows(advisory))?;
        }
        if let Some(left) = &outcome.left {
            for (name, text) in [("stdout.txt", &left.stdout), ("stderr.txt", &left.stderr)] {
                let path = directory.join(name);
                fs::write(&path, text).map_err(ReportError::write(&path))?;
            }
        }
        self.summary.cell(outcome, Some(&name), None);
        Ok(())
    }

    fn write(&self, path: &Path, document: &Value) -> Result<(), ReportError> {
        fs::write(path, document.pretty()).map_err(ReportError::write(path))
    }
}

/// Checks as the official suite writes them.
#[must_use]
pub fn rows<'a>(checks: impl IntoIterator<Item = &'a Check>) -> Value {
    checks.into_iter().map(|check| Value::Object(row(check))).collect()
}

/// One check as the official suite writes it.
pub(super) fn row(check: &Check) -> Object {
    let mut row = Object::new();
    row.push("id", check.id.as_str());
    row.push("name", check.name.as_str());
    row.push("description", check.description.as_str());
    row.push("status", check.status.as_str());
    row.push("timestamp", check.timestamp.as_str());
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

/// The details, which officially say so themselves if the check could not be made.
fn details(check: &Check) -> Option<Value> {
    if !check.untestable {
        return check.details.clone();
    }
    let mut object = match &check.details {
        Some(Value::Object(object)) => object.clone(),
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
    use super::super::sample;
    use super::*;

    fn written(outcome: Outcome, several: bool) -> (tempfile::TempDir, PathBuf) {
        let out = tempfile::tempdir().expect("a directory");
        let mut files = ResultFiles::create(&out.path().join("results"), sample::about())
            .expect("the directory can be made");
        let mut cells = vec![outcome.cell];
        cells.extend(several.then_some(outcome.cell));
        let directory = out.path().join("results").join(Naming::of(&cells).directory(&outcome));
        for event in sample::events(cells, vec![outcome]) {
            files.event(&event).expect("it can be written");
        }
        (out, directory)
    }

    fn read(path: &Path) -> String {
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    #[test]
    fn checks_are_written_as_officially() {
        let (_out, directory) = written(sample::failed(), false);
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
            "description": "Tools say what they do",
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
            "errorMessage": "Not testable: there is no tool with annotations",
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
            "description": "Every message is well formed",
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
    fn the_summary_is_written_beside_them() {
        let (out, directory) = written(sample::passed(), true);
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
          "tool": {
            "name": "mcp-test",
            "version": "[version]"
          },
          "command": "server",
          "target": "http://localhost:3000/mcp",
          "server": "sample 1.0.0",
          "profile": "official",
          "suite": "active",
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
          "baseline": null
        }
        "#);
    }

    #[test]
    fn an_output_directory_that_cannot_be_made_is_named() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let error = ResultFiles::create(&file.path().join("x"), sample::about())
            .expect_err("a file is no directory");
        assert!(error.to_string().starts_with(&format!("cannot write {}", file.path().display())));
    }
}
