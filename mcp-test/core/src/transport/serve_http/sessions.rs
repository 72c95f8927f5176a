//! The sessions of an endpoint: a bounded table from ids to conversations.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use super::session_streams::SessionStreams;
use crate::transport::actor::Conversation;
use crate::transport::memory_budget::Reservation;

/// How many sessions may be open; another one ends the oldest.
const SESSIONS: usize = 1024;

/// The open sessions, the oldest first.
#[derive(Default)]
pub(super) struct Sessions(Mutex<VecDeque<Session>>);

/// One session; copies are the same session.
#[derive(Clone)]
pub(super) struct Session {
    id: Arc<[u8]>,
    pub(super) conversation: Arc<dyn Conversation>,
    pub(super) streams: Arc<SessionStreams>,
    /// Reserved for what the conversation keeps of its client, until the last copy is dropped.
    memory: Reservation,
    ended: Arc<watch::Sender<bool>>,
}

impl Sessions {
    pub(super) fn open(
        &self,
        id: &[u8],
        conversation: Arc<dyn Conversation>,
        memory: Reservation,
    ) -> Session {
        let (streams, ended) = (Arc::default(), Arc::new(watch::Sender::new(false)));
        let session = Session { id: id.into(), conversation, streams, memory, ended };
        self.with(|sessions| {
            if sessions.len() == SESSIONS {
                // The clients of abandoned sessions send no DELETE, so the oldest is the likeliest to be abandoned.
                sessions.pop_front().iter().for_each(Session::end);
            }
            sessions.push_back(session.clone());
        });
        session
    }

    /// The session with this id, unless it is over.
    pub(super) fn find(&self, id: &[u8]) -> Option<Session> {
        let found =
            self.with(|sessions| sessions.iter().find(|session| *session.id == *id).cloned())?;
        // The actor can end a conversation without knowing its session, which is removed here.
        if found.conversation.is_over() {
            self.close(&found);
            return None;
        }
        Some(found)
    }

    /// Ends the oldest of those sessions whose memory is of use, until this much of it becomes free.
    pub(super) fn end_oldest(&self, bytes: usize, is_of_use: impl Fn(&Reservation) -> bool) {
        let mut freed = 0;
        let ended = self.with(|sessions| {
            let ends = |session: &Session| {
                let ends = freed < bytes && is_of_use(&session.memory);
                freed += if ends { session.memory.bytes() } else { 0 };
                ends
            };
            let (ended, kept) = std::mem::take(sessions).into_iter().partition(ends);
            *sessions = kept;
            ended
        });
        ended.iter().for_each(Session::end);
    }

    /// Whether a session is open.
    pub(super) fn has_any(&self) -> bool {
        self.with(|sessions| !sessions.is_empty())
    }

    /// Ends one session.
    pub(super) fn close(&self, closed: &Session) {
        self.with(|sessions| sessions.retain(|session| session.id != closed.id));
        closed.end();
    }

    /// Ends all sessions.
    pub(super) fn end(&self) {
        let all = self.with(std::mem::take);
        all.iter().for_each(Session::end);
    }

    fn with<T>(&self, act: impl FnOnce(&mut VecDeque<Session>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Session {
    /// Waits until the session has ended.
    pub(super) async fn ended(&self) {
        // The sender lives as long as this session does.
        self.ended.subscribe().wait_for(|ended| *ended).await.ok();
    }

    fn end(&self) {
        self.conversation.close();
        self.streams.close();
        self.ended.send_replace(true);
    }
}
