//! Reads the response of one exchange, piece by piece, into observations.

use bytes::BytesMut;
use futures_util::StreamExt;

use super::door::HttpReply;
use crate::trace::What;
use crate::transport::Limits;
use crate::transport::link::{Damage, Incoming, Origin};
use crate::transport::reading::Observer;
use crate::wire::sse::{Decoder, SseItem};

/// Bytes of a broken body that are kept.
const KEPT: usize = 64 * 1024;

/// Says that no response came.
pub(super) async fn no_response(observer: &Observer, exchange: u64, why: &str) {
    let how = format!("failed without an HTTP response: {why}");
    let seq = observer.record(Some(exchange), What::Closed { how: how.clone() });
    let (status, to_be_polled) = (None, false);
    observer.pass(Incoming::Ended { seq, exchange, status, how, to_be_polled }).await;
}

/// Reads a response to its end.
pub(super) async fn observe(observer: &Observer, exchange: u64, reply: HttpReply, limits: Limits) {
    let status = reply.status;
    let media = reply.header("content-type").unwrap_or_default();
    let essence = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let location = reply.header("location").filter(|_| (300..400).contains(&status));
    let what = What::HttpResponse { status, headers: reply.headers.clone() };
    let seq = observer.record(Some(exchange), what);
    let stream = essence == "text/event-stream";
    let origin = Origin { exchange: Some(exchange), status: Some(status), stream };
    let (how, to_be_polled) = if stream {
        events(observer, origin, reply, limits).await
    } else {
        (whole(observer, origin, reply, &essence, limits).await, false)
    };
    let elsewhere = location.map(|location| format!(" to {location}")).unwrap_or_default();
    let how = format!("ended with HTTP {status}{elsewhere}, {how}");
    let status = Some(status);
    observer.pass(Incoming::Ended { seq, exchange, status, how, to_be_polled }).await;
}

/// A body that is read as one piece.
async fn whole(
    observer: &Observer,
    origin: Origin,
    reply: HttpReply,
    essence: &str,
    limits: Limits,
) -> String {
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
            let how = format!("a body longer than the {} bytes that mcp-test reads", limits.body);
            broken = Some((how, Damage::OverLimit));
            break;
        }
    }
    let body = body.freeze();
    if let Some((how, damage)) = broken {
        let head = body.slice(..body.len().min(KEPT));
        observer.noise(origin, head, how.clone(), damage).await;
        return how;
    }
    if body.is_empty() {
        return "an empty body".to_owned();
    }
    if essence == "application/json" {
        let how = format!("{} bytes of application/json", body.len());
        observer.text(origin, body).await;
        return how;
    }
    let kind = match essence {
        "" => "a body without a Content-Type".to_owned(),
        essence => format!("a body of type {essence}"),
    };
    let why = format!("HTTP {status} with {kind}, not application/json or text/event-stream");
    observer.noise(origin, body, why, Damage::Lost).await;
    kind
}

/// A body that is a stream of events, each with a message as its data; tells whether the stream gave ids to its events.
async fn events(
    observer: &Observer,
    origin: Origin,
    reply: HttpReply,
    limits: Limits,
) -> (String, bool) {
    let mut decoder = Decoder::new(limits.event);
    let mut pieces = reply.body;
    let (mut seen, mut numbered) = (0_u64, false);
    let how = loop {
        match pieces.next().await {
            None => break "the event stream complete".to_owned(),
            Some(Err(why)) => break format!("the event stream broken off: {why}"),
            Some(Ok(piece)) => {
                for item in decoder.push(&piece) {
                    seen += 1;
                    numbered |= has_id(&item);
                    if !event(observer, origin, item).await {
                        return ("the event stream no longer listened to".to_owned(), false);
                    }
                }
            }
        }
    };
    for item in decoder.finish() {
        seen += 1;
        event(observer, origin, item).await;
    }
    (format!("{how} after {seen} event{}", if seen == 1 { "" } else { "s" }), numbered)
}

fn has_id(item: &SseItem) -> bool {
    matches!(item, SseItem::Event(event) | SseItem::Silent(event) if event.id.is_some())
}

async fn event(observer: &Observer, origin: Origin, item: SseItem) -> bool {
    observer.pass_all(observer.scribe.event(origin, item)).await
}
