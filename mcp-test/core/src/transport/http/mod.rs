//! The client's end of Streamable HTTP: one POST per message, replies as JSON or as an event stream.
//!
//! It works over the network and with a tower service in this process; only [`backend`] knows the difference. Sessions,
//! the version header and the mirrored headers follow the revision of the conversation. An event stream that breaks off
//! before its reply is resumed by [`resume`]. The server's end is in [`super::serve_http`].
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http>

mod backend;
mod body;
#[cfg(test)]
mod broken_tests;
mod classify_error;
#[cfg(test)]
mod closing_tests;
mod exactly;
#[cfg(any(feature = "auth", feature = "schema"))]
mod fetch;
mod headers;
mod network;
mod repeatable;
mod request_sender;
mod resume;
mod stream_progress;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, JoinSet};

pub(super) use self::backend::HttpBackend;
pub(super) use self::body::{ExchangeEnd, record_head};
#[cfg(feature = "schema")]
pub(crate) use self::fetch::fetch;
#[cfg(feature = "auth")]
#[doc(hidden)]
pub use self::fetch::{FetchError, KeptConnections, PlainResponse, request_once};
pub(super) use self::network::{ClosesSeen, check_scheme};
use self::request_sender::{PendingRequest, opens_session};
pub(super) use self::request_sender::{RequestSender, count_requests};
pub(super) use self::stream_progress::{Awaited, StreamProgress};
use super::authorizer::AddedHeaders;
use super::client_transport::ClientTransport;
use super::exchange_error::ExchangeError;
use super::raw_http::RawCall;
pub(super) use super::raw_http::StreamingResponse;
use super::{Connection, ConnectionEnd, HttpRequest, Limits, Outgoing, Sent, TransportKind};
use crate::clock::{self, Deadline};
use crate::expect::words::panic_text;
use crate::spec::{Revision, header};
use crate::trace::{EventKind, Leftover, Recorder};

/// How long exchanges that are in progress at the end may take; streams for unsolicited messages end at once.
const CLOSE_GRACE: Duration = Duration::from_millis(100);

/// How long, at the end, a stream may stay open after its last reply before it counts as left open.
const STREAM_GRACE: Duration = Duration::from_millis(500);

/// The transport: sends requests and observes what comes back.
struct HttpTransport {
    sender: RequestSender,
    running: JoinSet<()>,
    exchanges: BTreeMap<u64, Running>,
    /// Whether the fault of the server is known, so that its open streams are no verdict.
    is_hurried: bool,
}

/// An exchange in progress.
struct Running {
    task: AbortHandle,
    purpose: Purpose,
}

/// What an exchange is for.
enum Purpose {
    /// Replies; the flag is set once all of them have arrived.
    Replies(Arc<AtomicBool>),
    /// Unsolicited messages, as long as the server sends any.
    Unsolicited,
}

impl Running {
    /// Whether it ends without being closed, but has not yet.
    fn will_end(&self) -> bool {
        matches!(self.purpose, Purpose::Replies(_)) && !self.task.is_finished()
    }

    /// Whether it is still open though all its replies have arrived.
    fn lingers(&self) -> bool {
        let Purpose::Replies(answered) = &self.purpose else { return false };
        answered.load(Ordering::Relaxed) && !self.task.is_finished()
    }
}

/// Opens a connection that posts to `url` through `backend`.
pub(super) fn open(
    kind: TransportKind,
    backend: HttpBackend,
    url: &str,
    added: &AddedHeaders,
    recorder: &Recorder,
    limits: Limits,
) -> Connection {
    let (sender, connection, observations) =
        RequestSender::open(kind, backend, url, added, recorder, limits);
    let (running, exchanges) = (JoinSet::new(), BTreeMap::new());
    let transport = HttpTransport { sender, running, exchanges, is_hurried: false };
    Connection::new(kind, connection, recorder.clone(), Box::new(transport), observations)
}

impl HttpTransport {
    /// Runs an exchange in a task of its own.
    fn start(
        &mut self,
        exchange: u64,
        purpose: Purpose,
        exchange_task: impl Future<Output = ()> + Send + 'static,
    ) {
        // Finished tasks are removed here, so that a long conversation does not collect them.
        while self.running.try_join_next().is_some() {}
        self.exchanges.retain(|_, running| !running.task.is_finished());
        let observer = self.sender.observer.clone();
        let task = self.running.spawn(async move {
            // The body of a service in this process is code under test, which may panic.
            if let Err(panic) = AssertUnwindSafe(exchange_task).catch_unwind().await {
                let why = ExchangeError::Panicked(panic_text(panic.as_ref()).to_owned());
                body::no_response(&observer, exchange, &why).await;
            }
        });
        self.exchanges.insert(exchange, Running { task, purpose });
    }

    /// Waits until all exchanges that end without being closed have ended, but no longer than `grace`.
    async fn wait_for_exchanges(&mut self, grace: Duration) {
        let all = async {
            // Streams for unsolicited messages do not count: they may stay open as long as the server runs.
            while self.exchanges.values().any(Running::will_end)
                && self.running.join_next().await.is_some()
            {}
        };
        let _ = clock::within(Deadline::after(grace), all).await;
    }

