//! Which run of which test a context belongs to: the name under which it is recorded.

use std::sync::Arc;

use super::{Ctx, ServerCtx};
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

macro_rules! has_run_of_test {
    ($($context:ty),*) => {$(
        impl $context {
            /// Sets which run of which test it belongs to.
            #[doc(hidden)]
            pub fn set_run_of_test(&mut self, run: RunOfTest) {
                self.run_of_test = Some(run);
            }

            /// Which run of which test it belongs to; `None` if to none.
            #[doc(hidden)]
            #[must_use]
            pub fn run_of_test(&self) -> Option<&RunOfTest> {
                self.run_of_test.as_ref()
            }
        }
    )*};
}

has_run_of_test!(Ctx, ServerCtx);
