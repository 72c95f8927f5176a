//! Strategies for values and texts, for the property tests of this and other modules.

use proptest::prelude::*;

use super::{Number, Object, Value};

/// Any value, with unusual numbers, unusual strings and duplicate members.
pub fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number().prop_map(Value::Number),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..5)
                .prop_map(|members| Value::Object(Object::from_iter(members))),
        ]
    })
}

/// Numbers in every spelling, within the range of doubles.
pub fn number() -> impl Strategy<Value = Number> {
    "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,2})?"
        .prop_map(|text| Number::parse(&text).expect("the pattern is the grammar"))
}

/// Short texts with colliding names and characters that need escaping.
pub fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[ab~/]{0,2}", "[\\x00-\\x7f]{0,4}", "\\PC{0,4}", "[\u{80}-\u{9f}\u{feff}😀]{1,2}"]
}

/// Splits `bytes` into chunks of the given lengths; the rest is the last chunk.
pub fn split<'a>(bytes: &'a [u8], lengths: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = bytes;
    let mut lengths = lengths.iter().copied().chain(std::iter::repeat(usize::MAX));
    std::iter::from_fn(move || {
        let (chunk, after) = rest.split_at(rest.len().min(lengths.next()?));
        let done = chunk.is_empty() && rest.is_empty();
        rest = after;
        (!done).then_some(chunk)
    })
}
