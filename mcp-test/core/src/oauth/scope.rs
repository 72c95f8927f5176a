//! Scopes: what a request asks for, and what it gets.

use super::oauth_error::{ErrorCode, OAuthError};
use super::parameters::Parameters;

/// The bytes of the longest list of scopes, which all go into the token.
const LONGEST_LIST: usize = 1024;

/// The scopes of a request, which must be among `known`; all of these, if it names none. Without known scopes it gets
/// what it asks for.
pub(super) fn requested_scopes(
    parameters: &Parameters,
    known: &[String],
) -> Result<Vec<String>, OAuthError> {
    match named(parameters)? {
        None => Ok(known.to_vec()),
        Some(scopes) if known.is_empty() => Ok(scopes),
        Some(scopes) => among(scopes, known, "the server does not have this scope"),
    }
}

/// The scopes of a token request: those that it names, which must have been granted, or all that were granted.
pub(super) fn within(
    parameters: &Parameters,
    granted: &[String],
) -> Result<Vec<String>, OAuthError> {
    match named(parameters)? {
        None => Ok(granted.to_vec()),
        Some(scopes) => among(scopes, granted, "the scope was not granted"),
    }
}

/// The scopes of an assertion, as far as the request names them; without any in the assertion, as for [`requested_scopes`].
pub(super) fn asserted(
    parameters: &Parameters,
    asserted: Option<&str>,
    known: &[String],
) -> Result<Vec<String>, OAuthError> {
    let Some(asserted) = asserted else { return requested_scopes(parameters, known) };
    let scopes = parse(asserted)?;
    let scopes = match known {
        [] => scopes,
        known => among(scopes, known, "the server does not have this scope")?,
    };
    within(parameters, &scopes)
}

fn named(parameters: &Parameters) -> Result<Option<Vec<String>>, OAuthError> {
    parameters.one("scope")?.map(parse).transpose()
}

fn parse(text: &str) -> Result<Vec<String>, OAuthError> {
    let scopes: Vec<String> = text.split(' ').map(str::to_owned).collect();
    // RFC 6749, section 3.3.
    let is_token = |scope: &String| {
        !scope.is_empty()
            && scope.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\'))
    };
    match text.len() <= LONGEST_LIST && scopes.iter().all(is_token) {
        true => Ok(scopes),
        false => Err(ErrorCode::InvalidScope.because("`scope` is not a list of scopes")),
    }
}

fn among(
    scopes: Vec<String>,
    allowed: &[String],
    why: &'static str,
) -> Result<Vec<String>, OAuthError> {
    match scopes.iter().all(|scope| allowed.contains(scope)) {
        true => Ok(scopes),
        false => Err(ErrorCode::InvalidScope.because(why)),
    }
}
