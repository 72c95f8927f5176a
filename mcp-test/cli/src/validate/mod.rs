//! `mcp-test validate FILE`: validates the content of a file against the message shapes of a revision.
//!
//! | file | contents |
//! |---|---|
//! | `input` | the content of a file: a value, a conversation or a trace |
//! | `message_validator` | selects the shape for each message |
//! | `verdict` | the verdict on one value |
//! | `report` | the report on all values |
//!
//! Exit codes: 0 everything is valid, 1 something is not, 2 it cannot be validated, 3 a schema cannot be fetched.

mod input;
mod message_validator;
mod report;
#[cfg(test)]
mod tests;
mod verdict;

use bytes::Bytes;
use mcp_test_core::expect::words::closest;
use mcp_test_core::run::SchemaSource;
use mcp_test_core::spec::Revision;
use mcp_test_core::spec::schema::{Authority, Definition, Schemas};
use mcp_test_core::trace::{EventKind, ParsedText, UnparsableKind, file};

use self::input::{Input, Line, Lines};
use self::message_validator::{MessageSource, MessageValidator, NotValidated, Sender};
use self::report::Report;
use self::verdict::{Problem, Verdict};
use super::args::ValidateArgs;
use super::error::CliError;

/// Runs the command; returns the exit code.
pub(super) fn validate(args: &ValidateArgs) -> Result<u8, CliError> {
    let schemas = SchemaSource::load(&args.schemas.schemas)?;
    let definition = match (&args.definition, args.revision) {
        (Some(name), Some(revision)) => Some(find(&schemas, name, revision)?),
        _ => None,
    };
    let mut report = Report::new(args);
    let input = input::open(&args.file)
        .and_then(Lines::classify)
        .map_err(CliError::unreadable(&args.file))?;
    let mut validator = FileValidator { schemas: &schemas, args, definition, report: &mut report };
    match input {
        Input::Empty => return Err(validator.invalid_input("it is empty".to_owned())),
        Input::NotJson(error) => {
            return Err(validator.invalid_input(format!("it is not JSON: {error}")));
        }
        Input::Value(text) => validator.value(&text)?,
        Input::Conversation(lines) => validator.conversation(lines)?,
        Input::Trace(lines) => validator.trace(lines)?,
    }
    report.end()
}

/// The definition with this name.
fn find(schemas: &Schemas, name: &str, revision: Revision) -> Result<Definition, CliError> {
    let found = |revision| schemas.definition(name, revision, Authority::Text);
    found(revision).ok_or_else(|| {
        let names: Vec<Definition> = schemas.definitions(revision, Authority::Text).collect();
        CliError::UnknownDefinition {
            name: name.to_owned(),
            revision,
            suggestion: closest(name, names.iter().map(Definition::name)).map(str::to_owned),
            elsewhere: Revision::ALL.into_iter().filter(|it| found(*it).is_some()).collect(),
        }
    })
}

/// Validates values and reports the verdicts.
struct FileValidator<'a> {
    schemas: &'a Schemas,
    args: &'a ValidateArgs,
    definition: Option<Definition>,
    report: &'a mut Report,
}

