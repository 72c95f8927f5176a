//! [`OnceRuns`]: runs of plain peers, each of which is made once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

/// Runs by what distinguishes them; a test that needs one that another test makes waits for it.
pub(crate) struct OnceRuns<T>(Mutex<BTreeMap<String, Arc<OnceLock<T>>>>);

impl<T: Clone> OnceRuns<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    pub(crate) fn get(&self, key: String, make: impl FnOnce() -> T) -> T {
        let run = Arc::clone(self.0.lock().expect("no panic").entry(key).or_default());
        run.get_or_init(make).clone()
    }
}
