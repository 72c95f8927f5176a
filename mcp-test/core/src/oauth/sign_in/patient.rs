//! Signing in during a run: a request waits only for a short time for what a person does.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::SignIn;
use crate::clock::{self, Deadline};
use crate::transport::authorizer::{AuthorizedExchange, Authorizer};

/// How long a request that was refused waits for another token. Less than any time-out of a scenario, so that it ends with the
/// refusal of the server, and not as if the server had not answered.
const PATIENCE: Duration = Duration::from_secs(4);

/// A client that signs in, with a user who may take longer than a request may.
pub struct PatientSignIn {
    sign_in: Arc<SignIn>,
    /// Whether requests sign in already: before, whoever asks the server for the first time has all the time that a person needs.
    is_ready: AtomicBool,
    /// Whether the user takes too long for requests to wait.
    is_late: Arc<AtomicBool>,
}

impl PatientSignIn {
    #[doc(hidden)]
    pub fn new(sign_in: Arc<SignIn>) -> Self {
        let (is_ready, is_late) = Default::default();
        Self { sign_in, is_ready, is_late }
    }

    /// Signs in from now on, when a request is refused.
    #[doc(hidden)]
    pub fn make_ready(&self) {
        self.is_ready.store(true, Ordering::Relaxed);
    }
}

impl Authorizer for PatientSignIn {
    fn headers(&self, method: &str, url: &str) -> Vec<(String, String)> {
        self.sign_in.headers(method, url)
    }

    fn responded<'a>(&'a self, exchange: AuthorizedExchange<'a>) -> BoxFuture<'a, bool> {
        if !matches!(exchange.status, 401 | 403) {
            // The server has admitted a request.
            self.make_ready();
            return self.sign_in.responded(exchange);
        }
        Box::pin(async move {
            if !self.is_ready.load(Ordering::Relaxed) || self.is_late.load(Ordering::Relaxed) {
                return false;
            }
            let (sign_in, is_late) = (Arc::clone(&self.sign_in), Arc::clone(&self.is_late));
            let AuthorizedExchange { url, added, status, headers } = exchange;
            let (url, added, headers) = (url.to_owned(), added.to_vec(), headers.to_vec());
            // In a task, which goes on when this request is given up.
            let mut task = tokio::spawn(async move {
                let exchange =
                    AuthorizedExchange { url: &url, added: &added, status, headers: &headers };
                let is_sent_again = sign_in.responded(exchange).await;
                is_late.store(false, Ordering::Relaxed);
                is_sent_again
            });
            match clock::within(Deadline::after(PATIENCE), &mut task).await {
                Ok(ended) => ended.unwrap_or(false),
                Err(_) => {
                    self.is_late.store(true, Ordering::Relaxed);
                    if task.is_finished() {
                        // It has just ended, and cannot say so later.
                        self.is_late.store(false, Ordering::Relaxed);
                    }
                    false
                }
            }
        })
    }
}

impl fmt::Debug for PatientSignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sign_in.fmt(f)
    }
}
