//! What an observation means for the requests that are open: a reply, or the certainty that there will be none.

use super::{GivenUp, Open, Outcome, State};
use crate::check::{Finding, requirement_of};
use crate::spec::{Era, Revision, requirement};
use crate::trace::Seq;
use crate::transport::{Damage, Media, Origin};
use crate::wire::{Id, Malformed, Request};

/// How many observations are kept until it is clear which request they are about.
const KEPT_UNPLACED: usize = 100;

/// Whether a requirement is one of the revision.
fn holds(id: &str, revision: Revision) -> bool {
    requirement::find(id).is_some_and(|found| found.revisions.contains(revision))
}

/// What one of several open requests lost its reply by.
#[derive(Debug)]
pub(super) struct Unplaced {
    seq: Seq,
    lost: Lost,
}

/// What a request lost its reply by.
#[derive(Debug)]
enum Lost {
    /// A reply under an id that no open request has.
    WrongId { id: Option<Id>, is_error: bool },
    /// What is no message, and the requirement that it breaks.
    Garbled { shown: String, breaks: Option<&'static str>, revision: Revision },
}

impl State {
    pub(super) fn reply(
        &mut self,
        seq: Seq,
        origin: Origin,
        id: Option<Id>,
        outcome: Outcome,
        revision: Revision,
    ) {
        let lenient = self.lenient;
        // The official client of the stateless era looks neither at the status nor at the id of a JSON reply.
        let careless = lenient && revision.era() == Era::Stateless && !origin.is_stream();
        let meant = id.as_ref().and_then(|id| {
            self.open.iter_mut().find(|open| {
                let same = open.id == *id || (lenient && open.id.is_retyped(id));
                same && open.settled.is_none()
            })
        });
        if let Some(open) = meant {
            open.settled = Some(match origin.status {
                Some(status)
                    if !careless
                        && outcome.is_ok()
                        && (!(200..300).contains(&status) || status == 202) =>
                {
                    Err(Finding::peer(format!(
                        "the result of `{}` came with HTTP {status}",
                        open.method
                    ))
                    .expected("a result with HTTP 200")
                    .got(format!("a result with HTTP {status}"))
                    .requires("jsonrpc.request-answered")
                    .evidence(open.sent.seq)
                    .evidence(seq))
                }
                _ => Ok((seq, outcome)),
            });
            return;
        }
        let given_up = |id: &Id| self.given_up.iter().find(|(given_up, _)| given_up == id).cloned();
        if let Some((id, why)) = id.as_ref().and_then(given_up) {
            let odd = match why {
                GivenUp::TimedOut => "a reply that came after its deadline",
                GivenUp::Cancelled => "a reply to a request that was cancelled",
            };
            self.odd(seq, odd.to_owned());
            // The first tells it all, and there may be no end of them.
            if self.late_reply(&id).is_none() {
                self.late.push((id, seq));
            }
            return;
        }
        let retyped = id.as_ref().and_then(|id| {
            let same = |open: &Open| open.id.is_retyped(id) && open.settled.is_none();
            self.open.iter().position(same)
        });
        let lost = Lost::WrongId { id: id.clone(), is_error: outcome.is_err() };
        let Some(index) = self.waiting(origin.exchange).or(retyped) else {
            let id = id.map_or_else(|| "no id".to_owned(), |id| format!("id {id}"));
            self.odd(seq, format!("a response with {id}, which no open request has"));
            if origin.exchange.is_none() {
                self.leave_unplaced(seq, lost);
            }
            return;
        };
        // An error reply may lack the id; the exchange then says which request it refuses.
        let anonymous = matches!(id, None | Some(Id::Null)) && outcome.is_err();
        let is_addressed = origin.exchange.is_some() || (anonymous && self.open[index].nameless);
        if (anonymous || careless) && is_addressed {
            self.open[index].settled = Some(Ok((seq, outcome)));
            return;
        }
        if self.lenient && origin.exchange.is_some() {
            let (got, _) = self.wrong_id(id.as_ref(), &self.open[index].id, outcome.is_err());
            self.odd(seq, format!("a response with {got}"));
            return;
        }
        self.lose(index, seq, lost);
    }

