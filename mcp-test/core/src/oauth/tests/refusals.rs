//! What is refused, each with its error; and what happens at the bounds.

use super::*;
use crate::jose::SigningKey;

/// Status and error of a refusal, as it is expected.
fn expected(status: u16, error: &str) -> (u16, String) {
    (status, error.to_owned())
}

#[tokio::test]
async fn a_code_is_exchanged_once_by_its_client_with_its_verifier() {
    let flow = Flow::start(builder()).await;
    let invalid = expected(400, "invalid_grant");
    let with = |code: &str, name: &str, value: &str| {
        let mut parameters =
            exchange("desktop", code).map(|(name, value)| (name.to_owned(), value.to_owned()));
        let changed = parameters.iter_mut().find(|(given, _)| given == name);
        changed.expect("the parameter").1 = value.to_owned();
        let borrowed = parameters.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        token_request(&borrowed.collect::<Vec<_>>())
    };
    let code = flow.code("desktop", &[]).await;
    let wrong = "wrong-verifier-wrong-verifier-wrong-verifier";
    for (name, value) in [
        ("code_verifier", wrong),
        ("code_verifier", CHALLENGE),
        ("redirect_uri", "http://127.0.0.1/other"),
        ("code", "unknown"),
    ] {
        let code = flow.code("desktop", &[]).await;
        assert_eq!(refusal(&flow.send(with(&code, name, value)).await), invalid, "{name}");
    }
    // Another client can neither use nor spoil it.
    assert_eq!(refusal(&flow.send(with(&code, "client_id", "other")).await), invalid);
    let response = flow.token(&exchange("desktop", &code)).await;
    let refresh = text(&response, "refresh_token");
    assert_eq!(refusal(&flow.token(&exchange("desktop", &code)).await), invalid);
    let parameters =
        [("grant_type", "refresh_token"), ("client_id", "desktop"), ("refresh_token", &refresh)];
    assert_eq!(refusal(&flow.token(&parameters).await), invalid, "it ended with its code");
    // Without the parameter the code is not used.
    let code = flow.code("desktop", &[]).await;
    let without = exchange("desktop", &code);
    assert_eq!(refusal(&flow.token(&without[..4]).await), expected(400, "invalid_request"));
    assert_eq!(flow.token(&exchange("desktop", &code)).await.status, 200);
}

#[tokio::test]
async fn a_refresh_token_belongs_to_its_client_and_its_grant() {
    let flow = Flow::start(builder()).await;
    let resource = ("resource", "https://mcp.example/mcp");
    let code = flow.code("desktop", &[("scope", "files:read"), resource]).await;
    let refresh = text(&flow.token(&exchange("desktop", &code)).await, "refresh_token");
    for (client, more, error) in [
        ("other", ("scope", "files:read"), "invalid_grant"),
        ("desktop", ("scope", "files:write"), "invalid_scope"),
        ("desktop", ("resource", "https://other.example/mcp"), "invalid_target"),
        // Refused requests have not used it up.
        ("desktop", resource, ""),
    ] {
        let parameters = [
            ("grant_type", "refresh_token"),
            ("client_id", client),
            ("refresh_token", &refresh),
            more,
        ];
        let response = flow.token(&parameters).await;
        match error {
            "" => assert_eq!(response.status, 200, "{response:?}"),
            error => assert_eq!(refusal(&response), expected(400, error), "{more:?}"),
        }
    }
}

