//! The secrets that the scripted servers on this thread have received and issued, for a test that looks for them elsewhere.
//!
//! Nothing is kept until [`keep`] was called.

use std::cell::RefCell;

thread_local! {
    static SEEN: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Keeps a secret, if any are kept.
pub(super) fn add(secret: &str) {
    SEEN.with_borrow_mut(|seen| {
        if let Some(seen) = seen {
            seen.push(secret.to_owned());
        }
    });
}

/// Keeps the secrets that are seen from now on.
pub fn keep() {
    SEEN.set(Some(Vec::new()));
}

/// Takes all secrets that were seen since the last time.
pub fn take() -> Vec<String> {
    SEEN.with_borrow_mut(|seen| seen.as_mut().map(std::mem::take).unwrap_or_default())
}
