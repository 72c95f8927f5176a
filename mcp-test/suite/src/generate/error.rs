//! Why no values are generated from a schema.

use mcp_test_core::expect::words;
use mcp_test_core::json::Pointer;
use mcp_test_core::json_schema::{Aborted, CompileError};

/// Why no values are generated from a schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// It cannot be used as a schema at all, or exceeds a limit for schemas.
    #[error(transparent)]
    Schema(#[from] CompileError),
    /// No value satisfies it, as far as the keywords show.
    #[error("no value satisfies {}", place(pointer))]
    Unsatisfiable {
        /// The location in the schema.
        pointer: Pointer,
    },
    /// It requires more than is generated.
    #[error("{} requires {}, which is more than {most}", place(pointer), words::count(*required, part))]
    TooLarge {
        /// The location of the keyword in the schema.
        pointer: Pointer,
        /// What there would be too many of: `character`, `item`, `member`, `byte` or `level`.
        part: &'static str,
        /// How many it requires at least.
        required: usize,
        /// How many are generated at most.
        most: usize,
    },
    /// No text was found that matches a pattern and the keywords beside it.
    #[error("no text was found that matches the pattern at {}", place(pointer))]
    Pattern {
        /// The location of the keyword in the schema.
        pointer: Pointer,
    },
    /// A reference has a form that is not followed, although it may be valid.
    #[error("{} has the reference {reference:?}, which is not followed", place(pointer))]
    Reference {
        /// The location of the keyword in the schema.
        pointer: Pointer,
        /// The reference, truncated.
        reference: String,
    },
    /// Finding a value takes too many steps.
    #[error("finding a value takes more than {most} steps")]
    Effort {
        /// How many steps are taken at most.
        most: usize,
    },
    /// Values were found, but validating them exceeds a limit.
    #[error("the smallest value could not be validated: {0}")]
    Undecided(Aborted),
}

impl GenerateError {
    /// How much the error explains: of several, the one with the highest rank is reported.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Unsatisfiable { .. } => 0,
            Self::Pattern { .. } => 1,
            Self::TooLarge { .. } | Self::Effort { .. } => 2,
            Self::Reference { .. } | Self::Undecided(_) | Self::Schema(_) => 3,
        }
    }
}

fn place(pointer: &Pointer) -> String {
    if pointer.is_root() { "the schema".to_owned() } else { format!("`{pointer}`") }
}
