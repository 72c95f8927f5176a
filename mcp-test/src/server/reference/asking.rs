//! How the reference server asks its client: only for what the client has declared, and without taking a refusal amiss.

use super::{Answer, Call, tools::failed};
use crate::{
    json::{Object, Value},
    server::Unanswered,
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
    call.ask(method, params).await.map_err(|unanswered| match unanswered {
        Unanswered::AskedFor(answer) => answer,
        Unanswered::Failed(error) => failed(&error.to_string()),
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
