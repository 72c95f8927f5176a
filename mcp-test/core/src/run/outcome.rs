//! The outcome of one scenario run.

use std::sync::Arc;
use std::time::Duration;

use super::{COMMON, ScenarioRun, Silence};
use crate::assert::AssertionFailure;
use crate::check::{Blame, Check, Finding, Origin, Status};
use crate::clock;
use crate::scenario::{CLIENT_EXIT, Need, Profile, Reason, TestedSide};
use crate::spec::Revision;
use crate::trace::Trace;
use crate::transport::{ClientRun, PreparedTarget, TransportKind};

/// How many of the last lines on standard error an outcome keeps.
pub(super) const STDERR_LINES: usize = 20;

/// The verdict on one scenario run, before a comparison with the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Nothing counts against the peer.
    Passed,
    /// At least one check counts against the peer.
    Failed,
    /// The scenario does not apply to this peer.
    Skipped,
    /// The scenario could not be run, and the peer is not to blame.
    NotRun,
    /// It failed, and did not when it was run again.
    Flaky,
}

/// The outcome of one scenario run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The scenario run.
    pub scenario_run: ScenarioRun,
    /// The profile by which it was judged: `adaptive` where the official suite does not run the scenario.
    pub profile: Profile,
    /// Its checks, in the order in which they were made.
    pub checks: Vec<Check>,
    /// The whole conversation.
    pub trace: Trace,
    /// The last lines that the peer wrote to standard error.
    pub stderr_tail: Vec<String>,
    /// How the program behind the URL exited, if it had at the end of the scenario run.
    pub exited: Option<String>,
    /// How the client under test exited, and what it printed.
    pub client_run: Option<ClientRun>,
    /// The revision that the client under test spoke, if it is known.
    pub spoken: Option<Revision>,
    /// The silence of the server that was noticed here, or in another scenario run and is why this one was not run.
    pub silence: Option<Arc<Silence>>,
    /// What it needs and the peer does not offer, if that is why it was not run.
    pub unmet: Option<Need>,
    /// Why none of its checks count, if it belongs to the unscored part of a set.
    pub unscored: Option<Reason>,
    /// The assertion that ended it, if one did.
    pub assertion: Option<Arc<AssertionFailure>>,
    /// When it started: ISO 8601, UTC, milliseconds.
    pub started: String,
    /// How long it took.
    pub elapsed: Duration,
    /// The verdict.
    pub verdict: Verdict,
    /// Which attempt this is, from 1.
    pub attempt: usize,
    /// The other attempts, in order, if the scenario run was run again after a failure.
    pub other_attempts: Vec<Outcome>,
}

impl Verdict {
    /// Whether a test with this verdict fails.
    #[must_use]
    pub const fn is_failing(self) -> bool {
        matches!(self, Self::Failed | Self::NotRun | Self::Flaky)
    }
}

impl Outcome {
    /// The outcome of a run that did not end.
    #[doc(hidden)]
    pub fn failed(scenario_run: ScenarioRun, finding: Finding, trace: Trace) -> Self {
        let check = Check::from_finding(&*scenario_run.scenario.id, Origin::User, finding);
        Self {
            scenario_run,
            profile: Profile::Adaptive,
            checks: vec![check],
            stderr_tail: trace.stderr_tail(STDERR_LINES),
            trace,
            exited: None,
            client_run: None,
            spoken: None,
            silence: None,
            unmet: None,
            unscored: None,
            assertion: None,
            started: clock::utc_now(),
            elapsed: Duration::ZERO,
            verdict: Verdict::Failed,
            attempt: 1,
            other_attempts: Vec::new(),
        }
    }

    /// All attempts, in order: usually only this outcome.
    #[must_use]
    pub fn attempts(&self) -> Vec<&Self> {
        let mut attempts: Vec<&Self> = self.other_attempts.iter().chain([self]).collect();
        attempts.sort_by_key(|attempt| attempt.attempt);
        attempts
    }

    /// Adds the exit and the last output of the program behind the URL. They are not in the trace, since all scenario runs share it.
    pub(super) fn add_exit_and_stderr(&mut self, program: &PreparedTarget) {
        // Over other transports, the program belongs to a connection, and its output is in the trace.
        if self.scenario_run.transport != TransportKind::Http {
            return;
        }
        self.exited = program.exit().map(|exit| exit.to_string());
        self.stderr_tail = program.stderr_tail(STDERR_LINES);
    }

    /// How many checks have this status.
    #[must_use]
    pub fn count(&self, status: Status) -> usize {
        self.checks.iter().filter(|check| check.status == status).count()
    }

    /// Whether a check counts towards exit code and baseline.
    #[must_use]
    pub fn counts(&self, check: &Check) -> bool {
        self.unscored.is_none() && self.profile.counts(check)
    }

    /// Whether a check counts against the peer.
    #[must_use]
    pub fn fails(&self, check: &Check) -> bool {
        self.counts(check) && self.profile.fails(self.scenario_run.scenario.tested_side, check)
    }

    /// The checks that count against the peer.
    pub fn failing(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| self.fails(check))
    }

    /// How the client under test ended, if that is counted under what another check reports.
    pub(crate) fn traced_exit(&self) -> Option<&str> {
        let mut exits = self.checks.iter().filter(|check| check.id == CLIENT_EXIT);
        let traced = exits.find(|check| check.status == Status::Skipped && check.finding.is_some());
        traced?.message.as_deref()
    }

    /// The same outcome of a scenario that is run with a set of scenarios, and not scored.
    pub(super) fn unscored(self, reason: Reason) -> Self {
        let verdict = match self.verdict {
            Verdict::Failed => Verdict::Passed,
            other => other,
        };
        Self { unscored: Some(reason), verdict, ..self }
    }

    /// The verdict that follows from checks.
    #[doc(hidden)]
    pub fn judge(scenario_run: &ScenarioRun, profile: Profile, checks: &[Check]) -> Verdict {
        let tested_side = scenario_run.scenario.tested_side;
        let counts = |check: &&Check| profile.fails(tested_side, check);
        // A check without a finding counts against the peer: nothing says that something else is to blame.
        let peer_is_innocent = |check: &Check| {
            check.finding.as_ref().is_some_and(|finding| {
                matches!(finding.blame, Blame::Harness | Blame::Environment | Blame::Test)
            })
        };
        let failing: Vec<&Check> = checks.iter().filter(counts).collect();
        if !failing.is_empty() {
            // One failure of the peer is a verdict, whatever else went wrong.
            if failing.iter().all(|check| peer_is_innocent(check)) {
                return Verdict::NotRun;
            }
            return Verdict::Failed;
        }
        // After the failures: in profile `strict` what was not tested fails.
        // The checks that every scenario has say nothing about what a client was to be tested for.
        let is_common = |check: &Check| COMMON.iter().any(|(id, _)| check.id == *id);
        let is_counted = |check: &&Check| tested_side != TestedSide::Client || !is_common(check);
        let (expected, others): (Vec<&Check>, Vec<&Check>) =
            checks.iter().filter(is_counted).partition(|check| !check.known.is_empty());
        // An expected failure does not make a skipped scenario one that passes.
        let is_skipped = others.iter().all(|check| check.status == Status::Skipped);
        if is_skipped && (expected.is_empty() || !others.is_empty()) {
            return Verdict::Skipped;
        }
        Verdict::Passed
    }
}
