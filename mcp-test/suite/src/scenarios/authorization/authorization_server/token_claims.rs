//! What an access token says, where it is a JWT. It is read and not verified: it comes from the server itself.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mcp_test_core::json::Value;

/// The claims of a token; `None` if it is no JWT in plain text, which no client may demand.
pub(super) fn claims(token: &str) -> Option<Value> {
    let mut parts = token.split('.');
    let (_, payload, _) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let text = URL_SAFE_NO_PAD.decode(payload).ok()?;
    let document = Value::parse(&text).ok()?;
    document.value.is_object().then_some(document.value)
}

/// Whether a token with these claims is for this resource.
pub(super) fn is_for(claims: &Value, resource: &str) -> bool {
    match claims.get("aud") {
        Some(Value::Array(several)) => several.iter().any(|one| one.as_str() == Some(resource)),
        Some(one) => one.as_str() == Some(resource),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_that_is_not_a_jwt_says_nothing() {
        let encoded = |text: &str| format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(text));
        let token = encoded(r#"{"aud": ["a", "https://b.example/mcp"]}"#);
        let read = claims(&token).expect("claims");
        assert!(is_for(&read, "https://b.example/mcp") && !is_for(&read, "https://b.example"));
        for opaque in ["", "abc", "a.b.c", "e30.e30", &format!("{token}.more"), &encoded("[]")] {
            assert!(claims(opaque).is_none(), "{opaque}");
        }
    }
}