impl FileValidator<'_> {
    fn invalid_input(&self, problem: String) -> CliError {
        CliError::InvalidInput { path: self.args.file.clone(), problem }
    }

    /// Validates a single value.
    fn value(&mut self, text: &Bytes) -> Result<(), CliError> {
        let mut validator = MessageValidator::new(self.schemas, self.args.revision);
        self.value_or_message(&mut validator, None, text)
    }

    /// Validates lines, each of which is a message, or a value of the definition.
    fn conversation(&mut self, mut lines: Lines) -> Result<(), CliError> {
        let mut validator = MessageValidator::new(self.schemas, self.args.revision);
        while let Some((number, text)) = self.next(&mut lines)? {
            self.value_or_message(&mut validator, Some(number), &text)?;
        }
        Ok(())
    }

    /// Validates a text as a value of the definition, or without one as a message.
    fn value_or_message(
        &mut self,
        validator: &mut MessageValidator<'_>,
        line: Option<usize>,
        text: &Bytes,
    ) -> Result<(), CliError> {
        let parsed = ParsedText::parse(text);
        match (&self.definition, parsed.value()) {
            (Some(definition), Some(value)) => {
                let mut verdict = Verdict::for_value(definition, value);
                verdict.problems.extend(Problem::duplicate_keys(&parsed));
                self.report.add(line, &verdict)
            }
            // With a definition too, what is not JSON is reported as a message would be.
            _ => self.message(validator, None, line, text, &parsed),
        }
    }

    /// Validates a trace of mcp-test, whose events say who sent what.
    fn trace(&mut self, mut lines: Lines) -> Result<(), CliError> {
        if self.args.definition.is_some() {
            let problem = "it is a trace, which contains messages; --as is for values";
            return Err(self.invalid_input(problem.to_owned()));
        }
        let mut validator = MessageValidator::new(self.schemas, self.args.revision);
        let Some((_, head)) = self.next(&mut lines)? else { return Ok(()) };
        let (trace, mut reader) =
            file::Reader::begin(&head).map_err(|error| self.invalid_input(error.to_string()))?;
        self.report.add_elided(trace.elided);
        while let Some((number, text)) = self.next(&mut lines)? {
            let event = reader.event(&text).map_err(|reason| {
                self.invalid_input(format!("line {number} of the trace is not an event: {reason}"))
            })?;
            let (connection, party, exchange) = (event.connection, event.party, event.exchange);
            let sender = Some(MessageSource { connection, party, exchange });
            match event.kind {
                EventKind::HttpRequest { headers, .. } => validator.http_headers(sender, &headers),
                // A fault, or what a test wrote itself: neither says anything about the peer or about us.
                EventKind::Message { .. } | EventKind::Unparsable { .. } if event.deliberate => {
                    self.report.add_deliberate();
                }
                EventKind::Message { text, parsed } => {
                    self.message(&mut validator, sender, Some(number), &text, &parsed)?;
                }
                EventKind::Unparsable { kind: UnparsableKind::OverLimit, .. } => {
                    self.report.leave_out(number, TOO_LONG);
                }
                EventKind::Unparsable { bytes, why, .. } => {
                    self.report.add(Some(number), &Verdict::not_json(&bytes, &why))?;
                }
                EventKind::Elided { .. } => self.report.add_elided(1),
                _ => {}
            }
        }
        Ok(())
    }

    /// The number and text of the next line; one that is too long is reported and skipped.
    fn next(&mut self, lines: &mut Lines) -> Result<Option<(usize, Bytes)>, CliError> {
        loop {
            let line = lines.next().map_err(CliError::unreadable(&self.args.file))?;
            match line {
                Some(Line { number, text: Some(text) }) => return Ok(Some((number, text))),
                Some(Line { number, text: None }) => self.report.leave_out(number, TOO_LONG),
                None => return Ok(None),
            }
        }
    }

    /// Validates a message and reports the verdict.
    fn message(
        &mut self,
        validator: &mut MessageValidator<'_>,
        sender: Sender,
        line: Option<usize>,
        text: &Bytes,
        parsed: &ParsedText,
    ) -> Result<(), CliError> {
        // Not a verdict: the bound is ours, and the message may be valid.
        if parsed.is_over_limit() {
            self.report.leave_out(line.unwrap_or(1), OVER_LIMIT);
            return Ok(());
        }
        match validator.text(sender, text, parsed) {
            Ok(verdicts) => verdicts.iter().try_for_each(|verdict| self.report.add(line, verdict)),
            // One connection may name the revision and another may not; what was validated is still reported.
            Err(NotValidated::NoRevision) if self.report.validated() > 0 => {
                self.report.leave_out(line.unwrap_or(1), NO_REVISION);
                Ok(())
            }
            Err(NotValidated::NoRevision) => Err(CliError::NoRevision { line }),
            Err(NotValidated::UnknownRevision(named)) => {
                Err(CliError::UnknownRevision { line, named })
            }
        }
    }
}

/// Why something is not validated that may well be valid.
const TOO_LONG: &str = "longer than mcp-test reads";
const OVER_LIMIT: &str = "nested deeper or with more values than mcp-test reads";
const NO_REVISION: &str = "no message names the revision; use --spec-version REVISION";
