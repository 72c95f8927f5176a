//! One definition of one revision: what it is called, where it is described, and what it says of a value.

use std::borrow::Cow;
use std::fmt;

use super::book::{Book, BookRef, Entry};
use super::model::Index;
use super::violation::got;
use super::{Violation, explain, export, fits};
#[cfg(feature = "schema")]
use crate::expect::Mismatch;
use crate::json::{Pointer, Value};
use crate::spec::{MethodKind, Revision};

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
    book: BookRef,
    index: Index,
}

impl Definition {
    pub(super) fn new(book: BookRef, index: Index) -> Self {
        Self { book, index }
    }

    pub(super) fn entry(&self) -> &Entry {
        self.book.entry(self.index)
    }

    /// The name, as the official schema has it.
    pub fn name(&self) -> &str {
        &self.entry().name
    }

    /// The revision it belongs to.
    pub fn revision(&self) -> Revision {
        self.book.revision
    }

    /// The page that describes it, for [`url`](crate::spec::url).
    pub fn page(&self) -> Cow<'static, str> {
        self.entry().page()
    }

    /// The address of the description.
    pub fn link(&self) -> String {
        self.entry().link(self.revision())
    }

    /// The method, if this is a request or a notification with a method of its own.
    pub fn method(&self) -> Option<&str> {
        self.entry().method.as_deref()
    }

    /// Whether this is a request or a notification with a method of its own, and which of them.
    pub fn kind(&self) -> Option<MethodKind> {
        let method = self.method()?;
        Some(if method.starts_with("notifications/") {
            MethodKind::Notification
        } else {
            MethodKind::Request
        })
    }

    /// What answers it, if this is a request.
    pub fn result(&self) -> Option<Self> {
        self.entry().result.map(|index| Self::new(self.book.clone(), index))
    }

    /// What its `params` must be, if they have a definition.
    pub fn params(&self) -> Option<Self> {
        self.entry().params.map(|index| Self::new(self.book.clone(), index))
    }

    /// Whether the value is what the definition says.
    ///
    /// What our shapes allow is right. What they do not allow is held against the compiled JSON Schema as well, and only
    /// what both refuse is wrong. A definition that was [loaded](super::Schemas::load) judges alone; ours of the same
    /// name does where it comes to no end.
    pub fn is_valid(&self, value: &Value) -> bool {
        let ours = self.book.ours();
        if self.is_ours() {
            return fits(ours, self.index, value) || self.verdict(value) == Some(true);
        }
        let by_ours = || ours.find(self.name()).is_none_or(|index| fits(ours, index, value));
        self.verdict(value).unwrap_or_else(by_ours)
    }

    /// Where the value is not what the definition says: at most six places, the most telling first.
    pub fn violations(&self, value: &Value) -> Vec<Violation> {
        if self.is_valid(value) {
            return Vec::new();
        }
        let explained = match &self.book.model {
            Some(model) => explain::violations(model, self.index, value),
            None => self.told_by_the_library(value),
        };
        if explained.is_empty() { vec![self.unexplained(value)] } else { explained }
    }

    /// The definition as JSON Schema, draft 2020-12, with those it refers to; of one that was loaded, ours of the same
    /// name, and `true` if there is none.
    pub fn json_schema(&self) -> serde_json::Value {
        let book = self.book.ours();
        let ours = book.model.as_ref().zip(book.find(self.name()));
        ours.map_or(true.into(), |(model, index)| export::definition(model, index))
    }

    fn is_ours(&self) -> bool {
        matches!(self.book, BookRef::Ours(_))
    }

    /// What the compiled definition says; `None` if it has not come to an end.
    #[cfg(feature = "schema")]
    fn verdict(&self, value: &Value) -> Option<bool> {
        self.book.validator(self.index)?.is_valid(value).ok()
    }

    #[cfg(not(feature = "schema"))]
    fn verdict(&self, _: &Value) -> Option<bool> {
        None
    }

    /// What is wrong, in the words of the library that judges.
    #[cfg(feature = "schema")]
    fn told_by_the_library(&self, value: &Value) -> Vec<Violation> {
        let mismatches = || self.book.validator(self.index)?.mismatches(value).ok();
        let violation = |mismatch: Mismatch| Violation {
            pointer: mismatch.pointer,
            expected: mismatch.expected,
            got: match mismatch.which {
                Some(which) => format!("{}, which {which}", mismatch.got),
                None => mismatch.got,
            },
            shape: self.entry().name.clone(),
            link: self.link(),
        };
        mismatches().unwrap_or_default().into_iter().map(violation).take(explain::TOLD).collect()
    }

    #[cfg(not(feature = "schema"))]
    fn told_by_the_library(&self, _: &Value) -> Vec<Violation> {
        Vec::new()
    }

    /// That it is wrong, where nothing says how.
    fn unexplained(&self, value: &Value) -> Violation {
        Violation {
            pointer: Pointer::root(),
            expected: format!("what `{}` allows", self.name()),
            got: got(Some(value)),
            shape: self.entry().name.clone(),
            link: self.link(),
        }
    }
}

/// Whether our shapes allow the value.
fn fits(book: &Book, index: Index, value: &Value) -> bool {
    let shape = book.model.as_ref().map(|model| (model, &model.shape(index).of));
    shape.is_none_or(|(model, of)| fits::fits(model, of, value))
}

impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Definition({} at {})", self.name(), self.revision())
    }
}

/// The same definition of the same schemas.
impl PartialEq for Definition {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq::<Book>(&*self.book, &*other.book) && self.index == other.index
    }
}

impl Eq for Definition {}
