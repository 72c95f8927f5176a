//! In which revision something is spoken, as far as it says so itself: `initialize` and its result, the `_meta` of a
//! message, the header of an HTTP request.
//!
//! What holds for what says nothing of it depends on who asks, and is not decided here.

use super::{Revision, header, meta};
use crate::json::Value;
use crate::wire::Message;

/// What something says of the revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// It names one that is known.
    Known(Revision),
    /// It names one that is not known here.
    Unknown,
    /// It names none.
    Nothing,
}

impl Named {
    /// The revision, if it is one that is known.
    pub(crate) fn known(self) -> Option<Revision> {
        match self {
            Self::Known(revision) => Some(revision),
            Self::Unknown | Self::Nothing => None,
        }
    }

    fn read(name: &str) -> Self {
        name.parse().map_or(Self::Unknown, Self::Known)
    }

    /// What a member names; one that is no string names nothing.
    fn member(value: Option<&Value>) -> Self {
        value.and_then(Value::as_str).map_or(Self::Nothing, Self::read)
    }
}

/// The revision of an `initialize` request, and none for any other message.
///
/// One that proposes a version which is not known, or has no handshake, or that proposes none, is in the words of the
/// newest revision with a handshake: what it proposes is the server's to refuse.
pub(crate) fn proposed(message: &Message) -> Option<Revision> {
    let Message::Request(request) = message else { return None };
    if request.method != "initialize" {
        return None;
    }
    let version = request.params.as_ref().and_then(|params| params.get("protocolVersion"));
    let known = Named::member(version).known().unwrap_or(Revision::NEWEST_HANDSHAKE);
    Some(known.min(Revision::NEWEST_HANDSHAKE))
}

/// What the result of `initialize` settles on.
///
/// A handshake cannot settle on a revision that has none: a result that names one is taken to mean the newest that has.
pub(crate) fn settled(result: &Value) -> Named {
    match Named::member(result.get("protocolVersion")) {
        Named::Known(revision) => Named::Known(revision.min(Revision::NEWEST_HANDSHAKE)),
        other => other,
    }
}

/// What a request or a notification names in its `_meta`.
pub(crate) fn carried(message: &Message) -> Named {
    let meta = message.params().and_then(|params| params.get("_meta"));
    Named::member(meta.and_then(|meta| meta.get(meta::PROTOCOL_VERSION)))
}

/// What the value of an `MCP-Protocol-Version` header names; the blanks around it are none of it.
pub(crate) fn of_header(value: &str) -> Named {
    Named::read(value.trim())
}

/// What the headers of an HTTP request name.
pub(crate) fn of_headers(headers: &[(String, String)]) -> Named {
    let is_it = |name: &str| name.eq_ignore_ascii_case(header::MCP_PROTOCOL_VERSION);
    let value = headers.iter().find(|(name, _)| is_it(name)).map(|(_, value)| value);
    value.map_or(Named::Nothing, |value| of_header(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Message {
        let value = Value::parse(text.as_bytes()).expect("JSON");
        Message::read(&value.value).expect("a message")
    }

    #[test]
    fn initialize_is_spoken_in_a_revision_with_a_handshake() {
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
        let told = r#"{"jsonrpc":"2.0","method":"initialize"}"#;
        assert_eq!(proposed(&message(told)), None);
    }

    #[test]
    fn a_handshake_settles_on_a_revision_that_has_one() {
        let of = |result: serde_json::Value| settled(&result.into());
        let result = |version: &str| serde_json::json!({ "protocolVersion": version });
        assert_eq!(of(result("2025-06-18")), Named::Known(Revision::V2025_06_18));
        assert_eq!(of(result("2026-07-28")), Named::Known(Revision::V2025_11_25));
        assert_eq!(of(result("2099-01-01")), Named::Unknown);
        assert_eq!(of(serde_json::json!({ "protocolVersion": 5 })), Named::Nothing);
        assert_eq!(of(serde_json::json!({})), Named::Nothing);
    }

    #[test]
    fn a_message_carries_its_revision_under_the_reserved_key() {
        let of = |meta: &str| {
            let text = format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/x","params":{{"_meta":{meta}}}}}"#
            );
            carried(&message(&text))
        };
        let key = meta::PROTOCOL_VERSION;
        assert_eq!(of(&format!(r#"{{"{key}":"2026-07-28"}}"#)), Named::Known(Revision::NEWEST));
        assert_eq!(of(&format!(r#"{{"{key}":"2042-01-01"}}"#)), Named::Unknown);
        assert_eq!(of(&format!(r#"{{"{key}":5}}"#)), Named::Nothing);
        assert_eq!(of(r#"{"protocolVersion":"2026-07-28"}"#), Named::Nothing);
    }

    #[test]
    fn a_header_is_read_without_the_blanks_around_it_and_whatever_the_case_of_its_name() {
        let of = |name: &str, value: &str| of_headers(&[(name.to_owned(), value.to_owned())]);
        let known = Named::Known(Revision::V2025_06_18);
        assert_eq!(of("mcp-protocol-version", " 2025-06-18\t"), known);
        assert_eq!(of("MCP-Protocol-Version", "1999-01-01"), Named::Unknown);
        assert_eq!(of("MCP-Protocol-Version", ""), Named::Unknown);
        assert_eq!(of("Mcp-Method", "2025-06-18"), Named::Nothing);
    }
}
