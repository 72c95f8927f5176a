//! Judging a whole trace: what holds for every message of every conversation, whoever sends it and whatever it is about.
//!
//! Envelope rules of JSON-RPC, ids, batches, directions, and what a carrier may carry. What a message's params or result
//! must hold is not judged here.

mod ids;
mod message;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use self::ids::Ids;
use super::Finding;
use crate::expect::words::quoted;
use crate::spec::Revision;
use crate::trace::{Connection, Damage, Event, Party, Seq, Trace, What};

/// What the judge knows while it reads on.
struct Judge<'a> {
    who: Party,
    revisions: &'a dyn Fn(Connection) -> Revision,
    connections: BTreeMap<Connection, Conversation>,
    findings: Vec<Finding>,
}

/// One connection, as far as it has been read.
#[derive(Default)]
struct Conversation {
    http: bool,
    ids: Ids,
    exchanges: BTreeMap<u64, Exchange>,
}

/// One HTTP exchange, as far as it has been read.
#[derive(Default)]
struct Exchange {
    /// A notification was posted: nothing but 202 may come.
    only_notifications: bool,
    status: Option<u16>,
    /// The response is an event stream.
    stream: bool,
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
    let mut judge = Judge { who, revisions, connections: BTreeMap::new(), findings: Vec::new() };
    for event in &trace.events {
        judge.event(event);
    }
    judge.findings
}

impl Judge<'_> {
    /// The revision in which the connection of an event was meant to be held.
    fn revision(&self, event: &Event) -> Revision {
        (self.revisions)(event.connection)
    }

    fn event(&mut self, event: &Event) {
        let by_peer = event.party == self.who;
        let conversation = self.connections.entry(event.connection).or_default();
        match &event.what {
            What::HttpRequest { .. } => conversation.http = true,
            What::HttpResponse { status, headers } => self.response(event, *status, headers),
            What::Message { reading, .. } if by_peer => self.said(event, reading),
            What::Message { reading, .. } => self.heard(event, reading),
            What::Noise { bytes, why, damage } if by_peer => self.noise(event, bytes, why, *damage),
            _ => {}
        }
    }

    fn response(&mut self, event: &Event, status: u16, headers: &[(String, String)]) {
        let Some(exchange) = self.exchange(event) else { return };
        exchange.status = Some(status);
        exchange.stream = headers.iter().any(|(name, value)| {
            name.eq_ignore_ascii_case("content-type") && value.starts_with("text/event-stream")
        });
        if exchange.only_notifications && (200..300).contains(&status) && status != 202 {
            self.find(
                Finding::peer("a notification was not answered with HTTP 202")
                    .expected("HTTP 202 Accepted, without a body")
                    .got(format!("HTTP {status}"))
                    .requires("transport.http.accepted-202"),
                event.seq,
            );
        }
    }

    fn noise(&mut self, event: &Event, bytes: &[u8], why: &str, damage: Damage) {
        let http = self.connections.get(&event.connection).is_some_and(|known| known.http);
        let (status, stream) = self
            .exchange(event)
            .map_or((None, false), |exchange| (exchange.status, exchange.stream));
        // Outside 2xx a body may explain the refusal in any form.
        if status.is_some_and(|status| !(200..300).contains(&status)) {
            return;
        }
        let (headline, expected, requirement) = match (http, stream) {
            (true, true) => (
                "the event stream holds something that is no MCP message",
                "events with one JSON-RPC message each as their data",
                "transport.http.sse-event-data",
            ),
            (true, false) => (
                "the server sent something over HTTP that is no MCP message",
                "application/json or text/event-stream, holding JSON-RPC messages",
                "transport.http.request-content-type",
            ),
            (false, _) => (
                "the server wrote something to its output that is no MCP message",
                "one JSON-RPC message per line, and nothing else",
                "transport.stdio.stdout-only-messages",
            ),
        };
        let finding = Finding::peer(headline)
            .expected(expected)
            .got(format!("{} ({why})", quoted(bytes)))
            .requires(requirement);
        // What readers of event streams are told to ignore does no harm as long as no message is lost in it.
        let harmless = stream && damage == Damage::Stray;
        self.find(if harmless { finding.should() } else { finding }, event.seq);
    }

    fn exchange(&mut self, event: &Event) -> Option<&mut Exchange> {
        let conversation = self.connections.get_mut(&event.connection)?;
        Some(conversation.exchanges.entry(event.exchange?).or_default())
    }

    fn find(&mut self, finding: Finding, seq: Seq) {
        self.findings.push(finding.evidence(seq));
    }
}
