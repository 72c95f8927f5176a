//! Proofs of possession (RFC 9449): made by a client for each request, and verified.

use std::time::Duration;

use http::HeaderMap;
use reqwest::Url;
use ring::digest;

use super::random_id::random_text;
use crate::clock;
use crate::jose::{JoseError, Jwk, Jws, SigningKey, base64url};
use crate::json::{Object, Value};

/// The header with a proof.
pub const DPOP: &str = "dpop";
/// The header with a nonce for the next proof.
pub(crate) const DPOP_NONCE: &str = "dpop-nonce";
/// The error code of a response that demands a nonce.
pub(crate) const USE_DPOP_NONCE: &str = "use_dpop_nonce";

/// The type of the token that a proof is.
const TYPE: &str = "dpop+jwt";
/// How old a proof may be, and how far two clocks may differ.
const AGE: Duration = Duration::from_secs(300);

/// A valid proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// Its id, which no other proof may have.
    #[doc(hidden)]
    pub id: String,
    /// The thumbprint of the key that it was made with.
    #[doc(hidden)]
    pub thumbprint: String,
    #[doc(hidden)]
    pub nonce: Option<String>,
}

/// What a proof is made for.
#[derive(Debug, Clone, Copy)]
pub struct ProvenRequest<'a> {
    #[doc(hidden)]
    pub method: &'a str,
    #[doc(hidden)]
    pub url: &'a str,
    #[doc(hidden)]
    pub nonce: Option<&'a str>,
    /// The access token that is sent with the request.
    #[doc(hidden)]
    pub token: Option<&'a str>,
}

impl ProvenRequest<'_> {
    /// Makes a proof with a key.
    ///
    /// # Errors
    ///
    /// If the operating system has no random numbers.
    #[doc(hidden)]
    pub fn prove(&self, key: &SigningKey) -> Result<String, JoseError> {
        let mut header = Object::new();
        header.insert("typ", TYPE);
        header.insert("alg", key.public().algorithm().as_str());
        header.insert("jwk", key.public().to_value());
        let mut claims = Object::new();
        claims.insert("jti", random_text()?);
        claims.insert("htm", self.method);
        claims.insert("htu", without_query(self.url));
        claims.insert("iat", clock::unix_time().as_secs());
        for (name, value) in
            [("nonce", self.nonce.map(str::to_owned)), ("ath", self.token.map(token_hash))]
        {
            if let Some(value) = value {
                claims.insert(name, value);
            }
        }
        key.sign_with_header(&header.into(), Value::from(claims).to_string().as_bytes())
    }

    /// Verifies the proof in the headers of the request; `None` if there is none. The nonce is not compared.
    pub(crate) fn verify(&self, headers: &HeaderMap) -> Option<Result<Proof, &'static str>> {
        let mut proofs = headers.get_all(DPOP).iter();
        let proof = proofs.next()?;
        Some(match proofs.next() {
            Some(_) => Err("there are two `DPoP` headers"),
            None => self.verify_text(proof.to_str().unwrap_or_default()),
        })
    }

    fn verify_text(&self, proof: &str) -> Result<Proof, &'static str> {
        let token = Jws::parse(proof).map_err(|_| "the proof is not a JWT")?;
        let header = token.header();
        if header.get("typ").and_then(Value::as_str) != Some(TYPE) {
            return Err("`typ` of the proof is not `dpop+jwt`");
        }
        let key = header.get("jwk").ok_or("the proof has no `jwk`")?;
        let key = Jwk::read(key).map_err(|_| "`jwk` of the proof is not a supported public key")?;
        let claims = token.verify(&key).map_err(|_| "the proof is not signed with its `jwk`")?;
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        let id = text("jti").ok_or("the proof has no `jti`")?.to_owned();
        if text("htm") != Some(self.method) {
            return Err("`htm` of the proof is not the HTTP method");
        }
        let is_url = |url: &str| {
            let own = without_query(self.url);
            url.trim_end_matches('/') == own.trim_end_matches('/')
        };
        if !text("htu").is_some_and(is_url) {
            return Err("`htu` of the proof is not the URL without its query");
        }
        let now = clock::unix_time().as_secs_f64();
        let issued = claims.get("iat").and_then(Value::as_f64);
        if !issued.is_some_and(|issued| (now - issued).abs() <= AGE.as_secs_f64()) {
            return Err("`iat` of the proof is missing, or not now");
        }
        if let Some(token) = self.token
            && text("ath") != Some(token_hash(token).as_str())
        {
            return Err("`ath` of the proof is not the hash of the access token");
        }
        let nonce = text("nonce").map(str::to_owned);
        Ok(Proof { id, thumbprint: key.thumbprint(), nonce })
    }
}

fn token_hash(token: &str) -> String {
    base64url(digest::digest(&digest::SHA256, token.as_bytes()))
}

/// The URL as proofs name it.
fn without_query(url: &str) -> String {
    let Ok(mut parsed) = Url::parse(url) else { return url.to_owned() };
    parsed.set_query(None);
    parsed.set_fragment(None);
    parsed.into()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    const URL: &str = "http://127.0.0.1:9/token?query";

    fn verified(proof: &str, request: ProvenRequest<'_>) -> Result<Proof, &'static str> {
        let headers = HeaderMap::from_iter([(DPOP.parse().unwrap(), proof.parse().unwrap())]);
        request.verify(&headers).unwrap()
    }

    #[test]
    fn a_proof_is_for_one_request_one_token_and_one_key() {
        let key = SigningKey::es256().unwrap();
        let made = ProvenRequest { method: "POST", url: URL, nonce: Some("n1"), token: Some("t1") };
        let proof = made.prove(&key).unwrap();
        let valid = verified(&proof, made).unwrap();
        assert_eq!(valid.thumbprint, key.public().thumbprint());
        assert_eq!(valid.nonce.as_deref(), Some("n1"));
        let refused = |request| verified(&proof, request).unwrap_err();
        insta::assert_snapshot!(refused(ProvenRequest { method: "GET", ..made }), @"`htm` of the proof is not the HTTP method");
        insta::assert_snapshot!(refused(ProvenRequest { url: "http://127.0.0.1:9/mcp", ..made }), @"`htu` of the proof is not the URL without its query");
        insta::assert_snapshot!(refused(ProvenRequest { token: Some("t2"), ..made }), @"`ath` of the proof is not the hash of the access token");
        insta::assert_snapshot!(verified("e30.e30.e30", made).unwrap_err(), @"`typ` of the proof is not `dpop+jwt`");
        let text = key.sign("JWT", &serde_json::json!({}).into()).unwrap();
        insta::assert_snapshot!(verified(&text, made).unwrap_err(), @"`typ` of the proof is not `dpop+jwt`");
        let mut headers = HeaderMap::new();
        assert_eq!(made.verify(&headers), None);
        for _ in 0..2 {
            headers.append(DPOP, HeaderValue::from_str(&proof).unwrap());
        }
        insta::assert_snapshot!(made.verify(&headers).unwrap().unwrap_err(), @"there are two `DPoP` headers");
    }
}
