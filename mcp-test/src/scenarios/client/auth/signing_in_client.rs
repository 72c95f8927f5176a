//! The reference client that signs in.

use std::sync::Arc;

use crate::client::reference::good_client;
use crate::client::{ClientTask, ScriptedClient};
use crate::json::Value;
use crate::oauth::sign_in::{RegisteredClient, Settings, SignIn};

/// The URL that the official suite expects as the id of a client with a metadata document. It is never fetched.
pub(super) const METADATA_DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";

/// The reference client, which signs in where a server over HTTP demands it, with the credentials of its context.
pub(crate) fn signing_in_client() -> ScriptedClient {
    good_client().signing_in(|task| Arc::new(SignIn::new(settings(task))))
}

fn settings(task: &ClientTask) -> Settings {
    let given = |name: &str| task.context().get(name).and_then(Value::as_str).map(str::to_owned);
    let mut settings = Settings::new(task.revision(), Arc::clone(task.faults()));
    settings.metadata_document = Some(METADATA_DOCUMENT.to_owned());
    settings.registered = given("client_id").map(|id| {
        let (secret, method) = (given("client_secret"), None);
        RegisteredClient { id, secret, method }
    });
    settings
}
