//! The errors of parsing revisions and header values.

use super::Revision;

/// Why a revision or a header value cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The text is not the date of a revision.
    #[error("`{0}` is not a revision of MCP; the revisions are {all}", all = list_of_revisions())]
    UnknownRevision(String),
    /// A range of revisions ends before it starts.
    #[error("the range `{text}` is empty: {first} is newer than {last}")]
    ReversedRange {
        /// The range as written.
        text: String,
        /// Its first revision.
        first: Revision,
        /// Its last revision.
        last: Revision,
    },
    /// A header value is marked as Base64 but does not decode to UTF-8 text.
    #[error("the header value `{value}` is marked as Base64 but is not valid: {reason}")]
    HeaderValue {
        /// The value as received.
        value: String,
        /// What is wrong with it.
        reason: String,
    },
}

fn list_of_revisions() -> String {
    Revision::ALL.map(Revision::as_str).join(", ")
}
