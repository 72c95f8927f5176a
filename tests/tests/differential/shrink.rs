//! Shrinks an instance as long as it keeps a property, so that failures are short.

use serde_json::{Value, json};

/// The maximum number of attempts.
const MAX_STEPS: usize = 5_000;

/// The smallest instance found for which `keeps` is true.
pub(crate) fn shrink(mut value: Value, keeps: impl Fn(&Value) -> bool) -> Value {
    let mut steps = 0;
    loop {
        let smaller = smaller(&value).into_iter().take(MAX_STEPS - steps).find(|smaller| {
            steps += 1;
            keeps(smaller)
        });
        match smaller {
            Some(smaller) => value = smaller,
            None => return value,
        }
    }
}

/// The candidates that are one step smaller, the largest steps first.
fn smaller(value: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    match value {
        Value::Object(members) => {
            if !members.is_empty() {
                all.push(json!({}));
            }
            for name in members.keys() {
                let mut fewer = members.clone();
                fewer.remove(name);
                all.push(Value::Object(fewer));
            }
            for (name, inner) in members {
                for smaller in smaller(inner) {
                    let mut members = members.clone();
                    members.insert(name.clone(), smaller);
                    all.push(Value::Object(members));
                }
            }
        }
        Value::Array(items) => {
            if items.len() > 1 {
                all.push(json!([]));
                all.push(json!(items[..items.len() / 2]));
            }
            for at in 0..items.len() {
                let mut fewer = items.clone();
                fewer.remove(at);
                all.push(Value::Array(fewer));
            }
            for (at, inner) in items.iter().enumerate() {
                for smaller in smaller(inner) {
                    let mut items = items.clone();
                    items[at] = smaller;
                    all.push(Value::Array(items));
                }
            }
        }
        Value::String(text) if !text.is_empty() => all.push(json!("")),
        Value::Number(number) if number.as_i64() != Some(0) => all.push(json!(0)),
        Value::Bool(true) => all.push(json!(false)),
        _ => {}
    }
    let simple = [Value::Null, json!(0), json!("")];
    if value.is_object() || value.is_array() {
        all.extend(simple);
    }
    all
}
