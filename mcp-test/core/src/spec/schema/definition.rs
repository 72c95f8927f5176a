//! One definition of one revision: its name and description, and validation of values against it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use super::definition_set::{DefinitionInfo, DefinitionSet, DefinitionSetRef};
use super::model::Index;
use super::violation::got;
use super::{Violation, explain, export, fits, parts};
use crate::json::{Pointer, Value};
#[cfg(feature = "schema")]
use crate::json_schema::Failure;
use crate::spec::{MethodKind, Revision};

/// A definition of a revision, such as `CallToolResult`.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
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
#[doc(hidden)]
#[derive(Clone)]
pub struct Definition {
    set: DefinitionSetRef,
    index: Index,
}

impl Definition {
    pub(super) fn new(set: DefinitionSetRef, index: Index) -> Self {
        Self { set, index }
    }

    pub(super) fn info(&self) -> &DefinitionInfo {
        self.set.info(self.index)
    }

    /// Its name in the official schema.
    pub fn name(&self) -> &str {
        &self.info().name
    }

    /// The revision it belongs to.
    pub fn revision(&self) -> Revision {
        self.set.revision
    }

    /// The page that describes it, for [`url`](crate::spec::url).
    pub fn page(&self) -> Cow<'static, str> {
        self.info().page()
    }

    /// The URL of its description.
    pub fn link(&self) -> String {
        self.info().link(self.revision())
    }

    /// The method, if this is a request or a notification with a method of its own.
    pub fn method(&self) -> Option<&str> {
        self.info().method.as_deref()
    }

    /// Whether it defines a request or a notification; `None` for anything without a method of its own.
    pub fn kind(&self) -> Option<MethodKind> {
        let method = self.method()?;
        Some(if method.starts_with("notifications/") {
            MethodKind::Notification
        } else {
            MethodKind::Request
        })
    }

    /// The definition of its result, if this is a request.
    pub fn result(&self) -> Option<Self> {
        self.info().result.map(|index| Self::new(self.set.clone(), index))
    }

    /// The definition of its `params`, if they have one.
    pub fn params(&self) -> Option<Self> {
        self.info().params.map(|index| Self::new(self.set.clone(), index))
    }

    /// The names of the definitions that the parts of the value have, as far as our shapes know them.
    pub(crate) fn parts(&self, value: &Value) -> BTreeSet<&'static str> {
        let mut found = BTreeSet::new();
        if let Some(model) = &self.set.model {
            parts::add_parts(model, &model.shape(self.index).of, value, &mut found);
        }
        found
    }

    /// Whether the value is valid.
    ///
    /// A value that our shapes refuse is also validated against the JSON Schema compiled from them, and is invalid only if
    /// both refuse it, so that a bug in one of them cannot fail a correct peer. A definition that was
    /// [loaded](super::Schemas::load) decides alone; ours of the same name decides if its validation exceeds the limits.
    pub fn is_valid(&self, value: &Value) -> bool {
        let ours = self.set.ours();
        if self.is_ours() {
            return fits(ours, self.index, value) || self.is_valid_by_schema(value) == Some(true);
        }
        // Without a verdict and without a definition of ours, the peer gets the benefit of the doubt.
        let by_ours = || ours.find(self.name()).is_none_or(|index| fits(ours, index, value));
        self.is_valid_by_schema(value).unwrap_or_else(by_ours)
    }

    /// The violations of the definition: at most six, the most relevant first.
    pub fn violations(&self, value: &Value) -> Vec<Violation> {
        // The explanation below is by our shapes alone, and may refuse what the JSON Schema accepts.
        if self.is_valid(value) {
            return Vec::new();
        }
        let violations = match &self.set.model {
            Some(model) => explain::violations(model, self.index, value),
            // A loaded schema has no shapes to explain a value with.
            None => self.schema_violations(value),
        };
        if violations.is_empty() { vec![self.unexplained(value)] } else { violations }
    }

    /// The definition as JSON Schema, draft 2020-12, with those it refers to; for a loaded one, ours of the same name, or
    /// `true` if there is none.
    pub fn json_schema(&self) -> serde_json::Value {
        let set = self.set.ours();
        let ours = set.model.as_ref().zip(set.find(self.name()));
        ours.map_or(true.into(), |(model, index)| export::definition(model, index))
    }

    fn is_ours(&self) -> bool {
        matches!(self.set, DefinitionSetRef::Ours(_))
    }

    /// The result of the compiled definition; `None` if it could not be compiled or exceeded its limits.
    #[cfg(feature = "schema")]
    fn is_valid_by_schema(&self, value: &Value) -> Option<bool> {
        self.set.validator(self.index)?.is_valid(value).ok()
    }

    #[cfg(not(feature = "schema"))]
    fn is_valid_by_schema(&self, _: &Value) -> Option<bool> {
        None
    }

    /// The violations that the JSON Schema library finds.
    #[cfg(feature = "schema")]
    fn schema_violations(&self, value: &Value) -> Vec<Violation> {
        let failures = || self.set.validator(self.index)?.failures(value).ok();
        self.violations_of(failures().unwrap_or_default())
    }

    #[cfg(feature = "schema")]
    fn violations_of(&self, failures: Vec<Failure>) -> Vec<Violation> {
        let violation = |Failure { keyword, mismatch, causes }| Violation {
            pointer: mismatch.pointer,
            expected: mismatch.expected,
            got: match mismatch.which {
                Some(which) => format!("{}, which {which}", mismatch.got),
                None => mismatch.got,
            },
            shape: self.info().name.clone(),
            keyword: Cow::Owned(keyword),
            causes: self.violations_of(causes),
            link: self.link(),
        };
        failures.into_iter().map(violation).take(explain::MAX_VIOLATIONS).collect()
    }

    #[cfg(not(feature = "schema"))]
    fn schema_violations(&self, _: &Value) -> Vec<Violation> {
        Vec::new()
    }

    /// The violation of an invalid value for which none was found.
    fn unexplained(&self, value: &Value) -> Violation {
        Violation {
            pointer: Pointer::root(),
            expected: format!("what `{}` allows", self.name()),
            got: got(Some(value)),
            shape: self.info().name.clone(),
            keyword: Cow::Borrowed("$ref"),
            causes: Vec::new(),
            link: self.link(),
        }
    }
}

/// Whether the value is valid by our shapes.
fn fits(set: &DefinitionSet, index: Index, value: &Value) -> bool {
    let shape = set.model.as_ref().map(|model| (model, &model.shape(index).of));
    // Our own sets always have a model.
    shape.is_none_or(|(model, of)| fits::fits(model, of, value))
}

impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Definition({} at {})", self.name(), self.revision())
    }
}

/// Equal are references to one definition of one set.
impl PartialEq for Definition {
    fn eq(&self, other: &Self) -> bool {
        // By address: two loaded copies of one schema are different sets.
        std::ptr::eq::<DefinitionSet>(&*self.set, &*other.set) && self.index == other.index
    }
}

impl Eq for Definition {}
