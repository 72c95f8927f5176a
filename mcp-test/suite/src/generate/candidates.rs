//! Small values of one shape.

use mcp_test_core::json::Value;

use super::GenerateError;
use super::document::NodeId;
use super::leaf::{MAX_BYTES, MAX_TEXT, Sized, sized};
use super::model::{Model, Preference};
use super::numbers::NumberRange;
use super::shape::{Kinds, Shape};
use super::texts::TextRange;

impl Model {
    /// Small values of a shape, the best first.
    pub(super) fn candidates(
        &self,
        shape: &Shape,
        preference: Preference,
        depth: usize,
    ) -> Vec<Sized> {
        if let Some(choices) = shape.allowed_choices() {
            return choices.take(64).map(|choice| sized(choice.value.clone())).collect();
        }
        let smallest = [
            Kinds::NULL,
            Kinds::BOOLEAN,
            Kinds::NUMBER,
            Kinds::STRING,
            Kinds::ARRAY,
            Kinds::OBJECT,
        ];
        let typical = [
            Kinds::STRING,
            Kinds::NUMBER,
            Kinds::OBJECT,
            Kinds::ARRAY,
            Kinds::BOOLEAN,
            Kinds::NULL,
        ];
        let order = if preference == Preference::Smallest { smallest } else { typical };
        let mut all: Vec<Sized> = Vec::new();
        if preference == Preference::Typical {
            all.extend(self.stated(shape).map(sized));
        }
        for kind in order.into_iter().filter(|kind| shape.kinds.has(*kind)) {
            all.extend(self.candidates_of_kind(shape, kind, preference, depth));
        }
        all
    }

    /// Small values of one kind.
    pub(super) fn candidates_of_kind(
        &self,
        shape: &Shape,
        kind: Kinds,
        preference: Preference,
        depth: usize,
    ) -> Vec<Sized> {
        let is_smallest = preference == Preference::Smallest;
        // More values, in case `oneOf` or `not` excludes the first one.
        let more = if shape.is_partial { 8 } else { 0 };
        match kind {
            Kinds::NULL => vec![sized(Value::Null)],
            Kinds::BOOLEAN => [!is_smallest, is_smallest].map(|truth| sized(truth.into())).into(),
            Kinds::STRING => {
                let patterns = self.patterns(shape);
                let range = TextRange::of(shape, &patterns);
                let texts = range.simple(is_smallest);
                if texts.is_empty() {
                    self.note_text(shape);
                }
                let more = range.distinct().take(more);
                texts.into_iter().chain(more).map(|text| sized(text.into())).collect()
            }
            Kinds::ARRAY => self.array(shape, preference, depth).into_iter().collect(),
            Kinds::OBJECT => self.object(shape, &[], preference, depth).into_iter().collect(),
            _ => {
                let range = NumberRange::of(shape);
                let first = if is_smallest { range.simplest() } else { range.typical() };
                let more = range.distinct().take(more);
                first.into_iter().chain(more).map(|number| sized(number.into())).collect()
            }
        }
    }

    fn note_text(&self, shape: &Shape) {
        if let Some((_, node)) = shape.patterns.first() {
            self.note(GenerateError::Pattern { pointer: self.pointer(*node, "pattern") });
        }
        let most = MAX_TEXT;
        if let Some((required, node)) = shape.least("minLength").filter(|(it, _)| *it > most) {
            let pointer = self.pointer(node, "minLength");
            self.note(GenerateError::TooLarge { pointer, part: "character", required, most });
        }
    }

    /// The first value that the schemas of a shape state as an example or default.
    fn stated(&self, shape: &Shape) -> Option<Value> {
        let of = |node: &NodeId| {
            let schema = &self.document.node(*node).schema;
            let examples = schema.get("examples").and_then(Value::as_array).unwrap_or_default();
            let stated = examples.iter().chain(schema.get("default"));
            // An empty default says nothing about ordinary values.
            let is_useful = |value: &&Value| {
                shape.kinds.has(Kinds::of(value)) && !value.is_null() && value.as_str() != Some("")
            };
            stated.into_iter().find(is_useful).cloned()
        };
        shape.nodes.iter().find_map(of).filter(|value| self.accepts_by(&shape.nodes, value))
    }

    /// The value with its size; `None`, with an error noted, if it is too large.
    pub(super) fn sized_within(&self, shape: &Shape, value: Value, size: usize) -> Option<Sized> {
        if size <= MAX_BYTES {
            return Some(Sized { value, size });
        }
        let pointer = self.document.node(shape.node()).pointer.clone();
        let (part, required, most) = ("byte", size, MAX_BYTES);
        self.note(GenerateError::TooLarge { pointer, part, required, most });
        None
    }
}
