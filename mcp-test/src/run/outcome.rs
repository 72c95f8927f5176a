//! What came of one cell.

use std::time::Duration;

use super::Cell;
use crate::check::{Blame, Check, Status};
use crate::scenario::Profile;
use crate::trace::Trace;
use crate::transport::{CarrierKind, Left, Prepared};

/// How many of the last lines on standard error an outcome keeps.
pub(super) const STDERR_LINES: usize = 20;

/// What one cell means for the run, before a baseline is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Nothing is held against the peer.
    Passed,
    /// At least one check is held against the peer.
    Failed,
    /// The scenario does not apply to this peer.
    Skipped,
    /// The scenario could not be played, and the peer is not to blame.
    NotRun,
}

/// What came of one cell.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Outcome {
    /// What was played.
    pub cell: Cell,
    /// The profile by which it was judged: `adaptive` where the official suite has no opinion.
    pub profile: Profile,
    /// Its checks, in the order in which they were made.
    pub checks: Vec<Check>,
    /// Everything that was said.
    pub trace: Trace,
    /// The last lines that the peer wrote on its standard error.
    pub stderr_tail: Vec<String>,
    /// How the program behind the URL exited, if it was gone when the cell was over.
    pub exited: Option<String>,
    /// How the client under test left, and what it printed, if it was one.
    pub left: Option<Left>,
    /// When it began: ISO 8601, UTC, milliseconds.
    pub started: String,
    /// How long it took.
    pub elapsed: Duration,
    /// What it means.
    pub verdict: Verdict,
}

impl Outcome {
    /// Adds the last words of the program behind the URL, which are not in the trace: all cells share it.
    pub(super) fn hear(&mut self, program: &Prepared) {
        if self.cell.carrier != CarrierKind::Http {
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

    /// The checks that are held against the peer.
    pub fn failing(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| self.profile.fails(self.cell.scenario.leg, check))
    }

    /// The verdict that follows from checks.
    pub(super) fn judge(cell: &Cell, profile: Profile, checks: &[Check]) -> Verdict {
        let leg = cell.scenario.leg;
        let against = |check: &&Check| profile.fails(leg, check);
        let peer_is_innocent = |check: &Check| {
            check.finding.as_ref().is_some_and(|finding| {
                matches!(finding.blame, Blame::Harness | Blame::Environment | Blame::Test)
            })
        };
        let failing: Vec<&Check> = checks.iter().filter(against).collect();
        if !failing.is_empty() {
            if failing.iter().all(|check| peer_is_innocent(check)) {
                return Verdict::NotRun;
            }
            return Verdict::Failed;
        }
        if checks.iter().all(|check| check.status == Status::Skipped) {
            return Verdict::Skipped;
        }
        Verdict::Passed
    }
}
