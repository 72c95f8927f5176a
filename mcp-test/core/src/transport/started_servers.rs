//! The servers over stdio that a client under test has started, as far as its run needs to know of them.

use std::sync::Arc;

use tokio::sync::watch;

use crate::clock::{self, Deadline};
use crate::process::LeftoverProcess;

/// The servers that one run of a client has started; clones are the same.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct StartedServers(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// The path in the arguments of each server, which no other process has.
    socket: String,
    config: String,
    state: watch::Sender<State>,
}

#[derive(Debug, Default)]
struct State {
    /// How many run.
    running: usize,
    /// Whether the client is being ended by us, so that it is not to blame for how its servers end.
    is_ending: bool,
}

/// One of them; it counts as running until this is dropped.
#[derive(Debug)]
pub(crate) struct StartedServer(StartedServers);

#[cfg_attr(
    not(all(unix, feature = "http")),
    allow(dead_code, reason = "only relays start servers")
)]
impl StartedServers {
    /// None yet; each will have the path of the socket in its arguments, and `config` is a file that names their command.
    pub(crate) fn new(socket: String, config: String) -> Self {
        Self(Arc::new(Shared { socket, config, state: watch::Sender::default() }))
    }

    /// Counts another one.
    pub(crate) fn start(&self) -> StartedServer {
        self.0.state.send_modify(|state| state.running += 1);
        StartedServer(self.clone())
    }
}

impl StartedServers {
    /// The path of a file with the command, in the format of hosts.
    pub(super) fn config(&self) -> &str {
        &self.0.config
    }

    /// Whether a process is one of them.
    pub(super) fn contain(&self, process: &LeftoverProcess) -> bool {
        process.command.contains(&self.0.socket)
    }

    /// Waits until all of them have exited.
    pub(crate) async fn exited(&self, deadline: Deadline) {
        let mut state = self.0.state.subscribe();
        let exited = state.wait_for(|state| state.running == 0);
        // One that still runs has an input that has not ended: whatever holds it is left behind, and reported.
        let _ = clock::within(deadline, exited).await.map(drop);
    }

    /// Notes that it is us who end the client, and with it the servers that are left.
    pub(super) fn end(&self) {
        self.0.state.send_modify(|state| state.is_ending = true);
    }
}

#[cfg_attr(
    not(all(unix, feature = "http")),
    allow(dead_code, reason = "only relays start servers")
)]
impl StartedServer {
    /// Waits until it is us who end the client.
    pub(crate) fn ending(&self) -> impl Future<Output = ()> + use<> {
        let mut state = self.0.0.state.subscribe();
        async move { drop(state.wait_for(|state| state.is_ending).await) }
    }

    /// Whether the client is responsible for how it ends.
    pub(crate) fn is_judged(&self) -> bool {
        !self.0.0.state.borrow().is_ending
    }
}

impl Drop for StartedServer {
    fn drop(&mut self) {
        self.0.0.state.send_modify(|state| state.running -= 1);
    }
}
