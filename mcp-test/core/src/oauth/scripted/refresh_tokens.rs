//! The refresh tokens that the authorization servers of a test have issued.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many are remembered; the oldest are forgotten.
const MOST_KEPT: usize = 100;

/// The tokens; clones share them.
#[derive(Clone, Default)]
pub struct RefreshTokens(Arc<Mutex<VecDeque<RefreshToken>>>);

/// A refresh token.
#[derive(Clone)]
pub struct RefreshToken {
    pub(super) text: String,
    #[doc(hidden)]
    pub issuer: String,
    /// The id of the client that it was issued to.
    #[doc(hidden)]
    pub client: String,
    /// The scopes that were granted.
    #[doc(hidden)]
    pub scopes: Vec<String>,
    /// Whether it has been redeemed.
    #[doc(hidden)]
    pub is_spent: bool,
}

/// The refresh token of a token request.
#[derive(Clone)]
pub enum PresentedRefreshToken {
    /// None, or one that no server of the test has issued.
    Unknown,
    /// As it was before the request.
    Issued(RefreshToken),
}

impl RefreshTokens {
    fn tokens(&self) -> MutexGuard<'_, VecDeque<RefreshToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, token: RefreshToken) {
        #[cfg(feature = "suite")]
        super::seen_secrets::add(&token.text);
        let mut tokens = self.tokens();
        if tokens.len() == MOST_KEPT {
            tokens.pop_front();
        }
        tokens.push_back(token);
    }

    /// Redeems the token with this text.
    pub(super) fn redeem(&self, text: Option<&str>) -> PresentedRefreshToken {
        let mut tokens = self.tokens();
        let found = tokens.iter_mut().find(|token| Some(token.text.as_str()) == text);
        match found {
            None => PresentedRefreshToken::Unknown,
            Some(token) => {
                let before = token.clone();
                token.is_spent = true;
                PresentedRefreshToken::Issued(before)
            }
        }
    }

    /// Whether a text has one of them in it.
    pub(super) fn are_in(&self, text: &str) -> bool {
        self.tokens().iter().any(|token| text.contains(&token.text))
    }
}
