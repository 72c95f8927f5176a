//! One definition of one revision: what it is called, where it is described, and what it says of a value.

use std::borrow::Cow;
use std::fmt;

use super::book::{Book, BookRef, Entry};
use super::model::{Index, Type};
use super::{Violation, explain, export, fits};
use crate::json::Value;
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
    pub fn is_valid(&self, value: &Value) -> bool {
        #[cfg(feature = "schema")]
        if let Some(verdict) = self.verdict(value) {
            return verdict;
        }
        self.book.model.as_ref().is_none_or(|model| {
            model
                .find(self.name())
                .is_none_or(|index| fits::fits(model, &Type::Named(index), value))
        })
    }

    /// Where the value is not what the definition says: at most six places, the most telling first.
    pub fn violations(&self, value: &Value) -> Vec<Violation> {
        if self.is_valid(value) {
            return Vec::new();
        }
        #[cfg(feature = "schema")]
        if matches!(self.book, BookRef::Loaded(_)) {
            return self.told_by_the_library(value);
        }
        let explained = self.explained(value);
        #[cfg(feature = "schema")]
        if explained.is_empty() {
            return self.told_by_the_library(value);
        }
        explained
    }

    /// The definition as JSON Schema, draft 2020-12, with those it refers to.
    ///
    /// Of a definition that was loaded, what we have under its name; `true` if that is nothing.
    pub fn json_schema(&self) -> serde_json::Value {
        let model = self.book.model.as_ref();
        let ours = model.and_then(|model| Some((model, model.find(self.name())?)));
        ours.map_or(true.into(), |(model, index)| export::definition(model, index))
    }

    fn explained(&self, value: &Value) -> Vec<Violation> {
        let model = self.book.model.as_ref();
        let ours = model.and_then(|model| Some((model, model.find(self.name())?)));
        ours.map_or_else(Vec::new, |(model, index)| explain::violations(model, index, value))
    }

    /// What the compiled validator says; `None` if it has not come to an end.
    #[cfg(feature = "schema")]
    fn verdict(&self, value: &Value) -> Option<bool> {
        self.book.compiled()?.is_valid(self.name(), value)
    }

    /// What is wrong, in the words of the library that judges.
    #[cfg(feature = "schema")]
    fn told_by_the_library(&self, value: &Value) -> Vec<Violation> {
        let told = self.book.compiled().map(|compiled| compiled.mismatches(self.name(), value));
        let violation = |mismatch: crate::expect::Mismatch| Violation {
            pointer: mismatch.pointer,
            expected: mismatch.expected,
            got: match mismatch.which {
                Some(which) => format!("{}, which {which}", mismatch.got),
                None => mismatch.got,
            },
            shape: self.entry().name.clone(),
            link: self.link(),
        };
        told.unwrap_or_default().into_iter().map(violation).take(explain::TOLD).collect()
    }
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
