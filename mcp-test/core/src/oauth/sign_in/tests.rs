//! What a client asks its user, whom it contacts, and when it gets another token.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::*;
use crate::clock::Deadline;
use crate::oauth::alteration::Alteration;
use crate::oauth::parameters::Parameters;
use crate::oauth::{AuthorizationServer, AuthorizationServerBuilder};
use crate::transport::{HttpRequest, request_once};

const REDIRECT_URI: &str = "http://127.0.0.1:9/callback";

/// Somebody who notes every question, and allows everything, or nothing.
#[derive(Default)]
struct FakePerson {
    refuses: bool,
    questions: Mutex<Vec<String>>,
    secrets: Mutex<Vec<String>>,
}

impl FakePerson {
    fn note(&self, question: String) {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner).push(question);
    }

    fn questions(&self) -> Vec<String> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Person for FakePerson {
    fn allows<'a>(&'a self, question: Question<'a>) -> BoxFuture<'a, bool> {
        self.note(match question {
            Question::SignIn { issuer, .. } => format!("sign in at {issuer}"),
            Question::Contact { what, origin } => format!("contact {origin} for {what}"),
            Question::MoreScopes { scopes } => format!("scopes {scopes}"),
        });
        let is_allowed = !self.refuses;
        Box::pin(async move { is_allowed })
    }

    fn redirect_uri(&self) -> BoxFuture<'_, Result<String, SignInError>> {
        Box::pin(async { Ok(REDIRECT_URI.to_owned()) })
    }

    fn consent<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Parameters, SignInError>> {
        self.note("consent".to_owned());
        Box::pin(async move {
            let deadline = Deadline::after(Duration::from_secs(20));
            let response = request_once(url, &HttpRequest::get(), 65536, deadline).await.unwrap();
            let (_, location) =
                response.headers.iter().find(|(name, _)| name == "location").unwrap();
            Ok(Parameters::parse(location.split_once('?').unwrap().1.as_bytes()))
        })
    }

    fn learn(&self, secret: &str) {
        self.secrets.lock().unwrap_or_else(PoisonError::into_inner).push(secret.to_owned());
    }
}

/// A client, its user, and a protected server at the origin of its authorization server, as in 2025-03-26.
struct Client {
    sign_in: SignIn,
    asked: Arc<FakePerson>,
    server: AuthorizationServer,
    url: String,
}

impl Client {
    async fn of(builder: AuthorizationServerBuilder, refuses: bool) -> Self {
        let server = builder.start().await.unwrap();
        let url = format!("{}/mcp", server.issuer());
        let asked = Arc::new(FakePerson { refuses, ..FakePerson::default() });
        let sign_in = SignIn::new(Settings::for_person(asked.clone(), &url));
        Self { sign_in, asked, server, url }
    }

    /// The response to a request with this status and challenge; returns whether to send the request again.
    async fn gets(&self, status: u16, challenge: &str) -> bool {
        let added = self.sign_in.headers("POST", &self.url);
        let headers = [("WWW-Authenticate".to_owned(), challenge.to_owned())];
        let headers = if challenge.is_empty() { &[][..] } else { &headers };
        let exchange = AuthorizedExchange { url: &self.url, added: &added, status, headers };
        self.sign_in.responded(exchange).await
    }

    fn token(&self) -> Option<String> {
        self.sign_in.headers("POST", &self.url).pop().map(|(_, value)| value)
    }
}

#[tokio::test]
async fn the_user_is_asked_once_and_every_secret_is_learned() {
    let client = Client::of(AuthorizationServer::builder(), false).await;
    assert!(client.gets(401, "Bearer").await, "{:?}", client.sign_in.take_error());
    let issuer = client.server.issuer();
    assert_eq!(client.asked.questions(), [&format!("sign in at {issuer}"), "consent"]);
    let token = client.token().expect("a token");
    let secrets = client.asked.secrets.lock().unwrap().clone();
    assert!(secrets.iter().any(|secret| token.ends_with(secret.as_str())));
    // The code, the verifier, the access token and the refresh token.
    assert!(secrets.len() >= 4, "{}", secrets.len());
}

#[tokio::test]
async fn nobody_is_contacted_after_a_refusal_or_for_another_scheme() {
    let client = Client::of(AuthorizationServer::builder(), true).await;
    assert!(!client.gets(401, "Basic realm=\"x\"").await);
    assert!(client.asked.questions().is_empty());
    assert!(!client.gets(401, "Bearer").await);
    // Nobody is asked again.
    assert!(!client.gets(401, "Bearer").await);
    assert_eq!(client.asked.questions().len(), 1);
    let error = client.sign_in.take_error().unwrap().to_string();
    assert_eq!(error, format!("it was not allowed to sign in at {}", client.server.issuer()));
}

