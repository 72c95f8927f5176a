//! Announcements of the server, and the clients that receive them.
//!
//! In the handshake era every client that has completed the handshake receives them, except that updates of a resource go
//! to clients that subscribed with `resources/subscribe`. In the stateless era they go to open `subscriptions/listen`
//! requests whose filter includes them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use futures_util::future::{FutureExt, ready};
use serde_json::json;
use tokio::sync::watch;

use super::ask::missing_capability;
use super::conversation::{Reply, ServerConversation, State};
use super::reply::{refusal, reply};
use super::request_context::RequestContext;
use super::subscriptions::Subscription;
use super::{Call, Server};
use crate::json::{Object, Value};
use crate::spec::{self, Capability, Era, LISTEN, Revision, Side, error_code, meta};
use crate::transport::actor::{Conversation, OutboundMessage, Outbox};
use crate::transport::fault::Misbehavior;
use crate::wire::{Id, Notification, RpcError};

const UPDATED: &str = "notifications/resources/updated";

/// The flags of a filter: name, notification, and the capability that the server must declare.
const FLAGS: [(&str, &str, Capability); 3] = [
    ("toolsListChanged", "notifications/tools/list_changed", Capability::ToolsListChanged),
    ("promptsListChanged", "notifications/prompts/list_changed", Capability::PromptsListChanged),
    (
        "resourcesListChanged",
        "notifications/resources/list_changed",
        Capability::ResourcesListChanged,
    ),
];
/// The member of a filter that lists resources.
const URIS: &str = "resourceSubscriptions";
/// The member of a filter that lists tasks. No notifications are sent for them, which the extension leaves to the server.
const TASK_IDS: &str = "taskIds";

/// The open conversations, to which the server sends its announcements; clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenConversations(Arc<Registry>);

#[derive(Debug, Default)]
struct Registry {
    conversations: Mutex<Vec<Weak<State>>>,
    /// How many times all subscriptions were ended.
    endings: watch::Sender<u64>,
}

/// Ends its subscription when it is dropped.
struct SubscriptionGuard {
    conversation: ServerConversation,
    number: u64,
}

impl Server {
    /// Sends a notification to every subscribed client: over HTTP on the streams that clients have opened for it, on other
    /// transports between the replies.
    ///
    /// It does not wait: a client that does not read fast enough misses it.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::server::reference::everything;
    /// use serde_json::json;
    ///
    /// let server = everything();
    /// server.announce("notifications/resources/updated", json!({"uri": "test://watched-resource"}));
    /// ```
    pub fn announce(&self, method: &str, params: impl Into<Value>) {
        let params = params.into();
        for conversation in self.open_conversations().live() {
            conversation.announce(method, &params);
        }
    }

    /// Ends all subscriptions gracefully: each gets its final reply.
    pub fn end_subscriptions(&self) {
        // A count and not a flag: a subscription that is opened later must not end at once.
        self.open_conversations().0.endings.send_modify(|endings| *endings += 1);
    }

    /// Ends all sessions over HTTP; requests of a client that still uses one are refused.
    pub fn expire_sessions(&self) {
        for conversation in self.open_conversations().live() {
            // A byte stream serves both eras, so its conversation has none and stays open.
            if conversation.0.era == Some(Era::Handshake) {
                conversation.close();
            }
        }
    }

    /// The part of a filter that the server supports.
    fn supported_filter(&self, filter: &Value) -> Value {
        let mut supported = Object::new();
        for (flag, _, capability) in FLAGS {
            // The acknowledged filter omits what the server does not support; `false` means the same as an absent flag.
            if filter.get(flag).and_then(Value::as_bool) == Some(true) && self.declares(capability)
            {
                supported.insert(flag, true);
            }
        }
        let uris = filter.get(URIS).filter(|_| self.declares(Capability::ResourcesSubscribe));
        if let Some(Value::Array(uris)) = uris {
            let uris = uris.iter().filter(|uri| uri.is_string()).cloned().collect();
            supported.insert(URIS, Value::Array(uris));
        }
        supported.into()
    }
}

impl Call {
    /// Sends a notification to every subscribed client; see [`Server::announce`].
    pub fn announce(&self, method: &str, params: impl Into<Value>) {
        self.conversation.0.server.announce(method, params);
    }
}

impl OpenConversations {
    /// Adds a conversation.
    pub(super) fn join(&self, conversation: &ServerConversation) {
        let mut conversations = self.lock();
        // Over HTTP each stateless request is a conversation, so those that ended must not accumulate.
        conversations.retain(|other| other.strong_count() > 0);
        // A conversation joins once for its own stream and once for each subscription.
        if !conversations.iter().any(|other| other.as_ptr() == Arc::as_ptr(&conversation.0)) {
            conversations.push(Arc::downgrade(&conversation.0));
        }
    }