    /// Bytes that are no message: conclusive where they stand in the place of one.
    pub(super) fn garbled(
        &mut self,
        seq: Seq,
        origin: Origin,
        shown: &str,
        malformed: Option<&Malformed>,
        damage: Damage,
        revision: Revision,
    ) {
        let named = malformed.and_then(|malformed| malformed.id.as_ref());
        let meant = match named {
            Some(id) => self.open.iter().position(|open| open.id == *id),
            None => self.waiting(origin.exchange),
        };
        // Outside 2xx a body explains the refusal in any form; the end of the exchange says so.
        let refusal = origin.status.is_some_and(|status| !(200..300).contains(&status));
        if damage == Damage::Stray || refusal {
            self.odd(seq, shown.to_owned());
            return;
        }
        let breaks = match (damage, malformed, origin.status) {
            (Damage::OverLimit, ..) => None,
            (_, Some(malformed), _) => Some(requirement_of(malformed)),
            (_, None, Some(_)) => Some(of_body(origin, revision)),
            (_, None, None) => Some("transport.stdio.stdout-only-messages"),
        };
        let lost = Lost::Garbled { shown: shown.to_owned(), breaks, revision };
        let Some(index) = meant else {
            self.odd(seq, shown.to_owned());
            if origin.exchange.is_none() {
                self.leave_unplaced(seq, lost);
            }
            return;
        };
        self.lose(index, seq, lost);
    }

    /// A request of the server, where servers have none: whatever waits for its answer will wait for ever.
    pub(super) fn uninvited(
        &mut self,
        seq: Seq,
        origin: Origin,
        request: &Request,
        revision: Revision,
    ) {
        let Some(index) = self.waiting(origin.exchange) else {
            self.odd(seq, format!("a request of the server, `{}`", request.method));
            return;
        };
        let requirement = match origin.exchange {
            Some(_) => "transport.http.server-no-requests",
            None => "transport.stdio.server-no-requests",
        };
        let open = &mut self.open[index];
        let headline = format!("the server sent a request, `{}`", request.method);
        let finding = Finding::peer(headline)
            .expected(format!(
                "the reply to `{}`: MCP {revision} has no requests of servers",
                open.method
            ))
            .got(format!("a request with id {}", request.id))
            .requires(requirement)
            .evidence(open.sent.seq)
            .evidence(seq);
        open.settled = Some(Err(finding));
    }

    pub(super) fn exchange_ended(
        &mut self,
        seq: Seq,
        exchange: u64,
        status: Option<u16>,
        how: &str,
    ) {
        if !self.exchanges.contains(&exchange) {
            self.ended.push((exchange, seq, status, how.to_owned()));
            // A server need not have a stream on which it speaks of its own accord.
            let refused = status.is_none_or(|status| status >= 400);
            if refused && !(self.listening.contains(&exchange) && status == Some(405)) {
                self.odd(seq, format!("an HTTP exchange that {how}"));
            }
            return;
        }
        let oddities: Vec<Seq> = self.oddities.iter().map(|odd| odd.seq).collect();
        let instead: Vec<String> = self.oddities.iter().map(|odd| odd.text.clone()).collect();
        let Self { heard, spoken, networked, .. } = *self;
        // A batch carries several requests.
        let carried =
            |open: &&mut Open| open.sent.exchange == Some(exchange) && open.settled.is_none();
        for open in self.open.iter_mut().filter(carried) {
            let since = |seqs: &[Seq]| {
                let after = |at: &&Seq| **at > open.sent.seq;
                seqs.iter().filter(after).copied().collect::<Vec<_>>()
            };
            let evidence = since(&oddities);
            let said = instead.last().filter(|_| !evidence.is_empty());
            let got = match said {
                Some(said) => format!("an exchange that {how}: {said}"),
                None => format!("an exchange that {how}"),
            };
            let headline = match status {
                Some(status) if !(200..300).contains(&status) => {
                    format!("`{}` was refused with HTTP {status}", open.method)
                }
                _ => format!("`{}` got no reply", open.method),
            };
            let finding = match status {
                None if !heard && networked => Finding::environment(headline)
                    .hint("is the server running, and is this its URL?"),
                // Before the first message it is not yet known to be a server of MCP at all.
                Some(401 | 403) if !spoken => Finding::environment(headline)
                    .hint("send credentials, with `--header` or `Target::header`"),
                Some(300..=399 | 404 | 405) if !spoken => Finding::environment(headline)
                    .hint("is this the URL of the MCP endpoint, with its path?"),
                _ => Finding::peer(headline).requires("jsonrpc.request-answered"),
            };
            open.settled = Some(Err(finding
                .expected(format!("an HTTP response with a JSON-RPC response with id {}", open.id))
                .got(got)
                .evidence(open.sent.seq)
                .evidence_all(evidence)
                .evidence(seq)));
        }
    }

