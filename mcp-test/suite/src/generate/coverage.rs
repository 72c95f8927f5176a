//! Valid values, each with one part at a boundary of one keyword.

use std::sync::Arc;

use mcp_test_core::expect::words;
use mcp_test_core::json::{Object, Value};

use super::leaf::MAX_DEPTH;
use super::model::{Model, Preference, Schemas};
use super::numbers;
use super::shape::{Kinds, Shape};
use super::texts;
use super::variant::{self, MAX_VARIED_DEPTH, Variant};

/// How many members the objects have together in each of which another one is left out.
const MAX_COPIED: usize = 1 << 13;

/// How many members are each given alone.
const MAX_ALONE: usize = 200;

/// Makes variants, as many as are left.
pub(super) struct Coverage<'a> {
    model: &'a Model,
    left: usize,
    /// The schemas of the values around the one that is varied.
    around: Vec<Schemas>,
}

impl<'a> Coverage<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        Self { model, left: variant::budget(model), around: Vec::new() }
    }

    /// Variants of a value of these schemas, of each of its shapes.
    pub(super) fn variants(&mut self, schemas: &Schemas, only: Kinds) -> Vec<Variant> {
        // A schema that refers to itself is varied once inside itself.
        let again = self.around.iter().filter(|it| *it == schemas).count();
        if self.around.len() >= MAX_VARIED_DEPTH || again > 1 || self.left == 0 {
            return Vec::new();
        }
        // Also where nothing comes of it, so that the effort is bounded.
        self.left -= 1;
        self.around.push(schemas.clone());
        let mut all = Vec::new();
        for shape in self.model.shapes(schemas).iter() {
            let mut shape = shape.clone();
            shape.kinds = shape.kinds.and(only);
            let of_shape = self.variants_of_shape(&shape);
            self.left = self.left.saturating_sub(variant::weight(&of_shape));
            all.extend(of_shape);
            if self.left == 0 {
                break;
            }
        }
        self.around.pop();
        all
    }

    fn variants_of_shape(&mut self, shape: &Shape) -> Vec<Variant> {
        let model = self.model;
        let mut all = Vec::new();
        let typical = model.candidates(shape, Preference::Typical, MAX_DEPTH).into_iter();
        let typical = typical.map(|it| it.value).take(4).collect::<Vec<_>>();
        for (keyword, node) in &shape.branches {
            let pointer = &model.document.node(*node).pointer;
            let index = pointer.split_last().map_or(String::new(), |(_, last)| last);
            let predicate = match *keyword {
                "then" | "else" | "dependentSchemas" => format!("is as `{keyword}` requires"),
                _ => format!("is alternative {index} of `{keyword}`"),
            };
            let of = |value: &Value| {
                Variant::at(model, value.clone(), (keyword, *node), predicate.as_str())
            };
            all.extend(typical.iter().map(of));
        }
        if let Some(choices) = shape.allowed_choices() {
            let shown = |value: &Value| words::got(Some(value));
            all.extend(choices.map(|it| {
                let predicate = format!("is {}", shown(&it.value));
                Variant::at(model, it.value.clone(), (it.keyword, it.node), predicate)
            }));
            return all;
        }
        let is_union = shape.kinds.is_union() && shape.typed.is_some();
        let kinds = [
            Kinds::NULL,
            Kinds::BOOLEAN,
            Kinds::NUMBER,
            Kinds::STRING,
            Kinds::ARRAY,
            Kinds::OBJECT,
        ];
        for kind in kinds.into_iter().filter(|kind| shape.kinds.has(*kind)) {
            if is_union {
                let values = model
                    .candidates_of_kind(shape, kind, Preference::Typical, MAX_DEPTH)
                    .into_iter()
                    .take(1);
                all.extend(values.map(|it| {
                    let predicate = format!("is {}, one of several types", it.value.kind());
                    Variant::at(model, it.value, ("type", shape.node()), predicate)
                }));
            }
            match kind {
                Kinds::NULL => {
                    let null = ("type", shape.node());
                    all.push(Variant::at(model, Value::Null, null, "is null"));
                }
                Kinds::BOOLEAN => all.extend([true, false].map(|truth| {
                    Variant::at(model, truth.into(), ("type", shape.node()), format!("is {truth}"))
                })),
                Kinds::NUMBER => {
                    all.extend(
                        numbers::coverage(shape).into_iter().map(|leaf| Variant::of(model, leaf)),
                    );
                }
                Kinds::STRING => {
                    let leaves = texts::coverage(shape, &model.patterns(shape));
                    all.extend(leaves.into_iter().map(|leaf| Variant::of(model, leaf)));
                }
                Kinds::ARRAY => self.add_array_variants(shape, &mut all),
                _ => self.add_object_variants(shape, &mut all),
            }
        }
        all
    }

    fn add_array_variants(&mut self, shape: &Shape, all: &mut Vec<Variant>) {
        let model = self.model;
        let counted = [
            ("minItems", "fewest", shape.least("minItems")),
            ("maxItems", "most", shape.most("maxItems")),
        ];
        for (keyword, word, limit) in counted {
            let Some((count, node)) = limit.filter(|(count, _)| *count <= 256) else { continue };
            let array = model.array_of(shape, count, Preference::Typical, MAX_DEPTH);
            let predicate = format!("has the {word} items, {count}");
            all.extend(array.map(|it| Variant::at(model, it.value, (keyword, node), predicate)));
        }
        for (count, predicate) in [(0, "is empty"), (2, "has two items"), (20, "has 20 items")] {
            let array = model.array_of(shape, count, Preference::Typical, MAX_DEPTH);
            all.extend(array.map(|it| {
                let keyword = shape.unique.filter(|_| count == 2).map(|node| ("uniqueItems", node));
                let is_stated = keyword.is_some();
                let mut variant = Variant::at(
                    model,
                    it.value,
                    keyword.unwrap_or(("type", shape.node())),
                    predicate,
                );
                variant.exercised.is_stated = is_stated;
                variant
            }));
        }
        for node in &shape.contains {
            let array = model.array(shape, Preference::Typical, MAX_DEPTH);
            let predicate = "has an item that `contains` allows";
            all.extend(
                array.map(|it| Variant::at(model, it.value, ("contains", *node), predicate)),
            );
        }
        for (index, array) in model.arrays_with_items(shape, MAX_DEPTH) {
            let items = self.variants(&model.item_schemas(shape, index), Kinds::ALL);
            all.extend(items.into_iter().map(|item| item.in_array(&array, index)));
        }
    }

    fn add_object_variants(&mut self, shape: &Shape, all: &mut Vec<Variant>) {
        let model = self.model;
        let names = Arc::clone(&shape.member_names);
        self.presence(shape, &names, all);
        let base = model.base_object(shape);
        for name in names.iter() {
            if self.left == 0 {
                return;
            }
            let Some(object) = model.object_with(shape, base.as_ref(), name) else { continue };
            let members = self.variants(&model.member_schemas(shape, name), Kinds::ALL);
            all.extend(members.into_iter().map(|member| member.in_object(&object, name)));
        }
        for dependency in shape.dependencies.iter().filter(|it| !shape.is_required(&it.trigger)) {
            if let Some(object) = model.object_with(shape, None, &dependency.trigger) {
                let keyword = (dependency.keyword, dependency.node);
                let predicate =
                    format!("has `{}` and what it requires", words::inert(&dependency.trigger));
                all.push(Variant::at(model, Value::Object(object), keyword, predicate));
            }
        }
        self.further_members(shape, all);
    }

    /// Objects with all members, with each optional one left out, and with each optional one only.
    fn presence(&self, shape: &Shape, names: &[String], all: &mut Vec<Variant>) {
        let model = self.model;
        let optional: Vec<&String> = names.iter().filter(|name| !shape.is_required(name)).collect();
        // Each of them is a copy of the object.
        let most = (MAX_COPIED / names.len().max(1)).max(4);
        let typical = |name: &str| {
            Some(
                model
                    .value(&model.member_schemas(shape, name), Preference::Typical, MAX_DEPTH - 1)?
                    .value,
            )
        };
        let given: Vec<(String, Value)> =
            optional.iter().filter_map(|name| Some(((*name).clone(), typical(name)?))).collect();
        let node = shape.members.first().copied().unwrap_or_else(|| shape.node());
        let mut add = |object: Object, predicate: String| {
            all.push(Variant::at(model, Value::Object(object), ("properties", node), predicate));
        };
        let whole = model.object(shape, &given, Preference::Typical, MAX_DEPTH);
        if let Some(Value::Object(whole)) = whole.map(|it| it.value) {
            if !optional.is_empty() {
                add(whole.clone(), "has all its members".to_owned());
            }
            for name in optional.iter().filter(|_| optional.len() > 1).take(most) {
                let mut without = whole.clone();
                without.remove(name);
                add(without, format!("has all its members but `{}`", words::inert(name)));
            }
        }
        for name in optional.iter().take(most.max(MAX_ALONE)) {
            if let Some(object) = model.object_with(shape, None, name) {
                add(object, format!("has the optional member `{}`", words::inert(name)));
            }
        }
        let least = model.object(shape, &[], Preference::Typical, MAX_DEPTH);
        if let Some(Value::Object(object)) = least.map(|it| it.value) {
            let predicate = if optional.is_empty() {
                "has its members"
            } else {
                "has none of its optional members"
            };
            add(object, predicate.to_owned());
        }
    }

    /// Objects with members that the schema does not name.
    fn further_members(&mut self, shape: &Shape, all: &mut Vec<Variant>) {
        let model = self.model;
        for (name, pattern) in model.further_names(shape) {
            let Some(object) = model.object_with(shape, None, &name) else { continue };
            let node = pattern
                .unwrap_or_else(|| shape.members.first().copied().unwrap_or_else(|| shape.node()));
            let keyword =
                if pattern.is_some() { "patternProperties" } else { "additionalProperties" };
            let predicate = match pattern {
                Some(_) => {
                    format!("has a member whose name matches a pattern, `{}`", words::inert(&name))
                }
                None => {
                    format!("has a member that the schema does not name, `{}`", words::inert(&name))
                }
            };
            let schemas = model.member_schemas(shape, &name);
            let mut variant =
                Variant::at(model, Value::Object(object.clone()), (keyword, node), predicate);
            // Only the schema of a further member states that there may be one.
            variant.exercised.is_stated = !schemas.is_empty();
            all.push(variant);
            if !schemas.is_empty() {
                let members = self.variants(&schemas, Kinds::ALL);
                all.extend(members.into_iter().map(|member| member.in_object(&object, &name)));
            }
            if pattern.is_none() {
                break;
            }
        }
        let most = shape.most("maxProperties").filter(|(most, _)| *most <= 64);
        if let Some((count, node)) = most {
            let further = model.further_names(shape).into_iter().map(|(name, _)| name);
            let names = shape.member_names.iter().cloned().chain(further);
            let counted = (0..count).map(|number| format!("extra{number}"));
            let names = names.chain(counted).filter(|name| !shape.is_required(name));
            let given = names.filter_map(|name| {
                let value = model.value(
                    &model.member_schemas(shape, &name),
                    Preference::Typical,
                    MAX_DEPTH - 1,
                )?;
                Some((name, value.value))
            });
            let given: Vec<_> = given.take(count.saturating_sub(shape.required.len())).collect();
            let object = model.object(shape, &given, Preference::Typical, MAX_DEPTH);
            let predicate = format!("has the most members, {count}");
            all.extend(
                object.map(|it| Variant::at(model, it.value, ("maxProperties", node), predicate)),
            );
        }
        if let Some((count, node)) = shape.least("minProperties") {
            let object = model.object(shape, &[], Preference::Smallest, MAX_DEPTH);
            let predicate = format!("has the fewest members, {count}");
            all.extend(
                object.map(|it| Variant::at(model, it.value, ("minProperties", node), predicate)),
            );
        }
    }
}
