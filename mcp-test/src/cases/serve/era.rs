//! Adapts a result from the era that a case is written in to the era of the client.
//!
//! The server itself adds what the stateless era needs; where a case has it, it is removed for the other era.

use mcp_test_core::json::{Object, Value};
use mcp_test_core::spec::{Revision, meta};

/// A result as its revision defines it.
pub(super) fn adapt_result(method: &str, mut result: Value, revision: Revision) -> Value {
    // The server has negotiated with this client; the client in the case may have negotiated another revision.
    if method == "initialize" && result.get("protocolVersion").is_some() {
        result.set("/protocolVersion", revision.as_str().into());
    }
    if !revision.has_result_type() {
        if result.get("resultType").and_then(Value::as_str) == Some("complete") {
            result.remove("/resultType");
        }
        if let Some(fields) = result.at_mut("/_meta").and_then(Value::as_object_mut)
            && fields.remove(meta::SERVER_INFO).is_some()
            && fields.is_empty()
        {
            result.remove("/_meta");
        }
    }
    if !revision.has_cacheable_results() && result.get("ttlMs").is_some() {
        result.remove("/ttlMs");
        result.remove("/cacheScope");
    }
    result
}

/// The requests to the client in a result that asks for input.
pub(super) fn requested_input(result: &Value) -> Option<&Object> {
    let wants = result.get("resultType").and_then(Value::as_str) == Some("input_required");
    if wants { result.get("inputRequests")?.as_object() } else { None }
}
