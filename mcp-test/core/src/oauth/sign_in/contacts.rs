//! The hosts that a client may contact, and the time that they may take.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reqwest::Url;

use super::SignInError;
use super::origin::origin_and_path;
use super::person::{Person, Question};
use crate::expect::words;
use crate::oauth::internal_address;
use crate::oauth::redirect_uri::{is_secure, is_this_machine};

/// The bytes of the longest URL: a person has to read it.
const LONGEST_URL: usize = 8 * 1024;

/// The hosts that a client may contact, and the time that they may take.
pub(super) struct Contacts {
    rule: Rule,
    state: Mutex<State>,
}

/// Who may be contacted.
enum Rule {
    /// Whoever the server names.
    Anyone,
    /// Whom a person allows.
    ByConsent { person: Arc<dyn Person>, is_local: bool },
    /// Only these.
    Listed,
}

#[derive(Default)]
struct State {
    /// Scheme, host and port of each that may be contacted.
    origins: Vec<String>,
    /// The authorization servers at which the client may sign in.
    issuers: Vec<String>,
    /// How long all hosts together may take, each time that the client signs in.
    most: Option<Duration>,
    /// How much of that is left.
    left: Option<Duration>,
}

impl Contacts {
    /// Whoever the server names: it runs in this process.
    pub(super) fn anyone() -> Self {
        Self { rule: Rule::Anyone, state: Mutex::default() }
    }

    /// Whom `person` allows, beside the server at `url`.
    pub(super) fn asked(person: Arc<dyn Person>, url: &str) -> Self {
        let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let is_local = host.is_some_and(|host| is_this_machine(&host));
        let origins = origin_and_path(url).map(|(origin, _)| origin).into_iter().collect();
        let state = State { origins, ..State::default() };
        Self { rule: Rule::ByConsent { person, is_local }, state: Mutex::new(state) }
    }

    /// Only the hosts of these URLs, and only the first as an authorization server.
    pub(super) fn only(issuer: &str, url: Option<&str>) -> Self {
        let urls = url.into_iter().chain([issuer]);
        let origins = urls.filter_map(|url| Some(origin_and_path(url).ok()?.0)).collect();
        let state = State { origins, issuers: vec![issuer.to_owned()], ..State::default() };
        Self { rule: Rule::Listed, state: Mutex::new(state) }
    }

    /// Whether whoever the server names may be contacted, without a person who is asked.
    pub(super) fn is_anyone(&self) -> bool {
        matches!(self.rule, Rule::Anyone)
    }

    pub(super) fn person(&self) -> Option<&Arc<dyn Person>> {
        match &self.rule {
            Rule::ByConsent { person, .. } => Some(person),
            Rule::Anyone | Rule::Listed => None,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has all hosts together take no longer than this, each time that the client signs in; what a person takes does not count.
    pub(super) fn limit(&self, time: Duration) {
        self.state().most = Some(time);
    }

    /// Begins to sign in.
    pub(super) fn begin(&self) {
        let mut state = self.state();
        state.left = state.most;
    }

    /// Begins what may take no longer than this.
    pub(super) fn begin_within(&self, time: Duration) {
        let mut state = self.state();
        state.left = Some(state.most.map_or(time, |most| most.min(time)));
    }

    /// How long a response may take.
    pub(super) fn time(&self, most: Duration) -> Duration {
        self.state().left.map_or(most, |left| left.min(most))
    }

    /// Notes how long a response took.
    pub(super) fn took(&self, time: Duration) {
        let mut state = self.state();
        state.left = state.left.map(|left| left.saturating_sub(time));
    }

    /// Asks whether the client may sign in at an authorization server that the server at `url` names.
    pub(super) async fn admit_issuer(&self, server: &str, issuer: &str) -> Result<(), SignInError> {
        if matches!(self.rule, Rule::Anyone) || self.state().issuers.iter().any(|it| it == issuer) {
            return Ok(());
        }
        let origin = self.origin(issuer)?;
        let Some(person) = self.person() else {
            return Err(SignInError::NotAllowed(format!("to sign in at {issuer}")));
        };
        if !person.allows(Question::SignIn { server, issuer }).await {
            return Err(SignInError::NotAllowed(format!("to sign in at {issuer}")));
        }
        let mut state = self.state();
        state.issuers.push(issuer.to_owned());
        state.origins.push(origin);
        Ok(())
    }

    /// Asks whether the host of a URL may be contacted, unless it may already; `what` is there.
    pub(super) async fn admit(&self, what: &'static str, url: &str) -> Result<(), SignInError> {
        let origin = self.origin(url)?;
        if matches!(self.rule, Rule::Anyone) || self.state().origins.contains(&origin) {
            return Ok(());
        }
        let is_allowed = match self.person() {
            Some(person) => person.allows(Question::Contact { what, origin: &origin }).await,
            None => false,
        };
        if !is_allowed {
            return Err(SignInError::NotAllowed(format!("to contact {origin}")));
        }
        self.state().origins.push(origin);
        Ok(())
    }

    /// The origin of a URL to which a secret may be sent.
    fn origin(&self, text: &str) -> Result<String, SignInError> {
        let url = Url::parse(text).ok().filter(|url| text.len() <= LONGEST_URL && is_secure(url));
        let url = url.ok_or_else(|| SignInError::UnsafeUrl(words::excerpt(text).into_owned()))?;
        // Nobody is asked where the server names whom it likes.
        if matches!(self.rule, Rule::Anyone) && is_internal(&url) {
            return Err(SignInError::UnsafeUrl(text.to_owned()));
        }
        // A server elsewhere must not have us talk to what listens on this machine, also if its user has allowed everything.
        if let Rule::ByConsent { is_local: false, .. } = self.rule
            && url.host_str().is_some_and(is_this_machine)
        {
            return Err(SignInError::ThisMachine(text.to_owned()));
        }
        Ok(url.origin().ascii_serialization())
    }
}

/// Whether the host of a URL is an address of a private network, or a reserved one; loopback is neither.
fn is_internal(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let Ok(address) = host.parse::<IpAddr>() else { return false };
    internal_address::is_internal(address) && !address.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_private_networks_are_recognized() {
        let is_internal = |text: &str| is_internal(&Url::parse(text).expect("a URL"));
        for url in [
            "https://10.0.0.1/",
            "https://172.16.0.1/",
            "https://192.168.0.1/",
            "https://169.254.169.254/",
            "https://0xa9fea9fe/",
            "https://0.0.0.0/",
            "https://[::ffff:10.0.0.1]/",
            "https://[fe80::1]/",
            "https://[fc00::1]/",
            "https://[::]/",
        ] {
            assert!(is_internal(url), "{url}");
        }
        for url in ["https://example.com/", "https://127.0.0.1/", "https://[::1]/"] {
            assert!(!is_internal(url), "{url}");
        }
    }
}
