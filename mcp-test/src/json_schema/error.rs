//! Why there is no verdict: a schema that cannot be used, or a judgement that was given up.

use std::fmt;
use std::time::Duration;

use crate::clock;
use crate::expect::words;
use crate::json::Pointer;

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// It is no JSON Schema: its dialect forbids what stands there.
    #[error("{place} is no valid {dialect}: expected {expected}, got {got}", place = place(pointer))]
    Invalid {
        /// Where in the schema.
        pointer: Pointer,
        /// The dialect that forbids it: `JSON Schema 2020-12`.
        dialect: &'static str,
        /// What may stand there.
        expected: String,
        /// What stands there, cut short.
        got: String,
    },
    /// `$schema` names a dialect that is not known here.
    #[error(
        "{place} is {name}, which is none of the dialects known here: draft 4, 6, 7, 2019-09 and 2020-12",
        place = place(pointer)
    )]
    UnknownDialect {
        /// Where in the schema.
        pointer: Pointer,
        /// What `$schema` says, cut short.
        name: String,
    },
    /// A reference leads out of the schema; nothing is fetched.
    #[error(
        "{} refers to {reference:?}, which lies outside this schema, and nothing is fetched",
        place(pointer)
    )]
    Elsewhere {
        /// Where in the schema.
        pointer: Pointer,
        /// What it refers to, cut short.
        reference: String,
    },
    /// A reference leads nowhere.
    #[error("{} refers to {reference:?}, which is not there", place(pointer))]
    Dangling {
        /// Where in the schema.
        pointer: Pointer,
        /// What it refers to, cut short.
        reference: String,
    },
    /// A schema refers to itself for one and the same value: no value can ever be judged by it.
    #[error("{} leads back to itself without a step into the value", place(pointer))]
    Endless {
        /// Where in the schema.
        pointer: Pointer,
    },
    /// It is beyond a bound, and was not compiled.
    #[error("{} is beyond a bound: {bound}", place(pointer))]
    Bounded {
        /// Where in the schema.
        pointer: Pointer,
        /// Which bound.
        bound: Bound,
    },
    /// It cannot be compiled for another reason, in the words of the library that was to compile it.
    #[error("{} cannot be used: {reason}", place(pointer))]
    Unusable {
        /// Where in the schema.
        pointer: Pointer,
        /// Why.
        reason: String,
    },
}

impl CompileError {
    /// Where in the schema it is.
    #[must_use]
    pub fn pointer(&self) -> &Pointer {
        match self {
            Self::Invalid { pointer, .. }
            | Self::UnknownDialect { pointer, .. }
            | Self::Elsewhere { pointer, .. }
            | Self::Dangling { pointer, .. }
            | Self::Endless { pointer }
            | Self::Bounded { pointer, .. }
            | Self::Unusable { pointer, .. } => pointer,
        }
    }
}

impl CompileError {
    /// The same error, seen from the document around the schema.
    pub(super) fn at(mut self, place: Pointer) -> Self {
        let (Self::Invalid { pointer, .. }
        | Self::UnknownDialect { pointer, .. }
        | Self::Elsewhere { pointer, .. }
        | Self::Dangling { pointer, .. }
        | Self::Endless { pointer }
        | Self::Bounded { pointer, .. }
        | Self::Unusable { pointer, .. }) = &mut self;
        *pointer = place.join(pointer);
        self
    }
}

fn place(pointer: &Pointer) -> String {
    if pointer.is_root() { "the schema".to_owned() } else { format!("`{pointer}`") }
}

/// A bound that a schema is beyond, with what is allowed.
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
                write!(f, "at most {} in a row for one value", words::count(*most, "schema"))
            }
            Self::Applications(most) => {
                write!(f, "schemas applied at most {most} times to one value")
            }
            Self::Resources(most) => {
                write!(f, "at most {} with an `$id`", words::count(*most, "schema"))
            }
            Self::Patterns(most) => write!(f, "at most {most} different patterns"),
            Self::Pattern(most) => {
                write!(f, "a pattern of at most {}", words::count(*most, "byte"))
            }
            Self::PatternProgram(most) => {
                write!(f, "a pattern that compiles, to at most {}", words::count(*most, "byte"))
            }
        }
    }
}

/// Why judging a value by a schema was given up. There is no verdict then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unfinished {
    /// It took more than [`Limits::steps`](super::Limits::steps).
    #[error("judging it by the schema takes more than {0} steps")]
    Steps(u64),
    /// It took more than [`Limits::time`](super::Limits::time).
    #[error("judging it by the schema takes more than {}", clock::in_words(*.0))]
    Time(Duration),
    /// It took more than [`Limits::stack`](super::Limits::stack).
    #[error("judging it by the schema takes more than {0} bytes of stack")]
    Stack(usize),
    /// A text was too long to be held against the patterns within [`Limits::pattern_work`](super::Limits::pattern_work).
    #[error("the patterns of the schema are not held against texts of more than {0} bytes")]
    Text(usize),
    /// A pattern went back in a text more than [`Limits::backtracking`](super::Limits::backtracking) times.
    #[error("a pattern of the schema goes back in a text more than {0} times")]
    Backtracking(usize),
    /// The library that judges broke down.
    #[error("the library that judges by schemas broke down")]
    Broken,
}
