//! A compact signature: header, payload and signature, separated by dots.

use super::{JoseError, Jwk, decode};
use crate::json::Value;

/// The bytes of the largest token that is read: what fits into a header of HTTP, and more.
const LARGEST: usize = 64 * 1024;

/// A token in the compact form (RFC 7515, section 3.1), whose signature may not have been verified yet.
///
/// [`verify`](Self::verify) returns the claims.
#[derive(Debug, Clone)]
pub struct Jws {
    header: Value,
    /// Header and payload as they were signed.
    signed: String,
    payload: Vec<u8>,
    signature: Vec<u8>,
}

impl Jws {
    /// Parses a token, and does not verify it.
    ///
    /// # Errors
    ///
    /// If it is too large, does not have three parts in base64url, or its header is not a JSON object with unique members.
    pub fn parse(text: &str) -> Result<Self, JoseError> {
        if text.len() > LARGEST {
            return Err(JoseError::TooLarge { limit: LARGEST, got: text.len() });
        }
        let parts: Vec<&str> = text.split('.').collect();
        let &[header, payload, signature] = parts.as_slice() else {
            return Err(JoseError::Parts(parts.len()));
        };
        let bytes = |part, name| decode(part).ok_or(JoseError::Base64(name));
        Ok(Self {
            header: object(&bytes(header, HEADER)?, HEADER)?,
            signed: format!("{header}.{payload}"),
            payload: bytes(payload, PAYLOAD)?,
            signature: bytes(signature, "signature")?,
        })
    }

    /// Its header, which decides nothing about how it is verified.
    #[must_use]
    pub fn header(&self) -> &Value {
        &self.header
    }

    /// The id of the key that it was signed with, if its header names one.
    #[must_use]
    pub fn key_id(&self) -> Option<&str> {
        self.header.get("kid").and_then(Value::as_str)
    }

    /// Verifies the signature and returns the claims.
    ///
    /// # Errors
    ///
    /// If the header names another algorithm than that of the key, or extensions; if the signature is not that of the key; if
    /// the payload is not a JSON object with unique members.
    pub fn verify(&self, key: &Jwk) -> Result<Value, JoseError> {
        let named = self.header.get("alg").and_then(Value::as_str);
        if named != Some(key.algorithm().as_str()) {
            let got = named.unwrap_or("nothing").to_owned();
            return Err(JoseError::WrongAlgorithm { expected: key.algorithm(), got });
        }
        if self.header.get("crit").is_some() {
            return Err(JoseError::CriticalExtension);
        }
        key.verify(self.signed.as_bytes(), &self.signature)?;
        self.unverified_claims()
    }

    /// The claims, which anyone may have written.
    ///
    /// Only for finding the key to verify with, where nothing else says whose token it is.
    ///
    /// # Errors
    ///
    /// If the payload is not a JSON object with unique members.
    pub fn unverified_claims(&self) -> Result<Value, JoseError> {
        object(&self.payload, PAYLOAD)
    }
}

const HEADER: &str = "header";
const PAYLOAD: &str = "payload";

/// The JSON object in a part. Of two members with one name readers may take either, so there must be none.
fn object(bytes: &[u8], part: &'static str) -> Result<Value, JoseError> {
    let document = Value::parse(bytes).map_err(|_| JoseError::NotObject(part))?;
    match document.value.is_object() && !document.notes.iter().any(|note| note.kind.is_ambiguous())
    {
        true => Ok(document.value),
        false => Err(JoseError::NotObject(part)),
    }
}
