//! From a recorded case to one as it is written: with names in place of values that come back, and with what is asked of
//! values that differ from run to run.

use super::super::{Direction, JsonType, Matcher};
use super::base64::shortened;
use super::compare::Differing;
use super::draft::{Draft, DraftMessage};
use super::names::{Names, is_label};
use super::{volatile, walk};
use crate::json::{Pointer, Value};
use crate::spec::Revision;

/// A case as it is written.
#[derive(Debug)]
pub(super) struct Page {
    /// `case`.
    pub(super) name: String,
    /// `_revision`.
    pub(super) revision: Option<Revision>,
    /// `_handshake: false`.
    pub(super) bare: bool,
    /// The names of secrets: `_inputs`.
    pub(super) inputs: Vec<String>,
    /// The messages.
    pub(super) lines: Vec<Line>,
    /// What is said below them.
    pub(super) remarks: Vec<String>,
}

/// A message with what is asked of it and kept of it.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) key: String,
    pub(super) value: Value,
    /// What is said above it.
    pub(super) remarks: Vec<String>,
    /// Its part of `_match`.
    pub(super) rules: Vec<(Pointer, Matcher)>,
    /// Its part of `_capture`.
    pub(super) captures: Vec<(String, Pointer)>,
}

impl Page {
    /// What is written for a recorded case.
    pub(super) fn of(draft: &Draft, differing: &Differing) -> Self {
        let names = Names::of(draft, differing);
        let messages = draft.messages.iter().enumerate();
        let lines = messages.map(|(index, it)| line(index, it, &names, differing)).collect();
        let mut remarks = Vec::new();
        if !draft.also.is_empty() {
            remarks.push(format!("The same was said in: {}.", draft.also.join(", ")));
        }
        remarks.extend(draft.left_out.lines());
        Self {
            name: draft.name.clone(),
            revision: draft.revision,
            bare: draft.bare,
            inputs: names.inputs,
            lines,
            remarks,
        }
    }
}

fn line(index: usize, message: &DraftMessage, names: &Names, differing: &Differing) -> Line {
    let mut remarks = Vec::new();
    let mut rules: Vec<(Pointer, Matcher)> = Vec::new();
    for (place, value) in walk::values(&message.value) {
        let inside = |(outer, _): &(Pointer, Matcher)| {
            place.as_str().strip_prefix(outer.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        if walk::is_envelope(&place) || is_label(&place) || rules.iter().any(inside) {
            continue;
        }
        let known = differing.of(index).iter().find(|(known, _)| *known == place);
        let rule = match (known, message.direction) {
            (Some((_, matcher)), _) => Some(matcher.clone()),
            (None, Direction::In) => rule_of_client(value),
            (None, Direction::Out) => match shortened(&place, value) {
                Some((_, matcher, was)) => {
                    remarks.push(format!(
                        "{place} was {was} characters of base64; here are the first."
                    ));
                    Some(matcher)
                }
                None => rule_of_server(index, &place, value, names),
            },
        };
        rules.extend(rule.map(|matcher| (place, matcher)));
    }
    // What only one of the recordings has may stand nowhere in this one.
    for (place, matcher) in differing.of(index) {
        if !rules.iter().any(|(known, _)| known == place) {
            rules.push((place.clone(), matcher.clone()));
        }
    }
    let captures = names.captures(index);
    let value = walk::mapped(&Pointer::root(), &message.value, &mut |place, value| {
        let cut = || shortened(place, value).map(|(cut, ..)| cut);
        let cut = if message.direction == Direction::Out { cut() } else { None };
        cut.or_else(|| names.in_words(index, message.direction, place, value))
    });
    let rules = starred(rules, &message.value);
    Line { key: message.key.clone(), value, remarks, rules, captures }
}

/// What is asked of a client that says the same: its own secret.
fn rule_of_client(value: &Value) -> Option<Matcher> {
    volatile::holds_secret(value.as_str()?).then_some(Matcher::Type(JsonType::String))
}

fn rule_of_server(index: usize, place: &Pointer, value: &Value, names: &Names) -> Option<Matcher> {
    // What an error says is for people; its code is for programs.
    if place.as_str() == "/error/message" {
        return Some(Matcher::Type(JsonType::String));
    }
    let beside = value.as_str().and_then(|text| names.beside(index, text));
    match beside {
        // What the names leave is the same each time.
        Some(rest)
            if volatile::matcher(&Pointer::root(), &Value::from(rest.as_str())).is_none() =>
        {
            None
        }
        _ => volatile::matcher(place, value),
    }
}

/// One rule for all items of a list where each has the same one.
fn starred(mut rules: Vec<(Pointer, Matcher)>, value: &Value) -> Vec<(Pointer, Matcher)> {
    let depth = |(place, _): &(Pointer, Matcher)| place.tokens().count();
    // The innermost lists first.
    for level in (0..rules.iter().map(depth).max().unwrap_or(0)).rev() {
        let mut index = 0;
        while index < rules.len() {
            if let Some((star, of_it)) = star(&rules, index, level, value) {
                let (_, matcher) = rules[index].clone();
                let mut place = 0;
                rules.retain(|_| {
                    place += 1;
                    !of_it.contains(&(place - 1)) || place - 1 == index
                });
                rules[index] = (star, matcher);
            }
            index += 1;
        }
    }
    rules
}

/// The rule with a star in place of the index on a level, and the rules that it stands for, if there is one for each item.
fn star(
    rules: &[(Pointer, Matcher)],
    first: usize,
    level: usize,
    value: &Value,
) -> Option<(Pointer, Vec<usize>)> {
    let tokens: Vec<String> = rules[first].0.tokens().collect();
    let _index: usize = tokens.get(level)?.parse().ok()?;
    let parent = tokens[..level].iter().fold(Pointer::root(), |place, token| place.member(token));
    let items = value.at(parent.as_str())?.as_array()?.len();
    let of_item = |item: usize| {
        let place = parent.clone().index(item);
        tokens[level + 1..].iter().fold(place, |place, token| place.member(token))
    };
    if items < 2 || items > rules.len() {
        return None;
    }
    let find = |item: usize| {
        let place = of_item(item);
        rules.iter().position(|(known, matcher)| *known == place && *matcher == rules[first].1)
    };
    let of_it: Option<Vec<usize>> = (0..items).map(find).collect();
    let star = tokens[level + 1..]
        .iter()
        .fold(parent.clone().member("*"), |place, token| place.member(token));
    Some((star, of_it?))
}
