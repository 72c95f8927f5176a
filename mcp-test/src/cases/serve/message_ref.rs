//! A message of a case, with its case and file.

use std::fmt;
use std::sync::Arc;

use mcp_test_core::json::Value;
use mcp_test_core::spec::meta;
use mcp_test_core::wire::Id;

use crate::cases::{Case, CaseFile, CaseMessage, Direction};

/// A message of a case; cheap to clone.
#[derive(Clone)]
pub(super) struct MessageRef {
    pub(super) file: Arc<CaseFile>,
    pub(super) case: Arc<Case>,
    index: usize,
}

/// The kind of a message, read from its members, so that one without `jsonrpc` can be served too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It has a method and an id.
    Request,
    /// It has a method.
    Notification,
    /// It has a result or an error.
    Reply,
    /// It is none of these, and cannot be sent or received.
    Other,
}

impl MessageRef {
    /// The messages of a case.
    pub(super) fn all(file: &Arc<CaseFile>, case: &Arc<Case>) -> impl Iterator<Item = Self> {
        let (file, case) = (Arc::clone(file), Arc::clone(case));
        (0..case.messages.len()).map(move |index| Self {
            file: Arc::clone(&file),
            case: Arc::clone(&case),
            index,
        })
    }

    pub(super) fn message(&self) -> &CaseMessage {
        &self.case.messages[self.index]
    }

    pub(super) fn value(&self) -> &Value {
        &self.message().value
    }

    pub(super) fn is_incoming(&self) -> bool {
        self.message().direction == Direction::In
    }

    pub(super) fn kind(&self) -> Kind {
        let has = |name| self.value().get(name).is_some();
        match (self.method().is_some(), has("id")) {
            (true, true) => Kind::Request,
            (true, false) => Kind::Notification,
            (false, _) if has("result") || has("error") => Kind::Reply,
            (false, _) => Kind::Other,
        }
    }

    pub(super) fn method(&self) -> Option<&str> {
        self.value().get("method")?.as_str()
    }

    pub(super) fn param(&self, name: &str) -> Option<&Value> {
        self.value().get("params")?.get(name)
    }

    /// The id, which is a label in a case: it says which messages belong together.
    pub(super) fn label(&self) -> Option<Id> {
        Id::read(self.value().get("id")?)
    }

    /// The token for progress notifications about this request.
    pub(super) fn progress_token(&self) -> Option<&Value> {
        self.param("_meta")?.get(meta::PROGRESS_TOKEN)
    }

    /// The place of the message: `calculator.yaml:12`.
    pub(super) fn place(&self) -> String {
        format!("{}:{}", self.file.path, self.message().key_span.line)
    }
}

impl fmt::Debug for MessageRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.message().key, self.case.id)
    }
}
