//! A public key, as JSON and as what a signature is verified with.

use ring::digest;
use ring::signature::{self, RsaPublicKeyComponents, UnparsedPublicKey};

use super::{Algorithm, JoseError, base64url, decode};
use crate::json::{Object, Value};

/// The bytes of a coordinate of P-256, and of a key of Ed25519.
const COORDINATE: usize = 32;
/// The bytes of the largest RSA modulus that is read, which is also the largest that `ring` verifies with.
const LARGEST_MODULUS: usize = 1024;
/// The bytes of the largest RSA exponent that `ring` verifies with.
const LARGEST_EXPONENT: usize = 5;

/// A public key (RFC 7517).
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::jose::{Jwk, SigningKey};
///
/// let key = SigningKey::eddsa()?;
/// let read = Jwk::read(&key.public().to_value())?;
/// assert_eq!(read.thumbprint(), key.public().thumbprint());
/// # Ok::<(), mcp_test::jose::JoseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jwk {
    kind: Kind,
    id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    P256 { x: [u8; COORDINATE], y: [u8; COORDINATE] },
    Ed25519 { x: [u8; COORDINATE] },
    Rsa { n: Vec<u8>, e: Vec<u8> },
}

impl Jwk {
    /// The P-256 key with these coordinates, and its thumbprint as its id.
    pub(super) fn p256(x: [u8; COORDINATE], y: [u8; COORDINATE]) -> Self {
        Self::named_by_thumbprint(Kind::P256 { x, y })
    }

    /// The Ed25519 key with these bytes, and its thumbprint as its id.
    pub(super) fn ed25519(x: [u8; COORDINATE]) -> Self {
        Self::named_by_thumbprint(Kind::Ed25519 { x })
    }

    fn named_by_thumbprint(kind: Kind) -> Self {
        let unnamed = Self { kind, id: None };
        Self { id: Some(unnamed.thumbprint()), ..unnamed }
    }

    /// Reads a key.
    ///
    /// # Errors
    ///
    /// If it is of an unsupported kind, incomplete, meant for another algorithm or use, or shows its private part.
    pub fn read(value: &Value) -> Result<Self, JoseError> {
        let text = |name: &'static str| value.get(name).and_then(Value::as_str);
        if value.get("d").is_some() {
            return Err(JoseError::PrivateKey);
        }
        let bytes = |name| text(name).and_then(decode).ok_or(JoseError::KeyMember(name));
        let coordinate = |name| bytes(name)?.try_into().map_err(|_| JoseError::KeyMember(name));
        let kind = match (text("kty"), text("crv")) {
            (Some("EC"), Some("P-256")) => Kind::P256 { x: coordinate("x")?, y: coordinate("y")? },
            (Some("OKP"), Some("Ed25519")) => Kind::Ed25519 { x: coordinate("x")? },
            (Some("RSA"), _) => {
                let (n, e) = (bytes("n")?, bytes("e")?);
                if n.len() > LARGEST_MODULUS {
                    return Err(JoseError::KeyMember("n"));
                }
                if e.len() > LARGEST_EXPONENT {
                    return Err(JoseError::KeyMember("e"));
                }
                Kind::Rsa { n, e }
            }
            _ => return Err(JoseError::UnsupportedKey),
        };
        let id = match value.get("kid") {
            None => None,
            Some(id) => Some(id.as_str().ok_or(JoseError::KeyMember("kid"))?.to_owned()),
        };
        let key = Self { kind, id };
        let algorithm = key.algorithm().as_str();
        // A key that is meant for something else must not be used for this.
        let is_for = |name, what| value.get(name).is_none_or(|it| it.as_str() == Some(what));
        match is_for("alg", algorithm) && is_for("use", "sig") {
            true => Ok(key),
            false => Err(JoseError::UnsupportedKey),
        }
    }

    /// Its id, `kid`, if it has one.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The one algorithm that it verifies with.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        match self.kind {
            Kind::P256 { .. } => Algorithm::Es256,
            Kind::Ed25519 { .. } => Algorithm::EdDsa,
            Kind::Rsa { .. } => Algorithm::Rs256,
        }
    }

    /// The key as JSON, with its id, its algorithm and its use.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut key = Object::new();
        for (name, text) in self.identifying_members() {
            key.insert(name, text);
        }
        if let Some(id) = self.id() {
            key.insert("kid", id);
        }
        key.insert("alg", self.algorithm().as_str());
        key.insert("use", "sig");
        key.into()
    }

    /// Its thumbprint with SHA-256 (RFC 7638), in base64url.
    #[must_use]
    pub fn thumbprint(&self) -> String {
        // The members are in the order of their names already, and their values have nothing to escape.
        let members: Vec<String> = self
            .identifying_members()
            .iter()
            .map(|(name, text)| format!("\"{name}\":\"{text}\""))
            .collect();
        let text = format!("{{{}}}", members.join(","));
        base64url(digest::digest(&digest::SHA256, text.as_bytes()))
    }

    /// The members that make it this key and no other, sorted by name.
    fn identifying_members(&self) -> Vec<(&'static str, String)> {
        match &self.kind {
            Kind::P256 { x, y } => vec![
                ("crv", "P-256".to_owned()),
                ("kty", "EC".to_owned()),
                ("x", base64url(x)),
                ("y", base64url(y)),
            ],
            Kind::Ed25519 { x } => {
                vec![("crv", "Ed25519".to_owned()), ("kty", "OKP".to_owned()), ("x", base64url(x))]
            }
            Kind::Rsa { n, e } => {
                vec![("e", base64url(e)), ("kty", "RSA".to_owned()), ("n", base64url(n))]
            }
        }
    }

    /// Verifies the signature of a text.
    pub(super) fn verify(&self, text: &[u8], signature: &[u8]) -> Result<(), JoseError> {
        let verified = match &self.kind {
            Kind::P256 { x, y } => {
                // A point without compression: the byte 4, then both coordinates (SEC 1, section 2.3.3).
                let point = [&[4], x.as_slice(), y.as_slice()].concat();
                UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, point)
                    .verify(text, signature)
            }
            Kind::Ed25519 { x } => {
                UnparsedPublicKey::new(&signature::ED25519, x).verify(text, signature)
            }
            // `ring` refuses moduli below 2048 bits, as RFC 7518, section 3.3, requires.
            Kind::Rsa { n, e } => RsaPublicKeyComponents { n, e }.verify(
                &signature::RSA_PKCS1_2048_8192_SHA256,
                text,
                signature,
            ),
        };
        verified.map_err(|_| JoseError::Signature)
    }
}
