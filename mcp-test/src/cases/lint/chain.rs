//! Cases that are one conversation: one that begins it, and those that continue it.

use std::sync::Arc;

use super::Lint;
use crate::cases::{Case, CaseFile, CaseMessage, Complaint};
use crate::wire::Message;
use crate::yaml::Span;

/// A conversation of a file.
pub(super) struct Chain<'a> {
    pub(super) file: &'a CaseFile,
    pub(super) cases: &'a [Arc<Case>],
}

/// The conversations of a file.
pub(super) fn chains(file: &CaseFile) -> impl Iterator<Item = Chain<'_>> {
    let chains = file.cases.chunk_by(|_, next| next.settings.continues);
    chains.map(move |cases| Chain { file, cases })
}

impl<'a> Chain<'a> {
    /// The messages, in order, each with its case.
    pub(super) fn said(&self) -> impl Iterator<Item = (&'a Case, &'a CaseMessage)> {
        self.cases
            .iter()
            .flat_map(|case| case.messages.iter().map(move |message| (&**case, message)))
    }

    /// The messages that are JSON-RPC.
    pub(super) fn messages(&self) -> impl Iterator<Item = (&'a CaseMessage, &'a Message)> {
        self.said().filter_map(|(_, said)| Some((said, said.message.as_ref()?)))
    }

    /// Whether anything declares names, so that `${name}` stands for something.
    pub(super) fn has_names(&self) -> bool {
        self.cases.iter().any(|case| !case.settings.inputs.is_empty())
            || self.said().any(|(_, message)| !message.captures.is_empty())
    }

    pub(super) fn complaint(
        &self,
        lint: &Lint,
        span: Span,
        message: impl Into<String>,
    ) -> Complaint {
        Complaint::new(lint, (&self.file.path, &self.file.text), span, message)
    }
}
