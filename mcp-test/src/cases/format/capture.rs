//! Captures values from received messages for later ones.

use mcp_test_core::check::Finding;
use mcp_test_core::expect::words;
use mcp_test_core::json::Value;

use super::message::CaseMessage;
use super::values::Values;

/// Captures the values that a message of the case declares from `got`, the message received in its place.
///
/// Existing values are captured even if others are missing.
///
/// # Errors
///
/// A finding against the peer that names the first missing value.
pub fn capture(message: &CaseMessage, got: &Value, values: &mut Values) -> Result<(), Finding> {
    // Later messages may need only some of the values.
    let mut missing = None;
    for capture in &message.captures {
        match got.at(capture.pointer.as_str()) {
            Some(value) => values.set(&capture.name, value.clone()),
            None => missing = missing.or(Some(capture)),
        }
    }
    let Some(capture) = missing else {
        return Ok(());
    };
    let nearest = nearest(got, capture.pointer.as_str());
    let headline = format!("no value to capture as `{}` from `{}`", capture.name, message.key);
    Err(Finding::peer(headline)
        .expected(format!("a value at `{}`", capture.pointer))
        .got(values.secrets().short(nearest, words::SHOWN)))
}

/// The deepest existing value on the way to a pointer.
fn nearest<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    let mut end = pointer.len();
    loop {
        match (value.at(&pointer[..end]), pointer[..end].rfind('/')) {
            (Some(found), _) => return found,
            (None, Some(shorter)) => end = shorter,
            (None, None) => return value,
        }
    }
}
