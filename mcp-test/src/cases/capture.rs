//! Keeping values of the messages that really came, for later messages.

use super::{CaseMessage, Values};
use crate::check::Finding;
use crate::expect::words;
use crate::json::Value;

/// Keeps what a message of the case asks to keep of `got`, the message that really came in its place.
///
/// What is there is kept, even if something else is missing.
///
/// # Errors
/// A finding against the peer that says the first place with nothing in it.
pub fn capture(message: &CaseMessage, got: &Value, values: &mut Values) -> Result<(), Finding> {
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
    let headline =
        format!("there is nothing to capture as `{}` from `{}`", capture.name, message.key);
    Err(Finding::peer(headline)
        .expected(format!("a value at `{}`", capture.pointer))
        .got(values.secrets().short(nearest, words::SHOWN)))
}

/// The deepest value on the way to a place.
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
