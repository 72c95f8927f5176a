//! The JSON-RPC error codes that MCP defines.

use std::ops::RangeInclusive;

use super::{Revision, Revisions};

/// The received text is not JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The message is not a JSON-RPC request.
pub const INVALID_REQUEST: i64 = -32600;
/// The receiver does not implement the method.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters are invalid.
pub const INVALID_PARAMS: i64 = -32602;
/// The receiver failed internally.
pub const INTERNAL_ERROR: i64 = -32603;
/// The resource does not exist; until 2025-11-25, see [`resource_not_found`].
pub const RESOURCE_NOT_FOUND: i64 = -32002;
/// The user must visit a URL first; 2025-11-25.
pub const URL_ELICITATION_REQUIRED: i64 = -32042;
/// The HTTP headers do not agree with the body; 2026-07-28.
pub const HEADER_MISMATCH: i64 = -32020;
/// The client has not declared a capability that the request needs; 2026-07-28.
pub const MISSING_REQUIRED_CLIENT_CAPABILITY: i64 = -32021;
/// The server does not support the revision of the request; 2026-07-28.
pub const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;

/// The codes that 2026-07-28 reserves for the specification: only the defined ones may be sent.
#[doc(hidden)]
pub const RESERVED: RangeInclusive<i64> = -32099..=-32020;
/// The codes that implementations used before 2026-07-28, which no longer have a meaning.
#[doc(hidden)]
pub const LEGACY: RangeInclusive<i64> = -32019..=-32000;

/// An error code that the specification defines.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ErrorCode {
    /// The code.
    pub code: i64,
    /// Its name in the specification.
    pub name: &'static str,
    /// The revisions that define it.
    pub revisions: Revisions,
    /// When it is sent.
    pub meaning: &'static str,
    /// The HTTP status that it requires at revisions with [`Revision::mirrors_headers`].
    pub http_status: Option<u16>,
    /// The page that defines it, for [`url`](super::url).
    pub page: &'static str,
}

/// Every error code that the specification defines.
#[doc(hidden)]
pub const ERROR_CODES: &[ErrorCode] = &[
    ErrorCode {
        code: PARSE_ERROR,
        name: "ParseError",
        revisions: Revisions::all(),
        meaning: "the received text is not JSON",
        http_status: None,
        page: "basic/index#error-codes",
    },
    ErrorCode {
        code: INVALID_REQUEST,
        name: "InvalidRequest",
        revisions: Revisions::all(),
        meaning: "the message is not a JSON-RPC request",
        http_status: None,
        page: "basic/index#error-codes",
    },
    ErrorCode {
        code: METHOD_NOT_FOUND,
        name: "MethodNotFound",
        revisions: Revisions::all(),
        meaning: "the receiver does not implement the method, or has not declared the capability for it",
        // The only code of JSON-RPC itself with one status for all its causes (`basic/transports/streamable-http`).
        http_status: Some(404),
        page: "basic/index#error-codes",
    },
    ErrorCode {
        code: INVALID_PARAMS,
        name: "InvalidParams",
        revisions: Revisions::all(),
        meaning: "the parameters are invalid",
        http_status: None,
        page: "basic/index#error-codes",
    },
    ErrorCode {
        code: INTERNAL_ERROR,
        name: "InternalError",
        revisions: Revisions::all(),
        meaning: "the receiver failed internally",
        http_status: None,
        page: "basic/index#error-codes",
    },
    ErrorCode {
        code: RESOURCE_NOT_FOUND,
        name: "ResourceNotFound",
        revisions: WITH_RESOURCE_NOT_FOUND,
        meaning: "the resource does not exist",
        http_status: None,
        page: "server/resources#error-handling",
    },
    ErrorCode {
        code: URL_ELICITATION_REQUIRED,
        name: "URLElicitationRequired",
        revisions: Revisions::only(Revision::V2025_11_25),
        meaning: "the user must visit a URL before the request can be served",
        http_status: None,
        page: "client/elicitation#url-elicitation-required-error",
    },
    ErrorCode {
        code: HEADER_MISMATCH,
        name: "HeaderMismatch",
        revisions: Revisions::from(Revision::V2026_07_28),
        meaning: "the HTTP headers do not agree with the body, or a required one is missing or malformed",
        http_status: Some(400),
        page: "basic/transports/streamable-http#server-validation",
    },
    ErrorCode {
        code: MISSING_REQUIRED_CLIENT_CAPABILITY,
        name: "MissingRequiredClientCapability",
        revisions: Revisions::from(Revision::V2026_07_28),
        meaning: "the client has not declared a capability that the request needs",
        http_status: Some(400),
        page: "schema#missingrequiredclientcapabilityerror",
    },
    ErrorCode {
        code: UNSUPPORTED_PROTOCOL_VERSION,
        name: "UnsupportedProtocolVersion",
        revisions: Revisions::from(Revision::V2026_07_28),
        meaning: "the server does not support the revision of the request",
        http_status: Some(400),
        page: "basic/versioning#protocol-version-negotiation",
    },
];

