//! Arrays: as many items as required, and which schemas apply to an item.

use std::collections::HashSet;
use std::sync::Arc;

use mcp_test_core::json::{Array, Value};

use super::GenerateError;
use super::leaf::{MAX_PARTS, Sized, sized};
use super::model::{Model, Preference, Schemas};
use super::numbers::NumberRange;
use super::shape::{Kinds, Shape};
use super::texts::TextRange;

/// How deep objects are looked into for members in which they may differ.
const MAX_DISTINCT_DEPTH: usize = 3;

impl Model {
    /// The schemas for the item at an index.
    pub(super) fn item_schemas(&self, shape: &Shape, index: usize) -> Schemas {
        let mut all = Vec::new();
        for node in &shape.items {
            let schema = &self.document.node(*node).schema;
            // Up to 2019-09, the list is `items`, and what applies to the rest is `additionalItems`.
            let list = if schema.get("items").is_some_and(Value::is_array) {
                "items"
            } else {
                "prefixItems"
            };
            let rest = if list == "items" { "additionalItems" } else { "items" };
            let listed = schema.get(list).and_then(Value::as_array).map_or(0, <[_]>::len);
            all.extend(match index < listed {
                true => self.document.child(*node, &[list, &index.to_string()]),
                false => self.document.child(*node, &[rest]),
            });
        }
        all.dedup();
        all.into()
    }

    /// How many items have schemas of their own.
    pub(super) fn listed_items(&self, shape: &Shape) -> usize {
        let listed = |keyword: &str| {
            let lists = shape
                .items
                .iter()
                .filter_map(|node| self.document.node(*node).schema.get(keyword)?.as_array());
            lists.map(<[_]>::len).max().unwrap_or(0)
        };
        listed("items").max(listed("prefixItems"))
    }

    /// An array of as few items as are required, or of one if that is allowed.
    pub(super) fn array(
        &self,
        shape: &Shape,
        preference: Preference,
        depth: usize,
    ) -> Option<Sized> {
        let least = shape.least("minItems").map_or(0, |(least, _)| least);
        let least = least
            .max(usize::from(!shape.contains.is_empty() && shape.least("minContains").is_none()));
        let least = least.max(shape.least("minContains").map_or(0, |(least, _)| least));
        let smallest = self.array_of(shape, least, preference, depth);
        if preference == Preference::Smallest
            || least > 0
            || shape.most("maxItems").is_some_and(|it| it.0 == 0)
        {
            return smallest;
        }
        self.array_of(shape, 1, preference, depth).or(smallest)
    }

    /// An array of this many items.
    pub(super) fn array_of(
        &self,
        shape: &Shape,
        count: usize,
        preference: Preference,
        depth: usize,
    ) -> Option<Sized> {
        if count > MAX_PARTS {
            let keyword = shape.least("minItems").map(|(_, node)| self.pointer(node, "minItems"));
            let pointer =
                keyword.unwrap_or_else(|| self.document.node(shape.node()).pointer.clone());
            self.note(GenerateError::TooLarge {
                pointer,
                part: "item",
                required: count,
                most: MAX_PARTS,
            });
            return None;
        }
        let mut items: Vec<Value> = Vec::with_capacity(count);
        let mut size = 2_usize;
        let contained = shape.least("minContains").map_or(1, |(least, _)| least);
        // Worked out once for all items with the same schemas.
        let mut pool: Option<(Schemas, std::vec::IntoIter<Sized>)> = None;
        // By their texts: comparing each with all others would be slow for numbers, which are compared by value.
        let mut known = HashSet::new();
        for index in 0..count {
            self.spend(1)?;
            let mut schemas = self.item_schemas(shape, index);
            if index < contained && !shape.contains.is_empty() {
                schemas = schemas.iter().chain(&shape.contains).copied().collect();
            }
            let mut item = self.value(&schemas, preference, depth.checked_sub(1)?)?;
            if shape.unique.is_some() && !known.insert(item.value.to_string()) {
                if pool.as_ref().is_none_or(|(of, _)| *of != schemas) {
                    pool = Some((
                        Arc::clone(&schemas),
                        self.distinct(&schemas, depth - 1).into_iter(),
                    ));
                }
                let (_, unused) = pool.as_mut()?;
                item = unused.find(|it| known.insert(it.value.to_string()))?;
            }
            size = size.saturating_add(item.size + 1);
            items.push(item.value);
        }
        self.sized_within(shape, Value::Array(Array::from(items)), size)
    }

    /// Values that differ from one another.
    pub(super) fn distinct(&self, schemas: &Schemas, depth: usize) -> Vec<Sized> {
        let shapes = self.shapes(schemas);
        let mut all = Vec::new();
        for shape in shapes.iter() {
            if let Some(choices) = shape.allowed_choices() {
                all.extend(choices.map(|choice| sized(choice.value.clone())));
                continue;
            }
            let scalar = [
                (Kinds::NULL, Value::Null),
                (Kinds::BOOLEAN, true.into()),
                (Kinds::BOOLEAN, false.into()),
            ];
            let scalar = scalar.into_iter().filter(|(kind, _)| shape.kinds.has(*kind));
            all.extend(scalar.map(|(_, value)| sized(value)));
            if shape.kinds.has(Kinds::STRING) {
                let patterns = self.patterns(shape);
                let range = TextRange::of(shape, &patterns);
                all.extend(range.distinct().take(MAX_PARTS).map(|text| sized(text.into())));
            }
            if shape.kinds.has(Kinds::NUMBER) {
                let range = NumberRange::of(shape);
                all.extend(range.distinct().take(MAX_PARTS).map(|number| sized(number.into())));
            }
            if shape.kinds.has(Kinds::OBJECT) {
                all.extend(self.distinct_objects(shape, depth));
            }
        }
        all
    }

    /// Objects that differ in one member.
    fn distinct_objects(&self, shape: &Shape, depth: usize) -> Vec<Sized> {
        // Not deeper, because each level may try all members.
        let inner = depth.saturating_sub(1).min(MAX_DISTINCT_DEPTH);
        if inner == 0 {
            return Vec::new();
        }
        let mut all = Vec::new();
        for name in shape.member_names.iter() {
            let values = self.distinct(&self.member_schemas(shape, name), inner - 1);
            for value in values.into_iter().take(64) {
                all.extend(self.object(
                    shape,
                    &[(name.clone(), value.value)],
                    Preference::Typical,
                    depth,
                ));
            }
            if all.len() > 1 {
                break;
            }
        }
        all
    }
}
