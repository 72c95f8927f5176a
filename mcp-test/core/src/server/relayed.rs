//! Serving a client that starts the server over stdio, through a relay.

use super::Server;
use crate::transport::client_stdio::{RelayFaults, RelayedConnection, serve_relayed};

impl Server {
    /// How the process that is its relay misbehaves.
    pub(crate) fn relay_faults(&self) -> RelayFaults {
        RelayFaults::of(|misbehavior| self.misbehaves(misbehavior))
    }

    /// Serves the client behind a relay until the relay has exited.
    pub(crate) async fn serve_relayed(&self, connection: RelayedConnection) {
        let wire = self.interceptor().open("stdio");
        serve_relayed(connection, self, &wire, self.0.limits).await;
    }
}
