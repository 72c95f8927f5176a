//! The body of a POST: whether it is judged, and reading all of it, up to a limit.

use axum::body::{Body, Bytes};
use bytes::BytesMut;
use futures_util::StreamExt;
use http::{HeaderMap, HeaderName, header};

/// Why there is no whole body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    TooLong,
    BrokenOff,
}

/// Whether the body is JSON that is not encoded.
pub(super) fn is_judged(headers: &HeaderMap) -> bool {
    !is_encoded(headers) && is(headers, "application/json")
}

/// Whether the body is encoded, for example compressed.
pub(super) fn is_encoded(headers: &HeaderMap) -> bool {
    let mut encodings = headers.get_all(header::CONTENT_ENCODING).iter();
    encodings.any(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

/// Whether the body is declared to be of this type.
pub(super) fn is(headers: &HeaderMap, media_type: &str) -> bool {
    let essence = text(headers, &header::CONTENT_TYPE).and_then(|value| value.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case(media_type))
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// The whole body.
pub(super) async fn collect(body: Body, headers: &HeaderMap, most: usize) -> Result<Bytes, Unread> {
    let announced = text(headers, &header::CONTENT_LENGTH).and_then(|length| length.parse().ok());
    // Refused before any of it is read; without a length, or with a wrong one, the loop below is the bound.
    if announced.is_some_and(|length: usize| length > most) {
        return Err(Unread::TooLong);
    }
    let mut chunks = body.into_data_stream();
    let mut whole = BytesMut::new();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| Unread::BrokenOff)?;
        if chunk.len() > most - whole.len() {
            return Err(Unread::TooLong);
        }
        whole.extend_from_slice(&chunk);
    }
    Ok(whole.freeze())
}
