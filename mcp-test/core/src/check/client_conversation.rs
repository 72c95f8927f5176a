//! The rules that relate what a client sends to what was declared, asked and answered before: the handshake, capabilities, versions,
//! cancellations, progress tokens, tasks.
//!
//! Only what a trace shows for certain is reported: over HTTP several clients may use one connection, whose requests have no order.
//! The rules for servers are in [`conversation`](super::conversation) and [`notices`](super::notices).

mod progress;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::Duration;

use self::progress::TrackedRequest;
use super::Finding;
use super::cited::{Cited, cites};
use super::connection_judge::ConnectionJudge;
use super::of_both_sides::{excessive_pings, other_revision, repeated_token, undeclared};
use super::rate::{PINGS_PER_SECOND, exceeds};
use super::recent_map::RecentMap;
use super::walk::{EventJudge, JudgedEvent, TraceMessage};
use crate::expect::words;
use crate::json::Value;
use crate::spec::{Capability, Era, Method, Requirement, Revision, Side, meta, method};
use crate::trace::{ConnectionId, EventKind, KnownIds, Party};
use crate::wire::{Id, Message, Notification, Request};

cites! {
    BASE_CAPABILITIES_RESPECTED, BASE_TOOLS_REQUIRE_CAPABILITY,
    CANCELLATION_INITIALIZE_NOT_CANCELLED, CANCELLATION_ONLY_CLIENT_INFLIGHT,
    CANCELLATION_ONLY_OWN_INFLIGHT, CANCELLATION_TASK_USES_TASKS_CANCEL,
    EXT_TASKS_NO_CANCELLED_NOTIFICATION, LIFECYCLE_CAPABILITIES_RESPECTED,
    LIFECYCLE_CAPABILITIES_RESPECTED_SHOULD, LIFECYCLE_CLIENT_REQUESTS_BEFORE_RESPONSE,
    LIFECYCLE_INITIALIZE_NOT_BATCHED, LIFECYCLE_VERSION_CLIENT_SUPPORTED,
    LIFECYCLE_VERSION_RESPECTED, LIFECYCLE_VERSION_RESPECTED_SHOULD, LOGGING_SET_LEVEL_REMOVED,
    PING_NOT_EXCESSIVE, PING_REMOVED, PROGRESS_TOKEN_UNIQUE, PROMPTS_IMPL_RESPECT_NEGOTIATION,
    RESOURCES_SUBSCRIBE_REMOVED, RESOURCES_SUBSCRIBE_REQUIRES_CAPABILITY,
    RESOURCES_UNSUBSCRIBE_AFTER_SUBSCRIBE, ROOTS_LIST_CHANGED_REMOVED,
    ROOTS_LIST_CHANGED_REQUIRES_CAPABILITY, TASKS_AUGMENT_ONLY_DECLARED,
    TASKS_CANCEL_REQUIRES_CAPABILITY, TASKS_LIST_REQUIRES_CAPABILITY,
    TASKS_NO_AUGMENT_WITHOUT_CAPABILITY, TASKS_TOOL_AUGMENT_REQUIRES_CAPABILITY,
    TASKS_TOOL_FORBIDDEN_NOT_AUGMENTED, TASKS_TOOL_REQUIRED_AUGMENTED,
    TOOLS_DEFINITION_TASK_SUPPORT_DEFAULT, VERSIONING_EXTENSION_FALLBACK,
}

/// What the files of this folder cite, file by file.
pub(super) const CITED_BY_FILES: &[&[&Requirement]] = &[CITED, progress::CITED];

/// Instead of the `taskSupport` of a tool that has none; no value of it is empty.
const ABSENT: &str = "";

/// Judges what clients send.
pub(super) type ClientConversationJudge = ConnectionJudge<Conversation>;

