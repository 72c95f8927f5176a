//! The message shape that a value does not have: what a finding about the form of a message points at.

use std::fmt;

use crate::expect::words;
use crate::json::Pointer;
use crate::spec::Revision;

/// A message shape of a revision, and the place in a message that does not fit it.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::check::Shape;
/// use mcp_test::json::Pointer;
/// use mcp_test::spec::Revision;
///
/// let pointer = Pointer::root().member("result").member("tools").index(0).member("name");
/// let shape = Shape::new("Tool", Revision::V2025_11_25, pointer, "https://example.org/schema#tool");
/// assert_eq!(shape.to_string(), "Tool of 2025-11-25, at /result/tools/0/name");
/// ```
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Shape {
    /// The name of its definition, as the schema of the revision has it.
    pub name: String,
    /// The revision that the message was validated against.
    pub revision: Revision,
    /// The place that does not fit, from the root of the message.
    pub pointer: Pointer,
    /// The address of its description.
    pub link: String,
    /// Why the specification allows it nevertheless, for a finding that rests on the official schema alone; to be read after
    /// "the specification allows it:".
    pub allowed: Option<&'static str>,
}

impl Shape {
    /// A shape by its name, the place that does not fit it, and where it is described.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        revision: Revision,
        pointer: Pointer,
        link: impl Into<String>,
    ) -> Self {
        Self { name: name.into(), revision, pointer, link: link.into(), allowed: None }
    }

    /// The names on the way to the place that does not fit, with `*` for indices.
    pub(crate) fn place(&self) -> Vec<String> {
        let is_index = |name: &str| name.parse::<usize>().is_ok();
        let names = self.pointer.tokens();
        names.map(|name| if is_index(&name) { "*".to_owned() } else { name }).collect()
    }
}

/// A place in a message, in words.
pub(super) fn place_in_words(pointer: &Pointer) -> String {
    if pointer.is_root() { "the message".to_owned() } else { format!("`{pointer}`") }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.name, self.revision)?;
        match self.pointer.is_root() {
            true => Ok(()),
            // The names on the way are those of a peer.
            false => write!(f, ", at {}", words::cut(&self.pointer.to_string(), words::NAME)),
        }
    }
}
