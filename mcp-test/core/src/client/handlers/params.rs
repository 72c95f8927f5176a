//! The parameters of a request of the server, as typed handlers read them.

use crate::json::Value;
use crate::wire::Request;

/// The parameters of a request; a member that is missing or has the wrong type reads as empty.
#[derive(Debug, Clone, Default)]
pub(super) struct Params(Value);

impl Params {
    pub(super) fn of(request: &Request) -> Self {
        Self(request.params.clone().unwrap_or_default())
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    pub(super) fn text(&self, name: &str) -> &str {
        // Lenient, so that a handler runs on whatever a server sends; `check` reports what is wrong with it.
        self.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn array(&self, name: &str) -> &[Value] {
        self.get(name).and_then(Value::as_array).unwrap_or_default()
    }
}
