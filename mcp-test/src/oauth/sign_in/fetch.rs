//! The requests of a client that signs in, within bounds.

use std::time::Duration;

use reqwest::Url;

use super::SignInError;
use crate::clock::Deadline;
use crate::json::Value;
use crate::oauth::redirect_uri::is_secure;
use crate::transport::{HttpRequest, PlainResponse, request_once};

/// The bytes of the largest response that is read.
const LARGEST: usize = 256 * 1024;
/// How long a response may take.
const TIME: Duration = Duration::from_secs(10);

/// Sends a request; `what` is what is asked for, in words.
pub(super) async fn send(
    what: &'static str,
    url: &str,
    request: &HttpRequest,
) -> Result<PlainResponse, SignInError> {
    check_url(url)?;
    let response = request_once(url, request, LARGEST, Deadline::after(TIME)).await;
    response.map_err(|why| SignInError::Fetch { what, url: url.to_owned(), why })
}

/// The JSON object at a URL; `None` if the server does not have it.
pub(super) async fn get_document(
    what: &'static str,
    url: &str,
) -> Result<Option<Value>, SignInError> {
    let request = HttpRequest::get().header("Accept", "application/json");
    get_document_by(what, url, &request).await
}

/// The same by a request with other headers.
pub(super) async fn get_document_by(
    what: &'static str,
    url: &str,
    request: &HttpRequest,
) -> Result<Option<Value>, SignInError> {
    let response = send(what, url, request).await?;
    match response.status {
        200 => object(what, url, &response).map(Some),
        400..=499 => Ok(None),
        status => Err(SignInError::Status { what, url: url.to_owned(), status, error: None }),
    }
}

/// The JSON object in a response.
pub(super) fn object(
    what: &'static str,
    url: &str,
    response: &PlainResponse,
) -> Result<Value, SignInError> {
    match Value::parse(&response.body) {
        Ok(document) if document.value.is_object() => Ok(document.value),
        _ => Err(SignInError::NotObject { what, url: url.to_owned() }),
    }
}

/// Refuses a URL by which a secret could be read on its way.
fn check_url(text: &str) -> Result<(), SignInError> {
    if Url::parse(text).is_ok_and(|url| is_secure(&url)) {
        Ok(())
    } else {
        Err(SignInError::UnsafeUrl(text.to_owned()))
    }
}

/// Scheme, host and port of a URL, and its path, which is empty at the root.
pub(super) fn origin_and_path(url: &str) -> Result<(String, String), SignInError> {
    let parsed = Url::parse(url).map_err(|_| SignInError::UnsafeUrl(url.to_owned()))?;
    let path = parsed.path().trim_end_matches('/').to_owned();
    Ok((parsed.origin().ascii_serialization(), path))
}
