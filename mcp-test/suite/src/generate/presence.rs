//! Objects that violate a keyword by which members they have.

use mcp_test_core::expect::words;
use mcp_test_core::json::{Object, Pointer, Value};

use super::leaf::MAX_DEPTH;
use super::model::{Model, Preference};
use super::shape::Shape;
use super::variant::Variant;

/// How many members the objects have together in each of which a required one is missing.
const MAX_COPIED: usize = 1 << 13;

/// Objects with a member too few or too many.
pub(super) fn violations(model: &Model, shape: &Shape, object: &Object, all: &mut Vec<Variant>) {
    let mut add = |object: Object, keyword, predicate: String, member: Option<&str>| {
        let mut variant = Variant::at(model, Value::Object(object), keyword, predicate);
        if let Some(member) = member {
            variant.exercised.instance = Pointer::root().member(member);
        }
        all.push(variant);
    };
    // Each of them is a copy of the object.
    let most = (MAX_COPIED / shape.required.len().max(1)).max(4);
    for (name, node) in shape.required.iter().take(most) {
        let mut without = object.clone();
        without.remove(name);
        add(without, ("required", *node), "is missing".to_owned(), Some(name));
    }
    for dependency in &shape.dependencies {
        let Some(with) = model.object_with(shape, None, &dependency.trigger) else { continue };
        for name in &dependency.names {
            let mut without = with.clone();
            without.remove(name);
            let predicate = format!("is missing beside `{}`", words::inert(&dependency.trigger));
            add(without, (dependency.keyword, dependency.node), predicate, Some(name));
        }
    }
    for (name, _) in model.further_names(shape) {
        let schemas = model.member_schemas(shape, &name);
        let is_closed = model.shapes(&schemas).is_empty();
        let closing = shape.members.iter().find(|node| {
            let schema = &model.document.node(**node).schema;
            schema.get("additionalProperties") == Some(&Value::Bool(false))
        });
        let unevaluated =
            shape.closed.iter().find(|(keyword, _)| *keyword == "unevaluatedProperties");
        let keyword = match (closing, unevaluated) {
            (Some(node), _) if is_closed => Some(("additionalProperties", *node)),
            (_, Some(unevaluated)) => Some(*unevaluated),
            _ => None,
        };
        if let Some(keyword) = keyword {
            let mut with = object.clone();
            with.insert(name.as_str(), Value::from("x"));
            add(
                with,
                keyword,
                "is a member that the schema does not allow".to_owned(),
                Some(&name),
            );
            break;
        }
    }
    for (name, node) in ["", " ", "A-b", "é", "1"]
        .iter()
        .flat_map(|name| shape.names.iter().map(move |node| (*name, *node)))
    {
        let mut with = object.clone();
        with.insert(name, Value::from("x"));
        add(with, ("propertyNames", node), format!("has a member named {name:?}"), None);
    }
    let least = shape.least("minProperties").filter(|(least, _)| *least > shape.required.len());
    if let Some((_, node)) = least {
        let fewer = Shape { limits: Vec::new(), ..shape.clone() };
        let fewest = model.object(&fewer, &[], Preference::Typical, MAX_DEPTH);
        if let Some(Value::Object(object)) = fewest.map(|it| it.value) {
            let predicate = format!("has fewer members than allowed, {}", object.len());
            add(object, ("minProperties", node), predicate, None);
        }
    }
    if let Some((most, node)) = shape.most("maxProperties").filter(|(most, _)| *most <= 64) {
        let mut more = object.clone();
        let further = model.further_names(shape).into_iter().map(|(name, _)| name);
        let names = shape.member_names.iter().cloned().chain(further);
        for name in names.chain((0..=most).map(|number| format!("extra{number}"))) {
            if more.len() > most {
                break;
            }
            let value = model.value(
                &model.member_schemas(shape, &name),
                Preference::Typical,
                MAX_DEPTH - 1,
            );
            if let Some(value) = value.filter(|_| !more.contains(&name)) {
                more.insert(name, value.value);
            }
        }
        add(
            more,
            ("maxProperties", node),
            format!("has more members than allowed, {}", most + 1),
            None,
        );
    }
}
