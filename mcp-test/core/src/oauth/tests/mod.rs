//! Flows of a scripted client over loopback, and what the server refuses.

mod bound_tokens;
mod client_documents;
mod flow;
mod identity_assertions;
mod lifetimes;
mod refusals;

use std::time::Duration;

use reqwest::Url;
use serde_json::json;

use super::{AuthorizationServer, AuthorizationServerBuilder, OAuthClient};
use crate::clock::{self, Deadline};
use crate::json::Value;
use crate::trace::Recorder;
use crate::transport::generated_id::generate_id;
use crate::transport::{Connection, HttpRequest, HttpResponse, Limits, Target, TransportKind};

/// The redirect URI of the clients here; nothing listens there.
const REDIRECT_URI: &str = "http://127.0.0.1/callback";
/// The verifier and the challenge of RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
/// The secret of the confidential client.
const SECRET: &str = "s3cret of a test & more=";

/// A server, and a client that sends it requests.
struct Flow {
    server: AuthorizationServer,
    connection: Connection,
}

/// A server with two clients that are registered beforehand.
fn builder() -> AuthorizationServerBuilder {
    AuthorizationServer::builder()
        .scopes(["files:read", "files:write"])
        .client(OAuthClient::public("desktop").redirect_uri(REDIRECT_URI))
        .client(OAuthClient::public("other").redirect_uri(REDIRECT_URI))
        .client(OAuthClient::confidential("service", SECRET).redirect_uri(REDIRECT_URI))
}

impl Flow {
    async fn start(builder: AuthorizationServerBuilder) -> Self {
        let server = builder.start().await.unwrap();
        let target = Target::url(server.issuer());
        let recorder = Recorder::new();
        let opened = target.open(TransportKind::Http, &recorder, Limits::default());
        let connection = opened.await.unwrap();
        Self { server, connection }
    }

    async fn send(&self, request: HttpRequest) -> HttpResponse {
        let deadline = Deadline::after(Duration::from_secs(20));
        self.connection.http(request, deadline).await.unwrap()
    }

    async fn get(&self, path: &str) -> HttpResponse {
        self.send(HttpRequest::get().at(path)).await
    }

    /// A request to the authorization endpoint, and the parameters of its redirect.
    async fn authorize(&self, parameters: &[(&str, &str)]) -> Vec<(String, String)> {
        let response = self.get(&format!("/authorize?{}", form(parameters))).await;
        assert_eq!(response.status, 302, "{response:?}");
        let target = Url::parse(response.header("location").unwrap()).unwrap();
        assert!(target.as_str().starts_with(REDIRECT_URI), "{target}");
        target.query_pairs().into_owned().collect()
    }

    /// The code for a request with these parameters beside those that every request has.
    async fn code(&self, client: &str, more: &[(&str, &str)]) -> String {
        let answer = self.authorize(&[&authorization(client), more].concat()).await;
        value(&answer, "code").unwrap_or_else(|| panic!("no code in {answer:?}")).to_owned()
    }

    async fn token(&self, parameters: &[(&str, &str)]) -> HttpResponse {
        self.send(token_request(parameters)).await
    }

    async fn register(&self, metadata: serde_json::Value) -> HttpResponse {
        let request = HttpRequest::post(metadata.to_string()).at("/register");
        self.send(request.header("Content-Type", "application/json")).await
    }
}

fn form(parameters: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish()
}

fn token_request(parameters: &[(&str, &str)]) -> HttpRequest {
    HttpRequest::post(form(parameters))
        .at("/token")
        .header("Content-Type", "application/x-www-form-urlencoded")
}

/// The parameters of an authorization request.
fn authorization(client: &str) -> [(&str, &str); 5] {
    [
        ("response_type", "code"),
        ("client_id", client),
        ("redirect_uri", REDIRECT_URI),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
    ]
}

/// The parameters by which a public client exchanges a code.
fn exchange<'a>(client: &'a str, code: &'a str) -> [(&'static str, &'a str); 5] {
    [
        ("grant_type", "authorization_code"),
        ("client_id", client),
        ("code", code),
        ("redirect_uri", REDIRECT_URI),
        ("code_verifier", VERIFIER),
    ]
}

/// The claims of a valid assertion of a client.
fn assertion_claims(client: &str, audience: &serde_json::Value) -> serde_json::Value {
    let now = clock::unix_time().as_secs();
    json!({
        "iss": client,
        "sub": client,
        "aud": audience,
        "iat": now,
        "exp": now + 60,
        "jti": generate_id(),
    })
}

/// The parameters by which a client with a key gets a token.
fn with_assertion(assertion: &str) -> [(&str, &str); 3] {
    [
        ("grant_type", "client_credentials"),
        ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
        ("client_assertion", assertion),
    ]
}

fn value<'a>(parameters: &'a [(String, String)], name: &str) -> Option<&'a str> {
    parameters.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
}

fn body(response: &HttpResponse) -> Value {
    response.json().unwrap_or_else(|| panic!("not JSON: {response:?}")).value
}

/// A string in the body of a successful response.
fn text(response: &HttpResponse, name: &str) -> String {
    assert!(matches!(response.status, 200 | 201), "{response:?}");
    let body = body(response);
    body.get(name).and_then(Value::as_str).unwrap_or_else(|| panic!("{name}: {body}")).to_owned()
}

/// Status and error code of a refusal.
fn refusal(response: &HttpResponse) -> (u16, String) {
    let body = body(response);
    let error = body.get("error").and_then(Value::as_str).map(str::to_owned);
    (response.status, error.unwrap_or_else(|| panic!("no error: {body}")))
}
