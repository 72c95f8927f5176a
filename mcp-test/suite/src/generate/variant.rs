//! Values with one part at or beyond a boundary, from which samples are made.

use mcp_test_core::json::{Array, Object, Pointer, Value};

use super::document::NodeId;
use super::leaf::{Leaf, MAX_DEPTH};
use super::model::{Model, Preference};
use super::sample::Exercised;
use super::shape::Shape;

/// How many variants are made from a schema at most.
const MAX_VARIANTS: usize = 4000;

/// How many bytes all variants of one phase have together, roughly.
const MAX_TOTAL: usize = 4 << 20;

/// How deep in a value variants are made.
pub(super) const MAX_VARIED_DEPTH: usize = 8;

/// A value, and what it exercises.
#[derive(Debug, Clone)]
pub(super) struct Variant {
    pub(super) value: Value,
    pub(super) exercised: Exercised,
    /// A text without the format that is stated for it.
    pub(super) is_format: bool,
}

impl Variant {
    pub(super) fn of(model: &Model, leaf: Leaf) -> Self {
        let schema = model.document.node(leaf.node).pointer.clone();
        let exercised = Exercised {
            instance: Pointer::root(),
            schema,
            keyword: leaf.keyword.to_owned(),
            is_stated: leaf.is_stated,
            description: leaf.predicate,
        };
        Self { value: leaf.value, exercised, is_format: false }
    }

    /// At a keyword, or what stands for one.
    pub(super) fn at(
        model: &Model,
        value: Value,
        keyword: (&'static str, NodeId),
        predicate: impl Into<String>,
    ) -> Self {
        Self::of(model, Leaf::stated(value, keyword, predicate))
    }

    /// As a member of an object, or as an item of an array at `index`.
    pub(super) fn in_object(self, object: &Object, name: &str) -> Self {
        let mut object = object.clone();
        object.insert(name, self.value);
        let exercised = self.exercised.within(&Pointer::root().member(name));
        Self { value: Value::Object(object), exercised, ..self }
    }

    pub(super) fn in_array(self, array: &Array, index: usize) -> Self {
        let mut array = array.clone();
        match array.get_mut(index) {
            Some(item) => *item = self.value,
            None => array.push(self.value),
        }
        let exercised = self.exercised.within(&Pointer::root().index(index));
        Self { value: Value::Array(array), exercised, ..self }
    }
}

/// How many variants may be made: fewer, the larger each of them is.
pub(super) fn budget(model: &Model) -> usize {
    let typical = model.value(&[0].into(), Preference::Typical, MAX_DEPTH);
    let size = typical.map_or(0, |it| it.size);
    (MAX_TOTAL / size.max(1)).clamp(16, MAX_VARIANTS)
}

/// What variants take of the budget: more than one each, if they are long texts.
pub(super) fn weight(variants: &[Variant]) -> usize {
    let of = |variant: &Variant| 1 + variant.value.as_str().map_or(0, |text| text.len() / 512);
    variants.iter().map(of).sum()
}

impl Model {
    /// An object with the required members, which are not special.
    pub(super) fn base_object(&self, shape: &Shape) -> Option<Object> {
        let object = self.object(shape, &[], Preference::Typical, MAX_DEPTH)?;
        if let Value::Object(object) = object.value { Some(object) } else { None }
    }

    /// An object with a member of this name, in which variants of the member are put: `base`, if it has one.
    pub(super) fn object_with(
        &self,
        shape: &Shape,
        base: Option<&Object>,
        name: &str,
    ) -> Option<Object> {
        if let Some(base) = base.filter(|base| base.contains(name)) {
            return Some(base.clone());
        }
        let schemas = self.member_schemas(shape, name);
        let value = self.value(&schemas, Preference::Typical, MAX_DEPTH - 1)?.value;
        let object =
            self.object(shape, &[(name.to_owned(), value)], Preference::Typical, MAX_DEPTH)?;
        if let Value::Object(object) = object.value { Some(object) } else { None }
    }

    /// The indices of the items of which variants are made, with an array for each.
    pub(super) fn arrays_with_items(&self, shape: &Shape, depth: usize) -> Vec<(usize, Array)> {
        let listed = self.listed_items(shape);
        let least = shape.least("minItems").map_or(0, |(least, _)| least);
        let with = |index: usize| {
            let count = least.max(index + 1);
            match self.array_of(shape, count, Preference::Typical, depth)?.value {
                Value::Array(array) => Some((index, array)),
                _ => None,
            }
        };
        // The first of the items that have schemas in common stands for all.
        (0..=listed.min(16)).filter_map(with).collect()
    }
}
