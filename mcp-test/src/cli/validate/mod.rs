//! `mcp-test validate FILE`: judges what stands in a file by the message shapes of a revision.
//!
//! | file | what |
//! |---|---|
//! | `input` | what a file holds: a value, a conversation, a trace |
//! | `conversation` | which shape each message is held against |
//! | `verdict` | what is said of one |
//! | `report` | what is said of all |
//!
//! Exit codes: 0 everything is valid, 1 something is not, 2 it cannot be judged, 3 a schema cannot be fetched.

mod conversation;
mod input;
mod report;
#[cfg(test)]
mod tests;
mod verdict;

use bytes::Bytes;

use self::conversation::{Conversation, Place, Speaker, Unjudged};
use self::input::{Input, Line, Lines};
use self::report::Report;
use self::verdict::Verdict;
use super::args::ValidateArgs;
use super::error::CliError;
use crate::expect::words::closest;
use crate::run::SchemaSource;
use crate::spec::Revision;
use crate::spec::schema::{Authority, Definition, Schemas};
use crate::trace::{Damage, Reading, What, file};

/// Does it; gives the exit code.
pub(super) fn conduct(args: &ValidateArgs) -> Result<u8, CliError> {
    let schemas = SchemaSource::load(&args.schemas.schemas)?;
    let definition = match (&args.definition, args.revision) {
        (Some(name), Some(revision)) => Some(find(&schemas, name, revision)?),
        _ => None,
    };
    let mut report = Report::new(args);
    let unreadable = |source| CliError::Input { path: args.file.clone(), source };
    let read = input::open(&args.file).and_then(Lines::sort).map_err(unreadable)?;
    let mut judge = Judge { schemas: &schemas, args, definition, report: &mut report };
    match read {
        Input::Empty => return Err(judge.unjudgeable("it is empty".to_owned())),
        Input::NotJson(error) => {
            return Err(judge.unjudgeable(format!("it is not JSON: {error}")));
        }
        Input::Value(text) => judge.value(&text)?,
        Input::Conversation(lines) => judge.conversation(lines)?,
        Input::Trace(lines) => judge.trace(lines)?,
    }
    report.end()
}

/// The definition of that name.
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

/// What judges, and what is made of it.
struct Judge<'a> {
    schemas: &'a Schemas,
    args: &'a ValidateArgs,
    definition: Option<Definition>,
    report: &'a mut Report,
}

impl Judge<'_> {
    fn unjudgeable(&self, problem: String) -> CliError {
        CliError::Unjudgeable { path: self.args.file.clone(), problem }
    }

    /// A single value.
    fn value(&mut self, text: &Bytes) -> Result<(), CliError> {
        let reading = Reading::of(text);
        if let (Some(definition), Some(value)) = (&self.definition, reading.value()) {
            return self.report.tell(None, &Verdict::of_value(definition, value));
        }
        let mut conversation = Conversation::new(self.schemas, self.args.revision);
        self.message(&mut conversation, None, None, text, &reading)
    }

    /// Lines, each of which is a message, or a value of the definition.
    fn conversation(&mut self, mut lines: Lines) -> Result<(), CliError> {
        let mut conversation = Conversation::new(self.schemas, self.args.revision);
        while let Some(Line { number, text }) = self.next(&mut lines)? {
            let Some(text) = text else {
                self.report.leave_out(number, TOO_LONG);
                continue;
            };
            let reading = Reading::of(&text);
            match (&self.definition, reading.value()) {
                (Some(definition), Some(value)) => {
                    self.report.tell(Some(number), &Verdict::of_value(definition, value))?;
                }
                _ => self.message(&mut conversation, None, Some(number), &text, &reading)?,
            }
        }
        Ok(())
    }

    /// A trace of mcp-test, whose events tell who said what.
    fn trace(&mut self, mut lines: Lines) -> Result<(), CliError> {
        if self.args.definition.is_some() {
            return Err(self.unjudgeable("a trace holds messages; --as is for values".to_owned()));
        }
        let mut conversation = Conversation::new(self.schemas, self.args.revision);
        let mut reader = None;
        while let Some(Line { number, text }) = self.next(&mut lines)? {
            let Some(text) = text else {
                self.report.leave_out(number, TOO_LONG);
                continue;
            };
            let Some(reader) = &mut reader else {
                let (trace, begun) = file::Reader::begin(&text)
                    .map_err(|error| self.unjudgeable(error.to_string()))?;
                self.report.elided(trace.elided);
                reader = Some(begun);
                continue;
            };
            let event = reader.event(&text).map_err(|reason| {
                self.unjudgeable(format!("line {number} of the trace is no event: {reason}"))
            })?;
            let (connection, party, exchange) = (event.connection, event.party, event.exchange);
            let speaker = Some(Place { connection, party, exchange });
            match event.what {
                What::HttpRequest { headers, .. } => conversation.carried(speaker, &headers),
                What::Message { .. } | What::Noise { .. } if event.deliberate => {
                    self.report.on_purpose();
                }
                What::Message { text, reading } => {
                    self.message(&mut conversation, speaker, Some(number), &text, &reading)?;
                }
                What::Noise { damage: Damage::OverLimit, .. } => {
                    self.report.leave_out(number, TOO_LONG);
                }
                What::Noise { bytes, why, .. } => {
                    let verdict = Verdict::no_json(&bytes, &why);
                    self.report.tell(Some(number), &verdict)?;
                }
                What::Elided { .. } => self.report.elided(1),
                _ => {}
            }
        }
        Ok(())
    }

    fn next(&self, lines: &mut Lines) -> Result<Option<Line>, CliError> {
        lines.next().map_err(|source| CliError::Input { path: self.args.file.clone(), source })
    }

    /// Judges what stands where a message belongs, and tells what is wrong.
    fn message(
        &mut self,
        conversation: &mut Conversation<'_>,
        speaker: Speaker,
        line: Option<usize>,
        text: &Bytes,
        reading: &Reading,
    ) -> Result<(), CliError> {
        if reading.is_too_deep() {
            self.report.leave_out(line.unwrap_or(1), TOO_DEEP);
            return Ok(());
        }
        match conversation.said(speaker, text, reading) {
            Ok(verdicts) => verdicts.iter().try_for_each(|verdict| self.report.tell(line, verdict)),
            // Of several connections one may say it and another not.
            Err(Unjudged::NoRevision) if self.report.judged() > 0 => {
                self.report.leave_out(line.unwrap_or(1), NO_REVISION);
                Ok(())
            }
            Err(Unjudged::NoRevision) => Err(CliError::NoRevision { line }),
            Err(Unjudged::UnknownRevision(named)) => Err(CliError::UnknownRevision { line, named }),
        }
    }
}

/// Why something is not judged that may well be right.
const TOO_LONG: &str = "longer than mcp-test reads";
const TOO_DEEP: &str = "nested deeper than mcp-test reads";
const NO_REVISION: &str = "nothing says which revision is spoken; --spec-version does";