/// What one connection has agreed on so far.
#[derive(Default)]
pub(super) struct Conversation {
    /// The ids of `initialize` requests.
    handshakes: RecentMap<Id, ()>,
    /// The last `initialize` request has no reply yet.
    is_negotiating: bool,
    /// The capabilities of the client, from `initialize`.
    client: Option<Value>,
    /// The capabilities of the server, from `initialize` or `server/discover`.
    server: Option<Value>,
    /// The ids of the client's other requests.
    requested: KnownIds,
    /// The ids of those that ask for a task of 2025-11-25.
    augmented: RecentMap<Id, ()>,
    /// The progress tokens of requests without a reply so far, by the ids of the requests.
    tokens: RecentMap<Id, Value>,
    /// When the last pings of the client arrived.
    pings: VecDeque<Duration>,
    /// The requests of the server that ask for progress.
    tracked: VecDeque<TrackedRequest>,
    /// One of them is not remembered any more.
    has_forgotten_tracked: bool,
    /// The URIs that the client has subscribed to.
    subscribed: RecentMap<String, ()>,
    /// What the server has said of each tool: whether it runs as a task.
    task_support: RecentMap<String, String>,
    /// The ids of tasks of the extension, with the request that each has answered.
    tasks: RecentMap<String, Id>,
    /// The tasks that the client has sent requests for, so that it knows that their calls are answered.
    followed: RecentMap<String, ()>,
}

impl EventJudge for ClientConversationJudge {
    fn miss_parts(&mut self) {
        self.findings.elided = true;
    }

    fn findings(&self) -> &[Finding] {
        self.findings.so_far()
    }

