//! Asks the client for input that it has declared; a refusal makes the tool fail, not the server.

use serde_json::json;

use super::tool_result::error_result;
use super::{Answer, Call};
use crate::json::Value;
use crate::server::{AskError, InputRequest};
use crate::spec::Capability;

/// Asks the client for input on behalf of a tool.
///
/// # Errors
///
/// What the tool has to answer instead: the request for input, or why it cannot continue.
pub(super) async fn ask(
    call: &Call,
    method: &str,
    capability: Capability,
    params: serde_json::Value,
) -> Result<Value, Answer> {
    call.require(capability)?;
    call.ask(method, params).await.map_err(|error| match error {
        AskError::InputRequired(answer) => answer,
        AskError::Failed(error) => error_result(&error.to_string()),
    })
}

/// A form with one required field of this name and type.
pub(super) fn field_form(key: &str, message: &str, (name, kind): (&str, &str)) -> InputRequest {
    InputRequest::form(key, message, field_schema(name, kind))
}

/// The schema of a form with one required field.
pub(super) fn field_schema(name: &str, kind: &str) -> serde_json::Value {
    json!({ "type": "object", "properties": { name: { "type": kind } }, "required": [name] })
}
