//! What a client says of itself and how long it waits.

use std::time::Duration;

use super::Handlers;
use crate::clock::Deadline;
use crate::json::Value;
use crate::spec::Revision;

/// What a [`Client`](super::Client) says of itself, how long it waits, and how it answers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The revision to speak.
    pub revision: Revision,
    /// The client's name and version.
    pub client_info: Value,
    /// The capabilities that the client declares; `None` for those that its handlers serve.
    pub capabilities: Option<Value>,
    /// How long a reply may take.
    pub timeout: Duration,
    /// When replies must have come, whatever is left of `timeout`.
    pub until: Deadline,
    /// How long [`Client::negotiate`](super::Client::negotiate) waits before it takes silence for a server of the
    /// handshake era.
    pub probe_timeout: Duration,
    /// Begins a new session when the server has lost the present one, and asks once more.
    pub renew_sessions: bool,
    /// Answers to what the server asks.
    pub handlers: Handlers,
    /// Reads replies as the official suite's client does: `"1"` passes for id 1; over HTTP a reply under another id does
    /// not end the wait for the right one, and in the stateless era neither id nor status of a JSON reply matter.
    pub lenient_ids: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            revision: Revision::NEWEST_HANDSHAKE,
            client_info:
                serde_json::json!({"name": "mcp-test", "version": env!("CARGO_PKG_VERSION")}).into(),
            capabilities: None,
            timeout: Duration::from_secs(10),
            until: Deadline::never(),
            probe_timeout: Duration::from_secs(3),
            renew_sessions: false,
            handlers: Handlers::new(),
            lenient_ids: false,
        }
    }
}

impl Options {
    /// The defaults, speaking `revision`.
    #[must_use]
    pub fn speaking(revision: Revision) -> Self {
        Self { revision, ..Self::default() }
    }

    /// How long a reply may take.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// When all replies must have come, so that a wait ends before what surrounds it does.
    #[must_use]
    pub fn until(mut self, until: Deadline) -> Self {
        self.until = until;
        self
    }

    /// The deadline of what begins now; what begins too late has its time all the same.
    pub(super) fn deadline(&self) -> Deadline {
        self.deadline_after(self.timeout)
    }

    /// As [`Options::deadline`], for what may take longer or shorter.
    pub(super) fn deadline_after(&self, timeout: Duration) -> Deadline {
        let own = Deadline::after(timeout);
        if self.until.has_passed() { own } else { own.min(self.until) }
    }

    /// Answers to what the server asks; they also decide the capabilities that are declared.
    #[must_use]
    pub fn handlers(mut self, handlers: Handlers) -> Self {
        self.handlers = handlers;
        self
    }

    /// Begins a new session when the server answers with HTTP 404 that it has lost the present one.
    ///
    /// A client must do that, and a test wants to see it first; so it has to be asked for.
    /// <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management>
    #[must_use]
    pub fn renewing_sessions(mut self) -> Self {
        self.renew_sessions = true;
        self
    }

    /// Declares exactly these capabilities, whatever the handlers serve.
    #[must_use]
    pub fn capabilities(mut self, capabilities: impl Into<Value>) -> Self {
        self.capabilities = Some(capabilities.into());
        self
    }

    /// What is declared at `revision`.
    pub(super) fn declared(&self, revision: Revision) -> Value {
        self.capabilities.clone().unwrap_or_else(|| self.handlers.capabilities(revision))
    }
}
