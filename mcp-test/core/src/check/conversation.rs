//! The rules that relate what a server sends to what was declared, asked and sent before: capabilities, log levels, progress.
//!
//! Only what a trace shows for certain is reported. Over HTTP the messages of different streams have no order, so that there the
//! order of two messages counts only within one exchange. The rules for clients are in
//! [`client_conversation`](super::client_conversation).

mod log_messages;
mod result_types;
mod served;
mod tasks;
#[cfg(test)]
mod tests;
mod tracked;
mod unasked;

use self::log_messages::severity;
use self::tracked::{Tracked, TrackedRequests};
use super::cited::{Cited, cites};
use super::connection_judge::ConnectionJudge;
use super::of_both_sides::{late_progress, no_progress, other_revision, retyped_token, undeclared};
use super::recent_map::RecentMap;
use super::walk::{EventJudge, JudgedEvent, TraceMessage};
use super::{Finding, content};
use crate::expect::words;
use crate::json::Value;
use crate::spec::{
    Capability, Era, LISTEN, Method, Requirement, Revision, Side, header, meta, method,
};
use crate::trace::{ConnectionId, EventKind, Party, Position, Seq};
use crate::wire::{Id, Message, Notification, Request};

cites! {
    BASE_CAPABILITIES_RESPECTED, ELICITATION_REQUEST_REQUIRES_CAPABILITY,
    LIFECYCLE_CAPABILITIES_RESPECTED, LIFECYCLE_CAPABILITIES_RESPECTED_SHOULD,
    LIFECYCLE_VERSION_RESPECTED, LIFECYCLE_VERSION_RESPECTED_SHOULD, LOGGING_CAPABILITY_DECLARE,
    PROGRESS_INCREASES,
    PROGRESS_STOPS_AFTER_COMPLETION, PROGRESS_TASK_STOPS_TERMINAL, PROGRESS_TASK_TOKEN_CONTINUES,
    PROGRESS_TOKEN_ECHOED, PROGRESS_TOKEN_KNOWN, PROMPTS_LIST_CHANGED_REQUIRES_CAPABILITY,
    RESOURCES_LIST_CHANGED_REQUIRES_CAPABILITY, RESOURCES_UPDATED_REQUIRES_SUBSCRIBE_CAPABILITY,
    ROOTS_LIST_REQUIRES_CAPABILITY, SAMPLING_REQUEST_REQUIRES_CAPABILITY,
    TASKS_CANCEL_REQUIRES_CAPABILITY, TASKS_LIST_REQUIRES_CAPABILITY,
    TOOLS_LIST_CHANGED_REQUIRES_CAPABILITY, TRANSPORT_HTTP_CANCEL_NO_FURTHER_MESSAGES,
    TRANSPORT_HTTP_GET_MESSAGES_UNRELATED, TRANSPORT_HTTP_SSE_MESSAGES_RELATED,
    TRANSPORT_HTTP_SSE_NOTIFICATIONS_RELATED,
}

/// What the files of this folder cite, file by file.
pub(super) const CITED_BY_FILES: &[&[&Requirement]] =
    &[CITED, log_messages::CITED, result_types::CITED, served::CITED, tasks::CITED, unasked::CITED];

/// Judges what servers send.
pub(super) type ConversationJudge = ConnectionJudge<Conversation>;

