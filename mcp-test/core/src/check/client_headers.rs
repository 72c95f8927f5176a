//! The rules about the HTTP requests in which a client of the stateless era sends its messages. What a scenario is about is for the
//! scenario.

use super::Finding;
use super::cited::cites;
use super::findings::Findings;
use super::recent_map::RecentMap;
use super::walk::{EventJudge, JudgedEvent, TraceMessage};
use crate::spec::{Era, header, method};
use crate::trace::{ConnectionId, EventKind, Exchange, Party, exchange};
use crate::wire::{Message, Request};

cites! {
    EXT_TASKS_MCP_NAME_HEADER,
}

/// The requests whose header with the id of a task has a requirement of its own.
const OF_TASKS: [&str; 3] = ["tasks/get", "tasks/update", "tasks/cancel"];

/// What is known of the HTTP requests of a client while the trace is read.
pub(super) struct ClientHeaderJudge {
    /// The headers of the requests whose messages have not come yet.
    headers: RecentMap<Exchange, Vec<(String, String)>>,
    pub(super) findings: Findings,
}

/// How many requests may wait for their messages.
const WAITING: usize = 100;

impl EventJudge for ClientHeaderJudge {
    fn miss_parts(&mut self) {
        self.findings.elided = true;
    }

    fn findings(&self) -> &[Finding] {
        self.findings.so_far()
    }

    fn event(&mut self, event: JudgedEvent<'_>, messages: &[TraceMessage<'_>]) {
        if event.party != Party::Client {
            return;
        }
        let exchange = exchange(&event);
        if let EventKind::HttpRequest { headers, .. } = &event.kind {
            self.headers.insert(exchange, headers.clone());
        }
        if !matches!(event.kind, EventKind::Message { .. }) {
            return;
        }
        let headers = self.headers.remove(&exchange);
        // Without headers it is another transport.
        let Some(headers) = headers.filter(|_| event.opened_for.era() == Era::Stateless) else {
            return;
        };
        for message in messages {
            if let Message::Request(request) = message.message {
                self.named(event, request, &headers);
            }
        }
    }

    // What waits is bounded for all connections together.
    fn forget(&mut self, _: ConnectionId) {}
}

impl Default for ClientHeaderJudge {
    fn default() -> Self {
        Self { headers: RecentMap::with_most(WAITING), findings: Findings::default() }
    }
}

impl ClientHeaderJudge {
    /// A request about a task names it in a header.
    fn named(&mut self, event: JudgedEvent<'_>, request: &Request, headers: &[(String, String)]) {
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
