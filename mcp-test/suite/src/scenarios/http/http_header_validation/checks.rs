//! The checks of `http-header-validation`.

use crate::scenarios::prelude::*;
use crate::scenarios::references::{RFC_9110_VALUES, SEP_2243_CASE, SEP_2243_VALIDATION};

#[rustfmt::skip]
pub(super) const CHECKS: [CheckSpec; 9] = [
    check!("sep-2243-server-standard-setup",
        "`tools/list` with valid headers returns a list; reported only on failure",
        [TOOLS_LIST_RESPOND]).official(&[SEP_2243_VALIDATION]).named("HttpHeaderValidationSetup").conditional(),
    check!("sep-2243-server-reject-invalid-headers",
        "A request whose headers are missing or contradict the body is refused with HTTP 400",
        [
            TRANSPORT_HTTP_HEADER_ERROR_400, TRANSPORT_HTTP_HEADER_VALUES_CASE_SENSITIVE,
            TRANSPORT_HTTP_MCP_METHOD_MISMATCH_REJECTED, TRANSPORT_HTTP_MCP_NAME_MISMATCH_REJECTED,
            TRANSPORT_HTTP_STANDARD_HEADER_MISSING_REJECTED,
        ]).official(&[SEP_2243_VALIDATION, SEP_2243_CASE]).named("ServerRejectsInvalidHeaders"),
    check!("sep-2243-server-reject-error-code", "The refusal has the JSON-RPC error code -32020",
        [TRANSPORT_HTTP_HEADER_ERROR_CODE])
        .official(&[SEP_2243_VALIDATION, SEP_2243_CASE]).named("ServerRejectsInvalidHeadersErrorCode")
        .only_warns("the official suite only warns"),
    check!("sep-2243-server-accepts-whitespace-header-value", "Whitespace around the value of a header is ignored",
        [TRANSPORT_HTTP_MCP_NAME_MISMATCH_REJECTED])
        .official(&[RFC_9110_VALUES]).named("ServerAcceptsWhitespaceHeaderValue"),
    check!("sep-2243-header-name-case-insensitive", "The names of headers are case-insensitive",
        [TRANSPORT_HTTP_HEADER_NAMES_CASE_INSENSITIVE])
        .official(&[SEP_2243_CASE]).named("ServerAcceptsHeaderNameInAnyCase"),
    check!("http-header-refusal-code", "Each refusal is an error with code -32020, as the specification requires",
        [TRANSPORT_HTTP_HEADER_ERROR_CODE]),
    check!("http-header-version-missing",
        "A request without `MCP-Protocol-Version` is refused, unless the server also serves revisions without it",
        [TRANSPORT_HTTP_VERSION_HEADER_MISSING_REJECTED]),
    check!("http-header-version-contradicts",
        "A request whose `MCP-Protocol-Version` differs from the version in its body is not served, although both exist",
        [TRANSPORT_HTTP_VERSION_MISMATCH_REJECTED]),
    check!("http-header-name-encoded", "A Base64-encoded name is decoded before it is compared",
        [TRANSPORT_HTTP_SENTINEL_DECODED]),
];
