//! The client's end of the HTTP+SSE of 2024-11-05: one event stream from the server, and POSTs to where it says.
//!
//! The stream is opened with the link. Its `endpoint` event names the URL of the POSTs, so the first message waits for
//! it; replies come as `message` events. The response to a POST says no more than whether it was accepted.
//! <https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse>

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use reqwest::Url;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinHandle, JoinSet};

use super::bare::BareCall;
use super::http::{Awaited, Courier, Door, HttpReply, Over, Stream, begin};
use super::link::{
    BoxFuture, Carry, Damage, Ending, Incoming, Link, Media, Origin, Outgoing, QUEUE, Sent,
};
use super::reading::Observer;
use super::target::shown;
use super::{CarrierKind, HttpRequest, Limits};
use crate::clock::{self, Deadline};
use crate::expect::words::quoted;
use crate::spec::Revision;
use crate::trace::{Party, Reading, Recorder, What};
use crate::wire::Message;
use crate::wire::sse::{Decoder, SseEvent, SseItem};

/// How long POSTs that are under way at the end may take.
const LEAVING: Duration = Duration::from_millis(100);
/// Bytes of the response to an accepted POST that are looked at.
const LOOKED_AT: usize = 64 * 1024;

/// Where messages are posted to.
#[derive(Debug, Clone)]
enum Endpoint {
    /// The server has not said it yet; the status of its response, once there is one.
    Awaited { status: Option<u16> },
    /// Here.
    At(String),
    /// The stream ended, or never began: how, as the end of a sentence about it.
    Unknown { status: Option<u16>, how: String },
}

struct SseCarrier {
    courier: Courier,
    endpoint: watch::Receiver<Endpoint>,
    stream: JoinHandle<()>,
    under_way: JoinSet<()>,
}

/// Opens the event stream at `url`, and a link that speaks over it.
pub(super) fn open(
    door: Door,
    url: &str,
    extra: &[(String, String)],
    recorder: &Recorder,
    limits: Limits,
) -> Link {
    let connection = recorder.open(&format!("{} {}", CarrierKind::Sse, shown(url)));
    let (incoming, observations) = mpsc::channel(QUEUE);
    let observer = Observer::new(recorder, connection, incoming);
    let courier = Courier::new(door, url, extra, limits, observer);
    let (found, endpoint) = watch::channel(Endpoint::Awaited { status: None });
    let stream = tokio::spawn(listen(courier.clone(), found));
    let carrier = SseCarrier { courier, endpoint, stream, under_way: JoinSet::new() };
    let carrier = Box::new(carrier);
    Link::new(CarrierKind::Sse, connection, recorder.clone(), carrier, observations)
}

/// Reads the event stream from its request to its end.
async fn listen(courier: Courier, found: watch::Sender<Endpoint>) {
    let asked = courier.ask("GET", courier.get_headers(None), Bytes::new());
    let (exchange, observer) = (asked.exchange, courier.observer.clone());
    let reply = match asked.reply.await {
        Ok(reply) => reply,
        Err(why) => {
            let how = format!("failed without an HTTP response: {why}");
            observer.record(Some(exchange), What::Closed { how: how.clone() });
            found.send_replace(Endpoint::Unknown { status: None, how });
            return;
        }
    };
    let status = Some(reply.status);
    if !reply.is_stream() {
        let mut unused = Stream::new(Awaited::Anything, None, Deadline::never());
        let response = begin(&observer, exchange, reply, courier.limits);
        let how = response.read(exchange, &mut unused).await.how;
        found.send_replace(Endpoint::Unknown { status, how });
        return;
    }
    let what = What::HttpResponse { status: reply.status, headers: reply.headers.clone() };
    observer.record(Some(exchange), what);
    found.send_replace(Endpoint::Awaited { status });
    let origin = Origin { exchange: Some(exchange), status, media: Some(Media::Stream) };
    let mut events = Events { courier: &courier, origin, found: &found };
    let read = events.read(reply).await;
    if matches!(*found.borrow(), Endpoint::Awaited { .. }) {
        let how = read.map_or_else(|how| how, |how| format!("{how} without an `endpoint` event"));
        observer.record(Some(exchange), What::Closed { how: how.clone() });
        found.send_replace(Endpoint::Unknown { status, how });
        return;
    }
    let (Ok(how) | Err(how)) = read;
    let how = format!("the server's event stream {how}");
    let seq = observer.record(Some(exchange), What::Closed { how: how.clone() });
    observer.pass(Incoming::Closed { seq, how }).await;
}

