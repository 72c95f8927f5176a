//! Matches observations to open requests: each is a reply to one, or proof that one will get no reply.

use super::State;
use super::bad_reply::BadReply;
use super::open_request::{Abandoned, OpenRequest, Outcome};
use crate::check::{Cause, Fate, Finding, requirement_of};
use crate::expect::words;
use crate::json::Value;
use crate::spec::{self, Era, Requirement, Revision, Side};
use crate::trace::{Seq, UnparsableKind};
use crate::transport::{Origin, ResponseAdvice};
use crate::wire::{Expected, Id, Malformed, MediaType, Request};

/// How many texts that are not messages may come before a reply. Programs that log each step of a call to their standard output
/// have written 65,000 lines before they answered.
const FLOOD: u64 = 100_000;

/// How many requests a server may send before a reply.
const REQUESTS: u64 = 1000;

impl State {
    pub(super) fn reply(
        &mut self,
        seq: Seq,
        origin: Origin,
        id: Option<Id>,
        outcome: Outcome,
        revision: Revision,
    ) {
        // The official client of the stateless era looks neither at the status nor at the id of a JSON reply.
        let ignores_id = self.lenient && revision.era() == Era::Stateless && !origin.is_stream();
        if let Some(id) = &id {
            self.note_if_answers_non_requests(id);
        }
        if let Some(id) = &id
            && let Some(open) = self.unsettled(id)
        {
            let status = origin.status.filter(|_| outcome.is_ok() && !ignores_id);
            open.settled = Some(match status {
                // An error may come with any status. A result may not, and 202 is for messages without a reply.
                Some(status) if !(200..300).contains(&status) || status == 202 => {
                    Err(wrong_status(open, seq, status))
                }
                _ => Ok((seq, outcome)),
            });
            let sent = open.sent.seq;
            self.non_request.answer_request(&sent);
            // With one open request fewer, bad replies may belong to those that are left.
            self.match_remaining();
            return;
        }
        if id.as_ref().is_some_and(|id| self.own.contains(id)) {
            return;
        }
        // Looked up before the open requests are: a late reply must not fail the request that is open now.
        if id.as_ref().is_some_and(|id| self.note_late(seq, id)) {
            return;
        }
        // Of the requests that are open now, none is to blame for it.
        let is_of = |(other, _): &(Id, String)| Some(other) == id.as_ref();
        if let Some(index) = self.misanswered.iter().position(is_of) {
            let (id, method) = self.misanswered.swap_remove(index);
            let text = format!("a response with id {id}, after something else in its place");
            self.note_unexpected(seq, text);
            self.answered.push((id, method));
            return;
        }
        self.reply_with_other_id(seq, origin, id, outcome, ignores_id);
    }

    /// The open request that a reply with this id settles.
    fn unsettled(&mut self, id: &Id) -> Option<&mut OpenRequest> {
        // A settled request keeps its first reply; a second one is a reply that no open request has.
        let position = |is_meant: &dyn Fn(&Id) -> bool| {
            self.open.iter().position(|open| open.settled.is_none() && is_meant(&open.id))
        };
        let exact = position(&|open| open == id);
        let retyped = || position(&|open| self.lenient && open.is_retyped(id));
        let index = exact.or_else(retyped)?;
        self.open.get_mut(index)
    }

    /// Notes a reply to a request that nobody waits for any more; `false` if the id is not that of one.
    fn note_late(&mut self, seq: Seq, id: &Id) -> bool {
        let Some((_, why)) = self.abandoned.iter().find(|(other, _)| other == id) else {
            return false;
        };
        let text = match why {
            Abandoned::TimedOut | Abandoned::Ignored => "a reply that arrived after its deadline",
            Abandoned::Cancelled => "a reply to a cancelled request",
        };
        self.note_unexpected(seq, text.to_owned());
        // One is enough to report, and a peer may repeat it endlessly.
        if self.late_reply(id).is_none() {
            self.late.push((id.clone(), seq));
        }
        true
    }