    fn live(&self) -> Vec<ServerConversation> {
        self.lock().iter().filter_map(Weak::upgrade).map(ServerConversation).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<State>>> {
        self.0.conversations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServerConversation {
    /// Opens a subscription and keeps it open until one side ends it.
    pub(super) fn listen(
        &self,
        id: Id,
        params: &Value,
        context: RequestContext,
        outbox: &Outbox,
    ) -> Reply {
        let Some(filter @ Value::Object(_)) = params.get("notifications") else {
            let got = params.get("notifications").map_or("nothing", Value::kind);
            let message = format!("`notifications` must be an object, got {got}");
            let error = RpcError::new(error_code::INVALID_PARAMS, message);
            return ready(Some(refusal(id, LISTEN.to_owned(), error, None))).boxed();
        };
        let requires_tasks =
            filter.get(TASK_IDS).is_some() && self.0.server.declares(Capability::TasksExtension);
        if requires_tasks && !Capability::TasksExtension.declared_in(&context.capabilities) {
            let error = missing_capability(Capability::TasksExtension);
            let refusal = reply(id, LISTEN.to_owned(), Err(error), &context, &self.0.server);
            return ready(Some(refusal)).boxed();
        }
        let filter = self.0.server.supported_filter(filter);
        // Here and not in the future below, so that a cancellation or an end that follows at once is not missed.
        let in_flight = self.0.in_flight.register(&id);
        let (conversation, outbox) = (self.clone(), outbox.clone());
        let mut endings = self.0.server.open_conversations().0.endings.subscribe();
        let subscription = async move {
            let mut params = Value::from(json!({}));
            params.set("/notifications", filter.clone());
            let method = "notifications/subscriptions/acknowledged";
            // The acknowledgement must be the first message of a subscription, so it is sent before that is added.
            outbox.send(tagged(method, params, &id)).await;
            let guard = conversation.add_subscription(&id, filter, outbox);
            tokio::select! {
                // A subscription that the client has cancelled gets no final reply, even if the server ends it too.
                biased;
                () = in_flight.cancelled() => return None,
                () = conversation.over() => {}
                _ = endings.changed() => {}
            }
            // No change may be announced after the final reply.
            drop(guard);
            let mut result = Value::from(json!({ "_meta": {} }));
            tag(&mut result, &id);
            Some(reply(id, LISTEN.to_owned(), Ok(result), &context, &conversation.0.server))
        };
        subscription.boxed()
    }

    fn add_subscription(&self, id: &Id, filter: Value, outbox: Outbox) -> SubscriptionGuard {
        self.0.server.open_conversations().join(self);
        let mut subscriptions = self.0.subscriptions.lock();
        subscriptions.opened += 1;
        // The id does not identify the subscription: a client may reuse it while this one is open.
        let number = subscriptions.opened;
        subscriptions.listening.push(Subscription { number, id: id.clone(), filter, outbox });
        SubscriptionGuard { conversation: self.clone(), number }
    }

    /// Sends a notification to this client, if it has subscribed.
    fn announce(&self, method: &str, params: &Value) {
        if let Some(revision) = self.revision()
            && let Some(outbox) = self.own_outbox()
            && self.is_subscribed(method, params, revision)
        {
            let notification = Notification::new(method, Some(params.clone()));
            outbox.offer(OutboundMessage::unsolicited(notification.to_value()));
        }
        // `offer` does not wait, so the lock is held only briefly.
        for subscription in &self.0.subscriptions.lock().listening {
            let ignores_filter = self.0.server.misbehaves(Misbehavior::SkipsFilter);
            if ignores_filter || includes(&subscription.filter, method, params) {
                subscription.outbox.offer(tagged(method, params.clone(), &subscription.id));
            }
        }
    }

    /// Whether a client of the handshake era receives a notification.
    fn is_subscribed(&self, method: &str, params: &Value, revision: Revision) -> bool {
        // A method that MCP does not have belongs to no capability.
        let Some(known) = spec::method(method) else { return true };
        let capability = known.capability(revision);
        let declared = capability.is_none_or(|capability| self.0.server.declares(capability));
        let uri = params.get("uri").and_then(Value::as_str);
        let subscribed = method != UPDATED
            || uri.is_some_and(|uri| self.0.subscriptions.lock().resources.contains(uri));
        known.sent_by(Side::Server, revision) && declared && subscribed
    }
}

impl Drop for SubscriptionGuard {
    fn drop(&mut self) {
        let mut subscriptions = self.conversation.0.subscriptions.lock();
        subscriptions.listening.retain(|subscription| subscription.number != self.number);
    }
}

/// Whether a filter includes a notification.
fn includes(filter: &Value, method: &str, params: &Value) -> bool {
    if method == UPDATED {
        let uris = filter.get(URIS).and_then(Value::as_array);
        return uris.is_some_and(|uris| params.get("uri").is_some_and(|uri| uris.contains(uri)));
    }
    FLAGS
        .iter()
        // `supported_filter` keeps only flags that are true.
        .any(|(flag, notification, _)| *notification == method && filter.get(flag).is_some())
}

/// A notification of a subscription.
fn tagged(method: &str, params: Value, subscription: &Id) -> OutboundMessage {
    // Only an object has a place for the subscription id.
    let mut params = if params.is_object() { params } else { json!({}).into() };
    if !matches!(params.get("_meta"), Some(Value::Object(_))) {
        params.set("/_meta", json!({}).into());
    }
    tag(&mut params, subscription);
    OutboundMessage::unsolicited(Notification::new(method, Some(params)).to_value())
}

/// Adds the id of the subscription to `_meta`.
fn tag(holder: &mut Value, subscription: &Id) {
    if let Some(meta) = holder.at_mut("/_meta").and_then(Value::as_object_mut) {
        meta.insert(meta::SUBSCRIPTION_ID, subscription.to_value());
    }
}
