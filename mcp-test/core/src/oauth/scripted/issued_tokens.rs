//! The access tokens that the authorization servers of a test have issued.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// How many are remembered; the oldest are forgotten.
const MOST_KEPT: usize = 500;

/// The tokens; clones share them.
#[derive(Clone, Default)]
pub struct IssuedTokens(Arc<Mutex<Issued>>);

#[derive(Default)]
struct Issued {
    tokens: VecDeque<IssuedToken>,
    /// How many tokens were issued, including the forgotten ones.
    count: usize,
}

/// An access token.
#[derive(Clone)]
pub struct IssuedToken {
    pub(super) text: String,
    /// How many tokens were issued before it.
    #[doc(hidden)]
    pub index: usize,
    #[doc(hidden)]
    pub issuer: String,
    #[doc(hidden)]
    pub scopes: Vec<String>,
    /// The thumbprint of the key that it is bound to.
    pub(crate) key: Option<String>,
}

impl IssuedTokens {
    /// Adds a token and assigns its index.
    pub(super) fn add(&self, token: IssuedToken) {
        #[cfg(feature = "suite")]
        super::seen_secrets::add(&token.text);
        let mut issued = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Issued { tokens, count } = &mut *issued;
        let token = IssuedToken { index: *count, ..token };
        *count += 1;
        if tokens.len() == MOST_KEPT {
            tokens.pop_front();
        }
        tokens.push_back(token);
    }

    /// Whether the text of any of them is in these bytes.
    pub(super) fn is_any_in(&self, bytes: &[u8]) -> bool {
        let text = String::from_utf8_lossy(bytes);
        let issued = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        issued.tokens.iter().any(|token| text.contains(&token.text))
    }

    /// The token with this text.
    pub(super) fn find(&self, text: &str) -> Option<IssuedToken> {
        let issued = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        issued.tokens.iter().find(|token| token.text == text).cloned()
    }
}
