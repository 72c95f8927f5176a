//! Everything that is wrong with what one side of a conversation sends, found event by event, in bounded memory.

#[cfg(test)]
mod tests;

use super::client_conversation::ClientConversationJudge;
use super::client_headers::ClientHeaderJudge;
use super::conversation::ConversationJudge;
use super::envelope::EnvelopeJudge;
use super::findings::Findings;
use super::notices::NoticeJudge;
use super::server_requests::ServerRequestJudge;
use super::shapes::ShapeJudge;
#[cfg(not(feature = "schema"))]
use super::tool_judgement::ToolJudgement;
#[cfg(feature = "schema")]
use super::tool_schemas::{TimeBudget, ToolSchemaJudge};
use super::walk::{EventJudge, JudgedEvent};
use super::{Finding, Judgement};
use crate::clock::Deadline;
use crate::json::Value;
use crate::spec::Revision;
use crate::spec::schema::{Authority, Schemas};
use crate::trace::{ConnectionId, Correlator, Event, Party, Trace};

/// Judges what one side of a conversation sends, one event at a time.
///
/// What it remembers is bounded: of each side of a connection the latest 10,000 requests, and of the earlier ones the ids. The requests are
/// bounded in bytes, too; tokens, URIs and headers by their number alone, so that the caller has to bound the length of a message. A
/// finding that would rest on what is forgotten is not made. Findings are bounded as well: of one kind there are a few, and a count of
/// the others.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::check::WireJudge;
/// use mcp_test::spec::Revision;
/// use mcp_test::spec::schema::{Authority, Schemas};
/// use mcp_test::trace::{EventKind, Party, Recorder};
///
/// let recorder = Recorder::new();
/// let connection = recorder.open("stdio");
/// let reply = r#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#;
/// recorder.record(connection, Party::Server, EventKind::message(reply.into()));
///
/// let mut judge = WireJudge::new(Party::Server, (Schemas::ours(), Authority::Text));
/// for event in &recorder.trace().events {
///     for finding in judge.event(event, Revision::V2025_11_25) {
///         assert_eq!(finding.headline, "a reply has an id that no request has");
///     }
/// }
/// assert_eq!(judge.finish().envelopes.len(), 1);
/// ```
#[doc(hidden)]
pub struct WireJudge {
    correlator: Correlator,
    envelopes: EnvelopeJudge,
    shapes: ShapeJudge,
    conversation: Option<ConversationJudge>,
    notices: Option<NoticeJudge>,
    server_requests: Option<ServerRequestJudge>,
    client_conversation: Option<ClientConversationJudge>,
    client_headers: Option<ClientHeaderJudge>,
    #[cfg(feature = "schema")]
    tools: ToolSchemaJudge,
    /// How many findings of each judge [`event`](Self::event) has returned.
    returned: Vec<usize>,
}

impl WireJudge {
    /// A judge of what `who` sends, by these shapes.
    #[must_use]
    pub fn new(who: Party, (schemas, authority): (Schemas, Authority)) -> Self {
        let (is_server, is_client) = (who == Party::Server, who == Party::Client);
        Self {
            correlator: Correlator::default(),
            envelopes: EnvelopeJudge::new(who),
            shapes: ShapeJudge::new(who, schemas, authority),
            conversation: is_server.then(ConversationJudge::default),
            notices: is_server.then(NoticeJudge::default),
            server_requests: is_server.then(ServerRequestJudge::default),
            client_conversation: is_client.then(ClientConversationJudge::default),
            client_headers: is_client.then(ClientHeaderJudge::default),
            #[cfg(feature = "schema")]
            tools: ToolSchemaJudge::new(who, TimeBudget::default()),
            returned: Vec::new(),
        }
    }

    /// The judge, knowing what the server declared when it was asked with `server/discover` before: in the stateless era no
    /// conversation has to begin with that.
    #[must_use]
    pub fn knowing(mut self, discovered: Option<Value>) -> Self {
        if let Some(conversation) = &mut self.conversation {
            conversation.discovered = discovered;
        }
        self
    }

