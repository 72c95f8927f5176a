//! Reads the response of an exchange into observations.

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;

use super::stream_progress::StreamProgress;
use crate::expect::words;
use crate::trace::{EventKind, Seq, UnparsableKind};
use crate::transport::exchange_error::ExchangeError;
use crate::transport::observer::Observer;
use crate::transport::raw_http::StreamingResponse;
use crate::transport::redacted::redact_urls;
use crate::transport::{Incoming, Limits, Origin, ResponseAdvice};
use crate::wire::sse::{Decoder, SseItem};
use crate::wire::{MediaType, essence};

/// How many bytes of a broken or too large body are recorded.
const KEPT: usize = 64 * 1024;

/// How many characters of the target of a redirect are shown.
const LOCATION: usize = 200;

/// Reports that no response arrived.
pub(super) async fn no_response(observer: &Observer, exchange: u64, why: &ExchangeError) {
    ExchangeEnd::new(observer, exchange, None, why.how()).pass(observer, exchange).await;
}

/// Records the end of an exchange.
pub(super) fn closed(observer: &Observer, exchange: u64, how: &str) -> Seq {
    observer.record(Some(exchange), EventKind::Closed { how: how.to_owned() })
}

/// The end of an exchange.
pub(in crate::transport) struct ExchangeEnd {
    seq: Seq,
    status: Option<u16>,
    advice: ResponseAdvice,
    pub(in crate::transport) how: String,
}

impl ExchangeEnd {
    /// Records how an exchange ended.
    pub(in crate::transport) fn new(
        observer: &Observer,
        exchange: u64,
        status: Option<u16>,
        how: String,
    ) -> Self {
        let seq = closed(observer, exchange, &how);
        Self { seq, status, advice: ResponseAdvice::default(), how }
    }

    /// The end of an exchange whose response had nothing to be read.
    pub(in crate::transport) fn at(seq: Seq, status: u16) -> Self {
        let how = format!("ended with HTTP {status}");
        Self { seq, status: Some(status), advice: ResponseAdvice::default(), how }
    }

    /// Passes on that nothing more arrives on the exchange.
    pub(in crate::transport) async fn pass(self, observer: &Observer, exchange: u64) {
        let Self { seq, status, advice, how } = self;
        observer.pass(Incoming::Ended { seq, exchange, status, advice, how }).await;
    }
}

/// A response whose head is recorded.
pub(in crate::transport) struct Response<'a> {
    observer: &'a Observer,
    seq: Seq,
    origin: Origin,
    reply: StreamingResponse,
    limits: Limits,
}

/// Records the head of a response.
pub(in crate::transport) fn record_head(
    observer: &Observer,
    exchange: u64,
    reply: StreamingResponse,
    limits: Limits,
) -> Response<'_> {
    let status = reply.status;
    let what = EventKind::HttpResponse { status, headers: reply.headers.clone() };
    let seq = observer.record(Some(exchange), what);
    let media = Some(reply.media_type());
    let origin = Origin { exchange: Some(exchange), status: Some(status), media };
    Response { observer, seq, origin, reply, limits }
}

/// What the headers of a response advise.
fn advice(reply: &StreamingResponse) -> ResponseAdvice {
    // Shown, because redirects are not followed: the URL of the target is wrong then.
    let location = reply.header("location").filter(|_| (300..400).contains(&reply.status));
    let redirects_to = location.map(|location| {
        let target = words::inert(&redact_urls(&location)).replace('\n', "·");
        match target.char_indices().nth(LOCATION) {
            Some((end, _)) => format!("{}…", &target[..end]),
            None => target,
        }
    });
    ResponseAdvice { redirects_to, demands_credentials: reply.header("www-authenticate").is_some() }
}

