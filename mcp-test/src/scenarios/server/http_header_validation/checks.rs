//! The checks of `http-header-validation`.

use crate::scenario::CheckSpec;
use crate::scenarios::server::references::{RFC_9110_VALUES, SEP_2243_CASE, SEP_2243_VALIDATION};

pub(super) const CHECKS: [CheckSpec; 8] = [
    CheckSpec::official(
        "sep-2243-server-standard-setup",
        "HttpHeaderValidationSetup",
        "`tools/list` with good headers gives a list; only told if not",
        &[SEP_2243_VALIDATION],
    )
    .requires(&["tools.list.respond"])
    .conditional(),
    CheckSpec::official(
        "sep-2243-server-reject-invalid-headers",
        "ServerRejectsInvalidHeaders",
        "A request whose headers are missing or contradict the body is refused with HTTP 400",
        &[SEP_2243_VALIDATION, SEP_2243_CASE],
    )
    .requires(&["transport.http.header-error-400"]),
    CheckSpec::official(
        "sep-2243-server-reject-error-code",
        "ServerRejectsInvalidHeadersErrorCode",
        "The refusal carries the JSON-RPC error code -32020",
        &[SEP_2243_VALIDATION, SEP_2243_CASE],
    )
    .requires(&["transport.http.header-error-code"])
    .warns(),
    CheckSpec::official(
        "sep-2243-server-accepts-whitespace-header-value",
        "ServerAcceptsWhitespaceHeaderValue",
        "Blanks around the value of a header do not count",
        &[RFC_9110_VALUES],
    )
    .requires(&["transport.http.mcp-name-mismatch-rejected"]),
    CheckSpec::official(
        "sep-2243-header-name-case-insensitive",
        "ServerAcceptsHeaderNameInAnyCase",
        "The names of headers may be written in small and in capital letters",
        &[SEP_2243_CASE],
    )
    .requires(&["transport.http.header-names-case-insensitive"]),
    CheckSpec::own(
        "http-header-refusal-code",
        "HttpHeaderRefusalCode",
        "Each refusal is an error with code -32020, which must be",
    )
    .requires(&["transport.http.header-error-code"]),
    CheckSpec::own(
        "http-header-version-missing",
        "HttpHeaderVersionMissing",
        "A request without `MCP-Protocol-Version` is refused, unless the server also serves revisions without it",
    )
    .requires(&["transport.http.version-header-missing-rejected"]),
    CheckSpec::own(
        "http-header-name-encoded",
        "HttpHeaderNameEncoded",
        "A name in the Base64 form counts as the name that it stands for",
    )
    .requires(&["transport.http.sentinel-decoded"]),
];
