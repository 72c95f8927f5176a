//! Errors of recordings.

use mcp_test_core::expect::words;

use crate::cases::ReadError;

/// Why recordings cannot be combined, or added to a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The file is not a valid file of cases.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A case has another conversation than the one that was recorded under its name.
    #[error("{case}: {mismatch}")]
    Mismatch {
        /// The name of the case.
        case: String,
        /// How the conversations differ.
        mismatch: ConversationMismatch,
    },
    /// The updated file would not have all of its cases.
    #[error("{path} would not have all of its cases any more")]
    LosesCases {
        /// The path of the file.
        path: String,
    },
}

/// How two conversations differ in a way that no matcher covers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConversationMismatch {
    /// Their revisions, or their handshakes.
    #[error("they have different revisions")]
    Revision,
    /// Their numbers of messages.
    #[error("expected {}, got {got}", words::count(*expected, "message"))]
    Length {
        /// The number in the case, or in the first recording.
        expected: usize,
        /// The number in the recording.
        got: usize,
    },
    /// A message.
    #[error("expected `{expected}`, got `{got}`")]
    Message {
        /// The key in the case, or in the first recording.
        expected: String,
        /// The key in the recording.
        got: String,
    },
    /// A message that is an error in only one of them.
    #[error("`{key}` is an error in one of them only")]
    Outcome {
        /// The key of the message.
        key: String,
    },
}
