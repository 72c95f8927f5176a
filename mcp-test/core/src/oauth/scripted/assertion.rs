//! An assertion in a token request, as facts: who judges it reads no token, and none of its text gets into a finding.

use std::time::Duration;

use crate::clock;
use crate::jose::{Jwk, Jws};
use crate::json::Value;

/// Which assertions a scripted server verifies.
#[derive(Clone)]
pub struct VerifiedAssertions {
    /// The parameter of a token request that has them.
    #[doc(hidden)]
    pub parameter: &'static str,
    /// The key that they must be signed with; `None` stands for that of the server.
    #[doc(hidden)]
    pub key: Option<Jwk>,
    /// How far the clock of the signer may differ.
    #[doc(hidden)]
    pub leeway: Duration,
}

/// An assertion whose signature is right.
#[derive(Clone)]
pub struct Assertion {
    /// `typ` of its header.
    #[doc(hidden)]
    pub kind: Option<String>,
    claims: Value,
    #[doc(hidden)]
    pub expiry: Expiry,
}

/// When an assertion ends, as it was when it was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expiry {
    /// It has no `exp`, and so never ends.
    Never,
    Past,
    Future,
}

/// Why an assertion cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssertionFault {
    Missing,
    NotJwt,
    /// Another key has signed it, or none.
    Signature,
    /// `exp` or `nbf` is not a number of seconds.
    Time,
    NotYetValid,
}

impl Assertion {
    /// The assertion in a text, verified now.
    pub(super) fn verify(
        text: Option<&str>,
        key: &Jwk,
        leeway: Duration,
    ) -> Result<Self, AssertionFault> {
        let text = text.ok_or(AssertionFault::Missing)?;
        let token = Jws::parse(text).map_err(|_| AssertionFault::NotJwt)?;
        let claims = token.verify(key).map_err(|_| AssertionFault::Signature)?;
        let time = |name: &str| match claims.get(name) {
            None => Ok(None),
            Some(value) => value.as_f64().map(Some).ok_or(AssertionFault::Time),
        };
        let (now, leeway) = (clock::unix_time().as_secs_f64(), leeway.as_secs_f64());
        if time("nbf")?.is_some_and(|begin| now + leeway < begin) {
            return Err(AssertionFault::NotYetValid);
        }
        let expiry = match time("exp")? {
            None => Expiry::Never,
            Some(end) if now < end + leeway => Expiry::Future,
            Some(_) => Expiry::Past,
        };
        let kind = token.header().get("typ").and_then(Value::as_str).map(str::to_owned);
        Ok(Self { kind, claims, expiry })
    }

    /// A claim that is a text.
    #[doc(hidden)]
    pub fn claim(&self, name: &str) -> Option<&str> {
        self.claims.get(name).and_then(Value::as_str)
    }

    /// Whether it is for this audience, and maybe for others. A slash at the end makes no difference, as in the official suite.
    #[doc(hidden)]
    pub fn is_for(&self, audience: &str) -> bool {
        let is_it = |stated: &Value| {
            stated
                .as_str()
                .is_some_and(|stated| stated.strip_suffix('/').unwrap_or(stated) == audience)
        };
        match self.claims.get("aud") {
            Some(Value::Array(several)) => several.iter().any(is_it),
            Some(one) => is_it(one),
            None => false,
        }
    }
}

impl AssertionFault {
    /// What was sent instead of a valid assertion.
    #[doc(hidden)]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "no assertion",
            Self::NotJwt => "a text that is not a JWT",
            Self::Signature => "a JWT that is not signed with the key",
            Self::Time => "a JWT with `exp` or `nbf` that is not a number of seconds",
            Self::NotYetValid => "a JWT whose `nbf` is in the future",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::jose::SigningKey;

    const LEEWAY: Duration = Duration::from_secs(30);

    #[test]
    fn what_is_wrong_with_an_assertion_is_a_fact() {
        let (key, other) = (SigningKey::es256().unwrap(), SigningKey::es256().unwrap());
        let read = |text: &str| Assertion::verify(Some(text), key.public(), LEEWAY);
        let signed = |claims: serde_json::Value| read(&key.sign("JWT", &claims.into()).unwrap());
        let now = clock::unix_time().as_secs();
        let valid =
            signed(json!({"iss": "a", "aud": ["x", "http://b/"], "exp": now})).ok().unwrap();
        assert_eq!((valid.claim("iss"), valid.claim("aud")), (Some("a"), None));
        assert!(valid.is_for("http://b") && valid.is_for("x") && !valid.is_for("http://c"));
        assert_eq!((valid.kind.as_deref(), valid.expiry), (Some("JWT"), Expiry::Future));
        assert_eq!(signed(json!({"exp": now - 40})).ok().unwrap().expiry, Expiry::Past);
        let timeless = signed(json!({"aud": "http://b"})).ok().unwrap();
        assert!(timeless.is_for("http://b") && timeless.expiry == Expiry::Never);
        let fault = |read: Result<Assertion, AssertionFault>| read.err().unwrap();
        assert_eq!(fault(signed(json!({"exp": "soon"}))), AssertionFault::Time);
        assert_eq!(fault(signed(json!({"nbf": now + 40}))), AssertionFault::NotYetValid);
        assert_eq!(fault(read("abc")), AssertionFault::NotJwt);
        let foreign = other.sign("JWT", &json!({}).into()).unwrap();
        assert_eq!(fault(read(&foreign)), AssertionFault::Signature);
        assert_eq!(fault(Assertion::verify(None, key.public(), LEEWAY)), AssertionFault::Missing);
    }
}
