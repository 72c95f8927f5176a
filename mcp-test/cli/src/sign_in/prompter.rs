//! The person at the terminal: asked before a host is contacted, and for consent in a browser.

use std::io::{self, BufRead, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use futures_util::future::BoxFuture;
use mcp_test_core::clock::{self, Deadline};
use mcp_test_core::expect::words;
use mcp_test_core::oauth::parameters::Parameters;
use mcp_test_core::oauth::sign_in::{Person, Question, SignInError};
use mcp_test_core::scenario::authorization::CallbackListener;
use reqwest::Url;
use tokio::sync::{Mutex, mpsc};

use super::browser;
use crate::common_args::SignInArgs;
use crate::output;
use crate::report::LearnedSecrets;

/// How long an answer, or the consent in a browser, is waited for.
const PATIENCE: Duration = Duration::from_secs(5 * 60);
/// The bytes of the longest answer.
const LONGEST_ANSWER: u64 = 1024;
/// How many answers wait to be read.
const ANSWERS: usize = 4;
/// Moves to the start of the line and clears it: the status line may be there.
const CLEAR: &str = "\r\x1b[2K";

/// The person at the terminal, or, without one, whoever reads what is printed.
pub(super) struct Prompter {
    /// Whether everything is allowed beforehand.
    is_allowed: bool,
    opens_browser: bool,
    port: u16,
    can_ask: bool,
    /// How many things are asked at the moment.
    asking: AtomicUsize,
    /// Where the browser is redirected to. It stays for the whole run, since a client is registered with it.
    listener: Mutex<Option<CallbackListener>>,
    answers: Mutex<Option<mpsc::Receiver<String>>>,
    learned: LearnedSecrets,
}

/// Something that is asked, until it is dropped.
struct Asking<'a>(&'a AtomicUsize);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Prompter {
    pub(super) fn new(args: &SignInArgs, learned: LearnedSecrets) -> Self {
        Self {
            is_allowed: args.sign_in,
            opens_browser: args.open_browser,
            port: args.callback_port.unwrap_or(0),
            can_ask: output::can_ask(),
            asking: AtomicUsize::new(0),
            listener: Mutex::default(),
            answers: Mutex::default(),
            learned,
        }
    }

    pub(super) fn is_asking(&self) -> bool {
        self.asking.load(Ordering::Relaxed) > 0
    }

    /// Begins to ask: nobody else writes to the terminal as long as the result lives.
    fn begin(&self) -> Asking<'_> {
        if self.asking.fetch_add(1, Ordering::Relaxed) == 0 && output::stderr_is_terminal() {
            write_out(CLEAR, true);
        }
        Asking(&self.asking)
    }

    /// Asks a question that is answered with `y` or `n`; no answer in time, and the end of the input, are `n`.
    async fn ask(&self, question: &str) -> bool {
        let mut answers = self.answers.lock().await;
        let answers = answers.get_or_insert_with(read_answers);
        // An answer to a question that was not asked yet is none.
        while answers.try_recv().is_ok() {}
        write_out(&words::inert(question), false);
        let answer = clock::within(Deadline::after(PATIENCE), answers.recv()).await.ok().flatten();
        if answer.is_none() {
            output::note("");
        }
        answer.is_some_and(|answer| is_yes(&answer))
    }

    /// Waits for the redirect of a browser.
    async fn response(
        &self,
        listener: &mut CallbackListener,
        url: &str,
    ) -> Result<Parameters, SignInError> {
        let deadline = Deadline::after(PATIENCE);
        if self.opens_browser {
            open(url);
        } else if self.can_ask {
            // The person may as well open the URL elsewhere, and never answer.
            let question = "Open it in a browser now? [y/N] ";
            tokio::select! {
                callback = listener.next(deadline) => {
                    output::note("");
                    return parameters(callback);
                }
                is_yes = self.ask(question) => if is_yes {
                    open(url);
                }
            }
        }
        parameters(listener.next(deadline).await)
    }
}

impl Person for Prompter {
    fn allows<'a>(&'a self, question: Question<'a>) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            let _asking = self.begin();
            if self.is_allowed {
                output::note(&note(question));
                return true;
            }
            self.can_ask && self.ask(&format!("{} [y/N] ", text(question))).await
        })
    }

    fn redirect_uri(&self) -> BoxFuture<'_, Result<String, SignInError>> {
        Box::pin(async move {
            let mut listener = self.listener.lock().await;
            if listener.is_none() {
                let started = CallbackListener::start(self.port).await;
                *listener = Some(started.map_err(SignInError::Listen)?);
            }
            Ok(listener.as_ref().map(|it| it.uri().to_owned()).unwrap_or_default())
        })
    }

    fn consent<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Parameters, SignInError>> {
        Box::pin(async move {
            let mut listener = self.listener.lock().await;
            let Some(listener) = listener.as_mut() else {
                return Err(SignInError::Listen(io::ErrorKind::NotConnected.into()));
            };
            // What came after an earlier request does not answer this one.
            while listener.next(Deadline::after(Duration::ZERO)).await.is_some() {}
            let _asking = self.begin();
            output::note("Open this URL in a browser, sign in there, and consent:");
            // On a line of its own, where scripts find it.
            output::note(url);
            let (uri, patience) = (listener.uri(), clock::format_duration(PATIENCE));
            output::note(&format!("Waiting up to {patience} for the redirect to {uri} …"));
            self.response(listener, url).await
        })
    }

    fn learn(&self, secret: &str) {
        self.learned.learn(secret);
    }
}

