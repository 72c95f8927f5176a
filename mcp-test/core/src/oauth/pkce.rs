//! Proof keys for the exchange of codes (RFC 7636), by S256 alone.

use ring::digest;

use super::oauth_error::{ErrorCode, OAuthError};
use super::parameters::Parameters;
use crate::jose::base64url;

/// The characters of a SHA-256 in base64url.
const CHALLENGE: usize = 43;

/// What the verifier must match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CodeChallenge(String);

impl CodeChallenge {
    /// Reads the challenge of an authorization request, which must have one.
    pub(super) fn from_request(parameters: &Parameters) -> Result<Self, OAuthError> {
        let refuse = |why| Err(ErrorCode::InvalidRequest.because(why));
        let challenge =
            parameters.required("code_challenge", "`code_challenge` is required (PKCE)")?;
        // Without a method the challenge is the verifier itself (RFC 7636, section 4.3).
        if parameters.one("code_challenge_method")? != Some("S256") {
            return refuse("`code_challenge_method` must be `S256`");
        }
        let is_base64url = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        match challenge.len() == CHALLENGE && challenge.bytes().all(is_base64url) {
            true => Ok(Self(challenge.to_owned())),
            false => refuse("`code_challenge` is not a SHA-256 in base64url"),
        }
    }

    /// Whether it is the challenge of this verifier.
    pub(super) fn matches(&self, verifier: &str) -> bool {
        // RFC 7636, section 4.1: 43 to 128 characters.
        (43..=128).contains(&verifier.len())
            && base64url(digest::digest(&digest::SHA256, verifier.as_bytes())) == self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_rfc_7636_matches() {
        let challenge = CodeChallenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM".to_owned());
        assert!(challenge.matches("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"));
        assert!(!challenge.matches("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXK"));
        assert!(!challenge.matches("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"));
    }
}