impl ErrorCode {
    /// The URL of its definition at `revision`, or at the newest revision that has the code.
    pub fn link(&self, revision: Revision) -> String {
        super::page::url_within(self.page, self.revisions, revision)
    }
}

/// Finds a code that any revision defines.
#[doc(hidden)]
pub fn find(code: i64) -> Option<&'static ErrorCode> {
    ERROR_CODES.iter().find(|known| known.code == code)
}

/// The name of a code that the specification defines.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::spec::error_code;
///
/// assert_eq!(error_code::name_of(-32601), Some("MethodNotFound"));
/// assert_eq!(error_code::name_of(-1), None);
/// ```
#[doc(hidden)]
pub fn name_of(code: i64) -> Option<&'static str> {
    find(code).map(|known| known.name)
}

/// Whether a peer may send the code at `revision`.
///
/// Only 2026-07-28 forbids codes: reserved ones that it does not define, and those that it withdrew.
#[doc(hidden)]
pub fn may_be_sent(code: i64, revision: Revision) -> bool {
    // -32002 is outside of the reserved range, but 2026-07-28 replaces it with -32602.
    let restricted = revision >= Revision::V2026_07_28
        && (RESERVED.contains(&code) || code == RESOURCE_NOT_FOUND);
    !restricted || find(code).is_some_and(|known| known.revisions.contains(revision))
}

/// The code for a resource that does not exist, at `revision`.
///
/// [Specification](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling)
#[doc(hidden)]
pub const fn resource_not_found(revision: Revision) -> i64 {
    match WITH_RESOURCE_NOT_FOUND.contains(revision) {
        true => RESOURCE_NOT_FOUND,
        false => INVALID_PARAMS,
    }
}

/// The revisions with a code of its own for a resource that does not exist.
const WITH_RESOURCE_NOT_FOUND: Revisions = Revisions::until(Revision::V2025_11_25);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_code_is_defined_twice() {
        for (index, known) in ERROR_CODES.iter().enumerate() {
            assert_eq!(find(known.code), Some(known));
            let again = ERROR_CODES[index + 1..].iter().any(|other| other.name == known.name);
            assert!(!again, "{}", known.name);
        }
    }

    #[test]
    fn the_stateless_revision_forbids_what_it_does_not_define() {
        let (old, new) = (Revision::V2025_11_25, Revision::V2026_07_28);
        for code in [-32002, -32042, -32050, -32099] {
            assert!(may_be_sent(code, old) && !may_be_sent(code, new), "{code}");
        }
        for code in [-32700, -32602, -32022, -32020, -32000, -32001, -1, 7] {
            assert!(may_be_sent(code, new), "{code}");
        }
    }

    #[test]
    fn a_missing_resource_has_another_code_from_2026_on() {
        assert_eq!(resource_not_found(Revision::V2025_11_25), -32002);
        assert_eq!(resource_not_found(Revision::V2026_07_28), -32602);
    }
}
