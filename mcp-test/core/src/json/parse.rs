//! A strict parser for RFC 8259, with the location of errors.

use std::collections::HashSet;

use super::escape::plain_prefix;
use super::{Array, Note, NoteKind, Number, Object, Pointer, Value, note, number};

/// How deep arrays and objects may nest; it bounds the recursion of everything that walks a value.
#[doc(hidden)]
pub const DEPTH_LIMIT: usize = 128;

/// How many values one text may have: the members and items of all objects and arrays, and the value itself.
///
/// The smallest values take two bytes of text and tens of bytes of memory, so a bound on bytes alone is not enough. Real
/// messages have thousands.
#[doc(hidden)]
pub const VALUE_LIMIT: usize = 500_000;

/// The largest integer that parsers with doubles represent exactly (2^53 - 1).
const SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Above this many members, duplicates are found with a set.
const SET_ABOVE: usize = 16;

/// Why some bytes are not a JSON text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The offset in bytes, from 0.
    pub offset: usize,
    /// What was expected and what was found.
    pub reason: String,
    #[doc(hidden)]
    pub over_limit: bool,
}

impl ParseError {
    /// Whether the text was refused because it nests deeper than [`DEPTH_LIMIT`] or has more than [`VALUE_LIMIT`] values, so
    /// that it may be valid JSON.
    #[must_use]
    pub fn is_over_limit(&self) -> bool {
        self.over_limit
    }
}

/// A value, what is unusual about its text, and how many values it has.
pub(super) struct Parsed {
    pub(super) value: Value,
    pub(super) notes: Vec<Note>,
    pub(super) values: usize,
}

/// Parses all of `bytes` as one value.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, ParseError> {
    let (text, invalid_byte) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            // What is before the invalid bytes is parsed, because an error there comes first.
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            (std::str::from_utf8(valid).unwrap_or_default(), rest.first())
        }
    };
    let bytes = text.as_bytes();
    let mut parser = Parser { text, bytes, ..Parser::default() };
    let outcome = parser.document();
    let refusal = match (outcome, invalid_byte) {
        (Ok(value), None) => {
            return Ok(Parsed { value, notes: parser.notes, values: parser.values });
        }
        (Err(refusal), None) => refusal,
        // An error at the end of the valid part is caused by the invalid bytes.
        (Err(refusal), Some(_)) if refusal.offset < text.len() => refusal,
        (_, Some(byte)) => {
            Refusal::new(text.len(), format!("expected UTF-8, found the byte 0x{byte:02x}"))
        }
    };
    Err(refusal.locate(text))
}

/// A [`ParseError`] before its line and column are known.
struct Refusal {
    offset: usize,
    reason: String,
    over_limit: bool,
}

impl Refusal {
    fn new(offset: usize, reason: impl Into<String>) -> Self {
        Self { offset, reason: reason.into(), over_limit: false }
    }

    fn locate(self, text: &str) -> ParseError {
        let before = text.get(..self.offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        ParseError {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            offset: self.offset,
            reason: self.reason,
            over_limit: self.over_limit,
        }
    }
}

#[derive(Default)]
struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    values: usize,
    /// The members of all objects that are not complete, and the items of all such arrays. A complete one takes what is its
    /// own, so that it is allocated once and at its size.
    members: Vec<(String, Value)>,
    items: Vec<Value>,
    notes: Vec<Note>,
}

