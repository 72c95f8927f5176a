//! What is wrong with the answer to a call.

use mcp_test_core::check::Finding;

use super::refusal::Refusal;

/// What is wrong, so that two failures of a tool can be compared. Failures of one kind have one cause, as far as can be seen.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FailureKind {
    /// The server exits, or closes the connection.
    Closed,
    /// The call is not answered.
    NoReply,
    /// The reply breaks the rules for replies.
    InvalidReply,
    /// Valid arguments are refused with error -32602.
    ValidRefused,
    /// The call fails with error -32603.
    InternalError,
    /// Arguments that the schema does not allow are not refused.
    InvalidAccepted,
    /// The refusal of an argument does not name it.
    RefusalWithoutName,
    /// There is no `structuredContent` although the tool has an `outputSchema`.
    OutputMissing,
    /// The `structuredContent` does not conform to the `outputSchema`.
    OutputInvalid {
        /// The location, with `*` for the index of an item.
        pointer: String,
    },
    /// The text is JSON that differs from `structuredContent`.
    TextDiffers,
    /// Of several calls at once, one gets the result of another.
    Mixed,
    /// The answer has data of another call.
    Leaked,
}

impl FailureKind {
    /// Whether the call got no reply, or none that can be judged.
    #[must_use]
    pub fn is_without_reply(&self) -> bool {
        matches!(self, Self::Closed | Self::NoReply | Self::InvalidReply)
    }
}

/// A failure of a call.
#[derive(Debug, Clone)]
pub struct Failure {
    /// What is wrong.
    pub kind: FailureKind,
    /// The finding.
    pub finding: Finding,
    /// The refusal that does not name the argument.
    pub(super) refusal: Option<Refusal>,
}

impl Failure {
    pub(super) fn new(kind: FailureKind, finding: Finding) -> Self {
        Self { kind, finding, refusal: None }
    }

    /// Whether two failures have one cause: a refusal for another reason is another failure, which may be right.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let refusals = self.refusal.as_ref().zip(other.refusal.as_ref());
        self.kind == other.kind && refusals.is_none_or(|(one, other)| one.is_like(other))
    }
}
