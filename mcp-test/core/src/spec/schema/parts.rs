//! Which definitions a value has used: those of its parts that are there, and of no others.

use std::collections::BTreeSet;

use super::fits::fits;
use super::model::{Model, Type};
use crate::json::Value;

/// How many items of an array are looked at: of many alike, the first say enough.
const ITEMS: usize = 50;

/// Adds the names of the definitions of the parts of a value.
pub(super) fn add_parts(
    model: &Model,
    of: &Type,
    value: &Value,
    found: &mut BTreeSet<&'static str>,
) {
    match (of, value) {
        (Type::Named(index), value) => {
            let shape = model.shape(*index);
            found.insert(shape.name);
            add_parts(model, &shape.of, value, found);
        }
        (Type::Array(items, _), Value::Array(values)) => {
            values.iter().take(ITEMS).for_each(|value| add_parts(model, items, value, found));
        }
        (Type::Object(object), Value::Object(members)) => {
            for member in &object.members {
                if let Some(value) = members.get(member.name) {
                    add_parts(model, &member.of, value, found);
                }
            }
        }
        (Type::Union(types), value) => {
            if let Some(of) = types.iter().find(|of| fits(model, of, value)) {
                add_parts(model, of, value, found);
            }
        }
        _ => {}
    }
}
