//! Scenarios that show nothing because their programs take too long to start.

use std::collections::BTreeMap;
use std::time::Duration;

use super::CellRun;
use crate::check::{Cause, Fate, Finding};
use crate::clock;
use crate::expect::words;
use crate::scenario::Profile;
use crate::trace::{ConnectionId, EventKind, Party, Trace};

/// A program that takes more than this many times as long to start as at first is silent: a busy machine does not explain it.
const SILENT: u32 = 8;

/// When a program was started, and when its first message came.
struct Start {
    opened: Duration,
    answered: Option<Duration>,
}

/// Why a scenario could not show anything in its time: starting its programs took at least half of it. The first start of the
/// run took `first`.
fn slow_start(trace: &Trace, first: Duration, timeout: Duration) -> Option<String> {
    let mut starts: BTreeMap<ConnectionId, Start> = BTreeMap::new();
    for event in &trace.events {
        match &event.kind {
            EventKind::Opened { .. } => {
                starts.insert(event.connection, Start { opened: event.at, answered: None });
            }
            EventKind::Message { .. } if event.party == Party::Server => {
                if let Some(start) = starts.get_mut(&event.connection) {
                    start.answered.get_or_insert(event.at);
                }
            }
            _ => {}
        }
    }
    let end = trace.events.last()?.at;
    let took = |start: &Start| start.answered.unwrap_or(end).saturating_sub(start.opened);
    let is_silent = |start: &Start| start.answered.is_none() && took(start) > first * SILENT;
    let whole: Duration = starts.values().map(took).sum();
    if starts.values().any(is_silent) || whole < timeout / 2 {
        return None;
    }
    let count = words::count(starts.len(), "start");
    Some(format!(
        "{count} of the program took {} of {}",
        clock::format_duration(whole),
        clock::format_duration(timeout)
    ))
}

impl CellRun<'_> {
    /// Why starting the program left too little of the time, which says nothing about the peer; the official suite does not ask.
    pub(super) fn slow_start(&self, trace: &Trace) -> Option<String> {
        let first = self.start_up.filter(|_| self.profile != Profile::Official)?;
        slow_start(trace, first, self.timeout())
    }
}

/// Whether a finding is that a request got no reply in time.
pub(super) fn is_unanswered(finding: &Finding) -> bool {
    matches!(finding.cause.as_deref(), Some(Cause::Request { fate: Fate::Unanswered, .. }))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::trace::Recorder;

    const TIMEOUT: Duration = Duration::from_secs(30);

    /// The reason after one start that was answered after `answered`, in a trace that ends after `end`, both in seconds.
    fn reason(first: u64, answered: Option<u64>, end: u64) -> Option<String> {
        let recorder = Recorder::new();
        let on = recorder.open("stdio");
        if answered.is_some() {
            let text = Bytes::from_static(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
            recorder.record(on, Party::Server, EventKind::message(text));
        }
        recorder.record(on, Party::Harness, EventKind::Note("the end".to_owned()));
        let mut trace = recorder.trace();
        let times = [Some(0), answered, Some(end)].into_iter().flatten();
        for (event, at) in trace.events.iter_mut().zip(times) {
            event.at = Duration::from_secs(at);
        }
        slow_start(&trace, Duration::from_secs(first), TIMEOUT)
    }

    #[test]
    fn a_start_that_took_half_of_the_time_is_a_reason() {
        let slow = reason(3, Some(20), 30);
        assert_eq!(slow.as_deref(), Some("1 start of the program took 20 s of 30 s"));
        assert_eq!(reason(3, Some(10), 30), None);
    }

    #[test]
    fn a_program_that_started_quickly_before_is_silent() {
        assert_eq!(reason(1, None, 30), None);
        assert!(reason(5, None, 30).is_some());
    }
}
