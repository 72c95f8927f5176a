//! What the server announces on its own account, and who wants to hear it.
//!
//! In the handshake era that is everybody whose conversation has begun; updates of a resource are for those who asked for
//! them with `resources/subscribe`. In the stateless era it is who holds a `subscriptions/listen` request open, as far as
//! its filter goes.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use futures_util::future::{FutureExt, ready};
use serde_json::json;
use tokio::sync::watch;

use super::{
    Call, Server,
    conversation::{Reply, State, Talk},
    reply::{refusal, reply},
    terms::Terms,
};
use crate::{
    json::{Object, Value},
    spec::{self, Capability, Era, Revision, Side, error_code, meta},
    transport::{
        fault::Lapse,
        serve::{Conversation, Emitted, Outbox},
    },
    wire::{Id, Notification, RpcError},
};

/// The request that opens a subscription.
pub(super) const LISTEN: &str = "subscriptions/listen";
const UPDATED: &str = "notifications/resources/updated";

/// The flags of a filter: their name, what they ask for, and what the server must declare for it.
const FLAGS: [(&str, &str, Capability); 3] = [
    ("toolsListChanged", "notifications/tools/list_changed", Capability::ToolsListChanged),
    ("promptsListChanged", "notifications/prompts/list_changed", Capability::PromptsListChanged),
    (
        "resourcesListChanged",
        "notifications/resources/list_changed",
        Capability::ResourcesListChanged,
    ),
];
const URIS: &str = "resourceSubscriptions";

/// The conversations that may want to hear what the server announces; copies are the same audience.
#[derive(Debug, Clone, Default)]
pub(super) struct Audience(Arc<Hall>);

#[derive(Debug, Default)]
struct Hall {
    seats: Mutex<Vec<Weak<State>>>,
    /// How often all subscriptions were ended.
    endings: watch::Sender<u64>,
}

/// What one conversation wants to hear.
#[derive(Debug, Default)]
pub(super) struct Wishes(Mutex<Wanted>);

#[derive(Debug, Default)]
struct Wanted {
    resources: HashSet<String>,
    subscriptions: Vec<Subscription>,
    opened: u64,
}

#[derive(Debug)]
struct Subscription {
    number: u64,
    id: Id,
    filter: Value,
    outbox: Outbox,
}

/// A subscription that lasts as long as this.
struct Held {
    talk: Talk,
    number: u64,
}

impl Server {
    /// Tells every client that wants to hear it: over HTTP on the streams that clients have opened for it, elsewhere
    /// between the replies.
    ///
    /// Nobody is waited for: a client that does not read what it asked for misses it.
    ///
    /// ```
    /// use mcp_test::server::reference::everything;
    /// use serde_json::json;
    ///
    /// let server = everything();
    /// server.announce("notifications/resources/updated", json!({"uri": "test://watched-resource"}));
    /// ```
    pub fn announce(&self, method: &str, params: impl Into<Value>) {
        let params = params.into();
        for talk in self.audience().seated() {
            talk.announce(method, &params);
        }
    }

    /// Ends all subscriptions in good order: each gets the reply that closes it.
    pub fn end_subscriptions(&self) {
        self.audience().0.endings.send_modify(|endings| *endings += 1);
    }

    /// Ends all sessions over HTTP; a client that comes with one of them is told that there is no such session.
    pub fn expire_sessions(&self) {
        for talk in self.audience().seated() {
            if talk.0.era == Some(Era::Handshake) {
                talk.close();
            }
        }
    }

    /// The part of a filter that the server can honour.
    fn honoured(&self, filter: &Value) -> Value {
        let mut honoured = Object::new();
        for (flag, _, capability) in FLAGS {
            if filter.get(flag).and_then(Value::as_bool) == Some(true) && self.declares(capability)
            {
                honoured.insert(flag, true);
            }
        }
        let uris = filter.get(URIS).filter(|_| self.declares(Capability::ResourcesSubscribe));
        if let Some(Value::Array(uris)) = uris {
            let uris = uris.iter().filter(|uri| uri.is_string()).cloned().collect();
            honoured.insert(URIS, Value::Array(uris));
        }
        honoured.into()
    }
}

impl Call {
    /// Tells every client that wants to hear it; see [`Server::announce`].
    pub fn announce(&self, method: &str, params: impl Into<Value>) {
        self.talk.0.server.announce(method, params);
    }
}

impl Audience {
    /// Has a conversation hear what is announced.
    pub(super) fn join(&self, talk: &Talk) {
        let mut seats = self.seats();
        seats.retain(|seat| seat.strong_count() > 0);
        if !seats.iter().any(|seat| seat.as_ptr() == Arc::as_ptr(&talk.0)) {
            seats.push(Arc::downgrade(&talk.0));
        }
    }

    fn seated(&self) -> Vec<Talk> {
        self.seats().iter().filter_map(Weak::upgrade).map(Talk).collect()
    }

