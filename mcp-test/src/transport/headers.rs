//! The headers of an HTTP message as a trace has them: both ends list them alike.

use http::{HeaderMap, HeaderValue};

/// The lines in order; what is no UTF-8 in a value is replaced.
pub(super) fn listed(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect()
}
