//! A recorded case as it is written: with names for repeated values, and matchers for values that vary.

use mcp_test_core::json::{Pointer, Value};
use mcp_test_core::spec::Revision;

use super::binary::truncated;
use super::differing::Differing;
use super::draft::{Draft, DraftMessage};
use super::names::Names;
use super::{volatile, walk};
use crate::cases::{Direction, JsonType, Matcher};

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
    pub(super) lines: Vec<PageLine>,
    /// The comments below them.
    pub(super) remarks: Vec<String>,
}

/// A message with its matchers and captures.
#[derive(Debug)]
pub(super) struct PageLine {
    pub(super) key: String,
    pub(super) value: Value,
    /// The comments above it.
    pub(super) remarks: Vec<String>,
    /// Its part of `_match`.
    pub(super) rules: Vec<(Pointer, Matcher)>,
    /// Its part of `_capture`.
    pub(super) captures: Vec<(String, Pointer)>,
}

impl Page {
    /// The page of a recorded case.
    pub(super) fn of(draft: &Draft, differing: &Differing) -> Self {
        let names = Names::of(draft, differing);
        let messages = draft.messages.iter().enumerate();
        let lines = messages.map(|(index, it)| line(index, it, &names, differing)).collect();
        let mut remarks = Vec::new();
        if !draft.also.is_empty() {
            remarks.push(format!("Same messages: {}.", draft.also.join(", ")));
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

fn line(index: usize, message: &DraftMessage, names: &Names, differing: &Differing) -> PageLine {
    let mut remarks = Vec::new();
    let mut rules: Vec<(Pointer, Matcher)> = Vec::new();
    for (place, value) in walk::values(&message.value) {
        // Outer values come first, and their matchers cover what is inside.
        let is_covered = rules.iter().any(|(outer, _)| walk::is_inside(&place, outer));
        if walk::is_envelope(&place) || walk::is_label(&place) || is_covered {
            continue;
        }
        let known = differing.of(index).iter().find(|(known, _)| *known == place);
        let rule = match (known, message.direction) {
            (Some((_, matcher)), _) => Some(matcher.clone()),
            (None, Direction::In) => rule_of_client(value),
            (None, Direction::Out) => match truncated(&place, value) {
                Some((_, matcher, was)) => {
                    remarks.push(format!(
                        "{place} had {was} characters of base64; only the first are kept."
                    ));
                    Some(matcher)
                }
                None => rule_of_server(index, &place, value, names),
            },
        };
        rules.extend(rule.map(|matcher| (place, matcher)));
    }
    // A difference may be at a place that only the other recording has.
    for (place, matcher) in differing.of(index) {
        if !rules.iter().any(|(known, _)| known == place) {
            rules.push((place.clone(), matcher.clone()));
        }
    }
    let captures = names.captures(index);
    let value = walk::mapped(&Pointer::root(), &message.value, &mut |place, value| {
        // What the client sends is replayed unchanged, so only data of the server is truncated.
        let data = if message.direction == Direction::Out { truncated(place, value) } else { None };
        data.map(|(beginning, ..)| beginning)
            .or_else(|| names.with_names(index, message.direction, place, value))
    });
    let rules = starred(rules, &message.value);
    PageLine { key: message.key.clone(), value, remarks, rules, captures }
}

/// The matcher for a value of the client: only its secrets may differ.
fn rule_of_client(value: &Value) -> Option<Matcher> {
    volatile::holds_secret(value.as_str()?).then_some(Matcher::Type(JsonType::String))
}

/// The matcher for a value of the server, if it varies from run to run.
fn rule_of_server(index: usize, place: &Pointer, value: &Value, names: &Names) -> Option<Matcher> {
    // The message of an error is for people; its code is the contract (JSON-RPC 2.0, section 5.1).
    if place.as_str() == "/error/message" {
        return Some(Matcher::Type(JsonType::String));
    }
    let rest = value.as_str().and_then(|text| names.without_names(index, text));
    // Apart from the named values, the text is always the same.
    if rest.is_some_and(|rest| volatile::matcher(&Pointer::root(), &rest.into()).is_none()) {
        return None;
    }
    volatile::matcher(place, value)
}

/// Replaces equal matchers for all items of a list by one.
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

/// The rule with a star in place of the index on a level, and the rules that it replaces, if each item has one.
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
    let below =
        |place: Pointer| tokens[level + 1..].iter().fold(place, |place, token| place.member(token));
    // A list with more items than there are rules cannot have one for each.
    if items < 2 || items > rules.len() {
        return None;
    }
    let find = |item: usize| {
        let place = below(parent.clone().index(item));
        rules.iter().position(|(known, matcher)| *known == place && *matcher == rules[first].1)
    };
    let of_it: Vec<usize> = (0..items).map(find).collect::<Option<_>>()?;
    Some((below(parent.clone().member("*")), of_it))
}
