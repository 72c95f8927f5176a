//! A guard for MCP servers and clients under development: what comes in is judged before the handler sees it.
//!
//! A handler behind a guard reads only messages that are valid at their revision. The others are answered for it, as
//! the specification demands: text that is not JSON with -32700, what is not JSON-RPC with -32600, invalid params with
//! -32602, each under the id of its request, with a message about what was expected where, and the same as `data` for
//! programs: `pointer` and `reason`; for a message that violates its shape also the name of the `shape`, the `keyword` of
//! JSON Schema, and at most six `causes`, which are why each alternative of a union fails, and what else is wrong. What
//! passes, passes byte for byte.
//!
//! ```
//! use mcp_test::{guard::Guard, spec::Revision};
//! use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! let (mut client, server) = tokio::io::duplex(1024);
//! let guard = Guard::new(Revision::V2025_11_25);
//! let (incoming, _outgoing) = tokio::io::split(guard.io(server));
//!
//! client.write_all(b"Hello?\n{\"jsonrpc\":\"2.0\", \"id\":1, \"method\":\"ping\"}\n").await?;
//! let mut line = String::new();
//! BufReader::new(incoming).read_line(&mut line).await?; // what a handler would read
//! assert_eq!(line, "{\"jsonrpc\":\"2.0\", \"id\":1, \"method\":\"ping\"}\n");
//!
//! let mut answer = String::new();
//! BufReader::new(client).read_line(&mut answer).await?;
//! assert!(answer.contains("-32700"), "{answer}");
//! assert_eq!((guard.stats().messages, guard.stats().rejected), (2, 1));
//! # Ok(())
//! # }
//! ```
//!
//! What is judged, refused and let through, and by which revision, is a table of the
//! [guide](crate::guide::guarding_servers#what-is-judged-refused-and-let-through).
//!
//! Notifications and replies are never answered: the specification forbids it, and two peers that do would never stop. A
//! reply that is dropped leaves a request of the handler without one, which it must expect anyway: each of its requests
//! needs a deadline of its own. [`Guard::on_rejected`] reports everything that the handler does not see.
//!
//! In a batch (2025-03-26) each message is judged by itself: the valid ones go on, in a smaller batch if need be, and
//! the others are answered in one.
//!
//! What two JSON parsers may read differently is refused, such as a second member of the same name: the handler would act
//! on another message than the one that was judged. Its code is -32600 and not -32700, since the text is JSON, and so the
//! answer can name the request.
//!
//! [`Guard::for_client`] reverses all of this, over byte streams: there the requests of a server are judged before the
//! client's handler sees them.
//!
//! The guard has no opinion on sessions, headers, capabilities or authorization: those are the handler's. Nor is it a
//! shield against attackers, although it bounds what it keeps.

mod ambiguity;
mod answers;
mod batch;
mod guarded_conversation;
mod in_force;
mod invalid_message;
mod io;
mod judge;
#[cfg(feature = "http")]
mod layer;
mod outgoing;
mod refusal;
mod stats;
#[cfg(test)]
mod tests;

pub use self::invalid_message::{Disposition, InvalidMessage};
pub use self::io::GuardedIo;
#[cfg(feature = "http")]
pub use self::layer::{GuardLayer, GuardService};
pub use self::stats::GuardStats;

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use mcp_test_core::spec::schema::{SchemaError, Schemas};
use mcp_test_core::spec::{Revision, Side};

use self::stats::Counters;

/// The default of [`Guard::max_bytes`].
const MAX_BYTES: usize = 4 * 1024 * 1024;

type Callback = Arc<dyn Fn(&InvalidMessage) + Send + Sync>;

/// A guard: how messages are judged, and who is notified. Clones share their [counters](Self::stats).
#[derive(Clone)]
#[must_use = "a guard does nothing until `layer` or `io` puts it before a handler"]
pub struct Guard {
    revision: Option<Revision>,
    side: Side,
    rejects_unknown: bool,
    allowed: Vec<String>,
    schemas: Arc<RwLock<Schemas>>,
    max_bytes: usize,
    on_rejected: Option<Callback>,
    outgoing: Option<Callback>,
    counters: Arc<Counters>,
}

impl Guard {
    /// A guard for a server that speaks one revision: every message is judged by it.
    pub fn new(revision: Revision) -> Self {
        Self { revision: Some(revision), ..Self::negotiated() }
    }