    /// A reply under an id that no open request has: it may still be clear which request it was meant for.
    fn reply_with_other_id(
        &mut self,
        seq: Seq,
        origin: Origin,
        id: Option<Id>,
        outcome: Outcome,
        ignores_id: bool,
    ) {
        // A server that turns 1 into "1", or rounds it, has named its request, even if several are open.
        let retyped = id.as_ref().and_then(|id| {
            let same = |open: &OpenRequest| {
                let is_meant = open.id.is_retyped(id) || id.is_rounded(&open.id);
                is_meant && open.settled.is_none()
            };
            self.open.iter().position(same)
        });
        // Results are objects. This one answers what is not a request, most likely a notification.
        let is_nothing = matches!(outcome, Ok(Value::Null));
        let lacks_id = matches!(id, None | Some(Id::Null));
        let may_answer_non_request = lacks_id && self.may_answer_non_request(origin.exchange);
        if is_nothing && lacks_id && origin.exchange.is_none() {
            if !may_answer_non_request {
                self.note_unexpected(seq, "a response with neither an id nor a result".to_owned());
            }
            return;
        }
        let exchange = origin.exchange;
        let bad = BadReply::WrongId { id: id.clone(), is_error: outcome.is_err(), exchange };
        let anonymous = lacks_id && outcome.is_err();
        // An error without an id is for what could not be read, even if other requests are open.
        let mut unreadable = self.open.iter_mut().filter(|open| open.settled.is_none());
        if anonymous
            && origin.exchange.is_none()
            && let Some(open) = unreadable.find(|open| open.id_unreadable)
        {
            open.settled = Some(Ok((seq, outcome)));
            return;
        }
        if may_answer_non_request {
            self.keep_doubtful(seq, bad);
            return;
        }
        let Some(index) = self.only_candidate(origin.exchange).or(retyped) else {
            let id = id.map_or_else(|| "no id".to_owned(), |id| format!("id {id}"));
            self.note_unexpected(seq, format!("a response with {id}, which no open request has"));
            // Over HTTP the end of the exchange settles its requests. Elsewhere this may answer any of them.
            if origin.exchange.is_none() {
                self.keep_unmatched(seq, bad);
            }
            return;
        };
        // An error reply may lack the id; the exchange then shows which request it refuses.
        if (anonymous || ignores_id) && origin.exchange.is_some() {
            self.open[index].settled = Some(Ok((seq, outcome)));
            return;
        }
        // The official client reads on until the right id or the end of the stream.
        if self.lenient && origin.exchange.is_some() {
            let (got, _) = self.wrong_id(id.as_ref(), &self.open[index].id, outcome.is_err());
            self.note_unexpected(seq, format!("a response with {got}"));
            return;
        }
        self.fail(index, seq, bad);
    }

