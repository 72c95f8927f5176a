//! [`EndingMessages`]: the messages after which a server does not answer any more, on all connections of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::spec::Revision;

/// The kinds of messages after which a server does not answer any more; clones share what they know.
#[derive(Debug, Clone, Default)]
pub struct EndingMessages(Arc<Mutex<Kinds>>);

#[derive(Debug, Default)]
struct Kinds {
    /// Those after which the server was started again.
    restarted: BTreeSet<String>,
    /// Those after which it kept running without answering, with the first revision at which it did.
    hung: BTreeMap<String, Revision>,
}

impl EndingMessages {
    /// Notes that the server is started again after a message of this kind, and returns whether that is the first time.
    pub(crate) fn note_restart(&self, kind: &str) -> bool {
        self.kinds().restarted.insert(kind.to_owned())
    }

    /// Whether the server was started again after a message of this kind.
    #[must_use]
    pub fn has_restarted(&self, kind: &str) -> bool {
        self.kinds().restarted.contains(kind)
    }

    /// Notes that the server kept running after a message of this kind without answering.
    pub fn note_hang(&self, kind: &str, revision: Revision) {
        self.kinds().hung.entry(kind.to_owned()).or_insert(revision);
    }

    /// Another revision at which the server kept running after a message of this kind without answering.
    #[must_use]
    pub fn hung_at_another(&self, kind: &str, revision: Revision) -> Option<Revision> {
        self.kinds().hung.get(kind).copied().filter(|hung| *hung != revision)
    }

    fn kinds(&self) -> MutexGuard<'_, Kinds> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_is_started_again_once_after_each_kind() {
        let ending = EndingMessages::default();
        assert!(!ending.has_restarted("a batch"));
        assert!(ending.clone().note_restart("a batch"));
        assert!(ending.has_restarted("a batch"));
        assert!(!ending.note_restart("a batch") && ending.note_restart("no JSON"));
    }

    #[test]
    fn a_message_at_which_the_server_hangs_is_repeated_at_that_revision_only() {
        let (older, newer) = (Revision::V2025_06_18, Revision::V2025_11_25);
        let ending = EndingMessages::default();
        ending.note_hang("no JSON", older);
        ending.note_hang("no JSON", newer);
        assert_eq!(ending.hung_at_another("no JSON", newer), Some(older));
        assert_eq!(ending.hung_at_another("no JSON", older), None);
        assert_eq!(ending.hung_at_another("a batch", newer), None);
    }
}
