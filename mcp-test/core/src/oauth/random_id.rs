//! Codes, tokens, ids and nonces, which nobody must guess.

use ring::rand::{SecureRandom, SystemRandom};

use super::oauth_error::{ErrorCode, OAuthError};
use crate::jose::{JoseError, base64url};

/// 192 bits: RFC 6749, section 10.10, asks for 160 where nobody should be able to guess.
const BYTES: usize = 24;

/// A new text, of characters that need no encoding in a URL or a header.
///
/// # Errors
///
/// If the operating system has no random numbers.
pub(super) fn random_text() -> Result<String, JoseError> {
    let mut bytes = [0; BYTES];
    SystemRandom::new().fill(&mut bytes).map_err(|_| JoseError::Random)?;
    Ok(base64url(bytes))
}

/// The same for a server, whose response is then an error.
///
/// # Errors
///
/// As for [`random_text`].
pub(super) fn random_id() -> Result<String, OAuthError> {
    random_text().map_err(|_| ErrorCode::ServerError.because("the system has no random numbers"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_are_the_same() {
        let (one, other) = (random_id().unwrap(), random_id().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.len(), 32);
    }
}
