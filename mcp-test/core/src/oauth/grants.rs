//! What users have granted: the codes and refresh tokens that stand for it, in bounded memory.

use std::collections::VecDeque;
use std::time::Duration;

use super::oauth_error::{ErrorCode, OAuthError};
use super::pkce::CodeChallenge;
use crate::clock::Deadline;

/// How many codes, and how many refresh tokens, are kept; the oldest are forgotten.
const MOST_KEPT: usize = 1_000;
/// How long a code can be redeemed: a client does so at once.
const CODE_LIFETIME: Duration = Duration::from_secs(60);

/// What was granted to a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grant {
    pub(super) client: String,
    pub(super) subject: String,
    pub(super) scopes: Vec<String>,
    pub(super) resources: Vec<String>,
    /// The thumbprint of the key that tokens are bound to (RFC 9449).
    pub(super) key: Option<String>,
}

/// An authorization request that was granted, until its code is redeemed.
pub(super) struct PendingCode {
    pub(super) grant: Grant,
    pub(super) challenge: CodeChallenge,
    pub(super) redirect_uri: String,
}

/// The identity of a grant, which its code and all refresh tokens that follow from it share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GrantId(u64);

/// The codes and refresh tokens that were issued.
#[derive(Default)]
pub(super) struct Grants {
    next: u64,
    codes: VecDeque<IssuedCode>,
    refresh_tokens: VecDeque<IssuedRefreshToken>,
}

struct IssuedCode {
    text: String,
    id: GrantId,
    pending: PendingCode,
    ends: Deadline,
    used: bool,
}

struct IssuedRefreshToken {
    text: String,
    id: GrantId,
    grant: Grant,
    ends: Option<Deadline>,
    used: bool,
}

impl Grants {
    /// Keeps a code.
    pub(super) fn add_code(&mut self, text: String, pending: PendingCode) {
        self.next += 1;
        let (id, ends) = (GrantId(self.next), Deadline::after(CODE_LIFETIME));
        push(&mut self.codes, IssuedCode { text, id, pending, ends, used: false });
    }

    /// Keeps a refresh token, for some time or as long as there is room.
    pub(super) fn add_refresh_token(
        &mut self,
        text: String,
        (id, grant): (GrantId, Grant),
        lifetime: Option<Duration>,
    ) {
        let ends = lifetime.map(Deadline::after);
        push(&mut self.refresh_tokens, IssuedRefreshToken { text, id, grant, ends, used: false });
    }

    /// Redeems a code of this client.
    ///
    /// It works once, also if the request turns out to be wrong. The second time, its refresh tokens end too: one of the two
    /// who had the code has stolen it (RFC 6749, section 4.1.2).
    pub(super) fn redeem(
        &mut self,
        text: &str,
        client: &str,
    ) -> Result<(GrantId, &PendingCode), OAuthError> {
        let refuse = |why| Err(ErrorCode::InvalidGrant.because(why));
        let Some(code) = self.codes.iter_mut().find(|code| code.text == text) else {
            return refuse("the code is unknown");
        };
        // Before it counts as used: another client must not be able to spoil it.
        if code.pending.grant.client != client {
            return refuse("the code was issued to another client");
        }
        if std::mem::replace(&mut code.used, true) {
            let id = code.id;
            revoke(&mut self.refresh_tokens, id);
            return refuse("the code was used before");
        }
        match code.ends.has_passed() {
            true => refuse("the code has expired"),
            false => Ok((code.id, &code.pending)),
        }
    }

    /// The grant of a refresh token of this client.
    ///
    /// A token that was replaced by a newer one ends all of them (OAuth 2.1, section 4.3.1).
    pub(super) fn find_by_refresh_token(
        &mut self,
        text: &str,
        client: &str,
    ) -> Result<(GrantId, Grant), OAuthError> {
        let refuse = |why| Err(ErrorCode::InvalidGrant.because(why));
        let Some(token) = self.refresh_tokens.iter().find(|token| token.text == text) else {
            return refuse("the refresh token is unknown or was revoked");
        };
        if token.grant.client != client {
            return refuse("the refresh token was issued to another client");
        }
        if token.used {
            let id = token.id;
            revoke(&mut self.refresh_tokens, id);
            return refuse("the refresh token was used before");
        }
        if token.ends.is_some_and(|ends| ends.has_passed()) {
            return refuse("the refresh token has expired");
        }
        Ok((token.id, token.grant.clone()))
    }

    /// Notes that a refresh token was replaced by a newer one.
    pub(super) fn mark_used(&mut self, text: &str) {
        let token = self.refresh_tokens.iter_mut().find(|token| token.text == text);
        if let Some(token) = token {
            token.used = true;
        }
    }
}

/// Ends all refresh tokens of a grant.
fn revoke(tokens: &mut VecDeque<IssuedRefreshToken>, id: GrantId) {
    tokens.retain(|token| token.id != id);
}

fn push<T>(kept: &mut VecDeque<T>, item: T) {
    if kept.len() == MOST_KEPT {
        kept.pop_front();
    }
    kept.push_back(item);
}
