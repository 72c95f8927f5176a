//! The formats that validation asserts.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

type Check = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// Asserted formats, by name; other formats are annotations.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::json_schema::Formats;
///
/// let formats = Formats::none().with("digits", |text| text.bytes().all(|byte| byte.is_ascii_digit()));
/// assert_eq!(formats.names().collect::<Vec<_>>(), ["digits"]);
/// ```
#[derive(Clone, Default)]
pub struct Formats {
    checks: BTreeMap<String, Check>,
}

impl Formats {
    /// Asserts no formats.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Asserts the format `name`: its texts are those for which `is_valid` returns true.
    #[must_use]
    pub fn with(
        mut self,
        name: impl Into<String>,
        is_valid: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.checks.insert(name.into(), Arc::new(is_valid));
        self
    }

    /// The names of the asserted formats.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.checks.keys().map(String::as_str)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, Check)> {
        self.checks.iter().map(|(name, check)| (name.as_str(), Arc::clone(check)))
    }
}

impl fmt::Debug for Formats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}
