//! Sends the HTTP requests of a sign-in, with limits on size and time.

use std::time::Duration;

use super::{Settings, SignInError};
use crate::clock::{Deadline, Stopwatch};
use crate::json::Value;
use crate::transport::{HttpRequest, Misbehavior, PlainResponse, request_once};

/// The maximum size of a response, in bytes.
const LARGEST: usize = 256 * 1024;
/// How long a response may take.
const TIME: Duration = Duration::from_secs(10);

/// Checks that the host may be contacted, and sends a request to it; `what` names the resource in questions and errors.
pub(super) async fn send(
    what: &'static str,
    url: &str,
    request: &HttpRequest,
    settings: &Settings,
) -> Result<PlainResponse, SignInError> {
    let faults = [Misbehavior::UsesAnyUrl, Misbehavior::GetsLinkedDocuments];
    if !faults.into_iter().any(|fault| settings.misbehaves(fault)) {
        settings.contacts.admit(what, url).await?;
    }
    let (stopwatch, time) = (Stopwatch::start(), settings.contacts.time(TIME));
    let deadline = Deadline::after(time);
    let response = match &settings.connections {
        Some(connections) => connections.request(url, request, LARGEST, deadline).await,
        None => request_once(url, request, LARGEST, deadline).await,
    };
    settings.contacts.took(stopwatch.elapsed());
    response.map_err(|why| SignInError::Fetch { what, url: url.to_owned(), why })
}

/// The JSON object at a URL; `None` if the server does not have it.
pub(super) async fn get_document(
    what: &'static str,
    url: &str,
    settings: &Settings,
) -> Result<Option<Value>, SignInError> {
    let request = HttpRequest::get().header("Accept", "application/json");
    get_document_by(what, url, &request, settings).await
}

/// Like [`get_document`], but sends the given request.
pub(super) async fn get_document_by(
    what: &'static str,
    url: &str,
    request: &HttpRequest,
    settings: &Settings,
) -> Result<Option<Value>, SignInError> {
    let mut response = send(what, url, request, settings).await?;
    if let Some(target) = response.redirect(url)
        && settings.misbehaves(Misbehavior::UsesAnyUrl)
    {
        response = send(what, target.as_str(), request, settings).await?;
    }
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
