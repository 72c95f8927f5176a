//! Asking the client for input, in the form of the revision.

use serde_json::json;

use super::{Answer, Call, CallError};
use crate::json::{Object, Value};
use crate::spec::{Capability, error_code};
use crate::wire::RpcError;

/// Why there is no response of the client yet, or none at all.
#[derive(Debug, Clone, PartialEq)]
pub enum AskError {
    /// The handler has to return this answer, and is called again with the response.
    InputRequired(Answer),
    /// The client refused or disconnected.
    Failed(CallError),
}

impl From<AskError> for Answer {
    /// The answer of a handler that cannot continue without the response.
    fn from(error: AskError) -> Self {
        match error {
            AskError::InputRequired(answer) => answer,
            AskError::Failed(CallError::Refused(error)) => error.into(),
            AskError::Failed(error) => {
                RpcError::new(error_code::INTERNAL_ERROR, error.to_string()).into()
            }
        }
    }
}

impl Call {
    /// Asks the client for input: by a request where servers send requests, otherwise by a result that asks for input.
    ///
    /// In the second case the handler ends and is called again, so it can ask for one input only, and should do so before
    /// anything that must not happen twice. The declared capabilities of the client are not checked: see
    /// [`Call::require`].
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::server::{Answer, Call, Server};
    /// use serde_json::json;
    ///
    /// async fn greet(call: Call) -> Answer {
    ///     let form = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    ///     let asked = json!({"message": "Who is there?", "requestedSchema": form});
    ///     match call.ask("elicitation/create", asked).await {
    ///         Ok(user) => json!({"content": [{"type": "text", "text": user.to_string()}]}).into(),
    ///         Err(error) => error.into(),
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
    /// The answer that the handler has to return for now, or why there is no response.
    pub async fn ask(&self, method: &str, params: impl Into<Value>) -> Result<Value, AskError> {
        if self.revision().has_server_requests() {
            return self.request(method, params).await.map_err(AskError::Failed);
        }
        // Derived from the method, since the handler that is called again has to find the response under the same key.
        let key = method.split('/').next().unwrap_or(method);
        // In the second round the request is the same, with the responses of the client added.
        let response = self.param("inputResponses").and_then(|responses| responses.get(key));
        response.cloned().ok_or_else(|| {
            let request = json!({ "method": method, "params": params.into().to_serde() });
            let requests = json!({ key: request });
            let result = json!({ "resultType": "input_required", "inputRequests": requests });
            AskError::InputRequired(result.into())
        })
    }

    /// Checks that the client declares a capability, without which a server must not ask it for input.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::server::{Answer, Call};
    /// use mcp_test::spec::Capability;
    /// use serde_json::json;
    ///
    /// async fn sample(call: Call) -> Answer {
    ///     if let Err(answer) = call.require(Capability::Sampling) {
    ///         return answer;
    ///     }
    ///     json!({"content": []}).into()
    /// }
    /// # drop(sample);
    /// ```
    ///
    /// # Errors
    ///
    /// The answer that the handler has to return if it does not: the result of a tool that failed, and since 2026-07-28 the
    /// error for a missing capability.
    pub fn require(&self, capability: Capability) -> Result<(), Answer> {
        if capability.declared_in(self.client_capabilities()) {
            return Ok(());
        }
        // The error code below exists since 2026-07-28; before, a tool reports its failure in a result.
        if self.revision().has_server_requests() {
            let text = json!({ "type": "text", "text": undeclared(capability) });
            return Err(json!({ "content": [text], "isError": true }).into());
        }
        Err(missing_capability(capability).into())
    }
}

/// The error for a capability that the client does not declare, from 2026-07-28 on.
pub(super) fn missing_capability(capability: Capability) -> RpcError {
    // The error names what is missing in the form in which a client declares it.
    let mut required = Value::from(Object::new());
    let pointer = capability.pointer();
    // `set` adds no parents: each later slash ends the pointer of one.
    for (end, _) in pointer.match_indices('/').skip(1) {
        required.set(&pointer[..end], Object::new().into());
    }
    required.set(pointer, Object::new().into());
    let mut data = Value::from(Object::new());
    data.set("/requiredCapabilities", required);
    let code = error_code::MISSING_REQUIRED_CLIENT_CAPABILITY;
    RpcError::new(code, undeclared(capability)).with_data(data)
}

fn undeclared(capability: Capability) -> String {
    format!("the client does not declare the capability `{capability}`")
}
