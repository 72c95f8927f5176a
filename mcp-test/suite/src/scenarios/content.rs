//! Matchers for the content of results: that of tools, of prompts and of resources.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mcp_test_core::expect::{Matcher, first, object, satisfying, some_item};
use mcp_test_core::json::Value;

/// Matches a result of `tools/call` with an item of `content` that `item` accepts.
pub(super) fn content_with(item: impl Matcher + 'static) -> impl Matcher {
    object().member("content", some_item(item))
}

/// Matches a result of `prompts/get` with a message whose content `content` accepts.
pub(super) fn message_with(content: impl Matcher + 'static) -> impl Matcher {
    object().member("messages", some_item(object().member("content", content)))
}

/// Matches a result of `resources/read` whose first item `entry` accepts.
pub(super) fn first_contents(entry: impl Matcher + 'static) -> impl Matcher {
    object().member("contents", first(entry))
}

/// Matches a PNG image in Base64.
pub(super) fn png() -> impl Matcher {
    // PNG specification, section 5.2.
    base64_of("a PNG image in Base64", |bytes| bytes.starts_with(b"\x89PNG\r\n\x1a\n"))
}

/// Matches a WAV file in Base64.
pub(super) fn wav() -> impl Matcher {
    // A RIFF file of the form WAVE: the four bytes between are its size.
    base64_of("a WAV file in Base64", |bytes| {
        bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WAVE")
    })
}

fn base64_of(description: &str, is_one: fn(&[u8]) -> bool) -> impl Matcher {
    satisfying(description, move |value: &Value| {
        let bytes = value.as_str().and_then(|text| STANDARD.decode(text).ok());
        bytes.is_some_and(|bytes| is_one(&bytes))
    })
}
