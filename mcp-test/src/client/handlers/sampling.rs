//! Sampling: what a server asks a model for, and what the model says.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/client/sampling>

use serde_json::json;

use super::Answer;
use crate::json::{Object, Value};
use crate::wire::{Request, RpcError};

/// A `sampling/createMessage` as a handler sees it. What the server left out, or sent in another type, reads as empty.
#[derive(Debug, Clone)]
pub struct Sampling {
    params: Value,
}

impl Sampling {
    pub(super) fn of(request: &Request) -> Self {
        Self { params: request.params.clone().unwrap_or_default() }
    }

    /// One parameter, as it came.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&Value> {
        self.params.get(name)
    }

    /// The messages of the conversation with the model.
    #[must_use]
    pub fn messages(&self) -> &[Value] {
        self.param("messages").and_then(Value::as_array).unwrap_or_default()
    }

    /// The text of the last message; of several content blocks all texts, a line each.
    #[must_use]
    pub fn text(&self) -> String {
        let content = self.messages().last().and_then(|message| message.get("content"));
        let blocks = match content {
            Some(Value::Array(blocks)) => blocks.iter().collect(),
            one => Vec::from_iter(one),
        };
        let texts = blocks.into_iter().filter_map(|block| block.get("text")?.as_str());
        texts.collect::<Vec<_>>().join("\n")
    }

    /// What the model should be told first.
    #[must_use]
    pub fn system_prompt(&self) -> Option<&str> {
        self.param("systemPrompt")?.as_str()
    }

    /// How much the model may say.
    #[must_use]
    pub fn max_tokens(&self) -> Option<u64> {
        self.param("maxTokens")?.as_u64()
    }

    /// The tools that the model may use, of 2025-11-25 and later.
    #[must_use]
    pub fn tools(&self) -> &[Value] {
        self.param("tools").and_then(Value::as_array).unwrap_or_default()
    }
}

/// What a model, or the user who watches over it, says to a `sampling/createMessage`.
///
/// ```
/// use mcp_test::client::Sampled;
/// use serde_json::json;
///
/// let _ = Sampled::text("Paris").model("small").stop_reason("maxTokens");
/// let _ = Sampled::tool_use("call-1", "get_weather", json!({"city": "Paris"}));
/// let _ = Sampled::refuse("no models for strangers");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a handler returns it"]
pub struct Sampled {
    said: Result<Said, RpcError>,
}

#[derive(Debug, Clone, PartialEq)]
struct Said {
    content: Value,
    model: String,
    stop_reason: Option<String>,
}

/// The code that the specification's example gives when the user refuses.
/// <https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#error-handling>
const USER_REJECTED: i64 = -1;

impl Sampled {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::content(json!({"type": "text", "text": text.into()}))
    }

    /// Content of any kind: one block or, from 2025-11-25 on, an array of them.
    pub fn content(content: impl Into<Value>) -> Self {
        let said = Said {
            content: content.into(),
            model: "mcp-test-model".to_owned(),
            stop_reason: Some("endTurn".to_owned()),
        };
        Self { said: Ok(said) }
    }

    /// The wish to use a tool, of 2025-11-25 and later.
    pub fn tool_use(id: &str, tool: &str, input: impl Into<Value>) -> Self {
        let mut block = Value::from(json!({"type": "tool_use", "id": id, "name": tool}));
        block.set("/input", input.into());
        Self::content([block].into_iter().collect::<Value>()).stop_reason("toolUse")
    }

    /// The user's refusal.
    pub fn refuse(message: impl Into<String>) -> Self {
        Self { said: Err(RpcError::new(USER_REJECTED, message)) }
    }

    /// Says which model spoke.
    pub fn model(mut self, model: impl Into<String>) -> Self {
        if let Ok(said) = &mut self.said {
            said.model = model.into();
        }
        self
    }

    /// Says why the model stopped.
    pub fn stop_reason(mut self, reason: impl Into<String>) -> Self {
        if let Ok(said) = &mut self.said {
            said.stop_reason = Some(reason.into());
        }
        self
    }

    pub(super) fn into_answer(self) -> Answer {
        let said = self.said?;
        let mut result = Object::new();
        result.push("role", "assistant");
        result.push("content", said.content);
        result.push("model", said.model);
        if let Some(reason) = said.stop_reason {
            result.push("stopReason", reason);
        }
        Ok(result.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(sampled: Sampled) -> String {
        match sampled.into_answer() {
            Ok(result) => result.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn what_a_model_says_has_the_form_of_the_protocol() {
        insta::assert_snapshot!(answer(Sampled::text("4").model("m").stop_reason("maxTokens")), @r#"{"role":"assistant","content":{"text":"4","type":"text"},"model":"m","stopReason":"maxTokens"}"#);
        insta::assert_snapshot!(answer(Sampled::tool_use("c", "add", json!({"a": 1}))), @r#"{"role":"assistant","content":[{"id":"c","name":"add","type":"tool_use","input":{"a":1}}],"model":"mcp-test-model","stopReason":"toolUse"}"#);
        insta::assert_snapshot!(answer(Sampled::refuse("no").model("m")), @"error -1: no");
    }

    #[test]
    fn a_request_is_read_generously() {
        let read = |params: serde_json::Value| {
            let request = Request::new(1, "sampling/createMessage", Some(params.into()));
            let asked = Sampling::of(&request);
            (asked.text(), asked.max_tokens(), asked.tools().len())
        };
        let one = json!({"messages": [{"role": "user", "content": {"type": "text", "text": "a"}}], "maxTokens": 5});
        assert_eq!(read(one), ("a".to_owned(), Some(5), 0));
        let many = json!({"messages": [{"content": [{"text": "a"}, {"type": "image"}, {"text": "b"}]}], "tools": [{}]});
        assert_eq!(read(many), ("a\nb".to_owned(), None, 1));
        assert_eq!(read(json!({"messages": 5})), (String::new(), None, 0));
        assert_eq!(Sampling { params: Value::Null }.text(), "");
    }
}
