//! The client's end of a connection, over any transport.
//!
//! A [`Connection`] sends, receives and records messages. It does not match replies to requests, which the client does, and
//! judges nothing.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::client_transport::{ClientTransport, ConnectionEnd};
use super::faulty_transport::{FaultyTransport, ServerRequests};
use super::{
    Fault, HttpExchange, HttpFailure, HttpRequest, HttpResponse, Incoming, OpenError, Outgoing,
    Sent, TransportKind,
};
use crate::clock::Deadline;
use crate::spec::Revision;
use crate::trace::{ConnectionId, Recorder};
use crate::wire::sse::SseEvent;

/// The client's end of a connection.
pub struct Connection {
    kind: TransportKind,
    id: ConnectionId,
    recorder: Recorder,
    transport: Box<dyn ClientTransport>,
    incoming: mpsc::Receiver<Incoming>,
    /// The open requests of the server, for faults on the replies.
    server_requests: Option<ServerRequests>,
}

impl Connection {
    pub(super) fn new(
        kind: TransportKind,
        id: ConnectionId,
        recorder: Recorder,
        transport: Box<dyn ClientTransport>,
        incoming: mpsc::Receiver<Incoming>,
    ) -> Self {
        Self { kind, id, recorder, transport, incoming, server_requests: None }
    }

    /// Puts faults on what is sent from now on; see [`Fault`].
    #[must_use]
    pub fn faults(mut self, faults: impl Into<Arc<[Fault]>>) -> Self {
        let faults = faults.into();
        // Without faults the messages need not pass another layer.
        if faults.is_empty() {
            return self;
        }
        let (recorder, requests) = (self.recorder.clone(), ServerRequests::default());
        self.server_requests = Some(requests.clone());
        let faulty = FaultyTransport::new(self.transport, faults, requests, recorder, self.id);
        self.transport = Box::new(faulty);
        self
    }

    fn track_requests(&self, incoming: Option<Incoming>) -> Option<Incoming> {
        // Early enough: only a request that was read can be answered.
        if let (Some(server_requests), Some(incoming)) = (&self.server_requests, &incoming) {
            server_requests.track(incoming);
        }
        incoming
    }

    /// The kind of transport.
    #[must_use]
    pub fn kind(&self) -> TransportKind {
        self.kind
    }

    /// The connection's number in the trace.
    #[must_use]
    pub fn id(&self) -> ConnectionId {
        self.id
    }

    /// The recorder that the transport writes to.
    #[must_use]
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Sends a message; [`Connection::next`] reports a peer that is gone.
    pub async fn send(&mut self, outgoing: impl Into<Outgoing>, deadline: Deadline) -> Sent {
        let outgoing = outgoing.into();
        // Raw bytes are a test's own doing: a judge of what the client sends must not blame the client for them.
        let deliberate = outgoing.message.is_none();
        let sent = self.transport.send(outgoing, deadline).await;
        if deliberate {
            self.recorder.mark_deliberate(sent.seq);
        }
        sent
    }

    /// The next observation; `None` after [`Incoming::Closed`].
    pub async fn next(&mut self) -> Option<Incoming> {
        let incoming = self.incoming.recv().await;
        self.track_requests(incoming)
    }

    /// The next observation, if it has already arrived.
    pub fn ready(&mut self) -> Option<Incoming> {
        let incoming = self.incoming.try_recv().ok();
        self.track_requests(incoming)
    }

    /// Opens a stream for unsolicited messages of the server, and waits for the head of its response.
    ///
    /// `None` if there is no such stream: on transports that need none, and in revisions without it. Its messages come from
    /// [`Connection::next`] as part of the exchange; a refusal ends the exchange. The stream is resumed as long as its
    /// events have ids; [`Connection::close_exchange`] closes it. [`Sent::written`] tells whether the response began in
    /// time.
    /// <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server>
    pub async fn listen(&mut self, deadline: Deadline) -> Option<Sent> {
        self.transport.listen(None, deadline).await
    }

    /// Like [`Connection::listen`], for the events after the one with this id, of the stream that it belongs to.
    ///
    /// A stream that breaks off before its reply is resumed without this.
    /// <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery>
    pub async fn resume(&mut self, last_event_id: &str, deadline: Deadline) -> Option<Sent> {
        self.transport.listen(Some(last_event_id), deadline).await
    }

    /// Stops reading an exchange and closes its response; returns whether it was open.
    ///
    /// In 2026-07-28 that is how a client cancels a request over HTTP. Nothing more is observed of the exchange.
    /// <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#cancellation>
    pub fn close_exchange(&mut self, exchange: u64) -> bool {
        self.transport.close_exchange(exchange)
    }

