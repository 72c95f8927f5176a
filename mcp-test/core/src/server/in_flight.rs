//! The requests of a client that are being handled, so that it can cancel them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::wire::Id;

type Requests = Arc<Mutex<HashMap<Id, Arc<Notify>>>>;

/// The requests in flight of one conversation.
#[derive(Debug, Default)]
pub(super) struct InFlight(Requests);

/// One request in flight, until this is dropped.
#[derive(Debug)]
pub(super) struct InFlightRequest {
    requests: Requests,
    id: Id,
    cancelled: Arc<Notify>,
}

impl InFlight {
    pub(super) fn register(&self, id: &Id) -> InFlightRequest {
        let cancelled = Arc::new(Notify::new());
        let mut requests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A reused id replaces the request before it, which can then not be cancelled any more.
        requests.insert(id.clone(), Arc::clone(&cancelled));
        InFlightRequest { requests: Arc::clone(&self.0), id: id.clone(), cancelled }
    }

    /// Cancels a request, if it is still in flight.
    pub(super) fn cancel(&self, id: &Id) {
        if let Some(cancelled) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id) {
            // Keeps a permit if nobody waits yet, so a cancellation is not lost before the handler is first polled.
            cancelled.notify_one();
        }
    }
}

impl InFlightRequest {
    /// Waits until the client has cancelled the request.
    pub(super) async fn cancelled(&self) {
        self.cancelled.notified().await;
    }
}

impl Drop for InFlightRequest {
    fn drop(&mut self) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        // A client that reuses an id has replaced this request by another one.
        if requests.get(&self.id).is_some_and(|registered| Arc::ptr_eq(registered, &self.cancelled))
        {
            requests.remove(&self.id);
        }
    }
}
