//! Images and sounds: so much of them stands in a case as tells that it is the same one.

use super::super::Matcher;
use crate::json::{Pointer, Value};

/// What is longer is cut.
const LONG: usize = 1024;
/// So much is left of it: whole groups of four characters, so that it is base64 still.
const LEFT: usize = 64;

/// What stands in the case in place of a long text in base64, what is asked of it, and how long it was.
pub(super) fn shortened(pointer: &Pointer, value: &Value) -> Option<(Value, Matcher, usize)> {
    let (_, name) = pointer.split_last()?;
    let text = value.as_str()?;
    if !matches!(name.as_str(), "data" | "blob") || text.len() <= LONG || !is_base64(text) {
        return None;
    }
    let beginning = text.get(..LEFT)?;
    let matcher = Matcher::Regex(format!("^{}", regex::escape(beginning)));
    Some((beginning.into(), matcher, text.len()))
}

fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let alphabet = |byte: u8| byte.is_ascii_alphanumeric() || b"+/".contains(&byte);
    text.len().is_multiple_of(4) && text.len() - digits.len() <= 2 && digits.bytes().all(alphabet)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_long_and_base64_is_cut() {
        let place = Pointer::root().member("data");
        let long = "QUJD".repeat(500);
        let (left, matcher, was) = shortened(&place, &long.as_str().into()).expect("it is long");
        assert_eq!((left, was), (Value::from("QUJD".repeat(16)), 2000));
        assert_eq!(matcher, Matcher::Regex(format!("^{}", "QUJD".repeat(16))));
        assert!(shortened(&place, &"QUJD".into()).is_none());
        assert!(shortened(&place, &format!("{long}!").into()).is_none());
        assert!(shortened(&Pointer::root().member("text"), &long.into()).is_none());
    }
}
