//! Showing a conversation, event by event, to everything that judges it.

use std::ops::Deref;

use super::Finding;
use crate::spec::Revision;
use crate::trace::{ConnectionId, Correlated, Correlator, Event, Position, Trace};

/// A message with what holds for it because of those before it.
pub(super) type TraceMessage<'e> = Correlated<'e, Position>;

/// An event, and the revision that its connection was opened for.
#[derive(Clone, Copy)]
pub(super) struct JudgedEvent<'e> {
    pub(super) event: &'e Event,
    pub(super) opened_for: Revision,
}

impl Deref for JudgedEvent<'_> {
    type Target = Event;

    fn deref(&self) -> &Event {
        self.event
    }
}

/// What judges a conversation event by event.
pub(super) trait EventJudge {
    /// Knows that parts of the conversation are missing, such as the request that a message belongs to.
    fn miss_parts(&mut self);

    /// What was found so far.
    fn findings(&self) -> &[Finding];

    /// Judges an event; `messages` are its well-formed messages.
    fn event(&mut self, event: JudgedEvent<'_>, messages: &[TraceMessage<'_>]);

    /// Forgets a connection that is over.
    fn forget(&mut self, connection: ConnectionId);
}

/// Shows a trace to one judge; `revisions` returns for each connection the revision that it was opened for.
pub(super) fn walk(
    trace: &Trace,
    revisions: &dyn Fn(ConnectionId) -> Revision,
    judge: &mut dyn EventJudge,
) {
    if trace.is_elided() {
        judge.miss_parts();
    }
    let mut correlator = Correlator::default();
    for event in &trace.events {
        let messages = correlator.event(event);
        judge.event(JudgedEvent { event, opened_for: revisions(event.connection) }, &messages);
    }
}
