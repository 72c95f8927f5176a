//! The clients of the proofs: each does one thing wrong.

use mcp_test_core::client::wait::Step;
use mcp_test_core::client::{Handlers, SamplingRequest, SamplingResponse};
use mcp_test_core::spec::error_code::{INTERNAL_ERROR, INVALID_PARAMS};
use mcp_test_core::wire::Request;
use serde_json::Value as Json;

use super::{
    ARRAY, MISSING_RESULT, MIXED_RESULTS, NO_MESSAGES, NONE, REQUIRED, SAMPLING, UNKNOWN_CONTENT,
};
use crate::scenarios::listing_client::listing;
use crate::scenarios::prelude::*;

/// Connects as a client that declares tools in sampling, and lists the tools.
fn generating(model: fn(&SamplingRequest) -> SamplingResponse) -> ScriptedClient {
    listing(move |task| {
        let handlers = Handlers::new().sampling(model).declaring(Capability::SamplingTools);
        task.options().handlers(handlers)
    })
}

/// The request that a model answers.
fn name(request: &SamplingRequest) -> &str {
    let named = request.param("metadata").and_then(|it| it.get("mcp-test"));
    named.and_then(Value::as_str).unwrap_or_default()
}

/// What a careful client answers.
fn careful(request: &SamplingRequest) -> SamplingResponse {
    match name(request) {
        NO_MESSAGES | UNKNOWN_CONTENT | MISSING_RESULT | MIXED_RESULTS => {
            SamplingResponse::error(INVALID_PARAMS, "not valid")
        }
        REQUIRED => SamplingResponse::tool_use("use-1", "lookup", json!({})),
        _ => SamplingResponse::text("generated"),
    }
}

/// A client that answers `$request` with `$response`, and all other requests as a careful client does.
macro_rules! except {
    ($client:ident, $request:ident, $response:expr) => {
        pub(super) fn $client() -> ScriptedClient {
            generating(|request| match name(request) {
                $request => $response,
                _ => careful(request),
            })
        }
    };
}

except!(refuses_arrays, ARRAY, SamplingResponse::error(INTERNAL_ERROR, "not a block"));
except!(generates_for_nothing, NO_MESSAGES, SamplingResponse::text("generated"));
except!(names_another_error, NO_MESSAGES, SamplingResponse::error(INTERNAL_ERROR, "bad"));
except!(generates_for_a_hologram, UNKNOWN_CONTENT, SamplingResponse::text("generated"));
except!(uses_no_tool, REQUIRED, SamplingResponse::text("generated"));
except!(uses_a_tool, NONE, SamplingResponse::tool_use("use-1", "lookup", json!({})));
except!(
    ends_its_turn,
    REQUIRED,
    SamplingResponse::tool_use("use-1", "lookup", json!({})).stop_reason("endTurn")
);
except!(generates_without_a_result, MISSING_RESULT, SamplingResponse::text("generated"));
except!(generates_for_a_mixture, MIXED_RESULTS, SamplingResponse::text("generated"));

/// A client that answers every sampling request with what `answer` returns for its params.
fn answering(answer: fn(&Value) -> Option<Json>) -> ScriptedClient {
    ScriptedClient::new(move |task: ClientTask| async move {
        let handlers =
            Handlers::new().leaving_unanswered(SAMPLING).declaring(Capability::SamplingTools);
        let mut client = task.connect(task.options().handlers(handlers)).await?;
        let list = client.start("tools/list", json!({})).await;
        let mut answered = 0;
        while client.is_pending(&list) && client.step_for(&list).await == Step::Observed {
            let requests: Vec<Request> =
                client.server_requests_after(answered).map(|(_, it)| it.clone()).collect();
            answered += requests.len();
            for request in requests {
                if let Some(result) = answer(&request.params.clone().unwrap_or_default()) {
                    client.answer(&request, Ok(result.into())).await;
                }
            }
        }
        client.wait(list).await?.result()?;
        client.end().await;
        Ok(())
    })
}

fn message(role: &str, content: &Json) -> Option<Json> {
    Some(json!({ "role": role, "content": content, "model": "model", "stopReason": "toolUse" }))
}

fn text() -> Json {
    json!({ "type": "text", "text": "generated" })
}

pub(super) fn uses_it_as_user() -> ScriptedClient {
    answering(|params| match params.at("/toolChoice/mode").and_then(Value::as_str) {
        Some("required") => {
            let tool_use =
                json!({ "type": "tool_use", "id": "use-1", "name": "lookup", "input": {} });
            message("user", &json!([tool_use]))
        }
        _ => message("assistant", &text()),
    })
}

pub(super) fn ignores_what_is_invalid() -> ScriptedClient {
    answering(|params| params.get("messages").and_then(|_| message("assistant", &text())))
}