#[tokio::test]
async fn a_wrong_authorization_request_is_reported_to_the_client() {
    let flow = Flow::start(builder()).await;
    let refused = async |changes: &[(&str, Option<&str>)], more: &[(&str, &str)]| {
        let mut parameters = authorization("desktop").to_vec();
        for (name, value) in changes {
            parameters.retain(|(given, _)| given != name);
            parameters.extend(value.map(|value| (*name, value)));
        }
        let parameters = [parameters.as_slice(), more, &[("state", "opaque")]].concat();
        let answer = flow.authorize(&parameters).await;
        assert_eq!(value(&answer, "code"), None, "{answer:?}");
        assert_eq!(value(&answer, "state"), Some("opaque"));
        assert_eq!(value(&answer, "iss"), Some(flow.server.issuer()));
        value(&answer, "error").unwrap_or_default().to_owned()
    };
    let invalid = "invalid_request";
    assert_eq!(refused(&[("code_challenge_method", Some("plain"))], &[]).await, invalid);
    // Without a method it is `plain`.
    assert_eq!(refused(&[("code_challenge_method", None)], &[]).await, invalid);
    assert_eq!(refused(&[("code_challenge", None)], &[]).await, invalid);
    assert_eq!(refused(&[("code_challenge", Some("too-short"))], &[]).await, invalid);
    assert_eq!(refused(&[("response_type", None)], &[]).await, invalid);
    assert_eq!(refused(&[], &[("scope", "files:read"), ("scope", "files:read")]).await, invalid);
    let token = refused(&[("response_type", Some("token"))], &[]).await;
    assert_eq!(token, "unsupported_response_type");
    assert_eq!(refused(&[], &[("scope", "files:read admin")]).await, "invalid_scope");
    assert_eq!(refused(&[], &[("scope", "files:read  files:write")]).await, "invalid_scope");
    for resource in ["/mcp", "https://mcp.example/mcp#fragment", "not a URI"] {
        assert_eq!(refused(&[], &[("resource", resource)]).await, "invalid_target", "{resource}");
    }
}

#[tokio::test]
async fn nobody_is_sent_to_a_redirect_uri_that_is_not_registered() {
    let flow = Flow::start(builder()).await;
    for change in [
        ("redirect_uri", "https://evil.example/callback"),
        ("redirect_uri", "http://127.0.0.1/callback/more"),
        ("redirect_uri", "javascript:alert(1)"),
        ("client_id", "unknown"),
        ("client_id", ""),
    ] {
        let mut parameters = authorization("desktop").to_vec();
        parameters.retain(|(name, _)| *name != change.0);
        parameters.push(change);
        let response = flow.get(&format!("/authorize?{}", form(&parameters))).await;
        assert_eq!(refusal(&response), expected(400, "invalid_request"), "{change:?}");
        assert_eq!(response.header("location"), None);
    }
    let twice = [authorization("desktop").as_slice(), &[("redirect_uri", REDIRECT_URI)]].concat();
    let response = flow.get(&format!("/authorize?{}", form(&twice))).await;
    assert_eq!(refusal(&response), expected(400, "invalid_request"));
}

#[tokio::test]
async fn a_client_is_who_it_says() {
    let flow = Flow::start(builder()).await;
    let grant = ("grant_type", "client_credentials");
    let refused = async |parameters: &[(&str, &str)]| refusal(&flow.token(parameters).await);
    let invalid = expected(401, "invalid_client");
    let service = ("client_id", "service");
    assert_eq!(refused(&[grant, service, ("client_secret", "wrong")]).await, invalid);
    assert_eq!(refused(&[grant, service]).await, invalid, "without its secret");
    assert_eq!(refused(&[grant, ("client_id", "unknown")]).await, invalid);
    assert_eq!(refused(&[grant]).await, invalid);
    // A public client has no secret that could be right.
    assert_eq!(refused(&[grant, ("client_id", "desktop"), ("client_secret", "x")]).await, invalid);
    let unauthorized = expected(400, "unauthorized_client");
    assert_eq!(refused(&[grant, ("client_id", "desktop")]).await, unauthorized);
    for wrong in ["Basic !", "Basic c2VydmljZTp3cm9uZw==", "Bearer token", "Basic"] {
        let request = token_request(&[grant]).header("Authorization", wrong);
        let response = flow.send(request).await;
        assert_eq!(refusal(&response), invalid, "{wrong}");
        assert!(response.header("www-authenticate").is_some_and(|it| it.starts_with("Basic ")));
    }
    let request = token_request(&[grant, service, ("client_secret", SECRET)]);
    let both = request.header("Authorization", "Basic c2VydmljZTp3cm9uZw==");
    assert_eq!(refusal(&flow.send(both).await), expected(400, "invalid_request"));
}

