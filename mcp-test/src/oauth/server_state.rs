//! What all requests to a server share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::alteration::Alteration;
use super::client_assertion::UsedAssertions;
use super::client_registry::ClientRegistry;
use super::exchange_recorder::ExchangeRecorder;
use super::grants::Grants;
use crate::jose::SigningKey;
use crate::transport::serve_http::AllowedHosts;

/// What all requests share.
pub(super) struct ServerState {
    pub(super) issuer: String,
    /// The path of the issuer: empty, or such as `/tenant`.
    pub(super) base: String,
    pub(super) scopes: Vec<String>,
    pub(super) key: Arc<SigningKey>,
    pub(super) hosts: AllowedHosts,
    pub(super) recorder: ExchangeRecorder,
    pub(super) alteration: Alteration,
    pub(super) clients: Mutex<ClientRegistry>,
    pub(super) grants: Mutex<Grants>,
    pub(super) used_assertions: Mutex<UsedAssertions>,
}

impl ServerState {
    pub(super) fn clients(&self) -> MutexGuard<'_, ClientRegistry> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn used_assertions(&self) -> MutexGuard<'_, UsedAssertions> {
        self.used_assertions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn grants(&self) -> MutexGuard<'_, Grants> {
        self.grants.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
