//! What the server is to say: an `out` of the case is awaited, and held against what came.

use super::conversation::{Asked, Conversation, Found, Missing};
use super::roles::Role;
use super::told::Stop;
use crate::cases::compare::{self, Tolerance, matches};
use crate::cases::{capture, compare::nearness, expand};
use crate::check::Finding;
use crate::client::{Notice, Reply};
use crate::clock;
use crate::json::Value;
use crate::spec::{Era, meta};
use crate::trace::Seq;
use crate::wire::{ErrorReply, Id, Message, Request, Response};

impl Conversation<'_> {
    /// Awaits the present line.
    pub(super) async fn hear(&mut self) -> Result<(), Stop> {
        let expected = self.expanded()?;
        match self.roles[self.at].clone() {
            Role::Replies(Some(line)) => self.hear_reply(line, &expected).await,
            Role::IsAsked(method, label) => self.hear_request(&method, label, &expected).await,
            Role::Notifies(method) => self.hear_notification(&method, &expected).await,
            Role::Replies(None) => Err(Stop::Here(
                Finding::test(format!("`{}` answers no request", self.line().message.key))
                    .expected("an `in` before it that has the same `id` and is not answered yet")
                    .got(format!("none in the case ({})", self.line().place())),
            )),
            _ => Err(Stop::Differs(
                Finding::test(format!("`{}` is no message", self.line().message.key))
                    .expected("a JSON-RPC 2.0 message, which a server can say")
                    .got(format!("{} ({})", expected.short(80), self.line().place())),
            )),
        }
    }

    async fn hear_reply(&mut self, line: usize, expected: &Value) -> Result<(), Stop> {
        let key = &self.line().message.key;
        let Some(asking) = self.asking.iter().position(|asking| asking.line == line) else {
            let headline = format!("`{key}` answers what was not asked");
            return Err(Stop::Here(Finding::harness(headline)));
        };
        let reply = self.reply_to(asking).await?;
        if self.roles[line].opens() && self.client.revision().era() == Era::Handshake {
            self.client.settle_on(&reply);
        }
        let label = self.asking[asking].label.clone();
        let got = match reply.outcome() {
            Ok(result) => {
                let id = label.unwrap_or(Id::Null);
                Message::Response(Response { id, result: result.clone() })
            }
            Err(error) => Message::Error(ErrorReply { id: label, error: error.clone() }),
        };
        self.judge(expected, &got.to_value(), &reply.evidence())
    }

    /// The reply to a request, once it is there.
    pub(super) async fn reply_to(&mut self, asking: usize) -> Result<Reply, Stop> {
        let Some(pending) = self.asking[asking].pending.take() else {
            let headline =
                format!("nobody waits for the reply to `{}`", self.asking[asking].method);
            return Err(Stop::Here(Finding::harness(headline)));
        };
        self.until_settled(&pending).await;
        let waiting: Vec<String> = self
            .asked
            .iter()
            .filter(|asked| asked.known_as.is_none())
            .map(|asked| format!("`{}`", asked.request.method))
            .collect();
        self.client.wait(pending).await.map_err(|finding| {
            Stop::Here(match waiting.as_slice() {
                [] => finding,
                waiting => finding.hint(format!(
                    "the server waits for the answer to {}, which the case has later",
                    waiting.join(", ")
                )),
            })
        })
    }

    async fn hear_request(
        &mut self,
        method: &str,
        label: Id,
        expected: &Value,
    ) -> Result<(), Stop> {
        let found = self.until(|this| this.find_request(method, expected)).await;
        let at = match found {
            Ok(at) => at,
            Err(missing) => return Err(Stop::Here(self.missing(missing, "request", method))),
        };
        self.asked[at].known_as = Some((self.at, label.clone()));
        let Asked { seq, request, .. } = &self.asked[at];
        let (seq, got) = (*seq, of_request(request, label));
        self.judge(expected, &self.labelled(got), &[seq])
    }

    /// The request of the server that the present line means: one that is as it has to be, or else the first of its method, if
    /// no later line means it. A server that waits for an answer says nothing better meanwhile.
    fn find_request(&self, method: &str, expected: &Value) -> Found<usize> {
        let candidates = || {
            self.asked
                .iter()
                .enumerate()
                .filter(|(_, asked)| asked.known_as.is_none() && asked.request.method == method)
        };
        let is_it = |asked: &Asked| self.is(expected, &of_request(&asked.request, Id::Null));
        let fits = candidates().find(|(_, asked)| is_it(asked));
        match fits.or_else(|| candidates().next()) {
            Some((at, _)) => Found::There(at),
            None => Found::No,
        }
    }

    async fn hear_notification(&mut self, method: &str, expected: &Value) -> Result<(), Stop> {
        let found = self.until(|this| {
            let fits = this
                .client
                .untaken()
                .filter(|notice| notice.method() == method)
                .find(|notice| this.is(expected, &this.labelled(of_notice(notice))))
                .map(|notice| notice.seq);
            if let Some(seq) = fits {
                return match this.client.take_notice(|notice| notice.seq == seq) {
                    Some(notice) => Found::There(notice),
                    None => Found::No,
                };
            }
            match this.client.untaken().any(|notice| notice.method() == method) {
                true => Found::Nearly,
                false => Found::No,
            }
        });
        let missing = match found.await {
            Ok(notice) => {
                let got = self.labelled(of_notice(&notice));
                return self.judge(expected, &got, &[notice.seq]);
            }
            Err(missing) => missing,
        };
        let nearest = self.nearest(method, expected);
        let is_over = matches!(missing, Missing::Closed(_));
        let nearest = nearest.filter(|_| !is_over);
        match nearest.and_then(|seq| self.client.take_notice(|it| it.seq == seq)) {
            Some(notice) => {
                let got = self.labelled(of_notice(&notice));
                self.judge(expected, &got, &[notice.seq])
            }
            _ => {
                let goes_on = matches!(missing, Missing::Overtaken(_));
                let finding = self.missing(missing, "notification", method);
                Err(if goes_on { Stop::Differs(finding) } else { Stop::Here(finding) })
            }
        }
    }

    /// The notification that is most like what is awaited, of those that no later line means.
    fn nearest(&self, method: &str, expected: &Value) -> Option<Seq> {
        let means = |at: usize, got: &Value| {
            let line = self.lines[at];
            let expected = expand(&line.message.value, &self.values);
            let is_it = |expected| matches(&expected, got, &line.message.rule, &self.tolerance());
            expected.is_ok_and(is_it)
        };
        let later: Vec<usize> = (self.at + 1..self.lines.len())
            .filter(|at| matches!(&self.roles[*at], Role::Notifies(of) if of == method))
            .collect();
        let mut nearest: Option<(f64, Seq)> = None;
        for notice in self.client.untaken().filter(|notice| notice.method() == method) {
            let got = self.labelled(of_notice(notice));
            let near = nearness(expected, &got);
            if nearest.is_none_or(|(best, _)| near > best)
                && !later.iter().any(|at| means(*at, &got))
            {
                nearest = Some((near, notice.seq));
            }
        }
        nearest.map(|(_, seq)| seq)
    }

    /// Holds what came against the present line, and keeps of it what is to be kept.
    pub(super) fn judge(
        &mut self,
        expected: &Value,
        got: &Value,
        evidence: &[Seq],
    ) -> Result<(), Stop> {
        let line = self.line();
        let tolerance = self.tolerance();
        let secrets = self.values.secrets();
        let differences = compare::compare(expected, got, &line.message.rule, &tolerance, secrets);
        let kept = capture(line.message, got, &mut self.values);
        let finding = match (differences.as_slice(), kept) {
            ([], Ok(())) => return Ok(()),
            ([], Err(finding)) => finding,
            (differences, _) => compare::finding(differences, line.message, line.file),
        };
        Err(Stop::Differs(finding.evidence_all(evidence.iter().copied())))
    }

    fn is(&self, expected: &Value, got: &Value) -> bool {
        matches(expected, got, &self.line().message.rule, &self.tolerance())
    }

    fn tolerance(&self) -> Tolerance {
        match self.strict {
            true => Tolerance::none(),
            false => Tolerance::of(self.client.revision()),
        }
    }

    /// What the server said, with the labels of the case in the place of the ids of requests.
    fn labelled(&self, mut value: Value) -> Value {
        let label = |id: &Value| {
            let id = Id::read(id)?;
            let ours = self.asking.iter().find(|asking| asking.id == id);
            let ours = ours.and_then(|asking| asking.label.clone());
            let theirs = self.asked.iter().find(|asked| asked.request.id == id);
            let theirs = theirs.and_then(|asked| Some(asked.known_as.as_ref()?.1.clone()));
            ours.or(theirs).map(|label| label.to_value())
        };
        let subscription = meta::SUBSCRIPTION_ID.replace('/', "~1");
        let mut places = vec![format!("/params/_meta/{subscription}")];
        if value.get("method").and_then(Value::as_str) == Some("notifications/cancelled") {
            places.push("/params/requestId".to_owned());
        }
        for place in places {
            if let Some(label) = value.at(&place).and_then(label) {
                value.set(&place, label);
            }
        }
        value
    }

    /// Says that something did not come.
    fn missing(&self, missing: Missing, kind: &str, method: &str) -> Finding {
        let line = self.line();
        let finding = Finding::peer(format!("the {kind} `{method}` did not come"));
        let wanted = format!("`{}` of the case ({})", line.message.key, line.place());
        let came = self.came();
        match missing {
            Missing::Overtaken(reply) => finding
                .expected(format!("{wanted}, before the reply to `{reply}`"))
                .got(format!("the reply, and before it {came}")),
            Missing::Closed(how) => {
                finding.expected(wanted).got(format!("{came}, until the connection ended: {how}"))
            }
            Missing::TimedOut(allotted, fired) => finding
                .expected(format!("{wanted}, within {}", clock::in_words(allotted)))
                .got(format!("{came} in that time"))
                .evidence(fired),
        }
    }

    /// What the server has said of its own accord and nobody has taken, in words.
    fn came(&self) -> String {
        const NAMED: usize = 5;
        let notices = self.client.untaken().map(|notice| notice.method().to_owned());
        let asked = self.asked.iter().filter(|asked| asked.known_as.is_none());
        let asked = asked.map(|asked| asked.request.method.clone());
        let refused = self.unexpected.iter().map(|(_, method)| method.clone());
        let all: Vec<String> =
            notices.chain(asked).chain(refused).map(|it| format!("`{it}`")).collect();
        match all.len() {
            0 => "nothing that could be it".to_owned(),
            few @ 1..=NAMED => crate::expect::words::list(&all[..few], "and"),
            many => format!("{} and {} more", all[..NAMED].join(", "), many - NAMED),
        }
    }
}

fn of_request(request: &Request, label: Id) -> Value {
    Request { id: label, ..request.clone() }.to_value()
}

fn of_notice(notice: &Notice) -> Value {
    notice.notification.to_value()
}
