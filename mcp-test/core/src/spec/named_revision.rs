//! The revision that a message or an HTTP request names: in `initialize` and its result, in `_meta`, in a header.
//!
//! Which revision applies where none is named depends on the caller, and is not decided here.

use super::{Revision, header, meta};
use crate::json::Value;
use crate::wire::Message;

/// What a message or header says about its revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedRevision {
    /// It names a revision of MCP.
    Known(Revision),
    /// It names something that is not a revision of MCP.
    Unknown,
    /// It names no revision.
    Absent,
}

impl NamedRevision {
    /// The revision, if it is a known one.
    #[doc(hidden)]
    pub fn known(self) -> Option<Revision> {
        match self {
            Self::Known(revision) => Some(revision),
            Self::Unknown | Self::Absent => None,
        }
    }

    fn read(name: &str) -> Self {
        name.parse().map_or(Self::Unknown, Self::Known)
    }

    /// Reads a member; a value other than a string names no revision.
    fn member(value: Option<&Value>) -> Self {
        value.and_then(Value::as_str).map_or(Self::Absent, Self::read)
    }
}

/// The revision in which an `initialize` request is written; `None` for any other message.
///
/// A request that proposes no version, an unknown one, or one without a handshake is read as the newest revision with a
/// handshake: refusing the proposal is up to the server.
pub fn proposed(message: &Message) -> Option<Revision> {
    let Message::Request(request) = message else { return None };
    if request.method != "initialize" {
        return None;
    }
    let version = request.params.as_ref().and_then(|params| params.get("protocolVersion"));
    let known = NamedRevision::member(version).known().unwrap_or(Revision::NEWEST_HANDSHAKE);
    // Newer revisions do not define `initialize`, so it cannot be validated by them.
    Some(known.min(Revision::NEWEST_HANDSHAKE))
}

/// The revision that the result of `initialize` selects.
///
/// A handshake cannot select a revision without one: such a result is read as the newest revision with a handshake.
pub fn negotiated(result: &Value) -> NamedRevision {
    match NamedRevision::member(result.get("protocolVersion")) {
        NamedRevision::Known(revision) => {
            NamedRevision::Known(revision.min(Revision::NEWEST_HANDSHAKE))
        }
        other => other,
    }
}

/// The revision that a request or a notification names in its `_meta`.
pub fn in_meta(message: &Message) -> NamedRevision {
    let meta = message.params().and_then(|params| params.get("_meta"));
    NamedRevision::member(meta.and_then(|meta| meta.get(meta::PROTOCOL_VERSION)))
}

/// The revision that the value of an `MCP-Protocol-Version` header names.
pub fn in_header(value: &str) -> NamedRevision {
    // RFC 9110, section 5.5: whitespace around a field value is not part of it.
    NamedRevision::read(value.trim())
}

/// The revision that the headers of an HTTP request name.
pub fn in_headers(headers: &[(String, String)]) -> NamedRevision {
    let is_it = |name: &str| name.eq_ignore_ascii_case(header::MCP_PROTOCOL_VERSION);
    let value = headers.iter().find(|(name, _)| is_it(name)).map(|(_, value)| value);
    value.map_or(NamedRevision::Absent, |value| in_header(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Message {
        let value = Value::parse(text.as_bytes()).expect("JSON");
        Message::read(&value.value).expect("a message")
    }

    #[test]
    fn initialize_is_read_as_a_revision_with_a_handshake() {
        let of = |params: &str| {
            let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize"{params}}}"#);
            proposed(&message(&text)).map(Revision::as_str)
        };
        assert_eq!(of(r#","params":{"protocolVersion":"2024-11-05"}"#), Some("2024-11-05"));
        for other in ["\"2026-07-28\"", "\"1999-01-01\"", "\" 2024-11-05\"", "5"] {
            let params = format!(r#","params":{{"protocolVersion":{other}}}"#);
            assert_eq!(of(&params), Some("2025-11-25"), "{other}");
        }
        assert_eq!(of(""), Some("2025-11-25"));
        let other =
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"protocolVersion":"2024-11-05"}}"#;
        assert_eq!(proposed(&message(other)), None);
        let notification = r#"{"jsonrpc":"2.0","method":"initialize"}"#;
        assert_eq!(proposed(&message(notification)), None);
    }

    #[test]
    fn a_handshake_selects_a_revision_that_has_one() {
        let of = |result: serde_json::Value| negotiated(&result.into());
        let result = |version: &str| serde_json::json!({ "protocolVersion": version });
        assert_eq!(of(result("2025-06-18")), NamedRevision::Known(Revision::V2025_06_18));
        assert_eq!(of(result("2026-07-28")), NamedRevision::Known(Revision::V2025_11_25));
        assert_eq!(of(result("2099-01-01")), NamedRevision::Unknown);
        assert_eq!(of(serde_json::json!({ "protocolVersion": 5 })), NamedRevision::Absent);
        assert_eq!(of(serde_json::json!({})), NamedRevision::Absent);
    }

    #[test]
    fn a_message_names_its_revision_under_the_reserved_key() {
        let of = |meta: &str| {
            let text = format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/x","params":{{"_meta":{meta}}}}}"#
            );
            in_meta(&message(&text))
        };
        let key = meta::PROTOCOL_VERSION;
        assert_eq!(
            of(&format!(r#"{{"{key}":"2026-07-28"}}"#)),
            NamedRevision::Known(Revision::V2026_07_28)
        );
        assert_eq!(of(&format!(r#"{{"{key}":"2042-01-01"}}"#)), NamedRevision::Unknown);
        assert_eq!(of(&format!(r#"{{"{key}":5}}"#)), NamedRevision::Absent);
        assert_eq!(of(r#"{"protocolVersion":"2026-07-28"}"#), NamedRevision::Absent);
    }

    #[test]
    fn a_header_is_trimmed_and_its_name_is_case_insensitive() {
        let of = |name: &str, value: &str| in_headers(&[(name.to_owned(), value.to_owned())]);
        let known = NamedRevision::Known(Revision::V2025_06_18);
        assert_eq!(of("mcp-protocol-version", " 2025-06-18\t"), known);
        assert_eq!(of("MCP-Protocol-Version", "1999-01-01"), NamedRevision::Unknown);
        assert_eq!(of("MCP-Protocol-Version", ""), NamedRevision::Unknown);
        assert_eq!(of("Mcp-Method", "2025-06-18"), NamedRevision::Absent);
    }
}
