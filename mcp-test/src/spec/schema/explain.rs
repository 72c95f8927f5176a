//! Says in words where a value is not what a type says.
//!
//! A value that fits none of a union's types is explained by the type it was most probably meant to be: the one whose
//! literal members (`type`, `method`, `role` …) it has, else the only one of its kind, else the one it comes closest to.
//! Where nothing decides, the union itself is what was expected.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

use super::fits::{fits, length_within};
use super::model::{Index, Member, Model, Object, Type};
use super::phrase::{article, phrase};
use super::violation::{Violation, got};
use crate::expect::words;
use crate::json::{self, Pointer, Value};

/// How many violations are collected before the most telling are chosen.
const COLLECTED: usize = 64;

/// How many violations are told of one value.
pub(super) const TOLD: usize = 6;

/// What is wrong with `value` as the definition at `index`; nothing, if it fits.
pub(super) fn violations(model: &Model, index: Index, value: &Value) -> Vec<Violation> {
    let mut walk = Walk { model, found: Vec::new() };
    walk.of(&model.shape(index).of, value, &Place { pointer: Pointer::root(), shape: index });
    most_telling(walk.found)
}

/// The first of each kind before more of the same kind.
fn most_telling(found: Vec<Violation>) -> Vec<Violation> {
    let mut kinds = HashSet::new();
    let (mut first, more): (Vec<_>, Vec<_>) = found.into_iter().partition(|violation| {
        let last = violation.pointer.split_last().map(|(_, last)| last).unwrap_or_default();
        let member =
            if last.bytes().all(|byte| byte.is_ascii_digit()) { String::new() } else { last };
        kinds.insert((violation.shape.clone(), member, violation.expected.clone()))
    });
    first.extend(more);
    first.truncate(TOLD);
    first
}

/// A place in the value, and the nearest definition around it.
#[derive(Clone)]
struct Place {
    pointer: Pointer,
    shape: Index,
}

impl Place {
    fn member(&self, name: &str) -> Self {
        Self { pointer: self.pointer.clone().member(name), shape: self.shape }
    }

    fn index(&self, index: usize) -> Self {
        Self { pointer: self.pointer.clone().index(index), shape: self.shape }
    }
}

struct Walk<'a> {
    model: &'a Model,
    found: Vec<Violation>,
}

impl<'a> Walk<'a> {
    fn of(&mut self, of: &'a Type, value: &Value, place: &Place) {
        if self.found.len() >= COLLECTED {
            return;
        }
        match (of, value) {
            (Type::Named(index), value) => {
                let shape = self.model.shape(*index);
                let place = Place { pointer: place.pointer.clone(), shape: *index };
                self.of(&shape.of, value, &place);
            }
            (Type::Union(types), value) => self.union(types, value, place),
            (Type::Object(object), Value::Object(_)) => self.object(object, value, place),
            (Type::Array(items, range), Value::Array(values)) => {
                if !length_within(*range, values.len()) {
                    self.push(place, of, Some(value));
                }
                for (index, value) in values.iter().enumerate() {
                    self.of(items, value, &place.index(index));
                }
            }
            (of, value) if fits(self.model, of, value) => {}
            (of, value) => self.push(place, of, Some(value)),
        }
    }

    fn object(&mut self, object: &'a Object, value: &Value, place: &Place) {
        let absent = |member: &&Member| member.required && value.get(member.name).is_none();
        for member in object.members.iter().filter(absent) {
            self.member(member, None, place);
        }
        for member in &object.members {
            if let Some(value) = value.get(member.name) {
                self.member(member, Some(value), place);
            }
        }
        let Some(rest) = &object.rest else {
            return;
        };
        for (name, value) in value.as_object().into_iter().flat_map(json::Object::effective) {
            if object.member(name).is_none() {
                self.of(rest, value, &place.member(name));
            }
        }
    }

    fn member(&mut self, member: &'a Member, value: Option<&Value>, place: &Place) {
        match value {
            Some(value) => self.of(&member.of, value, &place.member(member.name)),
            None if member.required => {
                self.push(&place.member(member.name), &member.of, None);
            }
            None => {}
        }
    }

