//! What can be wrong with a token or a key.

use super::Algorithm;

/// Why a token or a key is refused, or cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JoseError {
    /// The text is larger than this module reads.
    #[error("expected at most {limit} bytes, got {got}")]
    TooLarge {
        /// How many bytes are read.
        limit: usize,
        /// How many there are.
        got: usize,
    },
    /// A compact signature has three parts.
    #[error("expected three parts separated by `.`, got {0}")]
    Parts(usize),
    /// A part is not base64url without padding.
    #[error("the {0} is not base64url without padding")]
    Base64(&'static str),
    /// A part is not a JSON object whose members have different names.
    #[error("the {0} is not a JSON object with unique members")]
    NotObject(&'static str),
    /// The header does not name the algorithm of the key.
    #[error("expected the algorithm `{expected}` of the key, got `{got}`")]
    WrongAlgorithm {
        /// The algorithm of the key.
        expected: Algorithm,
        /// What the header names, or `nothing`.
        got: String,
    },
    /// The header names extensions that must be understood, and this module understands none.
    #[error("the header has `crit`, which names extensions that are not supported")]
    CriticalExtension,
    /// The signature is not that of the key.
    #[error("the signature does not match")]
    Signature,
    /// No key of a set fits.
    #[error("no key has the id `{0}`")]
    UnknownKey(String),
    /// The header names no key, and the set does not have exactly one.
    #[error("the header names no key, and the set has {0}")]
    AmbiguousKey(usize),
    /// A key is not one of the supported kinds, or is meant for another algorithm or use.
    #[error(
        "unsupported key: expected P-256, Ed25519 or RSA, for signatures with ES256, EdDSA or RS256"
    )]
    UnsupportedKey,
    /// A member of a key is missing or has a wrong value.
    #[error("the member `{0}` of the key is missing or has a wrong value")]
    KeyMember(&'static str),
    /// A key that should be public has its private part.
    #[error("the key has its private part `d`, which must not be shown")]
    PrivateKey,
    /// A time is missing, or is not a number of seconds.
    #[error("the claim `{0}` is not a number of seconds")]
    Time(&'static str),
    /// The token is not valid any more.
    #[error("the token expired {0} s ago")]
    Expired(u64),
    /// The token is not valid yet.
    #[error("the token is valid only in {0} s")]
    NotYetValid(u64),
    /// The operating system has no random numbers, or the key cannot be made from them.
    #[error("no key can be made: the operating system returned no random numbers")]
    Random,
}
