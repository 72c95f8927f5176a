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

use std::collections::{HashMap, HashSet, VecDeque};

use bytes::Bytes;

use self::event_ids::EventIds;
use super::Finding;
use super::cited::{Cited, cites};
use super::findings::Findings;
use super::malformed;
use super::recent_map::RecentMap;
use super::walk::{EventJudge, JudgedEvent, TraceMessage, walk};
use crate::spec::{Requirement, Revision, header};
use crate::trace::{ConnectionId, EventKind, Party, Trace};
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

/// How many texts of the other party are remembered that are not JSON, and how many bytes of each.
const TEXTS: usize = 100;
const TEXT: usize = 64 * 1024;

/// What is known while the trace is read.
pub(super) struct EnvelopeJudge {
    who: Party,
    exchanges: RecentMap<(ConnectionId, u64), Exchange>,
    /// The connections whose process a client has sent a signal.
    signalled: HashSet<ConnectionId>,
    /// The HTTP exchanges of the first reply to each request.
    replied_in: RecentMap<(ConnectionId, String), u64>,
    /// The HTTP exchanges in which the ids of requests were used last.
    asked_in: RecentMap<(ConnectionId, String), u64>,
    /// The ids of events, of all streams of a session.
    event_ids: EventIds,
    /// The lines that may be the beginning of a message that was spread over several lines.
    begun: HashMap<ConnectionId, Vec<u8>>,
    /// The connections on which the other party has sent a number that not every parser can read.
    unusual_numbers: HashSet<ConnectionId>,
    /// How many texts of the other party may still be refused without an id, since they were not valid messages.
    unreadable: HashMap<ConnectionId, usize>,
    /// The texts of the other party that are not JSON, the latest last.
    broken_texts: VecDeque<(ConnectionId, Bytes)>,
    /// A text of those is not remembered any more.
    has_forgotten_text: bool,
    /// The ids that the other party has sent although no message can have them.
    unreadable_ids: RecentMap<(ConnectionId, String), ()>,
    pub(super) findings: Findings,
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
    event_ids: RecentMap<String, ()>,
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
    let mut judge = EnvelopeJudge::new(who);
    walk(trace, revisions, &mut judge);
    judge.findings.into_findings()
}

impl EventJudge for EnvelopeJudge {
    fn miss_parts(&mut self) {
        self.findings.elided = true;
    }

    fn findings(&self) -> &[Finding] {
        self.findings.so_far()
    }

    fn event(&mut self, event: JudgedEvent<'_>, messages: &[TraceMessage<'_>]) {
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
                    self.broken_text(event, text);
                }
                self.sent(event, parsed, messages);
            }
            EventKind::Unparsable { bytes, why, kind } if by_peer => {
                self.stray_output(event, bytes, why, *kind);
            }
            EventKind::Unparsable { bytes, .. } => {
                self.not_readable(event);
                self.broken_text(event, bytes);
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

    fn forget(&mut self, connection: ConnectionId) {
        self.exchanges.retain(|(of, _)| *of != connection);
        self.replied_in.retain(|(of, _)| *of != connection);
        self.asked_in.retain(|(of, _)| *of != connection);
        self.unreadable_ids.retain(|(of, _)| *of != connection);
        self.broken_texts.retain(|(of, _)| *of != connection);
        self.event_ids.retain(|(of, _, _), _| *of != connection);
        self.signalled.remove(&connection);
        self.unusual_numbers.remove(&connection);
        self.begun.remove(&connection);
        self.unreadable.remove(&connection);
    }
}

impl EnvelopeJudge {
    pub(super) fn new(who: Party) -> Self {
        Self {
            who,
            exchanges: RecentMap::default(),
            signalled: HashSet::new(),
            replied_in: RecentMap::default(),
            asked_in: RecentMap::default(),
            event_ids: EventIds::new(),
            begun: HashMap::new(),
            unusual_numbers: HashSet::new(),
            unreadable: HashMap::new(),
            broken_texts: VecDeque::new(),
            has_forgotten_text: false,
            unreadable_ids: RecentMap::default(),
            findings: Findings::default(),
        }
    }

    /// Remembers a text of the other party that is not JSON.
    fn broken_text(&mut self, event: JudgedEvent<'_>, text: &Bytes) {
        self.broken_texts.push_back((event.connection, text.slice(..text.len().min(TEXT))));
        let is_full = self.broken_texts.len() > TEXTS;
        if is_full {
            self.broken_texts.pop_front();
        }
        self.has_forgotten_text |= is_full || text.len() > TEXT;
    }

    /// Whether something is not known that was in the conversation.
    fn is_incomplete(&self) -> bool {
        self.findings.elided || self.exchanges.has_forgotten()
    }

    fn http_request(&mut self, event: JudgedEvent<'_>, method: &str, headers: &[(String, String)]) {
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

    fn response(&mut self, event: JudgedEvent<'_>, status: u16, headers: &[(String, String)]) {
        let revision = event.opened_for;
        let Some(exchange) = self.exchange(event) else { return };
        exchange.status = Some(status);
        exchange.media = Some(MediaType::from_headers(headers));
        let named = event_ids::session(headers);
        exchange.session = exchange.session.take().or(named);
        exchange.coding = coding::coding_in_headers(headers);
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

    fn exchange(&mut self, event: JudgedEvent<'_>) -> Option<&mut Exchange> {
        Some(self.exchanges.entry((event.connection, event.exchange?)))
    }

    /// Whether an event is part of an HTTP response that refuses, whose body may have any form; or of one whose status
    /// was dropped from the trace.
    fn is_refusal(&mut self, event: JudgedEvent<'_>) -> bool {
        let elided = self.is_incomplete();
        self.exchange(event).is_some_and(|exchange| match exchange.status {
            Some(status) => !(200..300).contains(&status),
            None => elided,
        })
    }

    /// Adds a finding that breaks `rule`, a WARNING where that does not apply.
    fn find(&mut self, event: JudgedEvent<'_>, finding: Finding, rule: Cited) {
        self.findings.add_everywhere(event, finding, rule);
    }
}
