//! Why there is no verdict: a schema cannot be used, or validation was aborted.

use std::fmt;
use std::time::Duration;

use crate::clock;
use crate::expect::words;
use crate::json::Pointer;

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// It violates its dialect.
    #[error("{location} is not valid {dialect}: expected {expected}, got {got}", location = location(pointer))]
    Invalid {
        /// The location in the schema.
        pointer: Pointer,
        /// The dialect, such as `JSON Schema 2020-12`.
        dialect: &'static str,
        /// What was expected there.
        expected: String,
        /// What was found there, truncated.
        got: String,
    },
    /// `$schema` names an unsupported dialect.
    #[error(
        "{location} is {name}, which is not a supported dialect: draft 4, 6, 7, 2019-09 or 2020-12",
        location = location(pointer)
    )]
    UnknownDialect {
        /// The location in the schema.
        pointer: Pointer,
        /// The value of `$schema`, truncated.
        name: String,
    },
    /// A reference is external; nothing is fetched.
    #[error(
        "{} refers to {reference:?}, which is outside this schema and is not fetched",
        location(pointer)
    )]
    External {
        /// The location in the schema.
        pointer: Pointer,
        /// The reference, truncated.
        reference: String,
    },
    /// The target of a reference does not exist.
    #[error("{} refers to {reference:?}, which does not exist", location(pointer))]
    Dangling {
        /// The location in the schema.
        pointer: Pointer,
        /// The reference, truncated.
        reference: String,
    },
    /// A schema applies to its own value again, so that validation would never end.
    #[error("{} refers back to itself for the same value", location(pointer))]
    InfiniteRecursion {
        /// The location in the schema.
        pointer: Pointer,
    },
    /// It exceeds a limit, and was not compiled.
    #[error("{} exceeds a limit: {bound}", location(pointer))]
    LimitExceeded {
        /// The location in the schema.
        pointer: Pointer,
        /// The limit.
        bound: Bound,
    },
    /// The JSON Schema library cannot compile it for another reason.
    #[error("{} cannot be used: {reason}", location(pointer))]
    Unusable {
        /// The location in the schema.
        pointer: Pointer,
        /// The message of the library.
        reason: String,
    },
}

impl CompileError {
    /// The location in the schema.
    #[must_use]
    pub fn pointer(&self) -> &Pointer {
        match self {
            Self::Invalid { pointer, .. }
            | Self::UnknownDialect { pointer, .. }
            | Self::External { pointer, .. }
            | Self::Dangling { pointer, .. }
            | Self::InfiniteRecursion { pointer }
            | Self::LimitExceeded { pointer, .. }
            | Self::Unusable { pointer, .. } => pointer,
        }
    }

    /// The same error, as seen from a document that contains the schema at `location`.
    pub(super) fn at(mut self, location: Pointer) -> Self {
        let (Self::Invalid { pointer, .. }
        | Self::UnknownDialect { pointer, .. }
        | Self::External { pointer, .. }
        | Self::Dangling { pointer, .. }
        | Self::InfiniteRecursion { pointer }
        | Self::LimitExceeded { pointer, .. }
        | Self::Unusable { pointer, .. }) = &mut self;
        *pointer = location.join(pointer);
        self
    }
}

fn location(pointer: &Pointer) -> String {
    if pointer.is_root() { "the schema".to_owned() } else { format!("`{pointer}`") }
}

/// A limit that a schema exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bound {
    /// [`Limits::bytes`](super::Limits::bytes)
    Bytes(usize),
    /// [`Limits::nesting`](super::Limits::nesting)
    Nesting(usize),
    /// [`Limits::chain`](super::Limits::chain)
    Chain(usize),
    /// [`Limits::applications`](super::Limits::applications)
    Applications(u64),
    /// [`Limits::resources`](super::Limits::resources)
    Resources(usize),
    /// [`Limits::patterns`](super::Limits::patterns)
    Patterns(usize),
    /// [`Limits::pattern`](super::Limits::pattern)
    Pattern(usize),
    /// [`Limits::pattern_program`](super::Limits::pattern_program)
    PatternProgram(usize),
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(most) => write!(f, "at most {} of JSON", words::count(*most, "byte")),
            Self::Nesting(most) => write!(f, "nested at most {}", words::count(*most, "level")),
            Self::Chain(most) => {
                write!(f, "at most {} chained for one value", words::count(*most, "schema"))
            }
            Self::Applications(most) => {
                write!(f, "at most {most} schemas applied to one value")
            }
            Self::Resources(most) => {
                write!(f, "at most {} with an `$id`", words::count(*most, "schema"))
            }
            Self::Patterns(most) => write!(f, "at most {most} different patterns"),
            Self::Pattern(most) => {
                write!(f, "a pattern of at most {}", words::count(*most, "byte"))
            }
            Self::PatternProgram(most) => {
                write!(f, "a pattern that compiles to at most {}", words::count(*most, "byte"))
            }
        }
    }
}

/// Why validation of a value was aborted without a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Aborted {
    /// It took more than [`Limits::steps`](super::Limits::steps).
    #[error("validation takes more than {0} steps")]
    Steps(u64),
    /// It took more than [`Limits::time`](super::Limits::time).
    #[error("validation takes more than {}", clock::format_duration(*.0))]
    Time(Duration),
    /// It took more than [`Limits::stack`](super::Limits::stack).
    #[error("validation takes more than {0} bytes of stack")]
    Stack(usize),
    /// A text was too long to be matched within [`Limits::pattern_work`](super::Limits::pattern_work).
    #[error("the patterns of the schema are not matched against texts of more than {0} bytes")]
    Text(usize),
    /// A pattern backtracked more than [`Limits::backtracking`](super::Limits::backtracking) times.
    #[error("a pattern of the schema backtracks more than {0} times")]
    Backtracking(usize),
    /// The JSON Schema library panicked.
    #[error("the JSON Schema library panicked")]
    Panicked,
}
