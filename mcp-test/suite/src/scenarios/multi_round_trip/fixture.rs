//! The fixtures that ask for input, the steps of a call of them, and the responses of the official suite.

use mcp_test_core::expect::{ObjectMatcher, not};
use mcp_test_core::scenario::RequestBuilder;
use mcp_test_core::server::{Respond, params};

use super::input_rounds::method_of;
use crate::scenarios::prelude::*;

/// A tool or prompt that asks for input before its result is complete.
#[derive(Clone, Copy)]
pub(super) struct Fixture {
    method: &'static str,
    /// The name of the tool or prompt.
    pub(super) name: &'static str,
}

/// The tool that asks the user for a name, which several scenarios call.
pub(super) const GREETING: Fixture = Fixture::tool("test_input_required_result_elicitation");

/// The key under which it asks for the name.
pub(super) const USER_NAME: &str = "user_name";

impl Fixture {
    pub(super) const fn tool(name: &'static str) -> Self {
        Self { method: "tools/call", name }
    }

    pub(super) const fn prompt(name: &'static str) -> Self {
        Self { method: "prompts/get", name }
    }

    /// The request, without any input. Its first reply counts: a scenario responds itself.
    pub(super) fn request<'a>(&self, ctx: &'a mut Ctx) -> RequestBuilder<'a> {
        let params = match self.method {
            "tools/call" => json!({"name": self.name, "arguments": {}}),
            _ => json!({"name": self.name}),
        };
        ctx.request(self.method, params).once()
    }

    /// The request again, with these responses, and with the state of the reply that has asked for them.
    pub(super) fn retry<'a>(
        &self,
        ctx: &'a mut Ctx,
        asked: &Reply,
        responses: impl Into<Value>,
    ) -> RequestBuilder<'a> {
        let retry = self.request(ctx).param("inputResponses", responses);
        match state(asked) {
            Some(state) => retry.param("requestState", state.clone()),
            None => retry,
        }
    }

    /// The reference server, with another answer to retries.
    pub(super) fn retried(&self, response: impl Respond) -> Server {
        let is_retry = params(object().member("inputResponses", anything()));
        reference_server_with([given(method(self.method)).and(is_retry).respond_with(response)])
    }
}

/// The state of a result.
pub(super) fn state(reply: &Reply) -> Option<&Value> {
    reply.outcome().ok()?.get("requestState")
}

/// The requests of a result that asks for input.
pub(super) fn requests(reply: &Reply) -> Option<&Object> {
    reply.outcome().ok()?.get("inputRequests")?.as_object()
}

/// This response to the first request of a result, which is the only one of most fixtures.
pub(super) fn to_first(asked: &Reply, response: serde_json::Value) -> Object {
    let key = requests(asked).and_then(|requests| requests.keys().next());
    key.map(|key| (key, response)).into_iter().collect()
}

/// The response of a user who has entered this.
pub(super) fn accepted(content: &serde_json::Value) -> serde_json::Value {
    json!({"action": "accept", "content": content})
}

/// The response of a model.
pub(super) fn sampled(text: &str) -> serde_json::Value {
    let content = json!({"type": "text", "text": text});
    json!({"role": "assistant", "content": content, "model": "test-model", "stopReason": "endTurn"})
}

/// The URI of the only root, and its name.
pub(super) const ROOT: &str = "file:///test/root";
pub(super) const ROOT_NAME: &str = "Test Root";

/// The response of a client with one root.
pub(super) fn rooted() -> serde_json::Value {
    json!({"roots": [{"uri": ROOT, "name": ROOT_NAME}]})
}

/// Matches a result that asks for input by matching requests.
pub(super) fn asking(requests: impl Matcher + 'static) -> ObjectMatcher {
    object().member("resultType", equals("input_required")).member("inputRequests", requests)
}

/// Matches requests of which the first one has this method.
pub(super) fn first_is(method: &'static str) -> impl Matcher {
    satisfying(format!("an object whose first request is `{method}`"), move |requests| {
        let first = requests.as_object().and_then(|requests| requests.iter().next());
        first.and_then(|(_, request)| method_of(request)) == Some(method)
    })
}

/// Matches a result that asks for nothing more. Other checks judge whether it has a `resultType`.
pub(super) fn complete() -> ObjectMatcher {
    object().optional("resultType", not(equals("input_required")))
}

/// Makes the check of a reply that the contract of the fixture describes, and returns the reply if it passes. Otherwise there
/// is nothing to continue with, and the checks that remain are SKIPPED; the official suite does not report them.
pub(super) fn expect_reply(
    ctx: &mut Ctx,
    check: &str,
    outcome: Result<Reply, Finding>,
    result: impl Matcher,
) -> Result<Option<Reply>, Finding> {
    let reply = match outcome {
        Ok(reply) => reply,
        Err(finding) => return ctx.conclude(check, Err(finding)).map(|()| None),
    };
    ctx.check(check).by_fixture().expect(&reply, result);
    if ctx.has_failed(check) {
        ctx.skip_the_rest(&format!("not reached: `{check}` has failed"));
        return Ok(None);
    }
    Ok(Some(reply))
}
