//! Schemas as generators of schemas and people write them: the samples of each are what they claim to be.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;

/// Schemas of tools, each with a name.
fn schemas() -> Vec<(&'static str, Json)> {
    let object = |properties: Json| json!({"type": "object", "properties": properties});
    let required = |properties: Json| {
        let names: Vec<String> =
            properties.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
    };
    vec![
        ("no arguments", json!({"type": "object"})),
        ("closed and empty", json!({"type": "object", "additionalProperties": false})),
        ("no keywords", json!({})),
        ("true", json!(true)),
        ("two numbers", required(json!({"a": {"type": "number"}, "b": {"type": "number"}}))),
        (
            "integer bounds",
            required(
                json!({"n": {"type": "integer", "minimum": -3, "exclusiveMaximum": 7, "multipleOf": 2}}),
            ),
        ),
        (
            "fraction bounds",
            required(
                json!({"n": {"type": "number", "exclusiveMinimum": 0, "maximum": 1, "multipleOf": 0.01}}),
            ),
        ),
        (
            "open fractions",
            required(
                json!({"n": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}}),
            ),
        ),
        (
            "schemars integers",
            required(json!({
                "a": {"type": "integer", "format": "uint32", "minimum": 0},
                "b": {"type": ["integer", "null"], "format": "int64"},
                "c": {"type": "number", "format": "double"},
                "d": {"type": "integer", "format": "uint8", "minimum": 0, "maximum": 255},
            })),
        ),
        ("lengths", required(json!({"s": {"type": "string", "minLength": 2, "maxLength": 5}}))),
        (
            "pydantic optional",
            object(json!({
                "name": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null, "title": "Name"},
                "count": {"anyOf": [{"type": "integer", "maximum": 10}, {"type": "null"}], "default": 3},
            })),
        ),
        (
            "pydantic model",
            json!({
                "$defs": {
                    "Address": {"type": "object", "title": "Address", "required": ["city"], "properties": {
                        "city": {"type": "string", "title": "City"}, "zip": {"type": "string", "pattern": "^[0-9]{5}$"}}},
                    "Color": {"enum": ["red", "green"], "type": "string", "title": "Color"},
                },
                "type": "object",
                "properties": {"address": {"$ref": "#/$defs/Address"}, "color": {"$ref": "#/$defs/Color"}},
                "required": ["address", "color"],
            }),
        ),
        (
            "zod 3 draft 7",
            json!({
                "$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "additionalProperties": false,
                "required": ["path", "edits"],
                "properties": {
                    "path": {"type": "string"},
                    "edits": {"type": "array", "items": {"type": "object", "additionalProperties": false,
                        "required": ["oldText", "newText"],
                        "properties": {"oldText": {"type": "string"}, "newText": {"type": "string"}}}},
                    "dryRun": {"type": "boolean", "default": false},
                },
            }),
        ),
        (
            "zod discriminated union",
            required(json!({"shape": {"anyOf": [
                {"type": "object", "required": ["kind", "r"], "additionalProperties": false,
                    "properties": {"kind": {"type": "string", "const": "circle"}, "r": {"type": "number", "minimum": 0}}},
                {"type": "object", "required": ["kind", "w"], "additionalProperties": false,
                    "properties": {"kind": {"type": "string", "const": "square"}, "w": {"type": "number"}}},
            ]}})),
        ),
        (
            "schemars enum",
            json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Args", "type": "object",
                "required": ["action"],
                "properties": {"action": {"oneOf": [
                    {"description": "Starts", "type": "string", "const": "start"},
                    {"type": "string", "enum": ["stop", "pause"]},
                    {"type": "object", "required": ["goto"], "properties": {"goto": {"type": "integer"}}, "additionalProperties": false},
                ]}},
            }),
        ),
        (
            "overlapping oneOf",
            required(
                json!({"n": {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 2}]}}),
            ),
        ),
        (
            "recursive tree",
            json!({
                "$defs": {"Node": {"type": "object", "required": ["value"], "properties": {
                    "value": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}}},
                "type": "object", "properties": {"root": {"$ref": "#/$defs/Node"}}, "required": ["root"],
            }),
        ),
        (
            "recursive list",
            json!({
                "$defs": {"List": {"type": "object", "required": ["head", "tail"], "properties": {
                    "head": {"type": "string"}, "tail": {"anyOf": [{"$ref": "#/$defs/List"}, {"type": "null"}]}}}},
                "$ref": "#/$defs/List", "type": "object",
            }),
        ),
        (
            "recursive root",
            json!({"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string"}, "parts": {"type": "array", "items": {"$ref": "#"}, "maxItems": 2}}}),
        ),
        ("enum of types", required(json!({"x": {"enum": [1, "a", null, true, [1], {"b": 2}]}}))),
        ("const", required(json!({"version": {"const": 2}, "none": {"const": null}}))),
        (
            "type union",
            required(json!({"x": {"type": ["string", "integer", "boolean", "array", "null"]}})),
        ),
        (
            "patterns",
            required(json!({
                "slug": {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 12},
                "date": {"type": "string", "pattern": "^\\d{4}-\\d{2}-\\d{2}$"},
                "part": {"type": "string", "pattern": "foo|bar"},
                "password": {"type": "string", "pattern": "^(?=.*[A-Z])(?=.*[0-9]).{8,16}$"},
            })),
        ),
        (
            "formats",
            required(json!({
                "a": {"type": "string", "format": "date-time"}, "b": {"type": "string", "format": "email"},
                "c": {"type": "string", "format": "uri"}, "d": {"type": "string", "format": "uuid"},
                "e": {"type": "string", "format": "ipv4"}, "f": {"type": "string", "format": "made-up"},
            })),
        ),
        (
            "array bounds",
            required(json!({"tags": {"type": "array", "items": {"type": "string", "minLength": 1},
            "minItems": 1, "maxItems": 3, "uniqueItems": true}})),
        ),
        (
            "unique integers",
            required(
                json!({"ids": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 9},
            "minItems": 4, "uniqueItems": true}}),
            ),
        ),
        (
            "unique objects",
            required(json!({"rows": {"type": "array", "minItems": 2, "uniqueItems": true,
            "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}}})),
        ),
        (
            "tuple 2020-12",
            required(
                json!({"point": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "string"}],
            "items": false, "minItems": 2}}),
            ),
        ),
        (
            "tuple draft 7",
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "required": ["point"],
            "properties": {"point": {"type": "array", "items": [{"type": "number"}, {"type": "string"}],
                "additionalItems": false, "minItems": 2}}}),
        ),
        (
            "contains",
            required(
                json!({"list": {"type": "array", "contains": {"const": "x"}, "items": {"type": "string"}}}),
            ),
        ),
        (
            "map",
            required(
                json!({"env": {"type": "object", "additionalProperties": {"type": "string"}}}),
            ),
        ),
        (
            "pattern properties",
            required(json!({"headers": {"type": "object",
            "patternProperties": {"^X-[A-Z]+$": {"type": "integer"}}, "additionalProperties": false, "minProperties": 1}})),
        ),
        (
            "property names",
            required(
                json!({"labels": {"type": "object", "propertyNames": {"pattern": "^[a-z]{2,4}$"},
            "minProperties": 2, "maxProperties": 3}}),
            ),
        ),
        (
            "dependencies",
            json!({"type": "object", "properties": {"card": {"type": "string"}, "address": {"type": "string"}},
            "dependentRequired": {"card": ["address"]}}),
        ),
        (
            "dependencies draft 7",
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
            "properties": {"card": {"type": "string"}, "address": {"type": "string"}},
            "dependencies": {"card": ["address"], "address": {"required": ["country"]}}}),
        ),
        (
            "if then else",
            json!({"type": "object", "required": ["country", "code"],
            "properties": {"country": {"enum": ["US", "NL"]}, "code": {"type": "string"}},
            "if": {"properties": {"country": {"const": "US"}}},
            "then": {"properties": {"code": {"pattern": "^[0-9]{5}$"}}},
            "else": {"properties": {"code": {"pattern": "^[0-9]{4} [A-Z]{2}$"}}}}),
        ),
        (
            "allOf",
            json!({"type": "object", "allOf": [
            {"properties": {"a": {"type": "integer", "minimum": 1}}, "required": ["a"]},
            {"properties": {"a": {"maximum": 5}, "b": {"type": "string"}}, "required": ["b"]}]}),
        ),
        (
            "one of two members",
            json!({"type": "object",
            "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
            "oneOf": [{"required": ["id"]}, {"required": ["name"]}]}),
        ),
        (
            "not",
            json!({"type": "object", "required": ["s"], "properties": {"s": {"type": "string", "not": {"const": "a"}}},
            "not": {"required": ["secret"]}}),
        ),
        (
            "unevaluated",
            json!({"type": "object", "allOf": [{"properties": {"a": {"type": "string"}}}],
            "properties": {"b": {"type": "string"}}, "unevaluatedProperties": false}),
        ),
        (
            "examples",
            json!({"type": "object", "required": ["path", "mode"], "examples": [{"path": "/tmp", "mode": "r"}],
            "properties": {"path": {"type": "string", "examples": ["/etc/hosts", "/tmp"]},
                "mode": {"type": "string", "enum": ["r", "w"], "default": "r"}, "deep": {"type": "boolean", "default": true}}}),
        ),
        (
            "mirrored",
            json!({"type": "object", "required": ["region", "n"], "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"}, "n": {"type": "integer", "x-mcp-header": "N"}}}),
        ),
        (
            "anchors and ids",
            json!({"$id": "https://example.com/tool", "type": "object",
            "properties": {"a": {"$ref": "#item"}, "b": {"$ref": "https://example.com/tool#/$defs/x%20y"}},
            "required": ["a", "b"],
            "$defs": {"i": {"$anchor": "item", "type": "integer"}, "x y": {"type": "boolean"}}}),
        ),
    ]
}

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
