//! Mutates an instance by typical mistakes of programs, so that it may become invalid.

use serde_json::{Map, Value, json};

use crate::random::Random;
use crate::values;

/// A copy with one or more changes.
pub(crate) fn mutant(original: &Value, random: &mut Random) -> Value {
    let mut value = original.clone();
    mutate(&mut value, random);
    while random.once_in(4) {
        mutate(&mut value, random);
    }
    value
}

fn mutate(value: &mut Value, random: &mut Random) {
    let places = count(value);
    let mut index = random.below(places);
    if let Some(inner) = nth(value, &mut index) {
        change(inner, random);
    }
}

/// The number of values, including nested ones.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

/// The value with this index, counted depth-first from the root.
fn nth<'a>(value: &'a mut Value, index: &mut usize) -> Option<&'a mut Value> {
    if *index == 0 {
        return Some(value);
    }
    *index -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| nth(item, index)),
        Value::Object(members) => members.values_mut().find_map(|member| nth(member, index)),
        _ => None,
    }
}

fn change(value: &mut Value, random: &mut Random) {
    match random.below(8) {
        0 => *value = random.pick(&values::kinds()).clone(),
        1 => *value = nested(value.take(), random),
        _ => match value {
            Value::Object(members) => change_members(members, random),
            Value::Array(items) => change_items(items, random),
            Value::String(text) => *text = other_text(text, random),
            Value::Number(_) => *value = random.pick(&values::numbers()).clone(),
            Value::Bool(truth) => *value = if *truth { json!("true") } else { json!(0) },
            Value::Null => *value = random.pick(&values::kinds()).clone(),
        },
    }
}

/// The value wrapped in a container, or unwrapped from one.
fn nested(value: Value, random: &mut Random) -> Value {
    match (value, random.below(4)) {
        (Value::Object(members), 0) if !members.is_empty() => {
            let names: Vec<_> = members.keys().cloned().collect();
            members[random.pick(&names)].clone()
        }
        (Value::Array(items), 0 | 1) if !items.is_empty() => random.pick(&items).clone(),
        (value, 2) => json!({ *random.pick(&["value", "params", "result", "content"]): value }),
        (value, _) => json!([value]),
    }
}

fn change_members(members: &mut Map<String, Value>, random: &mut Random) {
    let names: Vec<_> = members.keys().cloned().collect();
    if names.is_empty() || random.once_in(8) {
        let value = random.pick(&values::kinds()).clone();
        members.insert((*random.pick(&values::EXTRA)).to_owned(), value);
        return;
    }
    let name = random.pick(&names);
    match random.below(8) {
        0..5 => {
            members.remove(name);
        }
        5 => {
            let value = members.remove(name);
            members.insert(other_text(name, random), value.unwrap_or_default());
        }
        6 => {
            let other = members[random.pick(&names)].clone();
            members.insert(name.clone(), other);
        }
        _ => {
            members.insert(name.clone(), Value::Null);
        }
    }
}

fn change_items(items: &mut Vec<Value>, random: &mut Random) {
    match random.below(4) {
        0 if !items.is_empty() => {
            let at = random.below(items.len());
            items.remove(at);
        }
        1 if !items.is_empty() => items.push(random.pick(items).clone()),
        // More than the 100 items that a completion may have.
        2 if random.once_in(4) => items.resize(101, items.first().cloned().unwrap_or_default()),
        _ => items.push(random.pick(&values::kinds()).clone()),
    }
}

fn other_text(text: &str, random: &mut Random) -> String {
    match random.below(9) {
        0 => text.to_uppercase(),
        1 => format!("{text}s"),
        2 => text.chars().skip(1).collect(),
        3 => {
            let mut chars: Vec<char> = text.chars().collect();
            chars.insert(random.below(chars.len() + 1), *random.pick(&values::CHARACTERS));
            chars.into_iter().collect()
        }
        4 => (*random.pick(&values::STRINGS)).to_owned(),
        5 => (*random.pick(&values::LITERALS)).to_owned(),
        _ => (*random.pick(&values::BORDERLINE)).to_owned(),
    }
}
