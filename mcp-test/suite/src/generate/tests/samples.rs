//! All samples of typical schemas, for people to read; and details of single keywords.

use jsonschema::PatternOptions;
use serde_json::json;

use super::*;
use crate::generate::formats::FORMATS;

fn all(schema: &Json) -> String {
    let generator = generator(schema);
    [
        ("stated", generator.stated()),
        ("coverage", generator.coverage()),
        ("invalid", generator.invalid()),
    ]
    .map(|(name, samples)| format!("# {name}\n\n{}\n", lines(&samples)))
    .concat()
}

#[test]
fn samples_of_a_search() {
    insta::assert_snapshot!(all(&json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1, "description": "What to look for"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
            "sort": {"type": "string", "enum": ["date", "name"]},
        },
        "required": ["query"],
        "additionalProperties": false,
    })));
}

#[test]
fn samples_of_a_pydantic_model() {
    insta::assert_snapshot!(all(&json!({
        "$defs": {"Line": {"type": "object", "required": ["sku"], "title": "Line", "properties": {
            "sku": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{3}$"}, "amount": {"type": "integer", "exclusiveMinimum": 0, "default": 1}}}},
        "type": "object",
        "title": "orderArguments",
        "properties": {
            "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}, "minItems": 1, "maxItems": 2},
            "note": {"anyOf": [{"type": "string", "maxLength": 8}, {"type": "null"}], "default": null},
        },
        "required": ["lines"],
    })));
}

#[test]
fn samples_of_a_tool_with_mirrored_arguments() {
    insta::assert_snapshot!(all(&json!({
        "type": "object",
        "properties": {
            "shard": {"type": "integer", "x-mcp-header": "Shard"},
            "until": {"type": "string", "format": "date"},
        },
        "required": ["shard"],
        "examples": [{"shard": 3, "until": "2026-07-28"}, {"shard": "invalid"}],
    })));
}

#[test]
fn texts_have_their_format_or_not() {
    for format in FORMATS.iter().filter(|format| !["url", "byte"].contains(&format.name)) {
        let options = jsonschema::options().offline().should_validate_formats(true);
        let options = options.with_pattern_options(PatternOptions::fancy_regex());
        let validator = options.build(&json!({"format": format.name})).expect("a schema");
        let wrong = format
            .valid
            .iter()
            .filter(|text| !validator.is_valid(&json!(text)))
            .collect::<Vec<_>>();
        assert!(wrong.is_empty(), "not {}: {wrong:?}", format.name);
        let wrong = format
            .invalid
            .iter()
            .filter(|text| validator.is_valid(&json!(text)))
            .collect::<Vec<_>>();
        assert!(wrong.is_empty(), "{}: {wrong:?}", format.name);
    }
}

#[test]
fn mirrored_integers_are_those_that_clients_may_send() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "integer", "x-mcp-header": "A"}, "b": {"type": "integer", "maximum": 9_007_199_254_740_991_i64}}});
    let generator = generator(&schema);
    let samples = || generator.coverage().into_iter().chain(generator.invalid());
    let largest =
        |name: &'static str| samples().filter_map(move |sample| sample.value[name].as_i64()).max();
    assert_eq!(largest("a"), Some(9_007_199_254_740_991));
    // Invalid, since the bound is one below it; `b` is not mirrored.
    assert_eq!(largest("b"), Some(9_007_199_254_740_992));
}
