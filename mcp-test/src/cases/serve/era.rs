//! From the era in which a case is written to the era in which it is said.
//!
//! What the stateless era adds to results, the server adds by itself; what it has added in a case is taken out for the others.

use crate::json::{Object, Value};
use crate::spec::{Revision, meta};

/// A result as its revision has it.
pub(super) fn fit(method: &str, mut result: Value, revision: Revision) -> Value {
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

/// The requests to the client that a result wants answered before the request can be.
pub(super) fn wanted_input(result: &Value) -> Option<&Object> {
    let wants = result.get("resultType").and_then(Value::as_str) == Some("input_required");
    if wants { result.get("inputRequests")?.as_object() } else { None }
}