/// What one connection has agreed on so far.
#[derive(Default)]
pub(super) struct Conversation {
    /// The capabilities of the client, from `initialize`.
    client: Option<Value>,
    /// The capabilities of the server, from `initialize` or `server/discover`.
    server: Option<Value>,
    /// The level that `logging/setLevel` has set, and the reply that confirmed it.
    level: Option<(usize, ReplyOrder)>,
    /// The levels that open requests have asked for themselves.
    levels_of_requests: RecentMap<Position, usize>,
    /// The requests that asked for progress.
    tracked: TrackedRequests,
    /// The levels that `logging/setLevel` asks for, by request.
    set_levels: RecentMap<Position, usize>,
    /// The kinds of notifications that the client has asked for with `subscriptions/listen`.
    listened: RecentMap<String, ()>,
    /// The client has subscribed to a resource.
    has_subscribed: bool,
    /// The exchanges whose requests ask for log messages themselves, with the level.
    levels_of_exchanges: RecentMap<u64, usize>,
    /// The requests without a reply so far; a cancelled one has none.
    open: RecentMap<Position, ()>,
    /// The requests that were sent deliberately, although the server does not allow for them.
    deliberate: RecentMap<Position, ()>,
    /// The posted requests, by exchange.
    posted: RecentMap<u64, Posted>,
    /// The sessions that HTTP requests name, by exchange.
    sessions: RecentMap<u64, String>,
    /// The exchanges of subscriptions over HTTP.
    subscriptions: RecentMap<Id, u64>,
    /// The exchanges that listen, and do not resume a stream.
    listening: RecentMap<u64, ()>,
    /// The exchanges that the client has closed before their end.
    closed: RecentMap<u64, ()>,
    /// The exchanges of such requests that have their reply; `None` stands for a line transport.
    logged_exchanges: RecentMap<Option<u64>, ()>,
}

/// A request that was posted over HTTP.
struct Posted {
    method: String,
    seq: Seq,
}

/// A reply, after which some messages were certainly sent.
#[derive(Clone, Copy)]
struct ReplyOrder {
    exchange: Option<u64>,
    seq: Seq,
}

impl ReplyOrder {
    fn of(event: JudgedEvent<'_>) -> Self {
        Self { exchange: event.exchange, seq: event.seq }
    }
}

impl Conversation {
    /// Whether something is not remembered any more without which a message may look wrong.
    fn has_forgotten(&self) -> bool {
        self.levels_of_requests.has_forgotten()
            || self.levels_of_exchanges.has_forgotten()
            || self.listened.has_forgotten()
            || self.deliberate.has_forgotten()
            || self.tracked.has_forgotten()
    }

    /// Whether a message was certainly sent after a reply: on the same stream, or on that of a request which the client has posted
    /// since.
    fn follows(&self, event: JudgedEvent<'_>, reply: ReplyOrder) -> bool {
        let posted = event.exchange.and_then(|exchange| self.posted.get(&exchange));
        event.exchange == reply.exchange || posted.is_some_and(|posted| posted.seq > reply.seq)
    }

    /// Whether a message belongs to the session of a reply, which only that of another exchange has to name.
    fn is_of_session(&self, event: JudgedEvent<'_>, reply: ReplyOrder) -> bool {
        let session = |exchange: Option<u64>| self.sessions.get(&exchange?);
        let (own, other) = (session(event.exchange), session(reply.exchange));
        event.exchange == reply.exchange || own.is_some() && own == other
    }
}

impl EventJudge for ConversationJudge {
    fn miss_parts(&mut self) {
        self.findings.elided = true;
    }

    fn findings(&self) -> &[Finding] {
        self.findings.so_far()
    }

    fn event(&mut self, event: JudgedEvent<'_>, messages: &[TraceMessage<'_>]) {
        if let (EventKind::HttpRequest { method, headers, .. }, Some(exchange)) =
            (&event.kind, event.exchange)
        {
            let is_cursor = |name: &str| name.eq_ignore_ascii_case(header::LAST_EVENT_ID);
            let is_listening = method == "GET" && !headers.iter().any(|(name, _)| is_cursor(name));
            let is_session = |name: &str| name.eq_ignore_ascii_case(header::MCP_SESSION_ID);
            let session = headers.iter().find(|(name, _)| is_session(name));
            let conversation = self.conversation(event);
            if let Some((_, id)) = session {
                conversation.sessions.insert(exchange, id.clone());
            }
            if is_listening {
                conversation.listening.insert(exchange, ());
            }
        }
        if let (EventKind::Closed { .. }, Party::Client, Some(exchange)) =
            (&event.kind, event.party, event.exchange)
        {
            self.conversation(event).closed.insert(exchange, ());
        }
        if !matches!(event.kind, EventKind::Message { .. }) {
            return;
        }
        for message in messages {
            match (event.party, message.message) {
                (Party::Client, Message::Request(request)) => {
                    self.asked(event, message.position, request);
                }
                (Party::Server, Message::Request(request)) => {
                    self.declared(event, &request.method);
                    self.augmented(event, request);
                }
                (Party::Server, Message::Notification(notification)) => {
                    self.declared(event, &notification.method);
                    if self.was_asked_for(event, &notification.method) {
                        self.unrelated(event, notification);
                    }
                    match notification.method.as_str() {
                        "notifications/progress" => self.progress(event, notification),
                        "notifications/message" => self.log(event, notification),
                        _ => {}
                    }
                }
                (Party::Server, reply) => self.replied(event, message, reply),
                _ => {}
            }
        }
        if self.conversation(event).has_forgotten() {
            self.findings.elided = true;
        }
    }

    fn forget(&mut self, connection: ConnectionId) {
        self.conversations.remove(&connection);
    }
}

