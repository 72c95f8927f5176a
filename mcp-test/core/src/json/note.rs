//! Notes on JSON texts that are legal but not interoperable.

use std::fmt;

use super::{Pointer, Value};

/// How many notes are kept for one text, so that a hostile text cannot make the notes larger than itself.
pub(super) const LIMIT: usize = 64;

/// Something in a JSON text that is legal but not interoperable.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The location of the value.
    pub pointer: Pointer,
    /// What it is.
    pub kind: NoteKind,
}

/// The kind of a [`Note`].
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// A second member with the same name in one object.
    DuplicateMember {
        /// The name.
        name: String,
    },
    /// A `\uXXXX` escape of half a surrogate pair; it is read as U+FFFD.
    LoneSurrogate {
        /// The escape as written.
        escape: String,
    },
    /// A whole number outside ±(2^53 - 1), which parsers that use doubles cannot represent.
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

impl NoteKind {
    /// Whether parsers disagree about the members or the text that there is; numbers only differ in precision.
    #[doc(hidden)]
    pub fn is_ambiguous(&self) -> bool {
        matches!(self, Self::DuplicateMember { .. } | Self::LoneSurrogate { .. })
    }
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
