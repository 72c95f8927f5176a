//! How the reference server asks its client: by a request where servers send requests, else by a result that wants input
//! and is called again with it.

use serde_json::json;

use super::{Answer, Call};
use crate::{
    json::{Object, Value},
    server::CallError,
    spec::{Capability, error_code},
    wire::RpcError,
};

/// Asks the client for one thing in the course of a tool.
///
/// # Errors
///
/// What the tool has to answer instead of going on: the wish for input, or why it cannot go on.
pub(super) async fn ask(
    call: &Call,
    method: &str,
    capability: Capability,
    params: serde_json::Value,
) -> Result<Value, Answer> {
    require(call, capability)?;
    if call.revision().has_server_requests() {
        return call.request(method, params).await.map_err(|error| match error {
            CallError::Refused(error) => failed(&format!("the client refused: {}", error.message)),
            other => failed(&other.to_string()),
        });
    }
    let key = capability.name();
    let given = call.param("inputResponses").and_then(|responses| responses.get(key));
    given.cloned().ok_or_else(|| {
        let request = json!({ "method": method, "params": params });
        json!({ "resultType": "input_required", "inputRequests": { key: request } }).into()
    })
}

/// Nothing is asked of a client that has not declared that it can answer.
pub(super) fn require(call: &Call, capability: Capability) -> Result<(), Answer> {
    if capability.declared_in(call.client_capabilities()) {
        return Ok(());
    }
    let why = format!("the client does not declare the capability `{capability}`");
    if call.revision().has_server_requests() {
        return Err(failed(&why));
    }
    let mut required = Value::from(Object::new());
    required.set(capability.pointer(), Object::new().into());
    let mut data = Value::from(Object::new());
    data.set("/requiredCapabilities", required);
    let code = error_code::MISSING_REQUIRED_CLIENT_CAPABILITY;
    Err(RpcError::new(code, why).with_data(data).into())
}

fn failed(text: &str) -> Answer {
    super::tools::failed(text)
}
