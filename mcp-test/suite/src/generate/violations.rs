//! Values that violate one keyword at one location.

use std::sync::Arc;

use mcp_test_core::expect::words;
use mcp_test_core::json::{Array, Object, Pointer, Value};

use super::document::NodeId;
use super::leaf::MAX_DEPTH;
use super::model::{Model, Preference, Schemas};
use super::numbers;
use super::presence;
use super::shape::{Kinds, Shape};
use super::texts;
use super::variant::{self, MAX_VARIED_DEPTH, Variant};

/// Makes values that violate a keyword, as many as are left.
pub(super) struct Violations<'a> {
    model: &'a Model,
    left: usize,
    /// The schemas of the values around the one that is varied.
    around: Vec<Schemas>,
}

impl<'a> Violations<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        Self { model, left: variant::budget(model), around: Vec::new() }
    }

    /// Violations at a value of these schemas and inside it.
    pub(super) fn variants(&mut self, schemas: &Schemas) -> Vec<Variant> {
        let again = self.around.iter().filter(|it| *it == schemas).count();
        if self.around.len() >= MAX_VARIED_DEPTH || again > 0 || self.left == 0 {
            return Vec::new();
        }
        let is_root = self.around.is_empty();
        // Also where nothing comes of it, so that the effort is bounded.
        self.left -= 1;
        self.around.push(schemas.clone());
        let mut all = Vec::new();
        for shape in self.model.shapes(schemas).iter() {
            let mut of_shape = Vec::new();
            if !is_root {
                self.add_type_violations(shape, &mut of_shape);
            }
            self.add_choice_violations(shape, &mut of_shape);
            self.add_combination_violations(schemas, shape, &mut of_shape);
            if shape.choices.is_none() {
                self.add_keyword_violations(shape, &mut of_shape);
            }
            self.left = self.left.saturating_sub(variant::weight(&of_shape));
            all.extend(of_shape);
            if self.left == 0 {
                break;
            }
        }
        self.around.pop();
        all
    }

    /// Values of other types.
    fn add_type_violations(&self, shape: &Shape, all: &mut Vec<Variant>) {
        let Some(node) = shape.typed else { return };
        let other = [
            Value::Null,
            true.into(),
            // One number stands for both where neither is allowed.
            if shape.kinds.has(Kinds::INTEGER) { 1.5.into() } else { 5.into() },
            // A number as a text, which lenient programs convert.
            if shape.kinds.has(Kinds::NUMBER) { "5".into() } else { "a".into() },
            Value::Array(Array::default()),
            Value::Object(Object::new()),
        ];
        for value in other.into_iter().filter(|value| !shape.kinds.has(Kinds::of(value))) {
            let kind = match &value {
                Value::Number(number) if !number.is_integer() => "a fraction",
                value => value.kind(),
            };
            let predicate = format!("is {kind}, which `type` does not allow");
            all.push(Variant::at(self.model, value, ("type", node), predicate));
        }
    }

    /// Values that are not among those of `enum` and `const`.
    fn add_choice_violations(&self, shape: &Shape, all: &mut Vec<Variant>) {
        let Some(choices) = &shape.choices else { return };
        let Some(first) = choices.first() else { return };
        let near = match &first.value {
            Value::String(text) => {
                vec![Value::from(format!("{text}x")), "".into(), text.to_uppercase().into()]
            }
            Value::Number(_) => vec![0.into(), 1.into(), 7919.into()],
            Value::Bool(truth) => vec![(!truth).into()],
            _ => vec!["x".into(), 0.into(), Object::new().into()],
        };
        let wrong =
            near.into_iter().filter(|value| choices.iter().all(|choice| choice.value != *value));
        all.extend(wrong.take(2).map(|value| {
            let predicate =
                format!("is {}, which `{}` does not list", words::got(Some(&value)), first.keyword);
            Variant::at(self.model, value, (first.keyword, first.node), predicate)
        }));
    }

    /// Values that `not` excludes, and those that more than one alternative of `oneOf` allows.
    fn add_combination_violations(&self, schemas: &Schemas, shape: &Shape, all: &mut Vec<Variant>) {
        let mut add = |further: &[NodeId], keyword: (&'static str, NodeId), predicate: &str| {
            let both: Schemas = schemas.iter().chain(further).copied().collect();
            for shape in self.model.shapes(&both).iter().take(4) {
                let shape = Shape { forbidden: Vec::new(), ..shape.clone() };
                let values = self.model.candidates(&shape, Preference::Typical, MAX_DEPTH);
                all.extend(
                    values
                        .into_iter()
                        .take(4)
                        .map(|it| Variant::at(self.model, it.value, keyword, predicate)),
                );
            }
        };
        for node in &shape.negations {
            if let Some(negated) = self.model.document.child(*node, &["not"]) {
                add(&[negated], ("not", *node), "is what `not` excludes");
            }
        }
        for node in &shape.nodes {
            let branches = self.model.document.children(*node, "oneOf");
            // The pairs with the first alternative stand for all.
            for other in branches.iter().skip(1).take(8) {
                let pair = [branches[0], *other];
                add(&pair, ("oneOf", *node), "is what more than one alternative of `oneOf` allows");
            }
        }
    }

    fn add_keyword_violations(&mut self, shape: &Shape, all: &mut Vec<Variant>) {
        let model = self.model;
        if shape.kinds.has(Kinds::NUMBER) {
            all.extend(numbers::violations(shape).into_iter().map(|leaf| {
                let is_format = leaf.keyword == "format";
                Variant { is_format, ..Variant::of(model, leaf) }
            }));
        }
        if shape.kinds.has(Kinds::STRING) {
            let leaves = texts::violations(shape, &model.patterns(shape));
            all.extend(leaves.into_iter().map(|leaf| {
                let is_format = leaf.keyword == "format";
                Variant { is_format, ..Variant::of(model, leaf) }
            }));
        }
        if shape.kinds.has(Kinds::ARRAY) {
            self.add_array_violations(shape, all);
        }
        if shape.kinds.has(Kinds::OBJECT) {
            self.add_object_violations(shape, all);
        }
    }

    fn add_array_violations(&mut self, shape: &Shape, all: &mut Vec<Variant>) {
        let model = self.model;
        let fewer = shape.least("minItems").filter(|(least, _)| *least > 0);
        let fewer = fewer.map(|(least, node)| ("minItems", node, least - 1, "fewer"));
        let more = shape.most("maxItems").filter(|(most, _)| *most <= 256);
        let more = more.map(|(most, node)| ("maxItems", node, most + 1, "more"));
        for (keyword, node, count, word) in fewer.into_iter().chain(more) {
            let array = model.array_of(shape, count, Preference::Typical, MAX_DEPTH);
            let predicate = format!("has {word} items than allowed, {count}");
            all.extend(array.map(|it| Variant::at(model, it.value, (keyword, node), predicate)));
        }
        if let Some(node) = shape.unique {
            let least = shape.least("minItems").map_or(1, |(least, _)| least.max(1));
            let array =
                model.array_of(shape, least, Preference::Typical, MAX_DEPTH).map(|it| it.value);
            if let Some(Value::Array(mut array)) = array {
                let again = array.first().cloned();
                array.extend(again);
                all.push(Variant::at(
                    model,
                    array.into(),
                    ("uniqueItems", node),
                    "has two equal items",
                ));
            }
        }
        for node in &shape.contains {
            let least = shape.least("minItems").map_or(0, |(least, _)| least);
            let without = Shape { contains: Vec::new(), ..shape.clone() };
            let array = model.array_of(&without, least, Preference::Typical, MAX_DEPTH);
            let predicate = "has no item that `contains` allows";
            all.extend(
                array.map(|it| Variant::at(model, it.value, ("contains", *node), predicate)),
            );
        }
        let listed = model.listed_items(shape);
        let closed = model.shapes(&model.item_schemas(shape, listed)).is_empty();
        let array =
            model.array_of(shape, listed, Preference::Typical, MAX_DEPTH).filter(|_| closed);
        if let Some(Value::Array(mut array)) = array.map(|it| it.value) {
            array.push(Value::Null);
            let node = shape.items.first().copied().unwrap_or_else(|| shape.node());
            let is_list =
                model.document.node(node).schema.get("items").is_some_and(Value::is_array);
            let keyword = if is_list { "additionalItems" } else { "items" };
            let mut variant =
                Variant::at(model, array.into(), (keyword, node), "is an item more than listed");
            variant.exercised.instance = Pointer::root().index(listed);
            all.push(variant);
        }
        for (index, array) in model.arrays_with_items(shape, MAX_DEPTH) {
            let items = self.variants(&model.item_schemas(shape, index));
            all.extend(items.into_iter().map(|item| item.in_array(&array, index)));
        }
    }

    fn add_object_violations(&mut self, shape: &Shape, all: &mut Vec<Variant>) {
        let model = self.model;
        let least = model.object(shape, &[], Preference::Typical, MAX_DEPTH).map(|it| it.value);
        if let Some(Value::Object(object)) = &least {
            presence::violations(model, shape, object, all);
        }
        let base = least
            .and_then(|least| if let Value::Object(object) = least { Some(object) } else { None });
        for name in Arc::clone(&shape.member_names).iter() {
            if self.left == 0 {
                return;
            }
            let Some(object) = model.object_with(shape, base.as_ref(), name) else { continue };
            let members = self.variants(&model.member_schemas(shape, name));
            all.extend(members.into_iter().map(|member| member.in_object(&object, name)));
        }
        // Members that the schema does not name, but whose values it describes.
        for (name, pattern) in model.further_names(shape) {
            let schemas = model.member_schemas(shape, &name);
            if let Some(object) =
                model.object_with(shape, None, &name).filter(|_| !schemas.is_empty())
            {
                let members = self.variants(&schemas);
                all.extend(members.into_iter().map(|member| member.in_object(&object, &name)));
            }
            if pattern.is_none() {
                break;
            }
        }
    }
}