    fn seats(&self) -> MutexGuard<'_, Vec<Weak<State>>> {
        self.0.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wishes {
    /// Keeps in mind which resources the client wants to hear of, once its request is answered with a result.
    pub(super) fn note(&self, method: &str, uri: Option<&str>) {
        match (method, uri) {
            ("resources/subscribe", Some(uri)) => {
                self.wanted().resources.insert(uri.to_owned());
            }
            ("resources/unsubscribe", Some(uri)) => {
                self.wanted().resources.remove(uri);
            }
            _ => {}
        }
    }

    fn wanted(&self) -> MutexGuard<'_, Wanted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Talk {
    /// Opens a subscription, and holds it until one side ends it.
    pub(super) fn listen(&self, id: Id, params: &Value, terms: Terms, outbox: &Outbox) -> Reply {
        let Some(filter @ Value::Object(_)) = params.get("notifications") else {
            let got = params.get("notifications").map_or("nothing", Value::kind);
            let message = format!("`notifications` must be an object, got {got}");
            let error = RpcError::new(error_code::INVALID_PARAMS, message);
            return ready(Some(refusal(id, LISTEN.to_owned(), error, None))).boxed();
        };
        let filter = self.0.server.honoured(filter);
        let ticket = self.0.in_flight.enter(&id);
        let (talk, outbox) = (self.clone(), outbox.clone());
        let mut endings = self.0.server.audience().0.endings.subscribe();
        let hold = async move {
            let mut params = Value::from(json!({}));
            params.set("/notifications", filter.clone());
            let method = "notifications/subscriptions/acknowledged";
            outbox.send(tagged(method, params, &id)).await;
            let held = talk.hold(&id, filter, outbox);
            tokio::select! {
                biased;
                () = ticket.cancelled() => return None,
                () = talk.over() => {}
                _ = endings.changed() => {}
            }
            drop(held);
            let mut result = Value::from(json!({ "_meta": {} }));
            tag(&mut result, &id);
            Some(reply(id, LISTEN.to_owned(), Ok(result), &terms, &talk.0.server))
        };
        hold.boxed()
    }

    fn hold(&self, id: &Id, filter: Value, outbox: Outbox) -> Held {
        self.0.server.audience().join(self);
        let mut wanted = self.0.wishes.wanted();
        wanted.opened += 1;
        let number = wanted.opened;
        wanted.subscriptions.push(Subscription { number, id: id.clone(), filter, outbox });
        Held { talk: self.clone(), number }
    }

    /// Tells this client, if it wants to hear it.
    fn announce(&self, method: &str, params: &Value) {
        if let Some(revision) = self.revision()
            && let Some(outbox) = self.own_outbox()
            && self.is_told(method, params, revision)
        {
            let notification = Notification::new(method, Some(params.clone()));
            outbox.offer(Emitted::unprompted(notification.to_value()));
        }
        for subscription in &self.0.wishes.wanted().subscriptions {
            let tells_all = self.0.server.lapses(Lapse::SkipsFilter);
            if tells_all || asks(&subscription.filter, method, params) {
                subscription.outbox.offer(tagged(method, params.clone(), &subscription.id));
            }
        }
    }

    /// Whether a client of the handshake era is told.
    fn is_told(&self, method: &str, params: &Value, revision: Revision) -> bool {
        let Some(known) = spec::method(method) else { return true };
        let capability = known.capability(revision);
        let declared = capability.is_none_or(|capability| self.0.server.declares(capability));
        let uri = params.get("uri").and_then(Value::as_str);
        let asked = method != UPDATED
            || uri.is_some_and(|uri| self.0.wishes.wanted().resources.contains(uri));
        known.sent_by(Side::Server, revision) && declared && asked
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut wanted = self.talk.0.wishes.wanted();
        wanted.subscriptions.retain(|subscription| subscription.number != self.number);
    }
}

/// Whether a filter asks for a notification.
fn asks(filter: &Value, method: &str, params: &Value) -> bool {
    if method == UPDATED {
        let uris = filter.get(URIS).and_then(Value::as_array);
        return uris.is_some_and(|uris| params.get("uri").is_some_and(|uri| uris.contains(uri)));
    }
    FLAGS.iter().any(|(flag, asked, _)| *asked == method && filter.get(flag).is_some())
}

/// A notification of a subscription.
fn tagged(method: &str, params: Value, subscription: &Id) -> Emitted {
    let mut params = if params.is_object() { params } else { json!({}).into() };
    if !matches!(params.get("_meta"), Some(Value::Object(_))) {
        params.set("/_meta", json!({}).into());
    }
    tag(&mut params, subscription);
    Emitted::unprompted(Notification::new(method, Some(params)).to_value())
}

/// Says in `_meta` which subscription it belongs to.
fn tag(holder: &mut Value, subscription: &Id) {
    if let Some(meta) = holder.at_mut("/_meta").and_then(Value::as_object_mut) {
        meta.insert(meta::SUBSCRIPTION_ID, subscription.to_value());
    }
}
