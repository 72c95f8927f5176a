//! The secrets that the scripted servers of this process have received and issued, for a test that looks for them elsewhere.

use std::sync::{Mutex, PoisonError};

use super::{PresentedCredentials, RequestKind, TokenRequest};

static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The parameters of token requests that are secrets.
const PARAMETERS: [&str; 7] = [
    "assertion",
    "client_assertion",
    "client_secret",
    "code",
    "code_verifier",
    "refresh_token",
    "subject_token",
];

pub(super) fn add(secret: &str) {
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).push(secret.to_owned());
}

/// Adds the secrets of a request.
pub(super) fn add_of(kind: &RequestKind) {
    let (RequestKind::Token(request) | RequestKind::Exchange(request)) = kind else { return };
    let TokenRequest { parameters, credentials, .. } = request;
    PARAMETERS.iter().flat_map(|name| parameters.all(name)).for_each(add);
    if let PresentedCredentials::Basic(Some((_, secret))) = credentials {
        add(secret);
    }
}

/// Takes all secrets that were seen since the last time.
pub(crate) fn take() -> Vec<String> {
    std::mem::take(&mut *SEEN.lock().unwrap_or_else(PoisonError::into_inner))
}
