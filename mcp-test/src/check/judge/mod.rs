//! Judging a whole trace: what holds for every message of every conversation, whoever sends it and whatever it is about.
//!
//! Envelope rules of JSON-RPC, ids, batches, directions, and what a carrier may carry. What a message's params or result
//! must hold is [`judge_shapes`](super::judge_shapes)'s.
//!
//! What was dropped from a long trace cannot be judged, nor what depends on it. An in-memory duplex carries the lines of
//! the stdio transport, so the rules of that transport are held against what comes over it, too. Over HTTP it is
//! Streamable HTTP whose rules are known here.

mod alike;
mod cancelled;
mod ids;
mod message;
mod noise;
mod outstayed;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

pub(super) use self::alike::Alike;
use self::cancelled::Cancelled;
use self::ids::Ids;
use super::Finding;
use crate::spec::{Revision, requirement};
use crate::trace::{Connection, Event, Party, Trace, What};
use crate::wire::Id;

/// What the judge knows while it reads on.
struct Judge<'a> {
    who: Party,
    revisions: &'a dyn Fn(Connection) -> Revision,
    /// Something was dropped from the trace: a request may have been, so that its reply seems to answer none.
    elided: bool,
    connections: BTreeMap<Connection, Conversation>,
    findings: Vec<Finding>,
    alike: Alike,
}

/// One connection, as far as it has been read.
#[derive(Default)]
struct Conversation {
    /// What the other party has asked, and what of it was cancelled.
    ids: Ids,
    cancelled: Cancelled,
    /// The ids under which the judged party has asked, and whether they were answered.
    asked: HashMap<Id, bool>,
    exchanges: BTreeMap<u64, Exchange>,
}

/// One HTTP exchange, as far as it has been read.
#[derive(Default)]
struct Exchange {
    /// A notification was posted: nothing but 202 may come.
    only_notifications: bool,
    /// Nothing was posted: what is answered to GET and DELETE, beside a stream, has no form of its own.
    is_no_post: bool,
    status: Option<u16>,
    media: Media,
}

/// What a body says it is.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Media {
    Json,
    Stream,
    #[default]
    Other,
}

impl Media {
    fn of(headers: &[(String, String)]) -> Self {
        let named = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let value = named.map(|(_, value)| value.split(';').next().unwrap_or_default().trim());
        match value {
            Some(essence) if essence.eq_ignore_ascii_case("application/json") => Self::Json,
            Some(essence) if essence.eq_ignore_ascii_case("text/event-stream") => Self::Stream,
            _ => Self::Other,
        }
    }
}

/// Everything wrong with what `who` said in `trace`, in the order in which it was said.
///
/// `revisions` knows for each connection the revision that it was meant to be held in.
#[must_use]
pub fn judge(
    trace: &Trace,
    who: Party,
    revisions: &dyn Fn(Connection) -> Revision,
) -> Vec<Finding> {
    let elided = is_elided(trace);
    let (connections, findings, alike) = (BTreeMap::new(), Vec::new(), Alike::default());
    let mut judge = Judge { who, revisions, elided, connections, findings, alike };
    for event in &trace.events {
        judge.event(event);
    }
    judge.alike.count(&mut judge.findings, elided);
    judge.findings
}

/// Whether something was dropped from a trace.
pub(super) fn is_elided(trace: &Trace) -> bool {
    let is_elided = |event: &Event| matches!(event.what, What::Elided { .. });
    trace.elided > 0 || trace.events.iter().any(is_elided)
}

impl Judge<'_> {
    /// The revision in which the connection of an event was meant to be held.
    fn revision(&self, event: &Event) -> Revision {
        (self.revisions)(event.connection)
    }

    fn event(&mut self, event: &Event) {
        let by_peer = event.party == self.who;
        self.connections.entry(event.connection).or_default();
        match &event.what {
            What::HttpRequest { method, .. } if !by_peer => {
                if let Some(exchange) = self.exchange(event) {
                    exchange.is_no_post = method != "POST";
                }
            }
            What::HttpResponse { status, headers } => self.response(event, *status, headers),
            What::Message { reading, .. } if by_peer => self.said(event, reading),
            What::Message { reading, .. } => self.heard(event, reading),
            What::Noise { bytes, why, damage } if by_peer => self.noise(event, bytes, why, *damage),
            What::Outstayed { what, how } if by_peer => self.outstayed(event, *what, how),
            _ => {}
        }
    }

    fn response(&mut self, event: &Event, status: u16, headers: &[(String, String)]) {
        let revision = self.revision(event);
        let Some(exchange) = self.exchange(event) else { return };
        exchange.status = Some(status);
        exchange.media = Media::of(headers);
        let only_notifications = exchange.only_notifications;
        if only_notifications
            && revision.has_streamable_http()
            && (200..300).contains(&status)
            && status != 202
        {
            self.find(
                event,
                Finding::peer("a notification was not answered with HTTP 202")
                    .expected("HTTP 202 Accepted, without a body")
                    .got(format!("HTTP {status}"))
                    .requires("transport.http.accepted-202"),
            );
        }
    }

    fn exchange(&mut self, event: &Event) -> Option<&mut Exchange> {
        let conversation = self.connections.get_mut(&event.connection)?;
        Some(conversation.exchanges.entry(event.exchange?).or_default())
    }

    /// Whether an event is part of an HTTP response that refuses, which may say why in any form; or of one whose status
    /// nobody knows any more.
    fn is_refusal(&mut self, event: &Event) -> bool {
        let elided = self.elided;
        self.exchange(event).is_some_and(|exchange| match exchange.status {
            Some(status) => !(200..300).contains(&status),
            None => elided,
        })
    }

    /// Keeps a finding, of its requirements those that hold where it was made. One that breaks none there is a WARNING.
    fn find(&mut self, event: &Event, mut finding: Finding) {
        let revision = self.revision(event);
        let cited = finding.requirements.first().copied();
        finding.requirements.retain(|id| holds(id, revision));
        if let Some(elsewhere) = cited.and_then(requirement::find)
            && finding.requirements.is_empty()
        {
            finding = finding.elsewhere(elsewhere, revision);
        }
        if self.alike.admits(&finding, self.findings.len()) {
            self.findings.push(finding.evidence(event.seq));
        }
    }
}

fn holds(id: &str, revision: Revision) -> bool {
    requirement::find(id).is_some_and(|found| found.revisions.contains(revision))
}
