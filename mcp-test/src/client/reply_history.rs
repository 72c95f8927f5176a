//! [`ReplyHistory`]: what is known about the replies of a server, on all connections of a run.

use super::overtaken::IgnoredRequests;
use super::ping_history::PingHistory;
use super::slow_tools::SlowTools;

/// What is known about the replies of a server; clones share what they know.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReplyHistory {
    /// Whether it has answered `ping`.
    pub(super) pings: PingHistory,
    /// How many requests it has ignored.
    pub(super) ignored: IgnoredRequests,
    /// Which of its tools are slow.
    pub(crate) slow_tools: SlowTools,
}
