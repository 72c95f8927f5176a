//! A parsed JSON text: its bytes, its value, and notes on what is unusual.

use bytes::Bytes;

use super::{Note, ParseError, Value, note, parse};

/// A JSON text and its value.
///
/// Documents cannot be compared: compare their `value` or their `text`.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Document {
    /// The text.
    pub text: Bytes,
    /// The value.
    pub value: Value,
    /// Notes on what RFC 8259 allows but peers should avoid; at most [`Document::NOTE_LIMIT`], among them the first duplicate
    /// member or lone surrogate.
    pub notes: Vec<Note>,
    /// How many values it has: the members and items of all objects and arrays, and the value itself.
    pub values: usize,
}

impl Document {
    /// How many notes are kept for one text.
    pub const NOTE_LIMIT: usize = note::LIMIT;

    /// Parses one JSON text strictly by RFC 8259, without copying it.
    ///
    /// # Errors
    ///
    /// See [`Value::parse`].
    pub fn parse(text: Bytes) -> Result<Self, ParseError> {
        let parse::Parsed { value, notes, values } = parse::parse(&text)?;
        Ok(Self { text, value, notes, values })
    }
}

impl Value {
    /// Parses one JSON text strictly by RFC 8259, and keeps a copy of the text.
    ///
    /// # Errors
    ///
    /// If the bytes are not exactly one JSON value: invalid syntax, bytes after the value, invalid
    /// UTF-8, nesting deeper than [`DEPTH_LIMIT`](super::DEPTH_LIMIT), or more than [`VALUE_LIMIT`](super::VALUE_LIMIT)
    /// values.
    pub fn parse(text: &[u8]) -> Result<Document, ParseError> {
        Document::parse(Bytes::copy_from_slice(text))
    }
}
