//! Hostile and impossible schemas: an error that names the place, or few samples, in either case soon.

use std::time::Duration;

use mcp_test_core::clock::Stopwatch;
use serde_json::json;

use super::*;

/// The processor time of this thread, which what else the machine does does not change; elsewhere than on Linux the time that has
/// passed since the start of `watch`.
fn time_used(watch: &Stopwatch) -> Duration {
    let scheduled = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let running = scheduled.and_then(|text| text.split(' ').next()?.parse().ok());
    running.map_or_else(|| watch.elapsed(), Duration::from_nanos)
}

/// The error of a schema, or how many samples it has; in less than a second.
fn outcome(schema: Json) -> String {
    let watch = Stopwatch::start();
    let before = time_used(&watch);
    let outcome = match Generator::new(&schema.into(), &Limits::default()) {
        Err(error) => error.to_string(),
        Ok(generator) => {
            let (valid, invalid) = (generator.coverage(), generator.invalid());
            let _ = generator.stated();
            let bytes: usize =
                valid.iter().chain(&invalid).map(|sample| sample.value.to_string().len()).sum();
            assert!(bytes < 64 << 20, "{bytes} bytes");
            let random = generator.strategy().new_tree(&mut runner(1));
            let random = if random.is_ok() { "random" } else { "no random" };
            format!("samples: {}, {}, {random}", !valid.is_empty(), !invalid.is_empty())
        }
    };
    // Unoptimized, it takes some times as long.
    let most = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 1 });
    let used = time_used(&watch) - before;
    assert!(used < most, "{outcome} after {used:?}");
    outcome
}

#[allow(clippy::needless_pass_by_value)]
fn with(property: Json) -> Json {
    json!({"type": "object", "required": ["a"], "properties": {"a": property}})
}

#[test]
fn schemas_without_values_are_named() {
    insta::assert_snapshot!(outcome(json!(false)), @"no value satisfies the schema");
    insta::assert_snapshot!(outcome(json!({"type": "string"})), @"no value satisfies the schema");
    insta::assert_snapshot!(outcome(json!([])), @"the schema is not valid JSON Schema 2020-12: expected a boolean or an object, got []");
    insta::assert_snapshot!(outcome(with(json!(false))), @"no value satisfies `/properties/a`");
    insta::assert_snapshot!(outcome(with(json!({"type": "string", "minLength": 3, "maxLength": 2}))), @"no value satisfies `/properties/a`");
    insta::assert_snapshot!(outcome(with(json!({"type": "integer", "minimum": 3, "maximum": 2}))), @"no value satisfies `/properties/a`");
    insta::assert_snapshot!(outcome(with(json!({"type": "integer", "enum": ["a"]}))), @"no value satisfies `/properties/a`");
    insta::assert_snapshot!(outcome(with(json!({"allOf": [{"type": "string"}, {"type": "integer"}]}))), @"no value satisfies `/properties/a`");
    insta::assert_snapshot!(outcome(with(json!({"type": "string", "pattern": "^a$", "minLength": 2}))), @"no text was found that matches the pattern at `/properties/a/pattern`");
    insta::assert_snapshot!(outcome(with(json!({"type": "array", "items": false, "minItems": 1}))), @"no value satisfies `/properties/a/items`");
    insta::assert_snapshot!(outcome(with(json!({"not": {}}))), @"no value satisfies the schema");
    // Not a schema of draft 7, which requires an item in the list.
    let empty = json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {"items": []}}});
    insta::assert_snapshot!(outcome(empty), @"`/properties/a/items` is not valid JSON Schema draft 7: expected a boolean, an object or an array of at least 1 item, got []");
    let endless = json!({"$defs": {"n": {"type": "object", "required": ["n"], "properties": {"n": {"$ref": "#/$defs/n"}}}},
        "$ref": "#/$defs/n"});
    insta::assert_snapshot!(outcome(endless), @"no value satisfies the schema");
}

#[test]
fn what_is_too_large_is_named() {
    insta::assert_snapshot!(outcome(with(json!({"type": "string", "minLength": 1_000_000_000}))), @"`/properties/a/minLength` requires 1000000000 characters, which is more than 65536");
    insta::assert_snapshot!(outcome(with(json!({"type": "array", "minItems": 1_000_000_000}))), @"`/properties/a/minItems` requires 1000000000 items, which is more than 1024");
    insta::assert_snapshot!(outcome(with(json!({"type": "object", "minProperties": 1_000_000_000}))), @"`/properties/a/minProperties` requires 1000000000 members, which is more than 1024");
    insta::assert_snapshot!(outcome(with(json!({"type": "string", "pattern": "^(a{60000}){60000}$"}))), @"`/properties/a/pattern` exceeds a limit: a pattern that compiles to at most 1048576 bytes");
    let level = |number: usize| {
        let next = json!({"$ref": format!("#/$defs/{}", number + 1)});
        json!({"type": "object", "required": ["l", "r"], "properties": {"l": next, "r": next}})
    };
    let mut doubling: serde_json::Map<String, Json> =
        (0..30).map(|number| (number.to_string(), level(number))).collect();
    doubling.insert("30".to_owned(), json!({"type": "string"}));
    insta::assert_snapshot!(outcome(json!({"$ref": "#/$defs/0", "$defs": doubling})), @"`/$defs/13` requires 1834996 bytes, which is more than 1048576");
}

