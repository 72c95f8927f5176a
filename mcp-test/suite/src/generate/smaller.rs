//! Smaller forms of any JSON value.

use mcp_test_core::json::{Array, Number, Object, Pointer, Value};

/// How many smaller values are made of one.
const MAX_SMALLER: usize = 2000;

/// How many bytes of JSON they have together, so that large values have fewer.
const MAX_TOTAL: usize = 32 << 20;

/// How many parts of a value are made smaller.
const MAX_LOCATIONS: usize = 500;

/// How many characters or items are each left out by themselves.
const MAX_SINGLE: usize = 24;

/// What is smaller has a smaller key: the length of the text, the size of the numbers, how many characters are not the plainest,
/// and the text. Finitely many texts are not longer than a given one, so that shrinking ends.
pub(super) type SizeKey = (usize, u64, usize, String);

/// The size of a value.
pub(super) fn size_key(value: &Value) -> SizeKey {
    let text = value.to_string();
    let is_plain = |char: &char| char.is_ascii_digit() || "a\",:[]{}".contains(*char);
    let unusual = text.chars().filter(|char| !is_plain(char)).count();
    let mut magnitude = 0.0;
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Value::Number(number) => magnitude += number.as_f64().unwrap_or(f64::MAX).abs(),
            Value::Array(items) => left.extend(items.iter()),
            Value::Object(members) => left.extend(members.iter().map(|(_, value)| value)),
            _ => {}
        }
    }
    // The bits of positive doubles are ordered as they are.
    (text.len(), magnitude.to_bits(), unusual, text)
}

/// Smaller values, the smallest first; `numbers` are those that a number may become.
pub(super) fn candidates(value: &Value, numbers: &[Number]) -> Vec<Value> {
    let own = size_key(value);
    let most = (MAX_TOTAL / own.0.max(1)).clamp(16, MAX_SMALLER);
    let mut all: Vec<(SizeKey, Value)> = Vec::new();
    for location in locations(value) {
        let Some(part) = value.at(location.as_str()) else { continue };
        for smaller in smaller_parts(part, numbers) {
            if all.len() >= most {
                break;
            }
            let mut candidate = value.clone();
            candidate.set(location.as_str(), smaller);
            let key = size_key(&candidate);
            if key < own {
                all.push((key, candidate));
            }
        }
    }
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    all.dedup_by(|(one, _), (other, _)| one == other);
    all.into_iter().map(|(_, candidate)| candidate).collect()
}

/// The locations in a value, outer ones first.
fn locations(value: &Value) -> Vec<Pointer> {
    let mut all = vec![Pointer::root()];
    let mut next = 0;
    while let Some(pointer) = all.get(next).cloned() {
        next += 1;
        if all.len() >= MAX_LOCATIONS {
            break;
        }
        match value.at(pointer.as_str()) {
            Some(Value::Array(items)) => {
                all.extend((0..items.len()).map(|index| pointer.clone().index(index)));
            }
            Some(Value::Object(members)) => {
                all.extend(members.keys().map(|name| pointer.clone().member(name)));
            }
            _ => {}
        }
    }
    all.truncate(MAX_LOCATIONS);
    all
}

fn smaller_parts(part: &Value, numbers: &[Number]) -> Vec<Value> {
    match part {
        Value::Null => Vec::new(),
        Value::Bool(truth) => vec![Value::Null, (!truth).into()],
        Value::Number(number) => smaller_numbers(number, numbers),
        Value::String(text) => smaller_texts(text).into_iter().map(Value::from).collect(),
        Value::Array(items) => {
            let half = items.len() / 2;
            let without = |index: usize| {
                let kept = items.iter().enumerate().filter(move |(at, _)| *at != index);
                kept.map(|(_, item)| item.clone()).collect::<Array>()
            };
            let parts = [&items[..0], &items[..half], &items[half..]]
                .map(|part| Array::from(part.to_vec()));
            let singles = (0..items.len()).rev().take(MAX_SINGLE).map(without);
            // An item may stand for the array.
            let inner = items.first().cloned();
            parts.into_iter().chain(singles).map(Value::Array).chain(inner).collect()
        }
        Value::Object(members) => {
            let names: Vec<&str> = members.keys().collect();
            let half = names.len() / 2;
            let keeping = |kept: &[&str]| {
                let kept = members.iter().filter(|(name, _)| kept.contains(name));
                Object::from_iter(kept.map(|(name, value)| (name, value.clone())))
            };
            let parts = [&names[..0], &names[..half], &names[half..]].map(keeping);
            let without = |name: &&str| {
                let mut object = members.clone();
                object.remove(name);
                object
            };
            let singles = names.iter().take(MAX_LOCATIONS).map(without);
            parts.into_iter().chain(singles).map(Value::Object).collect()
        }
    }
}

fn smaller_numbers(number: &Number, others: &[Number]) -> Vec<Value> {
    let mut all: Vec<Value> = vec![0.into(), 1.into(), Value::Null];
    all.extend(others.iter().cloned().map(Value::Number));
    if let Some(whole) = number.as_i64() {
        // By ever smaller steps, which find a boundary as a binary search does.
        let steps = std::iter::successors(Some(whole / 2), |step| Some(step / 2))
            .take_while(|step| *step != 0);
        all.extend(steps.chain([whole.signum()]).map(|step| Value::from(whole - step)));
        all.push(whole.saturating_abs().into());
    } else if let Some(double) = number.as_f64() {
        all.extend([double.trunc(), double / 2.0, double.abs()].map(Value::from));
        // Without a fraction also without the notation of one.
        all.extend(Number::parse(&format!("{:.0}", double.trunc())).map(Value::Number));
    }
    all
}

fn smaller_texts(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let half = chars.len() / 2;
    let mut all =
        vec![String::new(), chars[..half].iter().collect(), chars[half..].iter().collect()];
    let count = chars.len();
    // From both ends, since what matters may be anywhere.
    let ends = (0..count.min(MAX_SINGLE / 2)).chain(count.saturating_sub(MAX_SINGLE / 2)..count);
    for index in ends {
        let but = |new: Option<char>| {
            let kept = chars.iter().enumerate();
            kept.filter_map(|(at, char)| if at == index { new } else { Some(*char) })
                .collect::<String>()
        };
        all.extend([but(None), but(Some('a'))]);
    }
    let plain = |char: &char| if char.is_ascii_alphanumeric() { 'a' } else { *char };
    all.push(chars.iter().map(plain).collect());
    all.push("a".repeat(count));
    all
}
