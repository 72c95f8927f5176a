//! Names for values that are repeated in a later message, and for secrets.

use std::collections::{BTreeMap, BTreeSet};

use mcp_test_core::json::{Pointer, Value};
use mcp_test_core::trace::redact::SECRET as REDACTED;

use super::differing::Differing;
use super::draft::Draft;
use super::{volatile, walk};
use crate::cases::Direction;

/// The minimum length of a text that is searched for inside others: a shorter one would occur in unrelated places.
const SHORTEST_PART: usize = 8;
/// The maximum number of values of one case that have names.
const MAX_NAMES: usize = 64;
/// The maximum cost of a search inside longer texts: their number times the length of the text.
const MAX_COMPARISONS: usize = 1_000_000;

/// The names of values in a case.
#[derive(Debug, Default)]
pub(super) struct Names {
    kept: Vec<Kept>,
    /// The names of inputs, which are secret.
    pub(super) inputs: Vec<String>,
}

/// A value that is captured for later messages.
#[derive(Debug)]
struct Kept {
    name: String,
    value: String,
    /// The message that has it first.
    from: usize,
    place: Pointer,
}

impl Names {
    /// Finds the repeated values of a case.
    pub(super) fn of(draft: &Draft, differing: &Differing) -> Self {
        let mut names = Self::default();
        let messages = client_texts(draft);
        let mut taken = BTreeSet::new();
        for (index, message) in draft.messages.iter().enumerate() {
            for (place, value) in walk::values(&message.value) {
                if walk::is_envelope(&place) || names.kept.len() == MAX_NAMES {
                    continue;
                }
                if let (Direction::In, Some(text)) = (message.direction, value.as_str())
                    && volatile::holds_secret(text)
                {
                    // The trace has only a placeholder for it, so that whoever replays the case has to supply it.
                    names.input(&place);
                    continue;
                }
                let (Direction::Out, Value::String(text)) = (message.direction, value) else {
                    continue;
                };
                if walk::is_label(&place) || names.kept.iter().any(|kept| kept.value == *text) {
                    continue;
                }
                let kind = volatile::kind(&place, text)
                    .or_else(|| differing.has(index, &place).then_some("value"));
                if let Some(kind) = kind.filter(|_| is_repeated(&messages, index, text)) {
                    let name = free(&mut taken, kind);
                    names.kept.push(Kept { name, value: text.clone(), from: index, place });
                }
            }
        }
        names
    }

    /// Whether the case has any names, and its texts need escaping.
    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.inputs.is_empty()
    }

    /// The captures of a message.
    pub(super) fn captures(&self, message: usize) -> Vec<(String, Pointer)> {
        let of_it = self.kept.iter().filter(|kept| kept.from == message);
        of_it.map(|kept| (kept.name.clone(), kept.place.clone())).collect()
    }

    /// The value with names in place of earlier values and of secrets.
    pub(super) fn with_names(
        &self,
        message: usize,
        direction: Direction,
        place: &Pointer,
        value: &Value,
    ) -> Option<Value> {
        let text = value.as_str().filter(|_| !self.is_empty() && !walk::is_envelope(place))?;
        let mut pieces = vec![Piece::Text(text)];
        for kept in self.kept_before(message, text) {
            pieces = split(pieces, &kept.value, &kept.name);
        }
        if direction == Direction::In && volatile::holds_secret(text) {
            pieces = split(pieces, REDACTED, &input_name(place));
        }
        Some(pieces.iter().map(Piece::written).collect::<String>().into())
    }

    /// The rest of a text without the values that have names; `None` if it contains none.
    pub(super) fn without_names(&self, message: usize, text: &str) -> Option<String> {
        let mut rest = text.to_owned();
        for kept in self.kept_before(message, text) {
            rest = rest.replace(&kept.value, "");
        }
        (rest != text).then_some(rest)
    }

    /// The values captured before a message that may be part of a text.
    fn kept_before(&self, message: usize, text: &str) -> impl Iterator<Item = &Kept> {
        self.kept.iter().filter(move |kept| {
            kept.from < message && (kept.value == text || kept.value.len() >= SHORTEST_PART)
        })
    }

    fn input(&mut self, place: &Pointer) {
        let name = input_name(place);
        if !self.inputs.contains(&name) {
            self.inputs.push(name);
        }
    }
}

/// A part of a text: literal, or a name.
enum Piece<'a> {
    Text(&'a str),
    Name(String),
}

impl Piece<'_> {
    fn written(&self) -> String {
        match self {
            // `$${` stands for `${` in a case.
            Self::Text(text) => text.replace("${", "$${"),
            Self::Name(name) => format!("${{{name}}}"),
        }
    }
}

/// Replaces a text in the literal pieces by a name.
fn split<'a>(pieces: Vec<Piece<'a>>, wanted: &str, name: &str) -> Vec<Piece<'a>> {
    let mut parts = Vec::new();
    for piece in pieces {
        let Piece::Text(text) = piece else {
            parts.push(piece);
            continue;
        };
        for (index, part) in text.split(wanted).enumerate() {
            if index > 0 {
                parts.push(Piece::Name(name.to_owned()));
            }
            if !part.is_empty() {
                parts.push(Piece::Text(part));
            }
        }
    }
    parts
}

/// The texts that the client sends, each with the last message that has it.
fn client_texts(draft: &Draft) -> BTreeMap<&str, usize> {
    let mut messages = BTreeMap::new();
    let by_client = draft.messages.iter().enumerate();
    for (index, message) in by_client.filter(|(_, it)| it.direction == Direction::In) {
        for (place, value) in walk::values(&message.value) {
            if let (Some(text), false) = (value.as_str(), walk::is_envelope(&place)) {
                messages.insert(text, index);
            }
        }
    }
    messages
}

/// Whether the client sends a text later, or one that contains it.
fn is_repeated(messages: &BTreeMap<&str, usize>, index: usize, text: &str) -> bool {
    let is_later = |last: &usize| *last > index;
    if text.is_empty() || messages.get(text).is_some_and(is_later) {
        return !text.is_empty();
    }
    text.len() >= SHORTEST_PART
        // A bound for large recordings: the text is searched for in each text of the client.
        && messages.len().saturating_mul(text.len()) < MAX_COMPARISONS
        && messages.iter().any(|(other, last)| is_later(last) && other.contains(text))
}

/// The name of a secret: that of its member.
fn input_name(place: &Pointer) -> String {
    let name = place.split_last().map(|(_, name)| name).unwrap_or_default();
    let is_name = name.starts_with(|it: char| it.is_ascii_alphabetic())
        && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
        && name.len() <= 40;
    if is_name { name } else { "secret".to_owned() }
}

/// The name, or the first one with a number that is not taken.
fn free(taken: &mut BTreeSet<String>, name: &str) -> String {
    let numbered = std::iter::once(name.to_owned());
    let numbered = numbered.chain((2..=MAX_NAMES + 1).map(|number| format!("{name}_{number}")));
    let free = numbered.into_iter().find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(free.clone());
    free
}