    /// Opens a stream with GET and waits for its response to begin.
    async fn get(&mut self, after: Option<&str>, deadline: Deadline) -> Sent {
        let headers = self.sender.get_headers(after);
        let request = self.sender.request("GET", headers, Bytes::new());
        let exchange = request.exchange;
        let mut sent = Sent { seq: request.sent, exchange: Some(exchange), written: false };
        let (begun, beginning) = oneshot::channel();
        // No deadline: the stream is not read for a reply that could be late.
        let stream = StreamProgress::new(Awaited::Anything, after, Deadline::never());
        let running = run_exchange(self.sender.clone(), request, stream, Some(begun));
        self.start(exchange, Purpose::Unsolicited, running);
        sent.written = clock::within(deadline, beginning).await.is_ok();
        sent
    }
}

/// Runs an exchange from its request to the end of its response and its continuations.
async fn run_exchange(
    sender: RequestSender,
    request: PendingRequest,
    mut stream: StreamProgress,
    begun: Option<oneshot::Sender<()>>,
) {
    let PendingRequest { exchange, reply, opens_session, .. } = request;
    let reply = match reply.await {
        Ok(reply) => reply,
        Err(why) => {
            body::no_response(&sender.observer, exchange, &why).await;
            // Whoever opened the stream waits for this, also when there is no response.
            return drop(begun);
        }
    };
    // Only the response to `initialize` assigns a session; the header of any other response is ignored.
    if opens_session && (200..300).contains(&reply.status) {
        sender.shared().session = reply.header(header::MCP_SESSION_ID);
    }
    let response = record_head(&sender.observer, exchange, reply, sender.limits);
    drop(begun);
    let is_stream = response.is_stream();
    let mut over = response.read(exchange, &mut stream).await;
    if is_stream && let Some(more) = resume::to_the_end(&sender, exchange, &mut stream).await {
        over.how = format!("{}, {more}", over.how);
    }
    over.pass(&sender.observer, exchange).await;
}

impl ClientTransport for HttpTransport {
    fn send(&mut self, outgoing: Outgoing, deadline: Deadline) -> BoxFuture<'_, Sent> {
        let mut request = self.sender.post(&self.sender.url, &outgoing);
        request.opens_session = opens_session(outgoing.message.as_ref());
        let message = EventKind::message(outgoing.text);
        let requests = count_requests(&message);
        let exchange = request.exchange;
        // Recorded before the task starts, so that no response can precede it in the trace.
        let seq = self.sender.observer.recorder.own(Some(exchange), message);
        let stream = StreamProgress::new(Awaited::Replies(requests), None, deadline);
        // Taken before the task owns the stream: it shows at the end whether the exchange outlived its replies.
        let purpose = Purpose::Replies(stream.answered());
        self.start(exchange, purpose, run_exchange(self.sender.clone(), request, stream, None));
        Box::pin(async move { Sent { seq, exchange: Some(exchange), written: true } })
    }

    fn set_revision(&mut self, revision: Revision) {
        self.sender.shared().revision = Some(revision);
    }

    fn listen<'a>(
        &'a mut self,
        after: Option<&'a str>,
        deadline: Deadline,
    ) -> BoxFuture<'a, Option<Sent>> {
        let revision = self.sender.shared().revision;
        // In 2026-07-28 servers answer a GET with status 405.
        if revision.is_some_and(|revision| !revision.has_get_stream()) {
            return Box::pin(async { None });
        }
        Box::pin(async move { Some(self.get(after, deadline).await) })
    }

    fn close_exchange(&mut self, exchange: u64) -> bool {
        let running = self.exchanges.remove(&exchange);
        let Some(Running { task, .. }) = running.filter(|running| !running.task.is_finished())
        else {
            return false;
        };
        // Aborting drops the response, which closes its connection.
        task.abort();
        let how = "closed by mcp-test".to_owned();
        self.sender.observer.recorder.own(Some(exchange), EventKind::Closed { how });
        true
    }

    fn bare(&self, request: HttpRequest) -> Option<RawCall> {
        Some(self.sender.bare(request))
    }

    fn as_http(&self, outgoing: Outgoing) -> Option<HttpRequest> {
        let headers = self.sender.post_headers(&outgoing);
        Some(HttpRequest { headers, ..HttpRequest::post(outgoing.text) })
    }

    fn session(&self) -> Option<String> {
        self.sender.shared().session.clone()
    }

    fn hurry(&mut self) {
        self.is_hurried = true;
    }

    fn end(mut self: Box<Self>, grace: Duration) -> BoxFuture<'static, ConnectionEnd> {
        Box::pin(async move {
            // Requests that are recorded as sent should reach the server; open streams are not waited for.
            self.wait_for_exchanges(CLOSE_GRACE.min(grace)).await;
            // Only if a stream lingers, so that the usual end does not take this long.
            if !self.is_hurried && self.exchanges.values().any(Running::lingers) {
                self.wait_for_exchanges(STREAM_GRACE.min(grace)).await;
            }
            for (exchange, running) in &self.exchanges {
                if !self.is_hurried && running.lingers() {
                    let what = Leftover::Stream;
                    let how = "a stream that was open when the client left".to_owned();
                    self.sender
                        .observer
                        .record(Some(*exchange), EventKind::Lingered { what, how, wait: None });
                }
            }
            // Whatever is still open has been recorded as such.
            self.running.abort_all();
            let session = self.sender.shared().session.take();
            let how = match session {
                None => "closed".to_owned(),
                Some(session) => self.sender.delete_session(session, grace).await,
            };
            self.sender.observer.recorder.own(None, EventKind::Closed { how: how.clone() });
            ConnectionEnd { how, orderly: true, exit: None }
        })
    }
}

impl Drop for HttpTransport {
    fn drop(&mut self) {
        self.running.abort_all();
    }
}
