//! What is said of all that was judged: each finding as it comes, then a count; or one JSON document.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::super::args::{Format, ValidateArgs};
use super::super::error::CliError;
use super::super::output;
use super::verdict::Verdict;
use crate::expect::words::{self, count};
use crate::json::{Object, Value};
use crate::run::ExitCode;
use crate::spec::Revision;

/// How many findings are told; all are counted.
const TOLD: usize = 1000;

/// What was judged so far.
pub(super) struct Report {
    file: String,
    format: Format,
    /// What was valid, by its shape.
    valid: BTreeMap<String, usize>,
    invalid: usize,
    /// Findings for the document.
    findings: Vec<Value>,
    revisions: Vec<Revision>,
    /// Replies whose requests are not there.
    alone: usize,
    /// What was left out, by the reason, with the first line.
    left_out: BTreeMap<&'static str, (usize, usize)>,
    elided: u64,
    on_purpose: usize,
    is_no_message: bool,
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
            alone: 0,
            left_out: BTreeMap::new(),
            elided: 0,
            on_purpose: 0,
            is_no_message: false,
        }
    }

    /// Takes a verdict on what stands on a line, if it is not all there is.
    pub(super) fn tell(&mut self, line: Option<usize>, verdict: &Verdict) -> Result<(), CliError> {
        self.revisions.extend(verdict.revision.filter(|it| !self.revisions.contains(it)));
        self.alone += usize::from(verdict.is_alone);
        if verdict.is_valid() {
            let shape = verdict.shape.clone().unwrap_or_else(|| "message".to_owned());
            *self.valid.entry(shape).or_default() += 1;
            return Ok(());
        }
        self.invalid += 1;
        let (shape, revision) = (&verdict.shape, verdict.revision);
        self.is_no_message |= line.is_none() && shape.is_none() && revision.is_none();
        match self.format {
            _ if self.invalid > TOLD => Ok(()),
            Format::Human => output::print(&verdict.text(line)),
            Format::Json => {
                self.findings.push(verdict.json(line));
                Ok(())
            }
        }
    }

    /// Counts a line that is not judged.
    pub(super) fn leave_out(&mut self, line: usize, why: &'static str) {
        self.left_out.entry(why).or_insert((line, 0)).1 += 1;
    }

    /// Counts events that a trace has not kept.
    pub(super) fn elided(&mut self, events: u64) {
        self.elided = self.elided.saturating_add(events);
    }

    /// Counts a message that mcp-test has sent as it is on purpose.
    pub(super) fn on_purpose(&mut self) {
        self.on_purpose += 1;
    }

    /// Says what came of it all; gives the exit code.
    pub(super) fn end(self) -> Result<u8, CliError> {
        let exit = match (self.invalid, self.valid.len(), self.left_out.len()) {
            (1.., _, _) => ExitCode::Failed,
            // Nothing is called valid that was not judged.
            (0, 0, _) | (0, _, 1..) => ExitCode::Usage,
            (0, ..) => ExitCode::Passed,
        };
        output::print(&match self.format {
            Format::Human => self.text(),
            Format::Json => self.json(exit).pretty() + "\n",
        })?;
        Ok(exit.number())
    }

    /// How much was judged.
    pub(super) fn judged(&self) -> usize {
        self.invalid + self.valid.values().sum::<usize>()
    }

    fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a String does not fail.
        if self.invalid > TOLD {
            let more = count(self.invalid - TOLD, "more finding");
            let _ = writeln!(text, "… {more}, not shown");
        }
        if self.invalid > 0 {
            text.push('\n');
        }
        let by = match self.revisions.as_slice() {
            [] => String::new(),
            revisions => format!(" by MCP {}", words::list(revisions, "and")),
        };
        let judged = self.judged();
        let _ = writeln!(
            text,
            "{}: {judged} judged{by}, {} valid, {} not",
            self.file,
            judged - self.invalid,
            self.invalid
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

    /// What has to be known of what was not judged, or not fully.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.judged() == 0 {
            notes.push("there is nothing to judge in it".to_owned());
        }
        for (why, (first, times)) in &self.left_out {
            let more = match times - 1 {
                0 => String::new(),
                more => format!(" and {} more", count(more, "line")),
            };
            notes.push(format!("line {first}{more} not judged: {why}"));
        }
        if self.alone > 0 {
            let which = match self.alone {
                1 => "1 reply answers no request that is there".to_owned(),
                many => format!("{many} replies answer no request that is there"),
            };
            notes.push(format!(
                "{which}, and could be held against what holds for all replies only"
            ));
        }
        if self.on_purpose > 0 {
            let which = count(self.on_purpose, "message");
            notes.push(format!("{which} not judged, which mcp-test sent as it is on purpose"));
        }
        if self.elided > 0 {
            let events = count(usize::try_from(self.elided).unwrap_or(usize::MAX), "event");
            notes.push(format!("the trace has not kept {events}"));
        }
        if self.is_no_message {
            notes.push(
                "to judge another value than a message, name its definition with --as".to_owned(),
            );
        }
        notes
    }

    fn json(self, exit: ExitCode) -> Value {
        let notes = self.notes();
        let judged = self.judged();
        let mut object = Object::new();
        object.push("file", self.file);
        object.push("specVersions", self.revisions.iter().map(|it| it.as_str()).collect::<Value>());
        object.push("valid", exit == ExitCode::Passed);
        object.push("judged", judged);
        object.push("invalid", self.invalid);
        let shapes = self.valid.into_iter().map(|(shape, times)| (shape, Value::from(times)));
        object.push("validByDefinition", shapes.collect::<Object>());
        object.push("findings", self.findings);
        object.push("notes", notes);
        object.push("exitCode", i64::from(exit.number()));
        object.into()
    }
}
