//! The revisions that a connection has named.

use std::collections::BTreeMap;

use crate::spec::Revision;

/// The revisions that a connection has named.
///
/// Which of them takes precedence is up to the caller: judging a whole trace goes by the handshake, validating a part
/// of a conversation by whatever was named last.
#[derive(Debug, Default)]
pub struct Revisions {
    /// What the latest `initialize` settled on.
    #[doc(hidden)]
    pub agreed: Option<Revision>,
    /// What was named last in any other way.
    #[doc(hidden)]
    pub named: Option<Revision>,
    /// What HTTP requests named in their headers.
    headers: BTreeMap<u64, Revision>,
}

impl Revisions {
    /// Remembers the header of an HTTP request, of at most so many the newest.
    #[doc(hidden)]
    pub fn set_header(&mut self, exchange: u64, revision: Revision, most: usize) {
        self.headers.insert(exchange, revision);
        if self.headers.len() > most {
            // Exchanges are numbered in order, so the first one is the oldest.
            self.headers.pop_first();
        }
    }

    /// What the HTTP request of an exchange named in its header.
    #[doc(hidden)]
    pub fn header(&self, exchange: Option<u64>) -> Option<Revision> {
        self.headers.get(&exchange?).copied()
    }

    /// The revision of a message that names none.
    pub(super) fn in_force(&self, exchange: Option<u64>) -> Option<Revision> {
        // The header is more specific than the handshake: it applies to its own exchange.
        self.header(exchange).or(self.agreed)
    }
}
