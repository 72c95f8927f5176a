//! The requests of a client that signs in, within bounds.

use std::net::IpAddr;
use std::time::Duration;

use reqwest::Url;

use super::{Settings, SignInError};
use crate::clock::Deadline;
use crate::json::Value;
use crate::oauth::redirect_uri::is_secure;
use crate::transport::{HttpRequest, Misbehavior, PlainResponse, request_once};

/// The bytes of the largest response that is read.
const LARGEST: usize = 256 * 1024;
/// How long a response may take.
const TIME: Duration = Duration::from_secs(10);

/// Sends a request; `what` is what is asked for, in words.
pub(super) async fn send(
    what: &'static str,
    url: &str,
    request: &HttpRequest,
    settings: &Settings,
) -> Result<PlainResponse, SignInError> {
    check_url(url, settings)?;
    let response = request_once(url, request, LARGEST, Deadline::after(TIME)).await;
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

/// The same by a request with other headers.
pub(super) async fn get_document_by(
    what: &'static str,
    url: &str,
    request: &HttpRequest,
    settings: &Settings,
) -> Result<Option<Value>, SignInError> {
    let mut response = send(what, url, request, settings).await?;
    if let Some(target) = redirect(url, &response)
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

/// Where a response redirects to.
fn redirect(url: &str, response: &PlainResponse) -> Option<Url> {
    let mut headers = response.headers.iter().filter(|_| matches!(response.status, 300..400));
    let (_, location) = headers.find(|(name, _)| name.eq_ignore_ascii_case("location"))?;
    Url::parse(url).ok()?.join(location).ok()
}

/// Refuses a URL by which a secret could be read on its way, or that leads into the network of the client.
pub(super) fn check_url(text: &str, settings: &Settings) -> Result<(), SignInError> {
    let may_be_used = |url: &Url| is_secure(url) && !is_internal(url);
    if Url::parse(text).is_ok_and(|url| may_be_used(&url))
        || settings.misbehaves(Misbehavior::UsesAnyUrl)
    {
        Ok(())
    } else {
        Err(SignInError::UnsafeUrl(text.to_owned()))
    }
}

/// Whether the host of a URL is an address of a private network, or a reserved one; loopback is neither.
fn is_internal(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let Ok(address) = host.parse::<IpAddr>() else { return false };
    match address.to_canonical() {
        IpAddr::V4(address) => {
            address.is_private() || address.is_link_local() || address.is_unspecified()
        }
        IpAddr::V6(address) => {
            address.is_unique_local() || address.is_unicast_link_local() || address.is_unspecified()
        }
    }
}

/// Scheme, host and port of a URL, and its path, which is empty at the root.
pub(super) fn origin_and_path(url: &str) -> Result<(String, String), SignInError> {
    let parsed = Url::parse(url).map_err(|_| SignInError::UnsafeUrl(url.to_owned()))?;
    let path = parsed.path().trim_end_matches('/').to_owned();
    Ok((parsed.origin().ascii_serialization(), path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_private_networks_are_recognized() {
        let is_internal = |text: &str| is_internal(&Url::parse(text).expect("a URL"));
        for url in [
            "https://10.0.0.1/",
            "https://172.16.0.1/",
            "https://192.168.0.1/",
            "https://169.254.169.254/",
            "https://0xa9fea9fe/",
            "https://0.0.0.0/",
            "https://[::ffff:10.0.0.1]/",
            "https://[fe80::1]/",
            "https://[fc00::1]/",
            "https://[::]/",
        ] {
            assert!(is_internal(url), "{url}");
        }
        for url in ["https://example.com/", "https://127.0.0.1/", "https://[::1]/"] {
            assert!(!is_internal(url), "{url}");
        }
    }
}
