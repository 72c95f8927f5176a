//! The clients of a scenario: they come back to their context, which asks what was overlooked on them and ends them.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::join_all;

use crate::check::Finding;
use crate::client::Client;
use crate::spec::Revision;
use crate::trace::Connection;
use crate::transport::Ending;

/// A client in the hands of a scenario; when it is dropped, it goes back to the context that connected it.
///
/// The context ends the connection in good order, judges it in the revision of this client, and asks for the error
/// replies at which nobody looked.
#[derive(Debug)]
pub struct Connected {
    connection: Connection,
    keep: Keep,
    /// There until it goes back.
    client: Option<Client>,
}

impl Connected {
    pub(super) fn new(client: Client, connection: Connection, keep: &Keep) -> Self {
        Self { connection, keep: keep.clone(), client: Some(client) }
    }

    /// The connection's number in the trace.
    #[must_use]
    pub fn connection(&self) -> Connection {
        self.connection
    }

    /// Ends the connection in good order, before the scenario ends.
    pub async fn end(self) -> Ending {
        let connection = self.connection;
        let keep = self.keep.clone();
        drop(self);
        match keep.take(connection) {
            Some(client) => client.end().await,
            None => Ending { how: "closed".to_owned(), orderly: true },
        }
    }
}

impl Deref for Connected {
    type Target = Client;

    fn deref(&self) -> &Client {
        self.client.as_ref().expect("a client that is in use has not gone back")
    }
}

impl DerefMut for Connected {
    fn deref_mut(&mut self) -> &mut Client {
        self.client.as_mut().expect("a client that is in use has not gone back")
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            self.keep.put(self.connection, client);
        }
    }
}

/// What a context knows of its connections; copies know the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Keep(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    revisions: BTreeMap<Connection, Revision>,
    unexamined: Vec<Finding>,
    clients: BTreeMap<Connection, Client>,
}

impl Keep {
    /// Takes note of the revision in which a connection is to be held.
    pub(super) fn speaks(&self, connection: Connection, revision: Revision) {
        self.lock().revisions.insert(connection, revision);
    }

    /// The revision in which each connection is to be held, as far as it is known.
    pub(super) fn revisions(&self) -> BTreeMap<Connection, Revision> {
        self.lock().revisions.clone()
    }

    /// Ends all clients that came back. Returns the revision of each connection, and the error replies at which nobody
    /// looked, in the order in which they came.
    pub(super) async fn end(&self) -> (BTreeMap<Connection, Revision>, Vec<Finding>) {
        let clients = std::mem::take(&mut self.lock().clients);
        join_all(clients.into_values().map(Client::end)).await;
        let mut kept = self.lock();
        let mut unexamined = std::mem::take(&mut kept.unexamined);
        unexamined.sort_by_key(|finding| finding.evidence.first().copied());
        (kept.revisions.clone(), unexamined)
    }

    fn put(&self, connection: Connection, client: Client) {
        let mut kept = self.lock();
        kept.revisions.insert(connection, client.revision());
        kept.unexamined.extend(client.unexamined_errors());
        kept.clients.insert(connection, client);
    }

    fn take(&self, connection: Connection) -> Option<Client> {
        self.lock().clients.remove(&connection)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
