//! The subscriptions of one conversation.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::json::Value;
use crate::transport::actor::Outbox;
use crate::wire::Id;

/// The changes that the client of one conversation has subscribed to.
#[derive(Debug, Default)]
pub(super) struct Subscriptions(Mutex<SubscriptionState>);

#[derive(Debug, Default)]
pub(super) struct SubscriptionState {
    /// The URIs of `resources/subscribe`.
    pub(super) resources: HashSet<String>,
    /// The open `subscriptions/listen` requests.
    pub(super) listening: Vec<Subscription>,
    /// How many were opened so far. This numbers them, since clients may reuse the id of one.
    pub(super) opened: u64,
}

/// One open `subscriptions/listen`.
#[derive(Debug)]
pub(super) struct Subscription {
    pub(super) number: u64,
    pub(super) id: Id,
    pub(super) filter: Value,
    pub(super) outbox: Outbox,
}

impl Subscriptions {
    /// Records a `resources/subscribe` or `resources/unsubscribe` that was answered with a result.
    pub(super) fn record(&self, method: &str, uri: Option<&str>) {
        // By the methods, so that a script that answers them itself still subscribes its clients.
        match (method, uri) {
            ("resources/subscribe", Some(uri)) => {
                self.lock().resources.insert(uri.to_owned());
            }
            ("resources/unsubscribe", Some(uri)) => {
                self.lock().resources.remove(uri);
            }
            _ => {}
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, SubscriptionState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
