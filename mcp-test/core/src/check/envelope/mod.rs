//! The rules that hold for every message of every conversation, whatever its method.
//!
//! The envelope of JSON-RPC, ids, batches, directions, and what a transport may carry. What params and results must contain
//! is for [`judge_shapes`](super::judge_shapes).
//!
//! What was dropped from a long trace cannot be judged, nor what depends on it. An in-memory duplex carries the lines of
//! the stdio transport, so the rules of that transport apply to it, too. The rules for HTTP are those of Streamable HTTP.

mod coding;
mod contents;
mod event_ids;
mod internals;
mod leftover;
mod missing_id;
mod rules;
mod sent;
mod shutdown;
mod stray_output;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use bytes::Bytes;

use self::event_ids::EventIds;
use super::Finding;
use super::cited::{Cited, cites};
use super::findings::Findings;
use super::malformed;
use super::walk::{EventJudge, TraceMessage, walk};
use crate::spec::{Requirement, Revision, header};
use crate::trace::{ConnectionId, Event, EventKind, Party, Trace};
use crate::wire::MediaType;

cites!(TRANSPORT_HTTP_ACCEPTED_202);

/// What the files of this folder cite, file by file.
pub(super) const CITED_BY_FILES: &[&[&Requirement]] = &[
    CITED,
    malformed::CITED,
    coding::CITED,
    contents::CITED,
    event_ids::CITED,
    internals::CITED,
    leftover::CITED,
    missing_id::CITED,
    rules::CITED,
    sent::CITED,
    shutdown::CITED,
    stray_output::CITED,
];

/// What is known while the trace is read.
pub(super) struct EnvelopeJudge<'a> {
    who: Party,
    exchanges: HashMap<(ConnectionId, u64), Exchange>,
    /// The connections whose process a client has sent a signal.
    signalled: HashSet<ConnectionId>,
    /// The HTTP exchanges of the first reply to each request.
    replied_in: HashMap<(ConnectionId, String), u64>,
    /// The HTTP exchanges in which the ids of requests were used last.
    asked_in: HashMap<(ConnectionId, String), u64>,
    /// The ids of events, of all streams of a session.
    event_ids: EventIds,
    /// The lines that may be the beginning of a message that was spread over several lines.
    begun: HashMap<ConnectionId, Vec<u8>>,
    /// The connections on which the other party has sent a number that not every parser can read.
    unusual_numbers: HashSet<ConnectionId>,
    /// How many texts of the other party may still be refused without an id, since they were not valid messages.
    unreadable: HashMap<ConnectionId, usize>,
    /// The texts of the other party that are not JSON.
    broken_texts: Vec<(ConnectionId, Bytes)>,
    /// The ids that the other party has sent although no message can have them.
    unreadable_ids: HashSet<(ConnectionId, String)>,
    findings: Findings<'a>,
}

/// One HTTP exchange, as far as it has been read.
#[derive(Default)]
struct Exchange {
    /// A notification was posted: nothing but 202 may come.
    only_notifications: bool,
    /// The method of the request that was posted, if that is valid.
    asks: Option<String>,
    /// Whether the headers of the request are valid ones.
    has_valid_headers: bool,
    /// Nothing was posted: the body of a response to GET or DELETE, other than a stream, has no form of its own.
    is_not_a_post: bool,
    /// The event after which it resumes a stream.
    resumes_after: Option<String>,
    /// The ids of its events.
    event_ids: HashSet<String>,
    /// The session that it belongs to, or begins.
    session: Option<String>,
    status: Option<u16>,
    media: Option<MediaType>,
    /// The coding of the body by the headers of the response, if it has one.
    coding: Option<String>,
}

/// Everything wrong with the messages that `who` sent in `trace`, in their order.
///
/// `revisions` returns for each connection the revision that it was opened for.
#[doc(hidden)]
#[must_use]
pub fn judge_envelopes(
    trace: &Trace,
    who: Party,
    revisions: &dyn Fn(ConnectionId) -> Revision,
) -> Vec<Finding> {
    let mut judge = EnvelopeJudge::new(trace, who, revisions);
    walk(trace, &mut [&mut judge]);
    judge.into_findings()
}

