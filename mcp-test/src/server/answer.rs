//! What a handler answers.

use crate::{json::Value, transport::fault::Then, wire::RpcError};

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
pub struct Answer(pub(super) Result<Value, NoResult>);

/// Why there is no result.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NoResult {
    /// There is an error.
    Error(RpcError),
    /// There is no answer at all, but this.
    Instead(Then),
}

impl Answer {
    /// A JSON-RPC error.
    #[must_use]
    pub fn error(code: i64, message: impl Into<String>) -> Self {
        RpcError::new(code, message).into()
    }

    /// No answer, ever.
    #[must_use]
    pub fn never() -> Self {
        Self(Err(NoResult::Instead(Then::Silence)))
    }

    /// No answer: the connection is closed.
    #[must_use]
    pub fn close() -> Self {
        Self(Err(NoResult::Instead(Then::Close)))
    }

    /// No answer: the event stream ends in good order. Over lines there is no stream, and it is the same as
    /// [`Self::never`].
    #[must_use]
    pub fn end_stream() -> Self {
        Self(Err(NoResult::Instead(Then::End)))
    }

    /// No answer: the whole server ends. Over HTTP, where it serves others too, it is the same as [`Self::close`].
    #[must_use]
    pub fn exit() -> Self {
        Self(Err(NoResult::Instead(Then::Exit)))
    }
}

impl Answer {
    /// What is said, or what happens instead.
    pub(super) fn said(self) -> Result<Result<Value, RpcError>, Then> {
        match self.0 {
            Ok(result) => Ok(Ok(result)),
            Err(NoResult::Error(error)) => Ok(Err(error)),
            Err(NoResult::Instead(then)) => Err(then),
        }
    }

    /// A result that asks for input before the request can be answered: requests to the client under names of the
    /// server's choice (`null` for none), and a state that the client sends back with their answers.
    ///
    /// Only where [`Revision::has_input_requests`](crate::spec::Revision::has_input_requests) can clients make anything
    /// of it. What comes back is in [`Call::input_response`](super::Call::input_response) and
    /// [`Call::request_state`](super::Call::request_state).
    ///
    /// ```
    /// use mcp_test::server::{Answer, Call, Server};
    /// use serde_json::json;
    ///
    /// let server = Server::new(json!({"name": "greeter", "version": "1.0.0"}))
    ///     .capabilities(json!({"tools": {}}))
    ///     .on("tools/call", |call: Call| async move {
    ///         if call.input_response("roots").is_some() {
    ///             return Answer::from(json!({"content": []}));
    ///         }
    ///         Answer::input_required(json!({"roots": {"method": "roots/list"}}), Some("step 1"))
    ///     });
    /// # drop(server);
    /// ```
    #[must_use]
    pub fn input_required(requests: impl Into<Value>, state: Option<&str>) -> Self {
        let mut result = Value::from(serde_json::json!({ "resultType": "input_required" }));
        let requests = requests.into();
        if !requests.is_null() {
            result.set("/inputRequests", requests);
        }
        if let Some(state) = state {
            result.set("/requestState", state.into());
        }
        result.into()
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
        Self(Err(NoResult::Error(error)))
    }
}

impl<V: Into<Value>> From<Result<V, RpcError>> for Answer {
    fn from(answer: Result<V, RpcError>) -> Self {
        Self(answer.map(Into::into).map_err(NoResult::Error))
    }
}
