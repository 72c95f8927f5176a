//! The conversation of a scenario that has ended, to be judged when everything is recorded.

use std::collections::BTreeMap;

use crate::check::{Check, Finding, Judgement, WireJudge, judge_trace};
use crate::clock::Deadline;
use crate::json::Value;
use crate::spec::Revision;
use crate::spec::schema::{Authority, Schemas};
use crate::trace::{ConnectionId, Party, Trace};

/// What a context has recorded, at its end.
#[doc(hidden)]
#[derive(Debug)]
#[non_exhaustive]
pub struct Ended {
    /// The checks, in the order in which they were made.
    pub checks: Vec<Check>,
    /// The whole conversation.
    pub trace: Trace,
    /// What is wrong with what the peer sent.
    pub judgement: Judgement,
    /// Error replies, and failures of tools, that the scenario never examined.
    pub unexamined: Vec<Finding>,
    /// Requests that the scenario started, and neither awaited nor cancelled.
    pub unawaited: Vec<Finding>,
}

/// What is known of a conversation when its scenario has ended.
pub(crate) struct Conversation {
    pub(super) checks: Vec<Check>,
    pub(super) unexamined: Vec<Finding>,
    pub(super) unawaited: Vec<Finding>,
    pub(super) revisions: BTreeMap<ConnectionId, Revision>,
    /// That of all other connections.
    pub(super) revision: Revision,
    /// What the server declares in the stateless era, if that was asked before.
    pub(super) discovered: Option<Value>,
    pub(super) schemas: Schemas,
    pub(super) authority: Authority,
    /// When the scenario has to be over, with its judgement.
    pub(super) ends: Deadline,
}

impl Conversation {
    /// Judges what was recorded of it, on each connection at its revision.
    pub(crate) fn judge(&self, trace: Trace) -> Ended {
        let Self { checks, revisions, revision, authority, ends, .. } = self;
        let revision_of = |connection| revisions.get(&connection).copied().unwrap_or(*revision);
        let judge = WireJudge::new(Party::Server, (self.schemas.clone(), *authority));
        let judge = judge.knowing(self.discovered.clone()).until(*ends);
        let judgement = judge_trace(&trace, &revision_of, judge);
        let (unexamined, unawaited) = (self.unexamined.clone(), self.unawaited.clone());
        Ended { checks: checks.clone(), trace, judgement, unexamined, unawaited }
    }
}
