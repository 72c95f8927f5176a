//! The client's end of the HTTP+SSE transport of 2024-11-05: one event stream from the server, and POSTs to its endpoint.
//!
//! The stream is opened with the connection. Its `endpoint` event names the URL of the POSTs, so the first message waits for
//! it; replies arrive as `message` events. The response to a POST only tells whether the message was accepted.
//! <https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse>

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use reqwest::Url;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use super::authorizer::AddedHeaders;
use super::client_transport::ClientTransport;
use super::exchange_error::ExchangeError;
use super::http::{
    Awaited, ExchangeEnd, HttpBackend, RequestSender, StreamProgress, StreamingResponse,
    count_requests, record_head,
};
use super::observer::Observer;
use super::raw_http::RawCall;
use super::redacted::redact_urls;
use super::{
    Connection, ConnectionEnd, HttpRequest, Incoming, Limits, Origin, Outgoing, Sent, TransportKind,
};
use crate::clock::{self, Deadline};
use crate::expect::words::quoted;
use crate::spec::Revision;
use crate::trace::{EventKind, ParsedText, Party, Recorder, UnparsableKind};
use crate::wire::MediaType;
use crate::wire::sse::{Decoder, SseEvent, SseItem};

/// How long POSTs that are in progress at the end may take.
const CLOSE_GRACE: Duration = Duration::from_millis(100);
/// After a message in the response to a POST, how long it may take until it arrives on the event stream, too.
const MISPLACED_GRACE: Duration = Duration::from_millis(500);
/// How many bytes of the response to an accepted POST are read.
const MAX_ACCEPTED_BODY: usize = 64 * 1024;

/// The URL that messages are posted to.
#[derive(Debug, Clone)]
enum Endpoint {
    /// Not known yet; the status of the stream's response, once there is one.
    Awaited {
        status: Option<u16>,
    },
    Known(String),
    /// Never known, because the stream ended or did not begin: how, as the end of a sentence about it.
    Unknown {
        status: Option<u16>,
        how: String,
    },
}

/// Why the event stream is not read any further, as the end of a sentence about it.
#[derive(Debug, thiserror::Error)]
enum StreamEnd {
    #[error("came to its end")]
    Complete,
    #[error("broke off: {0}")]
    BrokenOff(ExchangeError),
    #[error("is no longer read")]
    Unread,
    #[error("has no valid URL in its `endpoint` event: {0:?}")]
    InvalidEndpoint(String),
    #[error("names an endpoint of another server: {0}")]
    OtherOrigin(String),
}

struct LegacySseTransport {
    sender: RequestSender,
    endpoint: watch::Receiver<Endpoint>,
    stream: JoinHandle<()>,
    running: JoinSet<()>,
}

/// Opens a connection with its event stream at `url`.
pub(super) fn open(
    backend: HttpBackend,
    url: &str,
    added: &AddedHeaders,
    recorder: &Recorder,
    limits: Limits,
) -> Connection {
    let kind = TransportKind::Sse;
    let (sender, connection, observations) =
        RequestSender::open(kind, backend, url, added, recorder, limits);
    let (found, endpoint) = watch::channel(Endpoint::Awaited { status: None });
    let stream = tokio::spawn(listen(sender.clone(), found));
    let transport = LegacySseTransport { sender, endpoint, stream, running: JoinSet::new() };
    let transport = Box::new(transport);
    Connection::new(kind, connection, recorder.clone(), transport, observations)
}

