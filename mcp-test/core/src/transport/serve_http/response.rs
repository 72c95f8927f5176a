//! Responses: a JSON text, an event stream or a refusal, with faults applied.

use std::io;

use axum::body::{Body, Bytes};
use axum::response::Response;
use futures_util::stream;
use http::{HeaderName, HeaderValue, StatusCode, header};

use super::reserved_delivery::ReservedDelivery;
use super::{HttpServer, ServerStage, request_headers};
use crate::clock;
use crate::json::Value;
use crate::transport::fault::{Delivery, DeliveryPart, FollowUp, HttpFaults};
use crate::transport::memory_budget::{MemoryUsedUp, Reservation};
use crate::wire::{ErrorReply, Id, RpcError};

/// The body of a response, which the interceptor records; streams have none.
#[derive(Clone)]
pub(super) struct SentText(pub(super) DeliveryPart);

/// Marks a response that a socket must corrupt.
#[derive(Clone, Copy)]
pub(super) enum Corruption {
    /// Its chunked body.
    WrongChunks,
    /// The whole response is written twice.
    Twice,
}

impl HttpServer {
    /// Whether the first message of a response is all that it contains.
    pub(super) fn is_whole(&self, is_reply: bool, delivery: &Delivery) -> bool {
        let streams = self.0.options.streams_replies || delivery.streams;
        is_reply && !streams && delivery.parts.len() < 2
    }

    /// A response that is not a stream.
    pub(super) async fn whole(&self, reserved: ReservedDelivery) -> Response {
        let ReservedDelivery { delivery, memory } = reserved;
        let status = status(delivery.status);
        match (delivery.parts.first(), delivery.then) {
            (Some(DeliveryPart::Torn { bytes, of }), _) => {
                let beginning = memory.holding(bytes.clone());
                let mut response = response(status, request_headers::JSON, torn(Some(beginning)));
                // The whole length is announced, so that the client can see that something is missing.
                response.headers_mut().insert(header::CONTENT_LENGTH, (*of).into());
                response
            }
            (part, FollowUp::Continue | FollowUp::EndStream) => {
                let nothing = || DeliveryPart::Message(Bytes::new());
                let part = part.cloned().unwrap_or_else(nothing);
                sent(status, request_headers::JSON, part, memory)
            }
            (_, FollowUp::CloseConnection | FollowUp::Exit) => broken_off(status),
            (_, FollowUp::Silence) => {
                // The request stays unanswered until the server shuts down, which must not wait for it.
                self.reached(ServerStage::ConnectionEnd).await;
                ended()
            }
        }
    }
}

/// A response that is a stream.
pub(super) fn streamed(code: Option<u16>, body: Body) -> Response {
    let mut response = stream_of(body);
    *response.status_mut() = status(code);
    response
}

fn status(code: Option<u16>) -> StatusCode {
    // The default is 200; codes come from `spec` and are valid.
    code.and_then(|code| StatusCode::from_u16(code).ok()).unwrap_or_default()
}

/// Waits until a delayed delivery is due.
pub(super) async fn until_due(delivery: &Delivery) {
    if let Some(by) = delivery.delay {
        clock::quiet(by).await;
    }
}

