//! A request to a server that no client should talk to.

use super::IssuedTokens;

/// How many characters of the first line are kept.
const LONGEST: usize = 200;
/// The first byte of a TLS handshake (RFC 8446, section 5.1).
const TLS_HANDSHAKE: u8 = 0x16;

/// A request to a server that no client should talk to.
#[derive(Clone)]
pub struct StrayRequest {
    /// Method and path, without the query, which may have secrets; or that it is encrypted.
    #[doc(hidden)]
    pub summary: String,
    /// Whether a token that a server of the test has issued is anywhere in it.
    #[doc(hidden)]
    pub has_token: bool,
}

/// Whether these are the first bytes of an encrypted connection.
pub(super) fn is_tls(received: &[u8]) -> bool {
    received.first() == Some(&TLS_HANDSHAKE)
}

impl StrayRequest {
    /// Reads the bytes of a request.
    pub(super) fn read(received: &[u8], tokens: &IssuedTokens) -> Self {
        let summary = if is_tls(received) {
            "a TLS handshake".to_owned()
        } else {
            let line = received.split(|byte| matches!(byte, b'\r' | b'\n')).next();
            let line = String::from_utf8_lossy(line.unwrap_or_default());
            let mut words = line.split(' ');
            let (method, target) = (words.next().unwrap_or_default(), words.next());
            let path = target.unwrap_or_default().split('?').next().unwrap_or_default();
            format!("{method} {path}").chars().take(LONGEST).collect()
        };
        Self { summary, has_token: tokens.is_any_in(received) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_a_request_has_no_query() {
        let read = |text: &str| StrayRequest::read(text.as_bytes(), &IssuedTokens::default());
        let request = read("GET /token?code=secret HTTP/1.1\r\n\r\n");
        assert_eq!((request.summary.as_str(), request.has_token), ("GET /token", false));
        assert_eq!(read("\u{16}\u{3}\u{1}").summary, "a TLS handshake");
        assert_eq!(read(&"x".repeat(9_000)).summary.len(), LONGEST);
    }
}