    /// A guard for a server that speaks several revisions: a message has to be valid at each by which the handler may read it.
    ///
    /// That is the one that the result of `initialize` agreed on, which the guard sees on its way out, and any that the
    /// message names in `_meta`, or over HTTP in `MCP-Protocol-Version`. Where a name is not a revision, or nothing is known,
    /// it is [several](crate::guide::guarding_servers#which-revision-a-message-is-judged-by). `initialize` itself is judged
    /// by the revision that it proposes. An HTTP request without a session that names no revision is one of 2025-03-26, as
    /// the [specification](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header)
    /// says.
    pub fn negotiated() -> Self {
        Self {
            revision: None,
            side: Side::Server,
            rejects_unknown: false,
            allowed: Vec::new(),
            schemas: Arc::default(),
            max_bytes: MAX_BYTES,
            on_rejected: None,
            outgoing: None,
            counters: Arc::default(),
        }
    }

    /// Guards a client instead: what comes in are the server's requests, its notifications and replies.
    pub fn for_client(self) -> Self {
        Self { side: Side::Client, ..self }
    }

    /// Answers methods that the revision does not have with -32601, instead of leaving them to the handler.
    ///
    /// Methods of official extensions are known; those of other extensions may be let through with
    /// [`allow_method`](Self::allow_method). Notifications with an unknown method are dropped.
    pub fn reject_unknown_methods(self) -> Self {
        Self { rejects_unknown: true, ..self }
    }

    /// Lets a method through that is not in the specification; it may be called several times.
    pub fn allow_method(mut self, method: impl Into<String>) -> Self {
        self.allowed.push(method.into());
        self
    }

    /// Judges by other schemas, for example by those of an official file that was loaded. While the guard is in use,
    /// [`load_schema`](Self::load_schema) replaces them.
    pub fn schemas(self, schemas: Schemas) -> Self {
        Self { schemas: Arc::new(RwLock::new(schemas)), ..self }
    }

    /// Judges `revision` by this official `schema.json` from now on, also where the guard and its clones are in use.
    ///
    /// It may be called again, for example when the file has changed.
    ///
    /// # Errors
    /// Fails like [`Schemas::load`]. Then messages are judged as before.
    pub fn load_schema(&self, revision: Revision, text: &[u8]) -> Result<(), SchemaError> {
        // Compiled before the lock is taken, so that no message waits for it.
        let loaded = Schemas::ours().load(revision, text)?;
        self.schemas.write().unwrap_or_else(PoisonError::into_inner).adopt(revision, &loaded);
        Ok(())
    }

    /// The longest message that is read: a line of a byte stream, or the body of a POST. 4 MiB by default.
    pub fn max_bytes(self, max_bytes: usize) -> Self {
        Self { max_bytes, ..self }
    }

    /// Reports each message that the handler does not see.
    ///
    /// It is called on the task that reads, so it should be quick.
    pub fn on_rejected(self, report: impl Fn(&InvalidMessage) + Send + Sync + 'static) -> Self {
        Self { on_rejected: Some(Arc::new(report)), ..self }
    }

    /// Also judges what the handler sends, and reports what is invalid; nothing of it is changed or held back.
    ///
    /// ```
    /// use mcp_test::guard::Guard;
    ///
    /// let guard = Guard::negotiated().judge_outgoing(|message| eprintln!("{message}"));
    /// ```
    pub fn judge_outgoing(self, report: impl Fn(&InvalidMessage) + Send + Sync + 'static) -> Self {
        Self { outgoing: Some(Arc::new(report)), ..self }
    }

    /// What the guard and its clones have done so far, and what it cost.
    #[must_use]
    pub fn stats(&self) -> GuardStats {
        self.counters.sum()
    }

    /// Puts the guard before a handler that speaks over a byte stream, a message per line: give it what is returned here
    /// in place of `io`.
    ///
    /// Answers of the guard go out between the handler's lines, never inside of one. The streams of a process become one
    /// with `tokio::io::join(stdin(), stdout())`.
    pub fn io<IO>(&self, io: IO) -> GuardedIo<IO> {
        GuardedIo::new(io, self.clone())
    }

    /// Puts the guard before a handler that is an axum router or a tower service for Streamable HTTP.
    ///
    /// Apply it to the MCP endpoint only, inside of what authenticates or decompresses: each body is judged, whatever its
    /// `Content-Type` and method, and one that is still encoded is refused with 415.
    #[cfg(feature = "http")]
    #[must_use]
    pub fn layer(&self) -> GuardLayer {
        GuardLayer::new(self.clone())
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { revision, side, rejects_unknown, allowed, max_bytes, counters, .. } = self;
        f.debug_struct("Guard")
            .field("revision", revision)
            .field("side", side)
            .field("rejects_unknown", rejects_unknown)
            .field("allowed", allowed)
            .field("max_bytes", max_bytes)
            .field("counters", counters)
            .finish_non_exhaustive()
    }
}
