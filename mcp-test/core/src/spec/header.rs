//! The HTTP headers of MCP, and the Base64 encoding for values that are not safe in a header.
//!
//! [Specification](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata)

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::SpecError;

/// Identifies the session; see [`Revision::has_sessions`](super::Revision::has_sessions).
pub const MCP_SESSION_ID: &str = "Mcp-Session-Id";
/// Names the revision; see [`Revision::sends_version_header`](super::Revision::sends_version_header).
pub const MCP_PROTOCOL_VERSION: &str = "MCP-Protocol-Version";
/// Mirrors the method; see [`Revision::mirrors_headers`](super::Revision::mirrors_headers).
pub const MCP_METHOD: &str = "Mcp-Method";
/// Mirrors the tool's or prompt's name, the resource's URI or the task's id; see [`Method::name_param`](super::Method).
pub const MCP_NAME: &str = "Mcp-Name";
/// The prefix of headers that mirror arguments of a tool.
pub const MCP_PARAM_PREFIX: &str = "Mcp-Param-";
/// Requests the events after this one; see [`Revision::has_resumability`](super::Revision::has_resumability).
pub const LAST_EVENT_ID: &str = "Last-Event-ID";
/// The keyword in a parameter's schema that requests the parameter to be mirrored.
pub const X_MCP_HEADER: &str = "x-mcp-header";

const OPEN: &str = "=?base64?";
const CLOSE: &str = "?=";

/// Encodes `value` for a header: unchanged where that is safe, otherwise as marked Base64.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::spec::header;
///
/// assert_eq!(header::encode_value("us-west1"), "us-west1");
/// assert_eq!(header::encode_value(" padded "), "=?base64?IHBhZGRlZCA=?=");
/// ```
pub fn encode_value(value: &str) -> String {
    let visible = |byte: u8| matches!(byte, b'\t' | b' '..=b'~');
    // HTTP strips whitespace around a field value: RFC 9110, section 5.5.
    let padded = value.starts_with([' ', '\t']) || value.ends_with([' ', '\t']);
    // A value that looks like marked Base64 is encoded, because the receiver would decode it.
    if value.bytes().all(visible) && !padded && marked(value).is_none() {
        value.to_owned()
    } else {
        encode_base64(value)
    }
}

/// Encodes `value` as marked Base64, even where that is not necessary.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::spec::header;
///
/// assert_eq!(header::encode_base64("add"), "=?base64?YWRk?=");
/// assert_eq!(header::decode_value("=?base64?YWRk?="), Ok("add".to_owned()));
/// ```
pub fn encode_base64(value: &str) -> String {
    // The standard alphabet, padded, as in the examples of the specification.
    format!("{OPEN}{}{CLOSE}", STANDARD.encode(value))
}

/// Decodes the value of a header.
///
/// # Errors
///
/// When the value is marked as Base64 and is not Base64 of UTF-8 text.
pub fn decode_value(value: &str) -> Result<String, SpecError> {
    // A marker in another case is part of the value: `value-encoding` defines it in lower case.
    let Some(encoded) = marked(value) else {
        return Ok(value.to_owned());
    };
    let invalid = |reason| SpecError::HeaderValue { value: value.to_owned(), reason };
    let bytes = STANDARD.decode(encoded).map_err(|error| invalid(error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| invalid("the bytes are not UTF-8".to_owned()))
}

fn marked(value: &str) -> Option<&str> {
    value.strip_prefix(OPEN)?.strip_suffix(CLOSE)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_examples_of_the_specification_hold() {
        for (value, header) in [
            ("us-west1", "us-west1"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ] {
            assert_eq!(encode_value(value), header);
            assert_eq!(decode_value(header).as_deref(), Ok(value));
        }
    }

    #[test]
    fn what_only_resembles_the_markers_is_taken_as_it_is() {
        for value in ["", "=?base64?", "=?BASE64?eA==?=", "x=?base64?eA==?=", "a\tb"] {
            assert_eq!(encode_value(value), value);
            assert_eq!(decode_value(value).as_deref(), Ok(value));
        }
    }

    #[test]
    fn bad_base64_is_named() {
        let reason = |value: &str| decode_value(value).unwrap_err().to_string();
        insta::assert_snapshot!(reason("=?base64?eA=?="), @"the header value `=?base64?eA=?=` is marked as Base64 but is not valid: Invalid padding");
        for value in [
            "=?base64?e===?=",
            "=?base64?====?=",
            "=?base64?e!==?=",
            "=?base64?eB==?=",
            "=?base64?=eA=?=",
            "=?base64?/w==?=",
            "=?base64?e-_=?=",
        ] {
            assert!(decode_value(value).is_err(), "{value}");
        }
    }

    proptest! {
        #[test]
        fn any_text_survives_and_its_header_is_safe(value in ".*") {
            let header = encode_value(&value);
            prop_assert!(header.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte)));
            prop_assert_eq!(header.trim(), &header);
            prop_assert_eq!(decode_value(&header), Ok(value));
        }
    }
}