/// Reads the events of the stream.
struct Events<'a> {
    courier: &'a Courier,
    origin: Origin,
    found: &'a watch::Sender<Endpoint>,
}

impl Events<'_> {
    /// Reads to the end, and says how that came; the error says why it is not read to the end.
    async fn read(&mut self, reply: HttpReply) -> Result<String, String> {
        let mut decoder = Decoder::new(self.courier.limits.event);
        let mut pieces = reply.body;
        let how = loop {
            match pieces.next().await {
                None => break "came to its end".to_owned(),
                Some(Err(why)) => break format!("broke off: {why}"),
                Some(Ok(piece)) => {
                    for item in decoder.push(&piece) {
                        self.take(item).await?;
                    }
                }
            }
        };
        for item in decoder.finish() {
            self.take(item).await?;
        }
        Ok(how)
    }

    /// Takes an item; the error says why the stream is not read any further.
    async fn take(&mut self, item: SseItem) -> Result<(), String> {
        let all = match item {
            SseItem::Event(event) if event.event_type() == "endpoint" => {
                return self.endpoint(event);
            }
            SseItem::Event(event) if event.event_type() != "message" => vec![self.other(event)],
            item => self.courier.observer.scribe.event(self.origin, item),
        };
        for mut incoming in all {
            // Everything comes on this stream, so that it tells nothing of the POST that is answered.
            if let Incoming::Message { origin, .. } | Incoming::Garbled { origin, .. } =
                &mut incoming
            {
                origin.exchange = None;
            }
            if !self.courier.observer.pass(incoming).await {
                return Err("is no longer listened to".to_owned());
            }
        }
        Ok(())
    }

    /// An event that is neither a message nor the endpoint: a message in it is lost on those who go by the type.
    fn other(&self, event: SseEvent) -> Incoming {
        let SseEvent { event, data, id, retry } = event;
        let why = format!("an event of type {:?}, not `message`", event.as_deref().unwrap_or(""));
        let scribe = &self.courier.observer.scribe;
        scribe.record(self.origin.exchange, What::SseEvent { event, id, retry });
        let damage = if data.trim_start().starts_with('{') { Damage::Lost } else { Damage::Stray };
        scribe.noise(self.origin, data.into(), why, damage)
    }

    fn endpoint(&self, event: SseEvent) -> Result<(), String> {
        let SseEvent { event, data, id, retry } = event;
        let scribe = &self.courier.observer.scribe;
        scribe.record(self.origin.exchange, What::SseEvent { event, id, retry });
        let told = shown(&data);
        let Some(url) = resolve(&self.courier.url, data.trim()) else {
            return Err(format!("names no URL in its `endpoint` event: {told:?}"));
        };
        scribe.record(self.origin.exchange, What::Note(format!("the endpoint is {told}")));
        if !same_origin(&self.courier.url, &url) {
            // Headers with credentials are for the server that was named, and for no other.
            return Err(format!("names an endpoint of another server: {told}"));
        }
        self.found.send_replace(Endpoint::At(url));
        Ok(())
    }
}

/// The URL that an `endpoint` event names, which may be relative to the one of the stream.
fn resolve(base: &str, endpoint: &str) -> Option<String> {
    if endpoint.is_empty() {
        return None;
    }
    Some(Url::parse(base).ok()?.join(endpoint).ok()?.to_string())
}

fn same_origin(one: &str, other: &str) -> bool {
    let origin = |url: &str| Url::parse(url).map(|url| url.origin());
    matches!((origin(one), origin(other)), (Ok(one), Ok(other)) if one == other)
}

