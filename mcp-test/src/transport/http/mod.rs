//! The client's end of Streamable HTTP: one POST per message, replies as JSON or as an event stream.
//!
//! Over the network and against a tower service in this process alike; only [`door`] knows the difference. Sessions,
//! the version header and the mirrored headers follow the revision of the conversation. An event stream that breaks off
//! before it brought its reply is resumed by [`resume`]. The server's end is in [`super::serve_http`].
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http>

mod body;
#[cfg(test)]
mod broken_tests;
mod courier;
mod door;
mod exactly;
#[cfg(feature = "schema")]
mod fetch;
mod headers;
mod resume;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, JoinSet};

pub(super) use self::body::{Over, begin};
use self::courier::Asked;
pub(super) use self::courier::Courier;
pub(super) use self::door::Door;
#[cfg(feature = "schema")]
pub(crate) use self::fetch::fetch;
pub(super) use self::resume::{Awaited, Stream};
use super::bare::BareCall;
pub(super) use super::bare::HttpReply;
use super::link::{BoxFuture, Carry, Ending, Link, Outgoing, QUEUE, Sent};
use super::reading::Observer;
use super::target::shown;
use super::{CarrierKind, HttpRequest, Limits};
use crate::clock::{self, Deadline};
use crate::expect::words::panic_text;
use crate::spec::{Revision, header};
use crate::trace::{Outstaying, Reading, Recorder, What};
use crate::wire::Message;

/// How long exchanges that are under way at the end may take; streams that only listen end at once.
const LEAVING: Duration = Duration::from_millis(100);

/// How long a stream may stay open after its last reply, at the end.
const LINGERING: Duration = Duration::from_millis(500);

/// The carrier: sends requests and observes what comes back.
struct HttpCarrier {
    courier: Courier,
    under_way: JoinSet<()>,
    exchanges: BTreeMap<u64, Running>,
}

/// An exchange under way.
struct Running {
    task: AbortHandle,
    purpose: Purpose,
}

/// What an exchange is for.
enum Purpose {
    /// To bring replies; all have come once this is set.
    Replies(Arc<AtomicBool>),
    /// To hear whatever the server has to say, for as long as it likes.
    Listening,
}

impl Running {
    /// Something is on its way that it is for.
    fn is_to_end(&self) -> bool {
        matches!(self.purpose, Purpose::Replies(_)) && !self.task.is_finished()
    }

    fn lingers(&self) -> bool {
        let Purpose::Replies(answered) = &self.purpose else { return false };
        answered.load(Ordering::Relaxed) && !self.task.is_finished()
    }
}

/// Opens a link that posts to `url` through `door`.
pub(super) fn open(
    kind: CarrierKind,
    door: Door,
    url: &str,
    extra: &[(String, String)],
    recorder: &Recorder,
    limits: Limits,
) -> Link {
    let connection = recorder.open(&format!("{kind} {}", shown(url)));
    let (incoming, observations) = mpsc::channel(QUEUE);
    let observer = Observer::new(recorder, connection, incoming);
    let courier = Courier::new(door, url, extra, limits, observer);
    let (under_way, exchanges) = (JoinSet::new(), BTreeMap::new());
    let carrier = HttpCarrier { courier, under_way, exchanges };
    Link::new(kind, connection, recorder.clone(), Box::new(carrier), observations)
}

impl HttpCarrier {
    /// Lets an exchange run by itself.
    fn start(
        &mut self,
        exchange: u64,
        purpose: Purpose,
        running: impl Future<Output = ()> + Send + 'static,
    ) {
        while self.under_way.try_join_next().is_some() {}
        self.exchanges.retain(|_, running| !running.task.is_finished());
        let observer = self.courier.observer.clone();
        let task = self.under_way.spawn(async move {
            // The body of a service in this process is code of the test's, and may panic.
            if let Err(panic) = AssertUnwindSafe(running).catch_unwind().await {
                let why = format!("the service panicked: {}", panic_text(panic.as_ref()));
                body::no_response(&observer, exchange, &why).await;
            }
        });
        self.exchanges.insert(exchange, Running { task, purpose });
    }

    /// Waits until every exchange is over that is to end by itself, or for so long.
    async fn leave_alone(&mut self, quiet: Duration) {
        let all = async {
            while self.exchanges.values().any(Running::is_to_end)
                && self.under_way.join_next().await.is_some()
            {}
        };
        let _ = clock::within(Deadline::after(quiet), all).await;
    }

    /// Opens a stream with GET and waits until its response begins, or does not.
    async fn get(&mut self, after: Option<&str>, deadline: Deadline) -> Sent {
        let headers = self.courier.get_headers(after);
        let asked = self.courier.ask("GET", headers, Bytes::new());
        let exchange = asked.exchange;
        let mut sent = Sent { seq: asked.sent, exchange: Some(exchange), written: false };
        let (begun, beginning) = oneshot::channel();
        let stream = Stream::new(Awaited::Anything, after, Deadline::never());
        let running = converse(self.courier.clone(), asked, stream, Some(begun));
        self.start(exchange, Purpose::Listening, running);
        sent.written = clock::within(deadline, beginning).await.is_ok();
        sent
    }
}

