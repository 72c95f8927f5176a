//! JSON: what is read prints and reads back as the same, and serde_json takes the same texts.
//!
//! serde_json reads a lone surrogate as an error and a number beyond the range of doubles too, both of which RFC 8259 allows;
//! depth is left to either.

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
                again.unwrap_or_else(|error| panic!("{printed} does not read back: {error}"));
            assert_eq!(again.value, document.value);
            assert_eq!(again.value.to_string(), printed, "printing is not stable");
            assert!(Value::parse(document.value.pretty().as_bytes()).is_ok());
            assert!(theirs.is_ok() || is_beyond_serde(&document.notes, text), "only we read this");
        }
        Err(error) => {
            assert!(theirs.is_err() || error.is_too_deep(), "only serde_json reads this: {error}")
        }
    }
});

/// Whether the text holds something that is legal and that serde_json does not take.
fn is_beyond_serde(notes: &[mcp_test::json::Note], text: &[u8]) -> bool {
    use mcp_test::json::NoteKind::{LoneSurrogate, NumberOutOfRange};

    let odd = |note: &mcp_test::json::Note| {
        matches!(note.kind, LoneSurrogate { .. } | NumberOutOfRange { .. })
    };
    notes.iter().any(odd)
        || notes.len() >= mcp_test::json::Document::NOTE_LIMIT
        || text.len() > 100_000
}