    fn union(&mut self, types: &'a [Type], value: &Value, place: &Place) {
        if types.iter().any(|of| fits(self.model, of, value)) {
            return;
        }
        let mut choices = Vec::new();
        self.choices(types, place.shape, &mut choices);
        let whole = Type::Union(types.to_vec());
        let same_kind: Vec<&Choice<'a>> =
            choices.iter().filter(|choice| may_be(self.model, choice.of, value)).collect();
        match same_kind.as_slice() {
            [only] if only.has_inside() => self.of(only.of, value, &only.at(place)),
            [] | [_] => self.push(place, &whole, Some(value)),
            several => match self.meant(several, value) {
                Meant::Choice(choice) => self.of(choice.of, value, &choice.at(place)),
                Meant::Literal(name, literals) => {
                    self.push(&place.member(name), &literals, value.get(name));
                }
                Meant::Unknown => match self.each_with_what_is_missing(several, value) {
                    Some(expected) => self.push_words(place, expected, words::got(Some(value))),
                    None => self.push(place, &whole, Some(value)),
                },
            },
        }
    }

    /// The types of a union, and of the unions that it names.
    fn choices(&self, types: &'a [Type], shape: Index, choices: &mut Vec<Choice<'a>>) {
        for of in types {
            let (mut of, mut shape) = (of, shape);
            for _ in 0..8 {
                let Type::Named(index) = of else { break };
                (of, shape) = (&self.model.shape(*index).of, *index);
            }
            match of {
                Type::Union(types) => self.choices(types, shape, choices),
                of => choices.push(Choice { of, shape }),
            }
        }
    }

    fn meant<'c>(&self, choices: &[&'c Choice<'a>], value: &Value) -> Meant<'c, 'a> {
        if let Some(meant) = self.meant_by_literals(choices, value) {
            return meant;
        }
        let mut ranked: Vec<_> = choices
            .iter()
            .map(|choice| {
                let wrong = self.wrong(choice, value);
                ((wrong.len(), choice.foreign_members(value)), wrong, *choice)
            })
            .collect();
        ranked.sort_by_key(|(distance, ..)| *distance);
        match ranked.as_slice() {
            // Where the same is wrong whichever was meant, it does not matter which.
            [(least, wrong, best), others @ ..]
                if others
                    .iter()
                    .take_while(|(distance, ..)| distance == least)
                    .all(|(_, found, _)| found == wrong) =>
            {
                Meant::Choice(best)
            }
            _ => Meant::Unknown,
        }
    }

    /// The choices in words, each with the member that it wants and the value does not have, if that tells them apart;
    /// those that are parts of one definition by its name.
    fn each_with_what_is_missing(&self, choices: &[&Choice<'a>], value: &Value) -> Option<String> {
        let mut wanted: Vec<&str> = Vec::new();
        let mut kinds: Vec<(&str, Vec<String>)> = Vec::new();
        for choice in choices {
            let shape = self.model.shape(choice.shape);
            let mut members = choice.object()?.members.iter();
            let missing = members.find(|it| it.required && value.get(it.name).is_none())?;
            let is_named = match &shape.of {
                Type::Union(types) => types.contains(choice.of),
                of => of == choice.of,
            };
            if wanted.contains(&missing.name) || !is_named {
                return None;
            }
            wanted.push(missing.name);
            let member = format!("`{}`", missing.name);
            match kinds.last_mut() {
                Some((name, members)) if *name == shape.name => members.push(member),
                _ => kinds.push((shape.name, vec![member])),
            }
        }
        let kinds = kinds.into_iter().map(|(name, members)| {
            format!("{} with {}", article(name), words::list(members, "or"))
        });
        Some(words::list(kinds, "or"))
    }

    /// By the member that tells the choices apart: the choice that has the value's literal there, or that it has none.
    fn meant_by_literals<'c>(
        &self,
        choices: &[&'c Choice<'a>],
        value: &Value,
    ) -> Option<Meant<'c, 'a>> {
        let name = self.telling_member(choices)?;
        let said = value.get(name);
        let member = |choice: &Choice<'a>| choice.object().and_then(|object| object.member(name));
        let matching: Vec<&'c Choice<'a>> = choices
            .iter()
            .copied()
            .filter(|choice| match (member(choice), said) {
                (Some(member), Some(said)) => fits(self.model, &member.of, said),
                (Some(member), None) => !member.required,
                (None, _) => false,
            })
            .collect();
        match matching.as_slice() {
            [only] => Some(Meant::Choice(only)),
            [] => {
                let literals = choices.iter().filter_map(|choice| member(choice));
                let literals = Type::Union(literals.map(|member| member.of.clone()).collect());
                Some(Meant::Literal(name, literals))
            }
            // What is left is told apart by another member, or by nothing but how close it is.
            several => (several.len() < choices.len()).then(|| self.meant(several, value)),
        }
    }

    /// The member that is a literal in all of the choices, and not the same; rather one that is always there.
    fn telling_member(&self, choices: &[&Choice<'a>]) -> Option<&'static str> {
        let everywhere = |name: &str, holds: &dyn Fn(&Member) -> bool| {
            let members = || {
                choices.iter().map(|choice| choice.object().and_then(|object| object.member(name)))
            };
            let first = members().next().flatten();
            members().any(|member| member != first)
                && members().all(|member| {
                    member.is_some_and(|member| holds(member) && is_literal(self.model, &member.of))
                })
        };
        let names = || choices.first()?.object().map(|object| object.members.iter());
        let required = names()?.find(|member| everywhere(member.name, &|member| member.required));
        required
            .or_else(|| names()?.find(|member| everywhere(member.name, &|_| true)))
            .map(|it| it.name)
    }

    /// What is wrong with the value as that choice: where, and what was expected there.
    fn wrong(&self, choice: &Choice<'a>, value: &Value) -> BTreeSet<(String, String)> {
        let mut walk = Walk { model: self.model, found: Vec::new() };
        walk.of(choice.of, value, &Place { pointer: Pointer::root(), shape: choice.shape });
        walk.found.into_iter().map(|it| (it.pointer.to_string(), it.expected)).collect()
    }

    /// What is there in words: what it is, where it is of another kind, and how long, where it is too long.
    fn got(&self, of: &Type, value: Option<&Value>) -> String {
        match value {
            Some(Value::Array(items)) if matches!(of, Type::Array(..)) => {
                let length = words::count(items.len(), "item");
                format!("{}, which has {length}", words::got(value))
            }
            Some(value) if may_be(self.model, of, value) => words::got(Some(value)),
            value => got(value),
        }
    }

    fn push(&mut self, place: &Place, of: &Type, value: Option<&Value>) {
        let (expected, got) = (phrase(self.model, of), self.got(of, value));
        self.push_words(place, expected, got);
    }

    fn push_words(&mut self, place: &Place, expected: String, got: String) {
        if self.found.len() >= COLLECTED {
            return;
        }
        let shape = self.model.shape(place.shape);
        self.found.push(Violation {
            pointer: place.pointer.clone(),
            expected,
            got,
            shape: Cow::Borrowed(shape.name),
            link: shape.link(self.model.revision),
        });
    }
}

/// One of the types that a value may have.
struct Choice<'a> {
    of: &'a Type,
    shape: Index,
}

