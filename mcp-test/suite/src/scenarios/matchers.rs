//! Matchers and checks that several scenarios share.

use std::collections::HashSet;

use mcp_test_core::expect::{Matcher, Mismatch, anything, object};
use mcp_test_core::json::{Pointer, Value};

/// Matches a result whose first content item of type `text` has a text that `matcher` accepts.
pub(super) fn first_text<M: Matcher>(matcher: M) -> impl Matcher {
    FirstText(matcher)
}

struct FirstText<M>(M);

impl<M: Matcher> Matcher for FirstText<M> {
    fn describe(&self) -> String {
        format!("a result whose first text item is {}", self.0.describe())
    }

    fn check(&self, got: &Value) -> Result<(), Mismatch> {
        let items = got.get("content").and_then(Value::as_array).unwrap_or_default();
        let is_text = |item: &&Value| item.get("type").and_then(Value::as_str) == Some("text");
        let text = items.iter().find(is_text).and_then(|item| item.get("text"));
        match text {
            // At `content`: the reader looks for the first text item, not for its index.
            Some(text) => self.0.check(text).map_err(|mismatch| Mismatch {
                pointer: Pointer::root().member("content"),
                expected: self.describe(),
                ..mismatch
            }),
            None => Err(Mismatch {
                pointer: Pointer::root().member("content"),
                expected: self.describe(),
                got: got.get("content").map_or("no `content`".to_owned(), |it| it.short(120)),
                which: Some("has no text item".to_owned()),
            }),
        }
    }
}

/// Matches a result that says how long and by whom it may be cached.
pub(super) fn caching_hints() -> impl Matcher {
    object().member("ttlMs", anything()).member("cacheScope", anything())
}

/// The first value that occurs twice.
pub(super) fn repeated<'a>(values: &[&'a str]) -> Option<&'a str> {
    let mut seen = HashSet::new();
    values.iter().copied().find(|value| !seen.insert(*value))
}

/// Matches a string with a URI scheme and no characters that are invalid in URIs.
pub(super) fn uri() -> impl Matcher {
    Uri
}

struct Uri;

impl Matcher for Uri {
    fn describe(&self) -> String {
        "a URI with a scheme".to_owned()
    }

    fn check(&self, got: &Value) -> Result<(), Mismatch> {
        let which = match got.as_str() {
            None => format!("is {}", got.kind()),
            Some(text) => match text.split_once(':') {
                Some((scheme, _)) if is_scheme(scheme) && text.chars().all(is_uri_char) => {
                    return Ok(());
                }
                Some((scheme, _)) if is_scheme(scheme) => {
                    "contains a character that is not allowed in URIs".to_owned()
                }
                _ => "has no scheme".to_owned(),
            },
        };
        Err(Mismatch {
            pointer: Pointer::root(),
            expected: self.describe(),
            got: got.short(120),
            which: Some(which),
        })
    }
}

/// RFC 3986, section 3.1.
pub(super) fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// RFC 3986, section 2: reserved, unreserved, and the percent sign.
fn is_uri_char(c: char) -> bool {
    c.is_ascii_graphic() && !matches!(c, '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}')
}

#[cfg(test)]
mod tests {
    use mcp_test_core::expect::non_empty_string;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_text_item_is_matched() {
        let matcher = first_text(non_empty_string());
        let image = json!({"type": "image"});
        let text = |text: &str| json!({"type": "text", "text": text});
        let accepts = |content| matcher.check(&json!({ "content": content }).into()).is_ok();
        assert!(accepts(json!([image, text("a"), text("")])));
        assert!(!accepts(json!([text(""), text("a")])));
        assert!(!accepts(json!([image])));
        assert!(matcher.check(&json!({}).into()).is_err());
    }

    #[test]
    fn a_uri_has_a_scheme_and_no_spaces() {
        let accepts = |text: &str| uri().check(&text.into()).is_ok();
        for good in ["file:///a", "test://static-text", "a+b.c-1:x", "urn:x:%20"] {
            assert!(accepts(good), "{good}");
        }
        for bad in ["static-text", "1a:b", ":b", "file:///a b", "file:///ä", ""] {
            assert!(!accepts(bad), "{bad}");
        }
        assert!(uri().check(&7.into()).is_err());
    }

    #[test]
    fn a_repeated_value_is_found() {
        assert_eq!(repeated(&["a", "b", "a"]), Some("a"));
        assert_eq!(repeated(&["a", "b"]), None);
    }
}