    /// Bytes that are not a message: they settle a request if they arrived in place of its reply.
    pub(super) fn not_a_message(
        &mut self,
        seq: Seq,
        origin: Origin,
        shown: &str,
        malformed: Option<&Malformed>,
        kind: UnparsableKind,
        revision: Revision,
    ) {
        // Text with an id names its request; other text can only be matched while one request is open.
        let named = malformed.and_then(|malformed| malformed.id.as_ref());
        let target = match named {
            Some(id) => self.open.iter().position(|open| open.id == *id),
            None => self.only_candidate(origin.exchange),
        };
        // With a status other than 2xx the body may have any form; the end of the exchange settles the request.
        let refusal = origin.status.is_some_and(|status| !(200..300).contains(&status));
        if kind == UnparsableKind::Stray || refusal {
            self.note_unexpected(seq, shown.to_owned());
            if let Some(index) = target {
                let breaks = match origin.exchange {
                    Some(_) => body_requirement(origin, revision),
                    None => Requirement::TRANSPORT_STDIO_STDOUT_ONLY_MESSAGES,
                };
                self.fail_in_a_flood(index, seq, shown, breaks);
            }
            return;
        }
        let breaks = match (kind, malformed, origin.status) {
            // The limit is one of mcp-test, so the peer breaks no requirement.
            (UnparsableKind::OverLimit, ..) => None,
            (UnparsableKind::Unended, ..) => Some(Requirement::TRANSPORT_STDIO_NEWLINE_DELIMITED),
            (_, Some(malformed), _) => Some(requirement_of(malformed)),
            (_, None, Some(_)) => Some(body_requirement(origin, revision)),
            // Without a status it came on a line transport, where every line has to be a message.
            (_, None, None) => Some(Requirement::TRANSPORT_STDIO_STDOUT_ONLY_MESSAGES),
        };
        let bad = BadReply::NotAMessage { shown: shown.to_owned(), breaks, revision };
        let lacks_id = malformed.is_some_and(|it| it.expected == Expected::RequestId);
        if lacks_id && self.may_answer_non_request(origin.exchange) {
            self.keep_doubtful(seq, bad);
            return;
        }
        let Some(index) = target else {
            self.note_unexpected(seq, shown.to_owned());
            if origin.exchange.is_none() {
                self.keep_unmatched(seq, bad);
            }
            return;
        };
        self.fail(index, seq, bad);
    }

    /// Ends the wait for a reply that does not come among text that is not a message, which may go on forever.
    fn fail_in_a_flood(
        &mut self,
        index: usize,
        seq: Seq,
        shown: &str,
        breaks: &'static Requirement,
    ) {
        let open = &mut self.open[index];
        if self.unexpected_count - open.unexpected_before < FLOOD {
            return;
        }
        let finding = Finding::peer(format!("{} was not answered", words::method(&open.method)))
            .expected(format!("a response with id {}", open.id))
            .got(format!("{FLOOD} texts that are not messages, the last of them {shown}"))
            .requires(breaks)
            .caused_by(Cause::for_requirement(breaks))
            .evidence(open.sent.seq)
            .evidence(seq);
        open.settled = Some(Err(finding));
    }

    /// Ends the wait for a reply that does not come among requests of the server, each of which costs an answer.
    pub(super) fn fail_in_a_flood_of_requests(&mut self, index: usize, seq: Seq, last: &Request) {
        let open = &mut self.open[index];
        if self.request_count - open.requests_before < REQUESTS {
            return;
        }
        let method = &*open.method;
        let finding = Finding::peer(format!("`{method}` was not answered"))
            .expected(format!("a response with id {}", open.id))
            .got(format!("{REQUESTS} requests of the server, the last of them `{}`", last.method))
            .requires(Requirement::JSONRPC_REQUEST_ANSWERED)
            .caused_by(Cause::request(method, Fate::Unanswered))
            .evidence(open.sent.seq)
            .evidence(seq);
        open.settled = Some(Err(finding));
    }

    /// Settles an open request that came back as it was sent, and returns whether one did.
    ///
    /// The answer to it would come back as well, and look like the reply.
    pub(super) fn is_echo(&mut self, seq: Seq, request: &Request, revision: Revision) -> bool {
        // Both sides may choose the same id, so that only a method that servers never send is ours.
        let is_from_servers =
            spec::method(&request.method).is_none_or(|known| known.sent_by(Side::Server, revision));
        let is_same =
            |open: &&mut OpenRequest| open.id == request.id && open.method == request.method;
        let open = self.open.iter_mut().filter(|open| open.settled.is_none()).find(is_same);
        let Some(open) = open.filter(|_| !is_from_servers) else { return false };
        let method = &*open.method;
        let finding =
            Finding::peer(format!("the server repeats its input: it sent `{method}` back"))
                .expected(format!("a response with id {}", open.id))
                .got(format!("the request `{method}` with the same id"))
                .requires(Requirement::JSONRPC_REQUEST_ANSWERED)
                .caused_by(Cause::request(method, Fate::Unanswered))
                .evidence(open.sent.seq)
                .evidence(seq);
        open.settled = Some(Err(match self.answered.is_empty() {
            true => finding.hint("is it an MCP server? A program such as `cat` is not one."),
            false => finding,
        }));
        true
    }

