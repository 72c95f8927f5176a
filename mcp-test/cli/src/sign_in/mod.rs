//! Signing in at the authorization server of a server under test.
//!
//! The client is that of [`mcp_test_core::oauth`], which also the reference client uses; here is the person whom it asks.

mod browser;
mod prompter;

use std::sync::Arc;
use std::time::Duration;

use mcp_test_core::check::Finding;
use mcp_test_core::clock::Deadline;
use mcp_test_core::expect::words;
use mcp_test_core::oauth::sign_in::{
    PatientSignIn, RegisteredClient, Settings, SignIn, SignInError,
};
use mcp_test_core::run::SignInStep;
use mcp_test_core::trace::Recorder;
use mcp_test_core::transport::authorizer::{AuthorizedExchange, Authorizer};
use mcp_test_core::transport::{HttpRequest, Limits, Target, TransportKind};

use self::prompter::Prompter;
use super::common_args::SignInArgs;
use super::error::CliError;
use super::output;
use super::url::Endpoint;
use super::value_source::resolve_value;
use crate::report::{LearnedSecrets, Secrets};

/// What the server has refused already, when it is asked what it demands.
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"sign-in","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mcp-test","version":"1"}}}"#;
/// What shows whether a token is accepted, and opens no session.
const PING: &str = r#"{"jsonrpc":"2.0","id":"sign-in","method":"ping"}"#;

/// What to do without signing in.
const ADVICE: &str = "`--token` or `--header` sends credentials that you have";

/// Signing in during a run.
pub(super) struct SignInSession {
    url: String,
    sign_in: Arc<SignIn>,
    authorizer: Arc<PatientSignIn>,
    prompter: Arc<Prompter>,
    learned: LearnedSecrets,
}

impl SignInSession {
    /// Signs in at the server at this URL; `None` if nobody has allowed it, and nobody can be asked.
    pub(super) fn of(
        args: &SignInArgs,
        endpoint: &Endpoint,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<Arc<Self>>, CliError> {
        let client_secret = args.client_secret.as_ref();
        let client_secret =
            client_secret.map(|secret| resolve_value(secret.reveal(), variable)).transpose();
        let client_secret = client_secret.map_err(|error| {
            let (place, problem) = ("--client-secret".to_owned(), error.to_string());
            CliError::Authorization { place, problem }
        })?;
        if !args.sign_in && !output::can_ask() {
            return Ok(None);
        }
        let learned = LearnedSecrets::default();
        client_secret.iter().for_each(|secret| learned.learn(secret));
        let prompter = Arc::new(Prompter::new(args, learned.clone()));
        let mut settings = Settings::for_person(prompter.clone(), &endpoint.url);
        settings.registered = args.client_id.clone().map(|id| {
            let (secret, method) = (client_secret, None);
            RegisteredClient { id, secret, method }
        });
        let sign_in = Arc::new(SignIn::new(settings));
        let authorizer = Arc::new(PatientSignIn::new(Arc::clone(&sign_in)));
        let url = endpoint.url.clone();
        Ok(Some(Arc::new(Self { url, sign_in, authorizer, prompter, learned })))
    }

    /// The target, with tokens as soon as there are any.
    pub(super) fn authorize(&self, target: Target) -> Target {
        target.authorized_by(self.authorizer.clone())
    }

    /// What is found out to be secret.
    pub(super) fn learned(&self) -> LearnedSecrets {
        self.learned.clone()
    }

    /// Whether somebody is asked, so that nothing else may be written to the terminal.
    pub(super) fn is_asking(&self) -> bool {
        self.prompter.is_asking()
    }

    /// What a run does when the target demands authorization; each answer of the target may take `timeout`, and so may all those of an
    /// authorization server together.
    pub(super) fn step(self: &Arc<Self>, target: &Target, timeout: Duration) -> SignInStep {
        self.sign_in.limit(timeout);
        let (session, target) = (Arc::clone(self), target.clone());
        SignInStep::new(move || {
            let (session, target) = (Arc::clone(&session), target.clone());
            Box::pin(async move { session.sign_in(&target, timeout).await })
        })
    }

    async fn sign_in(&self, target: &Target, timeout: Duration) -> Result<bool, Finding> {
        let mut message = INITIALIZE;
        // It ends: the client signs in a few times at most.
        loop {
            let added = self.sign_in.headers("POST", &self.url);
            let Some((status, headers)) = probe(target, message, &added, timeout).await else {
                return Ok(false);
            };
            let (url, added, headers) = (self.url.as_str(), added.as_slice(), headers.as_slice());
            let exchange = AuthorizedExchange { url, added, status, headers };
            if !self.sign_in.responded(exchange).await {
                return match self.sign_in.take_error() {
                    Some(error) => Err(not_signed_in(&error)),
                    None if matches!(status, 401 | 403) => Ok(false),
                    None => {
                        self.authorizer.make_ready();
                        Ok(true)
                    }
                };
            }
            message = PING;
        }
    }

    /// Says why it was not possible to sign in again during the run.
    pub(super) fn note_error(&self, secrets: &Secrets) {
        if let Some(error) = self.sign_in.take_error() {
            let error = words::into_inert(error.to_string());
            output::warn(&secrets.mask(&format!("cannot sign in again: {error}")));
        }
    }
}

/// The status and the headers with which the target answers a message with these headers.
async fn probe(
    target: &Target,
    message: &'static str,
    added: &[(String, String)],
    timeout: Duration,
) -> Option<(u16, Vec<(String, String)>)> {
    let request = HttpRequest::post(message)
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream");
    let request = added.iter().fold(request, |request, (name, value)| request.header(name, value));
    let opened = target.open(TransportKind::Http, &Recorder::new(), Limits::default()).await;
    let exchange = opened.ok()?.open_http(request, Deadline::after(timeout)).await.ok()?;
    let answer = exchange.answer();
    Some((answer.status, answer.headers.clone()))
}

fn not_signed_in(error: &SignInError) -> Finding {
    let headline = match error {
        SignInError::NotAllowed(_) => "the server demands authorization, and nobody has signed in",
        _ => "cannot sign in, as the server demands",
    };
    let why = words::into_inert(error.to_string());
    Finding::environment(headline).got(why).hint(ADVICE)
}
