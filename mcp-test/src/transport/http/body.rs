//! Reads the response of one exchange, piece by piece, into observations.

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;

use super::door::HttpReply;
use super::ended;
use crate::trace::What;
use crate::transport::Limits;
use crate::transport::reading::Observer;
use crate::wire::sse::{Decoder, SseItem, SseViolation};

/// Says that no response came.
pub(super) async fn no_response(observer: &Observer, exchange: u64, why: &str) {
    let how = format!("failed without an HTTP response: {why}");
    let seq = observer.record(Some(exchange), What::Closed { how: how.clone() });
    observer.pass(ended(seq, exchange, None, how)).await;
}

/// Reads a response to its end.
pub(super) async fn observe(observer: &Observer, exchange: u64, reply: HttpReply, limits: Limits) {
    let status = reply.status;
    let media = reply.header("content-type").unwrap_or_default();
    let essence = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let what = What::HttpResponse { status, headers: reply.headers.clone() };
    let seq = observer.record(Some(exchange), what);
    let how = match essence.as_str() {
        "text/event-stream" => events(observer, exchange, reply, limits).await,
        _ => whole(observer, exchange, reply, &essence, limits).await,
    };
    let how = format!("ended with HTTP {status}, {how}");
    observer.pass(ended(seq, exchange, Some(status), how)).await;
}

/// A body that is read as one piece.
async fn whole(
    observer: &Observer,
    exchange: u64,
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
                broken = Some(format!("a body that broke off after {} bytes: {why}", body.len()));
                break;
            }
        }
        if body.len() > limits.body {
            broken = Some(format!("a body longer than the limit of {} bytes", limits.body));
            break;
        }
    }
    let body = body.freeze();
    if let Some(how) = broken {
        let head = body.slice(..body.len().min(limits.body));
        observer.noise(Some(exchange), head, how.clone(), true).await;
        return how;
    }
    if body.is_empty() {
        return "an empty body".to_owned();
    }
    if essence == "application/json" {
        let how = format!("{} bytes of application/json", body.len());
        observer.text(Some(exchange), body).await;
        return how;
    }
    let kind = match essence {
        "" => "a body without a Content-Type".to_owned(),
        essence => format!("a body of type {essence}"),
    };
    let why = format!("HTTP {status} with {kind}, not application/json or text/event-stream");
    // Outside 2xx a body is for people; it explains, and is no attempt at a message.
    let broken = (200..300).contains(&status);
    observer.noise(Some(exchange), body, why, broken).await;
    kind
}

/// A body that is a stream of events, each with a message as its data.
async fn events(observer: &Observer, exchange: u64, reply: HttpReply, limits: Limits) -> String {
    let mut decoder = Decoder::new(limits.event);
    let mut pieces = reply.body;
    let mut seen = 0_u64;
    let how = loop {
        match pieces.next().await {
            None => break "the event stream complete".to_owned(),
            Some(Err(why)) => break format!("the event stream broken off: {why}"),
            Some(Ok(piece)) => {
                for item in decoder.push(&piece) {
                    seen += 1;
                    if !event(observer, exchange, item).await {
                        return "the event stream no longer listened to".to_owned();
                    }
                }
            }
        }
    };
    for item in decoder.finish() {
        seen += 1;
        event(observer, exchange, item).await;
    }
    format!("{how} after {seen} event{}", if seen == 1 { "" } else { "s" })
}

async fn event(observer: &Observer, exchange: u64, item: SseItem) -> bool {
    let exchange = Some(exchange);
    match item {
        SseItem::Event(event) => {
            let data = Bytes::from(event.data);
            let what = What::SseEvent { event: event.event, id: event.id, retry: event.retry };
            observer.record(exchange, what);
            // An event without data primes the client with an id to resume from.
            data.is_empty() || observer.text(exchange, data).await
        }
        SseItem::Silent(event) => {
            let what = What::SseEvent { event: event.event, id: event.id, retry: event.retry };
            observer.record(exchange, what);
            true
        }
        SseItem::Comment(text) => {
            observer.record(exchange, What::SseComment(text));
            true
        }
        SseItem::Violation(violation) => {
            let (text, lost) = match &violation {
                SseViolation::UnknownField { line } => (line, line.trim_start().starts_with('{')),
                SseViolation::InvalidUtf8 { line } => (line, false),
                SseViolation::NulInId { value } | SseViolation::BadRetry { value } => {
                    (value, false)
                }
                SseViolation::TooLong { head, .. } => (head, true),
                SseViolation::Unfinished { text } => (text, true),
            };
            let bytes = Bytes::copy_from_slice(text.as_bytes());
            observer.noise(exchange, bytes, violation.to_string(), lost).await
        }
    }
}
