//! JSON Schema: no schema and no value causes a panic, and a value is valid exactly if it has no mismatches.
//!
//! The first line is the schema, the rest is the value.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_test::json::Value;
use mcp_test_core::json_schema::{Aborted, Limits, Validator};

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
            // The location of an error exists, or is a missing member of an existing object.
            let around = error.pointer().split_last().map(|(around, _)| around).unwrap_or_default();
            assert!(schema.at(around.as_str()).is_some(), "no such location: {error}");
            assert!(!error.to_string().contains("panicked"), "{error}");
            return;
        }
    };
    let valid = validator.is_valid(&value);
    assert_ne!(valid, Err(Aborted::Panicked));
    let has_none = validator.mismatches(&value).map(|mismatches| mismatches.is_empty());
    assert_eq!(valid, has_none);
});
