//! [`ServerFacts`]: what a server declares about itself.

use crate::json::{Object, Value};
use crate::spec::{Capability, Revision};

/// What a server declares about itself in `initialize` or `server/discover`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ServerFacts {
    /// The negotiated revision.
    pub revision: Revision,
    /// The declared capabilities; an empty object until they are known.
    pub capabilities: Value,
    /// The server's name and version; `null` if unknown.
    pub info: Value,
    /// Hints on how to use the server.
    pub instructions: Option<String>,
    /// The result of `initialize` or `server/discover` that declared them.
    pub declared_in: Option<Value>,
}

impl ServerFacts {
    /// The facts of a server of which only the revision is known.
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
