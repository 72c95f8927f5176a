//! The context of a scenario that tests an authorization server: bounded requests, the consent of a person, and checks.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use reqwest::Url;

use super::{
    AuthorizationResponse, AuthorizationTarget, Callback, CallbackListener, ConsentRequest,
    RegisteredAs,
};
use crate::check::{Check, Collector, Finding};
use crate::clock::{self, Deadline};
use crate::expect::words;
use crate::json::Value;
use crate::oauth::exchange_recorder::ExchangeRecorder;
use crate::oauth::redirect_uri;
use crate::scenario::{CheckBuilder, Declared, Profile, Skip, Stop};
use crate::spec::{Requirement, Revision};
use crate::trace::{Party, Recorder, Seq, Trace};
use crate::transport::{FetchError, HttpRequest, PlainResponse, request_once};

/// The bytes of the largest response that is read.
const LARGEST: usize = 1024 * 1024;
/// How long a response may take.
const RESPONSE: Duration = Duration::from_secs(10);
/// The time that is left to redeem the code of the last moment.
const REDEEMING: Duration = Duration::from_secs(10);

/// The parameters of an [`AuthorizationCtx`].
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct AuthorizationSetup {
    /// The authorization server under test.
    pub target: AuthorizationTarget,
    /// The scenario.
    pub scenario: Declared,
    /// The revision of MCP by which it is judged.
    pub revision: Revision,
    /// The rules for verdicts.
    pub profile: Profile,
    /// How long the scenario may take.
    pub timeout: Duration,
    /// Whether the scenario was selected by name, and so may ask for consent although another one does.
    pub is_named: bool,
}

/// What a scenario that tests an authorization server uses.
#[doc(hidden)]
pub struct AuthorizationCtx {
    setup: AuthorizationSetup,
    collector: Collector,
    recorder: ExchangeRecorder,
    until: Deadline,
    /// Until when the consent of a person is awaited.
    consent_until: Deadline,
    has_answered: bool,
    /// What is to be deleted at the end: URLs, and tokens for that.
    leftovers: Vec<(String, String)>,
}

impl AuthorizationCtx {
    /// The context of a scenario that starts now.
    #[must_use]
    pub fn new(setup: AuthorizationSetup) -> Self {
        let recorder = ExchangeRecorder::new(Recorder::new());
        if let Some(secret) = setup.target.registered_as().and_then(|it| it.secret.as_deref()) {
            recorder.learn(secret);
        }
        // A little less than the scenario may take, so that the finding says what was awaited.
        let until = Deadline::after(setup.timeout - setup.timeout / 20);
        let consent = setup.timeout - REDEEMING.min(setup.timeout / 5);
        let (collector, consent_until) = (Collector::new(), Deadline::after(consent));
        Self {
            setup,
            collector,
            recorder,
            until,
            consent_until,
            has_answered: false,
            leftovers: Vec::new(),
        }
    }

    /// The checks so far, and everything that was exchanged.
    #[must_use]
    pub fn end(self) -> (Vec<Check>, Trace) {
        (self.collector.into_checks(), self.recorder.recorder().trace())
    }

    /// What records the run.
    #[must_use]
    pub fn recorder(&self) -> &Recorder {
        self.recorder.recorder()
    }

    /// The issuer, as it was given.
    #[must_use]
    pub fn issuer(&self) -> &str {
        self.setup.target.issuer()
    }

