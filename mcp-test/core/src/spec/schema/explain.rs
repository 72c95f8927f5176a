//! Describes where a value violates a type.
//!
//! A value that matches no type of a union is compared with the one that was most likely intended: the one with the same
//! literal members (`type`, `method`, `role` …), otherwise the only one of its kind, otherwise the one with the fewest
//! violations. If none stands out, the union as a whole is what was expected.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

use super::export::keyword;
use super::fits::{fits, length_within};
use super::model::{Index, Member, Model, Object, Type};
use super::phrase::{article, phrase};
use super::violation::{Violation, got};
use crate::expect::words;
use crate::json::{self, Pointer, Value};

/// How many violations are collected before the most relevant are chosen.
const MAX_COLLECTED: usize = 64;

/// How many violations of one value are returned.
pub(super) const MAX_VIOLATIONS: usize = 6;

/// The violations of the definition at `index` by `value`; empty if it is valid.
pub(super) fn violations(model: &Model, index: Index, value: &Value) -> Vec<Violation> {
    let mut walk = Walk { model, found: Vec::new(), is_outermost: true };
    walk.check(
        &model.shape(index).of,
        value,
        &ValueLocation { pointer: Pointer::root(), shape: index },
    );
    most_relevant(walk.found)
}

/// Chooses the first violation of each kind before further ones of the same kind.
fn most_relevant(found: Vec<Violation>) -> Vec<Violation> {
    let mut kinds = HashSet::new();
    let (mut first, more): (Vec<_>, Vec<_>) = found.into_iter().partition(|violation| {
        // Indices do not count: the same mistake in each of a hundred items is one kind of violation.
        let last = violation.pointer.split_last().map(|(_, last)| last).unwrap_or_default();
        let member =
            if last.bytes().all(|byte| byte.is_ascii_digit()) { String::new() } else { last };
        kinds.insert((violation.shape.clone(), member, violation.expected.clone()))
    });
    first.extend(more);
    first.truncate(MAX_VIOLATIONS);
    first
}

/// A location in the value, and the nearest enclosing definition.
#[derive(Clone)]
struct ValueLocation {
    pointer: Pointer,
    shape: Index,
}

impl ValueLocation {
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
    /// Whether unions are explained by their alternatives, rather than tried as one.
    is_outermost: bool,
}

impl<'a> Walk<'a> {
    fn check(&mut self, of: &'a Type, value: &Value, location: &ValueLocation) {
        if self.found.len() >= MAX_COLLECTED {
            return;
        }
        match (of, value) {
            (Type::Named(index), value) => {
                let shape = self.model.shape(*index);
                let location = ValueLocation { pointer: location.pointer.clone(), shape: *index };
                self.check(&shape.of, value, &location);
            }
            (Type::Union(types), value) => self.union(types, value, location),
            (Type::Object(object), Value::Object(_)) => self.object(object, value, location),
            (Type::Array(items, range), Value::Array(values)) => {
                if !length_within(*range, values.len()) {
                    self.push(location, of, Some(value));
                }
                for (index, value) in values.iter().enumerate() {
                    self.check(items, value, &location.index(index));
                }
            }
            (of, value) if fits(self.model, of, value) => {}
            (of, value) => self.push(location, of, Some(value)),
        }
    }

    fn object(&mut self, object: &'a Object, value: &Value, location: &ValueLocation) {
        let absent = |member: &&Member| member.required && value.get(member.name).is_none();
        // Missing members first: they are the most common mistake, and often the cause of others.
        for member in object.members.iter().filter(absent) {
            self.member(member, None, location);
        }
        for member in &object.members {
            if let Some(value) = value.get(member.name) {
                self.member(member, Some(value), location);
            }
        }
        let Some(rest) = &object.rest else {
            return;
        };
        for (name, value) in value.as_object().into_iter().flat_map(json::Object::effective) {
            if object.member(name).is_none() {
                self.check(rest, value, &location.member(name));
            }
        }
    }

    fn member(&mut self, member: &'a Member, value: Option<&Value>, location: &ValueLocation) {
        match value {
            Some(value) => self.check(&member.of, value, &location.member(member.name)),
            None if member.required => {
                self.push(&location.member(member.name), &member.of, None);
            }
            None => {}
        }
    }

