//! The algorithms of signatures.

use std::fmt;

/// The algorithm of a signature, all of them with a public key.
///
/// Neither `none` nor an algorithm with a shared secret is among them: a verifier that knew those could be made to accept a
/// token without a signature, or one that was signed with the public key as its secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// ECDSA with P-256 and SHA-256.
    Es256,
    /// EdDSA with Ed25519.
    EdDsa,
    /// RSASSA-PKCS1-v1_5 with SHA-256: verified, but not signed with, since `ring` makes no RSA keys.
    Rs256,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Es256, Self::EdDsa, Self::Rs256];

    /// Its name in the header of a token: `ES256`, `EdDSA` or `RS256`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
            Self::Rs256 => "RS256",
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
