//! The report: each finding as it comes, then a count; or one JSON document.

use std::collections::BTreeMap;
use std::fmt::Write;

use mcp_test_core::expect::words::{self, count};
use mcp_test_core::json::{Object, Value};
use mcp_test_core::run::ExitCode;
use mcp_test_core::spec::Revision;

use super::verdict::Verdict;
use crate::args::ValidateArgs;
use crate::common_args::Format;
use crate::error::CliError;
use crate::output;

/// The version of `schemas/validate.schema.json`.
const SCHEMA_VERSION: u64 = 1;

/// How many findings are reported; all are counted.
const MAX_FINDINGS: usize = 1000;

/// The findings and counts so far.
pub(super) struct Report {
    file: String,
    format: Format,
    /// How many values were valid, by their shape.
    valid: BTreeMap<String, usize>,
    invalid: usize,
    /// The findings of the JSON document; as text they are printed at once.
    findings: Vec<Value>,
    revisions: Vec<Revision>,
    /// How many replies answer no known request.
    unmatched: usize,
    /// The first line that was left out, and how many lines, by the reason.
    left_out: BTreeMap<&'static str, (usize, usize)>,
    elided: u64,
    deliberate: usize,
    /// Whether the only value is not a message.
    is_not_a_message: bool,
}

impl Report {
    pub(super) fn new(args: &ValidateArgs) -> Self {
        let file = match args.file.as_os_str() == "-" {
            true => "standard input".to_owned(),
            false => args.file.display().to_string(),
        };
        Self {
            file,
            format: args.format,
            valid: BTreeMap::new(),
            invalid: 0,
            findings: Vec::new(),
            revisions: Vec::new(),
            unmatched: 0,
            left_out: BTreeMap::new(),
            elided: 0,
            deliberate: 0,
            is_not_a_message: false,
        }
    }

    /// Adds the verdict on a line, or on the only value.
    pub(super) fn add(&mut self, line: Option<usize>, verdict: &Verdict) -> Result<(), CliError> {
        self.revisions.extend(verdict.revision.filter(|it| !self.revisions.contains(it)));
        self.unmatched += usize::from(verdict.is_unmatched);
        if verdict.is_valid() {
            let shape = verdict.shape.clone().unwrap_or_else(|| "message".to_owned());
            *self.valid.entry(shape).or_default() += 1;
            return Ok(());
        }
        self.invalid += 1;
        let (shape, revision) = (&verdict.shape, verdict.revision);
        self.is_not_a_message |= line.is_none() && shape.is_none() && revision.is_none();
        match self.format {
            _ if self.invalid > MAX_FINDINGS => Ok(()),
            Format::Human => output::print(&verdict.text(line)),
            Format::Json => {
                self.findings.push(verdict.json(line));
                Ok(())
            }
        }
    }

    /// Counts a line that is not validated.
    pub(super) fn leave_out(&mut self, line: usize, why: &'static str) {
        self.left_out.entry(why).or_insert((line, 0)).1 += 1;
    }

    /// Counts events that are not in the trace, because it was too large.
    pub(super) fn add_elided(&mut self, events: u64) {
        self.elided = self.elided.saturating_add(events);
    }

    /// Counts a message that mcp-test sent deliberately as it is.
    pub(super) fn add_deliberate(&mut self) {
        self.deliberate += 1;
    }

    /// Writes the end of the report; returns the exit code.
    pub(super) fn end(self) -> Result<u8, CliError> {
        let exit = match (self.invalid, self.valid.len(), self.left_out.len()) {
            (1.., _, _) => ExitCode::Failed,
            // What was not validated must not be called valid.
            (0, 0, _) | (0, _, 1..) => ExitCode::Usage,
            (0, ..) => ExitCode::Passed,
        };
        output::print(&match self.format {
            Format::Human => self.text(),
            Format::Json => self.json(exit).pretty() + "\n",
        })?;
        Ok(exit.number())
    }

    /// How many values were validated.
    pub(super) fn validated(&self) -> usize {
        self.invalid + self.valid.values().sum::<usize>()
    }

    fn text(&self) -> String {
        // Writing to a String does not fail.
        let mut text = String::new();
        if self.invalid > MAX_FINDINGS {
            let more = count(self.invalid - MAX_FINDINGS, "more finding");
            let _ = writeln!(text, "… {more}, not shown");
        }
        if self.invalid > 0 {
            text.push('\n');
        }
        let against = match self.revisions.as_slice() {
            [] => String::new(),
            revisions => format!(" against MCP {}", words::list(revisions, "and")),
        };
        let (file, validated, invalid) = (&self.file, self.validated(), self.invalid);
        let valid = validated - invalid;
        let _ = writeln!(
            text,
            "{file}: {validated} validated{against}, {valid} valid, {invalid} invalid"
        );
        if !self.valid.is_empty() {
            let valid = self.valid.iter().map(|(shape, times)| match times {
                1 => shape.clone(),
                times => format!("{shape} ({times})"),
            });
            let _ = writeln!(text, "valid: {}", valid.collect::<Vec<_>>().join(", "));
        }
        for note in self.notes() {
            let _ = writeln!(text, "note: {note}");
        }
        text
    }

    /// Notes on what was not validated, or not completely.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.validated() == 0 {
            notes.push("it contains nothing to validate".to_owned());
        }
        for (why, (first, times)) in &self.left_out {
            let more = match times - 1 {
                0 => String::new(),
                more => format!(" and {} more", count(more, "line")),
            };
            notes.push(format!("line {first}{more} not validated: {why}"));
        }
        if self.unmatched > 0 {
            let which = match self.unmatched {
                1 => "1 reply answers no request in the input".to_owned(),
                many => format!("{many} replies answer no request in the input"),
            };
            notes.push(format!("{which}; only the rules for all replies were checked"));
        }
        if self.deliberate > 0 {
            let messages = count(self.deliberate, "message");
            notes.push(format!("{messages} not validated: sent deliberately by mcp-test"));
        }
        if self.elided > 0 {
            let events = count(usize::try_from(self.elided).unwrap_or(usize::MAX), "event");
            notes.push(format!("{events} missing: the trace was too large"));
        }
        if self.is_not_a_message {
            let note = "to validate a value that is not a message, name its definition with --as";
            notes.push(note.to_owned());
        }
        notes
    }

    fn json(self, exit: ExitCode) -> Value {
        let notes = self.notes();
        let validated = self.validated();
        let mut object = Object::new();
        object.push("schemaVersion", SCHEMA_VERSION);
        object.push("file", self.file);
        object.push("specVersions", self.revisions.iter().map(|it| it.as_str()).collect::<Value>());
        object.push("valid", exit == ExitCode::Passed);
        object.push("judged", validated);
        object.push("invalid", self.invalid);
        let shapes = self.valid.into_iter().map(|(shape, times)| (shape, Value::from(times)));
        object.push("validByDefinition", shapes.collect::<Object>());
        object.push("findings", self.findings);
        object.push("notes", notes);
        object.push("exitCode", i64::from(exit.number()));
        object.into()
    }
}