    /// Sets how long the program took to start, if nothing was sent to it since its start: then its first answer does not show it.
    pub(crate) fn set_start_up(&mut self, start_up: Duration) {
        self.transport.set_start_up(start_up);
    }

    /// What has arrived of a line that should have ended by now, in words; it is judged unless it ends after all.
    pub(crate) fn overdue_line(&self) -> Option<String> {
        self.transport.overdue_line()
    }

    /// Sets the revision of the conversation, which decides the headers on HTTP.
    pub fn set_revision(&mut self, revision: Revision) {
        self.transport.set_revision(revision);
    }

    /// Restarts the program at the other end, after ending what is left of it; `None` if there is no program.
    ///
    /// Requests in progress and unread observations of the old program are lost. In 2026-07-28 a client should do this
    /// when a program exits unexpectedly; a conversation of the handshake era has to begin again.
    /// <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#unexpected-termination>
    ///
    /// # Errors
    ///
    /// [`OpenError`] if the program cannot be started.
    pub async fn restart(&mut self, grace: Duration) -> Option<Result<(), OpenError>> {
        let Self { transport, incoming, .. } = self;
        let restarted = while_draining(incoming, transport.restart(grace)).await;
        restarted.map(|restarted| restarted.map(|incoming| self.incoming = incoming))
    }

    /// Makes exactly this HTTP request and reads its response to the end.
    ///
    /// It belongs to the connection in the trace, but not to its conversation: [`Connection::next`] does not return its
    /// messages. Several can be in progress at once. An event stream that stays open is read until the deadline.
    ///
    /// # Errors
    ///
    /// [`HttpFailure`] if there is no response, or no HTTP.
    pub fn http(
        &self,
        request: HttpRequest,
        deadline: Deadline,
    ) -> impl Future<Output = Result<HttpResponse, HttpFailure>> + Send + use<> {
        let opening = self.open_http(request, deadline);
        async move { Ok(opening.await?.finish(deadline).await) }
    }

    /// Like [`Connection::http`], but stops reading an event stream once an event is `enough`.
    ///
    /// # Errors
    ///
    /// As [`Connection::http`].
    pub fn http_until<F>(
        &self,
        request: HttpRequest,
        deadline: Deadline,
        enough: F,
    ) -> impl Future<Output = Result<HttpResponse, HttpFailure>> + Send + use<F>
    where
        F: FnMut(&SseEvent) -> bool + Send,
    {
        let opening = self.open_http(request, deadline);
        async move { Ok(opening.await?.until(deadline, enough).await) }
    }

    /// Like [`Connection::http`], but returns before the body is read, to read it event by event.
    ///
    /// # Errors
    ///
    /// As [`Connection::http`].
    pub fn open_http(
        &self,
        request: HttpRequest,
        deadline: Deadline,
    ) -> impl Future<Output = Result<HttpExchange, HttpFailure>> + Send + use<> {
        // Here and not in the future, so that requests are recorded in the order in which they were made.
        let call = self.transport.bare(request);
        let transport = self.kind;
        async move { call.ok_or(HttpFailure::NoHttp { transport })?.open(deadline).await }
    }

    /// The HTTP request that [`Connection::send`] would make now for a message; `None` without HTTP.
    #[must_use]
    pub fn as_http(&self, outgoing: impl Into<Outgoing>) -> Option<HttpRequest> {
        self.transport.as_http(outgoing.into())
    }

    /// The session id that the server issued, if any.
    #[must_use]
    pub fn session(&self) -> Option<String> {
        self.transport.session()
    }

    /// Closes the connection to a peer whose fault is known, with little time for each step.
    pub(crate) async fn end_soon(mut self) -> ConnectionEnd {
        // A program has it twice: when its input ends, and after SIGTERM. A verdict must not wait for it any longer.
        const GRACE: Duration = Duration::from_millis(400);
        self.transport.hurry();
        // Nothing more is read than fits into the queue: a flood would go on until the program has ended.
        self.transport.end(GRACE).await
    }

    /// Closes the connection gracefully, by force after `grace`.
    pub async fn end(self, grace: Duration) -> ConnectionEnd {
        let Self { transport, mut incoming, .. } = self;
        while_draining(&mut incoming, transport.end(grace)).await
    }
}

/// Runs a future while observations are discarded, which the transport has recorded already.
async fn while_draining<T>(
    incoming: &mut mpsc::Receiver<Incoming>,
    work: impl Future<Output = T>,
) -> T {
    // A peer that is being ended must not block on a full queue, which nobody else reads now.
    let draining = async {
        while incoming.recv().await.is_some() {}
        std::future::pending().await
    };
    tokio::select! {
        done = work => done,
        never = draining => never,
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("kind", &self.kind).finish_non_exhaustive()
    }
}
