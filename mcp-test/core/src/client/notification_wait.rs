//! Waiting for notifications of the server.

use super::Client;
use super::notification::ReceivedNotification;
use super::state::State;
use super::wait::Step;
use crate::check::Finding;
use crate::clock;
use crate::trace::Seq;

impl Client {
    /// Waits for the next notification of a method; returns each once, in the order of arrival.
    ///
    /// One that has already arrived counts, so that none is missed between its cause and the wait.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// # use mcp_test::client::Client;
    /// # async fn example(client: &mut Client) -> mcp_test::Result {
    /// let changed = client.wait_for_notification("notifications/tools/list_changed").await?;
    /// assert_eq!(changed.method(), "notifications/tools/list_changed");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// A finding at the deadline of [`Options::timeout`](super::Options::timeout), or when the connection ends before.
    pub async fn wait_for_notification(
        &mut self,
        method: &str,
    ) -> Result<ReceivedNotification, Finding> {
        self.wait_for_notification_where(method, |_| true).await
    }

    /// Waits for the next notification of a method that matches; see [`Client::wait_for_notification`].
    ///
    /// # Errors
    ///
    /// As for [`Client::wait_for_notification`].
    pub async fn wait_for_notification_where(
        &mut self,
        method: &str,
        matches: impl Fn(&ReceivedNotification) -> bool,
    ) -> Result<ReceivedNotification, Finding> {
        let awaited = Awaited { what: format!("`{method}`"), method: Some(method), since: None };
        let wanted =
            |received: &ReceivedNotification| received.method() == method && matches(received);
        self.wait_until(&awaited, |state| state.received_mut().take(wanted).map(Ok)).await
    }

    /// Waits until `done` returns a result. `done` is called before the connection is read, so that what arrived
    /// before the connection ended still counts.
    pub(super) async fn wait_until<T>(
        &mut self,
        awaited: &Awaited<'_>,
        mut done: impl FnMut(&mut State) -> Option<Result<T, Finding>>,
    ) -> Result<T, Finding> {
        let deadline = self.options.deadline();
        // For the finding, which counts what else arrived during the wait.
        let received_before = self.state.received().count();
        loop {
            if let Some(result) = done(&mut self.state) {
                return result;
            }
            // Every message over Streamable HTTP comes on an exchange that the client has begun.
            if self.transport().is_http() && self.state.has_no_open_exchange() {
                return Err(self.cannot_come(awaited));
            }
            match self.step(deadline).await {
                Step::Observed => {}
                Step::Closed => return Err(self.ended_before(awaited)),
                Step::TimedOut => {
                    let in_cut_time = deadline == self.options.until;
                    let finding = self.never_received(awaited, received_before);
                    return Err(Finding { in_cut_time, ..finding });
                }
            }
        }
    }

    fn ended_before(&self, awaited: &Awaited<'_>) -> Finding {
        let closed = self.state.closed();
        let how = closed.map_or("the connection was closed".to_owned(), |(_, how)| how.clone());
        Finding::peer(format!("the connection ended before {} came", awaited.what))
            .expected(&awaited.what)
            .got(how)
            .evidence_all(awaited.since)
            .evidence_all(closed.map(|(seq, _)| *seq))
    }

    fn cannot_come(&self, awaited: &Awaited<'_>) -> Finding {
        let mut got = "nothing, and no HTTP exchange is open on which it could come".to_owned();
        let received = self.state.received();
        let earlier = received.received_among(0..received.count(), awaited.method);
        if let Some(earlier) = &earlier {
            got.push_str(&format!("; before, {} came", earlier.text));
        }
        let (unexpected, seqs) = self.state.unexpected_since(awaited.since);
        if let Some(unexpected) = unexpected {
            got.push_str(&format!("; {unexpected}"));
        }
        let finding = Finding::peer(format!("{} did not come", awaited.what))
            .expected(&awaited.what)
            .got(got)
            .evidence_all(awaited.since)
            .evidence_all(earlier.into_iter().flat_map(|earlier| earlier.seqs))
            .evidence_all(seqs);
        self.explained(finding, awaited)
    }

    fn never_received(&self, awaited: &Awaited<'_>, received_before: usize) -> Finding {
        let within = clock::format_duration(self.options.timeout);
        let expected = format!("{} within {within}", awaited.what);
        let fired = self.deadline_fired(None, &expected);
        let received = self.state.received();
        let instead = received.received_among(received_before..received.count(), awaited.method);
        let (unexpected, seqs) = self.state.unexpected_since(awaited.since);
        // Among other messages it is only the next one, cut off by the deadline.
        let overdue = instead.is_none().then(|| self.connection.overdue_line()).flatten();
        let texts = instead.iter().map(|instead| instead.text.clone());
        let texts: Vec<String> = texts.chain(unexpected).chain(overdue).collect();
        let mut got = match texts.is_empty() {
            true => "nothing at all in that time".to_owned(),
            false => format!("only {} in that time", texts.join("; ")),
        };
        // Often it came with the reply to an earlier request, and differs from what is awaited.
        if let Some(earlier) = received.received_among(0..received_before, awaited.method) {
            got.push_str(&format!("; before the wait {} came", earlier.text));
        }
        let finding = Finding::peer(format!("{} did not come", awaited.what))
            .expected(expected)
            .got(got)
            .evidence_all(awaited.since)
            .evidence_all(instead.into_iter().flat_map(|instead| instead.seqs))
            .evidence_all(seqs)
            .evidence(fired);
        self.explained(finding, awaited)
    }

    /// Adds why the server may not have sent what is awaited.
    fn explained(&self, finding: Finding, awaited: &Awaited<'_>) -> Finding {
        let Some(method) = awaited.method else { return finding };
        let finding = finding.awaited(method);
        match self.declaration_hint(method) {
            Some(hint) => finding.hint(hint),
            None => finding,
        }
    }
}

/// A description of what is awaited, and the event after which it counts.
#[derive(Debug)]
pub(super) struct Awaited<'a> {
    pub(super) what: String,
    /// The notification that is awaited, if it is one of a method.
    pub(super) method: Option<&'a str>,
    pub(super) since: Option<Seq>,
}
