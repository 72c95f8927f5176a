//! What stands in for the model of the reference client: it says one word, or uses a tool if it has to.
//!
//! Requests that are not valid are refused, as clients should do before a model sees them.
//! <https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#message-content-constraints>

use serde_json::json;

use crate::client::{SamplingRequest, SamplingResponse};
use crate::json::Value;
use crate::spec::error_code;

/// Generates a message for a client that does not declare `sampling.tools`.
pub(super) fn generate(request: &SamplingRequest) -> SamplingResponse {
    if request.param("tools").is_some() || request.param("toolChoice").is_some() {
        return SamplingResponse::refuse("the client does not support tools in sampling");
    }
    generate_with_tools(request)
}

/// Generates a message, which uses the first tool if it has to use one.
pub(super) fn generate_with_tools(request: &SamplingRequest) -> SamplingResponse {
    if let Some(why) = invalid(request.messages()) {
        return SamplingResponse::error(error_code::INVALID_PARAMS, why);
    }
    let mode = request.param("toolChoice").and_then(|choice| choice.get("mode")?.as_str());
    let tool = request.tools().first().and_then(|tool| tool.get("name")?.as_str());
    match tool.filter(|_| mode == Some("required")) {
        Some(tool) => SamplingResponse::tool_use("use-1", tool, json!({})),
        None => SamplingResponse::text("generated"),
    }
}

/// Why messages are not valid, if they are not.
fn invalid(messages: &[Value]) -> Option<&'static str> {
    const KNOWN: [&str; 5] = ["text", "image", "audio", "tool_use", "tool_result"];
    if messages.is_empty() {
        return Some("`messages` is empty");
    }
    let mut used = Vec::new();
    for message in messages {
        let blocks = blocks(message);
        if !blocks.iter().all(|block| KNOWN.contains(&kind(block))) {
            return Some("the type of a content block is unknown");
        }
        let results = ids(&blocks, "tool_result", "toolUseId");
        if !results.is_empty() && results.len() != blocks.len() {
            return Some("results of tools are mixed with other content");
        }
        if results != used {
            return Some("a tool use has no result");
        }
        used = ids(&blocks, "tool_use", "id");
    }
    None
}

/// The content of a message: one block, or an array of them.
fn blocks(message: &Value) -> Vec<&Value> {
    match message.get("content") {
        Some(Value::Array(blocks)) => blocks.iter().collect(),
        block => block.into_iter().collect(),
    }
}

fn kind(block: &Value) -> &str {
    block.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// The ids, in order, of the tool uses that the blocks of this type are or refer to.
fn ids<'a>(blocks: &[&'a Value], of: &str, member: &str) -> Vec<&'a str> {
    let of_type = blocks.iter().filter(|block| kind(block) == of);
    let mut ids: Vec<&str> = of_type.filter_map(|block| block.get(member)?.as_str()).collect();
    ids.sort_unstable();
    ids
}