    /// The revision of MCP by which the server is judged.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.setup.revision
    }

    /// The rules for verdicts.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.setup.profile
    }

    /// The client that mcp-test is registered as.
    #[must_use]
    pub fn client(&self) -> Option<RegisteredAs> {
        self.setup.target.registered_as().cloned()
    }

    /// The MCP server that the token is for.
    #[must_use]
    pub fn resource(&self) -> Option<String> {
        self.setup.target.requested_resource().map(str::to_owned)
    }

    /// The requirement to implement OAuth 2.1, which stands for everything that OAuth demands.
    #[must_use]
    pub fn oauth(&self) -> &'static Requirement {
        match self.revision().has_resource_metadata() {
            true => Requirement::AUTH_TOKEN_OAUTH21_AUTHORIZATION_SERVER,
            // There the MCP server itself is the authorization server.
            false => Requirement::AUTH_TOKEN_OAUTH21_IMPLEMENTATIONS,
        }
    }

    /// A finding that cites [`Self::oauth`].
    #[must_use]
    pub fn wrong(&self, headline: impl Into<String>) -> Finding {
        Finding::peer(headline).requires(self.oauth())
    }

    /// Whether somebody may be asked for consent beside the one that every run asks for.
    #[must_use]
    pub fn may_ask_again(&self) -> bool {
        self.setup.is_named
    }

    /// Whether the authorization server has let another scenario wait in vain.
    #[must_use]
    pub fn is_known_silent(&self) -> bool {
        self.setup.target.is_silent()
    }

    /// Whether the scenario declares a check at the revision.
    #[must_use]
    pub fn declares(&self, id: &str) -> bool {
        self.setup.scenario.check_at(id, self.revision()).is_some()
    }

    /// Begins a check, which the scenario must declare.
    #[must_use = "a check without a verdict is not made; continue with `expect`, `pass`, `info` …"]
    pub fn check(&mut self, id: &str) -> CheckBuilder<'_> {
        let AuthorizationSetup { scenario, revision, profile, .. } = &self.setup;
        CheckBuilder::of(scenario, &mut self.collector, (*profile, *revision), id)
    }

    /// Skips every check that was not made, for one reason.
    pub fn skip_rest(&mut self, reason: &str) {
        let scenario = self.setup.scenario.clone();
        for check in scenario.checks_at(self.revision()) {
            if !self.collector.checks().iter().any(|made| made.id == check.id) {
                self.check(&check.id).skip(reason);
            }
        }
    }

    /// What ends a scenario that cannot be run as it was asked for: it is skipped, in profile `strict` a failure of the test.
    #[must_use]
    pub fn not_testable(&self, reason: impl Into<String>) -> Stop {
        let reason = reason.into();
        match self.profile() {
            Profile::Strict => Stop::Finding(Finding::test(reason)),
            Profile::Official | Profile::Adaptive => Stop::Skipped(Skip { reason }),
        }
    }

    /// Gets a document. A redirect is not followed: it is not the answer that RFC 8414 demands, and may lead anywhere.
    ///
    /// # Errors
    ///
    /// A finding, if the server does not respond.
    pub async fn get_document(&mut self, url: &str) -> Result<AuthorizationResponse, Finding> {
        self.send(url, &HttpRequest::get().header("Accept", "application/json")).await
    }

    /// Gets what a browser would get, without following a redirect.
    ///
    /// # Errors
    ///
    /// A finding, if the server does not respond.
    pub async fn get_page(&mut self, url: &str) -> Result<AuthorizationResponse, Finding> {
        self.send(url, &HttpRequest::get().header("Accept", "text/html")).await
    }

    /// Sends a form to an endpoint, with the value of `Authorization`, if there is one.
    ///
    /// # Errors
    ///
    /// A finding, if the server does not respond, or what is sent could be read on its way.
    pub async fn post_form(
        &mut self,
        url: &str,
        form: &[(&str, &str)],
        authorization: Option<&str>,
    ) -> Result<AuthorizationResponse, Finding> {
        self.demand_secure(url)?;
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let request = HttpRequest::post(body)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .header("Accept", "application/json");
        let request = match authorization {
            Some(value) => request.header("Authorization", value),
            None => request,
        };
        self.send(url, &request).await
    }

    /// Sends a JSON value to an endpoint.
    ///
    /// # Errors
    ///
    /// As for [`Self::post_form`].
    pub async fn post_json(
        &mut self,
        url: &str,
        body: &Value,
    ) -> Result<AuthorizationResponse, Finding> {
        self.demand_secure(url)?;
        let request = HttpRequest::post(body.to_string())
            .header("Content-Type", "application/json")
            .header("Accept", "application/json");
        self.send(url, &request).await
    }

    /// Notes what the scenario leaves behind: its URL, and a token with which it can be deleted.
    pub fn delete_at_end(&mut self, url: impl Into<String>, token: impl Into<String>) {
        self.leftovers.push((url.into(), token.into()));
    }

    /// Asks to delete what the scenario has left behind. That is a courtesy, whose failure is not a finding.
    pub async fn delete_leftovers(&mut self) {
        for (url, token) in std::mem::take(&mut self.leftovers) {
            let request = HttpRequest::delete().header("Authorization", format!("Bearer {token}"));
            if is_secure(&url) {
                self.send(&url, &request).await.ok();
            }
        }
    }

    fn demand_secure(&self, url: &str) -> Result<(), Finding> {
        if is_secure(url) {
            return Ok(());
        }
        let finding = self.wrong(format!("`{}` is not secure", without_query(url)));
        let finding = finding.expected("a URL with `https`, or of this machine");
        Err(finding.hint("nothing was sent there"))
    }

    async fn send(
        &mut self,
        url: &str,
        request: &HttpRequest,
    ) -> Result<AuthorizationResponse, Finding> {
        let what = format!("{} {}", request.method, without_query(url));
        let headers = header_map(&request.headers);
        let exchange = self.recorder.request(&request.method, url, &headers);
        let sent = exchange.seq();
        exchange.received(&request.body);
        let deadline = Deadline::after(RESPONSE).min(self.until);
        match request_once(url, request, LARGEST, deadline).await {
            Ok(PlainResponse { status, headers, body }) => {
                let shown: Vec<_> = header_map(&headers)
                    .iter()
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect();
                let code = StatusCode::from_u16(status).unwrap_or_default();
                let object = Value::parse(&body).ok().map(|document| document.value);
                let seq = exchange.sent(code, &shown, object.as_ref());
                self.has_answered = true;
                Ok(AuthorizationResponse { request: what, status, headers, body, sent, seq })
            }
            Err(why) => {
                let seq = self.recorder.note(Party::Server, &format!("no response: {why}"));
                Err(self.no_response(&what, &why).evidence_all([sent, seq]))
            }
        }
    }

    fn no_response(&self, what: &str, why: &FetchError) -> Finding {
        if matches!(why, FetchError::TimedOut(_)) && !self.has_answered {
            self.setup.target.mark_silent();
        }
        match why {
            FetchError::TimedOut(allotted) => self
                .wrong(format!("the authorization server does not answer `{what}`"))
                .expected(format!("a response within {allotted}"))
                .got("nothing, or not all of it"),
            // One that has answered refers to what cannot be reached.
            _ if why.is_unreachable() && !self.has_answered => {
                Finding::environment("the authorization server cannot be reached")
                    .got(format!("{why} (`{what}`)"))
            }
            _ => self
                .wrong(format!("`{what}` has no response that can be used"))
                .got(why.to_string()),
        }
    }

    /// Listens where the authorization server redirects to.
    ///
    /// # Errors
    ///
    /// A finding about the environment, if the port cannot be bound.
    pub async fn listen(&self) -> Result<CallbackListener, Finding> {
        let port = self.setup.target.redirect_port();
        CallbackListener::start(port).await.map_err(|error| {
            Finding::environment(format!("cannot listen at 127.0.0.1:{port} for the redirect"))
                .got(error.to_string())
                .hint("`--port` chooses another port, which must be registered for the client")
        })
    }

    /// Has somebody open the URL of an authorization request, and waits for the response; with the event that records it.
    ///
    /// # Errors
    ///
    /// A finding, if none comes in time.
    pub async fn consent(
        &mut self,
        url: &str,
        listener: &mut CallbackListener,
    ) -> Result<(Callback, Seq), Finding> {
        self.recorder.note(Party::Client, &format!("to be opened in a browser: {url}"));
        let wait = self.consent_until.allotted().unwrap_or_default();
        let client = self.client().map(|client| client.id).unwrap_or_default();
        let (url, redirect_uri) = (url.to_owned(), listener.uri().to_owned());
        let request = ConsentRequest { url, redirect_uri, client, wait };
        self.setup.target.ask_for_consent(&request);
        match listener.next(self.consent_until).await {
            Some(callback) => {
                let seq =
                    self.recorder.note(Party::Server, &format!("redirected to {}", callback.url));
                Ok((callback, seq))
            }
            None => Err(self
                .wrong("the authorization server did not redirect to the redirect URI in time")
                .expected(format!(
                    "a browser at `{}` within {}",
                    listener.uri(),
                    clock::format_duration(wait)
                ))
                .got("none")
                .hint("somebody has to open the URL that was printed, and consent")),
        }
    }

    /// A value for reports, without secrets.
    #[must_use]
    pub fn shown(&self, value: &Value) -> Value {
        self.recorder.shown(value)
    }
}

/// Whether nobody on the way can read what is sent to a URL.
#[must_use]
pub fn is_secure(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| redirect_uri::is_secure(&url))
}

fn without_query(url: &str) -> String {
    words::into_inert(url.split(['?', '#']).next().unwrap_or_default())
}

/// Those headers that are valid HTTP, which all are that were received.
fn header_map(headers: &[(String, String)]) -> HeaderMap {
    let pairs = headers.iter().filter_map(|(name, value)| {
        let name = HeaderName::try_from(name.as_str()).ok()?;
        Some((name, HeaderValue::try_from(value.as_str()).ok()?))
    });
    let mut map = HeaderMap::new();
    for (name, value) in pairs {
        map.append(name, value);
    }
    map
}
