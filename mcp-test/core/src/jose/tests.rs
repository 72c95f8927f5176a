//! Examples of the RFCs, tokens that must be refused, and keys that must not be read.

use std::time::Duration;

use serde_json::json;

use super::claims::check_times_at;
use super::*;
use crate::json::Value;

const ES256_TOKEN: &str = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
const RS256_TOKEN: &str = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";
const ED25519_TOKEN: &str = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";

fn es256() -> Value {
    json!({
        "kty": "EC",
        "crv": "P-256",
        "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    })
    .into()
}

fn rs256() -> Value {
    let n = "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ";
    json!({"kty": "RSA", "n": n, "e": "AQAB"}).into()
}

fn verify(token: &str, key: &Jwk) -> Result<Value, JoseError> {
    Jws::parse(token)?.verify(key)
}

fn parts(token: &str) -> [&str; 3] {
    token.split('.').collect::<Vec<_>>().try_into().unwrap()
}

fn refusal(token: &str, key: &Jwk) -> String {
    verify(token, key).unwrap_err().to_string()
}

#[test]
fn the_examples_of_rfc_7515_verify() {
    for (token, key) in [(ES256_TOKEN, es256()), (RS256_TOKEN, rs256())] {
        let claims = verify(token, &Jwk::read(&key).unwrap()).unwrap();
        assert_eq!(claims.get("iss").and_then(Value::as_str), Some("joe"));
        assert_eq!(claims.get("exp").and_then(Value::as_i64), Some(1_300_819_380));
    }
}

#[test]
fn the_example_of_rfc_8037_is_signed_and_verifies() {
    let seed = decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A").unwrap();
    let key = SigningKey::from_seed(&seed).unwrap();
    let text = key.public().to_value();
    let x = text.get("x").and_then(Value::as_str);
    assert_eq!(x, Some("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"));
    assert_eq!(key.public().thumbprint(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    let header = json!({"alg": "EdDSA"}).into();
    let signed = key.sign_with_header(&header, b"Example of Ed25519 signing").unwrap();
    assert_eq!(signed, ED25519_TOKEN);
    // Its payload is not JSON, which is noticed only after the signature was verified.
    let refused = verify(ED25519_TOKEN, key.public());
    assert_eq!(refused, Err(JoseError::NotObject("payload")));
}

#[test]
fn the_thumbprint_of_rfc_7638_is_computed() {
    let n = "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw";
    let key = json!({"kty": "RSA", "n": n, "e": "AQAB", "alg": "RS256", "kid": "2011-04-29"});
    let key = Jwk::read(&key.into()).unwrap();
    assert_eq!(key.thumbprint(), "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
    assert_eq!(key.id(), Some("2011-04-29"));
}

#[test]
fn a_changed_token_is_refused() {
    let key = Jwk::read(&es256()).unwrap();
    let [header, payload, signature] = parts(ES256_TOKEN);
    let other_payload = base64url(r#"{"iss":"eve"}"#);
    assert_eq!(
        verify(&format!("{header}.{other_payload}.{signature}"), &key),
        Err(JoseError::Signature)
    );
    let other_signature = base64url([7; 64]);
    for signature in [other_signature.as_str(), "", &signature[..84]] {
        let token = format!("{header}.{payload}.{signature}");
        assert_eq!(verify(&token, &key), Err(JoseError::Signature), "{token}");
    }
    let other = SigningKey::es256().unwrap();
    assert_eq!(verify(ES256_TOKEN, other.public()), Err(JoseError::Signature));
}

#[test]
fn the_key_decides_on_the_algorithm() {
    let key = SigningKey::es256().unwrap();
    let [_, payload, signature] = parts(ES256_TOKEN);
    for named in ["none", "None", "HS256", "RS256", "es256", ""] {
        let header = base64url(json!({"alg": named}).to_string());
        for signature in [signature, ""] {
            let got = refusal(&format!("{header}.{payload}.{signature}"), key.public());
            assert_eq!(got, format!("expected the algorithm `ES256` of the key, got `{named}`"));
        }
    }
    for header in [json!({}), json!({"alg": null}), json!({"alg": ["ES256"]})] {
        let token = key.sign_with_header(&header.into(), b"{}").unwrap();
        assert!(refusal(&token, key.public()).ends_with("got `nothing`"), "{token}");
    }
    // A signature that is right, under a header that names another algorithm.
    let wrong = key.sign_with_header(&json!({"alg": "EdDSA"}).into(), b"{}").unwrap();
    assert!(refusal(&wrong, key.public()).ends_with("got `EdDSA`"));
    // A secret is not a key of this module.
    let secret = json!({"kty": "oct", "k": "AAAA", "alg": "HS256"});
    assert_eq!(Jwk::read(&secret.into()), Err(JoseError::UnsupportedKey));
}

#[test]
fn extensions_and_ambiguous_members_are_refused() {
    let key = SigningKey::eddsa().unwrap();
    let header = json!({"alg": "EdDSA", "crit": ["b64"], "b64": false});
    let token = key.sign_with_header(&header.into(), b"{}").unwrap();
    assert_eq!(verify(&token, key.public()), Err(JoseError::CriticalExtension));
    let header = json!({"alg": "EdDSA"}).into();
    let token = key.sign_with_header(&header, br#"{"sub":"alice","sub":"eve"}"#).unwrap();
    assert_eq!(verify(&token, key.public()), Err(JoseError::NotObject("payload")));
    let [_, payload, signature] = parts(&token);
    let twice = base64url(r#"{"alg":"none","alg":"EdDSA"}"#);
    let token = format!("{twice}.{payload}.{signature}");
    assert_eq!(verify(&token, key.public()), Err(JoseError::NotObject("header")));
}

#[test]
fn what_is_not_a_token_is_refused() {
    let parsed = |text: &str| Jws::parse(text).map(|_| ()).unwrap_err();
    assert_eq!(parsed(""), JoseError::Parts(1));
    assert_eq!(parsed("a.b"), JoseError::Parts(2));
    assert_eq!(parsed("a.b.c.d.e"), JoseError::Parts(5));
    assert_eq!(parsed("e30=.e30.e30"), JoseError::Base64("header"));
    assert_eq!(parsed("e30.e+0.e30"), JoseError::Base64("payload"));
    assert_eq!(parsed("e30.e30.ä"), JoseError::Base64("signature"));
    assert_eq!(parsed("W10.e30."), JoseError::NotObject("header"));
    let large = "a".repeat(64 * 1024 + 1);
    assert_eq!(parsed(&large), JoseError::TooLarge { limit: 64 * 1024, got: 64 * 1024 + 1 });
}

#[test]
fn keys_that_cannot_verify_are_not_read() {
    let with = |mut key: Value, pointer: &str, value: Value| {
        key.set(pointer, value);
        Jwk::read(&key)
    };
    assert_eq!(with(es256(), "/d", "AAAA".into()), Err(JoseError::PrivateKey));
    assert_eq!(with(es256(), "/x", "AAAA".into()), Err(JoseError::KeyMember("x")));
    assert_eq!(with(es256(), "/y", "not base64!".into()), Err(JoseError::KeyMember("y")));
    assert_eq!(with(es256(), "/kid", 1.into()), Err(JoseError::KeyMember("kid")));
    assert_eq!(with(es256(), "/crv", "P-521".into()), Err(JoseError::UnsupportedKey));
    assert_eq!(with(es256(), "/alg", "ES384".into()), Err(JoseError::UnsupportedKey));
    assert_eq!(with(es256(), "/use", "enc".into()), Err(JoseError::UnsupportedKey));
    assert_eq!(with(rs256(), "/e", 65537.into()), Err(JoseError::KeyMember("e")));
    let large = base64url(vec![255; 1025]);
    assert_eq!(with(rs256(), "/n", large.into()), Err(JoseError::KeyMember("n")));
    // RFC 7518 requires 2048 bits: the key is read, and verifies nothing.
    let short = with(rs256(), "/n", base64url(vec![255; 128]).into()).unwrap();
    assert_eq!(verify(RS256_TOKEN, &short), Err(JoseError::Signature));
    // A point that is not on the curve.
    let off = with(es256(), "/x", base64url([1; 32]).into()).unwrap();
    assert_eq!(verify(ES256_TOKEN, &off), Err(JoseError::Signature));
}

#[test]
fn a_set_returns_the_key_that_a_token_names() {
    let keys = [SigningKey::es256().unwrap(), SigningKey::eddsa().unwrap()];
    let set: KeySet = keys.iter().map(|key| key.public().clone()).collect();
    let mut published = set.to_value();
    published.set("/keys/-", json!({"kty": "oct", "k": "AAAA"}).into());
    let read = KeySet::read(&published).unwrap();
    assert_eq!(read, set, "a key of an unsupported kind is left out");
    for key in &keys {
        let token = Jws::parse(&key.sign("JWT", &json!({}).into()).unwrap()).unwrap();
        assert_eq!(read.key_of(&token), Ok(key.public()));
        assert_eq!(token.header().get("typ").and_then(Value::as_str), Some("JWT"));
    }
    let header = json!({"alg": "EdDSA", "kid": "other"}).into();
    let other = Jws::parse(&keys[1].sign_with_header(&header, b"{}").unwrap()).unwrap();
    assert_eq!(read.key_of(&other), Err(JoseError::UnknownKey("other".to_owned())));
    let nameless = Jws::parse(ED25519_TOKEN).unwrap();
    assert_eq!(read.key_of(&nameless), Err(JoseError::AmbiguousKey(2)));
    assert_eq!(KeySet::default().key_of(&nameless), Err(JoseError::AmbiguousKey(0)));
    let alone = KeySet::from_iter([keys[0].public().clone()]);
    assert_eq!(alone.key_of(&nameless), Ok(keys[0].public()));
    assert_eq!(KeySet::read(&json!({}).into()), Err(JoseError::KeyMember("keys")));
    let broken = json!({"keys": [{"kty": "EC", "crv": "P-256"}]});
    assert_eq!(KeySet::read(&broken.into()), Err(JoseError::KeyMember("x")));
}

#[test]
fn times_are_checked_with_leeway() {
    let at = |claims: serde_json::Value, now| {
        check_times_at(&claims.into(), Duration::from_secs(5), Duration::from_secs(now))
    };
    assert_eq!(at(json!({"exp": 100, "iat": 90, "nbf": 90}), 95), Ok(()));
    assert_eq!(at(json!({"exp": 100}), 104), Ok(()));
    assert_eq!(at(json!({"exp": 100}), 105), Err(JoseError::Expired(0)));
    assert_eq!(at(json!({"exp": 100.5}), 105), Ok(()));
    assert_eq!(at(json!({"exp": 100, "nbf": 50}), 45), Ok(()));
    assert_eq!(at(json!({"exp": 100, "nbf": 50}), 44), Err(JoseError::NotYetValid(1)));
    assert_eq!(at(json!({"exp": 100, "iat": 50}), 40), Err(JoseError::NotYetValid(5)));
    assert_eq!(at(json!({}), 0), Err(JoseError::Time("exp")));
    for wrong in [json!("100"), json!(-1), json!(null), json!(1e300)] {
        assert_eq!(at(json!({"exp": wrong}), 0), Err(JoseError::Time("exp")), "{wrong}");
    }
}

#[test]
fn a_private_key_is_not_shown() {
    let key = SigningKey::es256().unwrap();
    let shown = format!("{key:?}");
    assert!(shown.starts_with("SigningKey { public: Jwk {") && shown.ends_with(".. }"), "{shown}");
}

#[test]
fn a_key_for_a_client_is_read_as_it_was_written() {
    let pem = SigningKey::es256_pem().unwrap();
    let lines: Vec<&str> = pem.lines().collect();
    assert_eq!(lines.first().copied(), Some("-----BEGIN PRIVATE KEY-----"));
    assert_eq!(lines.last().copied(), Some("-----END PRIVATE KEY-----"));
    assert!(lines.iter().all(|line| line.len() <= 64), "{}", lines.len());
    let key = SigningKey::from_pem(&pem).unwrap();
    let again = SigningKey::from_pem(&pem.replace('\n', "\r\n")).unwrap();
    let token = again.sign("JWT", &json!({"sub": "a"}).into()).unwrap();
    assert!(verify(&token, key.public()).is_ok());
    let shown = format!("{key:?}");
    assert!(lines[1..].iter().all(|line| !shown.contains(line)), "{shown}");
    for wrong in ["", "abc", pem.replace("PRIVATE", "PUBLIC").as_str(), &lines[..2].join("\n")] {
        assert_eq!(SigningKey::from_pem(wrong).unwrap_err(), JoseError::UnsupportedKey);
    }
}
