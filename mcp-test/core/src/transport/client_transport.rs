//! What each transport implements for the client's end of a connection.

use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

use super::raw_http::RawCall;
use super::{HttpRequest, Incoming, OpenError, Outgoing, Sent};
use crate::clock::Deadline;
use crate::process::Exit;
use crate::spec::Revision;

/// How many observations may be unread before the transport stops reading from the peer.
pub(super) const QUEUE: usize = 1024;

/// The receiver of the observations of a restarted program.
pub(super) type Restarted = Result<mpsc::Receiver<Incoming>, OpenError>;

/// The client's end of one transport.
pub(super) trait ClientTransport: Send {
    /// Sends a message and records it.
    fn send(&mut self, outgoing: Outgoing, deadline: Deadline) -> BoxFuture<'_, Sent>;

    /// Sets the negotiated revision.
    fn set_revision(&mut self, revision: Revision);

    /// Sets how long the program at the other end took to start, if there is one.
    fn set_start_up(&mut self, _: Duration) {}

    /// What has arrived of a line that should have ended by now, in words; `None` without lines.
    fn overdue_line(&self) -> Option<String> {
        None
    }

    /// Opens a stream for unsolicited messages of the server, after this event; `None` if there is no such stream.
    fn listen<'a>(
        &'a mut self,
        _after: Option<&'a str>,
        _: Deadline,
    ) -> BoxFuture<'a, Option<Sent>> {
        Box::pin(async { None })
    }

    /// Closes the response of an exchange; returns whether it was open.
    fn close_exchange(&mut self, _exchange: u64) -> bool {
        false
    }

    /// Restarts the program at the other end, if there is one; returns its observations.
    fn restart(&mut self, _grace: Duration) -> BoxFuture<'_, Option<Restarted>> {
        Box::pin(async { None })
    }

    /// Makes an HTTP request outside the conversation; `None` without HTTP.
    fn bare(&self, _: HttpRequest) -> Option<RawCall> {
        None
    }

    /// The HTTP request that [`ClientTransport::send`] would make; `None` without HTTP.
    fn as_http(&self, _: Outgoing) -> Option<HttpRequest> {
        None
    }

    /// The session id that the server issued, if any.
    fn session(&self) -> Option<String> {
        None
    }

    /// Does not wait any longer than `grace` when the connection is closed, for a peer whose fault is known: that it takes longer
    /// is then no verdict.
    fn hurry(&mut self) {}

    /// Closes the connection gracefully, by force after `grace`.
    fn end(self: Box<Self>, grace: Duration) -> BoxFuture<'static, ConnectionEnd>;
}

/// How a connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionEnd {
    /// How it was ended, such as `closed`.
    pub how: String,
    /// Whether the peer exited on its own when asked to.
    pub orderly: bool,
    /// How its program ended, if it is one.
    pub exit: Option<Exit>,
}
