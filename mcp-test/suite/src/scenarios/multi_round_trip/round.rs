//! Rounds: calls that are answered by a request for input, and a server that answers so.

use mcp_test_core::scenario::CallableTool;

use super::input_rounds;
use crate::scenarios::prelude::*;

/// A call that is answered by a request for input, and the parts of the latest such answer.
pub(super) struct Round {
    pub(super) call: Value,
    pub(super) requests: Option<Object>,
    pub(super) state: Option<Value>,
}

/// Calls a tool, and returns what it asks for, if it does.
pub(super) async fn first_round(
    ctx: &mut Ctx,
    tool: &CallableTool,
) -> Result<Option<Round>, Finding> {
    let Some(arguments) = &tool.arguments else { return Ok(None) };
    let arguments = arguments.to_serde();
    start(ctx, json!({"name": tool.name, "arguments": arguments}).into()).await
}

pub(super) async fn start(ctx: &mut Ctx, call: Value) -> Result<Option<Round>, Finding> {
    let reply = ctx.request("tools/call", call.clone()).once().await?;
    let asks = reply.result_type() == Some("input_required");
    let Ok(result) = reply.outcome() else { return Ok(None) };
    let requests = result.get("inputRequests").and_then(Value::as_object).cloned();
    let state = result.get("requestState").cloned();
    Ok((asks && (requests.is_some() || state.is_some())).then_some(Round { call, requests, state }))
}

/// A valid response to each request for input: to forms with this action.
pub(super) fn responses(requests: &Object, action: &str) -> Object {
    input_rounds::responses(requests, |method| match method {
        Some("elicitation/create") => json!({"action": action}),
        Some("roots/list") => json!({"roots": []}),
        _ => {
            let text = json!({"type": "text", "text": "a text of mcp-test"});
            json!({"role": "assistant", "content": text, "model": "mcp-test"})
        }
    })
}

/// The same server, with other answers to some calls.
pub(super) fn asking_but(
    other: impl Fn(&Call) -> Option<Answer> + Clone + Send + Sync + 'static,
) -> Server {
    let tools = ["wait", "greet"].map(|name| {
        json!({"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}})
    });
    everything()
        .on("tools/list", move |_: Call| {
            let tools = tools.clone();
            async move { json!({"tools": tools}) }
        })
        .on("tools/call", move |call: Call| {
            let answer = other(&call).unwrap_or_else(|| answer(&call));
            async move { answer }
        })
}

pub(super) fn is_call_of(call: &Call, tool: &str) -> bool {
    call.param("name").and_then(Value::as_str) == Some(tool)
}

/// The answers of a sound server.
fn answer(call: &Call) -> Answer {
    let state = call.param("requestState");
    let is_known = |known: &str| state.is_none_or(|state| state.as_str() == Some(known));
    let invalid = |why: &str| Answer::error(error_code::INVALID_PARAMS, why);
    if is_call_of(call, "wait") {
        return match state {
            None => Answer::input_required(Value::Null, Some("wait")),
            Some(_) if is_known("wait") => done(),
            Some(_) => invalid("unknown state"),
        };
    }
    if !is_call_of(call, "greet") || !is_known("greet") {
        return invalid("unknown tool, or unknown state");
    }
    if call.param("inputResponses").is_some_and(|input| !input.is_object()) {
        return invalid("the input is not an object");
    }
    if call.input_response("user").is_some() {
        return done();
    }
    let form = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let params = json!({"message": "What is your name?", "requestedSchema": form});
    let request = json!({"method": "elicitation/create", "params": params});
    Answer::input_required(json!({"user": request}), Some("greet"))
}

pub(super) fn done() -> Answer {
    json!({"content": [{"type": "text", "text": "Hello!"}]}).into()
}
