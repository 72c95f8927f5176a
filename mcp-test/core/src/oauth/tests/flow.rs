//! What succeeds: discovery, registration, codes, refresh tokens, client credentials; and what the trace shows of it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::*;
use crate::jose::{Jws, KeySet, SigningKey, check_times};
use crate::trace::{Redactor, file};

/// The claims of an access token, verified with the keys that the server publishes.
async fn claims(flow: &Flow, token: &str) -> Value {
    let keys = KeySet::read(&body(&flow.get("/jwks").await)).unwrap();
    let token = Jws::parse(token).unwrap();
    assert_eq!(token.header().get("typ").and_then(Value::as_str), Some("at+jwt"));
    let key = keys.key_of(&token).unwrap();
    assert_eq!(key, flow.server.public_key());
    let claims = token.verify(key).unwrap();
    check_times(&claims, Duration::ZERO).unwrap();
    assert_eq!(claims.get("iss").and_then(Value::as_str), Some(flow.server.issuer()));
    claims
}

fn claim<'a>(claims: &'a Value, name: &str) -> Option<&'a str> {
    claims.get(name).and_then(Value::as_str)
}

/// A text as it is written in a form.
fn encoded(text: &str) -> String {
    form(&[("", text)]).trim_start_matches('=').to_owned()
}

#[tokio::test]
async fn a_registered_client_gets_a_token_for_a_resource() {
    let flow = Flow::start(AuthorizationServer::builder().scopes(["files:read"])).await;
    let metadata = flow.get("/.well-known/oauth-authorization-server").await;
    let issuer = flow.server.issuer();
    assert_eq!(text(&metadata, "issuer"), issuer);
    assert_eq!(text(&metadata, "token_endpoint"), format!("{issuer}/token"));
    let registered = flow
        .register(json!({
            "client_name": "A client",
            "redirect_uris": [REDIRECT_URI],
            "grant_types": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_method": "none",
        }))
        .await;
    assert_eq!(registered.status, 201);
    assert_eq!(text(&registered, "client_name"), "A client");
    assert_eq!(body(&registered).get("client_secret"), None, "it is public");
    let client = text(&registered, "client_id");
    let resource = "https://mcp.example/mcp";
    let state = [("state", "opaque & more"), ("resource", resource), ("scope", "files:read")];
    let answer = flow.authorize(&[&authorization(&client), state.as_slice()].concat()).await;
    assert_eq!(value(&answer, "state"), Some("opaque & more"));
    assert_eq!(value(&answer, "iss"), Some(issuer));
    let response = flow.token(&exchange(&client, value(&answer, "code").unwrap())).await;
    assert_eq!(response.header("cache-control"), Some("no-store"));
    assert_eq!(text(&response, "token_type"), "Bearer");
    assert_eq!(text(&response, "scope"), "files:read");
    let claims = claims(&flow, &text(&response, "access_token")).await;
    assert_eq!(claim(&claims, "aud"), Some(resource));
    assert_eq!(claim(&claims, "client_id"), Some(client.as_str()));
    assert_eq!(claim(&claims, "scope"), Some("files:read"));
    assert_eq!(claim(&claims, "sub"), Some("user"));
}

#[tokio::test]
async fn a_refresh_token_is_replaced_by_the_next() {
    let flow = Flow::start(builder()).await;
    let code = flow.code("desktop", &[]).await;
    let response = flow.token(&exchange("desktop", &code)).await;
    assert_eq!(text(&response, "scope"), "files:read files:write", "the default is all");
    let refresh = |token: String, scope: Option<&'static str>| {
        let parameters = [
            ("grant_type", "refresh_token"),
            ("client_id", "desktop"),
            ("refresh_token", token.as_str()),
        ];
        token_request(&[&parameters, scope.map(|scope| ("scope", scope)).as_slice()].concat())
    };
    let first = text(&response, "refresh_token");
    let response = flow.send(refresh(first.clone(), Some("files:read"))).await;
    assert_eq!(text(&response, "scope"), "files:read");
    let second = text(&response, "refresh_token");
    assert_ne!(first, second);
    let response = flow.send(refresh(second, None)).await;
    assert_eq!(text(&response, "scope"), "files:read files:write", "as it was granted");
    let third = text(&response, "refresh_token");
    // One of those who have it has stolen it, so the newest ends as well.
    let invalid = (400, "invalid_grant".to_owned());
    assert_eq!(refusal(&flow.send(refresh(first, None)).await), invalid);
    assert_eq!(refusal(&flow.send(refresh(third, None)).await), invalid);
}

#[tokio::test]
async fn a_client_with_a_secret_authenticates_in_the_header_or_in_the_form() {
    let flow = Flow::start(builder()).await;
    let credentials = [("grant_type", "client_credentials"), ("scope", "files:read")];
    let pair = STANDARD.encode(format!("{}:{}", encoded("service"), encoded(SECRET)));
    let request = token_request(&credentials).header("Authorization", format!("Basic {pair}"));
    let by_header = flow.send(request).await;
    let posted = [("client_id", "service"), ("client_secret", SECRET)];
    let by_form = flow.token(&[credentials, posted].concat()).await;
    for response in [by_header, by_form] {
        assert_eq!(body(&response).get("refresh_token"), None);
        let claims = claims(&flow, &text(&response, "access_token")).await;
        assert_eq!(claim(&claims, "sub"), Some("service"));
        assert_eq!(claim(&claims, "aud"), Some(flow.server.issuer()), "for no resource");
    }
    let registered = flow
        .register(json!({
            "grant_types": ["client_credentials"],
            "token_endpoint_auth_method": "client_secret_post",
        }))
        .await;
    let (id, secret) = (text(&registered, "client_id"), text(&registered, "client_secret"));
    let posted = [("client_id", id.as_str()), ("client_secret", secret.as_str())];
    let response = flow.token(&[credentials, posted].concat()).await;
    assert_eq!(text(&response, "scope"), "files:read");
}

