//! Scenarios that show nothing because their programs take too long to start.

use std::collections::BTreeMap;
use std::time::Duration;

use super::RunningScenario;
use super::short_wait::{short_wait, slow_replies};
use crate::check::{Cause, Check, Fate, Finding, Status};
use crate::clock;
use crate::expect::words;
use crate::run::confirmed::is_raised;
use crate::run::silence::{Liveness, SILENT};
use crate::scenario::Profile;
use crate::trace::{ConnectionId, Event, EventKind, Party, Trace};

/// A start that takes more than this many times as long as the first one shows that the machine is slower than it was.
const LATE: u32 = 2;

/// When a program was started, and when its first message came.
struct Start {
    opened: Duration,
    /// When the first message was sent to it.
    asked: Option<Duration>,
    answered: Option<Duration>,
    /// When the connection ended, after which nobody waits for the program.
    closed: Option<Duration>,
    /// Whether a deadline had passed before its first message.
    is_late: bool,
}

/// The programs that a scenario has started.
fn starts(trace: &Trace) -> BTreeMap<ConnectionId, Start> {
    let mut starts: BTreeMap<ConnectionId, Start> = BTreeMap::new();
    for event in &trace.events {
        match &event.kind {
            EventKind::Opened { .. } => {
                let (asked, answered, closed) = (None, None, None);
                let start = Start { opened: event.at, asked, answered, closed, is_late: false };
                starts.insert(event.connection, start);
            }
            EventKind::Message { .. } => {
                if let Some(start) = starts.get_mut(&event.connection) {
                    let first = match event.party {
                        Party::Server => &mut start.answered,
                        _ => &mut start.asked,
                    };
                    first.get_or_insert(event.at);
                }
            }
            EventKind::Closed { .. } if event.exchange.is_none() => {
                if let Some(start) = starts.get_mut(&event.connection) {
                    start.closed.get_or_insert(event.at);
                }
            }
            EventKind::DeadlineFired { .. } => {
                if let Some(start) = starts.get_mut(&event.connection) {
                    start.is_late |= start.answered.is_none();
                }
            }
            _ => {}
        }
    }
    starts
}

/// The longest time that a program took for its first answer. A program that was asked again after a deadline may have ignored what it
/// was asked first.
pub(super) fn slowest(trace: &Trace) -> Option<Duration> {
    let took = |start: &Start| Some(start.answered?.saturating_sub(start.asked?));
    starts(trace).values().filter(|start| !start.is_late).filter_map(took).max()
}

/// Why a scenario could not show anything in its time: starting its programs took at least half of it. A start takes about
/// `first`. Of a scenario that did not end, `waited` is how long it was waited for: what it waited for last left nothing in the trace.
fn slow_start(
    trace: &Trace,
    first: Duration,
    timeout: Duration,
    waited: Duration,
) -> Option<String> {
    let starts = starts(trace);
    let begun = starts.values().map(|start| start.opened).min()?;
    let end = trace.events.last()?.at.max(begun + waited);
    let took = |start: &Start| {
        let until = start.answered.or(start.closed).unwrap_or(end);
        until.saturating_sub(start.opened)
    };
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

impl RunningScenario<'_> {
    /// Whether a program had sent no message when a deadline passed, or none for longer than at first, so that a machine under load
    /// may explain a silence; the official suite does not ask.
    pub(super) fn may_be_starting(&self, trace: &Trace, timed_out: bool) -> bool {
        let Some(first) = self.start_up.filter(|_| self.profile != Profile::Official) else {
            return false;
        };
        let is_late = |start: &Start| match start.answered {
            Some(at) => at.saturating_sub(start.opened) > first * LATE,
            None => true,
        };
        (timed_out || trace.deadline_fired()) && starts(trace).values().any(is_late)
    }

    /// How long a start of the program takes, by what is known after the scenario.
    pub(super) fn start_up_after(
        &self,
        liveness: Liveness,
        is_unstarted: bool,
        slowest: Option<Duration>,
    ) -> Option<Duration> {
        // The machine may be slower than it was at first.
        let known = self.start_up?.max(slowest.unwrap_or_default());
        Some(match liveness {
            Liveness::Answered(took) => known.max(took),
            // Nobody knows how long a start takes now.
            Liveness::Silent | Liveness::Unclear if is_unstarted => self.timeout(),
            _ => known,
        })
    }

    /// Why starting the program left too little of the time, which says nothing about the peer; the official suite does not ask.
    pub(super) fn slow_start(&self, trace: &Trace) -> Option<String> {
        let first = self.start_up.filter(|_| self.profile != Profile::Official)?;
        // Not of the whole time: the shared connection that did not begin has had a part of it.
        slow_start(trace, first, self.left(), Duration::ZERO)
    }

    /// Why a scenario that did not end in its time says nothing about the peer; the official suite does not ask.
    pub(super) fn too_slow(&self, trace: &Trace) -> Option<String> {
        let counts = self.profile == Profile::Official;
        if counts {
            return None;
        }
        let waited = self.time_of_body();
        let slow_start =
            self.start_up.and_then(|first| slow_start(trace, first, self.left(), waited));
        slow_start.or_else(|| slow_replies(trace, waited))
    }

    /// Why a request without a reply had too little time for one, which says nothing about the peer.
    pub(super) fn too_little_time(&self, trace: &Trace, finding: &Finding) -> Option<String> {
        let slow_start = self.slow_start(trace).filter(|_| is_unanswered(finding));
        slow_start.or_else(|| self.short_wait(trace, finding))
    }

    fn short_wait(&self, trace: &Trace, finding: &Finding) -> Option<String> {
        let counts = self.profile == Profile::Official;
        (!counts).then(|| short_wait(trace, finding, self.request_timeout())).flatten()
    }

    /// Skips the checks that failed only because a program did not start, or did not answer, in the time that was left for it.
    pub(super) fn skip_out_of_time(&self, trace: &Trace, checks: &mut [Check]) {
        if let Some(reason) = self.slow_start(trace) {
            skip_not_started(trace, &reason, checks);
        }
        for check in checks.iter_mut().filter(|check| is_raised(check.status)) {
            let mut findings = check.finding.iter().chain(&check.others);
            let reason =
                findings.try_fold(None, |_, finding| self.short_wait(trace, finding).map(Some));
            if let Some(Some(reason)) = reason {
                skip(check, &reason);
            }
        }
    }
}

