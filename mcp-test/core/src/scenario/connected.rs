//! The clients of a scenario, which return to their context when they are dropped.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::{join, join_all};

use crate::check::Finding;
use crate::client::Client;
use crate::spec::Revision;
use crate::trace::{ConnectionId, Recorder};
use crate::transport::{Connection, ConnectionEnd};

/// How long an unused program may take to exit.
const GRACE: Duration = Duration::from_secs(2);

/// A client that a scenario uses; when dropped, it returns to the context that connected it.
///
/// The context closes the connection properly, judges it at the revision of this client, and collects the error replies that
/// nobody examined, and the requests that nobody awaited.
#[doc(hidden)]
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
    pub async fn end(mut self) -> ConnectionEnd {
        self.note_closing();
        let connection = self.connection;
        let pool = self.pool.clone();
        // Dropping it first records its revision and its unexamined errors.
        drop(self);
        match pool.take(connection) {
            Some(client) => client.end().await,
            None => ConnectionEnd { how: "closed".to_owned(), orderly: true, exit: None },
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
    /// What was opened before the run, until it is used.
    opened: Option<Opened>,
    revisions: BTreeMap<ConnectionId, Revision>,
    unexamined: Vec<Finding>,
    unawaited: Vec<Finding>,
    clients: BTreeMap<ConnectionId, Client>,
}

/// A connection that was opened before the run of a scenario.
#[derive(Debug)]
pub(crate) enum Opened {
    /// Nothing was sent on it.
    Unused(Connection),
    /// The conversation has begun, as [`Ctx::client`](super::Ctx::client) begins it; other runs may have used it.
    Begun(Box<Client>),
}

impl Opened {
    /// The recorder of the connection.
    pub(super) fn recorder(&self) -> &Recorder {
        match self {
            Self::Unused(connection) => connection.recorder(),
            Self::Begun(client) => client.recorder(),
        }
    }
}

impl ClientPool {
    /// A pool with a connection that was opened before.
    pub(super) fn with(opened: Opened) -> Self {
        let pooled = Pooled { opened: Some(opened), ..Pooled::default() };
        Self(Arc::new(Mutex::new(pooled)))
    }

    /// The connection on which nothing was sent, if it is not used yet.
    pub(super) fn take_unused(&self) -> Option<Connection> {
        let mut pooled = self.lock();
        match pooled.opened.take()? {
            Opened::Unused(connection) => Some(connection),
            begun @ Opened::Begun(_) => {
                pooled.opened = Some(begun);
                None
            }
        }
    }

    /// Whether there is a client whose conversation has begun and that is not used yet.
    pub(super) fn has_begun(&self) -> bool {
        matches!(self.lock().opened, Some(Opened::Begun(_)))
    }

    /// The client whose conversation has begun, if it is not used yet.
    pub(super) fn take_begun(&self) -> Option<Client> {
        let mut pooled = self.lock();
        match pooled.opened.take()? {
            Opened::Begun(client) => Some(*client),
            unused @ Opened::Unused(_) => {
                pooled.opened = Some(unused);
                None
            }
        }
    }

    /// Sets the revision of a connection.
    pub(super) fn set_revision(&self, connection: ConnectionId, revision: Revision) {
        self.lock().revisions.insert(connection, revision);
    }

    /// The revision of each connection.
    pub(super) fn revisions(&self) -> BTreeMap<ConnectionId, Revision> {
        self.lock().revisions.clone()
    }

    /// Ends all clients that were dropped; `is_hurried` after a fault is known.
    pub(super) async fn end(&self, is_hurried: bool) {
        let (clients, opened) = {
            let mut pooled = self.lock();
            (std::mem::take(&mut pooled.clients), pooled.opened.take())
        };
        let opened = async {
            match opened {
                None => {}
                Some(Opened::Unused(connection)) if is_hurried => {
                    drop(connection.end_soon().await);
                }
                Some(Opened::Unused(connection)) => drop(connection.end(GRACE).await),
                Some(Opened::Begun(client)) => drop(end_client(*client, is_hurried).await),
            }
        };
        // At the same time, since each may need its whole grace period.
        let clients = clients.into_values().map(|client| end_client(client, is_hurried));
        join(join_all(clients), opened).await;
    }

    /// The error replies that nobody examined, and the requests that nobody awaited, in the order in which they were sent.
    pub(super) fn take_omissions(&self) -> [Vec<Finding>; 2] {
        let mut pooled = self.lock();
        let Pooled { unexamined, unawaited, .. } = &mut *pooled;
        [unexamined, unawaited].map(|findings| {
            let mut findings = std::mem::take(findings);
            // Clients return in any order, and their errors with them.
            findings.sort_by_key(|finding| finding.evidence.first().copied());
            findings
        })
    }

    fn put(&self, connection: ConnectionId, client: Client) {
        let mut pooled = self.lock();
        // Only the client knows what its handshake negotiated.
        pooled.revisions.insert(connection, client.revision());
        pooled.unexamined.extend(client.unexamined_errors());
        pooled.unawaited.extend(client.unawaited_requests());
        pooled.clients.insert(connection, client);
    }

    pub(super) fn take(&self, connection: ConnectionId) -> Option<Client> {
        self.lock().clients.remove(&connection)
    }

    fn lock(&self) -> MutexGuard<'_, Pooled> {
        // A thread that panicked cannot have left half of a change: each is one call on a map or a vector.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn end_client(client: Client, is_hurried: bool) -> ConnectionEnd {
    if is_hurried { client.end_soon().await } else { client.end().await }
}