fn parameters(
    callback: Option<mcp_test_core::scenario::authorization::Callback>,
) -> Result<Parameters, SignInError> {
    let callback = callback.map(|callback| callback.parameters);
    callback.ok_or_else(|| SignInError::NoConsent(clock::format_duration(PATIENCE)))
}

fn open(url: &str) {
    if let Err(error) = browser::open(url) {
        output::warn(&format!("cannot open a browser: {error}"));
    }
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

/// A question, for the person who answers it.
fn text(question: Question<'_>) -> String {
    match question {
        Question::SignIn { server, issuer } => {
            let hosts = [server, issuer].map(host);
            let hosts = match &hosts {
                [server, issuer] if server == issuer => server.clone(),
                [server, issuer] => format!("{server} and {issuer}"),
            };
            format!(
                "{server} demands authorization, and names the authorization server {issuer}\n\
                 Sign in there? mcp-test will contact {hosts}."
            )
        }
        Question::Contact { what, origin } => {
            format!("For {what}, mcp-test is referred to another host: {origin}\nContact it, too?")
        }
        Question::MoreScopes { scopes } => {
            format!("The server demands more scopes: {scopes}\nAsk for them?")
        }
    }
}

/// What is done, where it was allowed beforehand.
fn note(question: Question<'_>) -> String {
    match question {
        Question::SignIn { server, issuer } => {
            format!(
                "{server} demands authorization; signing in at its authorization server {issuer}"
            )
        }
        Question::Contact { what, origin } => format!("For {what}, {origin} is contacted"),
        Question::MoreScopes { scopes } => format!("The server demands more scopes: {scopes}"),
    }
}

/// The host of a URL, and the port if it is not the usual one.
fn host(url: &str) -> String {
    let Ok(url) = Url::parse(url) else { return String::new() };
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// Reads lines of standard input in a thread, which ends with the process: reading cannot be interrupted.
fn read_answers() -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(ANSWERS);
    thread::spawn(move || {
        loop {
            let mut line = String::new();
            let read = io::stdin().lock().take(LONGEST_ANSWER).read_line(&mut line);
            if !matches!(read, Ok(1..)) || sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Writes to standard error without a line break.
fn write_out(text: &str, is_control: bool) {
    // A terminal that is gone is noticed elsewhere.
    let _ = match is_control {
        true => output::terminal_line().write_all(text.as_bytes()),
        false => {
            let mut out = output::stderr();
            out.write_all(text.as_bytes()).and_then(|()| out.flush())
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_names_every_host() {
        let (server, issuer) = ("https://mcp.example/mcp", "https://auth.example:8443/tenant");
        let questions = [
            Question::SignIn { server, issuer },
            Question::SignIn { server, issuer: "https://mcp.example" },
            Question::Contact { what: "the token endpoint", origin: "https://token.example" },
            Question::MoreScopes { scopes: "a b" },
        ];
        insta::assert_snapshot!(questions.map(text).join("\n"), @"
        https://mcp.example/mcp demands authorization, and names the authorization server https://auth.example:8443/tenant
        Sign in there? mcp-test will contact mcp.example and auth.example:8443.
        https://mcp.example/mcp demands authorization, and names the authorization server https://mcp.example
        Sign in there? mcp-test will contact mcp.example.
        For the token endpoint, mcp-test is referred to another host: https://token.example
        Contact it, too?
        The server demands more scopes: a b
        Ask for them?
        ");
        insta::assert_snapshot!(questions.map(note).join("\n"), @"
        https://mcp.example/mcp demands authorization; signing in at its authorization server https://auth.example:8443/tenant
        https://mcp.example/mcp demands authorization; signing in at its authorization server https://mcp.example
        For the token endpoint, https://token.example is contacted
        The server demands more scopes: a b
        ");
    }

    #[test]
    fn only_yes_is_yes() {
        for (answer, yes) in
            [("y\n", true), (" YES ", true), ("\n", false), ("n", false), ("yy", false)]
        {
            assert_eq!(is_yes(answer), yes, "{answer}");
        }
    }
}
