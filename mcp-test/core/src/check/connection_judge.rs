//! A judge that remembers what it has seen on each connection. What that is and what is wrong with it is for the judges.

use std::collections::HashMap;

use super::findings::Findings;
use super::walk::JudgedEvent;
use crate::json::Value;
use crate::trace::ConnectionId;

/// What is known of each connection, and what was found so far.
#[derive(Default)]
pub(super) struct ConnectionJudge<C> {
    pub(super) conversations: HashMap<ConnectionId, C>,
    /// What the server declares in the stateless era, if that was asked before the conversation begins.
    pub(super) discovered: Option<Value>,
    pub(super) findings: Findings,
}

impl<C: Default> ConnectionJudge<C> {
    /// What is known of the connection of an event.
    pub(super) fn conversation(&mut self, event: JudgedEvent<'_>) -> &mut C {
        self.conversations.entry(event.connection).or_default()
    }
}