impl ConversationJudge {
    /// A request of the client.
    fn asked(&mut self, event: JudgedEvent<'_>, position: Position, request: &Request) {
        let params = request.params.as_ref();
        let of_meta = |name: &str| params.and_then(|params| params.get("_meta")?.get(name));
        let conversation = self.conversation(event);
        match request.method.as_str() {
            "initialize" => {
                // Over HTTP another client may begin on the same connection; what it finds open belongs to the first one.
                *conversation = Conversation {
                    client: params.and_then(|params| params.get("capabilities")).cloned(),
                    open: std::mem::take(&mut conversation.open),
                    posted: std::mem::take(&mut conversation.posted),
                    listening: std::mem::take(&mut conversation.listening),
                    ..Conversation::default()
                };
            }
            LISTEN => {
                let filter = params.and_then(|params| params.get("notifications")?.as_object());
                let wanted = filter.into_iter().flat_map(crate::json::Object::iter);
                let wanted = wanted.filter(|(_, value)| **value != Value::Bool(false));
                wanted.for_each(|(name, _)| {
                    conversation.listened.insert(name.to_owned(), ());
                });
                if let Some(exchange) = event.exchange {
                    conversation.subscriptions.insert(request.id.clone(), exchange);
                }
            }
            "resources/subscribe" => conversation.has_subscribed = true,
            "logging/setLevel" => {
                let level = params.and_then(|params| severity(params.get("level")?));
                if let Some(level) = level {
                    conversation.set_levels.insert(position, level);
                }
            }
            _ => {}
        }
        conversation.open.insert(position, ());
        if event.deliberate {
            conversation.deliberate.insert(position, ());
        }
        if let Some(exchange) = event.exchange {
            let posted = Posted { method: request.method.clone(), seq: event.seq };
            conversation.posted.insert(exchange, posted);
        }
        if let Some(level) = of_meta(meta::LOG_LEVEL).and_then(severity) {
            conversation.levels_of_requests.insert(position, level);
            if let Some(exchange) = event.exchange {
                conversation.levels_of_exchanges.insert(exchange, level);
            }
        }
        if let Some(token) = of_meta(meta::PROGRESS_TOKEN) {
            let is_task = params.is_some_and(|params| params.get("task").is_some());
            let exchange = event.exchange;
            conversation.tracked.add(Tracked {
                token: token.clone(),
                position,
                exchange,
                progress: None,
                replied: None,
                is_task,
                task: None,
                ended: None,
            });
        }
    }