#[tokio::test]
async fn a_wrong_assertion_is_refused() {
    let (key, other) = (SigningKey::es256().unwrap(), SigningKey::es256().unwrap());
    let known = OAuthClient::with_key("keyed", key.public().clone());
    let flow = Flow::start(builder().client(known)).await;
    let issuer = flow.server.issuer();
    let invalid = expected(401, "invalid_client");
    let now = clock::unix_time().as_secs();
    for (name, value) in [
        ("iss", json!("desktop")),
        ("sub", json!("desktop")),
        ("sub", json!(null)),
        ("aud", json!("https://mcp.example/mcp")),
        ("aud", json!(format!("{issuer}/tokens"))),
        ("aud", json!(null)),
        ("exp", json!(now - 60)),
        ("exp", json!(null)),
        ("iat", json!(now + 600)),
        ("jti", json!(null)),
        ("jti", json!("a".repeat(257))),
    ] {
        let mut claims = assertion_claims("keyed", &json!(issuer));
        claims[name] = value;
        let assertion = key.sign("JWT", &claims.into()).unwrap();
        assert_eq!(refusal(&flow.token(&with_assertion(&assertion)).await), invalid, "{name}");
    }
    let claims: Value = assertion_claims("keyed", &json!(issuer)).into();
    let forged = other.sign("JWT", &claims).unwrap();
    assert_eq!(refusal(&flow.token(&with_assertion(&forged)).await), invalid);
    // The client is registered for assertions, and for nothing else.
    let without = [("grant_type", "client_credentials"), ("client_id", "keyed")];
    assert_eq!(refusal(&flow.token(&without).await), invalid);
    let assertion = key.sign("JWT", &claims).unwrap();
    let request = with_assertion(&assertion);
    let malformed = expected(400, "invalid_request");
    for more in [("client_id", "desktop"), ("client_secret", SECRET)] {
        let response = flow.token(&[request.as_slice(), &[more]].concat()).await;
        assert_eq!(refusal(&response), malformed, "{more:?}");
    }
    let mut saml = request;
    saml[1].1 = "urn:ietf:params:oauth:client-assertion-type:saml2-bearer";
    assert_eq!(refusal(&flow.token(&saml).await), malformed);
    assert_eq!(flow.token(&request).await.status, 200, "none of these has used it");
}

#[tokio::test]
async fn other_grants_and_other_bodies_are_refused() {
    let flow = Flow::start(builder()).await;
    let client = ("client_id", "desktop");
    let refused = async |parameters: &[(&str, &str)]| refusal(&flow.token(parameters).await);
    let unsupported = expected(400, "unsupported_grant_type");
    assert_eq!(refused(&[client, ("grant_type", "password")]).await, unsupported);
    let invalid = expected(400, "invalid_request");
    assert_eq!(refused(&[client]).await, invalid);
    let code = ("grant_type", "authorization_code");
    assert_eq!(refused(&[client, code]).await, invalid, "without a code");
    assert_eq!(refused(&[client, code, code]).await, invalid, "repeated");
    let body = json!({"grant_type": "authorization_code"}).to_string();
    let json = HttpRequest::post(body).at("/token").header("Content-Type", "application/json");
    assert_eq!(refusal(&flow.send(json).await), invalid);
    for (path, method) in
        [("/token", "GET"), ("/register", "PUT"), ("/jwks", "POST"), ("/authorize", "POST")]
    {
        assert_eq!(flow.send(HttpRequest::new(method).at(path)).await.status, 405, "{path}");
    }
}