    /// A request of the server at a revision where servers send none: the server would wait for its answer forever.
    pub(super) fn unexpected_request(
        &mut self,
        seq: Seq,
        origin: Origin,
        request: &Request,
        revision: Revision,
    ) {
        let Some(index) = self.only_candidate(origin.exchange) else {
            self.note_unexpected(seq, format!("a request of the server, `{}`", request.method));
            return;
        };
        let requirement = match origin.exchange {
            Some(_) => Requirement::TRANSPORT_HTTP_SERVER_NO_REQUESTS,
            None => Requirement::TRANSPORT_STDIO_SERVER_NO_REQUESTS,
        };
        let open = &mut self.open[index];
        let headline = format!("the server sent a request, `{}`", request.method);
        let finding = Finding::peer(headline)
            .expected(format!(
                "the reply to `{}`: in MCP {revision} servers send no requests",
                open.method
            ))
            .got(format!("a request with id {}", request.id))
            .requires(requirement)
            .caused_by(Cause::for_requirement(requirement))
            .evidence(open.sent.seq)
            .evidence(seq);
        open.settled = Some(Err(finding));
    }

    pub(super) fn exchange_ended(
        &mut self,
        seq: Seq,
        (exchange, status): (u64, Option<u16>),
        advice: &ResponseAdvice,
        how: &str,
    ) {
        if !self.exchanges.remove(&exchange) {
            // No request waits for it; `until_accepted` reads the status with which a notification was answered.
            self.ended.push((exchange, seq, status, how.to_owned()));
            // A server may refuse the GET for a stream of unsolicited messages.
            let refused = status.is_none_or(|status| status >= 400);
            if refused && !(self.listening.contains(&exchange) && status == Some(405)) {
                self.note_unexpected(seq, format!("an HTTP exchange that {how}"));
            }
            return;
        }
        let last_unexpected = self.unexpected.back().map(|unexpected| unexpected.text.clone());
        let unexpected: Vec<Seq> =
            self.unexpected.iter().map(|unexpected| unexpected.seq).collect();
        // Copied, because the loop below borrows the open requests mutably.
        let unreachable = self.networked && !self.received_anything;
        let is_proven = self.received_message;
        // A batch carries several requests.
        let carried = |open: &&mut OpenRequest| {
            open.sent.exchange == Some(exchange) && open.settled.is_none()
        };
        for open in self.open.iter_mut().filter(carried) {
            // What arrived before the request was sent cannot explain why it got no reply.
            let evidence: Vec<Seq> =
                unexpected.iter().copied().filter(|seq| *seq > open.sent.seq).collect();
            let got = match last_unexpected.as_ref().filter(|_| !evidence.is_empty()) {
                Some(text) => format!("an exchange that {how}: {text}"),
                None => format!("an exchange that {how}"),
            };
            open.settled =
                Some(Err(without_reply(&open.method, status, advice, unreachable, is_proven)
                    .expected(format!(
                        "an HTTP response with a JSON-RPC response with id {}",
                        open.id
                    ))
                    .got(got)
                    .evidence(open.sent.seq)
                    .evidence_all(evidence)
                    .evidence(seq)));
        }
    }
}

/// A finding about a result that came with a status that results do not have.
fn wrong_status(open: &OpenRequest, seq: Seq, status: u16) -> Finding {
    let finding = match status {
        401 | 407 => Finding::peer("").caused_by(Cause::Status(status)),
        _ => Finding::peer(""),
    };
    Finding {
        headline: format!("the result of `{}` came with HTTP {status}", open.method),
        ..finding
    }
    .expected("a result with HTTP 200")
    .got(format!("a result with HTTP {status}"))
    .requires(Requirement::JSONRPC_REQUEST_ANSWERED)
    .evidence(open.sent.seq)
    .evidence(seq)
}

