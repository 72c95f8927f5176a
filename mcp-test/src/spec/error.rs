//! What can be wrong with a name or a text that this room is asked to read.

use super::Revision;

/// A text that names nothing MCP knows, or that does not have the form it should have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// No revision of MCP has this date.
    #[error("`{0}` is not a revision of MCP; the revisions are {all}", all = list_of_revisions())]
    UnknownRevision(String),
    /// A range that ends before it starts.
    #[error("the range `{text}` is empty: {first} is newer than {last}")]
    ReversedRange {
        /// The range as it was written.
        text: String,
        /// Where it starts.
        first: Revision,
        /// Where it ends.
        last: Revision,
    },
    /// A header value that has the Base64 markers around something that is not Base64 of UTF-8 text.
    #[error("the header value `{value}` is not valid in the Base64 form: {reason}")]
    HeaderValue {
        /// The value as it was received.
        value: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A committed requirement file that does not have the form described in [`requirement`](super::requirement).
    #[error("{file}, line {line}: {reason}")]
    RequirementFile {
        /// The name of the file.
        file: String,
        /// The number of the line, from 1.
        line: usize,
        /// What was expected and what stands there.
        reason: String,
    },
}

fn list_of_revisions() -> String {
    Revision::ALL.map(Revision::as_str).join(", ")
}