    fn event(&mut self, event: JudgedEvent<'_>, messages: &[TraceMessage<'_>]) {
        if !matches!(event.kind, EventKind::Message { .. }) {
            return;
        }
        for message in messages {
            match (event.party, message.message) {
                (Party::Client, Message::Request(request)) => {
                    let is_batched = message.position.item.is_some();
                    self.requested(event, request, is_batched);
                }
                (Party::Client, Message::Notification(notification)) => {
                    self.declared(event, &notification.method);
                    self.cancelled(event, notification);
                    if notification.method == "notifications/progress" {
                        self.progressed(event, notification);
                    }
                }
                (Party::Client, reply) => {
                    if let Some(id) = reply.id() {
                        self.answered(event, id);
                    }
                }
                (Party::Server, Message::Request(request)) => {
                    self.asked_for_progress(event, request);
                }
                (Party::Server, reply) => self.replied(event, message, reply),
                (Party::Harness, _) => {}
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

impl Conversation {
    /// Whether something is not remembered any more without which a message may look wrong.
    fn has_forgotten(&self) -> bool {
        self.subscribed.has_forgotten() || self.has_forgotten_tracked
    }
}

impl ClientConversationJudge {
    fn requested(&mut self, event: JudgedEvent<'_>, request: &Request, is_batched: bool) {
        if request.method == "initialize" {
            return self.handshake(event, request, is_batched);
        }
        self.before_the_handshake(event, request);
        self.declares_changing_roots(event, request);
        self.declared(event, &request.method);
        self.tracked(event, request);
        let params = request.params.as_ref();
        let param = |name: &str| params.and_then(|params| params.get(name)?.as_str());
        let conversation = self.conversation(event);
        conversation.requested.insert(&request.id);
        if params.is_some_and(|params| params.get("task").is_some()) {
            conversation.augmented.insert(request.id.clone(), ());
        }
        match request.method.as_str() {
            "ping" if exceeds(&mut conversation.pings, event.at, PINGS_PER_SECOND) => {
                self.findings.add(event, excessive_pings(Side::Client), PING_NOT_EXCESSIVE);
            }
            "resources/subscribe" => {
                if let Some(uri) = param("uri") {
                    conversation.subscribed.insert(uri.to_owned(), ());
                }
            }
            "resources/unsubscribe" => {
                let uri = param("uri").filter(|uri| !conversation.subscribed.contains_key(*uri));
                if let Some(uri) = uri.filter(|_| !self.findings.elided) {
                    let finding =
                        Finding::peer("the client unsubscribes from what it has not subscribed to")
                            .expected("the URI of a `resources/subscribe` request")
                            .got(words::excerpt(uri).into_owned());
                    self.findings.add(event, finding, RESOURCES_UNSUBSCRIBE_AFTER_SUBSCRIBE);
                }
            }
            "tasks/get" | "tasks/update" | "tasks/cancel" => {
                if let Some(task) = param("taskId") {
                    conversation.followed.insert(task.to_owned(), ());
                }
            }
            "tools/call" => self.augmented(event, param("name"), params),
            _ => {}
        }
    }

    fn handshake(&mut self, event: JudgedEvent<'_>, request: &Request, is_batched: bool) {
        let conversation = self.conversation(event);
        // Over HTTP another client may begin on the same connection.
        *conversation = Conversation {
            handshakes: std::mem::take(&mut conversation.handshakes),
            requested: std::mem::take(&mut conversation.requested),
            augmented: std::mem::take(&mut conversation.augmented),
            tokens: std::mem::take(&mut conversation.tokens),
            client: request.params.as_ref().and_then(|params| params.get("capabilities")).cloned(),
            is_negotiating: true,
            ..Conversation::default()
        };
        conversation.handshakes.insert(request.id.clone(), ());
        self.proposed(event, request);
        if is_batched {
            let finding = Finding::peer("`initialize` is in a batch")
                .expected("`initialize` as a message of its own")
                .got("a JSON array with it");
            self.findings.add(event, finding, LIFECYCLE_INITIALIZE_NOT_BATCHED);
        }
    }

    /// In the stateless era no client announces that its roots have changed, so none declares that it does.
    fn declares_changing_roots(&mut self, event: JudgedEvent<'_>, request: &Request) {
        let params = request.params.as_ref();
        let declared = params.and_then(|it| it.get("_meta")?.get(meta::CLIENT_CAPABILITIES));
        let list_changed = declared.and_then(|declared| declared.at("/roots/listChanged"));
        let is_removed = event.opened_for.era() == Era::Stateless;
        if let Some(list_changed) = list_changed.filter(|_| is_removed) {
            let finding =
                Finding::peer("the client declares that it announces changes of its roots")
                    .expected("`roots` without `listChanged`")
                    .got(list_changed.short(120));
            self.findings.add(event, finding, ROOTS_LIST_CHANGED_REMOVED);
        }
    }

    /// The version that the client proposes is a version of MCP. A draft, or one after those that are known, may be.
    fn proposed(&mut self, event: JudgedEvent<'_>, request: &Request) {
        let params = request.params.as_ref();
        let proposed = params.and_then(|params| params.get("protocolVersion")?.as_str());
        let Some(proposed) = proposed else { return };
        let is_known = proposed.parse::<Revision>().is_ok();
        // Versions are dates, whose order is that of their texts.
        let is_later = proposed.starts_with("20") && proposed > Revision::NEWEST.as_str();
        if is_known || is_later || proposed.starts_with("DRAFT") {
            return;
        }
        let finding = Finding::peer("the client proposes what is not a version of MCP")
            .expected(words::list(Revision::ALL, "or"))
            .got(words::excerpt(proposed).into_owned());
        self.findings.add(event, finding, LIFECYCLE_VERSION_CLIENT_SUPPORTED);
    }

    /// Until `initialize` is answered, the client requests nothing but pings.
    fn before_the_handshake(&mut self, event: JudgedEvent<'_>, request: &Request) {
        let conversation = self.conversation(event);
        // After a second `initialize` the request may be of another client.
        let is_alone = conversation.handshakes.len() == 1;
        if !conversation.is_negotiating || !is_alone || request.method == "ping" {
            return;
        }
        let finding = Finding::peer(format!(
            "the client sent `{}` before `initialize` was answered",
            request.method
        ))
        .expected("nothing but `ping` before the result of `initialize`")
        .got(format!("`{}`", request.method));
        self.findings.add(event, finding, LIFECYCLE_CLIENT_REQUESTS_BEFORE_RESPONSE);
    }

    /// A message of the client needs a capability of the server, or of its own, and has to be of the agreed version.
    fn declared(&mut self, event: JudgedEvent<'_>, name: &str) {
        let revision = event.opened_for;
        let Some(known) = method(name) else { return };
        if !known.sent_by(Side::Client, revision) {
            return self.other_revision(event, known, revision);
        }
        let Some(capability) = known.capability(revision) else { return };
        let Conversation { client, server, .. } = self.conversation(event);
        let finding = undeclared(Side::Client, name, capability, client.as_ref(), server.as_ref());
        let Some(finding) = finding else { return };
        let finding = match known.name.starts_with("prompts/") {
            true => finding.also(PROMPTS_IMPL_RESPECT_NEGOTIATION),
            false => finding,
        };
        let rule = rule_of_capability(known, revision);
        let finding = match known.extension.contains(revision) {
            true => finding.also(VERSIONING_EXTENSION_FALLBACK),
            false => finding,
        };
        self.findings.add(event, finding, rule);
    }

    /// A message that clients send at other revisions only.
    fn other_revision(&mut self, event: JudgedEvent<'_>, known: &Method, revision: Revision) {
        let is_subscription =
            known.name.ends_with("/subscribe") || known.name.ends_with("/unsubscribe");
        // A client of both eras asks for discovery first.
        if known.name == "server/discover" {
            return;
        }
        let Some(finding) = other_revision(Side::Client, known, revision) else { return };
        match (revision.era(), known.name) {
            (Era::Stateless, "ping") => {
                self.findings.add(event, finding, PING_REMOVED);
            }
            (Era::Stateless, "logging/setLevel") => {
                self.findings.add(event, finding, LOGGING_SET_LEVEL_REMOVED);
            }
            (Era::Stateless, "notifications/roots/list_changed") => {
                self.findings.add(event, finding, ROOTS_LIST_CHANGED_REMOVED);
            }
            (Era::Stateless, _) if is_subscription => {
                self.findings.add(event, finding, RESOURCES_SUBSCRIBE_REMOVED);
            }
            (Era::Stateless, _) => {}
            (Era::Handshake, _) => {
                let rules = [LIFECYCLE_VERSION_RESPECTED, LIFECYCLE_VERSION_RESPECTED_SHOULD];
                self.findings.add(event, finding, Cited::first_at(revision, rules));
            }
        }
    }

    /// No two requests without a reply have the same progress token.
    fn tracked(&mut self, event: JudgedEvent<'_>, request: &Request) {
        let params = request.params.as_ref();
        let token = params.and_then(|params| params.get("_meta")?.get(meta::PROGRESS_TOKEN));
        let Some(token) = token else { return };
        let tokens = &mut self.conversation(event).tokens;
        // A retry of the same request keeps its token.
        let is_repeated = tokens.iter().any(|(id, it)| *id != request.id && it == token);
        tokens.insert(request.id.clone(), token.clone());
        if is_repeated {
            let finding = repeated_token(Side::Client, token);
            self.findings.add(event, finding, PROGRESS_TOKEN_UNIQUE);
        }
    }

    /// Whether a tool is called as a task depends on the server and on what the tool supports.
    fn augmented(&mut self, event: JudgedEvent<'_>, tool: Option<&str>, params: Option<&Value>) {
        let is_task = params.is_some_and(|params| params.get("task").is_some());
        let conversation = self.conversation(event);
        let Some(server) = &conversation.server else { return };
        let declared = Capability::TasksToolsCall.declared_in(server);
        let support = tool.and_then(|tool| conversation.task_support.get(tool).map(String::as_str));
        let got =
            format!("`tools/call` of the tool {:?}", words::excerpt(tool.unwrap_or_default()));
        if is_task && !declared {
            let finding = Finding::peer(
                "the client calls a tool as a task, which the server does not support",
            )
            .expected("no `task` without the capability `tasks.requests.tools.call`")
            .got(got)
            .also(TASKS_AUGMENT_ONLY_DECLARED);
            let finding = match server.get("tasks") {
                None => finding.also(TASKS_NO_AUGMENT_WITHOUT_CAPABILITY),
                Some(_) => finding,
            };
            self.findings.add(event, finding, TASKS_TOOL_AUGMENT_REQUIRES_CAPABILITY);
        } else if is_task && matches!(support, Some("forbidden" | ABSENT)) {
            let finding =
                Finding::peer("the client calls a tool as a task that is not to be called so")
                    .expected("no `task` for a tool whose `taskSupport` is absent or `forbidden`")
                    .got(got);
            let finding = match support {
                Some(ABSENT) => finding.also(TOOLS_DEFINITION_TASK_SUPPORT_DEFAULT),
                _ => finding,
            };
            self.findings.add(event, finding, TASKS_TOOL_FORBIDDEN_NOT_AUGMENTED);
        } else if !is_task && declared && support == Some("required") {
            let finding = Finding::peer(
                "the client calls a tool without `task` that has to be called as a task",
            )
            .expected("a `task` for a tool whose `taskSupport` is `required`")
            .got(got);
            self.findings.add(event, finding, TASKS_TOOL_REQUIRED_AUGMENTED);
        }
    }

    /// A cancellation names a request of the client, and never `initialize`.
    fn cancelled(&mut self, event: JudgedEvent<'_>, notification: &Notification) {
        if notification.method != "notifications/cancelled" {
            return;
        }
        let id = notification.params.as_ref().and_then(|params| Id::read(params.get("requestId")?));
        let Some(id) = id else { return };
        let elided = self.findings.elided;
        let revision = event.opened_for;
        let conversation = self.conversation(event);
        conversation.tokens.remove(&id);
        // A cancellation of the call may cross the task in answer to it, of which the client then does not know yet.
        let is_of_task = |(task, call): (&String, &Id)| {
            id == Id::from(task.as_str())
                || (conversation.followed.contains_key(task) && *call == id)
        };
        let rule = match conversation.tasks.iter().any(is_of_task) {
            true => Some(EXT_TASKS_NO_CANCELLED_NOTIFICATION),
            false => conversation
                .augmented
                .contains_key(&id)
                .then_some(CANCELLATION_TASK_USES_TASKS_CANCEL),
        };
        if let Some(rule) = rule {
            let finding = Finding::peer("the client cancels a task with a notification")
                .expected("`tasks/cancel`")
                .got(format!("`notifications/cancelled` for {id}"));
            return self.findings.add(event, finding, rule);
        }
        if conversation.requested.may_contain(&id) {
            return;
        }
        if conversation.handshakes.contains_key(&id) {
            let finding = Finding::peer("the client cancels `initialize`")
                .expected("no `notifications/cancelled` for `initialize`")
                .got(format!("`notifications/cancelled` for the request {id}"));
            self.findings.add(event, finding, CANCELLATION_INITIALIZE_NOT_CANCELLED);
        } else if !elided {
            let finding = Finding::peer("the client cancels a request that it has not sent")
                .expected("the id of a request of the client")
                .got(id.to_string());
            let rule = match revision.era() {
                Era::Stateless => CANCELLATION_ONLY_CLIENT_INFLIGHT,
                Era::Handshake => CANCELLATION_ONLY_OWN_INFLIGHT,
            };
            self.findings.add(event, finding, rule);
        }
    }

    /// A reply of the server.
    fn replied(&mut self, event: JudgedEvent<'_>, message: &TraceMessage<'_>, reply: &Message) {
        let Some(request) = message.request() else { return };
        let conversation = self.conversation(event);
        if let Some(id) = reply.id() {
            conversation.tokens.remove(id);
        }
        if &*request.method == "initialize" {
            conversation.is_negotiating = false;
        }
        let Message::Response(response) = reply else { return };
        if response.result.get("resultType").is_some_and(|kind| *kind == "task")
            && let Some(task) = response.result.get("taskId").and_then(Value::as_str)
        {
            conversation.tasks.insert(task.to_owned(), response.id.clone());
        }
        match &*request.method {
            "initialize" | "server/discover" => {
                conversation.server = response.result.get("capabilities").cloned();
            }
            "tools/list" => {
                let tools = response.result.get("tools").and_then(Value::as_array);
                let support = |tool: &Value| {
                    let execution = tool.get("execution").and_then(|it| it.get("taskSupport"));
                    let support = execution.and_then(Value::as_str).unwrap_or(ABSENT);
                    Some((tool.get("name")?.as_str()?.to_owned(), support.to_owned()))
                };
                for (tool, support) in tools.unwrap_or_default().iter().filter_map(support) {
                    conversation.task_support.insert(tool, support);
                }
            }
            _ => {}
        }
    }
}

/// The rule that a message of a client without its capability breaks: the one of its method, or the one of all messages.
fn rule_of_capability(known: &Method, revision: Revision) -> Cited {
    match known.name {
        "tools/call" | "tools/list" => BASE_TOOLS_REQUIRE_CAPABILITY,
        "resources/subscribe" | "resources/unsubscribe" => RESOURCES_SUBSCRIBE_REQUIRES_CAPABILITY,
        "notifications/roots/list_changed" => ROOTS_LIST_CHANGED_REQUIRES_CAPABILITY,
        "tasks/cancel" => TASKS_CANCEL_REQUIRES_CAPABILITY,
        "tasks/list" => TASKS_LIST_REQUIRES_CAPABILITY,
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