/// One exchange from its request to the end of its response, and of what continues it.
async fn converse(
    courier: Courier,
    asked: Asked,
    mut stream: Stream,
    begun: Option<oneshot::Sender<()>>,
) {
    let Asked { exchange, reply, opens_session, .. } = asked;
    let reply = match reply.await {
        Ok(reply) => reply,
        Err(why) => {
            body::no_response(&courier.observer, exchange, &why).await;
            return drop(begun);
        }
    };
    if opens_session && (200..300).contains(&reply.status) {
        courier.shared().session = reply.header(header::MCP_SESSION_ID);
    }
    let response = begin(&courier.observer, exchange, reply, courier.limits);
    drop(begun);
    let is_stream = response.is_stream();
    let mut over = response.read(exchange, &mut stream).await;
    if is_stream && let Some(more) = resume::to_the_end(&courier, exchange, &mut stream).await {
        over.how = format!("{}, {more}", over.how);
    }
    over.pass(&courier.observer, exchange).await;
}

impl Carry for HttpCarrier {
    fn send(&mut self, outgoing: Outgoing, deadline: Deadline) -> BoxFuture<'_, Sent> {
        let headers = self.courier.post_headers(&outgoing);
        let mut asked = self.courier.ask("POST", headers, outgoing.text.clone());
        asked.opens_session = opens_session(outgoing.message.as_ref());
        let message = Reading::message(outgoing.text);
        let requests = match &message {
            What::Message { reading, .. } => {
                reading.messages().filter(|said| matches!(said, Message::Request(_))).count()
            }
            _ => 0,
        };
        let exchange = asked.exchange;
        let seq = self.courier.observer.scribe.own(Some(exchange), message);
        let stream = Stream::new(Awaited::Replies(requests), None, deadline);
        let purpose = Purpose::Replies(stream.answered());
        self.start(exchange, purpose, converse(self.courier.clone(), asked, stream, None));
        Box::pin(async move { Sent { seq, exchange: Some(exchange), written: true } })
    }

    fn speak(&mut self, revision: Revision) {
        self.courier.shared().revision = Some(revision);
    }

    fn listen<'a>(
        &'a mut self,
        after: Option<&'a str>,
        deadline: Deadline,
    ) -> BoxFuture<'a, Option<Sent>> {
        let revision = self.courier.shared().revision;
        if revision.is_some_and(|revision| !revision.has_get_stream()) {
            return Box::pin(async { None });
        }
        Box::pin(async move { Some(self.get(after, deadline).await) })
    }

    fn hang_up(&mut self, exchange: u64) -> bool {
        let running = self.exchanges.remove(&exchange);
        let Some(Running { task, .. }) = running.filter(|running| !running.task.is_finished())
        else {
            return false;
        };
        task.abort();
        let how = "hung up by mcp-test".to_owned();
        self.courier.observer.scribe.own(Some(exchange), What::Closed { how });
        true
    }

    fn bare(&self, request: HttpRequest) -> Option<BareCall> {
        Some(self.courier.bare(request))
    }

    fn as_http(&self, outgoing: Outgoing) -> Option<HttpRequest> {
        let headers = self.courier.post_headers(&outgoing);
        Some(HttpRequest { headers, ..HttpRequest::post(outgoing.text) })
    }

    fn session(&self) -> Option<String> {
        self.courier.shared().session.clone()
    }

    fn end(mut self: Box<Self>, grace: Duration) -> BoxFuture<'static, Ending> {
        Box::pin(async move {
            // What was recorded as sent should leave; a stream that stays open is not waited for.
            self.leave_alone(LEAVING.min(grace)).await;
            if self.exchanges.values().any(Running::lingers) {
                self.leave_alone(LINGERING.min(grace)).await;
            }
            for (exchange, running) in &self.exchanges {
                if running.lingers() {
                    let what = Outstaying::Stream;
                    let how = "a stream that was open when the client left".to_owned();
                    self.courier.observer.record(Some(*exchange), What::Outstayed { what, how });
                }
            }
            self.under_way.abort_all();
            let session = self.courier.shared().session.take();
            let how = match session {
                None => "closed".to_owned(),
                Some(session) => self.courier.delete_session(session, grace).await,
            };
            self.courier.observer.scribe.own(None, What::Closed { how: how.clone() });
            Ending { how, orderly: true }
        })
    }
}

/// Whether the reply to this message may bring a session id.
fn opens_session(message: Option<&Message>) -> bool {
    message.and_then(Message::method) == Some("initialize")
}

impl Drop for HttpCarrier {
    fn drop(&mut self) {
        self.under_way.abort_all();
    }
}
