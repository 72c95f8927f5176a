//! [`ServerFacts`]: what a server declares about itself.

use crate::json::{Object, Value};
use crate::spec::{Capability, Era, Revision};

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

    /// The capabilities that a result of `server/discover` declares: in the stateless era no conversation has to begin with that.
    pub(crate) fn discovered(&self) -> Option<Value> {
        let is_known = self.revision.era() == Era::Stateless && self.declared_in.is_some();
        is_known.then(|| self.capabilities.clone())
    }

    /// Whether the server declares the capability.
    #[must_use]
    pub fn declares(&self, capability: Capability) -> bool {
        capability.declared_in(&self.capabilities)
    }
}