/// Reads the event stream from its request to its end.
async fn listen(sender: RequestSender, found: watch::Sender<Endpoint>) {
    let request = sender.request("GET", sender.get_headers(None), Bytes::new());
    let (exchange, observer) = (request.exchange, sender.observer.clone());
    let reply = match request.reply.await {
        Ok(reply) => reply,
        Err(why) => {
            let how = why.how();
            observer.record(Some(exchange), EventKind::Closed { how: how.clone() });
            found.send_replace(Endpoint::Unknown { status: None, how });
            return;
        }
    };
    let status = Some(reply.status);
    if !reply.is_stream() {
        let mut unused = StreamProgress::new(Awaited::Anything, None, Deadline::never());
        let response = record_head(&observer, exchange, reply, sender.limits);
        let how = response.read(exchange, &mut unused).await.how;
        found.send_replace(Endpoint::Unknown { status, how });
        return;
    }
    let what = EventKind::HttpResponse { status: reply.status, headers: reply.headers.clone() };
    observer.record(Some(exchange), what);
    // Known before the endpoint, so that a failed wait for it can tell whether there was a response.
    found.send_replace(Endpoint::Awaited { status });
    let origin = Origin { exchange: Some(exchange), status, media: Some(MediaType::EventStream) };
    let mut events = Events { sender: &sender, origin, found: &found };
    let end = events.read(reply).await;
    if matches!(*found.borrow(), Endpoint::Awaited { .. }) {
        let how = match end {
            StreamEnd::Complete | StreamEnd::BrokenOff(_) => {
                format!("{end} without an `endpoint` event")
            }
            _ => end.to_string(),
        };
        observer.record(Some(exchange), EventKind::Closed { how: how.clone() });
        found.send_replace(Endpoint::Unknown { status, how });
        return;
    }
    let how = format!("the server's event stream {end}");
    let seq = observer.record(Some(exchange), EventKind::Closed { how: how.clone() });
    observer.pass(Incoming::Closed { seq, how }).await;
}

/// Reads the events of the stream.
struct Events<'a> {
    sender: &'a RequestSender,
    origin: Origin,
    found: &'a watch::Sender<Endpoint>,
}

impl Events<'_> {
    /// Reads as far as possible.
    async fn read(&mut self, reply: StreamingResponse) -> StreamEnd {
        let mut decoder = Decoder::new(self.sender.limits.event);
        let mut pieces = reply.body;
        let end = loop {
            match pieces.next().await {
                None => break StreamEnd::Complete,
                Some(Err(why)) => break StreamEnd::BrokenOff(why),
                Some(Ok(piece)) => {
                    if let Err(end) = self.take_all(decoder.push(&piece)).await {
                        return end;
                    }
                }
            }
        };
        self.take_all(decoder.finish()).await.err().unwrap_or(end)
    }

    async fn take_all(&mut self, items: Vec<SseItem>) -> Result<(), StreamEnd> {
        for item in items {
            self.take(item).await?;
        }
        Ok(())
    }

    /// Passes an item on; the error tells why the stream is not read any further.
    async fn take(&mut self, item: SseItem) -> Result<(), StreamEnd> {
        let all = match item {
            SseItem::Event(event) if event.event_type() == "endpoint" => {
                return self.endpoint(event);
            }
            SseItem::Event(event) if event.event_type() != "message" => vec![self.other(event)],
            item => self.sender.observer.recorder.event(self.origin, item),
        };
        for mut incoming in all {
            // All messages share this stream, so its exchange does not identify the POST that a reply belongs to.
            if let Incoming::Message { origin, .. } | Incoming::Invalid { origin, .. } =
                &mut incoming
            {
                origin.exchange = None;
            }
            if !self.sender.observer.pass(incoming).await {
                return Err(StreamEnd::Unread);
            }
        }
        Ok(())
    }

    /// Records an event of another type: clients that dispatch on the type never see a message in it.
    fn other(&self, event: SseEvent) -> Incoming {
        let SseEvent { event, data, id, retry } = event;
        let why = format!("an event of type {:?}, not `message`", event.as_deref().unwrap_or(""));
        let recorder = &self.sender.observer.recorder;
        recorder.record(self.origin.exchange, EventKind::SseEvent { event, id, retry });
        // A message under another type is lost to the client, and with it perhaps the reply that it waits for.
        let kind = if data.trim_start().starts_with('{') {
            UnparsableKind::BrokenMessage
        } else {
            UnparsableKind::Stray
        };
        recorder.noise(self.origin, data.into(), why, kind)
    }

    fn endpoint(&self, event: SseEvent) -> Result<(), StreamEnd> {
        let SseEvent { event, data, id, retry } = event;
        let recorder = &self.sender.observer.recorder;
        recorder.record(self.origin.exchange, EventKind::SseEvent { event, id, retry });
        let shown = redact_urls(&data);
        let Some(url) = resolve(&self.sender.url, data.trim()) else {
            return Err(StreamEnd::InvalidEndpoint(shown));
        };
        recorder.record(self.origin.exchange, EventKind::Note(format!("the endpoint is {shown}")));
        if !same_origin(&self.sender.url, &url) {
            // The headers of the target may contain credentials, which no other server may get.
            return Err(StreamEnd::OtherOrigin(shown));
        }
        self.found.send_replace(Endpoint::Known(url));
        Ok(())
    }
}

