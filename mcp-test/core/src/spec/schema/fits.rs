//! Whether a value matches a type, decided without allocating.

use super::model::{Model, Object, Type};
use super::types::Range;
use crate::json::{self, Number, Value};

/// Whether `value` matches `of`.
pub(super) fn fits(model: &Model, of: &Type, value: &Value) -> bool {
    match (of, value) {
        (Type::Any, _) | (Type::Null, Value::Null) | (Type::Boolean, Value::Bool(_)) => true,
        (Type::String, Value::String(_)) => true,
        (Type::Format(format), Value::String(text)) => format.fits(text),
        (Type::Literal(literal), Value::String(text)) => text == literal,
        (Type::Integer(range), Value::Number(number)) => {
            // By value, as in JSON Schema: 1.0 is an integer.
            number.is_integer() && number_within(*range, number)
        }
        (Type::Number(range), Value::Number(number)) => number_within(*range, number),
        (Type::Exactly(exactly), Value::Number(number)) => number.as_i64() == Some(*exactly),
        (Type::Array(items, range), Value::Array(values)) => {
            length_within(*range, values.len())
                && values.iter().all(|value| fits(model, items, value))
        }
        (Type::Object(object), Value::Object(value)) => object_fits(model, object, value),
        (Type::Union(types), value) => types.iter().any(|of| fits(model, of, value)),
        (Type::Named(index), value) => fits(model, &model.shape(*index).of, value),
        _ => false,
    }
}

fn object_fits(model: &Model, object: &Object, value: &json::Object) -> bool {
    let members = object.members.iter().all(|member| match value.get(member.name) {
        Some(value) => fits(model, &member.of, value),
        None => !member.required,
    });
    let rest = |(name, value): (&str, &Value)| match &object.rest {
        Some(rest) => object.member(name).is_some() || fits(model, rest, value),
        None => true,
    };
    // `effective` allocates, and matters only if a value is wrong that a later duplicate may supersede.
    members && (object.rest.is_none() || value.iter().all(rest) || value.effective().all(rest))
}

pub(super) fn length_within(range: Range, length: usize) -> bool {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    range.least.is_none_or(|least| least <= length) && range.most.is_none_or(|most| length <= most)
}

pub(super) fn number_within(range: Range, number: &Number) -> bool {
    if range == Range::default() {
        return true;
    }
    // The bounds are small integers, so that rounding to a double can reach one but not cross it.
    let Some(double) = number.as_f64() else {
        // Beyond the range of doubles only the sign matters.
        let negative = number.as_str().starts_with('-');
        return if negative { range.least.is_none() } else { range.most.is_none() };
    };
    range.least.is_none_or(|least| least as f64 <= double)
        && range.most.is_none_or(|most| double <= most as f64)
}
