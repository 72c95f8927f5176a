//! Responses: a JSON text, a stream, or a refusal, with the faults of the tap on them.

use std::{collections::VecDeque, io};

use axum::{
    body::{Body, Bytes},
    response::Response,
};
use futures_util::stream;
use http::{HeaderName, HeaderValue, StatusCode, header};

use super::{HttpServer, drive::Drive, gate};
use crate::{
    json::Value,
    transport::fault::{Delivery, Part, Then},
    wire::{
        ErrorReply, Id, RpcError,
        sse::{self, SseEvent},
    },
};

/// How the first message of a request is answered.
pub(super) struct Manner {
    /// Headers besides those that every reply has.
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
    /// The event that comes before the first message of a stream.
    pub(super) priming: Option<SseEvent>,
}

impl HttpServer {
    /// The response to a request or a batch that wants an answer.
    pub(super) async fn respond(&self, mut drive: Drive, manner: Manner) -> Response {
        let Some(first) = drive.next().await else {
            return with(manner.headers, stream_of(Body::empty()));
        };
        let is_reply = first.is_reply();
        let delivery = self.0.tap.deliver(first);
        let whole = is_reply && !self.0.options.streams_replies && delivery.parts.len() < 2;
        let status = status(&delivery);
        let content_type = delivery.content_type.clone();
        let mut response = match (&delivery.body, delivery.then, whole) {
            (Some(body), ..) => json_of(Body::from(body.clone())),
            (None, Then::Silence, true) => {
                self.ended().await;
                return refusal(StatusCode::SERVICE_UNAVAILABLE, "the server has ended");
            }
            (None, Then::GoOn, true) => json_of(Body::from(
                delivery
                    .parts
                    .first()
                    .map(Part::bytes)
                    .cloned()
                    .unwrap_or_default(),
            )),
            (None, _, true) => json_of(broken()),
            (None, _, false) => stream_of(self.stream(drive, delivery, manner.priming)),
        };
        *response.status_mut() = status;
        if let Some(kind) = content_type.and_then(|kind| HeaderValue::from_str(&kind).ok()) {
            response.headers_mut().insert(header::CONTENT_TYPE, kind);
        }
        with(manner.headers, response)
    }

    /// Waits until the server ends.
    pub(super) async fn ended(&self) {
        // The sender lives as long as this server does.
        self.0.ended.subscribe().wait_for(|ended| *ended).await.ok();
    }

    fn stream(&self, drive: Drive, first: Delivery, priming: Option<SseEvent>) -> Body {
        let mut queue: VecDeque<_> = priming.iter().map(sse::encode).collect();
        queue.extend(events(&first));
        let state = Streaming {
            server: self.clone(),
            drive,
            queue,
            then: first.then,
        };
        Body::from_stream(stream::unfold(state, async |mut state| {
            Some((state.next().await?, state))
        }))
    }
}

/// A stream under way.
struct Streaming {
    server: HttpServer,
    drive: Drive,
    queue: VecDeque<Bytes>,
    then: Then,
}

impl Streaming {
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            if let Some(event) = self.queue.pop_front() {
                return Some(Ok(event));
            }
            match self.then {
                Then::GoOn => {}
                Then::Silence => {
                    self.server.ended().await;
                    return None;
                }
                Then::Close | Then::Exit => {
                    return Some(Err(io::ErrorKind::ConnectionAborted.into()));
                }
            }
            let delivery = self.server.0.tap.deliver(self.drive.next().await?);
            self.queue.extend(events(&delivery));
            self.then = delivery.then;
        }
    }
}

fn events(delivery: &Delivery) -> impl Iterator<Item = Bytes> {
    let texts = delivery
        .parts
        .iter()
        .map(|part| String::from_utf8_lossy(part.bytes()));
    texts
        .filter(|text| !text.is_empty())
        .map(|text| sse::encode(&SseEvent::data(text)))
}

/// A refusal before any message was read: a text for people.
pub(super) fn refusal(status: StatusCode, why: &'static str) -> Response {
    response(status, "text/plain; charset=utf-8", Body::from(why))
}

/// A refusal of a message that has been read.
pub(super) fn error(status: StatusCode, id: Option<Id>, error: RpcError) -> Response {
    json(status, &ErrorReply { id, error }.to_value())
}

/// A JSON text.
pub(super) fn json(status: StatusCode, value: &Value) -> Response {
    response(status, gate::JSON, Body::from(value.to_string()))
}

/// A method that the endpoint does not have.
pub(super) fn not_allowed(allowed: &'static str) -> Response {
    let refusal = refusal(
        StatusCode::METHOD_NOT_ALLOWED,
        "the endpoint does not have this method",
    );
    with(
        vec![(header::ALLOW, HeaderValue::from_static(allowed))],
        refusal,
    )
}

/// A response without a body.
pub(super) fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// A stream of events.
pub(super) fn stream_of(body: Body) -> Response {
    let headers = [
        (header::CACHE_CONTROL, "no-cache"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
    with(
        headers.into(),
        response(StatusCode::OK, gate::EVENT_STREAM, body),
    )
}

fn json_of(body: Body) -> Response {
    response(StatusCode::OK, gate::JSON, body)
}

fn broken() -> Body {
    let error = io::Error::from(io::ErrorKind::ConnectionAborted);
    Body::from_stream(stream::iter([Err::<Bytes, _>(error)]))
}

fn status(delivery: &Delivery) -> StatusCode {
    delivery
        .status
        .and_then(|status| StatusCode::from_u16(status).ok())
        .unwrap_or_default()
}

fn response(status: StatusCode, kind: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn with(headers: Vec<(HeaderName, HeaderValue)>, mut response: Response) -> Response {
    response.headers_mut().extend(headers);
    response
}
