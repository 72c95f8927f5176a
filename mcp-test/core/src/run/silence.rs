//! A server that has stopped answering: how it is noticed, and what becomes of the scenario runs that follow.
//!
//! One silent method is the finding of its scenario. A server that answers nothing any more would cost every other scenario
//! its whole time-out, so after a silence it is asked once, on a new connection, whether it still answers.

use std::collections::BTreeSet;
use std::time::Duration;

use super::ScenarioRun;
use crate::check::Finding;
use crate::client::probe;
use crate::clock;
use crate::spec::Revision;
use crate::trace::{Event, EventKind, Party, Recorder, Seq, Trace};
use crate::transport::{Target, TransportKind};

/// How much longer than its time-out the question may take. With the time to end what does not answer (below 600 ms), a run
/// stays within two seconds.
const OVERTIME: Duration = Duration::from_millis(1300);

/// How long the question may take at least, beside the time that the first answer took.
const LEAST: Duration = Duration::from_millis(500);

/// A server that has stopped answering: a request got no reply, and neither did one on a new connection afterwards.
#[derive(Debug, Clone, PartialEq)]
pub struct Silence {
    /// The scenario run in which it was noticed.
    pub scenario_run: ScenarioRun,
    /// The request without a reply.
    pub finding: Finding,
}

impl Silence {
    /// Why a later scenario run is not tested.
    pub(super) fn reason(&self) -> String {
        let ScenarioRun { scenario, revision, transport } = &self.scenario_run;
        format!(
            "the server has stopped answering: {} (in `{} at {revision} over {transport}`)",
            self.finding.headline, scenario.id
        )
    }
}

/// The question whether a server still answers, on a new connection: the request that starts a conversation.
#[derive(Debug, Clone, Copy)]
pub struct LivenessQuestion {
    /// A revision that the server speaks.
    pub(super) revision: Revision,
    /// How long its first answer took, with the start of its program.
    pub(super) first_answer: Duration,
}

/// Whether the server still answers after a scenario.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Liveness {
    NotAsked,
    /// How long it took, with the start of the program.
    Answered(Duration),
    Silent,
    /// It did not answer in a time in which a busy machine may not start its program.
    Unclear,
}

impl Liveness {
    /// Whether the server has stopped answering, if that was unclear so many times in a row; `is_unstarted` if a program may not have
    /// started in time.
    pub(super) fn has_stopped(self, times_unclear: usize, is_unstarted: bool) -> bool {
        match self {
            Self::Silent => true,
            // A machine under load may have been too slow for some starts.
            Self::Unclear => !is_unstarted || times_unclear >= UNCLEAR,
            Self::NotAsked | Self::Answered(_) => false,
        }
    }
}

/// After so many times in a row in which it is unclear whether the server answers, it does not.
const UNCLEAR: usize = 3;

/// A program that takes more than this many times as long to start as at first is silent: a busy machine does not explain it.
pub(super) const SILENT: u32 = 8;

impl LivenessQuestion {
    /// Whether the time for an answer is long enough that a busy machine does not explain that there was none.
    pub(super) fn is_conclusive(self, left: Duration) -> bool {
        self.time(left) >= self.first_answer.saturating_mul(SILENT)
    }

    fn time(self, left: Duration) -> Duration {
        // A program that takes longer to start than there is time left must not pass for a silent one.
        let least = LEAST + self.first_answer.saturating_mul(3);
        least.max(left + OVERTIME)
    }

    /// Asks it; `left` is what is left of the time-out. Anything that the server sends counts as an answer; returns how long it
    /// took with the start of the program, or `None` without one.
    pub(super) async fn ask(
        self,
        target: &Target,
        transport: TransportKind,
        left: Duration,
    ) -> Option<Duration> {
        let timeout = self.time(left);
        // A recorder of its own: this conversation is not part of any scenario.
        let recorder = Recorder::new();
        // The trace shows whether there was an answer, whatever it was.
        let _ = probe(target, transport, &recorder, &[self.revision], timeout).await;
        recorder.trace().events.iter().find(|event| is_from_server(event)).map(|event| event.at)
    }
}

