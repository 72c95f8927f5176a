//! The run as one JSON document on a stream: `summary.json` with all checks.

use std::io::Write;

use mcp_test_core::check::{Check, Origin};
use mcp_test_core::json::{Object, Value};
use mcp_test_core::run::{MaskedEvent, Outcome, RunEvent};
use mcp_test_core::trace;

use super::{ReportError, Reporter, RunInfo, SummaryJson, checks_json, summary};

/// Writes the document of [`SummaryJson`] when the run has ended.
///
/// A check has the members of `checks.json` and also `origin` (`official`, `mcp-test` or `user`), `counts` (whether it
/// counts in the profile), `requirements` (id and link, or why mcp-test requires it), `knownFalse` (why), `finding` (blame,
/// headline, expected, got, hint, sdk, the ids of the requirements that are broken, shape) and `exchange` (the messages, as
/// text); the last three are optional.
#[derive(Debug)]
pub struct Json<W> {
    out: W,
    summary: SummaryJson,
}

impl<W: Write> Json<W> {
    /// Writes to `out`.
    #[must_use]
    pub fn new(out: W, info: RunInfo) -> Self {
        Self { out, summary: SummaryJson::new(info) }
    }
}

impl<W: Write> Reporter for Json<W> {
    fn event(&mut self, event: &MaskedEvent) -> Result<(), ReportError> {
        match &**event {
            RunEvent::PreflightDone(preflight) => self.summary.server(preflight.server.as_deref()),
            // Kept, since the counts and the exit code come first in the document.
            RunEvent::Finished(outcome) => {
                self.summary.scenario_run(outcome, None, Some(checks(outcome)));
            }
            RunEvent::Ended(summary) => {
                let document = self.summary.finish(summary).pretty();
                writeln!(self.out, "{document}")?;
                self.out.flush()?;
            }
            RunEvent::PreflightFailed { .. } | RunEvent::Planned(_) | RunEvent::Started(_) => {}
        }
        Ok(())
    }
}

fn checks(outcome: &Outcome) -> Value {
    outcome.checks.iter().map(|check| check_of(outcome, check)).collect()
}

fn check_of(outcome: &Outcome, check: &Check) -> Value {
    let mut row = checks_json::row(check);
    row.push(
        "origin",
        match check.origin {
            Origin::Official => "official",
            Origin::Own => "mcp-test",
            Origin::User => "user",
        },
    );
    row.push("counts", outcome.counts(check));
    let requirements = check.requirements.iter().map(|requirement| {
        let mut object = Object::new();
        object.push("id", requirement.id);
        // One of mcp-test has no page of the specification.
        match requirement.link(outcome.scenario_run.revision) {
            Some(link) => object.push("url", link),
            None => object.push("reason", requirement.reason().unwrap_or_default()),
        }
        Value::Object(object)
    });
    row.push("requirements", requirements.collect::<Value>());
    if let Some(why) = &check.known_false {
        row.push("knownFalse", why.as_str());
    }
    if let Some(finding) = &check.finding {
        row.push("finding", summary::finding(finding));
        let exchange = trace::excerpt(&outcome.trace, &finding.evidence);
        if !exchange.trim().is_empty() {
            row.push("exchange", exchange);
        }
    }
    Value::Object(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_failing_check_has_all_members() {
        let outcome = sample::failed();
        let mut out = Vec::new();
        let mut json = Json::new(&mut out, sample::info());
        for event in sample::events(vec![outcome.scenario_run.clone()], vec![outcome]) {
            json.event(&sample::masked(event)).expect("writing to memory succeeds");
        }
        let document = Value::parse(&out).expect("one document").value;
        assert_eq!(document.at("/exitCode").and_then(Value::as_i64), Some(1));
        assert_eq!(document.at("/cells/0/verdict").and_then(Value::as_str), Some("failed"));
        let check = document.at("/cells/0/checks/1").expect("the failing check");
        insta::assert_snapshot!(check.pretty(), @r#"
        {
          "id": "tools-list",
          "name": "ToolsList",
          "description": "Server lists its tools",
          "status": "FAILURE",
          "timestamp": "2026-11-21T21:37:43.480Z",
          "errorMessage": "the tool list is malformed\n  expected `/tools/0/name` is a non-empty string\n  got 7, which is a number\n  hint: give every tool a name",
          "origin": "official",
          "counts": true,
          "requirements": [
            {
              "id": "tools.list.respond",
              "url": "https://modelcontextprotocol.io/specification/2025-11-25/server/tools#capabilities"
            }
          ],
          "knownFalse": "the specification does not demand it",
          "finding": {
            "blame": "peer",
            "headline": "the tool list is malformed",
            "expected": "`/tools/0/name` is a non-empty string",
            "got": "7, which is a number",
            "hint": "give every tool a name",
            "requirements": [
              "tools.list.respond"
            ]
          },
          "exchange": "1  client → server  tools/list\n2  client ← server  result {\"tools\":[{\"name\":7}]}\n"
        }
        "#);
    }
}
