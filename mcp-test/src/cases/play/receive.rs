//! Receives an `out` of the case: waits for the message, and compares it.

use mcp_test_core::check::Finding;
use mcp_test_core::client::{ReceivedNotification, Reply};
use mcp_test_core::clock;
use mcp_test_core::json::Value;
use mcp_test_core::spec::{Era, meta};
use mcp_test_core::trace::Seq;
use mcp_test_core::wire::{ErrorReply, Id, Message, Request, Response};

use super::conversation::{CaseConversation, Lookup, Missing, ServerRequest};
use super::roles::Role;
use super::stop::Stop;
use crate::cases::compare::{self, Tolerance, matches, similarity};
use crate::cases::{capture, expand};

impl CaseConversation<'_> {
    /// Receives the message of the current line.
    pub(super) async fn receive(&mut self) -> Result<(), Stop> {
        let expected = self.expanded()?;
        match self.roles[self.at].clone() {
            Role::ServerReply(Some(line)) => self.receive_reply(line, &expected).await,
            Role::ServerRequest(method, label) => {
                self.receive_request(&method, label, &expected).await
            }
            Role::ServerNotification(method) => self.receive_notification(&method, &expected).await,
            Role::ServerReply(None) => Err(Stop::Here(
                Finding::test(format!("`{}` answers no request", self.line().message.key))
                    .expected("an `in` before it that has the same `id` and is not answered yet")
                    .got(format!("none in the case ({})", self.line().place())),
            )),
            _ => Err(Stop::Differs(
                Finding::test(format!("`{}` is not a message", self.line().message.key))
                    .expected("a JSON-RPC 2.0 message that a server can send")
                    .got(format!("{} ({})", expected.short(80), self.line().place())),
            )),
        }
    }

    async fn receive_reply(&mut self, line: usize, expected: &Value) -> Result<(), Stop> {
        let key = &self.line().message.key;
        let Some(index) = self.request_at(line) else {
            let headline = format!("`{key}` answers a request that was not sent");
            return Err(Stop::Here(Finding::harness(headline)));
        };
        let reply = self.reply_to(index).await?;
        // The messages that follow are in the revision that the server chose, even if the case has another.
        if self.roles[line].is_initialize() && self.client.revision().era() == Era::Handshake {
            self.client.adopt_revision(&reply);
        }
        let label = self.client_requests[index].label.clone();
        // The id on the wire is the client's own; the case knows the request by its label.
        let got = match reply.outcome() {
            Ok(result) => {
                let id = label.unwrap_or(Id::Null);
                Message::Response(Response { id, result: result.clone() })
            }
            Err(error) => Message::Error(ErrorReply { id: label, error: error.clone() }),
        };
        self.judge(expected, &got.to_value(), &reply.evidence())
    }

    /// Waits for the reply to the client's request at an index.
    pub(super) async fn reply_to(&mut self, index: usize) -> Result<Reply, Stop> {
        let request = &mut self.client_requests[index];
        let Some(pending) = request.pending.take() else {
            let headline = format!("the reply to `{}` was taken already", request.method);
            return Err(Stop::Here(Finding::harness(headline)));
        };
        // The server may send requests before its reply, and they have to be sorted while the client waits.
        self.until_settled(&pending).await;
        let waiting = self.unclaimed_requests().map(|it| format!("`{}`", it.request.method));
        let waiting: Vec<String> = waiting.collect();
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

    async fn receive_request(
        &mut self,
        method: &str,
        label: Id,
        expected: &Value,
    ) -> Result<(), Stop> {
        let at = match self.until(|this| this.find_request(method, expected)).await {
            Ok(at) => at,
            Err(missing) => return Err(Stop::Here(self.missing(missing, "request", method))),
        };
        self.server_requests[at].matched = Some((self.at, label.clone()));
        let ServerRequest { seq, request, .. } = &self.server_requests[at];
        let (seq, got) = (*seq, request_value(request, label));
        self.judge(expected, &self.labeled(got), &[seq])
    }

    /// The server's request for the current line: one that matches, else the first of its method. A server that waits for an
    /// answer sends no better one meanwhile.
    fn find_request(&self, method: &str, expected: &Value) -> Lookup<usize> {
        let candidates = || {
            self.server_requests
                .iter()
                .enumerate()
                .filter(|(_, it)| it.matched.is_none() && it.request.method == method)
        };
        let fits =
            candidates().find(|(_, it)| self.fits(expected, &request_value(&it.request, Id::Null)));
        match fits.or_else(|| candidates().next()) {
            Some((at, _)) => Lookup::Found(at),
            None => Lookup::Absent,
        }
    }

    async fn receive_notification(&mut self, method: &str, expected: &Value) -> Result<(), Stop> {
        let found = self.until(|this| {
            let fits = this
                .client
                .untaken_notifications()
                .filter(|notice| notice.method() == method)
                .find(|notice| this.fits(expected, &this.labeled(notification_value(notice))))
                .map(|notice| notice.seq);
            if let Some(seq) = fits {
                return match this.client.take_notification(|notice| notice.seq == seq) {
                    Some(notice) => Lookup::Found(notice),
                    None => Lookup::Absent,
                };
            }
            match this.client.untaken_notifications().any(|notice| notice.method() == method) {
                true => Lookup::Similar,
                false => Lookup::Absent,
            }
        });
        let notice = match found.await {
            Ok(notice) => notice,
            Err(missing) => {
                // After the end of the connection, a difference in another message would hide why it ended.
                let is_over = matches!(missing, Missing::Closed(_));
                let nearest = self.nearest(method, expected).filter(|_| !is_over);
                match nearest.and_then(|seq| self.client.take_notification(|it| it.seq == seq)) {
                    Some(notice) => notice,
                    None => return Err(self.missing_notification(missing, method)),
                }
            }
        };
        let got = self.labeled(notification_value(&notice));
        self.judge(expected, &got, &[notice.seq])
    }

    fn missing_notification(&self, missing: Missing, method: &str) -> Stop {
        // After a reply the connection still works, and the later lines can be checked.
        let goes_on = matches!(missing, Missing::Overtaken(_));
        let finding = self.missing(missing, "notification", method);
        if goes_on { Stop::Differs(finding) } else { Stop::Here(finding) }
    }

    /// The notification that is most similar to the awaited one, without those that match a later line.
    fn nearest(&self, method: &str, expected: &Value) -> Option<Seq> {
        let fits_line = |at: usize, got: &Value| {
            let line = self.lines[at];
            let expected = expand(&line.message.value, &self.values);
            expected.is_ok_and(|expected| {
                matches(&expected, got, &line.message.rule, &self.tolerance())
            })
        };
        // A notification that matches a later line is left for that line.
        let later: Vec<usize> = (self.at + 1..self.lines.len())
            .filter(|at| matches!(&self.roles[*at], Role::ServerNotification(of) if of == method))
            .collect();
        let mut nearest: Option<(f64, Seq)> = None;
        for notice in self.client.untaken_notifications().filter(|notice| notice.method() == method)
        {
            let got = self.labeled(notification_value(notice));
            let near = similarity(expected, &got);
            if nearest.is_none_or(|(best, _)| near > best)
                && !later.iter().any(|at| fits_line(*at, &got))
            {
                nearest = Some((near, notice.seq));
            }
        }
        nearest.map(|(_, seq)| seq)
    }

    /// Compares a message with the current line, and captures its values.
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

    /// Whether a message is the one of the current line.
    fn fits(&self, expected: &Value, got: &Value) -> bool {
        matches(expected, got, &self.line().message.rule, &self.tolerance())
    }

    fn tolerance(&self) -> Tolerance {
        match self.strict {
            true => Tolerance::none(),
            false => Tolerance::of(self.client.revision()),
        }
    }

    /// A message of the server with the labels of the case in place of request ids.
    fn labeled(&self, mut value: Value) -> Value {
        let label = |id: &Value| {
            let id = Id::read(id)?;
            let ours = self.client_requests.iter().find(|sent| sent.id == id);
            let ours = ours.and_then(|sent| sent.label.clone());
            let theirs = self.server_requests.iter().find(|received| received.request.id == id);
            let theirs = theirs.and_then(|received| Some(received.matched.as_ref()?.1.clone()));
            ours.or(theirs).map(|label| label.to_value())
        };
        // The two places where a notification names a request by its id.
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

    /// The finding that a message did not arrive.
    fn missing(&self, missing: Missing, kind: &str, method: &str) -> Finding {
        let line = self.line();
        let finding = Finding::peer(format!("the server did not send the {kind} `{method}`"));
        let wanted = format!("`{}` of the case ({})", line.message.key, line.place());
        let received = self.describe_received();
        match missing {
            Missing::Overtaken(reply) => finding
                .expected(format!("{wanted}, before the reply to `{reply}`"))
                .got(format!("the reply, and before it {received}")),
            Missing::Closed(how) => finding
                .expected(wanted)
                .got(format!("{received}, until the connection ended: {how}")),
            Missing::TimedOut(allotted, fired) => finding
                .expected(format!("{wanted}, within {}", clock::format_duration(allotted)))
                .got(format!("{received} in that time"))
                .evidence(fired),
        }
    }

    /// The unsolicited messages that match no line, as text.
    fn describe_received(&self) -> String {
        const NAMED: usize = 5;
        let notices = self.client.untaken_notifications().map(|notice| notice.method().to_owned());
        let unclaimed = self.unclaimed_requests().map(|it| it.request.method.clone());
        let refused = self.unexpected.iter().map(|(_, method)| method.clone());
        let all: Vec<String> =
            notices.chain(unclaimed).chain(refused).map(|it| format!("`{it}`")).collect();
        match all.len() {
            0 => "nothing similar".to_owned(),
            few @ 1..=NAMED => mcp_test_core::expect::words::list(&all[..few], "and"),
            many => format!("{} and {} more", all[..NAMED].join(", "), many - NAMED),
        }
    }
}

fn request_value(request: &Request, label: Id) -> Value {
    Request { id: label, ..request.clone() }.to_value()
}

fn notification_value(notice: &ReceivedNotification) -> Value {
    notice.notification.to_value()
}
