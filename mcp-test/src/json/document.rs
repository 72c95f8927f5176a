//! A JSON text that was read: the bytes, the value, and what was odd about them.

use std::fmt;

use bytes::Bytes;

use super::{ParseError, Pointer, Value, parse};

/// A JSON text with its value.
///
/// Equality of documents is left to their parts: compare `value` for meaning, `text` for bytes.
#[derive(Clone, Debug)]
pub struct Document {
    /// The bytes as they were read.
    pub text: Bytes,
    /// What they mean.
    pub value: Value,
    /// What RFC 8259 allows but no peer should write; at most [`Document::NOTE_LIMIT`] of them.
    pub notes: Vec<Note>,
}

impl Document {
    /// How many notes are kept of one text.
    pub const NOTE_LIMIT: usize = 64;

    /// Reads one JSON text strictly by RFC 8259, without copying it.
    ///
    /// # Errors
    ///
    /// As [`Value::parse`].
    pub fn parse(text: Bytes) -> Result<Self, ParseError> {
        let (value, notes) = parse::read(&text)?;
        Ok(Self { text, value, notes })
    }
}

/// Something legal but not interoperable in a JSON text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where in the text.
    pub pointer: Pointer,
    /// What it is.
    pub kind: NoteKind,
}

/// What a [`Note`] is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoteKind {
    /// A member whose name was there before in the same object.
    DuplicateMember {
        /// The name.
        name: String,
    },
    /// A `\uXXXX` escape of half a surrogate pair; it was read as U+FFFD.
    LoneSurrogate {
        /// The escape as written.
        escape: String,
    },
    /// A whole number outside ±(2^53 - 1), which readers that use doubles get wrong.
    UnsafeInteger {
        /// The number as written.
        text: String,
    },
    /// A number beyond the range of doubles.
    NumberOutOfRange {
        /// The number as written.
        text: String,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pointer.is_root() {
            write!(f, "{}: ", self.pointer)?;
        }
        self.kind.fmt(f)
    }
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateMember { name } => {
                write!(f, "a second member named {}", Value::from(name.as_str()))
            }
            Self::LoneSurrogate { escape } => {
                write!(f, "the escape {escape} is half of a surrogate pair")
            }
            Self::UnsafeInteger { text } => {
                write!(f, "the integer {text} is not exact in readers that use doubles")
            }
            Self::NumberOutOfRange { text } => {
                write!(f, "the number {text} is beyond the range of doubles")
            }
        }
    }
}
