//! The checks of `http-header-validation`.

use mcp_test_core::scenario::CheckSpec;
use mcp_test_core::spec::Requirement;

use crate::scenarios::server::references::{RFC_9110_VALUES, SEP_2243_CASE, SEP_2243_VALIDATION};

#[rustfmt::skip]
pub(super) const CHECKS: [CheckSpec; 9] = [
    CheckSpec::official("sep-2243-server-standard-setup", "HttpHeaderValidationSetup",
        "`tools/list` with valid headers returns a list; reported only on failure", &[SEP_2243_VALIDATION])
        .requires(&[Requirement::TOOLS_LIST_RESPOND]).conditional(),
    CheckSpec::official("sep-2243-server-reject-invalid-headers", "ServerRejectsInvalidHeaders",
        "A request whose headers are missing or contradict the body is refused with HTTP 400", &[SEP_2243_VALIDATION, SEP_2243_CASE])
        .requires(&[
            Requirement::TRANSPORT_HTTP_HEADER_ERROR_400,
            Requirement::TRANSPORT_HTTP_HEADER_VALUES_CASE_SENSITIVE,
            Requirement::TRANSPORT_HTTP_MCP_METHOD_MISMATCH_REJECTED,
            Requirement::TRANSPORT_HTTP_MCP_NAME_MISMATCH_REJECTED,
            Requirement::TRANSPORT_HTTP_STANDARD_HEADER_MISSING_REJECTED,
        ]),
    CheckSpec::official("sep-2243-server-reject-error-code", "ServerRejectsInvalidHeadersErrorCode",
        "The refusal has the JSON-RPC error code -32020", &[SEP_2243_VALIDATION, SEP_2243_CASE])
        .requires(&[Requirement::TRANSPORT_HTTP_HEADER_ERROR_CODE]).warns(),
    CheckSpec::official("sep-2243-server-accepts-whitespace-header-value", "ServerAcceptsWhitespaceHeaderValue",
        "Whitespace around the value of a header is ignored", &[RFC_9110_VALUES])
        .requires(&[Requirement::TRANSPORT_HTTP_MCP_NAME_MISMATCH_REJECTED]),
    CheckSpec::official("sep-2243-header-name-case-insensitive", "ServerAcceptsHeaderNameInAnyCase",
        "The names of headers are case-insensitive", &[SEP_2243_CASE])
        .requires(&[Requirement::TRANSPORT_HTTP_HEADER_NAMES_CASE_INSENSITIVE]),
    CheckSpec::own("http-header-refusal-code", "HttpHeaderRefusalCode",
        "Each refusal is an error with code -32020, as the specification requires")
        .requires(&[Requirement::TRANSPORT_HTTP_HEADER_ERROR_CODE]),
    CheckSpec::own("http-header-version-missing", "HttpHeaderVersionMissing",
        "A request without `MCP-Protocol-Version` is refused, unless the server also serves revisions without it")
        .requires(&[Requirement::TRANSPORT_HTTP_VERSION_HEADER_MISSING_REJECTED]),
    CheckSpec::own("http-header-version-contradicts", "HttpHeaderVersionContradicts",
        "A request whose `MCP-Protocol-Version` differs from the version in its body is not served, although both exist")
        .requires(&[Requirement::TRANSPORT_HTTP_VERSION_MISMATCH_REJECTED]),
    CheckSpec::own("http-header-name-encoded", "HttpHeaderNameEncoded",
        "A Base64-encoded name is decoded before it is compared")
        .requires(&[Requirement::TRANSPORT_HTTP_SENTINEL_DECODED]),
];
