//! A case with those that continue its conversation.

use std::sync::Arc;

use mcp_test_core::wire::Message;
use mcp_test_core::yaml::Span;

use crate::cases::format::lints::Lint;
use crate::cases::{Case, CaseFile, CaseMessage, Diagnostic};

/// A case and those that continue it (`_continues`).
pub(super) struct CaseChain<'a> {
    pub(super) file: &'a CaseFile,
    pub(super) cases: &'a [Arc<Case>],
}

/// Splits a file into chains.
pub(super) fn chains(file: &CaseFile) -> impl Iterator<Item = CaseChain<'_>> {
    let chains = file.cases.chunk_by(|_, next| next.settings.continues);
    chains.map(move |cases| CaseChain { file, cases })
}

impl<'a> CaseChain<'a> {
    /// The messages with their cases, in order.
    pub(super) fn case_messages(&self) -> impl Iterator<Item = (&'a Case, &'a CaseMessage)> {
        self.cases
            .iter()
            .flat_map(|case| case.messages.iter().map(move |message| (&**case, message)))
    }

    /// The messages that are JSON-RPC, with their parsed form.
    pub(super) fn messages(&self) -> impl Iterator<Item = (&'a CaseMessage, &'a Message)> {
        self.case_messages().filter_map(|(_, message)| Some((message, message.message.as_ref()?)))
    }

    /// Whether names are declared, so that `${name}` is replaced.
    pub(super) fn has_names(&self) -> bool {
        self.cases.iter().any(|case| !case.settings.inputs.is_empty())
            || self.case_messages().any(|(_, message)| !message.captures.is_empty())
    }

    pub(super) fn diagnostic(
        &self,
        lint: &Lint,
        span: Span,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(lint, (&self.file.path, &self.file.text), span, message)
    }
}
