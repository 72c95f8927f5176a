//! What a client that signs in knows beforehand.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::SignInError;
use super::contacts::Contacts;
use super::person::Person;
use crate::jose::SigningKey;
use crate::spec::Revision;
use crate::transport::fault::gives_up_before;
use crate::transport::{Fault, KeptConnections, Misbehavior};

/// The redirect URI of a client without a user. Nothing listens there, since it reads the redirect itself.
const REDIRECT_URI: &str = "http://127.0.0.1:9/callback";

/// What a client that signs in knows beforehand, and what is wrong with it.
pub struct Settings {
    pub(crate) revision: Revision,
    pub(crate) faults: Arc<[Fault]>,
    /// Where it gets tokens from.
    #[doc(hidden)]
    pub grant: ClientGrant,
    /// The client that an authorization server knows already.
    #[doc(hidden)]
    pub registered: Option<RegisteredClient>,
    /// The URL of its metadata document, which may be its client id.
    #[doc(hidden)]
    pub metadata_document: Option<String>,
    /// The program that opens URLs, for the faults that have it open any.
    #[doc(hidden)]
    pub browser: Option<PathBuf>,
    /// Whom it may contact.
    pub(super) contacts: Contacts,
    /// Its connections, if it lives no longer than the runtime that opens them.
    pub(super) connections: Option<KeptConnections>,
}

/// Where a client gets its tokens from.
pub enum ClientGrant {
    /// From the consent of a user: a person with a browser, or else it follows the redirect itself.
    UserConsent,
    /// From its own credentials.
    ClientCredentials { key: Option<SigningKey> },
    /// From a signed assertion, such as that of a workload.
    Assertion(String),
    /// From an identity provider, which exchanges the id token of the user for an assertion.
    IdentityProvider { token_endpoint: String, client_id: String, id_token: String },
}

/// A client that an authorization server knows.
#[derive(Clone)]
pub struct RegisteredClient {
    #[doc(hidden)]
    pub id: String,
    #[doc(hidden)]
    pub secret: Option<String>,
    /// The method that it is registered for, if the server has said so.
    #[doc(hidden)]
    pub method: Option<String>,
}

impl Settings {
    /// Those of a client without a registration, which asks its user.
    #[doc(hidden)]
    pub fn new(revision: Revision, faults: Arc<[Fault]>) -> Self {
        Self {
            revision,
            faults,
            grant: ClientGrant::UserConsent,
            registered: None,
            metadata_document: None,
            browser: None,
            contacts: Contacts::anyone(),
            connections: Some(KeptConnections::default()),
        }
    }

    /// Those of a client that asks a person.
    #[doc(hidden)]
    pub fn for_person(person: Arc<dyn Person>, url: &str) -> Self {
        Self::within(Contacts::asked(person, url))
    }

    /// Those of a client that signs in at this authorization server alone.
    pub(crate) fn at(issuer: &str, url: Option<&str>) -> Self {
        Self::within(Contacts::only(issuer, url))
    }

    fn within(contacts: Contacts) -> Self {
        // Scenarios run on runtimes of their own.
        let connections = None;
        // With metadata of the server, and without them where it is of an older revision.
        Self { contacts, connections, ..Self::new(Revision::NEWEST_HANDSHAKE, Arc::default()) }
    }

    /// The person who is asked.
    pub(super) fn person(&self) -> Option<&Arc<dyn Person>> {
        self.contacts.person()
    }

    /// Has nothing show this text.
    pub(super) fn learn(&self, secret: &str) {
        if let Some(person) = self.person() {
            person.learn(secret);
        }
    }

    /// The redirect URI.
    pub(super) async fn redirect_uri(&self) -> Result<String, SignInError> {
        match self.person() {
            Some(person) => person.redirect_uri().await,
            None => Ok(REDIRECT_URI.to_owned()),
        }
    }

    /// Gives up before this step, if a fault says so.
    pub(super) fn reach(&self, step: &str) -> Result<(), SignInError> {
        match gives_up_before(&self.faults, step) {
            true => Err(SignInError::GaveUp),
            false => Ok(()),
        }
    }

    /// Whether it has this fault.
    pub(super) fn misbehaves(&self, misbehavior: Misbehavior) -> bool {
        self.faults.iter().any(|fault| fault.is(misbehavior))
    }
}

impl fmt::Debug for Settings {
    /// Without secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("faults", &self.faults).finish_non_exhaustive()
    }
}
