//! The clients of a scenario, which return to their context when they are dropped.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::join_all;

use crate::check::Finding;
use crate::client::Client;
use crate::spec::Revision;
use crate::trace::ConnectionId;
use crate::transport::ConnectionEnd;

/// A client that a scenario uses; when dropped, it returns to the context that connected it.
///
/// The context closes the connection properly, judges it at the revision of this client, and collects the error replies that
/// nobody examined.
#[derive(Debug)]
pub struct Connected {
    connection: ConnectionId,
    pool: ClientPool,
    /// `Some` until it is dropped.
    client: Option<Client>,
}

impl Connected {
    pub(super) fn new(client: Client, connection: ConnectionId, pool: &ClientPool) -> Self {
        Self { connection, pool: pool.clone(), client: Some(client) }
    }

    /// The connection's number in the trace.
    #[must_use]
    pub fn connection(&self) -> ConnectionId {
        self.connection
    }

    /// Closes the connection properly, before the scenario ends.
    pub async fn end(self) -> ConnectionEnd {
        let connection = self.connection;
        let pool = self.pool.clone();
        // Dropping it first records its revision and its unexamined errors.
        drop(self);
        match pool.take(connection) {
            Some(client) => client.end().await,
            None => ConnectionEnd { how: "closed".to_owned(), orderly: true },
        }
    }
}

impl Deref for Connected {
    type Target = Client;

    fn deref(&self) -> &Client {
        self.client.as_ref().expect("a client in use has not been dropped")
    }
}

impl DerefMut for Connected {
    fn deref_mut(&mut self) -> &mut Client {
        self.client.as_mut().expect("a client in use has not been dropped")
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            self.pool.put(self.connection, client);
        }
    }
}

/// The connections of a context and their clients, shared by all copies.
#[derive(Debug, Clone, Default)]
pub(super) struct ClientPool(Arc<Mutex<Pooled>>);

#[derive(Debug, Default)]
struct Pooled {
    revisions: BTreeMap<ConnectionId, Revision>,
    unexamined: Vec<Finding>,
    clients: BTreeMap<ConnectionId, Client>,
}

impl ClientPool {
    /// Sets the revision of a connection.
    pub(super) fn set_revision(&self, connection: ConnectionId, revision: Revision) {
        self.lock().revisions.insert(connection, revision);
    }

    /// The revision of each connection.
    pub(super) fn revisions(&self) -> BTreeMap<ConnectionId, Revision> {
        self.lock().revisions.clone()
    }

    /// Ends all clients that were dropped.
    pub(super) async fn end(&self) {
        let clients = std::mem::take(&mut self.lock().clients);
        // At the same time, since each may need its whole grace period.
        join_all(clients.into_values().map(Client::end)).await;
    }

    /// The revision of each connection, and the error replies that nobody examined, in the order in which they arrived.
    pub(super) fn results(&self) -> (BTreeMap<ConnectionId, Revision>, Vec<Finding>) {
        let mut pooled = self.lock();
        let mut unexamined = std::mem::take(&mut pooled.unexamined);
        // Clients return in any order, and their errors with them.
        unexamined.sort_by_key(|finding| finding.evidence.first().copied());
        (pooled.revisions.clone(), unexamined)
    }

    fn put(&self, connection: ConnectionId, client: Client) {
        let mut pooled = self.lock();
        // Only the client knows what its handshake negotiated.
        pooled.revisions.insert(connection, client.revision());
        pooled.unexamined.extend(client.unexamined_errors());
        pooled.clients.insert(connection, client);
    }

    fn take(&self, connection: ConnectionId) -> Option<Client> {
        self.lock().clients.remove(&connection)
    }

    fn lock(&self) -> MutexGuard<'_, Pooled> {
        // A thread that panicked cannot have left half of a change: each is one call on a map or a vector.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
