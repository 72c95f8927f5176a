//! The conversations of an endpoint, by the session that their requests name.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use http::{HeaderMap, HeaderValue};
use mcp_test_core::spec::header;

use crate::guard::guarded_conversation::GuardedConversation;

/// How many sessions are remembered. The oldest is forgotten first; its messages are then judged by each revision that it
/// may have agreed on.
const REMEMBERED: usize = 4096;

/// One conversation, which several requests may belong to.
#[derive(Debug, Clone, Default)]
pub(super) struct Session(Arc<Mutex<GuardedConversation>>);

impl Session {
    pub(super) fn with<T>(&self, act: impl FnOnce(&mut GuardedConversation) -> T) -> T {
        // A callback of the user may have panicked, which leaves the remembered state intact.
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    sessions: HashMap<HeaderValue, Session>,
    order: VecDeque<HeaderValue>,
}

impl Sessions {
    /// The conversation that a request belongs to: a new one, if it names no session that is known.
    pub(super) fn of(&self, headers: &HeaderMap) -> Session {
        // Of a session that was forgotten, or was opened before the guard, the revision is not known.
        let session =
            id(headers).and_then(|id| self.known(|known| known.sessions.get(&id).cloned()));
        session.unwrap_or_default()
    }

    /// Remembers a conversation that has just begun, if the response gives it a session: returns the one that the response
    /// belongs to.
    pub(super) fn open(
        &self,
        headers: &HeaderMap,
        session: Session,
        named: Option<&HeaderValue>,
    ) -> Session {
        // Still unanswered here: the body of the response is read only later, as it goes out.
        let begins = session.with(|conversation| conversation.is_initializing());
        let Some(id) = id(headers).filter(|_| begins) else { return session };
        // Within a session, the handler has opened another one, which agrees on a revision of its own.
        let session = match named.is_some_and(|named| *named != id) {
            true => Session(Arc::new(Mutex::new(session.with(GuardedConversation::split)))),
            false => session,
        };
        self.known(|known| {
            if known.sessions.insert(id.clone(), session.clone()).is_none() {
                known.order.push_back(id);
            }
            if known.sessions.len() > REMEMBERED {
                known.order.pop_front().map(|oldest| known.sessions.remove(&oldest));
            }
        });
        session
    }

    pub(super) fn close(&self, id: Option<&HeaderValue>) {
        self.known(|known| {
            if id.is_some_and(|id| known.sessions.remove(id).is_some()) {
                known.order.retain(|open| known.sessions.contains_key(open));
            }
        });
    }

    fn known<T>(&self, act: impl FnOnce(&mut Known) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The session that headers name.
pub(super) fn id(headers: &HeaderMap) -> Option<HeaderValue> {
    headers.get(header::MCP_SESSION_ID).cloned()
}

#[cfg(test)]
mod tests {
    use mcp_test_core::spec::Revision;
    use mcp_test_core::wire::Id;

    use super::*;

    fn headers(id: usize) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert("mcp-session-id", HeaderValue::from(id));
        headers
    }

    fn agreed(sessions: &Sessions, id: usize) -> Option<Revision> {
        sessions.of(&headers(id)).with(|conversation| conversation.revisions.agreed)
    }

    fn opened(sessions: &Sessions, id: usize) {
        let session = Session::default();
        session.with(|conversation| {
            conversation.begin(&Id::from(0), "initialize");
            conversation.revisions.agreed = Some(Revision::OLDEST);
        });
        sessions.open(&headers(id), session, None);
    }

    #[test]
    fn a_session_is_known_from_its_opening_to_its_end() {
        let sessions = Sessions::default();
        opened(&sessions, 1);
        assert_eq!(agreed(&sessions, 1), Some(Revision::OLDEST));
        assert_eq!(agreed(&sessions, 2), None);
        sessions.close(id(&headers(1)).as_ref());
        assert_eq!(agreed(&sessions, 1), None);
    }

    #[test]
    fn the_oldest_session_is_forgotten_first() {
        let sessions = Sessions::default();
        for id in 0..=REMEMBERED {
            opened(&sessions, id);
        }
        assert_eq!(agreed(&sessions, 0), None);
        assert_eq!(agreed(&sessions, 1), Some(Revision::OLDEST));
    }
}
