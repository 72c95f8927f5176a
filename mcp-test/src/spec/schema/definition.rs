//! One definition of one revision: what it is called, where it is described, and what it says of a value.

use std::fmt;

use super::book::Book;
use super::model::{Index, Shape, Type};
use super::{Violation, explain, export, fits};
use crate::json::Value;
use crate::spec::Revision;

/// A definition of a revision, such as `CallToolResult`.
///
/// ```
/// use mcp_test::json::Value;
/// use mcp_test::spec::Revision;
/// use mcp_test::spec::schema::{Authority, Schemas};
///
/// let ping = Schemas::ours()
///     .definition("PingRequest", Revision::V2025_11_25, Authority::Text)
///     .ok_or("no such definition")?;
/// let request = serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
/// assert!(ping.is_valid(&Value::from(request)));
/// assert_eq!(ping.result().map(|result| result.name().to_owned()).as_deref(), Some("EmptyResult"));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone)]
pub struct Definition {
    book: &'static Book,
    index: Index,
}

impl Definition {
    pub(super) fn new(book: &'static Book, index: Index) -> Self {
        Self { book, index }
    }

    fn shape(&self) -> &Shape {
        self.book.model.shape(self.index)
    }

    /// The name, as the official schema has it.
    pub fn name(&self) -> &str {
        self.shape().name
    }

    /// The revision it belongs to.
    pub fn revision(&self) -> Revision {
        self.book.model.revision
    }

    /// The page that describes it, for [`url`](crate::spec::url).
    pub fn page(&self) -> String {
        self.shape().page()
    }

    /// The address of the description.
    pub fn link(&self) -> String {
        self.shape().link(self.revision())
    }

    /// The method, if this is a request or a notification with a method of its own.
    pub fn method(&self) -> Option<&str> {
        let object = self.book.model.object(&self.shape().of)?;
        match object.member("method").map(|member| &member.of) {
            Some(Type::Literal(method)) => Some(method),
            _ => None,
        }
    }

    /// What answers it, if this is a request.
    pub fn result(&self) -> Option<Self> {
        self.shape().result.map(|index| Self::new(self.book, index))
    }

    /// What its `params` must be, if they have a definition.
    pub fn params(&self) -> Option<Self> {
        let object = self.book.model.object(&self.shape().of)?;
        match object.member("params").map(|member| &member.of) {
            Some(Type::Named(index)) => Some(Self::new(self.book, *index)),
            _ => None,
        }
    }

    /// Whether the value is what the definition says.
    pub fn is_valid(&self, value: &Value) -> bool {
        fits::fits(&self.book.model, &Type::Named(self.index), value)
    }

    /// Where the value is not what the definition says: at most six places, the most telling first.
    pub fn violations(&self, value: &Value) -> Vec<Violation> {
        explain::violations(&self.book.model, self.index, value)
    }

    /// The definition as JSON Schema, draft 2020-12, with those it refers to.
    pub fn json_schema(&self) -> serde_json::Value {
        export::definition(&self.book.model, self.index)
    }
}

impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Definition({} at {})", self.name(), self.revision())
    }
}

impl PartialEq for Definition {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.book, other.book) && self.index == other.index
    }
}

impl Eq for Definition {}
