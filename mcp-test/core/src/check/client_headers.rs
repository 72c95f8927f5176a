//! The rules about the HTTP requests in which a client of the stateless era sends its messages. What a scenario is about is for the
//! scenario.

use std::collections::HashMap;

use super::Finding;
use super::cited::cites;
use super::findings::Findings;
use super::walk::{EventJudge, TraceMessage};
use crate::spec::{Era, Revision, header, method};
use crate::trace::{ConnectionId, Event, EventKind, Exchange, Party, Trace, exchange};
use crate::wire::{Message, Request};

cites! {
    EXT_TASKS_MCP_NAME_HEADER,
}

/// The requests whose header with the id of a task has a requirement of its own.
const OF_TASKS: [&str; 3] = ["tasks/get", "tasks/update", "tasks/cancel"];

/// What is known of the HTTP requests of a client while the trace is read.
pub(super) struct ClientHeaderJudge<'a> {
    /// The headers of the requests whose messages have not come yet.
    headers: HashMap<Exchange, &'a [(String, String)]>,
    findings: Findings<'a>,
}

impl<'a> EventJudge<'a> for ClientHeaderJudge<'a> {
    fn event(&mut self, event: &'a Event, messages: &[TraceMessage<'a>]) {
        if event.party != Party::Client {
            return;
        }
        let exchange = exchange(event);
        if let EventKind::HttpRequest { headers, .. } = &event.kind {
            self.headers.insert(exchange, headers);
        }
        if !matches!(event.kind, EventKind::Message { .. }) {
            return;
        }
        let headers = self.headers.remove(&exchange);
        // Without headers it is another transport.
        let Some(headers) =
            headers.filter(|_| self.findings.revision(event).era() == Era::Stateless)
        else {
            return;
        };
        for message in messages {
            if let Message::Request(request) = message.message {
                self.named(event, request, headers);
            }
        }
    }
}

impl<'a> ClientHeaderJudge<'a> {
    pub(super) fn new(trace: &Trace, revisions: &'a dyn Fn(ConnectionId) -> Revision) -> Self {
        Self { headers: HashMap::new(), findings: Findings::new(trace, revisions) }
    }

    pub(super) fn into_findings(self) -> Vec<Finding> {
        self.findings.into_findings()
    }

    /// A request about a task names it in a header.
    fn named(&mut self, event: &Event, request: &Request, headers: &[(String, String)]) {
        if !OF_TASKS.contains(&request.method.as_str()) {
            return;
        }
        let member = method(&request.method).and_then(|known| known.name_param);
        let task = member.and_then(|member| request.params.as_ref()?.get(member)?.as_str());
        // Without an id there is nothing to name; the shapes report that.
        let Some(task) = task else { return };
        let mut named = headers.iter();
        let got = named.find(|(name, _)| name.eq_ignore_ascii_case(header::MCP_NAME));
        let got = got.map(|(_, value)| value.as_str());
        if got.and_then(|value| header::decode_value(value).ok()).as_deref() == Some(task) {
            return;
        }
        let finding =
            Finding::peer(format!("`{}` does not name its task in a header", request.method))
                .expected(format!("`{}: {}`", header::MCP_NAME, header::encode_value(task)))
                .got(got.map_or("no such header".to_owned(), |value| format!("{value:?}")));
        self.findings.add(event, finding, EXT_TASKS_MCP_NAME_HEADER);
    }
}
