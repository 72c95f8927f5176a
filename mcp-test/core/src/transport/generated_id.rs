//! Ids of sessions and tasks, which others must not guess.

use std::hash::{BuildHasher, RandomState};

/// An id that nobody can guess: `RandomState` takes its keys from the random numbers of the operating system, which
/// saves a dependency.
pub fn generate_id() -> String {
    let [first, second] =
        [RandomState::new(), RandomState::new()].map(|state| state.hash_one("id"));
    format!("{first:016x}{second:016x}")
}
