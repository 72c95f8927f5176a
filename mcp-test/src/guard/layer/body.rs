//! The body of a request or response: how it is declared, and reading all of it, up to a limit.

use axum::body::{Body, Bytes};
use bytes::BytesMut;
use futures_util::StreamExt;
use http::{HeaderMap, HeaderValue, header};

/// Why there is no whole body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    TooLong,
    BrokenOff,
}

/// Whether the body is encoded, for example compressed.
pub(super) fn is_encoded(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::CONTENT_ENCODING).iter();
    // RFC 9110, section 5.6.1: a list may have empty elements. Bytes, because a value need not be text.
    let mut encodings = lines.flat_map(|line| line.as_bytes().split(|&byte| byte == b','));
    encodings.any(|encoding| {
        let encoding = encoding.trim_ascii();
        !encoding.is_empty() && !encoding.eq_ignore_ascii_case(b"identity")
    })
}

/// Whether the body is declared to be of this type.
pub(super) fn is(headers: &HeaderMap, media_type: &str) -> bool {
    let value = headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    let essence = value.and_then(|value| value.split(|&byte| byte == b';').next());
    essence.is_some_and(|it| it.trim_ascii().eq_ignore_ascii_case(media_type.as_bytes()))
}

/// The whole body.
pub(super) async fn collect(body: Body, headers: &HeaderMap, most: usize) -> Result<Bytes, Unread> {
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let announced = announced.and_then(|length| length.parse().ok());
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
