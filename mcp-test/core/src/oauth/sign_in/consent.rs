//! The authorization request and its response, which is read from the redirect directly or received from the user's browser.
//!
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#authorization-flow-steps>

use std::process::Stdio;

use reqwest::Url;
use ring::digest;
use tokio::process::Command;

use super::discovery::Discovered;
use super::fetch::send;
use super::{RegisteredClient, Settings, SignInError};
use crate::jose::base64url;
use crate::oauth::parameters::Parameters;
use crate::oauth::random_id::random_text;
use crate::transport::fault::change_parameters;
use crate::transport::{HttpRequest, Misbehavior};

const WHAT: &str = "the authorization endpoint";

/// A code, and the verifier with which it can be redeemed.
pub(super) struct Code {
    pub(super) text: String,
    pub(super) verifier: String,
    pub(super) redirect_uri: String,
}

/// Asks for consent to these scopes.
pub(super) async fn ask(
    found: &Discovered,
    client: &RegisteredClient,
    scopes: &[String],
    redirect_uri: &str,
    settings: &Settings,
) -> Result<Code, SignInError> {
    let endpoint = found.server.authorization_endpoint.as_deref();
    let endpoint = endpoint.ok_or(SignInError::NoEndpoint("authorization_endpoint"))?;
    // It has 64 of the characters that RFC 7636 allows.
    let verifier = format!("{}{}", random_text()?, random_text()?);
    let challenge = base64url(digest::digest(&digest::SHA256, verifier.as_bytes()));
    let state = random_text()?;
    let mut parameters: Vec<(String, String)> = [
        ("response_type", "code"),
        ("client_id", client.id.as_str()),
        ("redirect_uri", redirect_uri),
        ("state", state.as_str()),
        ("code_challenge", challenge.as_str()),
        ("code_challenge_method", "S256"),
    ]
    .into_iter()
    .chain(found.resource.as_deref().map(|resource| ("resource", resource)))
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .collect();
    if !scopes.is_empty() {
        parameters.push(("scope".to_owned(), scopes.join(" ")));
    }
    change_parameters(&settings.faults, "authorize", &mut parameters);
    let unsafe_url = || SignInError::UnsafeUrl(endpoint.to_owned());
    let mut url = Url::parse(endpoint).map_err(|_| unsafe_url())?;
    url.query_pairs_mut().extend_pairs(parameters);
    open(&url, settings).await?;
    // Browsers and shells do not agree about what these mean (RFC 3986, appendix A, has none of them).
    if endpoint.contains(|c: char| c.is_control() || " \"<>\\^`{|}".contains(c)) {
        return Err(unsafe_url());
    }
    let answer = match settings.person() {
        None => follow(url.as_str(), redirect_uri, settings).await?,
        Some(person) => {
            // The user's browser opens this URL, so it needs the same permission as every other URL that the client contacts.
            settings.contacts.admit(WHAT, url.as_str()).await?;
            person.consent(url.as_str()).await?
        }
    };
    // Before the code is looked at: a response of another server must not be used at all.
    check_issuer(&answer, found, settings)?;
    if answer.first("state") != Some(state.as_str())
        && !settings.misbehaves(Misbehavior::IgnoresState)
    {
        return Err(SignInError::OtherState);
    }
    if let Some(error) = answer.first("error") {
        let description = answer.first("error_description").map(str::to_owned);
        return Err(SignInError::Refused { error: error.to_owned(), description });
    }
    let text = answer.first("code").ok_or(SignInError::NoCode)?.to_owned();
    settings.learn(&text);
    settings.learn(&verifier);
    Ok(Code { text, verifier, redirect_uri: redirect_uri.to_owned() })
}

/// Reads the redirect from the authorization endpoint, which redirects immediately if the user has already consented.
async fn follow(
    url: &str,
    redirect_uri: &str,
    settings: &Settings,
) -> Result<Parameters, SignInError> {
    let response = send(WHAT, url, &HttpRequest::get(), settings).await?;
    let location = response.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("location"));
    let (_, location) = location.ok_or(SignInError::NoRedirect(response.status))?;
    let query = location.strip_prefix(redirect_uri).and_then(|rest| rest.strip_prefix('?'));
    Ok(Parameters::parse(query.ok_or(SignInError::OtherRedirect)?.as_bytes()))
}

/// Opens the URL in the user's browser without validating it, if the client has such a fault.
///
/// Without one, the client opens no browser here.
async fn open(url: &Url, settings: &Settings) -> Result<(), SignInError> {
    let Some(browser) = &settings.browser else { return Ok(()) };
    let mut command = if settings.misbehaves(Misbehavior::OpensAnyUrl) {
        Command::new(browser)
    } else if settings.misbehaves(Misbehavior::OpensInShell) {
        let mut shell = Command::new("sh");
        shell.args(["-c".to_owned(), format!("'{}' \"{url}\"", browser.display())]);
        shell
    } else {
        return Ok(());
    };
    if settings.misbehaves(Misbehavior::OpensAnyUrl) {
        command.arg(url.as_str());
    }
    // The exit status does not matter: nobody consents in this browser.
    command.stdin(Stdio::null()).status().await.ok();
    Err(SignInError::NobodyConsents)
}

/// Compares the issuer of a response (RFC 9207), as text.
fn check_issuer(
    answer: &Parameters,
    found: &Discovered,
    settings: &Settings,
) -> Result<(), SignInError> {
    let is_right = match answer.first("iss") {
        Some(iss) => iss == found.server.issuer,
        None => !found.server.states_iss,
    };
    match is_right || settings.misbehaves(Misbehavior::IgnoresResponseIssuer) {
        true => Ok(()),
        false => Err(SignInError::OtherResponseIssuer),
    }
}
