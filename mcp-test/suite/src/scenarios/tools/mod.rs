//! Tools.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/server/tools>

mod schema_keywords;

scenarios![
    tools_list,
    tools_call_simple_text,
    tools_call_image,
    tools_call_audio,
    tools_call_embedded_resource,
    tools_call_mixed_content,
    tools_call_error,
    json_schema_2020_12,
    tools_call,
    json_schema_ref_no_deref,
    json_schema_2020_12_preservation,
    tools_call_unknown,
    tools_call_malformed,
    tools_call_arguments,
    tools_call_allowed,
    tools_call_results,
];

use mcp_test_core::client::MAX_PAGES;

use crate::scenarios::prelude::*;

/// After this time in calls a scenario calls no further tool: some wait for minutes.
const LONGEST: Duration = Duration::from_secs(3);

/// Calls tools, as long as there is time for it.
#[derive(Default)]
pub(in crate::scenarios) struct Calls {
    spent: Duration,
    has_listed: bool,
    made: usize,
}

impl Calls {
    /// Sends a call; `None` if no time is left, or if the tool takes longer than that.
    pub(in crate::scenarios) async fn call(
        &mut self,
        ctx: &mut Ctx,
        params: Value,
    ) -> Result<Option<Reply>, Finding> {
        if self.spent > LONGEST {
            return Ok(None);
        }
        if !self.has_listed {
            // Results are judged by the schemas that the same conversation has listed.
            let _listed = ctx.client().await?.first_pages("tools/list", MAX_PAGES).await?;
            self.has_listed = true;
        }
        self.made += 1;
        let token = format!("call-{}", self.made);
        match ctx.request("tools/call", params).give_up_if_working(token).await {
            Ok(reply) => {
                self.spent += reply.latency().unwrap_or_default();
                Ok(Some(reply))
            }
            Err(finding) if finding.is_given_up() => {
                self.spent = Duration::MAX;
                Ok(None)
            }
            Err(finding) => Err(finding),
        }
    }
}

/// The keywords by which a schema allows only some combinations of arguments.
const CONDITIONS: [&str; 9] = [
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "$ref",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
];

/// Whether an input schema allows only some combinations of arguments, so that none can be left out or replaced alone.
pub(super) fn is_conditional(schema: &Object) -> bool {
    CONDITIONS.iter().any(|keyword| schema.contains(keyword))
}

/// The params of a call.
pub(in crate::scenarios) fn call_params(name: &str, arguments: &Value) -> Value {
    let members = [("name", Value::from(name)), ("arguments", arguments.clone())];
    Value::Object(Object::from_iter(members))
}

/// A reference server whose only tool has this input schema and may be called: for proofs.
fn with_one_tool(
    input_schema: &serde_json::Value,
    answer: impl Fn(&Value) -> Answer + Clone + Send + Sync + 'static,
) -> Server {
    let tool = json!({
        "name": "work",
        "description": "Works.",
        "inputSchema": input_schema,
        "annotations": { "readOnlyHint": true },
    });
    everything()
        .on("tools/list", move |_: Call| {
            let list = json!({ "tools": [tool] });
            async move { list }
        })
        .on("tools/call", move |call: Call| {
            let answer = answer(call.param("arguments").unwrap_or(&Value::Null));
            async move { answer }
        })
}

/// A result with a text.
fn text(text: &str) -> Answer {
    json!({ "content": [{ "type": "text", "text": text }] }).into()
}
