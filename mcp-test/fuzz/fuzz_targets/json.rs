//! JSON: values round-trip through their text, and serde_json accepts the same texts.
//!
//! Exceptions: serde_json rejects lone surrogates and numbers beyond the range of `f64`, which RFC 8259 allows, and its depth
//! limit differs.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_test::json::Value;

fuzz_target!(|text: &[u8]| {
    let theirs = serde_json::from_slice::<serde_json::Value>(text);
    match Value::parse(text) {
        Ok(document) => {
            let printed = document.value.to_string();
            let again = Value::parse(printed.as_bytes());
            let again =
                again.unwrap_or_else(|error| panic!("{printed} cannot be parsed again: {error}"));
            assert_eq!(again.value, document.value);
            assert_eq!(again.value.to_string(), printed, "printing is not stable");
            assert!(Value::parse(document.value.pretty().as_bytes()).is_ok());
            assert!(theirs.is_ok() || serde_rejects(&document.notes, text), "only we accept this");
        }
        Err(error) => {
            assert!(
                theirs.is_err() || error.is_over_limit(),
                "only serde_json accepts this: {error}"
            )
        }
    }
});

/// Whether the text may contain something valid that serde_json rejects.
fn serde_rejects(notes: &[mcp_test::json::Note], text: &[u8]) -> bool {
    use mcp_test::json::NoteKind::{LoneSurrogate, NumberOutOfRange};

    let odd = |note: &mcp_test::json::Note| {
        matches!(note.kind, LoneSurrogate { .. } | NumberOutOfRange { .. })
    };
    notes.iter().any(odd)
        || notes.len() >= mcp_test::json::Document::NOTE_LIMIT
        || text.len() > 100_000
}
