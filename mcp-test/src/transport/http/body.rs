//! Reads the response of one exchange, piece by piece, into observations.

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;

use super::resume::Stream;
use crate::trace::{Seq, What};
use crate::transport::Limits;
use crate::transport::bare::HttpReply;
use crate::transport::link::{Damage, Incoming, Media, Origin};
use crate::transport::reading::Observer;
use crate::wire::sse::{Decoder, SseItem};

/// Bytes of a broken body that are kept.
const KEPT: usize = 64 * 1024;

/// Says that no response came.
pub(super) async fn no_response(observer: &Observer, exchange: u64, why: &str) {
    let how = format!("failed without an HTTP response: {why}");
    Over::new(observer, exchange, None, how).pass(observer, exchange).await;
}

/// Records the end of an exchange.
pub(super) fn closed(observer: &Observer, exchange: u64, how: &str) -> Seq {
    observer.record(Some(exchange), What::Closed { how: how.to_owned() })
}

/// A response that was read to its end.
pub(in crate::transport) struct Over {
    seq: Seq,
    status: Option<u16>,
    pub(in crate::transport) how: String,
}

impl Over {
    /// Records that an exchange ended in this way.
    pub(in crate::transport) fn new(
        observer: &Observer,
        exchange: u64,
        status: Option<u16>,
        how: String,
    ) -> Self {
        Self { seq: closed(observer, exchange, &how), status, how }
    }

    /// A response, recorded here, that held nothing to be read.
    pub(in crate::transport) fn at(seq: Seq, status: u16) -> Self {
        Self { seq, status: Some(status), how: format!("ended with HTTP {status}") }
    }

    /// Tells that nothing more comes on an exchange.
    pub(in crate::transport) async fn pass(self, observer: &Observer, exchange: u64) {
        let Self { seq, status, how } = self;
        observer.pass(Incoming::Ended { seq, exchange, status, how }).await;
    }
}

/// A response whose head is recorded.
pub(in crate::transport) struct Response<'a> {
    observer: &'a Observer,
    seq: Seq,
    origin: Origin,
    essence: String,
    reply: HttpReply,
    limits: Limits,
}

/// Records the head of a response.
pub(in crate::transport) fn begin(
    observer: &Observer,
    exchange: u64,
    reply: HttpReply,
    limits: Limits,
) -> Response<'_> {
    let status = reply.status;
    let essence = reply.media();
    let what = What::HttpResponse { status, headers: reply.headers.clone() };
    let seq = observer.record(Some(exchange), what);
    let media = Some(Media::of(&essence));
    let origin = Origin { exchange: Some(exchange), status: Some(status), media };
    Response { observer, seq, origin, essence, reply, limits }
}

impl Response<'_> {
    /// Whether it is an event stream.
    pub(super) fn is_stream(&self) -> bool {
        self.origin.is_stream()
    }

    /// Reads it to its end; what it brings is passed on as part of `exchange`.
    pub(in crate::transport) async fn read(self, exchange: u64, stream: &mut Stream) -> Over {
        let (seq, status) = (self.seq, self.reply.status);
        let location = self.reply.header("location").filter(|_| (300..400).contains(&status));
        let how = if self.is_stream() {
            self.events(exchange, stream).await
        } else {
            self.whole(exchange, stream).await
        };
        let elsewhere = location.map(|location| format!(" to {location}")).unwrap_or_default();
        let how = format!("ended with HTTP {status}{elsewhere}, {how}");
        Over { seq, status: Some(status), how }
    }

    /// A body that is read as one piece.
    async fn whole(self, exchange: u64, stream: &mut Stream) -> String {
        let Self { observer, origin, essence, reply, limits, .. } = self;
        let scribe = &observer.scribe;
        let status = reply.status;
        let mut body = BytesMut::new();
        let mut pieces = reply.body;
        let mut broken = None;
        while let Some(piece) = pieces.next().await {
            match piece {
                Ok(piece) => body.extend_from_slice(&piece),
                Err(why) => {
                    let how = format!("a body that broke off after {} bytes: {why}", body.len());
                    broken = Some((how, Damage::Lost));
                    break;
                }
            }
            if body.len() > limits.body {
                let limit = limits.body;
                let how = format!("a body longer than the {limit} bytes that mcp-test reads");
                broken = Some((how, Damage::OverLimit));
                break;
            }
        }
        let body = body.freeze();
        let (all, how) = if let Some((how, damage)) = broken {
            let head = Bytes::copy_from_slice(&body[..body.len().min(KEPT)]);
            (vec![scribe.noise(origin, head, how.clone(), damage)], how)
        } else if body.is_empty() {
            (Vec::new(), "an empty body".to_owned())
        } else if essence == "application/json" {
            let how = format!("{} bytes of application/json", body.len());
            (scribe.text(origin, body), how)
        } else {
            let kind = match essence.as_str() {
                "" => "a body without a Content-Type".to_owned(),
                essence => format!("a body of type {essence}"),
            };
            let why =
                format!("HTTP {status} with {kind}, not application/json or text/event-stream");
            (vec![scribe.noise(origin, body, why, Damage::Lost)], kind)
        };
        pass(observer, exchange, stream, all).await;
        how
    }

    /// A body that is a stream of events, each with a message as its data.
    async fn events(self, exchange: u64, stream: &mut Stream) -> String {
        let Self { observer, origin, reply, limits, .. } = self;
        let mut decoder = Decoder::new(limits.event);
        let mut pieces = reply.body;
        let mut seen = 0_u64;
        let mut take = async |items: Vec<SseItem>| {
            for item in items {
                seen += 1;
                stream.saw(&item);
                let all = observer.scribe.event(origin, item);
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
                        return "the event stream no longer listened to".to_owned();
                    }
                }
            }
        };
        take(decoder.finish()).await;
        format!("{how} after {seen} event{}", if seen == 1 { "" } else { "s" })
    }
}

/// Passes on what came, as part of the exchange to which it belongs.
async fn pass(
    observer: &Observer,
    exchange: u64,
    stream: &mut Stream,
    mut all: Vec<Incoming>,
) -> bool {
    for incoming in &mut all {
        if let Incoming::Message { origin, .. } | Incoming::Garbled { origin, .. } = incoming {
            origin.exchange = Some(exchange);
        }
        stream.brought(incoming);
    }
    observer.pass_all(all).await
}
