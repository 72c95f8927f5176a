//! Sampling: requests to a model, and the responses of the model.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/client/sampling>

use serde_json::json;

use super::Answer;
use super::params::Params;
use crate::json::{Object, Value};
use crate::wire::{Request, RpcError};

/// A `sampling/createMessage`. A parameter that is missing or has the wrong type reads as empty.
#[derive(Debug, Clone)]
pub struct SamplingRequest {
    params: Params,
}

impl SamplingRequest {
    pub(super) fn of(request: &Request) -> Self {
        Self { params: Params::of(request) }
    }

    /// One parameter.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&Value> {
        self.params.get(name)
    }

    /// The messages of the conversation with the model.
    #[must_use]
    pub fn messages(&self) -> &[Value] {
        self.params.array("messages")
    }

    /// The text of the last message; the texts of several content blocks are joined by newlines.
    #[must_use]
    pub fn text(&self) -> String {
        let content = self.messages().last().and_then(|message| message.get("content"));
        let blocks = match content {
            // From 2025-11-25 on, the content may be an array of blocks.
            Some(Value::Array(blocks)) => blocks.iter().collect(),
            one => Vec::from_iter(one),
        };
        let texts = blocks.into_iter().filter_map(|block| block.get("text")?.as_str());
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The system prompt.
    #[must_use]
    pub fn system_prompt(&self) -> Option<&str> {
        self.param("systemPrompt")?.as_str()
    }

    /// The maximum number of tokens in the response.
    #[must_use]
    pub fn max_tokens(&self) -> Option<u64> {
        self.param("maxTokens")?.as_u64()
    }

    /// The tools that the model may use, from 2025-11-25 on.
    #[must_use]
    pub fn tools(&self) -> &[Value] {
        self.params.array("tools")
    }
}

/// The response to a `sampling/createMessage`, of the model or of the user who supervises it.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::client::SamplingResponse;
/// use serde_json::json;
///
/// let _ = SamplingResponse::text("Paris").model("small").stop_reason("maxTokens");
/// let _ = SamplingResponse::tool_use("call-1", "get_weather", json!({"city": "Paris"}));
/// let _ = SamplingResponse::refuse("no models for strangers");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "return it from a handler"]
pub struct SamplingResponse {
    message: Result<ModelMessage, RpcError>,
}

#[derive(Debug, Clone, PartialEq)]
struct ModelMessage {
    content: Value,
    model: String,
    stop_reason: Option<String>,
}

/// The code that the specification's example gives when the user refuses.
/// <https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#error-handling>
const USER_REJECTED: i64 = -1;

impl SamplingResponse {
    /// Responds with text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::content(json!({"type": "text", "text": text.into()}))
    }

    /// Responds with content of any kind: one block or, from 2025-11-25 on, an array of blocks.
    pub fn content(content: impl Into<Value>) -> Self {
        let message = ModelMessage {
            content: content.into(),
            model: "mcp-test-model".to_owned(),
            stop_reason: Some("endTurn".to_owned()),
        };
        Self { message: Ok(message) }
    }

    /// Responds with a tool use, from 2025-11-25 on.
    pub fn tool_use(id: &str, tool: &str, input: impl Into<Value>) -> Self {
        let mut block = Value::from(json!({"type": "tool_use", "id": id, "name": tool}));
        block.set("/input", input.into());
        Self::content([block].into_iter().collect::<Value>()).stop_reason("toolUse")
    }

    /// Refuses in the place of the user.
    pub fn refuse(message: impl Into<String>) -> Self {
        Self::error(USER_REJECTED, message)
    }

    /// Refuses the request with a JSON-RPC error.
    pub fn error(code: i64, message: impl Into<String>) -> Self {
        Self { message: Err(RpcError::new(code, message)) }
    }

    /// Sets the name of the model.
    pub fn model(mut self, model: impl Into<String>) -> Self {
        if let Ok(message) = &mut self.message {
            message.model = model.into();
        }
        self
    }

    /// Sets the reason why the model stopped.
    pub fn stop_reason(mut self, reason: impl Into<String>) -> Self {
        if let Ok(message) = &mut self.message {
            message.stop_reason = Some(reason.into());
        }
        self
    }

    pub(super) fn into_answer(self) -> Answer {
        let message = self.message?;
        let mut result = Object::new();
        result.push("role", "assistant");
        result.push("content", message.content);
        result.push("model", message.model);
        if let Some(reason) = message.stop_reason {
            result.push("stopReason", reason);
        }
        Ok(result.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(sampled: SamplingResponse) -> String {
        match sampled.into_answer() {
            Ok(result) => result.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn responses_have_the_form_of_the_protocol() {
        insta::assert_snapshot!(answer(SamplingResponse::text("4").model("m").stop_reason("maxTokens")), @r#"{"role":"assistant","content":{"text":"4","type":"text"},"model":"m","stopReason":"maxTokens"}"#);
        insta::assert_snapshot!(answer(SamplingResponse::tool_use("c", "add", json!({"a": 1}))), @r#"{"role":"assistant","content":[{"id":"c","name":"add","type":"tool_use","input":{"a":1}}],"model":"mcp-test-model","stopReason":"toolUse"}"#);
        insta::assert_snapshot!(answer(SamplingResponse::refuse("no").model("m")), @"error -1: no");
    }

    #[test]
    fn requests_tolerate_missing_and_mistyped_parameters() {
        let read = |params: serde_json::Value| {
            let request = Request::new(1, "sampling/createMessage", Some(params.into()));
            let request = SamplingRequest::of(&request);
            (request.text(), request.max_tokens(), request.tools().len())
        };
        let one = json!({"messages": [{"role": "user", "content": {"type": "text", "text": "a"}}], "maxTokens": 5});
        assert_eq!(read(one), ("a".to_owned(), Some(5), 0));
        let many = json!({"messages": [{"content": [{"text": "a"}, {"type": "image"}, {"text": "b"}]}], "tools": [{}]});
        assert_eq!(read(many), ("a\nb".to_owned(), None, 1));
        assert_eq!(read(json!({"messages": 5})), (String::new(), None, 0));
        assert_eq!(SamplingRequest { params: Params::default() }.text(), "");
    }
}
