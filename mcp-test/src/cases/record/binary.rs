//! Images and audio: a recorded case keeps the beginning of such data, enough to recognize it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mcp_test_core::json::{Pointer, Value};

use crate::cases::Matcher;

/// Longer data is truncated.
const LONG: usize = 1024;
/// The length that is kept: whole groups of four characters, so that the rest is still Base64.
const KEPT: usize = 64;

/// The beginning of long Base64 data, the matcher for the whole, and its length; `None` for any other value.
pub(super) fn truncated(pointer: &Pointer, value: &Value) -> Option<(Value, Matcher, usize)> {
    let (_, name) = pointer.split_last()?;
    let text = value.as_str()?;
    let is_long = matches!(name.as_str(), "data" | "blob") && text.len() > LONG;
    if !is_long || STANDARD.decode(text).is_err() {
        return None;
    }
    // Only the beginning has to match: an expression for all of it would be as long as the data.
    let beginning = text.get(..KEPT)?;
    let matcher = Matcher::Regex(format!("^{}", regex::escape(beginning)));
    Some((beginning.into(), matcher, text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_base64_is_truncated() {
        let place = Pointer::root().member("data");
        let long = "QUJD".repeat(500);
        let (left, matcher, was) = truncated(&place, &long.as_str().into()).expect("it is long");
        assert_eq!((left, was), (Value::from("QUJD".repeat(16)), 2000));
        assert_eq!(matcher, Matcher::Regex(format!("^{}", "QUJD".repeat(16))));
        assert!(truncated(&place, &"QUJD".into()).is_none());
        assert!(truncated(&place, &format!("{long}!").into()).is_none());
        assert!(truncated(&Pointer::root().member("text"), &long.into()).is_none());
    }
}
