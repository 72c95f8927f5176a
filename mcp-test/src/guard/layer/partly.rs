//! A batch of which the handler sees only a part: its response is completed with the answers to the rest.

use axum::body::{Body, Bytes};
use bytes::BytesMut;
use futures_util::{StreamExt, stream};
use http::{HeaderValue, Response, StatusCode, header};
use mcp_test_core::json::Value;
use mcp_test_core::spec::error_code;

use super::{body, refusal};
use crate::guard::batch;
use crate::guard::batch::Item;
use crate::guard::refusal::Refusal;

/// The response to a batch of which every message was refused.
pub(super) fn refusal(items: &[Item]) -> Response<Body> {
    let refusals: Vec<&Refusal> = batch::refusals(items).collect();
    match (refusals.as_slice(), batch::answers(items)) {
        ([first, others @ ..], Some(answers)) => {
            // One response has one status; if the refusals differ, 400 says that the input was not accepted.
            let agree = others.iter().all(|other| other.status == first.status);
            refusal::json(refusal::status(if agree { first.status } else { 400 }), &answers)
        }
        // Notifications and replies alone: over HTTP they get an error without an id.
        ([first, ..], None) => refusal::response(first),
        // Not reached: a batch with nothing left has at least one refusal.
        ([], _) => refusal::json(StatusCode::BAD_REQUEST, &Value::Null),
    }
}

/// The response to what was left of a batch, with the answers to what was not.
pub(super) async fn completed(
    response: Response<Body>,
    items: &[Item],
    most: usize,
) -> Response<Body> {
    // A refusal by the handler applies to the whole POST.
    let answers = batch::answers(items).filter(|_| response.status().is_success());
    let Some(answers) = answers else { return response };
    let (mut head, body) = response.into_parts();
    // Nothing can be added without decoding the body first.
    if body::is_encoded(&head.headers) {
        return incomplete();
    }
    head.headers.remove(header::CONTENT_LENGTH);
    if body::is(&head.headers, "text/event-stream") {
        // In front of the events of the handler, whose stream may stay open for long.
        let event = Ok(Bytes::from(format!("data: {answers}\n\n")));
        let events = stream::iter([event]).chain(body.into_data_stream());
        return Response::from_parts(head, Body::from_stream(events));
    }
    let Ok(text) = body::collect(body, &head.headers, most).await else { return incomplete() };
    let answers = Bytes::from(answers.to_string());
    let whole = match text.trim_ascii() {
        b"" => answers,
        replies if replies.starts_with(b"[") => joined(replies, &answers),
        reply => joined(&batch::array([reply]), &answers),
    };
    // The handler answers 202 if only notifications are left, but with the answers the response has a body.
    head.status = StatusCode::OK;
    head.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(head, Body::from(whole))
}

/// What replaces a response to which nothing can be added.
fn incomplete() -> Response<Body> {
    // The handler has executed its part already; a response without the other answers would leave requests open.
    let why = "the response cannot be completed";
    let failure = Refusal::new(error_code::INTERNAL_ERROR, None, why);
    refusal::json(StatusCode::INTERNAL_SERVER_ERROR, &refusal::body(&failure))
}

/// The items of both arrays in one.
fn joined(first: &[u8], second: &[u8]) -> Bytes {
    let items = |array: &[u8]| {
        // The text of the handler need not be JSON; a lone `[` must not panic.
        let inner = &array[1..array.len().saturating_sub(1).max(1)];
        Bytes::copy_from_slice(inner.trim_ascii())
    };
    let parts = [items(first), items(second)];
    let filled = parts.iter().filter(|part| !part.is_empty());
    let mut text = BytesMut::from(&b"["[..]);
    for (index, part) in filled.enumerate() {
        if index > 0 {
            text.extend_from_slice(b",");
        }
        text.extend_from_slice(part);
    }
    text.extend_from_slice(b"]");
    text.freeze()
}