    /// A reply of the server.
    fn replied(&mut self, event: JudgedEvent<'_>, message: &TraceMessage<'_>, reply: &Message) {
        let Some(request) = message.request() else { return };
        let (method, position) = (&*request.method, request.position);
        let conversation = self.conversation(event);
        if let Some(tracked) = conversation.tracked.at(position) {
            tracked.replied.get_or_insert(event.exchange);
        }
        conversation.open.remove(&position);
        if conversation.levels_of_requests.remove(&position).is_some() {
            conversation.logged_exchanges.insert(event.exchange, ());
        }
        let Message::Response(response) = reply else { return };
        self.result_type(event, method, &response.result);
        self.state_of_task(event, method, position, &response.result);
        self.served(event, position, method, &response.result);
        let conversation = self.conversation(event);
        match method {
            "initialize" | "server/discover" => {
                conversation.server = response.result.get("capabilities").cloned();
            }
            "logging/setLevel" => {
                let level = conversation.set_levels.remove(&position);
                conversation.level =
                    level.map(|level| (level, ReplyOrder::of(event))).or(conversation.level);
            }
            _ => {}
        }
        let server = conversation.server.as_ref();
        let has_resources = server.map(|it| Capability::Resources.declared_in(it));
        for (finding, rule) in content::judge(method, &response.result, has_resources) {
            self.findings.add(event, finding, rule);
        }
    }

    /// A request or notification of the server needs a capability of the server, or of the client.
    fn declared(&mut self, event: JudgedEvent<'_>, name: &str) {
        let revision = event.opened_for;
        let Some(known) = method(name) else { return };
        if !known.sent_by(Side::Server, revision) {
            return self.other_revision(event, known, revision);
        }
        let Some(capability) = known.capability(revision) else { return };
        // What a client declares is in each request from 2026-07-28 on, when servers no longer send any.
        let Conversation { client, server, .. } = self.conversation(event);
        let finding = undeclared(Side::Server, name, capability, client.as_ref(), server.as_ref());
        let Some(finding) = finding else { return };
        let rule = rule_of_capability(known, revision);
        // The strictest one first.
        let finding = match known.name {
            "elicitation/create" => finding.also(ELICITATION_REQUEST_REQUIRES_CAPABILITY),
            "roots/list" => finding.also(rule).also(ROOTS_LIST_REQUIRES_CAPABILITY),
            "sampling/createMessage" => finding.also(SAMPLING_REQUEST_REQUIRES_CAPABILITY),
            "tasks/cancel" => finding.also(TASKS_CANCEL_REQUIRES_CAPABILITY),
            "tasks/list" => finding.also(TASKS_LIST_REQUIRES_CAPABILITY),
            _ => finding,
        };
        self.findings.add(event, finding, rule);
    }

    /// Progress of a request arrives on the response to that request, if it arrives before the reply.
    fn misplaced_progress(&mut self, event: JudgedEvent<'_>, token: &Value) {
        let is_stateless = event.opened_for.era() == Era::Stateless;
        let Some(exchange) = event.exchange else { return };
        let conversation = self.conversation(event);
        if conversation.tracked.has_forgotten() {
            return;
        }
        let of_token = || conversation.tracked.with_token(token);
        // A token may be used again; a task goes on after its request.
        if of_token().any(|it| it.exchange == Some(exchange) || it.is_task) {
            return;
        }
        // From 2026-07-28 on, closing the response cancels its request.
        let is_cancelled = is_stateless
            && of_token().any(|it| {
                it.exchange.is_some_and(|exchange| conversation.closed.contains_key(&exchange))
            });
        let is_running = of_token().any(|it| it.replied.is_none());
        let posted = conversation.posted.get(&exchange).map(|posted| posted.method.as_str());
        let (place, rule) = match posted {
            Some(posted) if is_stateless => {
                (format!("the response to `{posted}`"), TRANSPORT_HTTP_SSE_NOTIFICATIONS_RELATED)
            }
            Some(posted) => {
                (format!("the response to `{posted}`"), TRANSPORT_HTTP_SSE_MESSAGES_RELATED)
            }
            None if is_running && conversation.listening.contains_key(&exchange) => {
                ("the listening stream".to_owned(), TRANSPORT_HTTP_GET_MESSAGES_UNRELATED)
            }
            None => return,
        };
        let finding = Finding::peer(format!("{place} has the progress of another request"))
            .expected("progress on the response to the request that asked for it")
            .got(format!("progress for the token {}", words::excerpt(&token.to_string())));
        let finding = match is_cancelled {
            true => finding.also(TRANSPORT_HTTP_CANCEL_NO_FURTHER_MESSAGES),
            false => finding,
        };
        self.findings.add(event, finding, rule);
    }

