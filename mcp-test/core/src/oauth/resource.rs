//! The resources that a token is for (RFC 8707).

use reqwest::Url;

use super::oauth_error::{ErrorCode, OAuthError};
use super::parameters::Parameters;

/// How many resources one request may name.
const MOST_RESOURCES: usize = 10;
/// The bytes of all of them, which all go into the token.
const LONGEST_LIST: usize = 2 * 1024;

/// The resources that a request names, as they are written.
pub(super) fn requested_resources(parameters: &Parameters) -> Result<Vec<String>, OAuthError> {
    let named: Vec<String> =
        parameters.all("resource").take(MOST_RESOURCES + 1).map(str::to_owned).collect();
    let bytes: usize = named.iter().map(String::len).sum();
    if named.len() > MOST_RESOURCES || bytes > LONGEST_LIST {
        return Err(ErrorCode::InvalidTarget.because("too many resources, or too long ones"));
    }
    // RFC 8707, section 2: an absolute URI without a fragment.
    let is_valid =
        |resource: &String| Url::parse(resource).is_ok_and(|url| url.fragment().is_none());
    match named.iter().all(is_valid) {
        true => Ok(named),
        false => Err(ErrorCode::InvalidTarget
            .because("`resource` must be an absolute URI without a fragment")),
    }
}

/// The resource of an assertion, as far as the request names it; without one in the assertion, as for [`requested_resources`].
pub(super) fn asserted(
    parameters: &Parameters,
    asserted: Option<&str>,
) -> Result<Vec<String>, OAuthError> {
    match asserted {
        None => requested_resources(parameters),
        Some(asserted) => within(parameters, &[asserted.to_owned()]),
    }
}

/// The resources of a token request: those that it names, which must have been granted, or all that were granted.
pub(super) fn within(
    parameters: &Parameters,
    granted: &[String],
) -> Result<Vec<String>, OAuthError> {
    let named = requested_resources(parameters)?;
    if named.is_empty() {
        return Ok(granted.to_vec());
    }
    match named.iter().all(|resource| granted.contains(resource)) {
        true => Ok(named),
        false => Err(ErrorCode::InvalidTarget.because("the resource was not granted")),
    }
}
