//! From schemas that apply to one value to the [`Shape`]s that they allow.
//!
//! `anyOf`, `oneOf`, `if` and `dependentSchemas` multiply the alternatives; everything else narrows each of them.

use std::collections::HashSet;
use std::sync::Arc;

use mcp_test_core::json::{Number, Object, Value};

use super::document::{NodeId, SchemaDocument};
use super::shape::{Choice, Dependency, Kinds, Limit, Shape};

/// The most alternatives of one value. Those beyond it are not generated.
const MAX_SHAPES: usize = 256;

/// How many parts the alternatives of one value have together.
const MAX_PARTS: usize = 1 << 15;

/// The keywords with a number that limits something.
const LIMITS: [&str; 13] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minContains",
    "maxContains",
];

/// The alternatives that several schemas allow for one value together.
pub(super) fn shapes(document: &SchemaDocument, nodes: &[NodeId]) -> Vec<Shape> {
    let mut shapes = vec![Shape::any()];
    for node in nodes {
        apply(document, *node, &mut shapes);
    }
    shapes.retain(|shape| {
        !shape.kinds.is_empty() && shape.choices.as_ref().is_none_or(|it| !it.is_empty())
    });
    for index in 0..shapes.len() {
        let (before, rest) = shapes.split_at_mut(index);
        let shape = &mut rest[0];
        // Mostly the same as those of the shape before, and shared with it.
        let is_same = |it: &&mut Shape| {
            it.members == shape.members
                && it.required == shape.required
                && it.forbidden == shape.forbidden
        };
        let same = before.last_mut().filter(is_same).map(|it| Arc::clone(&it.member_names));
        shape.member_names = same.unwrap_or_else(|| member_names(document, shape));
    }
    shapes
}

fn member_names(document: &SchemaDocument, shape: &Shape) -> Arc<[String]> {
    let listed = shape.members.iter().flat_map(|node| {
        let properties = document.node(*node).schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flat_map(Object::keys)
    });
    let mut known = HashSet::new();
    let names = listed.chain(shape.required.iter().map(|(name, _)| name.as_str()));
    let names =
        names.filter(|name| !shape.forbidden.iter().any(|it| it == name) && known.insert(*name));
    names.map(str::to_owned).collect()
}

/// Applies a schema to each shape. The recursion is bounded: [`json_schema`](mcp_test_core::json_schema) refuses what chains further.
fn apply(document: &SchemaDocument, id: NodeId, shapes: &mut Vec<Shape>) {
    let node = document.node(id);
    let members = match &node.schema {
        Value::Bool(false) => return shapes.clear(),
        Value::Object(members) => members,
        _ => return,
    };
    if let Some(target) = node.target {
        apply(document, target, shapes);
        if document.ref_stands_alone {
            return;
        }
    }
    for shape in shapes.iter_mut() {
        narrow(document, id, members, shape);
    }
    for schema in document.children(id, "allOf") {
        apply(document, schema, shapes);
    }
    for keyword in ["anyOf", "oneOf"] {
        let branches = document.children(id, keyword);
        if !branches.is_empty() {
            let is_partial = keyword == "oneOf";
            let branches =
                branches.into_iter().map(|branch| (vec![branch], Some((keyword, branch)), None));
            *shapes = multiplied(document, shapes, branches, is_partial);
        }
    }
    if let Some(condition) = document.child(id, &["if"]) {
        let branch = |keyword| document.child(id, &[keyword]);
        let then: Vec<NodeId> = std::iter::once(condition).chain(branch("then")).collect();
        let otherwise: Vec<NodeId> = branch("else").into_iter().collect();
        let branches = [("then", then), ("else", otherwise)];
        let branches =
            branches.map(|(keyword, all)| (all, branch(keyword).map(|it| (keyword, it)), None));
        let [then, otherwise] = branches.map(|branch| multiplied(document, shapes, [branch], true));
        let avoided = document.node(condition).schema.get("properties").and_then(Value::as_object);
        let avoided = avoided.and_then(|properties| {
            let name = properties.keys().next()?;
            Some((name.to_owned(), document.child(condition, &["properties", name])?))
        });
        let otherwise = otherwise.into_iter().map(|mut shape| {
            shape.avoided.extend(avoided.clone());
            shape
        });
        *shapes = then.into_iter().chain(otherwise).take(MAX_SHAPES).collect();
    }
    for keyword in ["dependentSchemas", "dependencies"] {
        let names =
            members.get(keyword).and_then(Value::as_object).into_iter().flat_map(Object::keys);
        for name in names {
            let Some(schema) = document.child(id, &[keyword, name]) else { continue };
            let absent = (Vec::new(), None, Some((name, false)));
            let present = (vec![schema], Some(("dependentSchemas", schema)), Some((name, true)));
            *shapes = multiplied(document, shapes, [absent, present], true);
        }
    }
}

