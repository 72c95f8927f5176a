//! What schemas say of values, and that no schema brings the house down.

use serde_json::json;

use super::*;
use crate::json::Value;

fn compiled(schema: serde_json::Value) -> Validator {
    Validator::compile(&schema.into(), &Limits::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn read(text: &str) -> Value {
    Value::parse(text.as_bytes()).unwrap().value
}

/// The mismatches of a value that is not valid, in words.
fn told(schema: serde_json::Value, text: &str) -> String {
    let (validator, value) = (compiled(schema), read(text));
    let mismatches = validator.mismatches(&value).unwrap();
    assert_eq!(validator.is_valid(&value), Ok(mismatches.is_empty()), "{text}");
    mismatches.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn numbers_are_compared_as_they_were_spelled() {
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
fn of_members_with_one_name_the_last_counts() {
    let schema = json!({"additionalProperties": {"type": "integer"}, "maxProperties": 1});
    assert_eq!(told(schema.clone(), r#"{"a": "x", "a": 1}"#), "");
    assert_eq!(
        told(schema, r#"{"a": 1, "a": "x"}"#),
        "expected /a is an integer\ngot \"x\", which is a string"
    );
}

#[test]
fn definitions_are_compiled_with_what_they_refer_to() {
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
fn formats_are_annotations_unless_they_are_named() {
    let schema = json!({"$schema": "http://json-schema.org/draft-07/schema#", "format": "ipv4"});
    assert_eq!(told(schema.clone(), r#""x""#), "");
    let definitions =
        Definitions::read(json!({"$defs": {"A": schema}}), Formats::none().with("uri", |_| false));
    let definitions = definitions.unwrap();
    let validator = definitions.validator("A").unwrap().unwrap();
    assert_eq!(validator.is_valid(&"x".into()), Ok(true));
}
