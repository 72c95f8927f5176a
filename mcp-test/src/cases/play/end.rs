//! The end of a conversation: what was asked and has no reply in the case, what was not expected, and a sign of life.

use std::collections::BTreeMap;

use super::conversation::{Conversation, Found};
use super::roles::Role;
use super::told::Stop;
use crate::check::Finding;
use crate::client::Reply;
use crate::expect::words;
use crate::scenario::Ctx;
use crate::spec::Era;

const LISTEN: &str = "subscriptions/listen";
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

impl Conversation<'_> {
    /// Waits for the reply to a request that has none in the case: any result will do, for a request has to be answered.
    ///
    /// A `subscriptions/listen` goes on; for it, the acknowledgement will do.
    pub(super) async fn answered(&mut self, line: usize) -> Result<(), Stop> {
        let is_it = |asking: &super::conversation::Asking| asking.line == line;
        let Some(asking) = self.asking.iter().position(is_it) else { return Ok(()) };
        let Some(pending) = &self.asking[asking].pending else { return Ok(()) };
        if self.asking[asking].method == LISTEN && self.client.is_under_way(pending) {
            let found = self.until(|this| {
                let is_over = this.asking[asking]
                    .pending
                    .as_ref()
                    .is_none_or(|pending| !this.client.is_under_way(pending));
                match this.client.notifications().iter().any(|it| it.method() == ACKNOWLEDGED) {
                    true => Found::There(true),
                    false if is_over => Found::There(false),
                    false => Found::No,
                }
            });
            if let Ok(true) = found.await {
                self.client.take_notice(|notice| notice.method() == ACKNOWLEDGED);
                return Ok(());
            }
        }
        let reply = self.reply_to(asking).await?;
        self.granted(line, &reply).map_err(Stop::Differs)
    }

    /// Whether the reply is a result, to a request of whose reply the case says nothing.
    pub(super) fn granted(&self, line: usize, reply: &Reply) -> Result<(), Finding> {
        let Err(error) = reply.outcome() else { return Ok(()) };
        let key = &self.lines[line].message.key;
        Err(Finding::peer(format!("`{key}` was refused, of which the case says nothing"))
            .expected("a result, whatever it holds")
            .got(error.to_string())
            .hint("if it is meant to be refused, write the error as an `out`")
            .evidence_all(reply.evidence()))
    }

    /// Asks for a sign of life: of a case that asks for nothing, it is all that can be told.
    pub(super) async fn goes_on(&mut self) -> Result<(), Finding> {
        if self.bare {
            return Err(Finding::test("the case asks the server for nothing")
                .expected("at least one request, or one `out`")
                .got("only what is not answered")
                .hint(
                    "without `_handshake: false`, a `ping` would tell whether the server goes on",
                ));
        }
        let method = match self.client.revision().era() {
            Era::Handshake => "ping",
            Era::Stateless => "server/discover",
        };
        let pending = self.client.start(method, crate::json::Object::new()).await;
        self.until_settled(&pending).await;
        let reply = self.client.wait(pending).await?;
        // An error is a sign of life as well.
        let _ = reply.outcome();
        Ok(())
    }

    /// Tells what the server has said and the case does not have: a request is a FAILURE, a notification is only told, unless
    /// the rules are strict.
    pub(super) async fn tell_unexpected(&mut self, ctx: &mut Ctx) {
        self.at = self.lines.len();
        self.client.catch_up().await;
        self.sort().await;
        let (evidence, mut methods): (Vec<_>, Vec<_>) = self.unexpected.iter().cloned().unzip();
        let unclaimed = self.asked.iter().filter(|asked| asked.known_as.is_none());
        let unclaimed: Vec<_> =
            unclaimed.map(|asked| (asked.seq, asked.request.method.clone())).collect();
        let seqs = evidence.into_iter().chain(unclaimed.iter().map(|(seq, _)| *seq));
        let seqs: Vec<_> = seqs.collect();
        methods.extend(unclaimed.into_iter().map(|(_, method)| method));
        // Anybody may ask at any time whether the other one is still there.
        let (pings, methods): (Vec<_>, Vec<_>) =
            methods.into_iter().partition(|method| method == "ping");
        let notices = self.client.untaken().map(|notice| notice.method().to_owned());
        let told: Vec<String> = notices.chain(pings).collect();
        let told_at: Vec<_> = self.client.untaken().map(|notice| notice.seq).collect();
        let strict = self.strict;
        let check = ctx.check(super::UNEXPECTED);
        let expected = "nothing but what the case has";
        drop(match (methods.as_slice(), told.as_slice()) {
            ([], []) => check.pass(),
            ([], told) if !strict => {
                check.info(format!("the server also sent {}, which is not in the case", counted(told)))
            }
            ([], told) => check.fail(
                Finding::peer("the server says what is not in the case")
                    .expected(expected)
                    .got(counted(told))
                    .evidence_all(told_at.into_iter().take(SHOWN)),
            ),
            (methods, _) => check.fail(
                Finding::peer("the server asks what is not in the case")
                    .expected(expected)
                    .got(format!("the request {}", counted(methods)))
                    .hint("an `out` with `method` and `id` has it asked, an `in` with the same `id` answers it")
                    .evidence_all(seqs.into_iter().take(SHOWN)),
            ),
        });
    }
}

/// How many messages are shown of those that were not expected.
const SHOWN: usize = 5;

/// The methods, each with how often it came.
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

impl Role {
    /// Whether it is a request to which the case has no reply, and which nobody takes back: it has to be answered all the same.
    pub(in crate::cases) fn is_open_question(&self) -> bool {
        matches!(self, Self::Asks { answered: None, cancelled: false, .. })
    }
}
