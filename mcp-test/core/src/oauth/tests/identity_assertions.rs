//! What a trusted identity provider asserts, and what is refused.

use super::*;
use crate::jose::{Jws, SigningKey};

const PROVIDER: &str = "https://idp.example";
const RESOURCE: &str = "https://mcp.example/mcp";

/// The claims of a valid assertion.
fn claims(flow: &Flow) -> serde_json::Value {
    let now = clock::unix_time().as_secs();
    json!({
        "iss": PROVIDER,
        "sub": "somebody",
        "aud": flow.server.issuer(),
        "client_id": "service",
        "resource": RESOURCE,
        "scope": "files:read",
        "iat": now,
        "exp": now + 60,
        "jti": generate_id(),
    })
}

fn redeem(assertion: &str) -> [(&str, &str); 4] {
    [
        ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
        ("client_id", "service"),
        ("client_secret", SECRET),
        ("assertion", assertion),
    ]
}

#[tokio::test]
async fn an_assertion_is_redeemed_once_for_what_it_grants() {
    let key = SigningKey::es256().unwrap();
    let flow = Flow::start(builder().trusted_issuer(PROVIDER, key.public().clone())).await;
    let assertion = key.sign("oauth-id-jag+jwt", &claims(&flow).into()).unwrap();
    let issued = flow.token(&redeem(&assertion)).await;
    let token = Jws::parse(&text(&issued, "access_token")).unwrap();
    let granted = token.verify(flow.server.public_key()).unwrap();
    for (name, value) in
        [("aud", RESOURCE), ("sub", "somebody"), ("client_id", "service"), ("scope", "files:read")]
    {
        assert_eq!(granted.get(name).and_then(Value::as_str), Some(value), "{name}");
    }
    assert!(body(&issued).get("refresh_token").is_none(), "{issued:?}");
    let invalid = (400, "invalid_grant".to_owned());
    assert_eq!(refusal(&flow.token(&redeem(&assertion)).await), invalid, "it was used");
    let metadata = body(&flow.get("/.well-known/oauth-authorization-server").await).to_string();
    assert!(metadata.contains("grant-profile:id-jag"), "{metadata}");
    assert!(metadata.contains("grant-type:jwt-bearer"), "{metadata}");
}

#[tokio::test]
async fn what_is_wrong_with_an_assertion_is_refused() {
    let (key, other) = (SigningKey::es256().unwrap(), SigningKey::es256().unwrap());
    let flow = Flow::start(builder().trusted_issuer(PROVIDER, key.public().clone())).await;
    let refused = async |key: &SigningKey, kind: &str, claims: serde_json::Value| {
        let assertion = key.sign(kind, &claims.into()).unwrap();
        refusal(&flow.token(&redeem(&assertion)).await)
    };
    let invalid = (400, "invalid_grant".to_owned());
    let kind = "oauth-id-jag+jwt";
    assert_eq!(refused(&key, "JWT", claims(&flow)).await, invalid);
    assert_eq!(refused(&other, kind, claims(&flow)).await, invalid);
    for (name, value) in [
        ("iss", json!("https://other.example")),
        ("aud", json!("https://other.example")),
        ("client_id", json!("desktop")),
        ("exp", json!(1)),
        ("exp", json!(null)),
        ("sub", json!(null)),
        ("jti", json!("x".repeat(300))),
    ] {
        let mut claims = claims(&flow);
        claims[name] = value;
        assert_eq!(refused(&key, kind, claims).await, invalid, "{name}");
    }
    let mut wide = claims(&flow);
    wide["scope"] = json!("admin");
    assert_eq!(refused(&key, kind, wide).await, (400, "invalid_scope".to_owned()));
    assert_eq!(refusal(&flow.token(&redeem("abc")).await), invalid);
    // The request may narrow what was asserted, and not widen it.
    let assertion = key.sign(kind, &claims(&flow).into()).unwrap();
    let form = redeem(&assertion);
    let more = [form.as_slice(), &[("resource", "https://other.example/mcp")]];
    assert_eq!(refusal(&flow.token(&more.concat()).await), (400, "invalid_target".to_owned()));
    let more = [form.as_slice(), &[("scope", "files:write")]];
    assert_eq!(refusal(&flow.token(&more.concat()).await), (400, "invalid_scope".to_owned()));
}

#[tokio::test]
async fn an_identity_provider_asserts_who_has_signed_in_at_the_client() {
    let provider = Flow::start(builder().identity_provider()).await;
    let key = provider.server.public_key().clone();
    let server = Flow::start(builder().trusted_issuer(provider.server.issuer(), key)).await;
    let code = provider.code("service", &[("scope", "openid")]).await;
    let form = [exchange("service", &code).as_slice(), &[("client_secret", SECRET)]].concat();
    let id_token = text(&provider.token(&form).await, "id_token");
    let exchange = |changes: &[(&'static str, &'static str)]| {
        let mut form = vec![
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
            ("client_id", "service"),
            ("client_secret", SECRET),
            ("requested_token_type", "urn:ietf:params:oauth:token-type:id-jag"),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
            ("audience", server.server.issuer()),
            ("resource", RESOURCE),
            ("scope", "files:read"),
            ("subject_token", &id_token),
        ];
        form.retain(|(name, _)| changes.iter().all(|(changed, _)| changed != name));
        form.extend(changes);
        token_request(&form)
    };
    let exchanged = provider.send(exchange(&[])).await;
    assert_eq!(text(&exchanged, "token_type"), "N_A");
    assert!(text(&exchanged, "issued_token_type").ends_with(":id-jag"));
    let issued = server.token(&redeem(&text(&exchanged, "access_token"))).await;
    let token = Jws::parse(&text(&issued, "access_token")).unwrap();
    let granted = token.verify(server.server.public_key()).unwrap();
    assert_eq!(granted.get("aud").and_then(Value::as_str), Some(RESOURCE));
    assert_eq!(granted.get("sub").and_then(Value::as_str), Some("user"));
    for (change, error) in [
        (&[("subject_token", "abc")][..], "invalid_grant"),
        (&[("requested_token_type", "other")], "invalid_request"),
        (&[("subject_token_type", "other")], "invalid_request"),
        (&[("audience", "other")], "invalid_target"),
        (&[("client_id", "desktop"), ("client_secret", "")], "invalid_grant"),
    ] {
        let refused = provider.send(exchange(change)).await;
        assert_eq!(refusal(&refused), (400, error.to_owned()), "{change:?}");
    }
    // Without being asked, it says nothing about the user.
    let code = provider.code("desktop", &[("scope", "files:read")]).await;
    let form = super::exchange("desktop", &code);
    assert!(body(&provider.token(&form).await).get("id_token").is_none());
}

#[tokio::test]
async fn a_server_without_a_trusted_issuer_has_no_such_grant() {
    let flow = Flow::start(builder()).await;
    let expected = (400, "unsupported_grant_type".to_owned());
    assert_eq!(refusal(&flow.token(&redeem("abc")).await), expected);
    let metadata = json!({
        "grant_types": ["urn:ietf:params:oauth:grant-type:jwt-bearer"],
        "token_endpoint_auth_method": "client_secret_post",
    });
    let expected = (400, "invalid_client_metadata".to_owned());
    assert_eq!(refusal(&flow.register(metadata).await), expected);
}
