//! What all requests to a server share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::alteration::Alteration;
use super::client::{GrantType, OAuthClient};
use super::client_assertion::UsedAssertions;
use super::client_documents::ClientDocuments;
use super::client_registry::ClientRegistry;
use super::exchange_recorder::ExchangeRecorder;
use super::grants::Grants;
use super::proof_of_possession::ProofChecker;
use super::trusted_issuer::TrustedIssuer;
use crate::jose::SigningKey;
use crate::transport::serve_http::AllowedHosts;

/// What all requests share.
pub(super) struct ServerState {
    pub(super) issuer: String,
    /// The path of the issuer: empty, or such as `/tenant`.
    pub(super) base: String,
    pub(super) scopes: Vec<String>,
    pub(super) key: Arc<SigningKey>,
    pub(super) access_token_lifetime: Duration,
    /// `None` stands for as long as there is room.
    pub(super) refresh_token_lifetime: Option<Duration>,
    pub(super) trusted_issuers: Vec<TrustedIssuer>,
    /// Whether it says who has signed in, and asserts that to other servers.
    pub(super) is_identity_provider: bool,
    pub(super) documents: ClientDocuments,
    pub(super) proofs: ProofChecker,
    pub(super) hosts: AllowedHosts,
    pub(super) recorder: ExchangeRecorder,
    pub(super) alteration: Alteration,
    pub(super) clients: Mutex<ClientRegistry>,
    pub(super) grants: Mutex<Grants>,
    pub(super) used_assertions: Mutex<UsedAssertions>,
}

impl ServerState {
    /// The client with this id, which may be the URL of its metadata document.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub(super) async fn client(&self, id: &str) -> Result<OAuthClient, &'static str> {
        let known = self.clients().find(id).cloned();
        match known {
            Some(client) => Ok(client),
            None => self.documents.find(id).await?.ok_or("the client is unknown"),
        }
    }

    /// The grants that it has.
    pub(super) fn grant_types(&self) -> impl Iterator<Item = GrantType> {
        let has_issuers = !self.trusted_issuers.is_empty();
        let bearer = has_issuers.then_some(GrantType::JwtBearer);
        let exchange = self.is_identity_provider.then_some(GrantType::TokenExchange);
        GrantType::ALL.into_iter().chain(bearer).chain(exchange)
    }

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
