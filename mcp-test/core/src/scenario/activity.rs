//! [`Activity`]: what a long scenario is doing.

use std::sync::{Arc, Mutex, PoisonError};

/// What a scenario is doing, in a few words, for the progress line.
#[doc(hidden)]
#[derive(Debug, Clone, Default)]
pub struct Activity(Arc<Mutex<String>>);

impl Activity {
    /// Replaces the words.
    pub fn set(&self, words: impl Into<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = words.into();
    }

    /// The words; empty until some are set.
    #[must_use]
    pub fn get(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