    /// A message that servers send at other revisions only; of the stateless era another rule forbids all their requests.
    fn other_revision(&mut self, event: JudgedEvent<'_>, known: &Method, revision: Revision) {
        let finding = other_revision(Side::Server, known, revision);
        let Some(finding) = finding.filter(|_| revision.era() == Era::Handshake) else { return };
        let rules = [LIFECYCLE_VERSION_RESPECTED, LIFECYCLE_VERSION_RESPECTED_SHOULD];
        let rule = Cited::first_at(revision, rules);
        self.findings.add(event, finding, rule);
    }

    /// The token of a request, in another JSON type.
    fn retyped(&mut self, event: JudgedEvent<'_>, token: &Value) -> Option<Finding> {
        let tracked = &self.conversation(event).tracked;
        retyped_token(Side::Server, tracked.tokens_like(token), token)
    }

    fn progress(&mut self, event: JudgedEvent<'_>, notification: &Notification) {
        let params = notification.params.as_ref();
        let Some(token) = params.and_then(|params| params.get("progressToken")) else { return };
        let progress = params.and_then(|params| params.get("progress")?.as_f64());
        let elided = self.findings.elided;
        if !elided && let Some(finding) = self.retyped(event, token) {
            return self.findings.add(event, finding, PROGRESS_TOKEN_ECHOED);
        }
        self.misplaced_progress(event, token);
        let conversation = self.conversation(event);
        let Some(tracked) = conversation.tracked.latest_with_token(token) else {
            if !elided {
                let tracked = &conversation.tracked;
                let is_task = token.as_str().is_some_and(|task| tracked.has_task(task));
                let finding = Finding::peer("progress with a token that no request has")
                    .expected("the `progressToken` of a request")
                    .got(words::excerpt(&token.to_string()).into_owned());
                let finding = match is_task {
                    true => finding.also(PROGRESS_TASK_TOKEN_CONTINUES),
                    false => finding,
                };
                self.findings.add(event, finding, PROGRESS_TOKEN_KNOWN);
            }
            return;
        };
        let before = tracked.progress;
        let is_over = !tracked.is_task && tracked.replied == Some(event.exchange);
        tracked.progress = progress.or(before);
        let ended = tracked.ended;
        if ended.is_some_and(|reply| conversation.follows(event, reply)) {
            let finding = Finding::peer("progress of a task that is finished")
                .expected("no `notifications/progress` once the task has a final status")
                .got(format!("progress for the token {}", words::excerpt(&token.to_string())));
            self.findings.add(event, finding, PROGRESS_TASK_STOPS_TERMINAL);
        } else if is_over {
            self.findings.add(event, late_progress(token), PROGRESS_STOPS_AFTER_COMPLETION);
        } else if let Some(finding) = no_progress(before, progress) {
            self.findings.add(event, finding, PROGRESS_INCREASES);
        }
    }
}

/// Whether a notification is one that only a subscription brings.
fn is_of_subscriptions(name: &str) -> bool {
    name.ends_with("/list_changed") || name == "notifications/resources/updated"
}

/// The rule that a message without its capability breaks.
fn rule_of_capability(known: &Method, revision: Revision) -> Cited {
    match known.name {
        "notifications/tools/list_changed" => TOOLS_LIST_CHANGED_REQUIRES_CAPABILITY,
        "notifications/prompts/list_changed" => PROMPTS_LIST_CHANGED_REQUIRES_CAPABILITY,
        "notifications/resources/list_changed" => RESOURCES_LIST_CHANGED_REQUIRES_CAPABILITY,
        "notifications/resources/updated" => RESOURCES_UPDATED_REQUIRES_SUBSCRIBE_CAPABILITY,
        "notifications/message" => LOGGING_CAPABILITY_DECLARE,
        _ => Cited::first_at(
            revision,
            [
                BASE_CAPABILITIES_RESPECTED,
                LIFECYCLE_CAPABILITIES_RESPECTED,
                LIFECYCLE_CAPABILITIES_RESPECTED_SHOULD,
            ],
        ),
    }
}