/// The hint for a server that demands credentials.
const CREDENTIALS: &str = "the server demands authorization: `--sign-in` gets a token, `--token` or `--header` sends one that you have; in \
                           Rust `Target::bearer_token` or `Target::header`";

/// The hint for a server that may refuse where a request comes from.
const FOREIGN: &str = "does the server accept the host of this URL, and the `Origin`, if a header sets one? Many refuse those \
                       that they do not know.";

/// A finding about a request whose exchange ended without its reply; it blames a peer that `is_proven` to speak MCP.
fn without_reply(
    method: &str,
    status: Option<u16>,
    advice: &ResponseAdvice,
    unreachable: bool,
    is_proven: bool,
) -> Finding {
    let cause = match status {
        // Whatever the method: these are about credentials, hosts and URLs.
        Some(status @ (300..=399 | 401 | 403 | 407 | 421)) => Cause::Status(status),
        None if unreachable => Cause::Unreachable,
        _ => Cause::request(method, Fate::Dropped),
    };
    let headline = match status {
        Some(status) if !(200..300).contains(&status) => {
            format!("{} was refused with HTTP {status}", words::method(method))
        }
        _ => format!("{} got no reply", words::method(method)),
    };
    let hint = match status {
        None if unreachable => Some("is the server running, and is this its URL?".to_owned()),
        // Until the first message arrives, the URL may not belong to an MCP server at all.
        _ if is_proven => None,
        Some(401) => Some(CREDENTIALS.to_owned()),
        Some(403) if advice.demands_credentials => Some(CREDENTIALS.to_owned()),
        // A server on this machine must refuse foreign values of `Origin`, and many refuse foreign hosts alike: the
        // TypeScript SDK with 403, the Python SDK with 421.
        Some(403) => Some(format!(
            "{FOREIGN} Or does it demand credentials (`--token`, `--header`, `Target::header`)?"
        )),
        Some(421) => Some(FOREIGN.to_owned()),
        Some(300..=399) => Some(match &advice.redirects_to {
            Some(target) => format!("mcp-test follows no redirects: is `{target}` the right URL?"),
            None => "mcp-test follows no redirects, and this one names no target".to_owned(),
        }),
        Some(404 | 405) => Some("is this the URL of the MCP endpoint, with its path?".to_owned()),
        _ => None,
    };
    let finding = match hint {
        Some(hint) => Finding::environment(headline).hint(hint),
        None => Finding::peer(headline).requires(Requirement::JSONRPC_REQUEST_ANSWERED),
    };
    finding.caused_by(cause)
}

/// The requirement broken by a body that contains no message.
fn body_requirement(origin: Origin, revision: Revision) -> &'static Requirement {
    let candidates: &[&'static Requirement] = match origin.media {
        // An event stream outside any exchange is that of HTTP+SSE.
        Some(MediaType::EventStream) if origin.exchange.is_none() => {
            &[Requirement::TRANSPORT_SSE_MESSAGE_EVENTS]
        }
        Some(MediaType::EventStream) => &[Requirement::TRANSPORT_HTTP_SSE_EVENT_DATA],
        Some(MediaType::Json) => {
            // Earlier revisions do not require a single object, but a body that is not JSON has the wrong content type.
            &[
                Requirement::TRANSPORT_HTTP_JSON_SINGLE_OBJECT,
                Requirement::TRANSPORT_HTTP_REQUEST_CONTENT_TYPE,
            ]
        }
        Some(MediaType::Other) | None => &[Requirement::TRANSPORT_HTTP_REQUEST_CONTENT_TYPE],
    };
    let applicable = candidates.iter().find(|rule| rule.applies_at(revision));
    applicable.copied().unwrap_or(Requirement::JSONRPC_REQUEST_ANSWERED)
}
