//! Reads cases from files and texts: [`Cases::read`], [`Cases::parse`].
//!
//! `document` reads one case; [`yaml`] bounds what a file may cost.

use std::path::Path;
use std::sync::Arc;

use mcp_test_core::yaml::{self, Broken, Limits, Span};

use super::case::{Case, CaseFile, Cases};
use super::context::ReadContext;
use super::diagnostic::Diagnostic;
use super::document;
use super::error::ReadError;
use super::lints::Level;
use super::placeholders::DeclaredNames;
use super::{files, id, lints, syntax};

/// How strictly files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Whether a message that is not JSON-RPC 2.0 is an error rather than a warning.
    pub strict: bool,
}

impl ReadOptions {
    /// Sets whether a message that is not JSON-RPC 2.0 is an error.
    #[must_use]
    pub const fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }
}

impl Cases {
    /// Reads files: each path is a file, a pattern such as `contracts/*.yaml`, or a directory with `*.yaml` and `*.yml`.
    ///
    /// Returns the cases with warnings and notes about them.
    ///
    /// # Errors
    ///
    /// If a path has no files, a file cannot be read, or a file has errors (all files are read first).
    pub fn read<P: AsRef<Path>>(
        paths: &[P],
        options: &ReadOptions,
    ) -> Result<(Self, Vec<Diagnostic>), ReadError> {
        require_no_errors(load_files(paths, options)?)
    }

    /// Reads one text; `path` is its name in diagnostics.
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
    /// [`ReadError::Diagnostics`] if it has errors.
    pub fn parse(
        path: &str,
        text: &str,
        options: &ReadOptions,
    ) -> Result<(Self, Vec<Diagnostic>), ReadError> {
        require_no_errors(load_bytes(path, text.as_bytes(), options))
    }
}

/// What could be read, with all diagnostics.
#[derive(Default)]
pub struct Loaded {
    /// The number of files, including those with errors.
    #[doc(hidden)]
    pub files: usize,
    #[doc(hidden)]
    pub cases: Cases,
    #[doc(hidden)]
    pub diagnostics: Vec<Diagnostic>,
}

fn require_no_errors(loaded: Loaded) -> Result<(Cases, Vec<Diagnostic>), ReadError> {
    match loaded.diagnostics.iter().any(|diagnostic| diagnostic.level == Level::Error) {
        true => Err(ReadError::Diagnostics(loaded.diagnostics)),
        false => Ok((loaded.cases, loaded.diagnostics)),
    }
}

/// Reads files as far as possible.
pub fn load_files<P: AsRef<Path>>(paths: &[P], options: &ReadOptions) -> Result<Loaded, ReadError> {
    let mut loaded = Loaded::default();
    let limits = Limits::default();
    let mut total = 0;
    for path in files::expand_paths(paths)? {
        let bytes = files::read_bounded(&path, &limits)?;
        total += bytes.len();
        // One file that is too large has a diagnostic of its own.
        if bytes.len() <= limits.bytes && total > limits.bytes {
            return Err(ReadError::TooLarge { path, limit: limits.bytes });
        }
        loaded.take(&path.display().to_string(), &bytes, options);
    }
    // After all files are read, because ids are unique among them.
    id::assign(&mut loaded.cases);
    Ok(loaded)
}

/// Reads bytes as far as possible.
pub fn load_bytes(path: &str, bytes: &[u8], options: &ReadOptions) -> Loaded {
    let mut loaded = Loaded::default();
    loaded.take(path, bytes, options);
    id::assign(&mut loaded.cases);
    loaded
}

impl Loaded {
    fn take(&mut self, path: &str, bytes: &[u8], options: &ReadOptions) {
        self.files += 1;
        let text = match yaml::decode(bytes) {
            Ok(text) => text,
            Err(problem) => {
                // Only for the excerpt of the diagnostic: the file is not read further.
                let text: Arc<str> = String::from_utf8_lossy(bytes).into();
                let mut cx = ReadContext::new(path, text, options.strict);
                cx.report(syntax::diagnostic(&cx, &problem));
                self.diagnostics.extend(cx.finish());
                return;
            }
        };
        let text: Arc<str> = text.into();
        let mut cx = ReadContext::new(path, text.clone(), options.strict);
        let cases = cases(&mut cx);
        self.diagnostics.extend(cx.finish());
        self.cases.files.push(Arc::new(CaseFile { path: path.to_owned(), text, cases }));
    }
}

fn cases(cx: &mut ReadContext<'_>) -> Vec<Arc<Case>> {
    let text = cx.text.clone();
    let stream = yaml::read(&text, &Limits::default());
    let mut cases: Vec<Arc<Case>> = Vec::new();
    let mut broken = false;
    let mut names = DeclaredNames::default();
    for (index, document) in stream.documents.into_iter().enumerate() {
        match document {
            Ok(document) => {
                for problem in &document.problems {
                    cx.report(syntax::diagnostic(cx, problem));
                }
                let Some(case) = document::case(cx, index + 1, document) else { continue };
                // A broken document may have been the case that this one continues.
                if case.settings.continues && cases.is_empty() && !broken {
                    let message = "no case precedes this one in the file";
                    let diagnostic = cx.diagnostic(&lints::NOTHING_TO_CONTINUE, case.span, message);
                    cx.report(diagnostic.label("`_continues` needs a previous case"));
                }
                if !case.settings.continues {
                    names = DeclaredNames::default();
                }
                // The names that a broken case declares are unknown.
                if !(case.settings.continues && broken) {
                    names.check_case(cx, &case);
                }
                cases.push(Arc::new(case));
            }
            Err(Broken { problem, .. }) => {
                broken = true;
                cx.report(syntax::diagnostic(cx, &problem));
            }
        }
    }
    // After an error, the missing cases are only its consequence.
    if cases.is_empty() && !cx.is_refused() {
        let span = Span { line: 1, column: 1, ..Span::default() };
        let diagnostic = cx.diagnostic(&lints::NO_CASE, span, "the file contains no case");
        let help = "a minimal case has `case: ` with a name, an `in…` and an `out…`".to_owned();
        cx.report(diagnostic.help(help));
    }
    cases
}