    /// The only request that an observation without a usable id can be about.
    fn waiting(&self, exchange: Option<u64>) -> Option<usize> {
        let mut candidates = self.open.iter().enumerate().filter(|(_, open)| {
            let meant =
                if exchange.is_none() { !open.stays } else { open.sent.exchange == exchange };
            open.settled.is_none() && meant
        });
        match (candidates.next(), candidates.next()) {
            (Some((index, _)), None) => Some(index),
            _ => None,
        }
    }

    /// Keeps what one of several open requests lost its reply by.
    fn leave_unplaced(&mut self, seq: Seq, lost: Lost) {
        let several = self.open.iter().filter(|open| open.settled.is_none()).count() > 1;
        if several && self.unplaced.len() < KEPT_UNPLACED {
            self.unplaced.push(Unplaced { seq, lost });
        }
    }

    /// When one request is left, what was not placed before can only be about it.
    pub(super) fn place(&mut self) {
        let Some(index) = self.waiting(None) else { return };
        let since = self.open[index].sent.seq;
        let later = self.unplaced.iter().position(|unplaced| unplaced.seq > since);
        if let Some(Unplaced { seq, lost }) = later.map(|at| self.unplaced.swap_remove(at)) {
            self.lose(index, seq, lost);
        }
    }

    fn lose(&mut self, index: usize, seq: Seq, lost: Lost) {
        let open = &self.open[index];
        let response = format!("a response with id {}", open.id);
        let finding = match lost {
            Lost::WrongId { id, is_error } => {
                let (got, requirement) = self.wrong_id(id.as_ref(), &open.id, is_error);
                Finding::peer(format!("the reply to `{}` has the wrong id", open.method))
                    .expected(response)
                    .got(got)
                    .requires(requirement)
            }
            Lost::Garbled { shown, breaks, revision } => {
                let instead = format!(
                    "what came instead of the reply to `{}` is no MCP message",
                    open.method
                );
                let expected = format!("a JSON-RPC response with id {} of MCP {revision}", open.id);
                let finding = Finding::peer(instead).expected(expected).got(shown);
                match breaks {
                    Some(requirement) => finding.requires(requirement),
                    None => finding.hint("the limit is one of mcp-test, not of MCP"),
                }
            }
        };
        let finding = finding.evidence(open.sent.seq).evidence(seq);
        self.open[index].settled = Some(Err(finding));
    }

    /// What is wrong with an id, and the requirement that says so.
    fn wrong_id(&self, got: Option<&Id>, expected: &Id, is_error: bool) -> (String, &'static str) {
        let echo = if is_error { "jsonrpc.error-id-echo" } else { "jsonrpc.result-id-echo" };
        match got {
            None => ("no id".to_owned(), echo),
            Some(Id::Null) => ("id null".to_owned(), echo),
            Some(id) if id.is_retyped(expected) => {
                (format!("id {id}, of another JSON type"), "jsonrpc.id-type-preserved")
            }
            Some(id) if self.answered.contains(id) => {
                (format!("id {id}, which was answered already"), "jsonrpc.single-response")
            }
            Some(id) => (format!("id {id}, which no request has"), echo),
        }
    }
}

/// The requirement that a body breaks which holds no message.
fn of_body(origin: Origin, revision: Revision) -> &'static str {
    let candidates: &[&str] = match origin.media {
        // Outside any exchange, an event stream is the one of HTTP+SSE.
        Some(Media::Stream) if origin.exchange.is_none() => &["transport.sse.message-events"],
        Some(Media::Stream) => &["transport.http.sse-event-data"],
        Some(Media::Json) => {
            // Before, that a body be one object was not said; what is no JSON is not of that type, though.
            &["transport.http.json-single-object", "transport.http.request-content-type"]
        }
        Some(Media::Other) | None => &["transport.http.request-content-type"],
    };
    let holding = candidates.iter().find(|id| holds(id, revision));
    holding.copied().unwrap_or("jsonrpc.request-answered")
}