impl<'a> EventJudge<'a> for EnvelopeJudge<'_> {
    fn event(&mut self, event: &'a Event, messages: &[TraceMessage<'a>]) {
        let by_peer = event.party == self.who;
        match &event.kind {
            EventKind::HttpRequest { method, headers, .. } => {
                self.http_request(event, method, headers);
            }
            EventKind::SseEvent { id: Some(id), .. } if by_peer => self.event_id(event, id),
            EventKind::HttpResponse { status, headers } => self.response(event, *status, headers),
            EventKind::Message { parsed, .. } if by_peer => self.received(event, parsed, messages),
            EventKind::Message { text, parsed } => {
                if parsed.frame().is_none() {
                    self.broken_texts.push((event.connection, text.clone()));
                }
                self.sent(event, parsed, messages);
            }
            EventKind::Unparsable { bytes, why, kind } if by_peer => {
                self.stray_output(event, bytes, why, *kind);
            }
            EventKind::Unparsable { bytes, .. } => {
                self.not_readable(event);
                self.broken_texts.push((event.connection, bytes.clone()));
            }
            EventKind::Lingered { what, how, wait } if by_peer => {
                self.lingered(event, *what, how, *wait);
            }
            EventKind::Signalled { signal, since_eof } if by_peer => {
                self.signalled(event, *signal, *since_eof);
            }
            _ => {}
        }
    }
}

impl<'a> EnvelopeJudge<'a> {
    pub(super) fn new(
        trace: &Trace,
        who: Party,
        revisions: &'a dyn Fn(ConnectionId) -> Revision,
    ) -> Self {
        Self {
            who,
            exchanges: HashMap::new(),
            signalled: HashSet::new(),
            replied_in: HashMap::new(),
            asked_in: HashMap::new(),
            event_ids: EventIds::new(),
            begun: HashMap::new(),
            unusual_numbers: HashSet::new(),
            unreadable: HashMap::new(),
            broken_texts: Vec::new(),
            unreadable_ids: HashSet::new(),
            findings: Findings::new(trace, revisions),
        }
    }

    pub(super) fn into_findings(self) -> Vec<Finding> {
        self.findings.into_findings()
    }

    /// The revision that the connection of an event was opened for.
    fn revision(&self, event: &Event) -> Revision {
        self.findings.revision(event)
    }

    fn http_request(&mut self, event: &Event, method: &str, headers: &[(String, String)]) {
        let of_server = self.who == Party::Server;
        let Some(exchange) = self.exchange(event) else { return };
        exchange.session = event_ids::session(headers);
        if of_server {
            exchange.is_not_a_post = method != "POST";
            exchange.has_valid_headers = missing_id::are_valid(headers);
            let cursor =
                headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(header::LAST_EVENT_ID));
            exchange.resumes_after = cursor.map(|(_, id)| id.clone());
        }
    }

    fn response(&mut self, event: &Event, status: u16, headers: &[(String, String)]) {
        let revision = self.revision(event);
        let Some(exchange) = self.exchange(event) else { return };
        exchange.status = Some(status);
        exchange.media = Some(MediaType::of_headers(headers));
        let named = event_ids::session(headers);
        exchange.session = exchange.session.take().or(named);
        exchange.coding = coding::of_headers(headers);
        let only_notifications = exchange.only_notifications;
        if event.party == self.who {
            self.two_lengths(event, headers);
        }
        // An input that the server cannot accept is answered with an error status instead (`basic/transports`).
        if only_notifications
            && revision.has_streamable_http()
            && (200..300).contains(&status)
            && status != 202
        {
            self.find(
                event,
                Finding::peer("a notification was not answered with HTTP 202")
                    .expected("HTTP 202 Accepted, without a body")
                    .got(format!("HTTP {status}")),
                TRANSPORT_HTTP_ACCEPTED_202,
            );
        }
    }

    fn exchange(&mut self, event: &Event) -> Option<&mut Exchange> {
        Some(self.exchanges.entry((event.connection, event.exchange?)).or_default())
    }

    /// Whether an event is part of an HTTP response that refuses, whose body may have any form; or of one whose status
    /// was dropped from the trace.
    fn is_refusal(&mut self, event: &Event) -> bool {
        let elided = self.findings.elided;
        self.exchange(event).is_some_and(|exchange| match exchange.status {
            Some(status) => !(200..300).contains(&status),
            None => elided,
        })
    }

    /// Adds a finding that breaks `rule`, a WARNING where that does not apply.
    fn find(&mut self, event: &Event, finding: Finding, rule: Cited) {
        self.findings.add_everywhere(event, finding, rule);
    }
}