impl Parser<'_> {
    fn document(&mut self) -> Result<Value, Refusal> {
        // RFC 8259, section 8.1: a text must not start with a byte order mark.
        if self.text.starts_with('\u{feff}') {
            return Err(Refusal::new(0, "expected a value, found a byte order mark"));
        }
        self.skip_space();
        let value = self.value()?;
        self.skip_space();
        if self.at < self.bytes.len() {
            return Err(self.expected("nothing after the value"));
        }
        Ok(value)
    }

    fn value(&mut self) -> Result<Value, Refusal> {
        if self.values == VALUE_LIMIT {
            return Err(
                self.over_limit(format!("more than the {VALUE_LIMIT} values that mcp-test reads"))
            );
        }
        self.values += 1;
        match self.peek() {
            Some(b'{') => self.nested(Self::object).map(Value::Object),
            Some(b'[') => self.nested(Self::array).map(Value::Array),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number().map(Value::Number),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            _ => Err(self.expected("a value")),
        }
    }

    fn nested<T>(&mut self, read: fn(&mut Self) -> Result<T, Refusal>) -> Result<T, Refusal> {
        // Checked here, since only arrays and objects recurse.
        if self.depth == DEPTH_LIMIT {
            return Err(self.over_limit(format!(
                "nested deeper than the {DEPTH_LIMIT} levels that mcp-test reads"
            )));
        }
        self.depth += 1;
        self.at += 1;
        self.skip_space();
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn object(&mut self) -> Result<Object, Refusal> {
        let first = self.members.len();
        let mut names = HashSet::new();
        if self.take(b'}') {
            return Ok(Object::new());
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.expected("a member name in double quotes"));
            }
            let notes = self.notes.len();
            let name = self.string()?;
            // Names are copied into a set only for large objects; small ones are searched.
            // At this point the names so far move into the set.
            let members = &self.members[first..];
            if members.len() == SET_ABOVE {
                names = members.iter().map(|(name, _)| name.clone()).collect();
            }
            let duplicate = if members.len() < SET_ABOVE {
                members.iter().any(|(present, _)| *present == name)
            } else {
                !names.insert(name.clone())
            };
            if duplicate {
                self.note(NoteKind::DuplicateMember { name: name.clone() });
            }
            self.skip_space();
            if !self.take(b':') {
                return Err(self.expected("`:`"));
            }
            self.skip_space();
            let value = self.value()?;
            self.relocate_notes(notes, || Pointer::root().member(&name));
            self.members.push((name, value));
            self.skip_space();
            if self.take(b'}') {
                return Ok(self.members.split_off(first).into());
            }
            if !self.take(b',') {
                return Err(self.expected("`,` or `}`"));
            }
            self.skip_space();
        }
    }

    fn array(&mut self) -> Result<Array, Refusal> {
        let first = self.items.len();
        if self.take(b']') {
            return Ok(Array::default());
        }
        loop {
            let (notes, index) = (self.notes.len(), self.items.len() - first);
            let value = self.value()?;
            self.relocate_notes(notes, || Pointer::root().index(index));
            self.items.push(value);
            self.skip_space();
            if self.take(b']') {
                return Ok(self.items.split_off(first).into());
            }
            if !self.take(b',') {
                return Err(self.expected("`,` or `]`"));
            }
            self.skip_space();
        }
    }

    fn number(&mut self) -> Result<Number, Refusal> {
        let start = self.at;
        let length = number::scan(&self.bytes[start..]).map_err(|(offset, expected)| {
            self.at = start + offset;
            self.expected(expected)
        })?;
        self.at += length;
        let number = Number::from_valid(&self.text[start..self.at]);
        // 2^53 has 16 digits, so a number this short is safe, and within the range unless it has an exponent.
        if length <= 15 && !number.as_str().contains(['e', 'E']) {
            return Ok(number);
        }
        let text = || number.as_str().to_owned();
        if number.as_f64().is_none() {
            self.note(NoteKind::NumberOutOfRange { text: text() });
        } else if length > 15 && number.is_integer() {
            let magnitude = number.as_i64().map(i64::unsigned_abs).or_else(|| number.as_u64());
            if magnitude.is_none_or(|magnitude| magnitude > SAFE_INTEGER) {
                self.note(NoteKind::UnsafeInteger { text: text() });
            }
        }
        Ok(number)
    }

    fn string(&mut self) -> Result<String, Refusal> {
        let opened = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let start = self.at;
            self.at += plain_prefix(&self.bytes[self.at..]);
            while self.peek().is_some_and(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
                self.at += 1;
            }
            // The run ends at an ASCII byte or at the end, both of which are character boundaries.
            let run = &self.text[start..self.at];
            if self.take(b'"') {
                // Most strings are one run, for which a single allocation of the right size is enough.
                return Ok(if out.is_empty() { run.to_owned() } else { out + run });
            }
            out.push_str(run);
            match self.peek() {
                Some(b'\\') => out.push(self.escape()?),
                Some(control) => {
                    let reason =
                        format!("expected an escape, found the control character 0x{control:02x}");
                    return Err(Refusal::new(self.at, reason));
                }
                None => {
                    let error = Refusal::new(opened, "").locate(self.text);
                    let (line, column) = (error.line, error.column);
                    let reason = format!(
                        "expected the end of the string that begins in line {line}, column {column}, \
                         found the end of the text"
                    );
                    return Err(Refusal::new(self.at, reason));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, Refusal> {
        let start = self.at;
        self.at += 1;
        let plain = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(start),
            _ => return Err(self.expected("one of `\"\\/bfnrtu` after the backslash")),
        };
        self.at += 1;
        Ok(plain)
    }

    fn unicode_escape(&mut self, start: usize) -> Result<char, Refusal> {
        let unit = self.hex()?;
        let lead = u32::from(unit);
        if let Some(char) = char::from_u32(lead) {
            return Ok(char);
        }
        let after_lead = self.at;
        // Not a character, so it is half of a surrogate pair; only a lead surrogate can be followed by the other half.
        if lead < 0xdc00 && self.bytes[self.at..].starts_with(b"\\u") {
            self.at += 1;
            let trail = u32::from(self.hex()?);
            if (0xdc00..0xe000).contains(&trail) {
                let code = 0x10000 + ((lead - 0xd800) << 10) + (trail - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
        // The second escape is not a trail surrogate: it is parsed next, on its own.
        self.at = after_lead;
        self.note(NoteKind::LoneSurrogate { escape: self.text[start..after_lead].to_owned() });
        Ok(char::REPLACEMENT_CHARACTER)
    }

    /// Parses `uXXXX`, where `u` is the next byte.
    fn hex(&mut self) -> Result<u16, Refusal> {
        let mut unit = 0;
        for _ in 0..4 {
            self.at += 1;
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.expected("four hexadecimal digits after `\\u`"));
            };
            unit = unit << 4 | digit as u16;
        }
        self.at += 1;
        Ok(unit)
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, Refusal> {
        let rest = &self.bytes[self.at..];
        let same = rest.iter().zip(word.as_bytes()).take_while(|(got, want)| got == want).count();
        // The error points to the first character that differs.
        self.at += same;
        if same < word.len() { Err(self.expected(&format!("`{word}`"))) } else { Ok(value) }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let matches = self.peek() == Some(byte);
        self.at += usize::from(matches);
        matches
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn note(&mut self, kind: NoteKind) {
        // The last place is for the first note on what parsers disagree about: others must not crowd it out.
        let is_last = self.notes.len() + 1 == note::LIMIT;
        let is_kept = !is_last
            || kind.is_ambiguous()
            || self.notes.iter().any(|note| note.kind.is_ambiguous());
        if self.notes.len() < note::LIMIT && is_kept {
            self.notes.push(Note { pointer: Pointer::root(), kind });
        }
    }

    /// Moves the notes of a child into its container: notes are recorded at the root and relocated level by level.
    // Notes are rare, so this costs less than a pointer that is kept up to date for every value.
    fn relocate_notes(&mut self, from: usize, parent: impl Fn() -> Pointer) {
        for note in self.notes.iter_mut().skip(from) {
            note.pointer = parent().join(&note.pointer);
        }
    }

    fn over_limit(&self, reason: String) -> Refusal {
        Refusal { offset: self.at, reason, over_limit: true }
    }

    fn expected(&self, expected: &str) -> Refusal {
        let found = match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            None => "the end of the text".to_owned(),
            // Spelled out, because characters are shown between backticks.
            Some('`') => "a backtick".to_owned(),
            Some(char) if char.is_control() => {
                format!("the control character {}", char.escape_unicode())
            }
            Some(char) => format!("`{char}`"),
        };
        Refusal::new(self.at, format!("expected {expected}, found {found}"))
    }
}
