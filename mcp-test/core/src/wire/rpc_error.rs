//! The error object of a JSON-RPC reply.

use crate::json::{Object, Value};

/// A JSON-RPC error.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("error {code}: {message}")]
pub struct RpcError {
    /// The error code.
    pub code: i64,
    /// The message, for people.
    pub message: String,
    /// Any further data.
    pub data: Option<Value>,
}

impl RpcError {
    /// An error without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The same error with data.
    #[must_use]
    pub fn with_data(self, data: impl Into<Value>) -> Self {
        Self { data: Some(data.into()), ..self }
    }

    /// The error object.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut object = Object::new();
        object.push("code", self.code);
        object.push("message", self.message.as_str());
        // Optional (JSON-RPC 2.0, section 5.1), so it is left out rather than null.
        if let Some(data) = &self.data {
            object.push("data", data.clone());
        }
        object.into()
    }
}