    fn union(&mut self, types: &'a [Type], value: &Value, location: &ValueLocation) {
        if types.iter().any(|of| fits(self.model, of, value)) {
            return;
        }
        let mut choices = Vec::new();
        self.choices(types, location.shape, &mut choices);
        let whole = Type::Union(types.to_vec());
        let same_kind: Vec<&Choice<'a>> =
            choices.iter().filter(|choice| has_kind_of(self.model, choice.of, value)).collect();
        match same_kind.as_slice() {
            // The violations inside are more precise than the union; in a scalar there is no inside.
            [only] if only.is_container() => self.check(only.of, value, &only.at(location)),
            [] | [_] => self.push(location, &whole, Some(value)),
            several => match self.intended(several, value) {
                Intended::Choice(choice) => self.check(choice.of, value, &choice.at(location)),
                Intended::WrongLiteral(name, literals) => {
                    self.push(&location.member(name), &literals, value.get(name));
                }
                Intended::Unknown => {
                    match self.choices_by_missing_member(several, value) {
                        Some(expected) => {
                            let got = words::got(Some(value));
                            self.push_text(location, expected, got, "anyOf");
                        }
                        None => self.push(location, &whole, Some(value)),
                    }
                    self.explain_last(several, value, location);
                }
            },
        }
    }

