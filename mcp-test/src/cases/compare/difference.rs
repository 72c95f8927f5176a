//! A difference between a message and a case, described in bounded text without secrets.

use std::fmt;

use mcp_test_core::expect::words;
use mcp_test_core::json::{DifferenceKind, Object, Pointer, Value};
use mcp_test_core::trace::SecretTexts;
use mcp_test_core::yaml::Span;

use super::text;
use super::walk::{Expectation, RawDifference};

/// A difference between a received message and a case.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// The location in the received message; of a missing value, where it should be.
    pub pointer: Pointer,
    /// The location in the case, or its deepest existing parent.
    pub case: Pointer,
    /// The kind of difference.
    pub kind: DifferenceKind,
    /// What the case expects, to follow "is"; `nothing` for an extra value.
    pub expected: String,
    /// The received value, truncated, or `nothing`.
    pub got: String,
    /// An explanation of the received value, to follow "which".
    pub which: Option<String>,
    /// The range of the matcher, if one applies instead of the value of the case.
    pub matcher_span: Option<Span>,
    /// A diff of values too long for one line: lines begin with `-` (the case), `+` (received) or a space (both).
    pub lines: Vec<String>,
}

impl Difference {
    pub(super) fn new(raw: RawDifference<'_>, secrets: &SecretTexts) -> Self {
        let RawDifference { case, pointer, kind, wanted, got, which, matcher_span } = raw;
        let show = |value: &Value| secrets.short(value, words::SHOWN);
        let value = if let Expectation::Value(value) = wanted { Some(value) } else { None };
        // Two long strings are described by where they differ; everything else by both values.
        let texts = value.and_then(Value::as_str).zip(got.and_then(Value::as_str));
        let texts = texts.and_then(|(wanted, got)| text::compare(wanted, got, secrets));
        let (expected, got, which, lines) = match texts {
            Some(texts) => (texts.expected, texts.got, Some(texts.which), texts.lines),
            None => {
                let lines = [('-', value), ('+', got)];
                let lines = lines.into_iter().flat_map(|(sign, value)| {
                    value.map(|value| text::lines(sign, value, secrets)).unwrap_or_default()
                });
                let expected = match wanted {
                    Expectation::Value(value) => show(value),
                    Expectation::Words(words) => secrets.mask(&words),
                    Expectation::Nothing => "nothing".to_owned(),
                };
                // Of a missing value, `which` is what exists instead.
                let (got_words, which) = match (got, which) {
                    (Some(got), which) => (show(got), which),
                    (None, instead) => (instead.unwrap_or_else(|| words::got(None)), None),
                };
                (expected, got_words, which, lines.collect())
            }
        };
        // Member names come from the peer and may contain secrets; those in the case are known to everyone with the file.
        let masked = |place: Pointer, name: String| place.member(&secrets.mask(&name));
        let pointer = pointer.tokens().fold(Pointer::root(), masked);
        Self { pointer, case, kind, expected, got, which, matcher_span, lines }
    }

    /// The length of its texts in bytes.
    pub(in crate::cases) fn weight(&self) -> usize {
        let words = [self.pointer.as_str(), self.case.as_str(), &self.expected, &self.got];
        let words = words.into_iter().chain(self.which.as_deref());
        words.chain(self.lines.iter().map(String::as_str)).map(str::len).sum()
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pointer.is_root() {
            write!(f, "{}: ", self.pointer)?;
        }
        write!(f, "expected {}, got {}", self.expected, self.got)?;
        self.which.as_ref().map_or(Ok(()), |which| write!(f, ", which {which}"))
    }
}

/// Converts differences to JSON for [`details`](mcp_test_core::check::Check): `pointer`, `expected`, `got`.
#[must_use]
pub fn details(differences: &[Difference]) -> Value {
    let one = |difference: &Difference| {
        let mut object = Object::new();
        object.push("pointer", difference.pointer.as_str());
        object.push("expected", difference.expected.as_str());
        object.push("got", difference.got.as_str());
        Value::Object(object)
    };
    differences.iter().map(one).collect()
}
