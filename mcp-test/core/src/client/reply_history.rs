//! [`ReplyHistory`]: what is known about the replies of a server, on all connections of a run.

use std::time::Duration;

#[cfg(feature = "suite")]
use super::ending_messages::EndingMessages;
#[cfg(feature = "suite")]
use super::failing_tools::FailingTools;
use super::overtaken::ReplyTimes;
use super::ping_history::PingHistory;
use super::slow_tools::SlowTools;
use super::unanswered::Unanswered;

/// What is known about the replies of a server; clones share what they know.
#[derive(Debug, Clone, Default)]
pub struct ReplyHistory {
    /// Whether it has answered `ping`.
    pub(super) pings: PingHistory,
    /// How long it takes for each method, and how many requests it has ignored.
    pub(super) times: ReplyTimes,
    /// Which of its tools are slow.
    pub(crate) slow_tools: SlowTools,
    /// Which of them fail.
    #[cfg(feature = "suite")]
    pub(crate) failing_tools: FailingTools,
    /// After which messages it does not answer any more.
    #[cfg(feature = "suite")]
    pub(crate) ending_messages: EndingMessages,
    /// Which requests a test has awaited in vain before.
    pub(crate) unanswered: Unanswered,
}

impl ReplyHistory {
    /// That of a server which takes this long to start.
    pub(crate) fn with_start_up(start_up: Duration) -> Self {
        Self { times: ReplyTimes::with_start_up(start_up), ..Self::default() }
    }

    /// That of a run of a test.
    pub(crate) fn for_test(unanswered: &Unanswered) -> Self {
        Self { unanswered: unanswered.clone(), ..Self::default() }
    }
}
