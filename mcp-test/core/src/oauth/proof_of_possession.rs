//! Proofs of possession in token requests (RFC 9449): which key a token is bound to, and that no proof is used twice.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use http::HeaderMap;

use super::dpop::{Proof, ProvenRequest};
use super::oauth_error::{ErrorCode, OAuthError};
use super::random_id::random_id;
use crate::clock::Deadline;

/// How many proofs are remembered; the oldest are forgotten.
const MOST_REMEMBERED: usize = 1_000;
/// The bytes of the longest id of a proof.
const LONGEST_ID: usize = 256;
/// How long a nonce is the newest one; the one before it is valid, too.
const NONCE_TIME: Duration = Duration::from_secs(300);

/// What the server knows of proofs.
#[derive(Default)]
pub(super) struct ProofChecker {
    /// The nonces, if it demands them.
    nonces: Option<Mutex<Nonces>>,
    /// The thumbprints of keys, and the ids of the proofs by them.
    used: Mutex<VecDeque<(String, String)>>,
}

/// The nonces that are valid.
#[derive(Default)]
struct Nonces {
    newest: Option<(String, Deadline)>,
    before: Option<String>,
}

impl ProofChecker {
    /// One that demands nonces, or not.
    pub(super) fn new(demands_nonces: bool) -> Self {
        Self { nonces: demands_nonces.then(Mutex::default), used: Mutex::default() }
    }

    /// The thumbprint of the key that a token request has a proof by; `None` if it has no proof.
    pub(super) fn key_of(
        &self,
        headers: &HeaderMap,
        url: &str,
    ) -> Result<Option<String>, OAuthError> {
        let request = ProvenRequest { method: "POST", url, nonce: None, token: None };
        let Some(verified) = request.verify(headers) else { return Ok(None) };
        let proof = verified.map_err(|why| ErrorCode::InvalidDpopProof.because(why))?;
        if let Some(nonces) = &self.nonces {
            let mut nonces = nonces.lock().unwrap_or_else(PoisonError::into_inner);
            if !nonces.has(proof.nonce.as_deref()) {
                let why = "the proof must have the nonce of `DPoP-Nonce`";
                return Err(ErrorCode::UseDpopNonce.because(why));
            }
        }
        self.mark_used(&proof)?;
        Ok(Some(proof.thumbprint))
    }

    /// The nonce for the next proof, if one is demanded.
    pub(super) fn nonce(&self) -> Option<String> {
        let nonces = self.nonces.as_ref()?;
        nonces.lock().unwrap_or_else(PoisonError::into_inner).newest()
    }

    /// Notes that a proof was used, which is refused the second time.
    pub(super) fn mark_used(&self, proof: &Proof) -> Result<(), OAuthError> {
        let refuse = |why| Err(ErrorCode::InvalidDpopProof.because(why));
        if proof.id.len() > LONGEST_ID {
            return refuse("`jti` of the proof is too long");
        }
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let proof = (proof.thumbprint.clone(), proof.id.clone());
        if used.contains(&proof) {
            return refuse("the proof was used before");
        }
        if used.len() == MOST_REMEMBERED {
            used.pop_front();
        }
        used.push_back(proof);
        Ok(())
    }
}

impl Nonces {
    fn has(&mut self, nonce: Option<&str>) -> bool {
        self.newest();
        let newest = self.newest.as_ref().map(|(text, _)| text.as_str());
        nonce.is_some() && (nonce == newest || nonce == self.before.as_deref())
    }

    /// The newest one, which is replaced when its time is over; `None` if the system has no random numbers.
    fn newest(&mut self) -> Option<String> {
        if self.newest.as_ref().is_none_or(|(_, until)| until.has_passed()) {
            let new = random_id().ok()?;
            let old = self.newest.replace((new, Deadline::after(NONCE_TIME)));
            self.before = old.map(|(text, _)| text);
        }
        self.newest.as_ref().map(|(text, _)| text.clone())
    }
}
