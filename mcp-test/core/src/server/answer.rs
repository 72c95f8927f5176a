//! [`Answer`]: the answer of a handler.

use std::time::Duration;

use crate::json::Value;
use crate::spec::error_code;
use crate::transport::fault::FollowUp;
use crate::wire::RpcError;

/// The answer to a request: a result, or a JSON-RPC error.
///
/// Handlers may return anything that turns into one: a JSON value is a result.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::server::Answer;
/// use serde_json::json;
///
/// let result = Answer::from(json!({"tools": []}));
/// let refusal = Answer::error(-32602, "unknown tool: `add`");
/// assert_ne!(result, refusal);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Answer(pub(super) Result<Value, NoResult>);

/// Who may share a result that a client keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheScope {
    /// Everybody.
    Public,
    /// Only who has requested it.
    Private,
}

impl CacheScope {
    /// Sets the hints of a result.
    pub(super) fn set_hints(self, result: &mut Value, time: Duration) {
        let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let scope = match self {
            Self::Public => "public",
            Self::Private => "private",
        };
        result.set("/ttlMs", milliseconds.into());
        result.set("/cacheScope", scope.into());
    }
}

/// The answer without a result.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NoResult {
    /// A JSON-RPC error.
    Error(RpcError),
    /// This follow-up instead of a reply.
    Instead(FollowUp),
    /// The session has ended.
    SessionEnd,
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
        Self(Err(NoResult::Instead(FollowUp::Silence)))
    }

    /// No answer: the connection is closed.
    #[must_use]
    pub fn close() -> Self {
        Self(Err(NoResult::Instead(FollowUp::CloseConnection)))
    }

    /// No answer: the event stream ends gracefully. Line transports have no stream, so it is the same as [`Self::never`]
    /// there.
    #[must_use]
    pub fn end_stream() -> Self {
        Self(Err(NoResult::Instead(FollowUp::EndStream)))
    }

    /// No answer: the server exits. Over HTTP, where it serves other clients too, it is the same as [`Self::close`].
    #[must_use]
    pub fn exit() -> Self {
        Self(Err(NoResult::Instead(FollowUp::Exit)))
    }

    /// An error with HTTP status 404, after which the session of the client has ended: its later requests are refused in the
    /// same way. Only Streamable HTTP has sessions; elsewhere it is an error like others.
    ///
    /// <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management>
    #[must_use]
    pub fn end_session() -> Self {
        Self(Err(NoResult::SessionEnd))
    }
}

impl Answer {
    /// The reply, or what happens instead of one.
    pub(super) fn into_outcome(self) -> Result<Result<Value, RpcError>, FollowUp> {
        match self.0 {
            Ok(result) => Ok(Ok(result)),
            Err(NoResult::Error(error)) => Ok(Err(error)),
            Err(NoResult::Instead(then)) => Err(then),
            Err(NoResult::SessionEnd) => {
                Ok(Err(RpcError::new(error_code::INVALID_REQUEST, "the session has ended")))
            }
        }
    }

    /// Whether it ends the session of the client.
    pub(super) fn ends_session(&self) -> bool {
        self.0 == Err(NoResult::SessionEnd)
    }

    /// The same result with hints that clients may keep it for this time, and for whom; anything else stays as it is.
    ///
    /// At revisions with caching, results of cacheable methods have the hints that allow the least unless a handler sets them.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use std::time::Duration;
    ///
    /// use mcp_test::server::{Answer, CacheScope};
    /// use serde_json::json;
    ///
    /// let listed = Answer::from(json!({"tools": []})).cached(Duration::from_secs(60), CacheScope::Private);
    /// assert_eq!(listed, json!({"tools": [], "ttlMs": 60_000, "cacheScope": "private"}).into());
    /// ```
    #[must_use]
    pub fn cached(mut self, time: Duration, scope: CacheScope) -> Self {
        if let Ok(result) = &mut self.0 {
            scope.set_hints(result, time);
        }
        self
    }

    /// A result that asks for input: requests to the client under names of the server's choice (`null` for none), and a
    /// state that the client sends back with its responses.
    ///
    /// Clients only understand it at revisions with
    /// [`Revision::has_input_requests`](crate::spec::Revision::has_input_requests). Their
    /// responses are in [`Call::input_response`](super::Call::input_response) and
    /// [`Call::request_state`](super::Call::request_state).
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
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
        // Set here, because `shape` would add the type of a complete result.
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
