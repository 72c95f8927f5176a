//! Waiting for what the server tells of its own accord.

use super::Client;
use super::notice::Notice;
use super::state::State;
use super::wait::Step;
use crate::check::Finding;
use crate::clock;
use crate::trace::{Party, Seq, What};

impl Client {
    /// Waits for the next notification of a method; each is handed out once, in the order in which they came.
    ///
    /// One that came before counts, so that nothing is missed between the cause and the wait.
    ///
    /// ```
    /// # use mcp_test::client::Client;
    /// # async fn example(client: &mut Client) -> mcp_test::Result {
    /// let changed = client.until_notified("notifications/tools/list_changed").await?;
    /// assert_eq!(changed.method(), "notifications/tools/list_changed");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// A finding at the deadline of [`Options::timeout`](super::Options::timeout), or when the connection ends before.
    pub async fn until_notified(&mut self, method: &str) -> Result<Notice, Finding> {
        self.until_notified_where(method, |_| true).await
    }

    /// Waits for the next notification of a method that fits; see [`Client::until_notified`].
    ///
    /// # Errors
    ///
    /// As for [`Client::until_notified`].
    pub async fn until_notified_where(
        &mut self,
        method: &str,
        fits: impl Fn(&Notice) -> bool,
    ) -> Result<Notice, Finding> {
        let awaited = Awaited { what: format!("`{method}`"), since: None };
        let meant = |notice: &Notice| notice.method() == method && fits(notice);
        self.until_told_or(&awaited, |state| state.said_mut().take(meant).map(Ok)).await
    }

    /// Waits until `done` says so. What it says in time counts even if the connection has ended.
    pub(super) async fn until_told_or<T>(
        &mut self,
        awaited: &Awaited,
        mut done: impl FnMut(&mut State) -> Option<Result<T, Finding>>,
    ) -> Result<T, Finding> {
        let deadline = self.options.deadline();
        let came_before = self.state.said().count();
        loop {
            if let Some(result) = done(&mut self.state) {
                return result;
            }
            match self.step(deadline).await {
                Step::Observed => {}
                Step::Closed => return Err(self.ended_before(awaited)),
                Step::TimedOut => return Err(self.never_told(awaited, came_before)),
            }
        }
    }

    fn ended_before(&self, awaited: &Awaited) -> Finding {
        let closed = self.state.closed();
        let how = closed.map_or("the connection was closed".to_owned(), |(_, how)| how.clone());
        Finding::peer(format!("the connection ended before {} came", awaited.what))
            .expected(&awaited.what)
            .got(how)
            .evidence_all(awaited.since)
            .evidence_all(closed.map(|(seq, _)| *seq))
    }

    fn never_told(&self, awaited: &Awaited, came_before: usize) -> Finding {
        let within = clock::in_words(self.options.timeout);
        let what = What::DeadlineFired { awaited: format!("{} within {within}", awaited.what) };
        let link = &self.link;
        let fired = link.recorder().record_in(link.connection(), None, Party::Harness, what);
        let others = self.state.said().count().saturating_sub(came_before);
        let (odd, seqs) = self.state.odd_since(awaited.since);
        let others = match others {
            0 => None,
            1 => Some("1 other message".to_owned()),
            many => Some(format!("{many} other messages")),
        };
        let came: Vec<String> = others.into_iter().chain(odd).collect();
        let got = if came.is_empty() {
            "nothing at all in that time".to_owned()
        } else {
            format!("only {} in that time", came.join("; "))
        };
        Finding::peer(format!("{} did not come", awaited.what))
            .expected(format!("{} within {within}", awaited.what))
            .got(got)
            .evidence_all(awaited.since)
            .evidence_all(seqs)
            .evidence(fired)
    }
}

/// What is waited for, in words, and since when.
#[derive(Debug)]
pub(super) struct Awaited {
    pub(super) what: String,
    pub(super) since: Option<Seq>,
}
