//! The rules about whose request a notification of a server belongs to: cancellations, subscriptions, log messages and progress
//! on the wrong stream, and how much of it there is.
//!
//! As in `conversation`, only what a trace shows for certain is reported, and the rules for clients are judged elsewhere.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::Duration;

use super::Finding;
use super::cited::{Cited, cites};
use super::connection_judge::ConnectionJudge;
use super::of_both_sides::{blank_progress, excessive_pings, repeated_token, too_much};
use super::rate::{PINGS_PER_SECOND, SHOWN_PER_SECOND, exceeds};
use super::recent_map::RecentMap;
use super::walk::{EventJudge, JudgedEvent, TraceMessage};
use crate::expect::words;
use crate::json::{Object, Value};
use crate::spec::{Era, LISTEN, Side, meta};
use crate::trace::{ConnectionId, EventKind, KnownIds, Party};
use crate::wire::{Id, Message, Notification, Request};

cites! {
    CANCELLATION_ONLY_CLIENT_INFLIGHT, CANCELLATION_ONLY_OWN_INFLIGHT,
    CANCELLATION_SERVER_ONLY_FOR_LISTEN, CANCELLATION_TASK_USES_TASKS_CANCEL,
    EXT_TASKS_NO_PROGRESS_ON_LISTEN, LOGGING_IMPL_RATE_LIMIT, LOGGING_PER_REQUEST_OWN_STREAM_ONLY,
    PING_NOT_EXCESSIVE, PROGRESS_MESSAGE_MEANINGFUL, PROGRESS_RATE_LIMITED, PROGRESS_TOKEN_UNIQUE,
    SUBSCRIPTIONS_CANCEL_ENDS, SUBSCRIPTIONS_GRACEFUL_RESULT_SHAPE, SUBSCRIPTIONS_ID_VALUE,
    SUBSCRIPTIONS_NO_REQUEST_SCOPED, SUBSCRIPTIONS_ONLY_REQUESTED, SUBSCRIPTIONS_RESOURCE_URIS_ONLY,
}

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// Judges whose request the notifications of servers belong to.
pub(super) type NoticeJudge = ConnectionJudge<Conversation>;

/// How many subscriptions, and how many requests of the server, are remembered of a connection.
const REMEMBERED: usize = 1000;

/// The requests of one connection so far.
#[derive(Default)]
pub(super) struct Conversation {
    /// The `subscriptions/listen` requests of the client.
    subscriptions: VecDeque<Subscription>,
    /// The ids of the client's requests.
    asked: KnownIds,
    /// The requests of the server, the latest last.
    own: VecDeque<OwnRequest>,
    /// A subscription or a request of the server is not remembered any more.
    has_forgotten: bool,
    /// When the last pings of the server arrived.
    pings: VecDeque<Duration>,
    /// When the last progress of each token arrived, and, under an empty key, the last log messages.
    shown: RecentMap<String, VecDeque<Duration>>,
}

/// A `subscriptions/listen` request.
struct Subscription {
    id: Id,
    exchange: Option<u64>,
    /// The URIs of its filter.
    uris: Vec<String>,
    /// The other members of its filter.
    kinds: Vec<String>,
    /// Its filter names tasks.
    has_tasks: bool,
    cancellation: Cancellation,
}

/// How far the cancellation of a subscription has come, on an ordered transport.
#[derive(PartialEq)]
enum Cancellation {
    None,
    Sent,
    /// The server has read it once it answers this request, the first one after it.
    ReadWith(Id),
    Read,
}

/// A request of the server.
struct OwnRequest {
    id: Id,
    token: Option<Value>,
    is_task: bool,
    is_over: bool,
}

impl EventJudge for NoticeJudge {
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
                (Party::Client, Message::Request(request)) => self.asked(event, request),
                (Party::Client, Message::Notification(notification)) => {
                    self.client_cancelled(event, notification);
                }
                (Party::Client, reply) => self.server_answered(event, reply),
                (Party::Server, Message::Request(request)) => self.server_asked(event, request),
                (Party::Server, Message::Notification(notification)) => {
                    match notification.method.as_str() {
                        "notifications/cancelled" => self.cancelled(event, notification),
                        "notifications/progress" => self.progress(event, notification),
                        "notifications/message" => {
                            let headline = "there are too many log messages";
                            self.limit(event, String::new(), headline, LOGGING_IMPL_RATE_LIMIT);
                        }
                        _ => {}
                    }
                    self.subscribed(event, notification);
                }
                (Party::Server, reply) => self.replied(event, message, reply),
                _ => {}
            }
        }
        if self.conversation(event).has_forgotten {
            self.findings.elided = true;
        }
    }

    fn forget(&mut self, connection: ConnectionId) {
        self.conversations.remove(&connection);
    }
}