impl SseCarrier {
    /// Waits for the endpoint; the error has the status and says why the POST was not made.
    async fn endpoint(&mut self, deadline: Deadline) -> Result<String, (Option<u16>, String)> {
        let told = |endpoint: &Endpoint| !matches!(endpoint, Endpoint::Awaited { .. });
        let _ = clock::within(deadline, self.endpoint.wait_for(told)).await;
        let found = self.endpoint.borrow().clone();
        match found {
            Endpoint::At(url) => Ok(url),
            Endpoint::Unknown { status, how } => {
                Err((status, format!("could not be made: the event stream {how}")))
            }
            Endpoint::Awaited { status } => {
                let within = deadline.allotted().map(clock::in_words).unwrap_or_default();
                let awaited = format!("an `endpoint` event within {within}");
                let scribe = &self.courier.observer.scribe;
                let what = What::DeadlineFired { awaited };
                scribe.recorder.record(scribe.connection, Party::Harness, what);
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
        let message = Reading::message(outgoing.text.clone());
        let is_request = match &message {
            What::Message { reading, .. } => {
                reading.messages().any(|said| matches!(said, Message::Request(_)))
            }
            _ => false,
        };
        let observer = self.courier.observer.clone();
        let url = match self.endpoint(deadline).await {
            Ok(url) => url,
            Err((status, how)) => {
                let exchange = self.courier.next_exchange();
                let seq = observer.scribe.own(Some(exchange), message);
                self.under_way.spawn(async move {
                    Over::new(&observer, exchange, status, how).pass(&observer, exchange).await;
                });
                return Sent { seq, exchange: Some(exchange), written: true };
            }
        };
        let headers = self.courier.post_headers(&outgoing);
        let asked = self.courier.ask_at(&url, "POST", headers, outgoing.text);
        let exchange = asked.exchange;
        let seq = observer.scribe.own(Some(exchange), message);
        let limits = self.courier.limits;
        while self.under_way.try_join_next().is_some() {}
        self.under_way.spawn(async move {
            let over = match asked.reply.await {
                Err(why) => {
                    let how = format!("failed without an HTTP response: {why}");
                    Over::new(&observer, exchange, None, how)
                }
                Ok(reply) if (200..300).contains(&reply.status) => {
                    let over = accepted(&observer, exchange, reply).await;
                    // The reply to a request comes on the stream: the end of its POST tells nothing.
                    if is_request {
                        return;
                    }
                    over
                }
                Ok(reply) => {
                    let mut unused = Stream::new(Awaited::Anything, None, deadline);
                    begin(&observer, exchange, reply, limits).read(exchange, &mut unused).await
                }
            };
            over.pass(&observer, exchange).await;
        });
        Sent { seq, exchange: Some(exchange), written: true }
    }
}

/// Takes the response to a POST that was accepted: what stands in it is for people, unless it is a message.
async fn accepted(observer: &Observer, exchange: u64, reply: HttpReply) -> Over {
    let media = Some(Media::of(&reply.media()));
    let HttpReply { status, headers, mut body } = reply;
    let origin = Origin { exchange: Some(exchange), status: Some(status), media };
    let seq = observer.record(Some(exchange), What::HttpResponse { status, headers });
    let mut text = Vec::new();
    while let Some(Ok(piece)) = body.next().await {
        text.extend_from_slice(&piece);
        if text.len() > LOOKED_AT {
            break;
        }
    }
    let text = Bytes::from(text);
    if Reading::of(&text).messages().next().is_some() {
        let why = "a message in the response to a POST, not on the event stream".to_owned();
        observer.noise(origin, text, why, Damage::Lost).await;
    } else if !text.is_empty() {
        observer.record(Some(exchange), What::Note(format!("the response says {}", quoted(&text))));
    }
    Over::at(seq, status)
}

impl Carry for SseCarrier {
    fn send(&mut self, outgoing: Outgoing, deadline: Deadline) -> BoxFuture<'_, Sent> {
        Box::pin(self.post(outgoing, deadline))
    }

    fn speak(&mut self, revision: Revision) {
        self.courier.shared().revision = Some(revision);
    }

    fn bare(&self, request: HttpRequest) -> Option<BareCall> {
        Some(self.courier.bare(request))
    }

    fn as_http(&self, outgoing: Outgoing) -> Option<HttpRequest> {
        let headers = self.courier.post_headers(&outgoing);
        Some(HttpRequest { headers, ..HttpRequest::post(outgoing.text) })
    }

    fn end(mut self: Box<Self>, grace: Duration) -> BoxFuture<'static, Ending> {
        Box::pin(async move {
            let leaving = async { while self.under_way.join_next().await.is_some() {} };
            let _ = clock::within(Deadline::after(LEAVING.min(grace)), leaving).await;
            self.stream.abort();
            let how = "the event stream was closed".to_owned();
            self.courier.observer.scribe.own(None, What::Closed { how: how.clone() });
            Ending { how, orderly: true }
        })
    }
}

impl Drop for SseCarrier {
    fn drop(&mut self) {
        self.stream.abort();
        self.under_way.abort_all();
    }
}

#[cfg(test)]
mod tests;