    /// The judge, which after this deadline judges by the schemas of tools only for half a second of processor time.
    #[must_use]
    pub fn until(mut self, ends: Deadline) -> Self {
        #[cfg(feature = "schema")]
        self.tools.set_budget(TimeBudget::until(ends));
        // Only the schemas of tools can take long.
        #[cfg(not(feature = "schema"))]
        let _ = (&mut self, ends);
        self
    }

    /// The judge of a conversation of which parts are missing: a request that was not seen may have been sent.
    #[must_use]
    pub fn incomplete(mut self) -> Self {
        self.judges().for_each(EventJudge::miss_parts);
        self
    }

    /// Judges an event; `opened_for` is the revision that its connection was opened for. Returns what is wrong, as it is found: of
    /// what is repeated often only the first occurrences.
    pub fn event(&mut self, event: &Event, opened_for: Revision) -> Vec<Finding> {
        self.judge(event, opened_for);
        let mut returned = std::mem::take(&mut self.returned).into_iter();
        let mut found = Vec::new();
        let mut counts = Vec::new();
        for judge in self.judges() {
            let findings = judge.findings();
            let before = returned.next().unwrap_or_default();
            found.extend_from_slice(findings.get(before..).unwrap_or_default());
            counts.push(findings.len());
        }
        self.returned = counts;
        found
    }

    /// Judges an event; what is wrong is returned at the end.
    fn judge(&mut self, event: &Event, opened_for: Revision) {
        let messages = self.correlator.event(event);
        let event = JudgedEvent { event, opened_for };
        self.judges().for_each(|judge| judge.event(event, &messages));
    }

    /// Forgets a connection that is over.
    pub fn forget(&mut self, connection: ConnectionId) {
        self.correlator.forget(connection);
        self.judges().for_each(|judge| judge.forget(connection));
    }

    /// Everything that was found.
    #[must_use]
    pub fn finish(self) -> Judgement {
        let mut envelopes = self.envelopes.findings.into_findings();
        let mut add = |findings: Option<Findings>| {
            envelopes.extend(findings.into_iter().flat_map(Findings::into_findings));
        };
        add(self.conversation.map(|judge| judge.findings));
        add(self.notices.map(|judge| judge.findings));
        add(self.server_requests.map(|judge| judge.findings));
        add(self.client_conversation.map(|judge| judge.findings));
        add(self.client_headers.map(|judge| judge.findings));
        Judgement {
            envelopes,
            shapes: self.shapes.into_judgement(),
            #[cfg(feature = "schema")]
            tools: self.tools.into_judgement(),
            #[cfg(not(feature = "schema"))]
            tools: ToolJudgement::default(),
        }
    }

    /// All judges, always in the same order.
    fn judges(&mut self) -> impl Iterator<Item = &mut dyn EventJudge> {
        fn any<J: EventJudge>(judge: &mut J) -> &mut dyn EventJudge {
            judge
        }
        let always = [any(&mut self.envelopes), any(&mut self.shapes)];
        let of_side = [
            self.conversation.as_mut().map(any),
            self.notices.as_mut().map(any),
            self.client_conversation.as_mut().map(any),
            self.client_headers.as_mut().map(any),
            self.server_requests.as_mut().map(any),
        ];
        let all = always.into_iter().chain(of_side.into_iter().flatten());
        #[cfg(feature = "schema")]
        let all = all.chain([any(&mut self.tools)]);
        all
    }
}

/// Everything that `judge` finds in a trace.
///
/// `revisions` returns for each connection the revision that it was opened for. By the schemas of tools, which are the peer's own, only
/// as much is judged as [`WireJudge::until`] leaves time for; what is left out is a finding that blames nobody.
#[doc(hidden)]
#[must_use]
pub fn judge_trace(
    trace: &Trace,
    revisions: &dyn Fn(ConnectionId) -> Revision,
    mut judge: WireJudge,
) -> Judgement {
    if trace.is_elided() {
        judge = judge.incomplete();
    }
    for event in &trace.events {
        judge.judge(event, revisions(event.connection));
    }
    judge.finish()
}
