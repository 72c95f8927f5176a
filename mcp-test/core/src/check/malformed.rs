//! The requirement that a malformed message breaks.

use super::rule::Rule;
use crate::wire::{Expected, Malformed};

/// The requirement that a malformed message breaks, by its id in [`requirement`](crate::spec::requirement).
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::{check::requirement_of, json::Value, wire::Message};
///
/// let reply = Value::parse(br#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#)?.value;
/// let malformed = Message::read(&reply).expect_err("a reply holds one of the two");
/// assert_eq!(requirement_of(&malformed), "jsonrpc.response-not-both");
/// # Ok::<(), mcp_test::Error>(())
/// ```
#[doc(hidden)]
#[must_use]
pub fn requirement_of(malformed: &Malformed) -> &'static str {
    rule_of(malformed).id()
}

/// The rule that a malformed message breaks.
pub(super) fn rule_of(malformed: &Malformed) -> Rule {
    let (missing, is_call) = (malformed.found.is_none(), malformed.method.is_some());
    match place(malformed.pointer.as_str()) {
        "" if malformed.expected == Expected::Kind => Rule::RESPONSE_RESULT_OR_ERROR,
        // A value that is not an object, and an empty batch, have no members at all.
        "" | "/jsonrpc" => Rule::VERSION_MEMBER,
        "/method" => Rule::REQUEST_METHOD_STRING,
        "/params" => Rule::PARAMS_OBJECT,
        "/id" if is_call => Rule::REQUEST_ID_TYPE,
        // Only a result can lack its id here: an error without one is well formed.
        "/id" if missing => Rule::RESULT_ID_ECHO,
        "/id" => Rule::ID_TYPE_PRESERVED,
        "/error" if malformed.expected == Expected::AbsentBesideResult => Rule::RESPONSE_NOT_BOTH,
        "/error/code" if !missing => Rule::ERROR_CODE_INTEGER,
        at if at.starts_with("/error") && !is_call => Rule::ERROR_SHAPE,
        // A call that also has a member of replies.
        _ => Rule::RESPONSE_RESULT_OR_ERROR,
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
    use crate::spec::requirement;
    use crate::wire::Frame;

    /// The requirement that a message breaks, alone and in a batch.
    fn broken_by(message: &serde_json::Value) -> &'static str {
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
            (json!(7), "jsonrpc.version-member"),
            (json!({}), "jsonrpc.version-member"),
            (json!({"jsonrpc": "1.0", "id": 1, "result": {}}), "jsonrpc.version-member"),
            (json!({"jsonrpc": "2.0", "id": 1}), "jsonrpc.response-result-or-error"),
            (json!({"jsonrpc": "2.0", "method": 5}), "jsonrpc.request-method-string"),
            (json!({"jsonrpc": "2.0", "id": {}, "method": "a"}), "jsonrpc.request-id-type"),
            (json!({"jsonrpc": "2.0", "method": "a", "params": 1}), "jsonrpc.params-object"),
            (
                json!({"jsonrpc": "2.0", "id": 1, "method": "a", "error": {}}),
                "jsonrpc.response-result-or-error",
            ),
            (json!({"jsonrpc": "2.0", "result": {}}), "jsonrpc.result-id-echo"),
            (json!({"jsonrpc": "2.0", "id": [1], "result": {}}), "jsonrpc.id-type-preserved"),
            (
                json!({"jsonrpc": "2.0", "id": 1, "result": {}, "error": null}),
                "jsonrpc.response-not-both",
            ),
            (json!({"jsonrpc": "2.0", "id": 1, "error": "no"}), "jsonrpc.error-shape"),
            (
                json!({"jsonrpc": "2.0", "id": 1, "error": {"code": "1", "message": "no"}}),
                "jsonrpc.error-code-integer",
            ),
            (json!({"jsonrpc": "2.0", "id": 1, "error": {"message": "no"}}), "jsonrpc.error-shape"),
            (json!({"jsonrpc": "2.0", "id": 1, "error": {"code": 1}}), "jsonrpc.error-shape"),
        ];
        for (message, expected) in broken {
            assert_eq!(broken_by(&message), expected, "{message}");
            assert!(requirement::find(expected).is_some(), "{expected}");
        }
        let empty = Frame::read(&json!([]).into()).expect_err("malformed");
        assert_eq!(requirement_of(&empty), "jsonrpc.version-member");
    }
}