/// Applies the faults of an exchange to its response.
pub(super) fn with_faults(mut response: Response, faults: &HttpFaults) -> Response {
    if let Some(status) = faults.status.and_then(|status| StatusCode::from_u16(status).ok()) {
        *response.status_mut() = status;
    }
    if let Some(body) = &faults.body {
        *response.body_mut() = Body::from(body.clone());
        response.extensions_mut().insert(SentText(DeliveryPart::Message(body.clone())));
    }
    if faults.wrong_chunks {
        // hyper sends a body of unknown length in chunks.
        let body = std::mem::take(response.body_mut());
        *response.body_mut() = Body::from_stream(body.into_data_stream());
        response.extensions_mut().insert(Corruption::WrongChunks);
    }
    if faults.two_responses {
        response.extensions_mut().insert(Corruption::Twice);
    }
    for (name, value) in &faults.headers {
        // A fault may name a header that HTTP cannot carry, which is then left out.
        let Ok(name) = HeaderName::try_from(name.as_str()) else { continue };
        response.headers_mut().remove(&name);
        if let Some(Ok(value)) = value.as_deref().map(HeaderValue::try_from) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// The refusal of a request that comes after the end.
pub(super) fn ended() -> Response {
    refusal(StatusCode::SERVICE_UNAVAILABLE, "the server has ended")
}

/// The refusal of a request for which no memory is left.
pub(super) fn used_up(error: MemoryUsedUp) -> Response {
    let refusal = refusal(StatusCode::SERVICE_UNAVAILABLE, error.to_string());
    with(vec![(header::RETRY_AFTER, HeaderValue::from_static(MemoryUsedUp::RETRY_AFTER))], refusal)
}

/// A refusal before any message was read, as plain text.
pub(super) fn refusal(status: StatusCode, why: impl Into<Bytes>) -> Response {
    text(status, "text/plain; charset=utf-8", why.into())
}

/// A response that breaks off before its body.
pub(super) fn broken_off(status: StatusCode) -> Response {
    response(status, request_headers::JSON, torn(None))
}

/// A refusal of a message that was read, as an error reply.
pub(super) fn error(status: StatusCode, id: Option<Id>, error: RpcError) -> Response {
    json(status, &ErrorReply { id, error }.to_value())
}

/// A JSON text.
pub(super) fn json(status: StatusCode, value: &Value) -> Response {
    text(status, request_headers::JSON, Bytes::from(value.to_string()))
}

/// The refusal of a request that does not accept the response.
pub(super) fn not_acceptable(why: &'static str) -> Response {
    refusal(StatusCode::NOT_ACCEPTABLE, why)
}

/// The refusal of a body that is not declared as JSON.
pub(super) fn not_json() -> Response {
    refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the body must be `application/json`")
}

/// The refusal of a method that the endpoint does not support.
pub(super) fn not_allowed(allowed: &'static str) -> Response {
    let refusal =
        refusal(StatusCode::METHOD_NOT_ALLOWED, "the endpoint does not support this method");
    // A response with status 405 must have `Allow` (RFC 9110, section 15.5.6).
    with(vec![(header::ALLOW, HeaderValue::from_static(allowed))], refusal)
}

/// A response without a body.
pub(super) fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// A stream of events.
pub(super) fn stream_of(body: Body) -> Response {
    // Without these, caches and nginx would hold events back.
    let headers =
        [(header::CACHE_CONTROL, "no-cache"), (HeaderName::from_static("x-accel-buffering"), "no")];
    let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
    with(headers.into(), response(StatusCode::OK, request_headers::EVENT_STREAM, body))
}

fn text(status: StatusCode, kind: &'static str, text: Bytes) -> Response {
    sent(status, kind, DeliveryPart::Message(text), Reservation::default())
}

fn sent(
    status: StatusCode,
    kind: &'static str,
    part: DeliveryPart,
    memory: Reservation,
) -> Response {
    // The part itself holds nothing: the trace keeps it.
    let mut response = response(status, kind, Body::from(memory.holding(part.bytes().clone())));
    response.extensions_mut().insert(SentText(part));
    response
}

/// A body that breaks off after this beginning.
fn torn(beginning: Option<Bytes>) -> Body {
    Body::from_stream(stream::iter(beginning.map(Ok).into_iter().chain([Err(aborted())])))
}

/// The error that makes the HTTP server break the connection off.
pub(super) fn aborted() -> io::Error {
    io::ErrorKind::ConnectionAborted.into()
}

fn response(status: StatusCode, kind: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// A response with more headers.
pub(super) fn with(headers: Vec<(HeaderName, HeaderValue)>, mut response: Response) -> Response {
    response.headers_mut().extend(headers);
    response
}
