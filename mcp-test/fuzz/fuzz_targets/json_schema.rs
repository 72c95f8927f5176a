//! JSON Schema: no schema and no value breaks the house, and judging a value says the same with words and without.
//!
//! The first line is the schema, the rest is the value.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_test::json::Value;
use mcp_test::json_schema::{Limits, Unfinished, Validator};

fuzz_target!(|bytes: &[u8]| {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (schema, value) = bytes.split_at(end);
    let (Ok(schema), Ok(value)) = (Value::parse(schema), Value::parse(value)) else { return };
    let (schema, value) = (schema.value, value.value);
    let mut limits = Limits::default();
    limits.steps = 100_000;
    let validator = match Validator::compile(&schema, &limits) {
        Ok(validator) => validator,
        Err(error) => {
            // What stands at its place, or is missing there.
            let around = error.pointer().split_last().map(|(around, _)| around).unwrap_or_default();
            assert!(schema.at(around.as_str()).is_some(), "there is no such place: {error}");
            assert!(!error.to_string().contains("broke down"), "{error}");
            return;
        }
    };
    let valid = validator.is_valid(&value);
    assert_ne!(valid, Err(Unfinished::Broken));
    let told = validator.mismatches(&value).map(|mismatches| mismatches.is_empty());
    assert_eq!(valid, told);
});
