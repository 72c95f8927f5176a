//! The keys that a protected server verifies tokens with.

use std::time::Duration;

use reqwest::Url;
use tokio::sync::Mutex;

use super::well_known::AUTHORIZATION_SERVER;
use crate::clock::{Deadline, Stopwatch};
use crate::jose::{Jwk, Jws, KeySet};
use crate::json::Value;
use crate::transport::{HttpRequest, request_once};

/// The bytes of the largest document that is read.
const LARGEST: usize = 256 * 1024;
/// How long a document may take.
const TIME: Duration = Duration::from_secs(5);
/// How long keys that were fetched are not fetched again: whoever sends tokens of unknown keys must not cause a request each.
const PAUSE: Duration = Duration::from_secs(1);

/// The keys of an issuer.
pub enum TrustedKeys {
    /// Those that are known beforehand.
    Known(KeySet),
    /// Those that the issuer publishes.
    Published { issuer: String, fetched: Mutex<Option<(Stopwatch, KeySet)>> },
}

impl TrustedKeys {
    /// The keys that an issuer publishes.
    #[doc(hidden)]
    pub fn published_by(issuer: impl Into<String>) -> Self {
        Self::Published { issuer: issuer.into(), fetched: Mutex::default() }
    }

    /// The key that a token says it is signed with, if the issuer has it.
    pub(crate) async fn key_of(&self, token: &Jws) -> Option<Jwk> {
        let (issuer, fetched) = match self {
            Self::Known(keys) => return keys.key_of(token).ok().cloned(),
            Self::Published { issuer, fetched } => (issuer, fetched),
        };
        // Held while the keys are fetched, so that several requests cause one.
        let mut fetched = fetched.lock().await;
        if let Some((since, keys)) = &*fetched {
            let known = keys.key_of(token).ok().cloned();
            if known.is_some() || since.elapsed() < PAUSE {
                return known;
            }
        }
        let keys = fetch(issuer).await.unwrap_or_default();
        let found = keys.key_of(token).ok().cloned();
        *fetched = Some((Stopwatch::start(), keys));
        found
    }
}

/// The keys that the metadata of an issuer refer to.
async fn fetch(issuer: &str) -> Option<KeySet> {
    let url = Url::parse(issuer).ok()?;
    // RFC 8414, section 3: between the host and the path of the issuer.
    let (origin, path) = (url.origin().ascii_serialization(), url.path().trim_end_matches('/'));
    let metadata = format!("{origin}{AUTHORIZATION_SERVER}{path}");
    let metadata = document(&metadata).await?;
    if metadata.get("issuer").and_then(Value::as_str) != Some(issuer) {
        return None;
    }
    KeySet::read(&document(metadata.get("jwks_uri")?.as_str()?).await?).ok()
}

async fn document(url: &str) -> Option<Value> {
    let request = HttpRequest::get().header("Accept", "application/json");
    let response = request_once(url, &request, LARGEST, Deadline::after(TIME)).await.ok()?;
    let document = Value::parse(&response.body).ok()?;
    (response.status == 200).then_some(document.value)
}
