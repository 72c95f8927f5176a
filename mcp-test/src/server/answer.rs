//! What a handler answers.

use crate::{json::Value, wire::RpcError};

/// The answer to a request: a result, or a JSON-RPC error.
///
/// Handlers may return anything that turns into one: a JSON value is a result.
///
/// ```
/// use mcp_test::server::Answer;
/// use serde_json::json;
///
/// let result = Answer::from(json!({"tools": []}));
/// let refusal = Answer::error(-32602, "unknown tool: `add`");
/// assert_ne!(result, refusal);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Answer(pub(super) Result<Value, RpcError>);

impl Answer {
    /// A JSON-RPC error.
    #[must_use]
    pub fn error(code: i64, message: impl Into<String>) -> Self {
        Self(Err(RpcError::new(code, message)))
    }
}

impl From<Value> for Answer {
    fn from(result: Value) -> Self {
        Self(Ok(result))
    }
}

impl From<serde_json::Value> for Answer {
    fn from(result: serde_json::Value) -> Self {
        Self(Ok(result.into()))
    }
}

impl From<RpcError> for Answer {
    fn from(error: RpcError) -> Self {
        Self(Err(error))
    }
}

impl<V: Into<Value>> From<Result<V, RpcError>> for Answer {
    fn from(answer: Result<V, RpcError>) -> Self {
        Self(answer.map(Into::into))
    }
}
