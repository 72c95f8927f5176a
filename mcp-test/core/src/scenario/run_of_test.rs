//! A run of a test: the name under which it is recorded, and what is left out.

use std::sync::Arc;

use crate::trace::{Redactor, Trace};

/// A run of an `#[mcp_scenario]`.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOfTest {
    /// The name of the function; if it has several runs, with revision and transport: `adds at 2025-11-25 over duplex`.
    pub name: String,
    /// The directory of its package.
    pub manifest_dir: &'static str,
    /// The secrets in the environment, which a peer may repeat.
    pub secrets: Arc<[String]>,
}

impl RunOfTest {
    /// A conversation as it may be kept.
    #[must_use]
    pub fn without_secrets(&self, trace: Trace) -> Trace {
        let secrets = self.secrets.iter().map(String::as_str);
        secrets.fold(Redactor::secrets(), Redactor::secret).trace(trace)
    }
}
