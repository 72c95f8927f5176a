//! Hostile and impossible schemas: an error that names the place, or few samples, in either case soon.

use std::time::Duration;

use serde_json::json;

use super::*;
use crate::clock::Stopwatch;

/// The error of a schema, or how many samples it has; in less than a second.
fn outcome(schema: Json) -> String {
    let watch = Stopwatch::start();
    let outcome = match Generator::new(&schema.into(), &Limits::default()) {
        Err(error) => error.to_string(),
        Ok(generator) => {
            let (valid, invalid) = (generator.coverage(), generator.invalid());
            let bytes: usize = valid.iter().chain(&invalid).map(|sample| sample.value.to_string().len()).sum();
            assert!(bytes < 64 << 20, "{bytes} bytes");
            let random = generator.strategy().new_tree(&mut runner(1));
            let random = if random.is_ok() { "random" } else { "no random" };
            format!("samples: {}, {}, {random}", !valid.is_empty(), !invalid.is_empty())
        }
    };
    // Unoptimized and beside other tests, it may take some times as long as it would alone.
    let most = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 1 });
    assert!(watch.elapsed() < most, "{outcome} after {:?}", watch.elapsed());
    outcome
}

fn with(property: Json) -> Json {
    json!({"type": "object", "required": ["a"], "properties": {"a": property}})
}

#[test]
fn schemas_without_values_are_named() {
    insta::assert_snapshot!(outcome(json!(false)), @"");
    insta::assert_snapshot!(outcome(json!({"type": "string"})), @"");
    insta::assert_snapshot!(outcome(json!([])), @"");
    insta::assert_snapshot!(outcome(with(json!(false))), @"");
    insta::assert_snapshot!(outcome(with(json!({"type": "string", "minLength": 3, "maxLength": 2}))), @"");
    insta::assert_snapshot!(outcome(with(json!({"type": "integer", "minimum": 3, "maximum": 2}))), @"");
    insta::assert_snapshot!(outcome(with(json!({"type": "integer", "enum": ["a"]}))), @"");
    insta::assert_snapshot!(outcome(with(json!({"allOf": [{"type": "string"}, {"type": "integer"}]}))), @"");
    insta::assert_snapshot!(outcome(with(json!({"type": "string", "pattern": "^a$", "minLength": 2}))), @"");
    insta::assert_snapshot!(outcome(with(json!({"type": "array", "items": false, "minItems": 1}))), @"");
    insta::assert_snapshot!(outcome(with(json!({"not": {}}))), @"");
    let endless = json!({"$defs": {"n": {"type": "object", "required": ["n"], "properties": {"n": {"$ref": "#/$defs/n"}}}},
        "$ref": "#/$defs/n"});
    insta::assert_snapshot!(outcome(endless), @"");
}

#[test]
fn what_is_too_large_is_named() {
    insta::assert_snapshot!(outcome(with(json!({"type": "string", "minLength": 1_000_000_000}))), @"");
    insta::assert_snapshot!(outcome(with(json!({"type": "array", "minItems": 1_000_000_000}))), @"");
    insta::assert_snapshot!(outcome(with(json!({"type": "object", "minProperties": 1_000_000_000}))), @"");
    insta::assert_snapshot!(outcome(with(json!({"type": "string", "pattern": "^(a{60000}){60000}$"}))), @"");
    let level = |number: usize| {
        let next = json!({"$ref": format!("#/$defs/{}", number + 1)});
        json!({"type": "object", "required": ["l", "r"], "properties": {"l": next, "r": next}})
    };
    let mut doubling: serde_json::Map<String, Json> = (0..30).map(|number| (number.to_string(), level(number))).collect();
    doubling.insert("30".to_owned(), json!({"type": "string"}));
    insta::assert_snapshot!(outcome(json!({"$ref": "#/$defs/0", "$defs": doubling})), @"");
}

#[test]
fn hostile_schemas_are_refused_or_bounded() {
    let deep = (0..200).fold(json!({"type": "string"}), |inner, _| with(inner));
    insta::assert_snapshot!(outcome(deep), @"");
    let loops = json!({"type": "object", "$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}});
    insta::assert_snapshot!(outcome(loops), @"");
    let twice = |number: usize| {
        let next = json!({"$ref": format!("#/$defs/{}", number + 1)});
        json!({"allOf": [next, next]})
    };
    let mut doubling: serde_json::Map<String, Json> = (0..40).map(|number| (number.to_string(), twice(number))).collect();
    doubling.insert("40".to_owned(), json!({"type": "string"}));
    insta::assert_snapshot!(outcome(json!({"type": "object", "$defs": doubling, "properties": {"a": {"$ref": "#/$defs/0"}}})), @"");
    insta::assert_snapshot!(outcome(with(json!({"type": "string", "pattern": "^(a+)+$"}))), @"");
    insta::assert_snapshot!(outcome(with(json!({"type": "string", "pattern": "^(a|a)*\\1(?=b)$"}))), @"");
    insta::assert_snapshot!(outcome(with(json!({"$ref": "https://example.com/schema"}))), @"");
    insta::assert_snapshot!(outcome(with(json!({"type": "string", "maxLength": 1_000_000_000_000_u64}))), @"");
    let choices: Vec<Json> = (0..20).map(|number| json!({"const": number})).collect();
    let all: Vec<Json> = (0..8).map(|_| json!({"anyOf": choices})).collect();
    insta::assert_snapshot!(outcome(with(json!({"allOf": all}))), @"");
    let wide: serde_json::Map<String, Json> =
        (0..2000).map(|number| (format!("p{number}"), json!({"type": "string", "maxLength": 65_536}))).collect();
    let names: Vec<String> = wide.keys().cloned().collect();
    insta::assert_snapshot!(outcome(json!({"type": "object", "properties": wide, "required": names})), @"");
    let branches: Vec<Json> = (0..300).map(|number| with(json!({"const": number, "minimum": number}))).collect();
    insta::assert_snapshot!(outcome(json!({"type": "object", "anyOf": branches})), @"");
    insta::assert_snapshot!(outcome(with(json!({"type": "array", "uniqueItems": true, "minItems": 1000, "items": {"type": "integer"}}))), @"");
    insta::assert_snapshot!(outcome(with(json!({"type": "number", "minimum": 1e300, "multipleOf": 1e-300}))), @"");
}