/// An alternative: its schemas, how it is named, and a member that it requires or forbids.
type Branch<'a> = (Vec<NodeId>, Option<(&'static str, NodeId)>, Option<(&'a str, bool)>);

/// Each shape with each of the alternatives.
fn multiplied<'a>(
    document: &SchemaDocument,
    shapes: &[Shape],
    branches: impl IntoIterator<Item = Branch<'a>>,
    is_partial: bool,
) -> Vec<Shape> {
    let mut all = Vec::new();
    // Fewer, if each of them is large.
    let largest = shapes.iter().map(Shape::weight).max().unwrap_or(1);
    let most = (MAX_PARTS / largest).clamp(4, MAX_SHAPES);
    for (schemas, named, member) in branches {
        if all.len() >= most {
            break;
        }
        let mut with_branch = shapes.to_vec();
        for shape in &mut with_branch {
            shape.branches.extend(named);
            shape.is_partial |= is_partial;
            match member {
                Some((name, true)) if !shape.is_required(name) => {
                    let node = schemas.first().copied().unwrap_or_default();
                    shape.required.push((name.to_owned(), node));
                }
                Some((name, false)) => shape.forbidden.push(name.to_owned()),
                _ => {}
            }
        }
        for schema in schemas {
            apply(document, schema, &mut with_branch);
        }
        all.extend(with_branch);
        all.truncate(most);
    }
    all
}

/// Narrows a shape by the keywords that have no alternatives.
fn narrow(document: &SchemaDocument, id: NodeId, members: &Object, shape: &mut Shape) {
    if shape.nodes.contains(&id) {
        return;
    }
    shape.nodes.push(id);
    let has = |keyword: &str| members.contains(keyword);
    if let Some(kinds) = members.get("type") {
        shape.kinds = shape.kinds.and(Kinds::named(kinds));
        shape.typed = Some(id);
    }
    narrow_choices(id, members, shape);
    for keyword in LIMITS {
        if let Some(number) = members.get(keyword).and_then(Value::as_number) {
            shape.limits.push(Limit { keyword, node: id, number: number.clone() });
        }
    }
    // Draft 4 has a flag beside `minimum` and `maximum`.
    for (flag, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        if let (Some(Value::Bool(true)), Some(number)) = (members.get(flag), members.get(bound)) {
            let number = number.as_number().cloned().unwrap_or_else(|| Number::from(0));
            shape.limits.push(Limit { keyword: flag, node: id, number });
        }
    }
    let text = |keyword: &str| members.get(keyword).and_then(Value::as_str).map(str::to_owned);
    shape.patterns.extend(text("pattern").map(|pattern| (pattern, id)));
    shape.formats.extend(text("format").map(|format| (format, id)));
    let required = members.get("required").and_then(Value::as_array).unwrap_or_default();
    for name in required.iter().filter_map(Value::as_str) {
        if !shape.is_required(name) {
            shape.required.push((name.to_owned(), id));
        }
    }
    for keyword in ["dependentRequired", "dependencies"] {
        let all =
            members.get(keyword).and_then(Value::as_object).into_iter().flat_map(Object::iter);
        shape.dependencies.extend(all.filter_map(|(trigger, names)| {
            let names =
                names.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            Some(Dependency { trigger: trigger.to_owned(), names, keyword, node: id })
        }));
    }
    if ["properties", "patternProperties", "additionalProperties"].into_iter().any(has) {
        shape.members.push(id);
    }
    if ["prefixItems", "items", "additionalItems"].into_iter().any(has) {
        shape.items.push(id);
    }
    if members.get("uniqueItems") == Some(&Value::Bool(true)) {
        shape.unique = Some(id);
    }
    shape.contains.extend(document.child(id, &["contains"]));
    shape.names.extend(document.child(id, &["propertyNames"]));
    for keyword in ["unevaluatedProperties", "unevaluatedItems"] {
        shape.closed.extend(has(keyword).then_some((keyword, id)));
    }
    shape.is_partial |=
        ["contains", "propertyNames"].into_iter().any(has) || !shape.closed.is_empty();
    if let Some(negated) = members.get("not") {
        negate(negated, shape);
        shape.negations.push(id);
        shape.is_partial = true;
    }
}

fn narrow_choices(id: NodeId, members: &Object, shape: &mut Shape) {
    let listed = members.get("enum").and_then(Value::as_array).map(|values| ("enum", values));
    let only = members.get("const").map(|value| ("const", std::slice::from_ref(value)));
    for (keyword, values) in listed.into_iter().chain(only) {
        shape.choices = Some(match shape.choices.take() {
            Some(mut before) => {
                before.retain(|choice| values.contains(&choice.value));
                before
            }
            None => {
                let choice = |value: &Value| Choice { value: value.clone(), keyword, node: id };
                values.iter().map(choice).collect()
            }
        });
    }
}

/// Narrows by the forms of `not` that are common; for others, values are only tried.
fn negate(negated: &Value, shape: &mut Shape) {
    let Some(members) = negated.as_object() else { return };
    if let (1, Some(kinds)) = (members.len(), members.get("type")) {
        shape.kinds = shape.kinds.without(Kinds::named(kinds));
    }
    let required = members.get("required").and_then(Value::as_array);
    if let (1, Some([Value::String(name)])) = (members.len(), required) {
        shape.forbidden.push(name.clone());
    }
}