#[tokio::test]
async fn a_client_with_a_key_authenticates_by_assertions() {
    let key = SigningKey::eddsa().unwrap();
    let registered_key = SigningKey::es256().unwrap();
    let known = OAuthClient::with_key("service-with-key", key.public().clone());
    let flow = Flow::start(builder().client(known)).await;
    let issuer = flow.server.issuer();
    let metadata = json!({
        "grant_types": ["client_credentials"],
        "token_endpoint_auth_method": "private_key_jwt",
        "jwks": KeySet::from_iter([registered_key.public().clone()]).to_value().to_serde(),
    });
    let registered = flow.register(metadata).await;
    assert_eq!(body(&registered).get("client_secret"), None);
    let registered = text(&registered, "client_id");
    let endpoint = format!("{issuer}/token");
    for (key, client, audience) in [
        (&key, "service-with-key", json!(issuer)),
        (&key, "service-with-key", json!(["https://other.example", endpoint])),
        (&registered_key, registered.as_str(), json!(endpoint)),
    ] {
        let assertion = key.sign("JWT", &assertion_claims(client, &audience).into()).unwrap();
        let response = flow.token(&with_assertion(&assertion)).await;
        let claims = claims(&flow, &text(&response, "access_token")).await;
        assert_eq!(claim(&claims, "sub"), Some(client));
        // Once, however long it is valid.
        let again = flow.token(&with_assertion(&assertion)).await;
        assert_eq!(refusal(&again), (401, "invalid_client".to_owned()));
    }
    let written = file::write(&flow.server.trace(), &Redactor::nothing());
    assert!(written.contains("client_assertion=[secret]"), "{written}");
}

#[tokio::test]
async fn metadata_is_found_where_clients_look_for_it() {
    let flow = Flow::start(builder().path("/tenant/1")).await;
    let issuer = flow.server.issuer();
    assert!(issuer.ends_with("/tenant/1"), "{issuer}");
    for path in [
        "/.well-known/oauth-authorization-server/tenant/1",
        "/.well-known/openid-configuration/tenant/1",
        "/tenant/1/.well-known/openid-configuration",
    ] {
        let metadata = flow.get(path).await;
        assert_eq!(text(&metadata, "issuer"), issuer, "{path}");
        assert_eq!(text(&metadata, "jwks_uri"), format!("{issuer}/jwks"));
    }
    let openid = body(&flow.get("/tenant/1/.well-known/openid-configuration").await);
    assert!(openid.get("subject_types_supported").is_some());
    for path in ["/.well-known/oauth-authorization-server", "/jwks", "/tenant", "/"] {
        assert_eq!(flow.get(path).await.status, 404, "{path}");
    }
    assert_eq!(flow.get("/tenant/1/jwks").await.status, 200);
    let root = Flow::start(builder()).await;
    for path in ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"] {
        assert_eq!(text(&root.get(path).await, "issuer"), root.server.issuer(), "{path}");
    }
}

#[tokio::test]
async fn the_trace_has_every_exchange_and_no_secret() {
    let flow = Flow::start(builder()).await;
    let code = flow.code("desktop", &[("state", "opaque")]).await;
    let response = flow.token(&exchange("desktop", &code)).await;
    let (access, refresh) = (text(&response, "access_token"), text(&response, "refresh_token"));
    let credentials =
        [("grant_type", "client_credentials"), ("client_id", "service"), ("client_secret", SECRET)];
    let other = text(&flow.token(&credentials).await, "access_token");
    let metadata = json!({"redirect_uris": [REDIRECT_URI]});
    let issued = text(&flow.register(metadata).await, "client_secret");
    // What was seen before is found where no name announces it.
    let misplaced = [("state", access.as_str()), ("login_hint", refresh.as_str())];
    flow.code("desktop", &misplaced).await;
    flow.get(&format!("/unknown/{code}?hint={issued}")).await;
    let request = HttpRequest::get().at("/").header("Authorization", format!("Bearer {other}"));
    flow.send(request.header("X-Note", VERIFIER)).await;
    let trace = flow.server.trace();
    // Without further redaction: nothing secret may be in the trace itself.
    let written = file::write(&trace, &Redactor::nothing());
    for secret in [&code, &access, &refresh, &other, &issued, VERIFIER, SECRET] {
        assert!(!written.contains(secret), "{secret} in {written}");
        assert!(!written.contains(&encoded(secret)), "{secret} in {written}");
    }
    // What is not secret is there.
    for shown in [CHALLENGE, "opaque", "client_credentials", "code=[secret]", "Bearer [secret]"] {
        assert!(written.contains(shown), "{shown} in {written}");
    }
    let exchanges = trace.events.iter().filter_map(|event| event.exchange).max();
    assert_eq!(exchanges, Some(7));
}

#[tokio::test]
async fn a_token_is_issued_without_a_client() {
    let flow = Flow::start(builder()).await;
    let resource = "http://127.0.0.1:1/mcp";
    let token = flow.server.issue_token(resource, ["files:read", "files:write"]).unwrap();
    let claims = claims(&flow, &token).await;
    assert_eq!(claim(&claims, "aud"), Some(resource));
    assert_eq!(claim(&claims, "scope"), Some("files:read files:write"));
    assert_eq!(claim(&claims, "sub"), Some("user"));
}
