//! An identity provider whose assertions an authorization server takes.

use crate::jose::{Jwk, KeySet};

/// An identity provider.
#[derive(Debug, Clone)]
pub(super) struct TrustedIssuer {
    pub(super) issuer: String,
    pub(super) keys: KeySet,
}

impl TrustedIssuer {
    pub(super) fn new(issuer: String, key: Jwk) -> Self {
        Self { issuer, keys: KeySet::from_iter([key]) }
    }
}
