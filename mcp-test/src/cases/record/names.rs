//! Values that come back: what one message says and a later one repeats gets a name, and so does what must not be shown.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Direction;
use super::compare::Differing;
use super::draft::Draft;
use super::{volatile, walk};
use crate::json::{Pointer, Value};
use crate::spec::meta;
use crate::trace::REDACTED;

/// A shorter text is not looked for inside of others: it would be found in places that have nothing to do with it.
const SHORTEST_PART: usize = 8;
/// How many values of one case get a name.
const MOST: usize = 64;
/// How many comparisons are worth it to find values inside of longer texts.
const PATIENCE: usize = 1_000_000;

/// The names that a case gives to values.
#[derive(Debug, Default)]
pub(super) struct Names {
    kept: Vec<Kept>,
    /// The names of values from outside, which are secret.
    pub(super) inputs: Vec<String>,
}

/// A value that is kept for later messages.
#[derive(Debug)]
struct Kept {
    name: String,
    value: Value,
    /// The message that says it first.
    from: usize,
    place: Pointer,
}

impl Names {
    /// Finds what comes back in a case.
    pub(super) fn of(draft: &Draft, differing: &Differing) -> Self {
        let mut names = Self::default();
        let said = said_by_client(draft);
        let longer: usize = said.values().flatten().count();
        let mut taken = BTreeSet::new();
        for (index, message) in draft.messages.iter().enumerate() {
            for (place, value) in walk::values(&message.value) {
                if walk::is_envelope(&place) || names.kept.len() == MOST {
                    continue;
                }
                if let (Direction::In, Some(text)) = (message.direction, value.as_str())
                    && volatile::holds_secret(text)
                {
                    names.input(&place);
                    continue;
                }
                let kind = match (message.direction, value) {
                    (Direction::Out, Value::String(text)) if !is_label(&place) => {
                        volatile::kind(&place, text)
                            .or_else(|| differing.has(index, &place).then_some("value"))
                            .filter(|_| comes_back(&said, index, text, longer))
                    }
                    _ => None,
                };
                let known = |kept: &Kept| kept.value == *value;
                if let Some(kind) = kind
                    && !names.kept.iter().any(known)
                {
                    let name = free(&mut taken, kind);
                    names.kept.push(Kept { name, value: value.clone(), from: index, place });
                }
            }
        }
        names
    }

    /// Whether the case has any names: only then are they looked for in its texts.
    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.inputs.is_empty()
    }

    /// What is kept of a message.
    pub(super) fn captures(&self, message: usize) -> Vec<(String, Pointer)> {
        let of_it = self.kept.iter().filter(|kept| kept.from == message);
        of_it.map(|kept| (kept.name.clone(), kept.place.clone())).collect()
    }

    /// The value as the case has it: names in place of what was said before, and of secrets.
    pub(super) fn in_words(
        &self,
        message: usize,
        direction: Direction,
        place: &Pointer,
        value: &Value,
    ) -> Option<Value> {
        let before = || self.kept.iter().filter(|kept| kept.from < message);
        match value {
            _ if self.is_empty() || walk::is_envelope(place) => None,
            Value::String(text) => {
                let mut pieces = vec![Piece::Text(text)];
                for kept in before() {
                    let Some(wanted) = kept.value.as_str() else { continue };
                    if text == wanted || wanted.len() >= SHORTEST_PART {
                        pieces = split(pieces, wanted, &kept.name);
                    }
                }
                if direction == Direction::In && volatile::holds_secret(text) {
                    pieces = split(pieces, REDACTED, &input_name(place));
                }
                Some(pieces.iter().map(Piece::written).collect::<String>().into())
            }
            _ => None,
        }
    }

    /// What is left of a text beside the values that have names; `None` if it has none of them.
    pub(super) fn beside(&self, message: usize, text: &str) -> Option<String> {
        let mut rest = text.to_owned();
        for kept in self.kept.iter().filter(|kept| kept.from < message) {
            let Some(wanted) = kept.value.as_str() else { continue };
            if text == wanted || wanted.len() >= SHORTEST_PART {
                rest = rest.replace(wanted, "");
            }
        }
        (rest != text).then_some(rest)
    }

    fn input(&mut self, place: &Pointer) {
        let name = input_name(place);
        if !self.inputs.contains(&name) {
            self.inputs.push(name);
        }
    }
}

/// A text of which parts have become names.
enum Piece<'a> {
    Text(&'a str),
    Name(String),
}

impl Piece<'_> {
    fn written(&self) -> String {
        match self {
            Self::Text(text) => text.replace("${", "$${"),
            Self::Name(name) => format!("${{{name}}}"),
        }
    }
}

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

/// The texts of the client, each with the last message in which it is said.
fn said_by_client(draft: &Draft) -> BTreeMap<&str, Option<usize>> {
    let mut said = BTreeMap::new();
    let by_client = draft.messages.iter().enumerate();
    for (index, message) in by_client.filter(|(_, it)| it.direction == Direction::In) {
        for (place, value) in walk::values(&message.value) {
            if let (Some(text), false) = (value.as_str(), walk::is_envelope(&place)) {
                said.insert(text, Some(index));
            }
        }
    }
    said
}

/// Whether the client says a text later, or something that holds it.
fn comes_back(
    said: &BTreeMap<&str, Option<usize>>,
    index: usize,
    text: &str,
    longer: usize,
) -> bool {
    let is_later = |last: &Option<usize>| last.is_some_and(|last| last > index);
    if text.is_empty() || said.get(text).is_some_and(is_later) {
        return !text.is_empty();
    }
    text.len() >= SHORTEST_PART
        && longer.saturating_mul(text.len()) < PATIENCE
        && said.iter().any(|(other, last)| is_later(last) && other.contains(text))
}

/// Whether a place holds the token by which a client recognises news of progress: a label, as ids are.
pub(super) fn is_label(place: &Pointer) -> bool {
    let of_request = place.as_str().strip_prefix("/params/_meta/") == Some(meta::PROGRESS_TOKEN);
    of_request || place.as_str() == "/params/progressToken"
}

/// What the secret at a place is called: as the member that holds it.
fn input_name(place: &Pointer) -> String {
    let name = place.split_last().map(|(_, name)| name).unwrap_or_default();
    let is_name = name.starts_with(|it: char| it.is_ascii_alphabetic())
        && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
        && name.len() <= 40;
    if is_name { name } else { "secret".to_owned() }
}

fn free(taken: &mut BTreeSet<String>, name: &str) -> String {
    let numbered = std::iter::once(name.to_owned());
    let numbered = numbered.chain((2..=MOST + 1).map(|number| format!("{name}_{number}")));
    let free = numbered.into_iter().find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(free.clone());
    free
}
