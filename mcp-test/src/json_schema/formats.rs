//! What texts of a `format` look like, where a document of definitions means its formats.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

type Check = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// Formats that are asserted, by name; texts of any other format are not looked at.
///
/// ```
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
    /// No format means anything.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Texts of the format `name` are those that `holds` for.
    #[must_use]
    pub fn with(
        mut self,
        name: impl Into<String>,
        holds: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.checks.insert(name.into(), Arc::new(holds));
        self
    }

    /// The names of the formats that are asserted.
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