fn skip_not_started(trace: &Trace, reason: &str, checks: &mut [Check]) {
    let starts = starts(trace);
    let is_unanswered_start = |event: &Event| {
        // A first message that comes after the deadline is late.
        let is_late = |at| matches!(event.kind, EventKind::DeadlineFired { .. }) && at >= event.at;
        starts.get(&event.connection).is_some_and(|start| start.answered.is_none_or(is_late))
    };
    let is_of_start = |finding: &Finding| {
        let mut evidence = trace.events.iter().filter(|it| finding.evidence.contains(&it.seq));
        is_unanswered(finding) && evidence.any(is_unanswered_start)
    };
    for check in checks.iter_mut().filter(|check| is_raised(check.status)) {
        if check.finding.is_some() && check.finding.iter().chain(&check.others).all(is_of_start) {
            skip(check, reason);
        }
    }
}

fn skip(check: &mut Check, reason: &str) {
    check.status = Status::Skipped;
    check.message = Some(words::into_inert(reason));
    (check.finding, check.others) = (None, Vec::new());
}

/// Whether a finding is that a request got no reply in time, or that a notification did not come.
pub(super) fn is_unanswered(finding: &Finding) -> bool {
    let cause = finding.cause.as_deref();
    finding.awaited.is_some()
        || matches!(cause, Some(Cause::Request { fate: Fate::Unanswered, .. }))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::check::Origin;
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
        slow_start(&trace, Duration::from_secs(first), TIMEOUT, Duration::ZERO)
    }

    #[test]
    fn a_start_that_took_half_of_the_time_is_a_reason() {
        let slow = reason(3, Some(20), 30);
        assert_eq!(slow.as_deref(), Some("1 start of the program took 20 s of 30 s"));
        assert_eq!(reason(3, Some(10), 30), None);
    }

    #[test]
    fn of_a_scenario_that_did_not_end_the_last_wait_counts() {
        let recorder = Recorder::new();
        let closed = EventKind::Closed { how: "it was killed".to_owned() };
        recorder.record(recorder.open("stdio"), Party::Server, closed);
        recorder.open("stdio");
        let mut trace = recorder.trace();
        for (event, at) in trace.events.iter_mut().zip([0, 10, 10]) {
            event.at = Duration::from_secs(at);
        }
        let reason = |waited| slow_start(&trace, Duration::from_secs(3), TIMEOUT, waited);
        assert_eq!(reason(Duration::ZERO), None);
        let reason = reason(TIMEOUT);
        assert_eq!(reason.as_deref(), Some("2 starts of the program took 30 s of 30 s"));
    }

    #[test]
    fn what_a_program_did_not_answer_that_had_not_started_is_skipped() {
        let recorder = Recorder::new();
        let request = || Bytes::from_static(br#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#);
        let reply = || Bytes::from_static(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
        let send = |is_answered: bool| {
            let on = recorder.open("stdio");
            let sent = recorder.record(on, Party::Client, EventKind::message(request()));
            if is_answered {
                recorder.record(on, Party::Server, EventKind::message(reply()));
            }
            let unanswered = Cause::request("initialize", Fate::Unanswered);
            let finding = Finding::peer("not answered").evidence(sent).caused_by(unanswered);
            Check::from_finding("answered", Origin::Own, finding)
        };
        let await_first = |is_answered: bool| {
            let check = send(is_answered);
            let sent = check.finding.expect("a finding").evidence;
            let finding =
                Finding::peer("did not come").evidence_all(sent).awaited("notifications/a");
            Check::from_finding("announced", Origin::Own, finding)
        };
        let late = {
            let mut check = send(false);
            let on = recorder.trace().events.last().expect("a request").connection;
            let awaited = "a response with id 1".to_owned();
            let fired = recorder.record(on, Party::Harness, EventKind::DeadlineFired { awaited });
            recorder.record(on, Party::Server, EventKind::message(reply()));
            check.finding = check.finding.map(|finding| finding.evidence(fired));
            check
        };
        let in_time = [send(true), await_first(true)];
        let too_slow = [send(false), await_first(false), late];
        let mut checks: Vec<Check> = in_time.into_iter().chain(too_slow).collect();
        skip_not_started(&recorder.trace(), "2 starts of the program took 27 s", &mut checks);
        let (in_time, too_slow) = checks.split_at(2);
        assert!(in_time.iter().all(|check| check.status == Status::Failure));
        assert!(too_slow.iter().all(|check| check.status == Status::Skipped), "{too_slow:#?}");
    }

    #[test]
    fn a_program_that_started_quickly_before_is_silent() {
        assert_eq!(reason(1, None, 30), None);
        assert!(reason(5, None, 30).is_some());
    }
}
