//! Refusals as HTTP responses.

use axum::body::Body;
use http::{HeaderValue, Response, StatusCode, header};
use mcp_test_core::json::Value;
use mcp_test_core::wire::ErrorReply;

use crate::guard::refusal::Refusal;

/// The response to a POST that is refused as a whole.
pub(super) fn response(refusal: &Refusal) -> Response<Body> {
    json(status(refusal.status), &body(refusal))
}

/// The response to a POST whose body is encoded.
pub(super) fn unsupported_encoding(refusal: &Refusal) -> Response<Body> {
    let mut response = response(refusal);
    // RFC 9110, section 15.5.16: the response names the encodings that are supported.
    let supported = HeaderValue::from_static("identity");
    response.headers_mut().insert(header::ACCEPT_ENCODING, supported);
    response
}

/// The error reply; for a message that is not answered one without an id, which the specification allows over HTTP.
pub(super) fn body(refusal: &Refusal) -> Value {
    let nameless = || ErrorReply { id: None, error: refusal.error() }.to_value();
    refusal.answer().unwrap_or_else(nameless)
}

pub(super) fn status(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_REQUEST)
}

pub(super) fn json(status: StatusCode, value: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
