//! The requirement that a malformed message breaks.

use crate::check::cited::{Cited, cites};
use crate::spec::Requirement;
use crate::wire::{Expected, Malformed};

cites! {
    JSONRPC_ERROR_CODE_INTEGER, JSONRPC_ERROR_SHAPE, JSONRPC_ID_TYPE_PRESERVED,
    JSONRPC_PARAMS_OBJECT, JSONRPC_REQUEST_ID_TYPE, JSONRPC_REQUEST_METHOD_STRING,
    JSONRPC_RESPONSE_NOT_BOTH, JSONRPC_RESPONSE_RESULT_OR_ERROR, JSONRPC_RESULT_ID_ECHO,
    JSONRPC_VERSION_MEMBER,
}

/// The requirement that a malformed message breaks.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::{check::requirement_of, json::Value, wire::Message};
///
/// let reply = Value::parse(br#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#)?.value;
/// let malformed = Message::read(&reply).expect_err("a reply holds one of the two");
/// assert_eq!(requirement_of(&malformed).id, "jsonrpc.response-not-both");
/// # Ok::<(), mcp_test::Error>(())
/// ```
#[doc(hidden)]
#[must_use]
pub fn requirement_of(malformed: &Malformed) -> &'static Requirement {
    rule_of(malformed).0
}

/// The same, for the judge of envelopes.
pub(super) fn rule_of(malformed: &Malformed) -> Cited {
    let (missing, is_call) = (malformed.found.is_none(), malformed.method.is_some());
    match place(malformed.pointer.as_str()) {
        "" if malformed.expected == Expected::Kind => JSONRPC_RESPONSE_RESULT_OR_ERROR,
        // A value that is not an object, and an empty batch, have no members at all.
        "" | "/jsonrpc" => JSONRPC_VERSION_MEMBER,
        "/method" => JSONRPC_REQUEST_METHOD_STRING,
        "/params" => JSONRPC_PARAMS_OBJECT,
        "/id" if is_call => JSONRPC_REQUEST_ID_TYPE,
        // Only a result can lack its id here: an error without one is well formed.
        "/id" if missing => JSONRPC_RESULT_ID_ECHO,
        "/id" => JSONRPC_ID_TYPE_PRESERVED,
        "/error" if malformed.expected == Expected::AbsentBesideResult => JSONRPC_RESPONSE_NOT_BOTH,
        "/error/code" if !missing => JSONRPC_ERROR_CODE_INTEGER,
        at if at.starts_with("/error") && !is_call => JSONRPC_ERROR_SHAPE,
        // A call that also has a member of replies.
        _ => JSONRPC_RESPONSE_RESULT_OR_ERROR,
    }
}

/// The place inside of the message, also for an item of a batch.
fn place(pointer: &str) -> &str {
    let Some(inner) = pointer.strip_prefix('/') else { return pointer };
    let (first, rest) = inner.split_at(inner.find('/').unwrap_or(inner.len()));
    // No member that JSON-RPC defines is a number, so a leading number is an index in a batch.
    if !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit()) {
        rest
    } else {
        pointer
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::spec::Requirement;
    use crate::wire::Frame;

    /// The requirement that a message breaks, alone and in a batch.
    fn broken_by(message: &serde_json::Value) -> &'static Requirement {
        let alone = Frame::read(&message.clone().into()).expect_err("malformed");
        let batch = Frame::read(&json!([message]).into()).expect("a batch");
        let Frame::Batch(items) = batch else { panic!("an array is a batch") };
        let inside = items.into_iter().find_map(Result::err).expect("malformed");
        assert_eq!(requirement_of(&alone), requirement_of(&inside), "{message}");
        requirement_of(&alone)
    }

    #[test]
    fn each_break_has_its_requirement() {
        let broken = [
            (json!(7), Requirement::JSONRPC_VERSION_MEMBER),
            (json!({}), Requirement::JSONRPC_VERSION_MEMBER),
            (json!({"jsonrpc": "1.0", "id": 1, "result": {}}), Requirement::JSONRPC_VERSION_MEMBER),
            (json!({"jsonrpc": "2.0", "id": 1}), Requirement::JSONRPC_RESPONSE_RESULT_OR_ERROR),
            (json!({"jsonrpc": "2.0", "method": 5}), Requirement::JSONRPC_REQUEST_METHOD_STRING),
            (
                json!({"jsonrpc": "2.0", "id": {}, "method": "a"}),
                Requirement::JSONRPC_REQUEST_ID_TYPE,
            ),
            (
                json!({"jsonrpc": "2.0", "method": "a", "params": 1}),
                Requirement::JSONRPC_PARAMS_OBJECT,
            ),
            (
                json!({"jsonrpc": "2.0", "id": 1, "method": "a", "error": {}}),
                Requirement::JSONRPC_RESPONSE_RESULT_OR_ERROR,
            ),
            (json!({"jsonrpc": "2.0", "result": {}}), Requirement::JSONRPC_RESULT_ID_ECHO),
            (
                json!({"jsonrpc": "2.0", "id": [1], "result": {}}),
                Requirement::JSONRPC_ID_TYPE_PRESERVED,
            ),
            (
                json!({"jsonrpc": "2.0", "id": 1, "result": {}, "error": null}),
                Requirement::JSONRPC_RESPONSE_NOT_BOTH,
            ),
            (json!({"jsonrpc": "2.0", "id": 1, "error": "no"}), Requirement::JSONRPC_ERROR_SHAPE),
            (
                json!({"jsonrpc": "2.0", "id": 1, "error": {"code": "1", "message": "no"}}),
                Requirement::JSONRPC_ERROR_CODE_INTEGER,
            ),
            (
                json!({"jsonrpc": "2.0", "id": 1, "error": {"message": "no"}}),
                Requirement::JSONRPC_ERROR_SHAPE,
            ),
            (
                json!({"jsonrpc": "2.0", "id": 1, "error": {"code": 1}}),
                Requirement::JSONRPC_ERROR_SHAPE,
            ),
        ];
        for (message, expected) in broken {
            assert_eq!(broken_by(&message), expected, "{message}");
        }
        let empty = Frame::read(&json!([]).into()).expect_err("malformed");
        assert_eq!(requirement_of(&empty), Requirement::JSONRPC_VERSION_MEMBER);
    }
}
