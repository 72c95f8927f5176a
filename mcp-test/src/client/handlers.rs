//! Answers to what a server asks its client.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::json::{Object, Value};
use crate::spec::error_code;
use crate::wire::{ErrorReply, Id, Message, Request, Response, RpcError};

/// What a handler answers: a result, or a JSON-RPC error.
pub type Answer = Result<Value, RpcError>;

type Handler = Arc<dyn Fn(&Request) -> Answer + Send + Sync>;

/// The answers of a client to what its server asks, by method.
///
/// `ping` is answered always; what has no handler is refused with -32601.
///
/// ```
/// use mcp_test::client::Handlers;
/// use serde_json::json;
///
/// let handlers = Handlers::new().on("roots/list", |_| Ok(json!({"roots": []}).into()));
/// assert_eq!(handlers.capabilities(), json!({"roots": {}}));
/// ```
#[derive(Clone, Default)]
pub struct Handlers {
    by_method: BTreeMap<String, Handler>,
}

impl Handlers {
    /// No handlers: only `ping` is answered.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers `method` with `handler`.
    #[must_use]
    pub fn on(
        mut self,
        method: &str,
        handler: impl Fn(&Request) -> Answer + Send + Sync + 'static,
    ) -> Self {
        self.by_method.insert(method.to_owned(), Arc::new(handler));
        self
    }

    /// The client capabilities that the handlers serve.
    #[must_use]
    pub fn capabilities(&self) -> Value {
        let mut capabilities = Object::new();
        let pairs = [
            ("roots/list", "roots"),
            ("sampling/createMessage", "sampling"),
            ("elicitation/create", "elicitation"),
        ];
        for (method, capability) in pairs {
            if self.by_method.contains_key(method) {
                capabilities.insert(capability, Value::Object(Object::new()));
            }
        }
        Value::Object(capabilities)
    }

    /// The message that answers `request`.
    pub(super) fn answer(&self, request: &Request) -> Message {
        let id: Id = request.id.clone();
        let answer = match self.by_method.get(&request.method) {
            Some(handler) => handler(request),
            None if request.method == "ping" => Ok(Value::Object(Object::new())),
            None => Err(RpcError {
                code: error_code::METHOD_NOT_FOUND,
                message: format!("the test client has no handler for `{}`", request.method),
                data: None,
            }),
        };
        match answer {
            Ok(result) => Message::Response(Response { id, result }),
            Err(error) => Message::Error(ErrorReply { id: Some(id), error }),
        }
    }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.by_method.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(method: &str) -> String {
        let handlers =
            Handlers::new().on("roots/list", |_| Ok(serde_json::json!({"roots": []}).into()));
        let request = Request { id: Id::from("s1"), method: method.to_owned(), params: None };
        handlers.answer(&request).to_value().to_string()
    }

    #[test]
    fn handlers_answer_with_the_id_of_the_request() {
        insta::assert_snapshot!(asked("roots/list"), @r#"{"jsonrpc":"2.0","id":"s1","result":{"roots":[]}}"#);
        insta::assert_snapshot!(asked("ping"), @r#"{"jsonrpc":"2.0","id":"s1","result":{}}"#);
        insta::assert_snapshot!(asked("elicitation/create"), @r#"{"jsonrpc":"2.0","id":"s1","error":{"code":-32601,"message":"the test client has no handler for `elicitation/create`"}}"#);
    }
}
