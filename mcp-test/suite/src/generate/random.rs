//! Random values of a schema. Whether one is valid is decided by the validator.

use mcp_test_core::json::{Array, Object, Value};
use proptest::prelude::RngExt as _;
use proptest::test_runner::TestRng;

use super::leaf::MAX_DEPTH;
use super::model::{Model, Preference, Schemas};
use super::numbers::{self, NumberRange};
use super::shape::{Kinds, Shape};
use super::texts::TextRange;

/// How many parts a random value has, roughly.
const MAX_RANDOM_PARTS: usize = 200;

/// How deep random values nest; what is required below that is as small as possible.
const MAX_RANDOM_DEPTH: usize = 6;

/// How often a part is tried again that its schema does not accept.
const ATTEMPTS: usize = 4;

/// Makes one random value.
pub(super) struct RandomValue<'a> {
    model: &'a Model,
    rng: &'a mut TestRng,
    left: usize,
}

impl<'a> RandomValue<'a> {
    pub(super) fn new(model: &'a Model, rng: &'a mut TestRng) -> Self {
        Self { model, rng, left: MAX_RANDOM_PARTS }
    }

    pub(super) fn of(&mut self, schemas: &Schemas) -> Option<Value> {
        self.value(schemas, 0)
    }

    fn value(&mut self, schemas: &Schemas, depth: usize) -> Option<Value> {
        let smallest = || Some(self.model.value(schemas, Preference::Smallest, MAX_DEPTH)?.value);
        if depth >= MAX_RANDOM_DEPTH || self.left == 0 {
            return smallest();
        }
        self.left -= 1;
        let shapes = self.model.shapes(schemas);
        for _ in 0..ATTEMPTS {
            let Some(shape) = shapes.get(self.below(shapes.len())) else { break };
            let value = self.value_of_shape(shape, depth);
            if let Some(value) = value.filter(|it| self.model.accepts(schemas, shape, it)) {
                return Some(value);
            }
        }
        smallest()
    }

    /// A random number below this one, or 0.
    fn below(&mut self, many: usize) -> usize {
        self.rng.random_range(0..many.max(1))
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    fn value_of_shape(&mut self, shape: &Shape, depth: usize) -> Option<Value> {
        if let Some(choices) = shape.allowed_choices() {
            let choices: Vec<_> = choices.collect();
            return choices.get(self.below(choices.len())).map(|choice| choice.value.clone());
        }
        let kinds = [
            Kinds::NULL,
            Kinds::BOOLEAN,
            Kinds::NUMBER,
            Kinds::STRING,
            Kinds::ARRAY,
            Kinds::OBJECT,
        ];
        let kinds: Vec<Kinds> = kinds.into_iter().filter(|kind| shape.kinds.has(*kind)).collect();
        let kind = *kinds.get(self.below(kinds.len()))?;
        Some(match kind {
            Kinds::NULL => Value::Null,
            Kinds::BOOLEAN => self.one_in(2).into(),
            Kinds::NUMBER => self.number(shape)?,
            Kinds::STRING => {
                let patterns = self.model.patterns(shape);
                TextRange::of(shape, &patterns).random(self.rng)?.into()
            }
            Kinds::ARRAY => self.array(shape, depth)?,
            _ => self.object(shape, depth)?,
        })
    }

    fn number(&mut self, shape: &Shape) -> Option<Value> {
        if self.one_in(4) {
            let leaves = numbers::coverage(shape);
            if let Some(leaf) = leaves.get(self.below(leaves.len())) {
                return Some(leaf.value.clone());
            }
        }
        NumberRange::of(shape).random(self.rng).map(Value::from)
    }

    fn array(&mut self, shape: &Shape, depth: usize) -> Option<Value> {
        // One that has all that is required, and random items in it.
        let least = self.model.array(shape, Preference::Smallest, MAX_DEPTH)?.value;
        let least = least.as_array()?.len();
        let most = shape.most("maxItems").map_or(usize::MAX, |(most, _)| most);
        let more = if self.one_in(8) { self.below(20) } else { self.below(4) };
        let count = least.saturating_add(more).min(most).max(least);
        let whole = self.model.array_of(shape, least, Preference::Smallest, MAX_DEPTH)?.value;
        let Value::Array(mut items) = whole else { return None };
        let keeps_first = if shape.contains.is_empty() { 0 } else { 1 };
        for index in keeps_first..count {
            let schemas = self.model.item_schemas(shape, index);
            let item = self.value(&schemas, depth + 1);
            let Some(item) = item.filter(|it| shape.unique.is_none() || !items.contains(it)) else {
                continue;
            };
            match items.get_mut(index) {
                Some(present) => *present = item,
                None => items.push(item),
            }
        }
        Some(Value::Array(Array::from(items.to_vec())))
    }

    fn object(&mut self, shape: &Shape, depth: usize) -> Option<Value> {
        let mut object = Object::new();
        let most = shape.most("maxProperties").map_or(usize::MAX, |(most, _)| most);
        for name in shape.member_names.iter() {
            let is_required = shape.is_required(name);
            if is_required || self.one_in(2) && object.len() < most {
                let value = self.value(&self.model.member_schemas(shape, name), depth + 1);
                match value {
                    Some(value) => drop(object.insert(name.as_str(), value)),
                    None if is_required => return None,
                    None => {}
                }
            }
        }
        for (name, pattern) in self.model.further_names(shape) {
            let schemas = self.model.member_schemas(shape, &name);
            let chance = if pattern.is_some() || !schemas.is_empty() { 2 } else { 16 };
            if object.len() < most && self.one_in(chance) {
                let value = self.value(&schemas, depth + 1);
                value.into_iter().for_each(|value| drop(object.insert(name.as_str(), value)));
            }
        }
        let given: Vec<(String, Value)> = object.into_iter().collect();
        // Adds what the members require.
        Some(self.model.object(shape, &given, Preference::Smallest, MAX_DEPTH)?.value)
    }
}
