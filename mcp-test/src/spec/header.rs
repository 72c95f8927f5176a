//! The HTTP headers of MCP, and the form in which 2026-07-28 carries values that a header cannot.
//!
//! [Specification](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata)

use super::SpecError;

/// Names the session; see [`Revision::has_sessions`](super::Revision::has_sessions).
pub const MCP_SESSION_ID: &str = "Mcp-Session-Id";
/// Names the revision; see [`Revision::sends_version_header`](super::Revision::sends_version_header).
pub const MCP_PROTOCOL_VERSION: &str = "MCP-Protocol-Version";
/// Mirrors the method; see [`Revision::mirrors_headers`](super::Revision::mirrors_headers).
pub const MCP_METHOD: &str = "Mcp-Method";
/// Mirrors the tool's or prompt's name, the resource's URI or the task's id; see [`Method::name_param`](super::Method).
pub const MCP_NAME: &str = "Mcp-Name";
/// Starts the name of a header that mirrors a tool's argument.
pub const MCP_PARAM_PREFIX: &str = "Mcp-Param-";
/// Asks for the events after this one; see [`Revision::has_resumability`](super::Revision::has_resumability).
pub const LAST_EVENT_ID: &str = "Last-Event-ID";
/// The member of a parameter's schema that asks for the parameter to be mirrored.
pub const X_MCP_HEADER: &str = "x-mcp-header";

const OPEN: &str = "=?base64?";
const CLOSE: &str = "?=";

/// The form of `value` that a header can carry: itself where that is safe, marked Base64 elsewhere.
///
/// ```
/// use mcp_test::spec::header;
///
/// assert_eq!(header::encode_value("us-west1"), "us-west1");
/// assert_eq!(header::encode_value(" padded "), "=?base64?IHBhZGRlZCA=?=");
/// ```
pub fn encode_value(value: &str) -> String {
    let visible = |byte: u8| matches!(byte, b'\t' | b' '..=b'~');
    let padded = value.starts_with([' ', '\t']) || value.ends_with([' ', '\t']);
    if value.bytes().all(visible) && !padded && marked(value).is_none() {
        value.to_owned()
    } else {
        encode_base64(value)
    }
}

/// The marked Base64 form of `value`, which may also stand for a value that needs none.
///
/// ```
/// use mcp_test::spec::header;
///
/// assert_eq!(header::encode_base64("add"), "=?base64?YWRk?=");
/// assert_eq!(header::decode_value("=?base64?YWRk?="), Ok("add".to_owned()));
/// ```
pub fn encode_base64(value: &str) -> String {
    format!("{OPEN}{}{CLOSE}", to_base64(value.as_bytes()))
}

/// The value that a header carries.
///
/// # Errors
///
/// When the value is marked as Base64 and is not Base64 of UTF-8 text.
pub fn decode_value(value: &str) -> Result<String, SpecError> {
    let Some(encoded) = marked(value) else {
        return Ok(value.to_owned());
    };
    from_base64(encoded)
        .and_then(|bytes| String::from_utf8(bytes).map_err(|_| "the bytes are not UTF-8"))
        .map_err(|reason| SpecError::HeaderValue { value: value.to_owned(), reason })
}

fn marked(value: &str) -> Option<&str> {
    value.strip_prefix(OPEN)?.strip_suffix(CLOSE)
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(crate) fn to_base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |bits, index| {
            bits << 8 | u32::from(group.get(index).copied().unwrap_or(0))
        });
        for index in 0..4 {
            let sextet = (bits >> (18 - 6 * index)) as usize & 63;
            text.push(if index <= group.len() { char::from(ALPHABET[sextet]) } else { '=' });
        }
    }
    text
}

fn from_base64(text: &str) -> Result<Vec<u8>, &'static str> {
    if !text.len().is_multiple_of(4) {
        return Err("its length is not a multiple of 4");
    }
    let digits = text.strip_suffix("==").or_else(|| text.strip_suffix('='));
    let digits = digits.unwrap_or(text);
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for group in digits.as_bytes().chunks(4) {
        let mut bits = 0u32;
        for digit in group {
            let sextet = ALPHABET.iter().position(|known| known == digit);
            let sextet = sextet.ok_or("it has a character outside of the alphabet")?;
            bits = bits << 6 | sextet as u32;
        }
        bits <<= 6 * (4 - group.len());
        let [_, decoded @ ..] = bits.to_be_bytes();
        bytes.extend_from_slice(&decoded[..group.len() - 1]);
        if decoded[group.len() - 1..].iter().any(|rest| *rest != 0) {
            return Err("its last character has bits that belong to no byte");
        }
    }
    Ok(bytes)
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
        insta::assert_snapshot!(reason("=?base64?eA=?="), @"the header value `=?base64?eA=?=` is not valid in the Base64 form: its length is not a multiple of 4");
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
