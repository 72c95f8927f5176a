//! What a server says of itself.

use crate::json::{Object, Value};
use crate::spec::{Capability, Revision};

/// What a server says of itself, in `initialize` or `server/discover`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ServerFacts {
    /// The revision in force.
    pub revision: Revision,
    /// The declared capabilities; an empty object as long as nothing is declared.
    pub capabilities: Value,
    /// The server's name and version; `null` when it does not tell.
    pub info: Value,
    /// Hints on how to use the server.
    pub instructions: Option<String>,
    /// The result that says all this: of `initialize` or `server/discover`.
    pub declared_in: Option<Value>,
}

impl ServerFacts {
    /// Nothing is known yet but the revision that is spoken.
    #[must_use]
    pub fn unknown(revision: Revision) -> Self {
        Self {
            revision,
            capabilities: Value::Object(Object::new()),
            info: Value::Null,
            instructions: None,
            declared_in: None,
        }
    }

    /// Whether the server declares the capability.
    #[must_use]
    pub fn declares(&self, capability: Capability) -> bool {
        capability.declared_in(&self.capabilities)
    }
}
