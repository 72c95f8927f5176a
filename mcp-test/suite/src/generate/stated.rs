//! Values that the schema itself states: `examples`, `default`, `const`, and objects composed of those of their members.

use mcp_test_core::json::{Object, Value};

use super::document::NodeId;
use super::model::{Model, Schemas};
use super::shape::{Kinds, Shape};
use super::variant::Variant;

/// How many stated values of one location are used.
const MAX_STATED: usize = 8;

/// How many locations are looked at for stated values.
const MAX_LOCATIONS: usize = 2000;

/// How deep objects are composed.
const MAX_DEPTH: usize = 6;

impl Model {
    /// The values that schemas state for one location, whole ones first.
    pub(super) fn stated_values(&self, schemas: &Schemas) -> Vec<Variant> {
        self.stated_at(schemas, MAX_DEPTH, &mut { MAX_LOCATIONS })
    }

    fn stated_at(&self, schemas: &Schemas, depth: usize, left: &mut usize) -> Vec<Variant> {
        let mut all = Vec::new();
        for shape in self.shapes(schemas).iter().take(MAX_STATED) {
            *left = left.saturating_sub(1);
            for node in &shape.nodes {
                all.extend(self.stated_by(*node));
            }
            if depth > 0 && *left > 0 && shape.kinds.has(Kinds::OBJECT) {
                all.extend(self.composed(shape, depth, left));
            }
        }
        all.truncate(MAX_STATED * 2);
        all
    }

    fn stated_by(&self, node: NodeId) -> Vec<Variant> {
        let schema = &self.document.node(node).schema;
        let list = |keyword: &'static str| {
            let values = schema.get(keyword).and_then(Value::as_array).unwrap_or_default();
            values.iter().map(move |value| (keyword, value))
        };
        let one = |keyword: &'static str| schema.get(keyword).map(|value| (keyword, value));
        let all = one("const")
            .into_iter()
            .chain(list("examples"))
            .chain(one("default"))
            .chain(list("enum"));
        let variant = |(keyword, value): (&'static str, &Value)| {
            Variant::at(self, value.clone(), (keyword, node), format!("is what `{keyword}` states"))
        };
        all.take(MAX_STATED).map(variant).collect()
    }

    /// Objects of stated members: the first value of each, the second of each, and so on.
    fn composed(&self, shape: &Shape, depth: usize, left: &mut usize) -> Vec<Variant> {
        let mut of = |name: String| {
            let values = self.stated_at(&self.member_schemas(shape, &name), depth - 1, left);
            (name, values)
        };
        let members: Vec<(String, Vec<Variant>)> =
            shape.member_names.iter().cloned().map(&mut of).collect();
        let has_values =
            |name: &str| members.iter().any(|(known, values)| known == name && !values.is_empty());
        // A required member without a stated value would have to be made up.
        if !shape.required.iter().all(|(name, _)| has_values(name)) {
            return Vec::new();
        }
        let most =
            members.iter().map(|(_, values)| values.len()).max().unwrap_or(0).clamp(1, MAX_STATED);
        let node = shape.members.first().copied().unwrap_or_else(|| shape.node());
        let object = |index: usize| {
            let value =
                |values: &[Variant]| Some(values.get(index).or(values.first())?.value.clone());
            let members =
                members.iter().filter_map(|(name, values)| Some((name.as_str(), value(values)?)));
            let value = Value::Object(Object::from_iter(members));
            Variant::at(self, value, ("properties", node), "has the values that its members state")
        };
        (0..most).map(object).collect()
    }
}
