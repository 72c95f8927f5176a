//! The samples of each schema are what they claim to be; smaller values keep their class.

use proptest::prelude::*;
use serde_json::json;

use super::schemas::schemas;
use super::*;

/// The only failure of a sample is that of its class.
fn assert_invalid(name: &str, validator: &Validator, sample: &Sample) {
    let Class::Invalid { keyword, instance } = &sample.class else { return };
    let failures = validator.failures(&sample.value).expect("a verdict");
    let shown = failures
        .iter()
        .map(|it| format!("{} at {}", it.keyword, it.mismatch.pointer))
        .collect::<Vec<_>>();
    assert_eq!(failures.len(), 1, "{name}: {}: {shown:?}", sample.value);
    let reported = failures[0].keyword.as_str();
    let is_named = reported == keyword
        || reported == "falseSchema" && keyword.ends_with(['s'])
        || reported == "additionalItems" && keyword == "items"
        || reported == "required" && keyword.starts_with("depend");
    assert!(is_named, "{name}: {}: {keyword} is reported as {reported}", sample.value);
    assert_eq!(failures[0].mismatch.pointer, *instance, "{name}: {}", sample.value);
}

#[test]
fn samples_are_what_they_claim_to_be() {
    for (name, schema) in schemas() {
        let generator = generator(&schema);
        let validator =
            Validator::compile(&schema.clone().into(), &Limits::default()).expect("a schema");
        let valid = generator.stated().into_iter().chain(generator.coverage());
        for sample in valid {
            assert_eq!(sample.class, Class::Valid, "{name}");
            assert!(!sample.exercised.is_empty(), "{name}: {}", sample.value);
            assert_eq!(validator.is_valid(&sample.value), Ok(true), "{name}: {}", sample.value);
            assert!(sample.value.is_object(), "{name}: {}", sample.value);
        }
        for sample in generator.invalid() {
            assert!(!sample.class.is_valid() && sample.exercised.len() == 1, "{name}");
            let is_format = matches!(sample.class, Class::FormatOnly { .. });
            assert_eq!(
                validator.is_valid(&sample.value),
                Ok(is_format),
                "{name}: {}",
                sample.value
            );
            assert_invalid(name, &validator, &sample);
        }
    }
}

#[test]
fn random_values_are_valid_and_repeat_with_the_seed() {
    for (name, schema) in schemas() {
        let (strategy, validator) = (
            generator(&schema).strategy(),
            Validator::compile(&schema.clone().into(), &Limits::default()).expect("a schema"),
        );
        let values = |seed| {
            let mut runner = runner(seed);
            let value = |_| {
                strategy
                    .new_tree(&mut runner)
                    .unwrap_or_else(|error| panic!("{name}: {error}"))
                    .current()
            };
            (0..40).map(value).collect::<Vec<_>>()
        };
        let drawn = values(1);
        assert!(
            drawn.iter().all(|value| validator.is_valid(value) == Ok(true)),
            "{name}: {drawn:?}"
        );
        assert_eq!(drawn, values(1), "{name}");
    }
}

#[test]
fn each_keyword_is_exercised() {
    let exercised = |name: &str| {
        let all = schemas();
        let (_, schema) = all.iter().find(|(known, _)| *known == name).expect("a schema");
        let generator = generator(schema);
        let keywords = |samples: Vec<Sample>| {
            let keywords =
                samples.into_iter().flat_map(|sample| sample.exercised).map(|it| it.keyword);
            let keywords: std::collections::BTreeSet<String> = keywords.collect();
            keywords.into_iter().collect::<Vec<_>>().join(" ")
        };
        format!("{} | {}", keywords(generator.coverage()), keywords(generator.invalid()))
    };
    let names = [
        "integer bounds",
        "fraction bounds",
        "open fractions",
        "schemars integers",
        "lengths",
        "pydantic optional",
        "zod discriminated union",
        "schemars enum",
        "overlapping oneOf",
        "patterns",
        "formats",
        "array bounds",
        "unique objects",
        "tuple 2020-12",
        "tuple draft 7",
        "contains",
        "map",
        "pattern properties",
        "property names",
        "dependencies",
        "dependencies draft 7",
        "if then else",
        "allOf",
        "one of two members",
        "not",
        "unevaluated",
    ];
    let all: String = names.iter().map(|name| format!("{name}: {}\n", exercised(name))).collect();
    insta::assert_snapshot!(all);
}

#[test]
fn smaller_values_keep_their_class_and_end() {
    for (name, schema) in schemas() {
        let generator = generator(&schema);
        let samples = generator.coverage().into_iter().chain(generator.invalid()).step_by(7);
        for sample in samples.filter(|sample| sample.value.to_string().len() < 2000).take(12) {
            let mut value = sample.value.clone();
            let mut steps = 0;
            while let Some(smaller) = generator.smaller(&value, &sample.class).next() {
                assert!(smaller.to_string().len() <= value.to_string().len(), "{name}: {smaller}");
                value = smaller;
                steps += 1;
                assert!(steps < 200, "{name}: {} is still {value}", sample.value);
            }
            let validator =
                Validator::compile(&schema.clone().into(), &Limits::default()).expect("a schema");
            assert_eq!(
                validator.is_valid(&value),
                Ok(!sample.class.is_invalid()),
                "{name}: {value}"
            );
        }
    }
}

/// Shrinks like a caller who repeats a call: takes the first smaller value for which it still fails.
fn shrunk(generator: &Generator, mut value: Value, fails: impl Fn(&Value) -> bool) -> Value {
    while let Some(smaller) = generator.smaller(&value, &Class::Valid).find(|it| fails(it)) {
        value = smaller;
    }
    value
}

#[test]
fn failures_shrink_to_what_causes_them() {
    let generator = generator(&json!({"type": "object", "required": ["rows"], "properties": {
        "rows": {"type": "array", "items": {"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string"}, "size": {"type": "integer", "minimum": 0}}}},
        "note": {"type": "string"}}}));
    let value: Value = json!({"note": "something", "rows": [
        {"name": "first"}, {"name": "b😀c", "size": 4711}, {"name": "third", "size": 12}]})
    .into();
    let has_emoji = |value: &Value| value.to_string().contains('😀');
    assert_eq!(shrunk(&generator, value.clone(), has_emoji), json!({"rows": [{"name": "😀"}]}));
    let is_large = |value: &Value| {
        let sizes =
            value["rows"].as_array().into_iter().flatten().filter_map(|row| row["size"].as_i64());
        sizes.into_iter().any(|size| size > 1000)
    };
    assert_eq!(shrunk(&generator, value, is_large), json!({"rows": [{"name": "", "size": 1001}]}));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_strategy_shrinks_to_what_fails(seed in any::<u8>()) {
        let schema = json!({"type": "object", "required": ["n"], "properties": {
            "n": {"type": "integer", "minimum": 10}, "s": {"type": "string"}}});
        let strategy = generator(&schema).strategy();
        let mut tree = strategy.new_tree(&mut runner(seed)).expect("a value");
        let fails = |value: &Value| value["n"].as_i64().is_none_or(|n| n >= 100);
        prop_assume!(fails(&tree.current()));
        let mut left = 2000;
        let mut more = tree.simplify();
        while more {
            left -= 1;
            prop_assert!(left > 0, "{:?}", tree.current());
            more = if fails(&tree.current()) { tree.simplify() } else { tree.complicate() };
        }
        prop_assert_eq!(tree.current(), json!({"n": 100}));
    }
}
