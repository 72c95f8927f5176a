//! Tools.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/server/tools>

scenarios![tools_call_unknown, tools_call_malformed, tools_call_arguments, tools_call_results];

use crate::json::{Object, Value};

/// The params of a call.
pub(super) fn call_params(name: &str, arguments: &Value) -> Value {
    let members = [("name", Value::from(name)), ("arguments", arguments.clone())];
    Value::Object(Object::from_iter(members))
}
