//! One walk over a trace for everything that judges it.

use crate::trace::{Correlated, Correlator, Event, Position, Trace};

/// A message of a trace with what holds for it because of those before it.
pub(super) type TraceMessage<'a> = Correlated<'a, Position>;

/// What judges a trace event by event.
pub(super) trait EventJudge<'a> {
    /// Judges an event; `messages` are its well-formed messages.
    fn event(&mut self, event: &'a Event, messages: &[TraceMessage<'a>]);
}

/// Shows a trace to all of these judges.
pub(super) fn walk<'a>(trace: &'a Trace, judges: &mut [&mut dyn EventJudge<'a>]) {
    let mut correlator = Correlator::default();
    for event in &trace.events {
        let messages = correlator.event(event);
        for judge in &mut *judges {
            judge.event(event, &messages);
        }
    }
}