    /// Collects the types of a union, including those of unions in it.
    fn choices(&self, types: &'a [Type], shape: Index, choices: &mut Vec<Choice<'a>>) {
        for of in types {
            let (mut of, mut shape) = (of, shape);
            // Bounded, in case the shape files declare a name that stands for itself.
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

    fn intended<'c>(&self, choices: &[&'c Choice<'a>], value: &Value) -> Intended<'c, 'a> {
        if let Some(meant) = self.intended_by_discriminator(choices, value) {
            return meant;
        }
        // Unknown members decide between equal numbers of violations: they hint at a type that has them.
        let mut ranked: Vec<_> = choices
            .iter()
            .map(|choice| {
                let wrong = self.violations_as(choice, value);
                ((wrong.len(), choice.unknown_members(value)), wrong, *choice)
            })
            .collect();
        ranked.sort_by_key(|(distance, ..)| *distance);
        match ranked.as_slice() {
            // Between choices with the same violations, it does not matter which is intended.
            [(least, wrong, best), others @ ..]
                if others
                    .iter()
                    .take_while(|(distance, ..)| distance == least)
                    .all(|(_, found, _)| found == wrong) =>
            {
                Intended::Choice(best)
            }
            _ => Intended::Unknown,
        }
    }

    /// Describes each choice by a required member that the value lacks, if that distinguishes them; choices within one
    /// definition are grouped under its name.
    fn choices_by_missing_member(&self, choices: &[&Choice<'a>], value: &Value) -> Option<String> {
        let mut missing_members: Vec<&str> = Vec::new();
        let mut kinds: Vec<(&str, Vec<String>)> = Vec::new();
        for choice in choices {
            let shape = self.model.shape(choice.shape);
            let mut members = choice.object()?.members.iter();
            let missing = members.find(|it| it.required && value.get(it.name).is_none())?;
            // A choice inside a named definition cannot be called by that name.
            let is_named = match &shape.of {
                Type::Union(types) => types.contains(choice.of),
                of => of == choice.of,
            };
            if missing_members.contains(&missing.name) || !is_named {
                return None;
            }
            missing_members.push(missing.name);
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

    /// Finds the intended choice by the literal of the discriminator.
    fn intended_by_discriminator<'c>(
        &self,
        choices: &[&'c Choice<'a>],
        value: &Value,
    ) -> Option<Intended<'c, 'a>> {
        let name = self.discriminator(choices)?;
        let found = value.get(name);
        let member = |choice: &Choice<'a>| choice.object().and_then(|object| object.member(name));
        let matching: Vec<&'c Choice<'a>> = choices
            .iter()
            .copied()
            .filter(|choice| match (member(choice), found) {
                (Some(member), Some(found)) => fits(self.model, &member.of, found),
                (Some(member), None) => !member.required,
                (None, _) => false,
            })
            .collect();
        match matching.as_slice() {
            [only] => Some(Intended::Choice(only)),
            [] => {
                let literals = choices.iter().filter_map(|choice| member(choice));
                let literals = Type::Union(literals.map(|member| member.of.clone()).collect());
                Some(Intended::WrongLiteral(name, literals))
            }
            // Those left may differ in another discriminator, or only in the number of violations.
            several => (several.len() < choices.len()).then(|| self.intended(several, value)),
        }
    }

    /// The member that is a literal in every choice and differs between them; preferably a required one.
    fn discriminator(&self, choices: &[&Choice<'a>]) -> Option<&'static str> {
        let everywhere = |name: &str, holds: &dyn Fn(&Member) -> bool| {
            let members = || {
                choices.iter().map(|choice| choice.object().and_then(|object| object.member(name)))
            };
            let first = members().next().flatten();
            // A literal that all choices share distinguishes nothing.
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

    /// The violations of that choice by the value: where, and what was expected there.
    fn violations_as(&self, choice: &Choice<'a>, value: &Value) -> BTreeSet<(String, String)> {
        let root = ValueLocation { pointer: Pointer::root(), shape: choice.shape };
        let found = self.tried(choice, value, &root).into_iter();
        found.map(|it| (it.pointer.to_string(), it.expected)).collect()
    }

    fn tried(
        &self,
        choice: &Choice<'a>,
        value: &Value,
        location: &ValueLocation,
    ) -> Vec<Violation> {
        let mut walk = Walk { model: self.model, found: Vec::new(), is_outermost: false };
        walk.check(choice.of, value, &choice.at(location));
        walk.found
    }

    /// Adds to the violation that was found last why the value fits none of these choices.
    fn explain_last(&mut self, choices: &[&Choice<'a>], value: &Value, location: &ValueLocation) {
        // A choice that is only tried is not shown; explaining the unions in it would multiply the work.
        if !self.is_outermost || self.found.len() >= MAX_COLLECTED {
            return;
        }
        let firsts = choices.iter().take(MAX_VIOLATIONS);
        let causes =
            firsts.filter_map(|choice| self.tried(choice, value, location).into_iter().next());
        let causes = causes.collect();
        if let Some(last) = self.found.last_mut() {
            last.causes = causes;
        }
    }

    /// Describes the value: with its kind if that is wrong, with its length if that is out of bounds.
    fn got(&self, of: &Type, value: Option<&Value>) -> String {
        match value {
            Some(Value::Array(items)) if matches!(of, Type::Array(..)) => {
                let length = words::count(items.len(), "item");
                format!("{}, which has {length}", words::got(value))
            }
            Some(value) if has_kind_of(self.model, of, value) => words::got(Some(value)),
            value => got(value),
        }
    }

    fn push(&mut self, location: &ValueLocation, of: &Type, value: Option<&Value>) {
        let (expected, got) = (phrase(self.model, of), self.got(of, value));
        let keyword = value.map_or("required", |value| keyword(self.model.resolved(of), value));
        self.push_text(location, expected, got, keyword);
    }

    fn push_text(
        &mut self,
        location: &ValueLocation,
        expected: String,
        got: String,
        keyword: &'static str,
    ) {
        if self.found.len() >= MAX_COLLECTED {
            return;
        }
        let shape = self.model.shape(location.shape);
        self.found.push(Violation {
            pointer: location.pointer.clone(),
            expected,
            got,
            shape: Cow::Borrowed(shape.name),
            keyword: Cow::Borrowed(keyword),
            causes: Vec::new(),
            link: shape.link(self.model.revision),
        });
    }
}

/// One of the types that a value may have.
struct Choice<'a> {
    of: &'a Type,
    shape: Index,
}

/// Which of several types a value was intended to have.
enum Intended<'c, 'a> {
    Choice(&'c Choice<'a>),
    /// None, because the discriminator is not one of these literals.
    WrongLiteral(&'static str, Type),
    Unknown,
}

impl<'a> Choice<'a> {
    fn object(&self) -> Option<&'a Object> {
        match self.of {
            Type::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The number of members that the type does not name.
    fn unknown_members(&self, value: &Value) -> usize {
        match (self.object(), value) {
            (Some(object), Value::Object(members)) => {
                members.keys().filter(|name| object.member(name).is_none()).count()
            }
            _ => 0,
        }
    }

    /// Whether it is an object or an array, so that violations may be inside the value.
    fn is_container(&self) -> bool {
        matches!(self.of, Type::Object(_) | Type::Array(..))
    }

    fn at(&self, location: &ValueLocation) -> ValueLocation {
        ValueLocation { pointer: location.pointer.clone(), shape: self.shape }
    }
}

/// Whether the value has the kind of the type, such as object or number.
fn has_kind_of(model: &Model, of: &Type, value: &Value) -> bool {
    match (model.resolved(of), value) {
        (Type::Union(types), value) => types.iter().any(|of| has_kind_of(model, of, value)),
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

/// Whether the type consists of literals.
fn is_literal(model: &Model, of: &Type) -> bool {
    match model.resolved(of) {
        Type::Literal(_) | Type::Exactly(_) => true,
        Type::Union(types) => types.iter().all(|of| is_literal(model, of)),
        _ => false,
    }
}