/// Adds to what is remembered; returns whether the oldest was removed for it.
fn push<T>(remembered: &mut VecDeque<T>, new: T) -> bool {
    remembered.push_back(new);
    let is_full = remembered.len() > REMEMBERED;
    if is_full {
        remembered.pop_front();
    }
    is_full
}

fn texts(values: &[Value]) -> Vec<String> {
    values.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

impl NoticeJudge {
    fn is_stateless(&self, event: JudgedEvent<'_>) -> bool {
        event.opened_for.era() == Era::Stateless
    }

    /// A request of the client.
    fn asked(&mut self, event: JudgedEvent<'_>, request: &Request) {
        let conversation = self.conversation(event);
        conversation.asked.insert(&request.id);
        for subscription in &mut conversation.subscriptions {
            if subscription.cancellation == Cancellation::Sent {
                subscription.cancellation = Cancellation::ReadWith(request.id.clone());
            }
        }
        if request.method == LISTEN {
            let filter = request.params.as_ref().and_then(|params| params.get("notifications"));
            let uris = filter.and_then(|filter| filter.get("resourceSubscriptions")?.as_array());
            let members = filter.and_then(Value::as_object).into_iter().flat_map(Object::iter);
            let wanted = members.filter(|(_, value)| value.as_bool() == Some(true));
            let subscription = Subscription {
                id: request.id.clone(),
                exchange: event.exchange,
                has_tasks: filter.is_some_and(|filter| filter.get("taskIds").is_some()),
                kinds: wanted.map(|(name, _)| name.to_owned()).collect(),
                uris: texts(uris.unwrap_or_default()),
                cancellation: Cancellation::None,
            };
            conversation.has_forgotten |= push(&mut conversation.subscriptions, subscription);
        }
    }

    /// A cancellation of the client. Over HTTP a closed stream cancels, and nothing more can arrive on it.
    fn client_cancelled(&mut self, event: JudgedEvent<'_>, notification: &Notification) {
        let Some(id) = cancelled_id(notification).filter(|_| event.exchange.is_none()) else {
            return;
        };
        let subscriptions = &mut self.conversation(event).subscriptions;
        for subscription in subscriptions.iter_mut().filter(|it| it.id == id) {
            subscription.cancellation = Cancellation::Sent;
        }
    }

    /// A reply of the client to a request of the server.
    fn server_answered(&mut self, event: JudgedEvent<'_>, reply: &Message) {
        let own = &mut self.conversation(event).own;
        for request in own.iter_mut().filter(|it| Some(&it.id) == reply.id()) {
            request.is_over = true;
        }
    }

    /// A request of the server.
    fn server_asked(&mut self, event: JudgedEvent<'_>, request: &Request) {
        let params = request.params.as_ref();
        let token = params.and_then(|params| params.get("_meta")?.get(meta::PROGRESS_TOKEN));
        let is_task = params.is_some_and(|params| params.get("task").is_some());
        let conversation = self.conversation(event);
        let is_used = |it: &OwnRequest| !it.is_over && it.token.as_ref() == token;
        let is_repeated = conversation.own.iter().any(is_used);
        let own =
            OwnRequest { id: request.id.clone(), token: token.cloned(), is_task, is_over: false };
        conversation.has_forgotten |= push(&mut conversation.own, own);
        let is_flood = request.method == "ping"
            && exceeds(&mut conversation.pings, event.at, PINGS_PER_SECOND);
        if let Some(token) = token.filter(|_| is_repeated) {
            let finding = repeated_token(Side::Server, token);
            self.findings.add(event, finding, PROGRESS_TOKEN_UNIQUE);
        }
        if is_flood {
            self.findings.add(event, excessive_pings(Side::Server), PING_NOT_EXCESSIVE);
        }
    }

    /// A cancellation of the server.
    fn cancelled(&mut self, event: JudgedEvent<'_>, notification: &Notification) {
        let Some(id) = cancelled_id(notification).filter(|_| !self.findings.elided) else { return };
        let is_stateless = self.is_stateless(event);
        let conversation = self.conversation(event);
        if is_stateless {
            if !conversation.subscriptions.iter().any(|it| it.id == id) {
                let finding = Finding::peer("the server cancels what is not a subscription")
                    .expected(format!("the id of a `{LISTEN}` request"))
                    .got(id.to_string());
                let rule = match conversation.asked.may_contain(&id) {
                    true => CANCELLATION_SERVER_ONLY_FOR_LISTEN,
                    false => CANCELLATION_ONLY_CLIENT_INFLIGHT,
                };
                self.findings.add(event, finding, rule);
            }
            return;
        }
        let own = conversation.own.iter_mut().rev().find(|it| it.id == id);
        match own {
            Some(request) => {
                request.is_over = true;
                if request.is_task {
                    let finding = Finding::peer("the server cancels a task with a notification")
                        .expected("`tasks/cancel`")
                        .got(format!("`notifications/cancelled` for the request {id}"));
                    self.findings.add(event, finding, CANCELLATION_TASK_USES_TASKS_CANCEL);
                }
            }
            // Over HTTP the request may be on another stream, which was closed before it was read.
            None if event.exchange.is_none() => {
                let finding = Finding::peer("the server cancels a request that it has not sent")
                    .expected("the id of a request of the server")
                    .got(id.to_string());
                self.findings.add(event, finding, CANCELLATION_ONLY_OWN_INFLIGHT);
            }
            None => {}
        }
    }

    fn progress(&mut self, event: JudgedEvent<'_>, notification: &Notification) {
        let params = notification.params.as_ref();
        if let Some(finding) = blank_progress(notification) {
            self.findings.add(event, finding, PROGRESS_MESSAGE_MEANINGFUL);
        }
        let token = params.and_then(|params| params.get("progressToken")).map(Value::to_string);
        let Some(token) = token else { return };
        let headline = "there is too much progress of one request";
        self.limit(event, token, headline, PROGRESS_RATE_LIMITED);
    }

    fn limit(&mut self, event: JudgedEvent<'_>, key: String, headline: &str, rule: Cited) {
        let times = self.conversation(event).shown.entry(key);
        if exceeds(times, event.at, SHOWN_PER_SECOND) {
            self.findings.add(event, too_much(headline), rule);
        }
    }

    /// A notification that is on the stream of a subscription, or names one.
    fn subscribed(&mut self, event: JudgedEvent<'_>, notification: &Notification) {
        if !self.is_stateless(event) {
            return;
        }
        let params = notification.params.as_ref();
        let named = params.and_then(|params| params.get("_meta")?.get(meta::SUBSCRIPTION_ID));
        let named = named.and_then(Id::read);
        let subscriptions = &self.conversation(event).subscriptions;
        // Over HTTP the stream says which subscription it is, whatever the notification names.
        let found = subscriptions.iter().rev().find(|it| match event.exchange {
            Some(_) => it.exchange == event.exchange,
            None => Some(&it.id) == named.as_ref(),
        });
        let name = notification.method.as_str();
        // The client waits for an acknowledgement, and finds what is wrong with it.
        let named = named.filter(|_| name != ACKNOWLEDGED);
        let Some(subscription) = found else {
            if let Some(id) = named.filter(|_| event.exchange.is_none() && !self.findings.elided) {
                let finding =
                    Finding::peer(format!("`{name}` names a subscription that does not exist"))
                        .expected(format!("the id of a `{LISTEN}` request"))
                        .got(words::excerpt(&id.to_string()).into_owned());
                self.findings.add(event, finding, SUBSCRIPTIONS_ID_VALUE);
            }
            return;
        };
        let uri = params.and_then(|params| params.get("uri")?.as_str());
        let is_asked =
            |uri: &str| subscription.uris.iter().any(|asked| uri.starts_with(asked.as_str()));
        let finding =
            Finding::peer(format!("`{name}` on a subscription that it does not belong to"));
        let (finding, rule) = match (name, uri) {
            ("notifications/message", _) => (
                finding.expected("log messages on the stream of their request only").got(name),
                LOGGING_PER_REQUEST_OWN_STREAM_ONLY,
            ),
            ("notifications/progress", _) => (
                finding.expected("progress on the stream of its request only").got(name),
                SUBSCRIPTIONS_NO_REQUEST_SCOPED,
            ),
            ("notifications/resources/updated", Some(uri)) if !is_asked(uri) => (
                finding
                    .expected(format!("a URI of the filter: {}", subscription.uris.join(", ")))
                    .got(words::excerpt(uri).into_owned()),
                SUBSCRIPTIONS_RESOURCE_URIS_ONLY,
            ),
            // What no subscription has asked for is judged with what it needs.
            _ if is_of_another(name, subscription, subscriptions) => (
                finding.expected("what its filter asks for").got(name),
                SUBSCRIPTIONS_ONLY_REQUESTED,
            ),
            _ if named.as_ref().is_some_and(|id| *id != subscription.id) => (
                Finding::peer(format!(
                    "`{name}` names another subscription than that of its stream"
                ))
                .expected(subscription.id.to_string())
                .got(named.map(|id| id.to_string()).unwrap_or_default()),
                SUBSCRIPTIONS_ID_VALUE,
            ),
            _ if subscription.cancellation == Cancellation::Read => (
                Finding::peer("a notification of a subscription that was cancelled")
                    .expected("nothing more after the cancellation was read")
                    .got(format!("`{name}`, after the reply to a later request")),
                SUBSCRIPTIONS_CANCEL_ENDS,
            ),
            _ => return,
        };
        let is_of_request = matches!(name, "notifications/message" | "notifications/progress");
        let finding = match is_of_request && subscription.has_tasks {
            true => finding.also(EXT_TASKS_NO_PROGRESS_ON_LISTEN),
            false => finding,
        };
        self.findings.add(event, finding, rule);
    }

    /// A reply of the server.
    fn replied(&mut self, event: JudgedEvent<'_>, message: &TraceMessage<'_>, reply: &Message) {
        let method = message.request().map(|request| &*request.method);
        let conversation = self.conversation(event);
        for subscription in &mut conversation.subscriptions {
            if matches!(&subscription.cancellation, Cancellation::ReadWith(id) if Some(id) == reply.id())
            {
                subscription.cancellation = Cancellation::Read;
            }
        }
        let Message::Response(response) = reply else { return };
        if !self.is_stateless(event) {
            return;
        }
        if method == Some(LISTEN) {
            self.closed(event, &response.id, &response.result);
        }
    }

    /// The result that ends a subscription.
    fn closed(&mut self, event: JudgedEvent<'_>, id: &Id, result: &Value) {
        let named = result.get("_meta").and_then(|all| all.get(meta::SUBSCRIPTION_ID));
        let kind = result.get("resultType").and_then(Value::as_str);
        if kind == Some("complete") && named.and_then(Id::read).as_ref() == Some(id) {
            return;
        }
        let got = named.map_or("no id".to_owned(), |named| named.short(80));
        let finding = Finding::peer("the result that ends a subscription does not name it")
            .expected(format!("`resultType` \"complete\", and {id} in `_meta`"))
            .got(format!("{}, and {got}", kind.unwrap_or("no type")));
        self.findings.add(event, finding, SUBSCRIPTIONS_GRACEFUL_RESULT_SHAPE);
    }
}

/// Whether another subscription has asked for a change of a list, and this one has not.
fn is_of_another(name: &str, one: &Subscription, all: &VecDeque<Subscription>) -> bool {
    let list = name.strip_prefix("notifications/").and_then(|it| it.strip_suffix("/list_changed"));
    let Some(kind) = list.map(|list| format!("{list}ListChanged")) else { return false };
    let asks = |it: &Subscription| it.kinds.contains(&kind);
    !asks(one) && all.iter().any(asks)
}

fn cancelled_id(notification: &Notification) -> Option<Id> {
    if notification.method != "notifications/cancelled" {
        return None;
    }
    Id::read(notification.params.as_ref()?.get("requestId")?)
}
