//! Roots: the places that a client lets its server work in.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/client/roots>

use crate::json::{Object, Value};

/// A place that the server may work in.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::client::{Handlers, Root};
///
/// let handlers = Handlers::new().roots([
///     Root::new("file:///home/ada/engine").named("engine"),
///     Root::new("file:///home/ada/notes"),
/// ]);
/// # drop(handlers);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    uri: String,
    name: Option<String>,
}

impl Root {
    /// A root at `uri`; all revisions so far require it to begin with `file://`.
    #[must_use]
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: None }
    }

    /// Sets the name to display.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    fn to_value(&self) -> Value {
        // Without a name the member is left out: the schema allows a string, but not null.
        let mut root = Object::new();
        root.push("uri", self.uri.as_str());
        if let Some(name) = &self.name {
            root.push("name", name.as_str());
        }
        root.into()
    }
}

impl From<&str> for Root {
    fn from(uri: &str) -> Self {
        Self::new(uri)
    }
}

/// The result of `roots/list`.
pub(super) fn list(roots: &[Root]) -> Value {
    let mut result = Object::new();
    result.push("roots", roots.iter().map(Root::to_value).collect::<Value>());
    result.into()
}