#[test]
fn hostile_schemas_are_refused_or_bounded() {
    let deep = (0..200).fold(json!({"type": "string"}), |inner, _| with(inner));
    insta::assert_snapshot!(outcome(deep), @"the schema exceeds a limit: nested at most 64 levels");
    let loops = json!({"type": "object", "$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}});
    insta::assert_snapshot!(outcome(loops), @"`/$defs/a` refers back to itself for the same value");
    let twice = |number: usize| {
        let next = json!({"$ref": format!("#/$defs/{}", number + 1)});
        json!({"allOf": [next, next]})
    };
    let mut doubling: serde_json::Map<String, Json> =
        (0..40).map(|number| (number.to_string(), twice(number))).collect();
    doubling.insert("40".to_owned(), json!({"type": "string"}));
    insta::assert_snapshot!(outcome(json!({"type": "object", "$defs": doubling, "properties": {"a": {"$ref": "#/$defs/0"}}})), @"`/$defs/32` exceeds a limit: at most 64 schemas chained for one value");
    insta::assert_snapshot!(outcome(with(json!({"type": "string", "pattern": "^(a+)+$"}))), @"samples: true, true, random");
    insta::assert_snapshot!(outcome(with(json!({"type": "string", "pattern": "^(a|a)*\\1(?=b)$"}))), @"no text was found that matches the pattern at `/properties/a/pattern`");
    insta::assert_snapshot!(outcome(with(json!({"$ref": "https://example.com/schema"}))), @r#"`/properties/a/$ref` refers to "https://example.com/schema", which is outside this schema and is not fetched"#);
    insta::assert_snapshot!(outcome(with(json!({"type": "string", "maxLength": 1_000_000_000_000_u64}))), @"samples: true, true, random");
    let choices: Vec<Json> = (0..20).map(|number| json!({"const": number})).collect();
    let all: Vec<Json> = (0..8).map(|_| json!({"anyOf": choices})).collect();
    insta::assert_snapshot!(outcome(with(json!({"allOf": all}))), @"samples: true, true, random");
    let wide: serde_json::Map<String, Json> = (0..400)
        .map(|number| (format!("p{number}"), json!({"type": "string", "maxLength": 65_536})))
        .collect();
    let names: Vec<String> = wide.keys().cloned().collect();
    insta::assert_snapshot!(outcome(json!({"type": "object", "properties": wide, "required": names})), @"samples: true, true, random");
    let branches: Vec<Json> =
        (0..300).map(|number| with(json!({"const": number, "minimum": number}))).collect();
    insta::assert_snapshot!(outcome(json!({"type": "object", "anyOf": branches})), @"samples: true, true, random");
    insta::assert_snapshot!(outcome(with(json!({"type": "array", "uniqueItems": true, "minItems": 1000, "items": {"type": "integer"}}))), @"samples: true, true, random");
    insta::assert_snapshot!(outcome(with(json!({"type": "number", "minimum": 1e300, "multipleOf": 1e-300}))), @"samples: true, true, random");
    insta::assert_snapshot!(outcome(with(json!({"type": "array", "uniqueItems": true, "minItems": 3,
        "items": {"type": "string", "minLength": 65_536}}))), @"samples: true, true, random");
}

#[test]
fn schemas_that_refer_to_each_other_are_bounded() {
    let every = |count: usize, more: Json| {
        let member =
            |number: usize| (format!("m{number}"), json!({"$ref": format!("#/$defs/d{number}")}));
        let members: serde_json::Map<String, Json> = (0..count).map(member).collect();
        let mut definition = json!({"properties": members});
        if let (Some(definition), Some(more)) = (definition.as_object_mut(), more.as_object()) {
            definition.extend(more.clone());
        }
        let defs: serde_json::Map<String, Json> =
            (0..count).map(|it| (format!("d{it}"), definition.clone())).collect();
        json!({"$ref": "#/$defs/d0", "$defs": defs})
    };
    insta::assert_snapshot!(outcome(every(20, json!({}))), @"samples: true, false, random");
    insta::assert_snapshot!(outcome(every(20, json!({"type": "object", "default": {}}))), @"samples: true, true, random");
    insta::assert_snapshot!(outcome(every(12, json!({"type": "object", "required": ["m1", "m2"], "anyOf": [{"required": ["m3"]}, {}]}))), @"no value satisfies the schema");
    // Each member has the alternatives and the members of one large definition.
    let names: serde_json::Map<String, Json> =
        (0..600).map(|it| (format!("a member with number {it}"), json!({}))).collect();
    let branches: Vec<Json> =
        (0..300).map(|it| json!({"required": [format!("a member with number {it}")]})).collect();
    let required: Vec<&String> = names.keys().take(300).collect();
    let large =
        json!({"type": "object", "properties": names, "anyOf": branches, "required": required});
    let members: serde_json::Map<String, Json> =
        (0..300).map(|it| (format!("p{it}"), json!({"$ref": "#/$defs/large"}))).collect();
    insta::assert_snapshot!(outcome(json!({"type": "object", "properties": members, "$defs": {"large": large}})), @"samples: true, true, random");
    // Each step combines other definitions.
    let step = |number: usize| {
        let at = |step: usize| json!({"$ref": format!("#/$defs/{}", (number * 7 + step) % 24)});
        json!({"properties": {"x": at(1), "y": {"allOf": [at(3), at(5)]}}, "required": ["x", "y"]})
    };
    let steps: serde_json::Map<String, Json> =
        (0..24).map(|number| (number.to_string(), step(number))).collect();
    insta::assert_snapshot!(outcome(json!({"allOf": [{"$ref": "#/$defs/0"}, {"$ref": "#/$defs/1"}], "$defs": steps})), @"samples: true, true, random");
}