#[tokio::test]
async fn a_token_is_renewed_before_and_after_it_has_expired() {
    let short = Alteration::new(|_, answer| {
        if let Some(document) = answer.body.as_mut().and_then(|body| body.as_object_mut())
            && document.contains("expires_in")
        {
            document.insert("expires_in", 0);
        }
    });
    let client = Client::of(AuthorizationServer::builder().alter(short), false).await;
    assert!(client.gets(401, "Bearer").await);
    let first = client.token();
    assert!(!client.gets(200, "").await);
    let second = client.token();
    assert_ne!(first, second);
    assert!(client.gets(401, "Bearer error=\"invalid_token\"").await);
    assert_ne!(second, client.token());
    assert_eq!(client.asked.questions().iter().filter(|it| *it == "consent").count(), 1);
}

#[tokio::test]
async fn nobody_consents_again_for_a_request_that_is_always_refused() {
    let client = Client::of(AuthorizationServer::builder(), false).await;
    assert!(client.gets(401, "Bearer").await);
    let mut tokens = vec![client.token()];
    assert!(!client.gets(200, "").await);
    // The refresh token gets another one each time, and once for a request.
    for _ in 0..3 {
        assert!(client.gets(401, "").await);
        assert!(!client.gets(401, "").await);
        assert!(!client.gets(200, "").await);
        tokens.push(client.token());
    }
    tokens.dedup();
    assert_eq!(tokens.len(), 4);
    assert_eq!(client.asked.questions().iter().filter(|it| *it == "consent").count(), 1);
}

#[tokio::test]
async fn a_server_elsewhere_cannot_refer_to_this_machine() {
    let asked = Arc::new(FakePerson::default());
    let contacts = Contacts::asked(asked.clone(), "https://mcp.example/mcp");
    for url in
        ["http://127.0.0.1:8080/", "http://localhost/x", "http://[::1]/", "https://localhost/"]
    {
        let error = contacts.admit("the token endpoint", url).await.unwrap_err();
        assert!(matches!(error, SignInError::ThisMachine(_)), "{error}");
        let error = contacts.admit_issuer("https://mcp.example/mcp", url).await.unwrap_err();
        assert!(matches!(error, SignInError::ThisMachine(_)), "{error}");
    }
    for url in ["http://auth.example/", "javascript:alert(1)", "file:///etc/passwd", "data:,x", ""]
    {
        let error = contacts.admit("the token endpoint", url).await.unwrap_err();
        assert!(matches!(error, SignInError::UnsafeUrl(_)), "{error}");
    }
    assert!(asked.questions().is_empty());
}

#[tokio::test]
async fn every_other_host_is_asked_for_once() {
    let asked = Arc::new(FakePerson::default());
    let server = "https://mcp.example/mcp";
    let contacts = Contacts::asked(asked.clone(), server);
    contacts
        .admit("the metadata of the server", "https://mcp.example/.well-known/x")
        .await
        .unwrap();
    contacts.admit_issuer(server, "https://auth.example/tenant").await.unwrap();
    for url in ["https://auth.example/a", "https://token.example/a", "https://token.example/b"] {
        contacts.admit("the token endpoint", url).await.unwrap();
    }
    contacts.admit("the token endpoint", "https://auth.example:8443/").await.unwrap();
    assert_eq!(
        asked.questions(),
        [
            "sign in at https://auth.example/tenant",
            "contact https://token.example for the token endpoint",
            "contact https://auth.example:8443 for the token endpoint",
        ]
    );
}

#[tokio::test]
async fn without_a_person_only_the_given_server_is_contacted() {
    let contacts = Contacts::only("https://auth.example", Some("https://mcp.example/mcp"));
    contacts.admit("the token endpoint", "https://auth.example/token").await.unwrap();
    contacts.admit_issuer("https://mcp.example/mcp", "https://auth.example").await.unwrap();
    for issuer in ["https://auth.example/", "https://other.example"] {
        assert!(
            contacts.admit_issuer("https://mcp.example/mcp", issuer).await.is_err(),
            "{issuer}"
        );
    }
    assert!(contacts.admit("the token endpoint", "https://other.example/token").await.is_err());
}
