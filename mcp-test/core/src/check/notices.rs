//! The rules about whose request a notification of a server belongs to: cancellations, subscriptions, log messages and progress
//! on the wrong stream, and how much of it there is.
//!
//! As in `conversation`, only what a trace shows for certain is reported, and the rules for clients are judged elsewhere.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use super::Finding;
use super::cited::{Cited, cites};
use super::connection_judge::ConnectionJudge;
use super::of_both_sides::{blank_progress, excessive_pings, repeated_token, too_much};
use super::rate::{PINGS_PER_SECOND, SHOWN_PER_SECOND, exceeds};
use super::walk::{EventJudge, TraceMessage};
use crate::expect::words;
use crate::json::{Object, Value};
use crate::spec::{Era, LISTEN, Side, meta};
use crate::trace::{Event, EventKind, Party};
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
pub(super) type NoticeJudge<'a> = ConnectionJudge<'a, Conversation<'a>>;

/// The requests of one connection so far.
#[derive(Default)]
pub(super) struct Conversation<'a> {
    /// The `subscriptions/listen` requests of the client.
    subscriptions: Vec<Subscription<'a>>,
    /// The ids of the client's requests.
    asked: HashSet<&'a Id>,
    /// The requests of the server, the latest last.
    own: Vec<OwnRequest<'a>>,
    /// When the last pings of the server arrived.
    pings: VecDeque<Duration>,
    /// When the last progress of each token arrived, and, under an empty key, the last log messages.
    shown: HashMap<String, VecDeque<Duration>>,
}

/// A `subscriptions/listen` request.
struct Subscription<'a> {
    id: &'a Id,
    exchange: Option<u64>,
    /// The URIs of its filter.
    uris: Vec<&'a str>,
    /// The other members of its filter.
    kinds: Vec<&'a str>,
    /// Its filter names tasks.
    has_tasks: bool,
    cancellation: Cancellation<'a>,
}

/// How far the cancellation of a subscription has come, on an ordered transport.
#[derive(PartialEq)]
enum Cancellation<'a> {
    None,
    Sent,
    /// The server has read it once it answers this request, the first one after it.
    ReadWith(&'a Id),
    Read,
}

/// A request of the server.
struct OwnRequest<'a> {
    id: &'a Id,
    token: Option<&'a Value>,
    is_task: bool,
    is_over: bool,
}

impl<'a> EventJudge<'a> for NoticeJudge<'a> {
    fn event(&mut self, event: &'a Event, messages: &[TraceMessage<'a>]) {
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
    }
}

impl<'a> NoticeJudge<'a> {
    fn is_stateless(&self, event: &Event) -> bool {
        self.findings.revision(event).era() == Era::Stateless
    }

    /// A request of the client.
    fn asked(&mut self, event: &Event, request: &'a Request) {
        let conversation = self.conversation(event);
        conversation.asked.insert(&request.id);
        for subscription in &mut conversation.subscriptions {
            if subscription.cancellation == Cancellation::Sent {
                subscription.cancellation = Cancellation::ReadWith(&request.id);
            }
        }
        if request.method == LISTEN {
            let filter = request.params.as_ref().and_then(|params| params.get("notifications"));
            let uris = filter.and_then(|filter| filter.get("resourceSubscriptions")?.as_array());
            let members = filter.and_then(Value::as_object).into_iter().flat_map(Object::iter);
            let wanted = members.filter(|(_, value)| value.as_bool() == Some(true));
            conversation.subscriptions.push(Subscription {
                id: &request.id,
                exchange: event.exchange,
                has_tasks: filter.is_some_and(|filter| filter.get("taskIds").is_some()),
                kinds: wanted.map(|(name, _)| name).collect(),
                uris: uris.unwrap_or_default().iter().filter_map(Value::as_str).collect(),
                cancellation: Cancellation::None,
            });
        }
    }

    /// A cancellation of the client. Over HTTP a closed stream cancels, and nothing more can arrive on it.
    fn client_cancelled(&mut self, event: &Event, notification: &Notification) {
        let Some(id) = cancelled_id(notification).filter(|_| event.exchange.is_none()) else {
            return;
        };
        let subscriptions = &mut self.conversation(event).subscriptions;
        for subscription in subscriptions.iter_mut().filter(|it| *it.id == id) {
            subscription.cancellation = Cancellation::Sent;
        }
    }