#[tokio::test]
async fn a_client_that_cannot_be_registered_is_refused() {
    let flow = Flow::start(builder()).await;
    for uris in [
        json!(["http://app.example/callback"]),
        json!(["https://app.example/callback#fragment"]),
        json!(["https://app.example/callback", 1]),
        json!([]),
        json!(null),
        json!(vec![REDIRECT_URI; 11]),
    ] {
        let response = flow.register(json!({"redirect_uris": uris})).await;
        assert_eq!(refusal(&response), expected(400, "invalid_redirect_uri"), "{uris}");
    }
    let missing = flow.register(json!({})).await;
    assert_eq!(refusal(&missing), expected(400, "invalid_redirect_uri"));
    for (name, value) in [
        ("token_endpoint_auth_method", json!("tls_client_auth")),
        ("token_endpoint_auth_method", json!(1)),
        ("token_endpoint_auth_method", json!("private_key_jwt")),
        ("grant_types", json!(["implicit"])),
        ("grant_types", json!("authorization_code")),
        ("response_types", json!(["token"])),
    ] {
        let mut metadata = json!({"redirect_uris": [REDIRECT_URI]});
        metadata[name] = value;
        let response = flow.register(metadata).await;
        assert_eq!(refusal(&response), expected(400, "invalid_client_metadata"), "{name}");
    }
    let public = json!({
        "grant_types": ["client_credentials"],
        "token_endpoint_auth_method": "none",
    });
    let response = flow.register(public).await;
    assert_eq!(refusal(&response), expected(400, "invalid_client_metadata"));
    let request = HttpRequest::post("[]").at("/register");
    let response = flow.send(request.clone().header("Content-Type", "application/json")).await;
    assert_eq!(refusal(&response), expected(400, "invalid_client_metadata"));
    let response = flow.send(request.header("Content-Type", "text/plain")).await;
    assert_eq!(refusal(&response), expected(400, "invalid_client_metadata"));
}

#[tokio::test]
async fn requests_are_bounded_and_name_this_machine() {
    let flow = Flow::start(builder()).await;
    let large = HttpRequest::post("a".repeat(64 * 1024 + 1)).at("/token");
    assert_eq!(flow.send(large).await.status, 413);
    let long = format!("/authorize?state={}", "a".repeat(16 * 1024));
    assert_eq!(flow.get(&long).await.status, 414);
    let rebound = HttpRequest::get().at("/jwks").header("Host", "evil.example");
    assert_eq!(flow.send(rebound).await.status, 403);
    let from_page = HttpRequest::get().at("/jwks").header("Origin", "https://evil.example");
    assert_eq!(flow.send(from_page).await.status, 403);
    // Every scope is known to a server that names none.
    let flow = Flow::start(builder().scopes([""; 0])).await;
    let long = "a".repeat(1025);
    let path = format!("https://mcp.example/{}", "a".repeat(2048));
    let many = vec![("resource", "https://mcp.example/mcp"); 11];
    for (more, error) in [
        (vec![("scope", long.as_str())], "invalid_scope"),
        (vec![("resource", path.as_str())], "invalid_target"),
        (many, "invalid_target"),
    ] {
        let answer =
            flow.authorize(&[authorization("desktop").as_slice(), more.as_slice()].concat()).await;
        assert_eq!(value(&answer, "error"), Some(error));
    }
}

#[tokio::test]
async fn the_oldest_registrations_and_codes_are_forgotten() {
    let flow = Flow::start(builder()).await;
    let metadata = json!({
        "redirect_uris": [REDIRECT_URI],
        "token_endpoint_auth_method": "none",
    });
    let first = text(&flow.register(metadata.clone()).await, "client_id");
    let code = flow.code("desktop", &[]).await;
    let newer_code = flow.code("desktop", &[]).await;
    for _ in 0..1_000 {
        flow.register(metadata.clone()).await;
    }
    for _ in 0..999 {
        flow.code("desktop", &[]).await;
    }
    let response = flow.get(&format!("/authorize?{}", form(&authorization(&first)))).await;
    assert_eq!(refusal(&response), expected(400, "invalid_request"));
    let response = flow.token(&exchange("desktop", &code)).await;
    assert_eq!(refusal(&response), expected(400, "invalid_grant"));
    assert_eq!(flow.token(&exchange("desktop", &newer_code)).await.status, 200);
}

#[tokio::test]
async fn the_path_of_an_issuer_is_a_path() {
    for path in ["tenant", "/", "/tenant/", "//tenant", "/a b", "/../a", "/a?b"] {
        let refused = AuthorizationServer::builder().path(path).start().await;
        let error = refused.map(|server| server.issuer().to_owned()).unwrap_err().to_string();
        assert!(error.starts_with(&format!("`{path}` is not a path")), "{error}");
    }
}
