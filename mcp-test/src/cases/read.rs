//! From files to cases: [`Cases::read`], [`Cases::parse`].
//!
//! What a document says is for `document`; what a file may cost is for [`yaml`].

use std::path::Path;
use std::sync::Arc;

use super::document;
use super::placeholders::Names;
use super::reading::Reading;
use super::{Case, CaseFile, Cases, Complaint, Level, ReadError, files, id, lint, syntax};
use crate::yaml::{self, Broken, Limits, Span};

/// How strictly files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Whether a message that is not JSON-RPC 2.0 is an error, and not just a warning.
    pub strict: bool,
}

impl ReadOptions {
    /// Makes errors of messages that are not JSON-RPC 2.0, or only warnings.
    #[must_use]
    pub const fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }
}

impl Cases {
    /// Reads files: each path is a file, a pattern such as `contracts/*.yaml`, or a directory, which is its `*.yaml` and
    /// `*.yml`.
    ///
    /// Beside the cases are warnings and notes about them.
    ///
    /// # Errors
    ///
    /// If a path leads to nothing, a file cannot be read, or something in one is wrong; every file is looked at before.
    pub fn read<P: AsRef<Path>>(
        paths: &[P],
        options: &ReadOptions,
    ) -> Result<(Self, Vec<Complaint>), ReadError> {
        settle(of_files(paths, options)?)
    }

    /// Reads one text; the path is what it is called.
    ///
    /// ```
    /// use mcp_test::cases::{Cases, ReadOptions};
    ///
    /// let text = r#"
    /// case: Ping
    /// in: {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    /// out: {"jsonrpc": "2.0", "id": 1, "result": {}}
    /// "#;
    /// let (cases, warnings) = Cases::parse("ping.yaml", text, &ReadOptions::default())?;
    /// let (_, ping) = cases.iter().next().ok_or("no case")?;
    /// assert_eq!((ping.id.as_str(), ping.messages.len(), warnings.len()), ("ping::ping", 2, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ReadError::Complaints`] if something in it is wrong.
    pub fn parse(
        path: &str,
        text: &str,
        options: &ReadOptions,
    ) -> Result<(Self, Vec<Complaint>), ReadError> {
        settle(of_text(path, text, options))
    }
}

/// What was read, as far as it could be, and all that is said of it.
#[derive(Default)]
pub(crate) struct Loaded {
    /// How many files were read, whatever is in them.
    pub(crate) files: usize,
    pub(crate) cases: Cases,
    pub(crate) complaints: Vec<Complaint>,
}

fn settle(loaded: Loaded) -> Result<(Cases, Vec<Complaint>), ReadError> {
    match loaded.complaints.iter().any(|complaint| complaint.level == Level::Error) {
        true => Err(ReadError::Complaints(loaded.complaints)),
        false => Ok((loaded.cases, loaded.complaints)),
    }
}

/// Reads files as far as they can be.
pub(crate) fn of_files<P: AsRef<Path>>(
    paths: &[P],
    options: &ReadOptions,
) -> Result<Loaded, ReadError> {
    let mut loaded = Loaded::default();
    for path in files::named(paths)? {
        let bytes = files::bytes(&path, &Limits::default())?;
        loaded.take(&path.display().to_string(), &bytes, options);
    }
    id::number(&mut loaded.cases);
    Ok(loaded)
}

/// Reads a text as far as it can be.
pub(crate) fn of_text(path: &str, text: &str, options: &ReadOptions) -> Loaded {
    of_bytes(path, text.as_bytes(), options)
}

/// Reads what stands in a file as far as it can be.
pub(crate) fn of_bytes(path: &str, bytes: &[u8], options: &ReadOptions) -> Loaded {
    let mut loaded = Loaded::default();
    loaded.take(path, bytes, options);
    id::number(&mut loaded.cases);
    loaded
}

impl Loaded {
    fn take(&mut self, path: &str, bytes: &[u8], options: &ReadOptions) {
        self.files += 1;
        let text = match yaml::decode(bytes) {
            Ok(text) => text,
            Err(problem) => {
                let text: Arc<str> = String::from_utf8_lossy(bytes).into();
                let mut reading = Reading::new(path, text, options.strict);
                let complaint = syntax::complaint(&reading, &problem);
                reading.tell(complaint);
                self.complaints.extend(reading.finish());
                return;
            }
        };
        let text: Arc<str> = text.into();
        let mut reading = Reading::new(path, text.clone(), options.strict);
        let cases = cases(&mut reading);
        self.complaints.extend(reading.finish());
        self.cases.files.push(Arc::new(CaseFile { path: path.to_owned(), text, cases }));
    }
}

fn cases(reading: &mut Reading<'_>) -> Vec<Arc<Case>> {
    let text = reading.text.clone();
    let stream = yaml::read(&text, &Limits::default());
    let mut cases: Vec<Case> = Vec::new();
    let mut broken = false;
    let mut names = Names::default();
    for (index, document) in stream.documents.iter().enumerate() {
        match document {
            Ok(document) => {
                for problem in &document.problems {
                    let complaint = syntax::complaint(reading, problem);
                    reading.tell(complaint);
                }
                let Some(case) = document::case(reading, index + 1, document) else { continue };
                if case.settings.continues && cases.is_empty() && !broken {
                    let message = "there is no case before this one in the file";
                    let complaint =
                        reading.complaint(&lint::NOTHING_TO_CONTINUE, case.span, message);
                    reading.tell(complaint.label("`_continues` has nothing to go on from"));
                }
                if !case.settings.continues {
                    names = Names::default();
                }
                // What a broken case would have declared is not known.
                if !(case.settings.continues && broken) {
                    names.follow(reading, &case);
                }
                cases.push(case);
            }
            Err(Broken { problem, .. }) => {
                broken = true;
                let complaint = syntax::complaint(reading, problem);
                reading.tell(complaint);
            }
        }
    }
    if cases.is_empty() && !reading.is_refused() {
        let span = Span { line: 1, column: 1, ..Span::default() };
        let complaint = reading.complaint(&lint::NO_CASE, span, "there is no case in the file");
        let help = "the least is `case: ` with a name, an `in…` and an `out…`".to_owned();
        reading.tell(complaint.help(help));
    }
    cases.into_iter().map(Arc::new).collect()
}
