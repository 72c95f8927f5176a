//! The strict reader: RFC 8259 and nothing more, with the place of what is wrong.

use std::collections::HashSet;

use super::{Document, Note, NoteKind, Number, Object, Pointer, Value, number};

/// How deep arrays and objects may nest; deeper text is refused, whatever a peer sends.
pub const DEPTH_LIMIT: usize = 128;

/// The largest whole number that every reader gets right (2^53 - 1).
const SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Up to this many members, duplicates are looked for without a set.
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
}

impl ParseError {
    /// Whether the text may well be JSON, nested deeper than [`DEPTH_LIMIT`].
    #[must_use]
    pub fn is_too_deep(&self) -> bool {
        self.reason == too_deep()
    }
}

fn too_deep() -> String {
    format!("nested deeper than {DEPTH_LIMIT} levels")
}

/// Reads all of `bytes` as one value.
pub(super) fn read(bytes: &[u8]) -> Result<(Value, Vec<Note>), ParseError> {
    let (text, broken) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            // What precedes the broken bytes may be wrong already, and is then the better reason.
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            (std::str::from_utf8(valid).unwrap_or_default(), rest.first())
        }
    };
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0, depth: 0, notes: Vec::new() };
    let outcome = reader.document();
    let fault = match (outcome, broken) {
        (Ok(value), None) => return Ok((value, reader.notes)),
        (Err(fault), None) => fault,
        (Err(fault), Some(_)) if fault.offset < text.len() => fault,
        (_, Some(byte)) => Fault {
            offset: text.len(),
            reason: format!("expected UTF-8, found the byte 0x{byte:02x}"),
        },
    };
    Err(fault.locate(text))
}

/// An error before its line and column are known.
struct Fault {
    offset: usize,
    reason: String,
}

