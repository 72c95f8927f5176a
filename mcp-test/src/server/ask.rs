//! Asking the client for something in the way of the revision, whichever that is.

use serde_json::json;

use super::{Answer, Call, CallError};
use crate::{json::Value, spec::error_code, wire::RpcError};

/// Why there is nothing yet, or nothing at all, that the client says.
#[derive(Debug, Clone, PartialEq)]
pub enum Unanswered {
    /// The handler has to answer this, and is called again with what the client says.
    AskedFor(Answer),
    /// The client refuses, or is gone.
    Failed(CallError),
}

impl From<Unanswered> for Answer {
    /// What a handler answers that cannot go on without.
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::AskedFor(answer) => answer,
            Unanswered::Failed(CallError::Refused(error)) => error.into(),
            Unanswered::Failed(error) => {
                RpcError::new(error_code::INTERNAL_ERROR, error.to_string()).into()
            }
        }
    }
}

impl Call {
    /// Asks the client for one thing: by a request where servers send requests, else by a result that wants input.
    ///
    /// In the second case the handler ends, and is called again: it may ask for one thing only, and should do so before
    /// anything that must not happen twice. Whether the client has declared that it can answer is not looked at.
    ///
    /// ```
    /// use mcp_test::server::{Answer, Call, Server};
    /// use serde_json::json;
    ///
    /// async fn greet(call: Call) -> Answer {
    ///     let form = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    ///     let asked = json!({"message": "Who is there?", "requestedSchema": form});
    ///     match call.ask("elicitation/create", asked).await {
    ///         Ok(user) => json!({"content": [{"type": "text", "text": user.to_string()}]}).into(),
    ///         Err(unanswered) => unanswered.into(),
    ///     }
    /// }
    ///
    /// let server = Server::new(json!({"name": "greeter", "version": "1.0.0"}))
    ///     .capabilities(json!({"tools": {}}))
    ///     .on("tools/call", greet);
    /// # drop(server);
    /// ```
    ///
    /// # Errors
    ///
    /// What the handler has to answer for now, or why the client says nothing.
    pub async fn ask(&self, method: &str, params: impl Into<Value>) -> Result<Value, Unanswered> {
        if self.revision().has_server_requests() {
            return self.request(method, params).await.map_err(Unanswered::Failed);
        }
        let key = method.split('/').next().unwrap_or(method);
        let said = self.param("inputResponses").and_then(|responses| responses.get(key));
        said.cloned().ok_or_else(|| {
            let request = json!({ "method": method, "params": params.into().to_serde() });
            let requests = json!({ key: request });
            let wanting = json!({ "resultType": "input_required", "inputRequests": requests });
            Unanswered::AskedFor(wanting.into())
        })
    }
}