/// The URL in an `endpoint` event, which may be relative to that of the stream.
fn resolve(base: &str, endpoint: &str) -> Option<String> {
    // An empty text would resolve to the URL of the stream itself.
    if endpoint.is_empty() {
        return None;
    }
    Some(Url::parse(base).ok()?.join(endpoint).ok()?.to_string())
}

/// Whether the server may answer a message on its stream: a request, or what it has to refuse.
fn may_be_answered(message: &EventKind) -> bool {
    let EventKind::Message { parsed, .. } = message else { return false };
    parsed.problem().is_some() || count_requests(message) > 0
}

fn same_origin(one: &str, other: &str) -> bool {
    let origin = |url: &str| Url::parse(url).map(|url| url.origin());
    matches!((origin(one), origin(other)), (Ok(one), Ok(other)) if one == other)
}

impl LegacySseTransport {
    /// Waits for the endpoint; the error has the status of the stream and tells why there is no POST.
    async fn endpoint(&mut self, deadline: Deadline) -> Result<String, (Option<u16>, String)> {
        let is_decided = |endpoint: &Endpoint| !matches!(endpoint, Endpoint::Awaited { .. });
        // Neither a passed deadline nor a closed channel is an error here: the last value shows what is known.
        let _ = clock::within(deadline, self.endpoint.wait_for(is_decided)).await;
        let found = self.endpoint.borrow().clone();
        match found {
            Endpoint::Known(url) => Ok(url),
            Endpoint::Unknown { status, how } => {
                Err((status, format!("could not be made: the event stream {how}")))
            }
            Endpoint::Awaited { status } => {
                let within = deadline.allotted().map(clock::format_duration).unwrap_or_default();
                let awaited = format!("an `endpoint` event within {within}");
                let recorder = &self.sender.observer.recorder;
                let what = EventKind::DeadlineFired { awaited };
                recorder.trace.record(recorder.connection, Party::Harness, what);
                let stream = match status {
                    Some(status) => format!("on the event stream of HTTP {status}"),
                    None => "nor any response to the GET of the event stream".to_owned(),
                };
                let how = format!(
                    "could not be made: no `endpoint` event came within {within}, {stream}"
                );
                Err((status, how))
            }
        }
    }

