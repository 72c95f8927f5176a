//! The levels of log messages.
//!
//! They are those of RFC 5424, in [lower case](https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging#log-levels).

/// All levels, the least severe first.
pub const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// Whether `level` is at least as severe as `least`; false if either is not a level.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::spec::log_level::reaches;
///
/// assert!(reaches("error", "warning") && reaches("info", "info"));
/// assert!(!reaches("debug", "info") && !reaches("warn", "debug"));
/// ```
#[must_use]
pub fn reaches(level: &str, least: &str) -> bool {
    let rank = |level| LEVELS.iter().position(|known| *known == level);
    rank(level).zip(rank(least)).is_some_and(|(level, least)| level >= least)
}
