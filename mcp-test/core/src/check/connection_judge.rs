//! A judge that remembers what it has seen on each connection. What that is and what is wrong with it is for the judges.

use std::collections::HashMap;

use super::Finding;
use super::findings::Findings;
use crate::json::Value;
use crate::spec::Revision;
use crate::trace::{ConnectionId, Event, Trace};

/// What is known of each connection while a trace is read, and what was found so far.
pub(super) struct ConnectionJudge<'a, C> {
    conversations: HashMap<ConnectionId, C>,
    /// What the server declares in the stateless era, if that was asked before the trace begins.
    pub(super) discovered: Option<&'a Value>,
    pub(super) findings: Findings<'a>,
}

impl<'a, C: Default> ConnectionJudge<'a, C> {
    pub(super) fn new(trace: &Trace, revisions: &'a dyn Fn(ConnectionId) -> Revision) -> Self {
        Self {
            conversations: HashMap::new(),
            discovered: None,
            findings: Findings::new(trace, revisions),
        }
    }

    /// The judge, knowing what the server declares in the stateless era.
    pub(super) fn knowing(self, discovered: Option<&'a Value>) -> Self {
        Self { discovered, ..self }
    }

    pub(super) fn into_findings(self) -> Vec<Finding> {
        self.findings.into_findings()
    }

    /// What is known of the connection of an event.
    pub(super) fn conversation(&mut self, event: &Event) -> &mut C {
        self.conversations.entry(event.connection).or_default()
    }
}
