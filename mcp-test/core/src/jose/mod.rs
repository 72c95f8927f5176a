//! JSON Web Signatures and Keys, as far as OAuth needs them: compact signatures, public keys, thumbprints, times of claims.
//!
//! A [`SigningKey`] is made at run time and signs; its [`Jwk`] is what others need to verify with. The algorithm belongs to
//! the key, and the header of a token must name it: a token has no say in how it is verified. `none` and the algorithms with
//! a shared secret are not in [`Algorithm`], so that no key of this module can ever verify such a token. What is not here:
//! encryption, private keys as JSON, and OAuth itself.
//!
//! The signatures are those of `ring`, which `https` URLs need as well. The code around it is small enough to be our own,
//! and none of the crates for it fits: `jsonwebtoken` 11 selects its implementation by features, and panics at the first
//! token when another crate of the build has enabled the other one, as an SDK under test may; `josekit` needs OpenSSL;
//! `jose-jws` and `jose-jwk` have the types only; `aws-lc-rs` needs a C compiler and a minute to build; of the RustCrypto
//! crates, three and their dependencies would come for what `ring` has.
//!
//! ```
//! # extern crate mcp_test_core as mcp_test;
//! use mcp_test::jose::{Jws, SigningKey};
//! use serde_json::json;
//!
//! let key = SigningKey::es256()?;
//! let token = key.sign("at+jwt", &json!({"sub": "alice"}).into())?;
//! let claims = Jws::parse(&token)?.verify(key.public())?;
//! assert_eq!(claims.get("sub").and_then(|sub| sub.as_str()), Some("alice"));
//! # Ok::<(), mcp_test::jose::JoseError>(())
//! ```

mod algorithm;
mod claims;
mod error;
mod jwk;
mod jws;
mod key_set;
mod signing_key;

#[cfg(test)]
mod tests;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

pub use algorithm::Algorithm;
pub use claims::check_times;
pub use error::JoseError;
pub use jwk::Jwk;
pub use jws::Jws;
pub use key_set::KeySet;
pub use signing_key::SigningKey;

/// Encodes bytes as base64url without padding, which is how all of these formats write bytes.
#[doc(hidden)]
pub fn base64url(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The bytes of a text in base64url without padding.
fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}
