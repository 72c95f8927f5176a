//! Exports the model as JSON Schema, draft 2020-12: a whole revision, or one definition with its dependencies.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::fits::{length_within, number_within};
use super::model::{Index, Model, Object, Type};
use super::types::Range;
use crate::json;

/// The dialect of exported documents.
const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// All definitions of the revision.
pub(super) fn document(model: &Model) -> Value {
    let all = (0..).map(Index).zip(&model.shapes).map(|(index, _)| index);
    json!({"$schema": DRAFT, "$defs": definitions(model, all)})
}

/// One definition as a schema, with those it refers to.
pub(super) fn definition(model: &Model, index: Index) -> Value {
    let mut document = with_dependencies(model, index);
    document["$ref"] = reference(model, index).into();
    document
}

/// A document of one definition and those it refers to.
pub(super) fn with_dependencies(model: &Model, index: Index) -> Value {
    let mut closure = BTreeSet::from([index]);
    let mut open = vec![index];
    while let Some(next) = open.pop() {
        model.shape(next).of.names(&mut |named| {
            // Definitions refer to each other in cycles.
            if closure.insert(named) {
                open.push(named);
            }
        });
    }
    json!({"$schema": DRAFT, "$defs": definitions(model, closure)})
}

fn definitions(model: &Model, of: impl IntoIterator<Item = Index>) -> Value {
    let definition = |index| {
        let shape = model.shape(index);
        (shape.name.to_owned(), type_schema(model, &shape.of))
    };
    Value::Object(of.into_iter().map(definition).collect())
}

fn reference(model: &Model, index: Index) -> String {
    format!("#/$defs/{}", model.shape(index).name)
}

fn type_schema(model: &Model, of: &Type) -> Value {
    match of {
        Type::Any => json!({}),
        Type::Null | Type::Boolean | Type::String => json!({"type": primitive(of)}),
        Type::Integer(range) | Type::Number(range) => {
            bounded(json!({"type": primitive(of)}), *range, ["minimum", "maximum"])
        }
        Type::Format(format) => json!({"type": "string", "format": format.as_str()}),
        Type::Literal(text) => json!({"type": "string", "const": text}),
        Type::Exactly(number) => json!({"type": "integer", "const": number}),
        Type::Array(items, range) => {
            let array = json!({"type": "array", "items": type_schema(model, items)});
            bounded(array, *range, ["minItems", "maxItems"])
        }
        Type::Object(object) => object_schema(model, object),
        Type::Union(types) => union_schema(model, types),
        Type::Named(index) => json!({"$ref": reference(model, *index)}),
    }
}

fn object_schema(model: &Model, object: &Object) -> Value {
    let mut schema = Map::from_iter([("type".to_owned(), "object".into())]);
    if !object.members.is_empty() {
        let members = object
            .members
            .iter()
            .map(|member| (member.name.to_owned(), type_schema(model, &member.of)));
        schema.insert("properties".to_owned(), Value::Object(members.collect()));
    }
    let required: Vec<&str> =
        object.members.iter().filter(|member| member.required).map(|member| member.name).collect();
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    if let Some(rest) = &object.rest {
        schema.insert("additionalProperties".to_owned(), type_schema(model, rest));
    }
    schema.into()
}

fn union_schema(model: &Model, types: &[Type]) -> Value {
    let literals: Option<Vec<&str>> = types
        .iter()
        .map(|of| if let Type::Literal(text) = of { Some(*text) } else { None })
        .collect();
    if let Some(literals) = literals {
        return json!({"type": "string", "enum": literals});
    }
    // A list of types has no place for the bounds of each.
    let primitives: Option<Vec<&str>> = types.iter().map(unbounded).collect();
    if let Some(primitives) = primitives {
        return json!({"type": primitives});
    }
    json!({"anyOf": types.iter().map(|of| type_schema(model, of)).collect::<Vec<_>>()})
}

/// The keyword in the schema of a type, not of a name, that a value violates.
pub(super) fn keyword(of: &Type, value: &json::Value) -> &'static str {
    let above = |range: Range| Range { most: None, ..range };
    match (of, value) {
        (Type::Literal(_), json::Value::String(_)) | (Type::Exactly(_), json::Value::Number(_)) => {
            "const"
        }
        (Type::Format(_), json::Value::String(_)) => "format",
        (Type::Array(_, range), json::Value::Array(items)) => {
            if length_within(above(*range), items.len()) { "maxItems" } else { "minItems" }
        }
        (Type::Integer(_), json::Value::Number(number)) if !number.is_integer() => "type",
        (Type::Integer(range) | Type::Number(range), json::Value::Number(number)) => {
            if number_within(above(*range), number) {
                "maximum"
            } else {
                "minimum"
            }
        }
        (Type::Union(types), json::Value::String(_)) if are_literals(types) => "enum",
        (Type::Union(types), _) if !are_literals(types) && !types.iter().all(is_unbounded) => {
            "anyOf"
        }
        _ => "type",
    }
}

fn are_literals(types: &[Type]) -> bool {
    types.iter().all(|of| match of {
        Type::Literal(_) => true,
        Type::Union(types) => are_literals(types),
        _ => false,
    })
}

fn is_unbounded(of: &Type) -> bool {
    unbounded(of).is_some()
}

/// The JSON Schema name of a primitive type without bounds.
fn unbounded(of: &Type) -> Option<&'static str> {
    match of {
        Type::Integer(range) | Type::Number(range) if *range != Range::default() => None,
        Type::Null | Type::Boolean | Type::String | Type::Integer(_) | Type::Number(_) => {
            Some(primitive(of))
        }
        _ => None,
    }
}

fn primitive(of: &Type) -> &'static str {
    match of {
        Type::Null => "null",
        Type::Boolean => "boolean",
        Type::Integer(_) => "integer",
        Type::Number(_) => "number",
        _ => "string",
    }
}

fn bounded(mut schema: Value, range: Range, [least, most]: [&str; 2]) -> Value {
    for (keyword, bound) in [(least, range.least), (most, range.most)] {
        if let Some(bound) = bound {
            schema[keyword] = bound.into();
        }
    }
    schema
}
