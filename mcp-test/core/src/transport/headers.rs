//! The headers of an HTTP message as both ends record them.

use http::{HeaderMap, HeaderValue};

/// The headers in order; invalid UTF-8 in values is replaced.
pub(super) fn listed(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect()
}
