//! How much is explored.

use std::time::Duration;

/// How much is explored, and with which seed.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test_suite::explore::ExploreOptions;
///
/// let options = ExploreOptions { calls: 500, seed: 7, ..ExploreOptions::default() };
/// assert_eq!(options.time.as_secs(), 20);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExploreOptions {
    /// How often each tool is called at most, without the calls that reduce a failure.
    pub calls: usize,
    /// How long each tool is called at most, with the calls that reduce a failure.
    pub time: Duration,
    /// How long a reply may take.
    pub reply: Duration,
    /// The seed of the random arguments.
    pub seed: u64,
}

impl Default for ExploreOptions {
    fn default() -> Self {
        Self { calls: 200, time: Duration::from_secs(20), reply: Duration::from_secs(10), seed: 0 }
    }
}
