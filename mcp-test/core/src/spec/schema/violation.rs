//! A violation of a definition, in words.

use std::borrow::Cow;
use std::fmt;

use crate::expect::words;
use crate::json::{Pointer, Value};

/// Where and how a value violates a definition.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
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
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// Where, from the root of the validated value.
    pub pointer: Pointer,
    /// What is expected there, to be read after "is": `a string`.
    pub expected: String,
    /// The value there, truncated, such as `5, which is a number`; `nothing` if there is none.
    pub got: String,
    /// The name of the violated definition: the nearest one that encloses the location.
    pub shape: Cow<'static, str>,
    /// The keyword of JSON Schema that is violated, such as `required`.
    pub keyword: Cow<'static, str>,
    /// If the value fits no alternative of a union: the first violation of each, as far as they are known.
    pub causes: Vec<Violation>,
    /// The URL of the definition's description.
    pub link: String,
}

impl Violation {
    /// The same violation, as seen from a value that contains the validated one at `location`.
    #[must_use]
    pub fn within(self, location: Pointer) -> Self {
        let causes = self.causes.into_iter().map(|cause| cause.within(location.clone())).collect();
        Self { pointer: location.join(&self.pointer), causes, ..self }
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

/// The value in words, with its kind.
pub(super) fn got(value: Option<&Value>) -> String {
    let got = words::got(value);
    match value.and_then(words::which) {
        Some(which) => format!("{got}, which {which}"),
        None => got,
    }
}
