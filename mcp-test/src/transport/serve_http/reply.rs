//! Responses: a JSON text, a stream, or a refusal, with the faults of the tap on them.

use std::io;

use axum::{
    body::{Body, Bytes},
    response::Response,
};
use futures_util::stream;
use http::{HeaderName, HeaderValue, StatusCode, header};

use super::{HttpServer, Stage, drive::Drive, gate};
use crate::{
    clock,
    json::Value,
    transport::{
        fault::{Delivery, HttpDamage, Part, Then},
        tap::Wire,
    },
    wire::{ErrorReply, Id, RpcError},
};

/// The whole text of a response, for the tap; streams have none.
#[derive(Clone)]
pub(super) struct Said(pub(super) Bytes);

/// The wish for a chunked body that cannot be read.
#[derive(Clone, Copy)]
pub(super) struct WrongChunks;

impl HttpServer {
    /// The response to a request that stands by itself: closing it drops the work.
    pub(super) async fn respond(&self, wire: &Wire, mut drive: Drive) -> Response {
        let Some(first) = drive.message().await else {
            return stream_of(Body::empty());
        };
        let is_reply = first.is_reply();
        let delivery = wire.deliver(first);
        when_due(&delivery).await;
        if self.is_whole(is_reply, &delivery) {
            self.whole(&delivery).await
        } else {
            streamed(delivery.status, self.stream(wire, drive, delivery))
        }
    }

    /// Whether the first message of a response is all that it holds.
    pub(super) fn is_whole(&self, is_reply: bool, delivery: &Delivery) -> bool {
        let streams = self.0.options.streams_replies || delivery.streams;
        is_reply && !streams && delivery.parts.len() < 2
    }

    /// A response without a stream.
    pub(super) async fn whole(&self, delivery: &Delivery) -> Response {
        let status = status(delivery.status);
        match (delivery.parts.first(), delivery.then) {
            (Some(Part::Torn { bytes, of }), _) => torn(status, bytes.clone(), *of),
            (part, Then::GoOn | Then::End) => {
                text(status, gate::JSON, part.map(Part::bytes).cloned().unwrap_or_default())
            }
            (_, Then::Close | Then::Exit) => response(status, gate::JSON, broken()),
            (_, Then::Silence) => {
                self.reached(Stage::Ending).await;
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
    code.and_then(|code| StatusCode::from_u16(code).ok()).unwrap_or_default()
}

/// Waits until a delivery that is late is due.
pub(super) async fn when_due(delivery: &Delivery) {
    if let Some(by) = delivery.late {
        clock::quiet(by).await;
    }
}

/// A response with what a fault does to its exchange.
pub(super) fn damaged(mut response: Response, damage: &HttpDamage) -> Response {
    if let Some(status) = damage.status.and_then(|status| StatusCode::from_u16(status).ok()) {
        *response.status_mut() = status;
    }
    if let Some(body) = &damage.body {
        *response.body_mut() = Body::from(body.clone());
        response.extensions_mut().insert(Said(body.clone()));
    }
    if damage.wrong_chunks {
        // A body of unknown length is a chunked one.
        let body = std::mem::take(response.body_mut());
        *response.body_mut() = Body::from_stream(body.into_data_stream());
        response.extensions_mut().insert(WrongChunks);
    }
    for (name, value) in &damage.headers {
        let Ok(name) = HeaderName::try_from(name.as_str()) else { continue };
        response.headers_mut().remove(&name);
        if let Some(Ok(value)) = value.as_deref().map(HeaderValue::try_from) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// A refusal of what is not answered any more.
pub(super) fn ended() -> Response {
    refusal(StatusCode::SERVICE_UNAVAILABLE, "the server has ended")
}

/// A refusal before any message was read: a text for people.
pub(super) fn refusal(status: StatusCode, why: &'static str) -> Response {
    text(status, "text/plain; charset=utf-8", Bytes::from_static(why.as_bytes()))
}

/// A refusal of a message that has been read.
pub(super) fn error(status: StatusCode, id: Option<Id>, error: RpcError) -> Response {
    json(status, &ErrorReply { id, error }.to_value())
}

/// A JSON text.
pub(super) fn json(status: StatusCode, value: &Value) -> Response {
    text(status, gate::JSON, Bytes::from(value.to_string()))
}

/// A body of another type than the only one that is taken.
pub(super) fn not_json() -> Response {
    refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the body must be `application/json`")
}

/// A method that the endpoint does not have.
pub(super) fn not_allowed(allowed: &'static str) -> Response {
    let refusal = refusal(StatusCode::METHOD_NOT_ALLOWED, "the endpoint does not have this method");
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
    let headers =
        [(header::CACHE_CONTROL, "no-cache"), (HeaderName::from_static("x-accel-buffering"), "no")];
    let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
    with(headers.into(), response(StatusCode::OK, gate::EVENT_STREAM, body))
}

fn text(status: StatusCode, kind: &'static str, text: Bytes) -> Response {
    let mut response = response(status, kind, Body::from(text.clone()));
    response.extensions_mut().insert(Said(text));
    response
}

fn broken() -> Body {
    let error = io::Error::from(io::ErrorKind::ConnectionAborted);
    Body::from_stream(stream::iter([Err::<Bytes, _>(error)]))
}

/// A body that is announced in its whole length, and breaks off.
fn torn(status: StatusCode, beginning: Bytes, of: usize) -> Response {
    let error = io::Error::from(io::ErrorKind::ConnectionAborted);
    let body = Body::from_stream(stream::iter([Ok(beginning), Err(error)]));
    with(vec![(header::CONTENT_LENGTH, of.into())], response(status, gate::JSON, body))
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