/// Whether the last thing that happened in a conversation is a wait without result. What the server sent later shows that it
/// still answers.
pub(super) fn ends_in_silence(trace: &Trace) -> bool {
    let is_silence = |event: &Event| matches!(event.kind, EventKind::DeadlineFired { .. });
    let later = trace.events.iter().rev().take_while(|event| !is_silence(event));
    trace.events.iter().any(is_silence) && !later.into_iter().any(is_from_server)
}

/// Whether the last thing that happened in a conversation over HTTP is an exchange without a response.
pub(super) fn ends_without_response(trace: &Trace) -> bool {
    let last = failed_exchanges(trace).pop();
    last.is_some_and(|last| {
        let later = trace.events.iter().filter(|event| event.seq > last);
        !later.into_iter().any(is_from_server)
    })
}

/// The ends of the HTTP exchanges that the server ended without a response.
pub(super) fn failed_exchanges(trace: &Trace) -> Vec<Seq> {
    let is_response = |event: &&Event| matches!(event.kind, EventKind::HttpResponse { .. });
    let answered: BTreeSet<_> =
        trace.events.iter().filter(is_response).map(|event| event.exchange).collect();
    let is_failed = |event: &&Event| {
        matches!(event.kind, EventKind::Closed { .. })
            && event.party == Party::Server
            && event.exchange.is_some()
            && !answered.contains(&event.exchange)
    };
    trace.events.iter().filter(is_failed).map(|event| event.seq).collect()
}

/// Whether an event is something that the server sent; an exit and what a program writes on stderr are no answers.
pub(super) fn is_from_server(event: &Event) -> bool {
    let is_sent = matches!(
        event.kind,
        EventKind::Message { .. }
            | EventKind::Unparsable { .. }
            | EventKind::HttpResponse { .. }
            | EventKind::SseEvent { .. }
            | EventKind::SseComment(_)
            | EventKind::Elided { .. }
    );
    is_sent && event.party == Party::Server
}

/// The finding about a request after which the server has stopped answering, before any scenario was run.
pub(super) fn stopped_answering(mut finding: Finding) -> Finding {
    finding.add_hint("the server answered before, but now not even on a new connection");
    finding
}

/// What is left of a time-out.
pub(super) fn left(timeout: Duration, stopwatch: clock::Stopwatch) -> Duration {
    timeout.saturating_sub(stopwatch.elapsed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_has_stopped_after_a_conclusive_silence_or_several_unclear_ones() {
        let second = Duration::from_secs(1);
        for (liveness, times_unclear, is_unstarted, expected) in [
            (Liveness::NotAsked, UNCLEAR, true, false),
            (Liveness::Answered(second), 0, true, false),
            (Liveness::Silent, 0, true, true),
            (Liveness::Unclear, UNCLEAR - 1, true, false),
            (Liveness::Unclear, UNCLEAR, true, true),
            // The programs were seen to start as fast as at first, so that the machine was not too slow for one.
            (Liveness::Unclear, 1, false, true),
        ] {
            assert_eq!(liveness.has_stopped(times_unclear, is_unstarted), expected);
        }
    }

    #[test]
    fn a_silence_of_eight_times_the_first_answer_is_conclusive() {
        let question = |first_answer| LivenessQuestion { revision: Revision::NEWEST, first_answer };
        let left = Duration::from_millis(700);
        assert!(question(Duration::from_millis(250)).is_conclusive(left));
        assert!(!question(Duration::from_millis(251)).is_conclusive(left));
        // However little is left, it has three times the first answer, which is not enough.
        assert!(!question(Duration::from_secs(10)).is_conclusive(Duration::ZERO));
    }
}
