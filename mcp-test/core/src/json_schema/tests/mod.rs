//! Validation of values, and its limits for hostile schemas.

mod hostile;

use serde_json::json;

use super::*;
use crate::json::Value;

fn compiled(schema: serde_json::Value) -> Validator {
    Validator::compile(&schema.into(), &Limits::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn read(text: &str) -> Value {
    Value::parse(text.as_bytes()).unwrap().value
}

/// The mismatches of a value, in words; checks that they agree with `is_valid`.
fn mismatches(schema: serde_json::Value, text: &str) -> String {
    let (validator, value) = (compiled(schema), read(text));
    let mismatches = validator.mismatches(&value).unwrap();
    assert_eq!(validator.is_valid(&value), Ok(mismatches.is_empty()), "{text}");
    mismatches.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn numbers_are_compared_exactly() {
    let whole = compiled(json!({"type": "integer"}));
    for (text, valid) in [("1.0", true), ("1e2", true), ("9007199254740993", true), ("1.5", false)]
    {
        assert_eq!(whole.is_valid(&read(text)), Ok(valid), "{text}");
    }
    let exact = compiled(json!({"const": 9_007_199_254_740_993_u64}));
    assert_eq!(exact.is_valid(&read("9007199254740993.0")), Ok(true));
    assert_eq!(exact.is_valid(&read("9007199254740992")), Ok(false));
    let draft_4 =
        compiled(json!({"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"}));
    assert_eq!(draft_4.is_valid(&read("1.0")), Ok(false));
}

#[test]
fn the_last_duplicate_member_counts() {
    let schema = json!({"additionalProperties": {"type": "integer"}, "maxProperties": 1});
    assert_eq!(mismatches(schema.clone(), r#"{"a": "x", "a": 1}"#), "");
    assert_eq!(
        mismatches(schema, r#"{"a": 1, "a": "x"}"#),
        "expected /a is an integer\ngot \"x\", which is a string"
    );
}

#[test]
fn definitions_are_compiled_with_their_references() {
    let document = json!({"$defs": {
        "A": {"$ref": "#/$defs/B%25~1"},
        "B%/": {"type": "string", "format": "upper"},
        "C": {"$ref": "#/$defs/A"},
    }});
    let formats = Formats::none().with("upper", |text| text.chars().all(char::is_uppercase));
    let definitions = Definitions::read(document, formats).unwrap();
    assert_eq!(definitions.names().collect::<Vec<_>>(), ["A", "B%/", "C"]);
    for name in ["C", "B%/"] {
        let validator = definitions.validator(name).unwrap().unwrap();
        assert_eq!(validator.is_valid(&"UP".into()), Ok(true));
        assert_eq!(
            validator.mismatches(&"down".into()).unwrap()[0].to_string(),
            "expected the value is text of the format \"upper\"\ngot \"down\""
        );
    }
    assert!(definitions.validator("D").is_none());
}

#[test]
fn only_named_formats_are_asserted() {
    let schema = json!({"$schema": "http://json-schema.org/draft-07/schema#", "format": "ipv4"});
    assert_eq!(mismatches(schema.clone(), r#""x""#), "");
    let definitions =
        Definitions::read(json!({"$defs": {"A": schema}}), Formats::none().with("uri", |_| false));
    let definitions = definitions.unwrap();
    let validator = definitions.validator("A").unwrap().unwrap();
    assert_eq!(validator.is_valid(&"x".into()), Ok(true));
}

#[test]
fn mismatches_read_as_sentences() {
    let schema = json!({
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string"},
            "kind": {"enum": ["a", "b"]},
            "one": {"const": 1},
            "size": {"minimum": 1, "exclusiveMaximum": 9, "multipleOf": 2},
            "code": {"pattern": "^[a-z]+$", "maxLength": 3},
            "list": {"minItems": 2, "uniqueItems": true, "items": {"type": ["integer", "null"]}},
            "either": {"anyOf": [{"type": "string"}, {"type": "null"}, {"enum": [1, 2]}]},
            "shape": {"oneOf": [
                {"required": ["radius"], "properties": {"radius": {"type": "number"}}, "type": "object"},
                {"type": "string"},
            ]},
            "both": {"oneOf": [{"minimum": 1}, {"minimum": 2}]},
            "names": {"propertyNames": {"maxLength": 2}, "maxProperties": 1},
            "not": {"not": {"const": "x"}},
            "never": false,
        },
        "dependentRequired": {"one": ["two"]},
        "additionalProperties": false,
    });
    insta::assert_snapshot!(mismatches(schema, r#"{
        "kind": "c", "one": "1", "size": 9, "code": "A-1!", "list": [1, 1.0, "x"], "either": true,
        "shape": {"r": 1}, "both": 3, "names": {"abc": 1, "d": 2}, "not": "x", "never": 1, "more": []
    }"#), @r#"
    expected /two is present
    got nothing
    expected /kind is "a" or "b"
    got "c"
    expected /one is 1
    got "1", which is a string
    expected /size is less than 9
    got 9
    expected /size is a multiple of 2
    got 9
    expected /code is at most 3 characters long
    got "A-1!", which has 4 characters
    expected /code is text that matches `^[a-z]+$`
    got "A-1!"
    expected /list is an array without equal items
    got [1,1.0,"x"]
    expected /list/2 is null or an integer
    got "x", which is a string
    expected /either is a string, null, 1 or 2
    got true, which is a boolean
    expected /shape/radius is present
    got nothing
    expected /both is what exactly one of 2 schemas allows
    got 3, which more than one of them allows
    expected /names is an object of at most 1 member
    got {"abc":1,"d":2}, which has 2 members
    expected /names is an object whose member names are each at most 2 characters long
    got {"abc":1,"d":2}, which has a member named "abc"
    expected /not is not "x"
    got "x"
    expected /never is absent
    got 1
    expected /more is absent
    got []
    expected /name is present
    got nothing
    "#);
}

#[test]
fn invalid_schemas_are_refused_by_their_dialect() {
    let refused = |schema: serde_json::Value| {
        Validator::compile(&schema.into(), &Limits::default()).unwrap_err().to_string()
    };
    insta::assert_snapshot!(refused(json!({"properties": {"a": {"type": "strin"}}})), @r#"`/properties/a/type` is not valid JSON Schema 2020-12: expected "array", "boolean", "integer", "null", "number", "object", "string" or an array, got "strin""#);
    insta::assert_snapshot!(refused(json!({"required": "a"})), @r#"`/required` is not valid JSON Schema 2020-12: expected an array, got "a""#);
    insta::assert_snapshot!(refused(json!([])), @"the schema is not valid JSON Schema 2020-12: expected a boolean or an object, got []");
    insta::assert_snapshot!(refused(json!({"$schema": "http://json-schema.org/draft-04/schema#", "exclusiveMinimum": 1})), @"`/exclusiveMinimum` is not valid JSON Schema draft 4: expected a boolean, got 1");
    insta::assert_snapshot!(refused(json!({"$schema": "https://example.com/mine"})), @r#"`/$schema` is "https://example.com/mine", which is not a supported dialect: draft 4, 6, 7, 2019-09 or 2020-12"#);
    insta::assert_snapshot!(refused(json!({"$schema": 7})), @"`/$schema` is 7, which is not a supported dialect: draft 4, 6, 7, 2019-09 or 2020-12");
}

#[test]
fn each_dialect_is_respected() {
    let with = |dialect: &str, schema: serde_json::Value| {
        let mut schema = schema;
        schema["$schema"] = dialect.into();
        schema
    };
    let tuple = json!({"items": [{"type": "string"}]});
    for dialect in ["draft-04", "draft-06", "draft-07"] {
        let dialect = format!("http://json-schema.org/{dialect}/schema#");
        assert_eq!(
            compiled(with(&dialect, tuple.clone())).is_valid(&read("[1]")),
            Ok(false),
            "{dialect}"
        );
        // Keywords beside a reference are ignored.
        let beside = json!({"$ref": "#/definitions/a", "type": "string", "definitions": {"a": {}}});
        assert_eq!(compiled(with(&dialect, beside)).is_valid(&read("1")), Ok(true), "{dialect}");
    }
    let modern = "https://json-schema.org/draft/2019-09/schema";
    assert_eq!(compiled(with(modern, tuple)).is_valid(&read("[1]")), Ok(false));
    let tuple = json!({"prefixItems": [{"type": "string"}]});
    assert_eq!(compiled(with(modern, tuple.clone())).is_valid(&read("[1]")), Ok(true));
    assert_eq!(compiled(tuple).is_valid(&read("[1]")), Ok(false));
}
