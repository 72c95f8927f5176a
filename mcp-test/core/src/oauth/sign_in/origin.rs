//! The parts of a URL by which servers and documents are found.

use reqwest::Url;

use super::SignInError;

/// Scheme, host and port of a URL, and its path, which is empty at the root.
pub(super) fn origin_and_path(url: &str) -> Result<(String, String), SignInError> {
    let parsed = Url::parse(url).map_err(|_| SignInError::UnsafeUrl(url.to_owned()))?;
    let path = parsed.path().trim_end_matches('/').to_owned();
    Ok((parsed.origin().ascii_serialization(), path))
}