    /// A reply of the client to a request of the server.
    fn server_answered(&mut self, event: &Event, reply: &Message) {
        let own = &mut self.conversation(event).own;
        for request in own.iter_mut().filter(|it| Some(it.id) == reply.id()) {
            request.is_over = true;
        }
    }

    /// A request of the server.
    fn server_asked(&mut self, event: &'a Event, request: &'a Request) {
        let params = request.params.as_ref();
        let token = params.and_then(|params| params.get("_meta")?.get(meta::PROGRESS_TOKEN));
        let is_task = params.is_some_and(|params| params.get("task").is_some());
        let conversation = self.conversation(event);
        let is_used = |it: &OwnRequest<'_>| !it.is_over && it.token == token;
        let is_repeated = conversation.own.iter().any(is_used);
        conversation.own.push(OwnRequest { id: &request.id, token, is_task, is_over: false });
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
    fn cancelled(&mut self, event: &Event, notification: &Notification) {
        let Some(id) = cancelled_id(notification).filter(|_| !self.findings.elided) else { return };
        let is_stateless = self.is_stateless(event);
        let conversation = self.conversation(event);
        if is_stateless {
            if !conversation.subscriptions.iter().any(|it| *it.id == id) {
                let finding = Finding::peer("the server cancels what is not a subscription")
                    .expected(format!("the id of a `{LISTEN}` request"))
                    .got(id.to_string());
                let rule = match conversation.asked.contains(&id) {
                    true => CANCELLATION_SERVER_ONLY_FOR_LISTEN,
                    false => CANCELLATION_ONLY_CLIENT_INFLIGHT,
                };
                self.findings.add(event, finding, rule);
            }
            return;
        }
        let own = conversation.own.iter_mut().rev().find(|it| *it.id == id);
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

    fn progress(&mut self, event: &'a Event, notification: &Notification) {
        let params = notification.params.as_ref();
        if let Some(finding) = blank_progress(notification) {
            self.findings.add(event, finding, PROGRESS_MESSAGE_MEANINGFUL);
        }
        let token = params.and_then(|params| params.get("progressToken")).map(Value::to_string);
        let Some(token) = token else { return };
        let headline = "there is too much progress of one request";
        self.limit(event, token, headline, PROGRESS_RATE_LIMITED);
    }

    fn limit(&mut self, event: &Event, key: String, headline: &str, rule: Cited) {
        let times = self.conversation(event).shown.entry(key).or_default();
        if exceeds(times, event.at, SHOWN_PER_SECOND) {
            self.findings.add(event, too_much(headline), rule);
        }
    }

    /// A notification that is on the stream of a subscription, or names one.
    fn subscribed(&mut self, event: &Event, notification: &Notification) {
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
            None => Some(it.id) == named.as_ref(),
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
        let is_asked = |uri: &str| subscription.uris.iter().any(|asked| uri.starts_with(asked));
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
            _ if named.as_ref().is_some_and(|id| id != subscription.id) => (
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
    fn replied(&mut self, event: &Event, message: &TraceMessage<'a>, reply: &Message) {
        let method = message.request().map(|request| request.method);
        let conversation = self.conversation(event);
        for subscription in &mut conversation.subscriptions {
            if matches!(subscription.cancellation, Cancellation::ReadWith(id) if Some(id) == reply.id())
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
    fn closed(&mut self, event: &Event, id: &Id, result: &Value) {
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
fn is_of_another(name: &str, one: &Subscription<'_>, all: &[Subscription<'_>]) -> bool {
    let list = name.strip_prefix("notifications/").and_then(|it| it.strip_suffix("/list_changed"));
    let Some(kind) = list.map(|list| format!("{list}ListChanged")) else { return false };
    let asks = |it: &Subscription<'_>| it.kinds.contains(&kind.as_str());
    !asks(one) && all.iter().any(asks)
}

fn cancelled_id(notification: &Notification) -> Option<Id> {
    if notification.method != "notifications/cancelled" {
        return None;
    }
    Id::read(notification.params.as_ref()?.get("requestId")?)
}
