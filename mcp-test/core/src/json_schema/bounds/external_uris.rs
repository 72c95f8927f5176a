//! The external URIs in a schema, none of which is fetched.

use std::collections::HashSet;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::{Retrieve, Uri};
use serde_json::Value;

/// Records the external URIs that the resolver requests.
///
/// It answers with a schema that allows anything, so that resolving continues and finds the location of the reference.
#[derive(Clone, Default)]
pub(super) struct ExternalUris {
    requested: Arc<Mutex<HashSet<String>>>,
}

impl ExternalUris {
    pub(super) fn contains(&self, uri: &str) -> bool {
        self.requested.lock().unwrap_or_else(PoisonError::into_inner).contains(uri)
    }
}

impl Retrieve for ExternalUris {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn Error + Send + Sync>> {
        let mut requested = self.requested.lock().unwrap_or_else(PoisonError::into_inner);
        requested.insert(uri.as_str().to_owned());
        Ok(Value::Bool(true))
    }
}
