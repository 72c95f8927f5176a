//! Reading valid and invalid files of cases.

mod bad;
mod format;
mod good;
mod hostile;
#[cfg(feature = "schema")]
mod schema;

use crate::cases::{Cases, Diagnostic, ReadError, ReadOptions};

/// Reads a valid text; returns its cases with warnings and notes.
fn read(text: &str) -> (Cases, Vec<Diagnostic>) {
    match Cases::parse("a.yaml", text, &ReadOptions::default()) {
        Ok(read) => read,
        Err(error) => panic!("{error}"),
    }
}

/// Reads an invalid text; returns the rendered diagnostics.
fn read_error(text: &str) -> String {
    match Cases::parse("a.yaml", text, &ReadOptions::default()) {
        Err(ReadError::Diagnostics(diagnostics)) => {
            assert!(!diagnostics.is_empty());
            ReadError::Diagnostics(diagnostics).to_string()
        }
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("expected an error: {text}"),
    }
}
