//! One place where a message is not what its shape says, in words.

use std::borrow::Cow;
use std::fmt;

use crate::expect::words;
use crate::json::{Pointer, Value};

/// Where a value is not what a shape says, and how.
///
/// ```
/// use mcp_test::json::Value;
/// use mcp_test::spec::Revision;
/// use mcp_test::spec::schema::{Authority, Schemas};
///
/// let schemas = Schemas::ours();
/// let ping = schemas
///     .definition("PingRequest", Revision::V2025_06_18, Authority::Text)
///     .ok_or("no such definition")?;
/// let value = Value::from(serde_json::json!({"method": "pong"}));
/// assert_eq!(ping.violations(&value)[0].to_string(), r#"expected `/method` is "ping", got "pong""#);
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// Where, from the root of what was judged.
    pub pointer: Pointer,
    /// What is expected there, to be read after "is": `a string`.
    pub expected: String,
    /// What is there, cut short: `5, which is a number`; `nothing` where nothing is.
    pub got: String,
    /// The definition that says so: the nearest one around the place that has a name.
    pub shape: Cow<'static, str>,
    /// Where the specification describes that definition.
    pub link: String,
}

impl Violation {
    /// The same violation, seen from what is around the value that was judged.
    #[must_use]
    pub fn within(self, place: Pointer) -> Self {
        Self { pointer: place.join(&self.pointer), ..self }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pointer, expected, got, .. } = self;
        if pointer.is_root() {
            write!(f, "expected the value is {expected}, got {got}")
        } else {
            write!(f, "expected `{pointer}` is {expected}, got {got}")
        }
    }
}

/// What is there, in words, with its kind, where that is what is wrong with it.
pub(super) fn got(value: Option<&Value>) -> String {
    let got = words::got(value);
    match value.and_then(words::which) {
        Some(which) => format!("{got}, which {which}"),
        None => got,
    }
}