/// Which of several types a value was meant to have.
enum Meant<'c, 'a> {
    Choice(&'c Choice<'a>),
    /// None of them, for this member should be one of these literals.
    Literal(&'static str, Type),
    Unknown,
}

impl<'a> Choice<'a> {
    fn object(&self) -> Option<&'a Object> {
        match self.of {
            Type::Object(object) => Some(object),
            _ => None,
        }
    }

    /// How many members of the value the type does not name.
    fn foreign_members(&self, value: &Value) -> usize {
        match (self.object(), value) {
            (Some(object), Value::Object(members)) => {
                members.keys().filter(|name| object.member(name).is_none()).count()
            }
            _ => 0,
        }
    }

    /// Whether what is wrong with a value of this kind may be inside it.
    fn has_inside(&self) -> bool {
        matches!(self.of, Type::Object(_) | Type::Array(..))
    }

    fn at(&self, place: &Place) -> Place {
        Place { pointer: place.pointer.clone(), shape: self.shape }
    }
}

/// Whether the value is of the kind that the type is: both objects, both numbers.
fn may_be(model: &Model, of: &Type, value: &Value) -> bool {
    match (model.behind(of), value) {
        (Type::Union(types), value) => types.iter().any(|of| may_be(model, of, value)),
        (Type::Any, _)
        | (Type::Null, Value::Null)
        | (Type::Boolean, Value::Bool(_))
        | (Type::String | Type::Format(_) | Type::Literal(_), Value::String(_))
        | (Type::Integer(_) | Type::Number(_) | Type::Exactly(_), Value::Number(_))
        | (Type::Array(..), Value::Array(_))
        | (Type::Object(_), Value::Object(_)) => true,
        _ => false,
    }
}

/// Whether the type says exactly which values there are.
fn is_literal(model: &Model, of: &Type) -> bool {
    match model.behind(of) {
        Type::Literal(_) | Type::Exactly(_) => true,
        Type::Union(types) => types.iter().all(|of| is_literal(model, of)),
        _ => false,
    }
}
