//! The end of a conversation: requests without a reply in the case, unexpected messages, and a final request.

use std::collections::BTreeMap;

use mcp_test_core::check::Finding;
use mcp_test_core::client::Reply;
use mcp_test_core::expect::words;
use mcp_test_core::scenario::Ctx;
use mcp_test_core::spec::{Era, LISTEN};

use super::conversation::{CaseConversation, Lookup};
use super::stop::Stop;

/// What a server sends first on a subscription.
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

impl CaseConversation<'_> {
    /// Waits for the reply to a request that has none in the case; any result passes.
    ///
    /// A `subscriptions/listen` stays open; its acknowledgement is enough.
    pub(super) async fn answered(&mut self, line: usize) -> Result<(), Stop> {
        let Some(index) = self.request_at(line) else { return Ok(()) };
        let request = &self.client_requests[index];
        if request.pending.is_none() {
            return Ok(());
        }
        // A subscription that is refused has a reply, which is checked like any other.
        if request.method == LISTEN && self.is_pending(request) {
            let found = self.until(|this| {
                let is_over = !this.is_pending(&this.client_requests[index]);
                match this.client.notifications().iter().any(|it| it.method() == ACKNOWLEDGED) {
                    true => Lookup::Found(true),
                    false if is_over => Lookup::Found(false),
                    false => Lookup::Absent,
                }
            });
            if let Ok(true) = found.await {
                self.client.take_notification(|notice| notice.method() == ACKNOWLEDGED);
                return Ok(());
            }
        }
        let reply = self.reply_to(index).await?;
        self.require_result(line, &reply).map_err(Stop::Differs)
    }

    /// Fails if the reply to a request without an `out` is an error.
    pub(super) fn require_result(&self, line: usize, reply: &Reply) -> Result<(), Finding> {
        let Err(error) = reply.outcome() else { return Ok(()) };
        let key = &self.lines[line].message.key;
        Err(Finding::peer(format!("`{key}` was refused, and the case has no error"))
            .expected("any result")
            .got(error.to_string())
            .hint("if the refusal is expected, add the error as an `out`")
            .evidence_all(reply.evidence()))
    }

    /// Sends a final request: for a case without requests, all that can be checked is that it is answered.
    pub(super) async fn goes_on(&mut self) -> Result<(), Finding> {
        if self.bare {
            return Err(Finding::test("the case sends no request")
                .expected("at least one request, or one `out`")
                .got("only messages without a reply")
                .hint(
                    "without `_handshake: false`, a `ping` would show whether the server still answers",
                ));
        }
        let method = match self.client.revision().era() {
            Era::Handshake => "ping",
            Era::Stateless => "server/discover",
        };
        let pending = self.client.start(method, mcp_test_core::json::Object::new()).await;
        self.until_settled(&pending).await;
        let reply = self.client.wait(pending).await?;
        // Even an error shows that the server still answers.
        let _ = reply.outcome();
        Ok(())
    }

    /// Reports messages of the server that the case does not have: a request is a FAILURE, a notification only in profile
    /// `strict`.
    pub(super) async fn report_unexpected(&mut self, ctx: &mut Ctx) {
        self.at = self.lines.len();
        // Some messages may have arrived without having been processed.
        self.client.catch_up().await;
        self.sort_requests().await;
        let unclaimed = self.unclaimed_requests().map(|it| (it.seq, it.request.method.clone()));
        let (requested_at, methods): (Vec<_>, Vec<_>) =
            self.unexpected.iter().cloned().chain(unclaimed).unzip();
        // Either side may send a `ping` at any time.
        let (pings, requests): (Vec<_>, Vec<_>) =
            methods.into_iter().partition(|method| method == "ping");
        let notices = self.client.untaken_notifications();
        let (notified_at, mut notifications): (Vec<_>, Vec<_>) =
            notices.map(|notice| (notice.seq, notice.method().to_owned())).unzip();
        notifications.extend(pings);
        let strict = self.strict;
        let check = ctx.check(super::UNEXPECTED);
        let expected = "nothing that is not in the case";
        drop(match (requests.as_slice(), notifications.as_slice()) {
            ([], []) => check.pass(),
            ([], notifications) if !strict => {
                check.info(format!("the server also sent {}, which is not in the case", counted(notifications)))
            }
            ([], notifications) => check.fail(
                Finding::peer("the server sends notifications that are not in the case")
                    .expected(expected)
                    .got(counted(notifications))
                    .evidence_all(notified_at.into_iter().take(SHOWN)),
            ),
            (requests, _) => check.fail(
                Finding::peer("the server sends requests that are not in the case")
                    .expected(expected)
                    .got(format!("the request {}", counted(requests)))
                    .hint("to expect it, add an `out` with its `method` and an `id`, and an `in` with the same `id` that answers it")
                    .evidence_all(requested_at.into_iter().take(SHOWN)),
            ),
        });
    }
}

/// How many unexpected messages are shown.
const SHOWN: usize = 5;

/// The methods, each with its count.
fn counted(methods: &[String]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for method in methods {
        *counts.entry(method).or_default() += 1;
    }
    let each = counts.iter().map(|(method, count)| match count {
        1 => format!("`{method}`"),
        many => format!("`{method}` ({many} times)"),
    });
    words::list(each, "and")
}