impl Response<'_> {
    /// Whether it is an event stream.
    pub(super) fn is_stream(&self) -> bool {
        self.origin.is_stream()
    }

    /// Reads it to its end; its messages are passed on as part of `exchange`.
    pub(in crate::transport) async fn read(
        self,
        exchange: u64,
        stream: &mut StreamProgress,
    ) -> ExchangeEnd {
        let (seq, status) = (self.seq, self.reply.status);
        let advice = advice(&self.reply);
        let how = if self.is_stream() {
            self.events(exchange, stream).await
        } else {
            self.whole(exchange, stream).await
        };
        let elsewhere = advice.redirects_to.as_ref().map(|target| format!(" to {target}"));
        let how = format!("ended with HTTP {status}{}, {how}", elsewhere.unwrap_or_default());
        ExchangeEnd { seq, status: Some(status), advice, how }
    }

    /// Reads a body that is one text.
    async fn whole(self, exchange: u64, stream: &mut StreamProgress) -> String {
        let Self { observer, origin, reply, limits, .. } = self;
        let content_type = reply.header("content-type").unwrap_or_default();
        let recorder = &observer.recorder;
        let status = reply.status;
        let mut body = BytesMut::new();
        let mut pieces = reply.body;
        let mut broken = None;
        while let Some(piece) = pieces.next().await {
            match piece {
                Ok(piece) => body.extend_from_slice(&piece),
                Err(why) => {
                    let how = format!("a body that broke off after {} bytes: {why}", body.len());
                    broken = Some((how, UnparsableKind::BrokenMessage));
                    break;
                }
            }
            if body.len() > limits.body {
                let limit = limits.body;
                let how = format!("a body longer than the {limit} bytes that mcp-test reads");
                broken = Some((how, UnparsableKind::OverLimit));
                break;
            }
        }
        let body = body.freeze();
        let (all, how) = if let Some((how, kind)) = broken {
            let head = Bytes::copy_from_slice(&body[..body.len().min(KEPT)]);
            (vec![recorder.noise(origin, head, how.clone(), kind)], how)
        } else if body.is_empty() {
            (Vec::new(), "an empty body".to_owned())
        } else if origin.media == Some(MediaType::Json) {
            let how = format!("{} bytes of application/json", body.len());
            (recorder.text(origin, body), how)
        } else {
            // A server must answer a request with one of two types, by which the client selects how to read the body.
            let kind = match essence(&content_type) {
                "" => "a body without a Content-Type".to_owned(),
                essence => format!("a body of type {}", essence.to_ascii_lowercase()),
            };
            let why =
                format!("HTTP {status} with {kind}, not application/json or text/event-stream");
            (vec![recorder.noise(origin, body, why, UnparsableKind::BrokenMessage)], kind)
        };
        pass(observer, exchange, stream, all).await;
        how
    }

    /// Reads a body that is a stream of events, each of which contains a message.
    async fn events(self, exchange: u64, stream: &mut StreamProgress) -> String {
        let Self { observer, origin, reply, limits, .. } = self;
        let mut decoder = Decoder::new(limits.event);
        let mut pieces = reply.body;
        let mut seen = 0_u64;
        let mut take = async |items: Vec<SseItem>| {
            for item in items {
                seen += 1;
                stream.note_item(&item);
                let all = observer.recorder.event(origin, item);
                if !pass(observer, exchange, stream, all).await {
                    return false;
                }
            }
            true
        };
        let how = loop {
            match pieces.next().await {
                None => break "the event stream complete".to_owned(),
                Some(Err(why)) => break format!("the event stream broken off: {why}"),
                Some(Ok(piece)) => {
                    if !take(decoder.push(&piece)).await {
                        // The client is gone, and with it the reader of the observations.
                        return "the event stream no longer read".to_owned();
                    }
                }
            }
        };
        // What is left is an event without its final empty line, which is a violation.
        take(decoder.finish()).await;
        format!("{how} after {seen} event{}", if seen == 1 { "" } else { "s" })
    }
}

/// Passes observations on as part of `exchange`, which differs from their own in a continuation.
async fn pass(
    observer: &Observer,
    exchange: u64,
    stream: &mut StreamProgress,
    mut all: Vec<Incoming>,
) -> bool {
    for incoming in &mut all {
        if let Incoming::Message { origin, .. } | Incoming::Invalid { origin, .. } = incoming {
            origin.exchange = Some(exchange);
        }
        stream.note_observation(incoming);
    }
    observer.pass_all(all).await
}
