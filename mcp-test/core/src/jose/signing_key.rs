//! A private key, which is made at run time. Only a key that a test makes for a client under test is ever written.
//!
//! The text of such a key is made beside the key, not by it, so that no [`SigningKey`] has a form that could be written.

use std::fmt;

#[cfg(any(test, feature = "suite"))]
use base64::Engine;
#[cfg(any(test, feature = "suite"))]
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};

use super::{JoseError, Jwk, base64url};
use crate::json::{Object, Value};

#[cfg(any(test, feature = "suite"))]
const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
#[cfg(any(test, feature = "suite"))]
const END: &str = "-----END PRIVATE KEY-----";
/// The characters of a line (RFC 7468, section 2).
#[cfg(any(test, feature = "suite"))]
const PEM_WIDTH: usize = 64;

/// A private key that signs tokens.
///
/// It has no form in which it could be written anywhere; `Debug` shows the public part.
pub struct SigningKey {
    pair: Pair,
    public: Jwk,
}

enum Pair {
    // In a box, since it is several times as large as the other one.
    Es256(Box<EcdsaKeyPair>),
    EdDsa(Ed25519KeyPair),
}

impl SigningKey {
    /// Makes a key for `ES256`.
    ///
    /// # Errors
    ///
    /// If the operating system has no random numbers.
    pub fn es256() -> Result<Self, JoseError> {
        let (random, algorithm) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let document =
            EcdsaKeyPair::generate_pkcs8(algorithm, &random).map_err(|_| JoseError::Random)?;
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random)
            .map_err(|_| JoseError::Random)?;
        Self::from_ecdsa(pair)
    }

    /// Makes a key for `EdDSA` with Ed25519.
    ///
    /// # Errors
    ///
    /// If the operating system has no random numbers.
    pub fn eddsa() -> Result<Self, JoseError> {
        let document =
            Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(|_| JoseError::Random)?;
        let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).map_err(|_| JoseError::Random)?;
        Self::from_ed25519(pair)
    }

    /// Makes a key for `ES256` as the text of a PKCS#8 file, for a client under test that needs a key of its own.
    ///
    /// # Errors
    ///
    /// If the operating system has no random numbers.
    #[cfg(any(test, feature = "suite"))]
    #[doc(hidden)]
    pub fn es256_pem() -> Result<String, JoseError> {
        let (random, algorithm) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let document =
            EcdsaKeyPair::generate_pkcs8(algorithm, &random).map_err(|_| JoseError::Random)?;
        let encoded = STANDARD.encode(document.as_ref());
        let mut text = format!("{BEGIN}\n");
        for line in encoded.as_bytes().chunks(PEM_WIDTH) {
            text.extend(line.iter().copied().map(char::from));
            text.push('\n');
        }
        text.push_str(END);
        text.push('\n');
        Ok(text)
    }

    /// Reads a key for `ES256` from the text of a PKCS#8 file, which must have the public part, too.
    ///
    /// # Errors
    ///
    /// If the text is not such a file, or its key is of another kind.
    #[cfg(any(test, feature = "suite"))]
    #[doc(hidden)]
    pub fn from_pem(text: &str) -> Result<Self, JoseError> {
        let text = text.trim().strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(END));
        let encoded: String = text.into_iter().flat_map(str::split_ascii_whitespace).collect();
        let document = STANDARD.decode(encoded).map_err(|_| JoseError::UnsupportedKey)?;
        let (random, algorithm) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, &document, &random)
            .map_err(|_| JoseError::UnsupportedKey)?;
        Self::from_ecdsa(pair)
    }

    fn from_ecdsa(pair: EcdsaKeyPair) -> Result<Self, JoseError> {
        // A point without compression: the byte 4, then both coordinates.
        let point: [u8; 65] =
            pair.public_key().as_ref().try_into().map_err(|_| JoseError::UnsupportedKey)?;
        let (mut x, mut y) = ([0; 32], [0; 32]);
        x.copy_from_slice(&point[1..33]);
        y.copy_from_slice(&point[33..]);
        Ok(Self { pair: Pair::Es256(Box::new(pair)), public: Jwk::p256(x, y) })
    }

    fn from_ed25519(pair: Ed25519KeyPair) -> Result<Self, JoseError> {
        let x = pair.public_key().as_ref().try_into().map_err(|_| JoseError::UnsupportedKey)?;
        Ok(Self { pair: Pair::EdDsa(pair), public: Jwk::ed25519(x) })
    }

    /// The key pair of a seed, as the examples of the RFCs have it.
    #[cfg(test)]
    pub(super) fn from_seed(seed: &[u8]) -> Result<Self, JoseError> {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).map_err(|_| JoseError::Random)?;
        Self::from_ed25519(pair)
    }

    /// Its public part, whose id is its thumbprint.
    #[must_use]
    pub fn public(&self) -> &Jwk {
        &self.public
    }

    /// Signs claims as a compact token of this type, such as `at+jwt`; the header also has the algorithm and the id of the key.
    ///
    /// # Errors
    ///
    /// If the operating system has no random numbers.
    pub fn sign(&self, kind: &str, claims: &Value) -> Result<String, JoseError> {
        let mut header = Object::new();
        header.insert("typ", kind);
        header.insert("alg", self.public.algorithm().as_str());
        header.insert("kid", self.public.id().map(str::to_owned));
        self.sign_with_header(&header.into(), claims.to_string().as_bytes())
    }

    /// Signs a payload under this header, whatever the header says.
    pub(crate) fn sign_with_header(
        &self,
        header: &Value,
        payload: &[u8],
    ) -> Result<String, JoseError> {
        let signed = format!("{}.{}", base64url(header.to_string()), base64url(payload));
        let signature = match &self.pair {
            Pair::Es256(pair) => {
                pair.sign(&SystemRandom::new(), signed.as_bytes()).map_err(|_| JoseError::Random)?
            }
            Pair::EdDsa(pair) => pair.sign(signed.as_bytes()),
        };
        Ok(format!("{signed}.{}", base64url(signature)))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("public", &self.public).finish_non_exhaustive()
    }
}
