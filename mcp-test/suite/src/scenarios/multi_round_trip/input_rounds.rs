//! Shared parts of the scenarios about results that ask for input.

use mcp_test_core::client::{ElicitationResponse, SamplingResponse};

use crate::scenarios::prelude::*;

/// Declares everything that a server may ask for. The answers are those of the scenario.
pub(super) fn declare_all(ctx: &mut Ctx) {
    ctx.on_elicitation(|_| ElicitationResponse::decline());
    ctx.on_sampling(|_| SamplingResponse::text("a text of mcp-test"));
    ctx.on_roots(["file:///mcp-test"]);
}

/// The method of a request for input.
pub(super) fn method_of(request: &Value) -> Option<&str> {
    request.get("method").and_then(Value::as_str)
}

/// A response to each request for input, by its method.
pub(super) fn responses(
    requests: &Object,
    respond: impl Fn(Option<&str>) -> serde_json::Value,
) -> Object {
    requests.effective().map(|(key, request)| (key, respond(method_of(request)))).collect()
}

/// Whether a call has succeeded, and does not ask for more input.
pub(super) fn completes(reply: &Reply) -> bool {
    let Ok(result) = reply.outcome() else { return false };
    let failed = result.get("isError") == Some(&Value::Bool(true));
    reply.result_type() != Some("input_required") && !failed
}

/// The text with another letter or digit near this place, in quarters of its length; `None` if there is none.
pub(super) fn alter(text: &str, quarter: usize) -> Option<String> {
    let from = text.len() * quarter / 4;
    let place = (from..text.len())
        .find(|place| text.as_bytes().get(*place).is_some_and(u8::is_ascii_alphanumeric))?;
    // Of the same kind, so that the form of the state remains.
    let other = match text.as_bytes()[place] {
        b'9' => '0',
        b'z' => 'a',
        b'Z' => 'A',
        byte => char::from(byte + 1),
    };
    Some(format!("{}{other}{}", &text[..place], &text[place + 1..]))
}
