//! The requests of a client that are being answered, so that it can cancel them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::Notify;

use crate::wire::Id;

type Tickets = Arc<Mutex<HashMap<Id, Arc<Notify>>>>;

/// The requests in flight of one conversation.
#[derive(Debug, Default)]
pub(super) struct InFlight(Tickets);

/// One request in flight; it leaves when this is dropped.
#[derive(Debug)]
pub(super) struct Ticket {
    tickets: Tickets,
    id: Id,
    cancelled: Arc<Notify>,
}

impl InFlight {
    pub(super) fn enter(&self, id: &Id) -> Ticket {
        let cancelled = Arc::new(Notify::new());
        let mut tickets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tickets.insert(id.clone(), Arc::clone(&cancelled));
        Ticket { tickets: Arc::clone(&self.0), id: id.clone(), cancelled }
    }

    /// Cancels a request; what is not in flight any more is none.
    pub(super) fn cancel(&self, id: &Id) {
        if let Some(cancelled) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id) {
            cancelled.notify_one();
        }
    }
}

impl Ticket {
    /// Waits until the client has cancelled the request.
    pub(super) async fn cancelled(&self) {
        self.cancelled.notified().await;
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        // A client that uses an id twice has put another request in this one's place.
        if tickets.get(&self.id).is_some_and(|entered| Arc::ptr_eq(entered, &self.cancelled)) {
            tickets.remove(&self.id);
        }
    }
}