impl Fault {
    fn locate(self, text: &str) -> ParseError {
        let before = text.get(..self.offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        ParseError {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            offset: self.offset,
            reason: self.reason,
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    notes: Vec<Note>,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<Value, Fault> {
        if self.text.starts_with('\u{feff}') {
            return Err(self.fault_at(0, "expected a value, found a byte order mark"));
        }
        self.skip_space();
        let value = self.value()?;
        self.skip_space();
        if self.at < self.bytes.len() {
            return Err(self.expected("nothing after the value"));
        }
        Ok(value)
    }

    fn value(&mut self) -> Result<Value, Fault> {
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

    fn nested<T>(&mut self, read: fn(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth == DEPTH_LIMIT {
            return Err(self.fault_at(self.at, &too_deep()));
        }
        self.depth += 1;
        self.at += 1;
        self.skip_space();
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn object(&mut self) -> Result<Object, Fault> {
        let mut object = Object::new();
        let mut names = HashSet::new();
        if self.take(b'}') {
            return Ok(object);
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.expected("a member name in double quotes"));
            }
            let notes = self.notes.len();
            let name = self.string()?;
            if object.len() == SET_ABOVE {
                names = object.keys().map(str::to_owned).collect();
            }
            let duplicate = if object.len() < SET_ABOVE {
                object.contains(&name)
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
            self.place_notes(notes, || Pointer::root().member(&name));
            object.push(name, value);
            self.skip_space();
            if self.take(b'}') {
                return Ok(object);
            }
            if !self.take(b',') {
                return Err(self.expected("`,` or `}`"));
            }
            self.skip_space();
        }
    }

    fn array(&mut self) -> Result<Vec<Value>, Fault> {
        let mut items = Vec::new();
        if self.take(b']') {
            return Ok(items);
        }
        loop {
            let notes = self.notes.len();
            let value = self.value()?;
            self.place_notes(notes, || Pointer::root().index(items.len()));
            items.push(value);
            self.skip_space();
            if self.take(b']') {
                return Ok(items);
            }
            if !self.take(b',') {
                return Err(self.expected("`,` or `]`"));
            }
            self.skip_space();
        }
    }

    fn number(&mut self) -> Result<Number, Fault> {
        let start = self.at;
        let length = number::scan(&self.bytes[start..]).map_err(|(offset, expected)| {
            self.at = start + offset;
            self.expected(expected)
        })?;
        self.at += length;
        let number = Number::spelled(&self.text[start..self.at]);
        let plain = || number.as_str().to_owned();
        if number.as_f64().is_none() {
            self.note(NoteKind::NumberOutOfRange { text: plain() });
        } else if length > 15 && number.is_integer() {
            let magnitude = number.as_i64().map(i64::unsigned_abs).or_else(|| number.as_u64());
            if magnitude.is_none_or(|magnitude| magnitude > SAFE_INTEGER) {
                self.note(NoteKind::UnsafeInteger { text: plain() });
            }
        }
        Ok(number)
    }

    fn string(&mut self) -> Result<String, Fault> {
        let opened = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let start = self.at;
            while self.peek().is_some_and(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
                self.at += 1;
            }
            // The run ends at an ASCII byte or at the end, both character boundaries.
            out.push_str(&self.text[start..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(control) => {
                    let reason =
                        format!("expected an escape, found the control character 0x{control:02x}");
                    return Err(self.fault_at(self.at, &reason));
                }
                None => {
                    let error = self.fault_at(opened, "").locate(self.text);
                    let (line, column) = (error.line, error.column);
                    let reason = format!(
                        "expected the end of the string that begins in line {line}, column {column}, \
                         found the end of the text"
                    );
                    return Err(self.fault_at(self.at, &reason));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
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

    fn unicode_escape(&mut self, start: usize) -> Result<char, Fault> {
        let unit = self.hex()?;
        let lead = u32::from(unit);
        if let Some(char) = char::from_u32(lead) {
            return Ok(char);
        }
        let after_lead = self.at;
        if lead < 0xdc00 && self.bytes[self.at..].starts_with(b"\\u") {
            self.at += 1;
            let trail = u32::from(self.hex()?);
            if (0xdc00..0xe000).contains(&trail) {
                let code = 0x10000 + ((lead - 0xd800) << 10) + (trail - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
        // The second escape stands on its own and is read next.
        self.at = after_lead;
        self.note(NoteKind::LoneSurrogate { escape: self.text[start..after_lead].to_owned() });
        Ok(char::REPLACEMENT_CHARACTER)
    }

    /// Reads `uXXXX`, the `u` being the next byte.
    fn hex(&mut self) -> Result<u16, Fault> {
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

    fn word(&mut self, word: &str, value: Value) -> Result<Value, Fault> {
        let rest = &self.bytes[self.at..];
        let same = rest.iter().zip(word.as_bytes()).take_while(|(got, want)| got == want).count();
        self.at += same;
        if same < word.len() { Err(self.expected(&format!("`{word}`"))) } else { Ok(value) }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn note(&mut self, kind: NoteKind) {
        if self.notes.len() < Document::NOTE_LIMIT {
            self.notes.push(Note { pointer: Pointer::root(), kind });
        }
    }

    /// Notes are taken at the root; each container moves those of its child one level down.
    fn place_notes(&mut self, from: usize, parent: impl Fn() -> Pointer) {
        for note in self.notes.iter_mut().skip(from) {
            note.pointer = parent().join(&note.pointer);
        }
    }

    fn expected(&self, expected: &str) -> Fault {
        let found = match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            None => "the end of the text".to_owned(),
            Some('`') => "a backtick".to_owned(),
            Some(char) if char.is_control() => {
                format!("the control character {}", char.escape_unicode())
            }
            Some(char) => format!("`{char}`"),
        };
        self.fault_at(self.at, &format!("expected {expected}, found {found}"))
    }

    fn fault_at(&self, offset: usize, reason: &str) -> Fault {
        Fault { offset, reason: reason.to_owned() }
    }
}
