//! The imports of a test file: `use mcp_test::prelude::*;`.

pub use mcp_test_core::prelude::*;
#[cfg(feature = "explore")]
pub use mcp_test_suite::explore::ExploreExt;

pub use crate::mcp_scenario;
