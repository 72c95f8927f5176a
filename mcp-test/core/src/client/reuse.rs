//! One connection for several conversations, one after another.

use std::collections::BTreeMap;

use super::wait::{PING, Pending};
use super::{Client, Options, Reply, RequestOptions, ServerFacts};
use crate::clock::Deadline;
use crate::spec::{Era, ItemKind};
use crate::trace::{ConnectionId, Recorder};

/// A request at the beginning of a connection without a handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FirstRequest {
    Discover,
    List,
}

impl Client {
    /// The same connection for another conversation: nothing of this one is left but the handshake and the ids in use.
    pub(crate) fn renewed(self, options: Options) -> Self {
        let Self { mut connection, facts, ids, state, .. } = self;
        // What arrived in between belongs to the conversation before.
        while connection.ready().is_some() {}
        let is_begun = facts.revision.era() == Era::Handshake;
        // Without a handshake, what another conversation has asked is unknown in this one.
        let facts = if is_begun { facts } else { ServerFacts::unknown(facts.revision) };
        Self {
            connection,
            options,
            facts,
            ids,
            state: state.renewed(is_begun),
            tracked: Vec::new(),
            overtaken: None,
            known_panics: 0,
            param_headers: BTreeMap::new(),
        }
    }

    /// Makes a request of the pool's own, and returns whether the conversation is settled: nothing is open, and nothing unexpected
    /// arrived. `None` if the reply had not come before the deadline. The request and what answers it are hidden in the trace.
    ///
    /// As with the end of its input, what the server was about to send has then arrived.
    pub(crate) async fn fence(&mut self, deadline: Deadline) -> Option<bool> {
        let Some(reply) = self.ping(deadline).await else {
            // Before the deadline, something else ended the wait.
            return (self.is_closed() || !deadline.has_passed()).then_some(false);
        };
        self.hide(&[reply]);
        while let Some(incoming) = self.connection.ready() {
            // A server may answer again and again without end.
            if deadline.has_passed() || !self.state.answers_own(&incoming) {
                return Some(false);
            }
        }
        Some(self.state.is_settled())
    }

    /// Makes the requests that each connection without a handshake begins with: `server/discover`, and if `lists`, the first list
    /// that the server declares. They and what answers them are hidden in the trace.
    ///
    /// # Errors
    ///
    /// If one was not answered before the deadline.
    pub(crate) async fn begin_stateless(
        &mut self,
        lists: bool,
        deadline: Deadline,
    ) -> Result<(), FirstRequest> {
        let discovered = self.ping(deadline).await.ok_or(FirstRequest::Discover)?;
        let is_declared = |kind: &ItemKind| {
            let capabilities =
                discovered.result().ok().and_then(|result| result.get("capabilities"));
            capabilities.is_some_and(|declared| kind.capability().declared_in(declared))
        };
        let mut replies = Vec::new();
        if lists && let Some(kind) = ItemKind::ALL.into_iter().find(is_declared) {
            let pending = self.start_once(kind.method(), deadline).await;
            self.state.note_own(&pending.id);
            let listed = self.until_reply(pending).await;
            replies.push(listed.map_err(|_| FirstRequest::List)?);
        }
        replies.push(discovered);
        self.hide(&replies);
        Ok(())
    }

    /// Hides requests in the trace, with everything that answers them.
    fn hide(&self, replies: &[Reply]) {
        for reply in replies {
            if let [request, reply] = reply.evidence()[..] {
                self.recorder().hide(request, reply);
            }
        }
    }

    /// The reply to a request that every server answers at once, if it comes before the deadline.
    async fn ping(&mut self, deadline: Deadline) -> Option<Reply> {
        let pending = self.start_ping(deadline).await;
        self.state.note_own(&pending.id);
        // An error reply serves as well: it is only the order that matters.
        self.until_reply(pending).await.ok()
    }

    /// Sends a request that every server answers at once.
    pub(super) async fn start_ping(&mut self, deadline: Deadline) -> Pending {
        let method = match self.facts.revision.era() {
            Era::Handshake if self.options.history.pings.is_unanswered() && self.has_tools() => {
                "tools/list"
            }
            Era::Handshake => PING,
            Era::Stateless => "server/discover",
        };
        self.start_once(method, deadline).await
    }

    async fn start_once(&mut self, method: &str, deadline: Deadline) -> Pending {
        let timeout = deadline.remaining().unwrap_or(self.options.timeout);
        let options = RequestOptions::new().once().timeout(timeout);
        self.start_with(method, serde_json::json!({}), options).await
    }

    fn has_tools(&self) -> bool {
        self.facts.capabilities.get("tools").is_some()
    }

    /// The recorder of the conversation.
    #[doc(hidden)]
    pub fn recorder(&self) -> &Recorder {
        self.connection.recorder()
    }

    /// The connection's number in the trace.
    #[doc(hidden)]
    pub fn connection(&self) -> ConnectionId {
        self.connection.id()
    }
}
