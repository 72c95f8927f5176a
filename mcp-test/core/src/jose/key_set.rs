//! A set of public keys, such as an authorization server publishes.

use super::{JoseError, Jwk, Jws};
use crate::json::{Object, Value};

/// How many keys of a set are read.
const MOST_KEYS: usize = 100;

/// A set of public keys (RFC 7517, section 5).
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::jose::{Jws, KeySet, SigningKey};
/// use serde_json::json;
///
/// let (old, new) = (SigningKey::es256()?, SigningKey::eddsa()?);
/// let published = KeySet::from_iter([old.public().clone(), new.public().clone()]).to_value();
/// let token = new.sign("JWT", &json!({}).into())?;
/// let token = Jws::parse(&token)?;
/// token.verify(KeySet::read(&published)?.key_of(&token)?)?;
/// # Ok::<(), mcp_test::jose::JoseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeySet(Vec<Jwk>);

impl KeySet {
    /// Reads a set; keys of unsupported kinds are left out, as RFC 7517 advises, and so is what follows the hundredth key.
    ///
    /// # Errors
    ///
    /// If it is not an object with an array `keys`, or a key of a supported kind is wrong.
    pub fn read(value: &Value) -> Result<Self, JoseError> {
        let keys = value.get("keys").and_then(Value::as_array);
        let keys = keys.ok_or(JoseError::KeyMember("keys"))?;
        let read = keys.iter().take(MOST_KEYS).map(Jwk::read);
        read.filter(|key| *key != Err(JoseError::UnsupportedKey)).collect()
    }

    /// The set as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut set = Object::new();
        set.insert("keys", self.0.iter().map(Jwk::to_value).collect::<Value>());
        set.into()
    }

    /// The key that a token names; the only one, if the token names none.
    ///
    /// # Errors
    ///
    /// If the token names a key that is not in the set, or none of several.
    pub fn key_of(&self, token: &Jws) -> Result<&Jwk, JoseError> {
        match (token.key_id(), self.0.as_slice()) {
            (None, [key]) => Ok(key),
            (None, keys) => Err(JoseError::AmbiguousKey(keys.len())),
            (Some(id), keys) => keys
                .iter()
                .find(|key| key.id() == Some(id))
                .ok_or_else(|| JoseError::UnknownKey(id.to_owned())),
        }
    }
}

impl FromIterator<Jwk> for KeySet {
    fn from_iter<I: IntoIterator<Item = Jwk>>(keys: I) -> Self {
        Self(keys.into_iter().collect())
    }
}
