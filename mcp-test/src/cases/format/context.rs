//! The context of reading one file: its text, and the diagnostics so far.

use std::sync::Arc;

use mcp_test_core::expect::words;
use mcp_test_core::yaml::{Kind, Member, Node, Span};

use super::diagnostic::Diagnostic;
use super::lints::{self, Level, Lint};
use super::suggest::{did_you_mean, quoted};

/// How many diagnostics are kept for one file; one with more is probably not a file of cases.
const MOST: usize = 100;

/// The file being read, with the diagnostics so far.
pub(super) struct ReadContext<'a> {
    pub(super) file: &'a str,
    pub(super) text: Arc<str>,
    /// Whether a message that is not JSON-RPC is an error.
    pub(super) strict: bool,
    diagnostics: Vec<Diagnostic>,
    /// The number of diagnostics beyond the limit.
    left_out: usize,
}

impl<'a> ReadContext<'a> {
    pub(super) fn new(file: &'a str, text: Arc<str>, strict: bool) -> Self {
        Self { file, text, strict, diagnostics: Vec::new(), left_out: 0 }
    }

    /// Creates a diagnostic, to be passed to [`report`](Self::report).
    pub(super) fn diagnostic(
        &self,
        lint: &Lint,
        span: Span,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(lint, (self.file, &self.text), span, message)
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if !self.is_full() {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Counts a diagnostic and returns true if the limit is reached; it need not be created then.
    // Callers ask first if a file may have any number of these: a suggestion costs more than all else about a key.
    pub(super) fn is_full(&mut self) -> bool {
        let is_full = self.diagnostics.len() >= MOST;
        self.left_out += usize::from(is_full);
        is_full
    }

    /// Reports a value that is not valid for its key: `what` is the key, `expected` follows "must be".
    pub(super) fn report_wrong_value(&mut self, what: &str, expected: &str, node: &Node) {
        self.report(self.wrong_value(what, expected, node));
    }

    /// Creates the diagnostic of [`report_wrong_value`](Self::report_wrong_value).
    pub(super) fn wrong_value(&self, what: &str, expected: &str, node: &Node) -> Diagnostic {
        let message = format!("`{what}` must be {expected}");
        let diagnostic = self.diagnostic(&lints::WRONG_VALUE, node.span, message);
        let diagnostic = diagnostic.label(format!("this is {}", node.kind.name()));
        match &node.kind {
            Kind::List(items) if items.is_empty() => diagnostic.label("this list is empty"),
            Kind::Mapping(members) if members.is_empty() => {
                diagnostic.label("this mapping is empty")
            }
            _ => diagnostic,
        }
    }

    /// The string of a node; otherwise reports that it must be `expected`.
    pub(super) fn string<'n>(
        &mut self,
        what: &str,
        expected: &str,
        node: &'n Node,
    ) -> Option<&'n str> {
        let text = node.as_str();
        if text.is_none() {
            self.report_wrong_value(what, expected, node);
        }
        text
    }

    /// The string of a node, if it is one and not blank; otherwise reports it.
    pub(super) fn text<'n>(&mut self, what: &str, node: &'n Node) -> Option<&'n str> {
        let text = self.string(what, "a string", node)?;
        if text.trim().is_empty() {
            self.report(self.wrong_value(what, "a string", node).label("this string is empty"));
            return None;
        }
        Some(text)
    }

    /// The value of a boolean node; otherwise reports it.
    pub(super) fn flag(&mut self, what: &str, node: &Node) -> Option<bool> {
        if let Kind::Bool(flag) = node.kind {
            return Some(flag);
        }
        // They were booleans in YAML 1.1, which many parsers still read.
        let help = match node.as_str().map(str::to_lowercase).as_deref() {
            Some("yes" | "on") => Some("write `true`: `yes` and `on` are strings in YAML 1.2"),
            Some("no" | "off") => Some("write `false`: `no` and `off` are strings in YAML 1.2"),
            _ => None,
        };
        let diagnostic = self.wrong_value(what, "`true` or `false`", node);
        self.report(diagnostic.help(help.map(str::to_owned)));
        None
    }

    /// The members of a mapping with known keys; reports the others.
    pub(super) fn members<'n>(
        &mut self,
        what: &str,
        members: &'n [Member],
        known: &[&'static str],
    ) -> Vec<(&'static str, &'n Node)> {
        let mut found: Vec<(&'static str, &Node)> = Vec::new();
        for Member { key, value } in members {
            let name = key.name();
            match known.iter().find(|known| **known == name) {
                // The YAML reader has reported the duplicate.
                Some(known) if found.iter().any(|(before, _)| before == known) => {}
                Some(known) => found.push((known, value)),
                None => {
                    let diagnostic = self
                        .diagnostic(
                            &lints::WRONG_VALUE,
                            key.span,
                            format!("`{what}` does not have a key `{name}`"),
                        )
                        .label(format!("known keys are {}", quoted(known)))
                        .help(did_you_mean(&name, known.iter().copied()));
                    self.report(diagnostic);
                }
            }
        }
        found
    }

    /// Whether the file cannot be used.
    pub(super) fn is_refused(&self) -> bool {
        // Those beyond the limit may have been errors.
        self.left_out > 0 || self.diagnostics.iter().any(|it| it.level == Level::Error)
    }

    /// Returns the diagnostics, with a final one for those beyond the limit.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        if self.left_out > 0 {
            let more = words::count(self.left_out, "more diagnostic");
            let last = self.diagnostics.last().map(|last| last.span).unwrap_or_default();
            let are = if self.left_out == 1 { "is" } else { "are" };
            let message = format!("{more} for this file {are} not shown");
            let diagnostic = self.diagnostic(&lints::MORE, last, message);
            self.diagnostics.push(diagnostic);
        }
        self.diagnostics
    }
}
