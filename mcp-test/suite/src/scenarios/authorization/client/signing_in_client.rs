//! The reference client that signs in.

use mcp_test_core::jose::SigningKey;
use mcp_test_core::oauth::sign_in::{ClientGrant, RegisteredClient, Settings, SignIn};

use crate::scenarios::prelude::*;

/// The URL that the official suite expects as the id of a client with a metadata document. It is never fetched.
pub(super) const METADATA_DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";

/// The scenarios in which a client has to use its id and its secret without a user.
const WITH_SECRET_ALONE: [&str; 2] =
    ["auth/client-credentials-basic", "client-credentials-renewal"];

/// The reference client, which signs in where a server over HTTP demands it, with the credentials of its context.
pub fn signing_in_client() -> ScriptedClient {
    good_client().signing_in(|task| Arc::new(SignIn::new(settings(task))))
}

fn settings(task: &ClientTask) -> Settings {
    let mut settings = Settings::new(task.revision(), Arc::clone(task.faults()));
    settings.metadata_document = Some(METADATA_DOCUMENT.to_owned());
    settings.browser = task.endpoint().browser_program();
    settings.registered = given(task, "client_id").map(|id| {
        let (secret, method) = (given(task, "client_secret"), None);
        RegisteredClient { id, secret, method }
    });
    settings.grant = grant(task).unwrap_or(ClientGrant::UserConsent);
    settings
}

/// The grant for which the context has what it needs.
fn grant(task: &ClientTask) -> Option<ClientGrant> {
    if let Some(pem) = given(task, "private_key_pem") {
        let key = SigningKey::from_pem(&pem).ok();
        return Some(ClientGrant::ClientCredentials { key });
    }
    if let Some(token_endpoint) = given(task, "idp_token_endpoint") {
        let (client_id, id_token) = (given(task, "idp_client_id")?, given(task, "idp_id_token")?);
        return Some(ClientGrant::IdentityProvider { token_endpoint, client_id, id_token });
    }
    let has = |misbehavior| task.faults().iter().any(|fault| fault.is(misbehavior));
    let assertion = match () {
        () if has(Misbehavior::SendsExpiredAssertion) => "expired_jwt",
        () if has(Misbehavior::SendsForeignAssertion) => "wrong_audience_jwt",
        () => "valid_jwt",
    };
    if let Some(assertion) = given(task, assertion) {
        return Some(ClientGrant::Assertion(assertion));
    }
    // An id and a secret alone do not say whether a user has to consent.
    WITH_SECRET_ALONE
        .contains(&task.scenario())
        .then_some(ClientGrant::ClientCredentials { key: None })
}

/// A member of the context.
fn given(task: &ClientTask, name: &str) -> Option<String> {
    task.context().get(name).and_then(Value::as_str).map(str::to_owned)
}
