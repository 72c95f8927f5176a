//! [`ServerExit`]: what is known of a server after its client has disconnected.

use crate::process::Exit;
use crate::spec::Revision;
use crate::trace::{ConnectionId, EventKind, Recorder, Trace};
use crate::transport::{ConnectionEnd, TransportKind};

/// How a server ended when its client disconnected, and what it wrote to stderr; made by
/// [`Ctx::disconnect`](crate::scenario::Ctx::disconnect).
#[derive(Debug, Clone)]
pub struct ServerExit {
    end: ConnectionEnd,
    connection: ConnectionId,
    transport: TransportKind,
    revision: Revision,
    recorder: Recorder,
}

impl ServerExit {
    pub(crate) fn new(
        end: ConnectionEnd,
        (connection, transport): (ConnectionId, TransportKind),
        revision: Revision,
        recorder: Recorder,
    ) -> Self {
        Self { end, connection, transport, revision, recorder }
    }

    /// The exit code of the server's program; `None` if a signal ended it, or if the target is not a program.
    #[must_use]
    pub fn code(&self) -> Option<i32> {
        match self.end.exit {
            Some(Exit::Code(code)) => Some(code),
            _ => None,
        }
    }

    /// Whether the server ended on its own when its input ended, without a signal.
    #[must_use]
    pub fn is_orderly(&self) -> bool {
        self.end.orderly
    }

    /// The lines that the server's program wrote to stderr.
    #[must_use]
    pub fn stderr(&self) -> Vec<String> {
        let trace = self.trace();
        let events = trace.events.iter().filter(|event| event.connection == self.connection);
        let lines = events.filter_map(|event| match &event.kind {
            EventKind::Stderr(line) => Some(line.clone()),
            _ => None,
        });
        lines.collect()
    }

    pub(crate) fn exit(&self) -> Option<Exit> {
        self.end.exit
    }

    #[doc(hidden)]
    pub fn how(&self) -> &str {
        &self.end.how
    }

    pub(crate) fn transport(&self) -> TransportKind {
        self.transport
    }

    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    #[doc(hidden)]
    pub fn trace(&self) -> Trace {
        self.recorder.trace()
    }
}
