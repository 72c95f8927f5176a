//! One place that is not what the case says, in words that show no secrets and are never long.

use std::fmt;

use super::text;
use super::walk::{Raw, Wanted};
use crate::expect::words;
use crate::json::{DifferenceKind, Object, Pointer, Value};
use crate::trace::SecretTexts;
use crate::yaml::Span;

/// A place where what came is not what the case says.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// The place in the message that came; of what is missing, where it should be.
    pub pointer: Pointer,
    /// The place in the case; of what the case does not have, the nearest around it.
    pub case: Pointer,
    /// In what way they differ.
    pub kind: DifferenceKind,
    /// What the case asks for, to be read after "is"; `nothing` for something extra.
    pub expected: String,
    /// What there is, cut short, or `nothing`.
    pub got: String,
    /// What that is, to be read after "which".
    pub which: Option<String>,
    /// Where the matcher stands that asks for it; otherwise the case's own value does.
    pub asked: Option<Span>,
    /// What the words cut short: lines that begin with `-` (the case), `+` (what came) or a space (both).
    pub lines: Vec<String>,
}

impl Difference {
    pub(super) fn new(raw: Raw<'_>, secrets: &SecretTexts) -> Self {
        let Raw { case, pointer, kind, wanted, got, which, asked } = raw;
        let show = |value: &Value| secrets.short(value, words::SHOWN);
        let value = if let Wanted::Value(value) = wanted { Some(value) } else { None };
        let texts = value.and_then(Value::as_str).zip(got.and_then(Value::as_str));
        let apart = texts.and_then(|(wanted, got)| text::apart(wanted, got, secrets));
        let (expected, got, which, lines) = match apart {
            Some(apart) => (apart.expected, apart.got, Some(apart.which), apart.lines),
            None => {
                let lines = [('-', value), ('+', got)];
                let lines = lines.into_iter().flat_map(|(sign, value)| {
                    value.map(|value| text::lines(sign, value, secrets)).unwrap_or_default()
                });
                let expected = match wanted {
                    Wanted::Value(value) => show(value),
                    Wanted::Words(words) => secrets.mask(&words),
                    Wanted::Nothing => "nothing".to_owned(),
                };
                let instead = which.clone().filter(|_| got.is_none());
                let got_words =
                    got.map_or_else(|| instead.unwrap_or_else(|| words::got(None)), show);
                (expected, got_words, which.filter(|_| got.is_some()), lines.collect())
            }
        };
        let masked = |pointer: Pointer| match secrets.is_empty() {
            true => pointer,
            false => {
                // The names of members are the peer's own words.
                let tokens: Vec<String> = pointer.tokens().collect();
                let tokens = tokens.iter().map(|token| secrets.mask(token));
                tokens.fold(Pointer::root(), |place, token| place.member(&token))
            }
        };
        Self { pointer: masked(pointer), case, kind, expected, got, which, asked, lines }
    }

    /// How many bytes its words have.
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

/// The differences as JSON, for [`details`](crate::check::Check) that programs read: `pointer`, `expected`, `got`.
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
