//! [`Options`] of a client: its identity, its time-outs and its handlers.

use std::time::Duration;

use super::{Fixtures, Handlers, ReplyHistory};
use crate::clock::Deadline;
use crate::json::Value;
use crate::spec::Revision;

/// How a [`Client`](super::Client) presents itself, how long it waits, and how it answers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The revision to speak.
    pub revision: Revision,
    /// The client's name and version.
    pub client_info: Value,
    /// The declared capabilities; `None` for those that the handlers serve.
    pub capabilities: Option<Value>,
    /// How long a reply may take.
    pub timeout: Duration,
    /// When every wait ends, however much of `timeout` is left.
    pub until: Deadline,
    /// How long [`Client::negotiate`](super::Client::negotiate) waits for a reply to `server/discover` before it assumes
    /// a server of the handshake era.
    pub probe_timeout: Duration,
    /// Whether to start a new session and send the request again when the server has lost the session.
    pub renew_sessions: bool,
    /// The handlers for requests of the server.
    pub handlers: Handlers,
    /// Whether to match replies as the official suite's client does: `"1"` matches id 1; over HTTP a reply with another
    /// id does not end the wait for the right one, and in the stateless era neither the id nor the status of a JSON
    /// reply matters.
    pub lenient_ids: bool,
    /// What is requested instead of the fixtures of the official suite.
    pub fixtures: Fixtures,
    /// What is known about earlier replies.
    pub(crate) history: ReplyHistory,
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
            fixtures: Fixtures::new(),
            history: ReplyHistory::default(),
        }
    }
}

impl Options {
    /// The defaults for a client that speaks `revision`.
    #[must_use]
    pub fn speaking(revision: Revision) -> Self {
        Self { revision, ..Self::default() }
    }

    /// Sets how long a reply may take.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets when every wait ends, so that it ends before its surroundings time out.
    #[must_use]
    pub fn until(mut self, until: Deadline) -> Self {
        self.until = until;
        self
    }

    /// The deadline of an operation that starts now; one that starts after `until` still gets its full time-out.
    pub(super) fn deadline(&self) -> Deadline {
        self.deadline_after(self.timeout)
    }

    /// As [`Options::deadline`], with another time-out.
    pub(super) fn deadline_after(&self, timeout: Duration) -> Deadline {
        let own = Deadline::after(timeout);
        if self.until.has_passed() { own } else { own.min(self.until) }
    }

    /// Sets the handlers for requests of the server; they also determine the declared capabilities.
    #[must_use]
    pub fn handlers(mut self, handlers: Handlers) -> Self {
        self.handlers = handlers;
        self
    }

    /// Starts a new session when the server answers HTTP 404 because it has lost the session.
    ///
    /// A client must do that, but a test wants to see the loss, so it is off by default.
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

    /// The capabilities declared at `revision`.
    pub(super) fn declared(&self, revision: Revision) -> Value {
        self.capabilities.clone().unwrap_or_else(|| self.handlers.capabilities(revision))
    }
}