    async fn post(&mut self, outgoing: Outgoing, deadline: Deadline) -> Sent {
        let message = EventKind::message(outgoing.text.clone());
        let may_be_answered = may_be_answered(&message);
        let observer = self.sender.observer.clone();
        let url = match self.endpoint(deadline).await {
            Ok(url) => url,
            Err((status, how)) => {
                let exchange = self.sender.next_exchange();
                let seq = observer.recorder.own(Some(exchange), message);
                // Not awaited here: nobody reads the observations during `send`, so a full queue would never empty.
                self.running.spawn(async move {
                    ExchangeEnd::new(&observer, exchange, status, how)
                        .pass(&observer, exchange)
                        .await;
                });
                // Reported as written: the end of the exchange says what is wrong.
                return Sent { seq, exchange: Some(exchange), written: true };
            }
        };
        let request = self.sender.post(&url, &outgoing);
        let exchange = request.exchange;
        let seq = observer.recorder.own(Some(exchange), message);
        let limits = self.sender.limits;
        // Finished POSTs are removed here, so that a long conversation does not collect them.
        while self.running.try_join_next().is_some() {}
        self.running.spawn(async move {
            let end = match request.reply.await {
                Err(why) => ExchangeEnd::new(&observer, exchange, None, why.how()),
                Ok(reply) if (200..300).contains(&reply.status) => {
                    let end = accepted(&observer, exchange, reply).await;
                    // The reply arrives on the stream: the end of the POST must not end the wait for it.
                    if may_be_answered {
                        return;
                    }
                    end
                }
                Ok(reply) => {
                    let mut unused = StreamProgress::new(Awaited::Anything, None, deadline);
                    record_head(&observer, exchange, reply, limits)
                        .read(exchange, &mut unused)
                        .await
                }
            };
            end.pass(&observer, exchange).await;
        });
        Sent { seq, exchange: Some(exchange), written: true }
    }
}

/// Records the response to an accepted POST, whose text is for people unless it is a message.
async fn accepted(observer: &Observer, exchange: u64, reply: StreamingResponse) -> ExchangeEnd {
    let media = Some(reply.media_type());
    let StreamingResponse { status, headers, mut body } = reply;
    let origin = Origin { exchange: Some(exchange), status: Some(status), media };
    let seq = observer.record(Some(exchange), EventKind::HttpResponse { status, headers });
    let mut text = Vec::new();
    // A body that breaks off is not reported: the reply to the message arrives on the stream.
    while let Some(Ok(piece)) = body.next().await {
        text.extend_from_slice(&piece);
        if text.len() > MAX_ACCEPTED_BODY {
            break;
        }
    }
    let text = Bytes::from(text);
    if ParsedText::parse(&text).messages().next().is_some() {
        let why = "a message in the response to a POST, not on the event stream".to_owned();
        let misplaced = observer.recorder.noise(origin, text, why, UnparsableKind::BrokenMessage);
        // Some servers send it on the event stream as well, and that is where it counts.
        clock::quiet(MISPLACED_GRACE).await;
        observer.pass(misplaced).await;
    } else if !text.is_empty() {
        observer
            .record(Some(exchange), EventKind::Note(format!("the response is {}", quoted(&text))));
    }
    ExchangeEnd::at(seq, status)
}

impl ClientTransport for LegacySseTransport {
    fn send(&mut self, outgoing: Outgoing, deadline: Deadline) -> BoxFuture<'_, Sent> {
        Box::pin(self.post(outgoing, deadline))
    }

    fn set_revision(&mut self, revision: Revision) {
        self.sender.shared().revision = Some(revision);
    }

    fn bare(&self, request: HttpRequest) -> Option<RawCall> {
        Some(self.sender.bare(request))
    }

    fn as_http(&self, outgoing: Outgoing) -> Option<HttpRequest> {
        let headers = self.sender.post_headers(&outgoing);
        Some(HttpRequest { headers, ..HttpRequest::post(outgoing.text) })
    }

    fn end(mut self: Box<Self>, grace: Duration) -> BoxFuture<'static, ConnectionEnd> {
        Box::pin(async move {
            let exchanges = async { while self.running.join_next().await.is_some() {} };
            let _ = clock::within(Deadline::after(CLOSE_GRACE.min(grace)), exchanges).await;
            // A client of 2024-11-05 leaves by closing the stream; there is no session to delete.
            self.stream.abort();
            let how = "the event stream was closed".to_owned();
            self.sender.observer.recorder.own(None, EventKind::Closed { how: how.clone() });
            ConnectionEnd { how, orderly: true, exit: None }
        })
    }
}

impl Drop for LegacySseTransport {
    fn drop(&mut self) {
        self.stream.abort();
        self.running.abort_all();
    }
}

#[cfg(test)]
mod tests;
