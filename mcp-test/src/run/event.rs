//! What a run tells while it goes on.

use std::collections::BTreeMap;

use super::{Cell, Comparison, ExitCode, Outcome, Results, Verdict};
use crate::check::{Check, Finding, Status};
use crate::scenario::{Profile, Suite};
use crate::spec::Revision;
use crate::transport::CarrierKind;

/// Something that happened in a run. Outcomes come in the order of the plan.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant, reason = "the largest one comes once per run")]
pub enum RunEvent {
    /// The target is up and speaks MCP.
    PreflightDone(Preflight),
    /// The target cannot be tested; nothing was played.
    PreflightFailed {
        /// Why.
        finding: Finding,
        /// The revision in which it was spoken to, if it came so far.
        tried: Option<Revision>,
    },
    /// These cells will be played, in this order.
    Planned(Vec<Cell>),
    /// A cell begins.
    Started(Cell),
    /// A cell has ended.
    Finished(Box<Outcome>),
    /// The run has ended.
    Ended(Summary),
}

/// What was learnt about the target before the run.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Preflight {
    /// What it speaks over each carrier, oldest revision first.
    pub speaks: BTreeMap<CarrierKind, Vec<Revision>>,
    /// Whether it was asked for every revision, so that it speaks no other ones.
    pub complete: bool,
    /// Its name and version, as it gives them.
    pub server: Option<String>,
}

/// The counts of one status each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// SUCCESS.
    pub success: usize,
    /// FAILURE.
    pub failure: usize,
    /// WARNING.
    pub warning: usize,
    /// SKIPPED.
    pub skipped: usize,
    /// INFO.
    pub info: usize,
}

impl Counts {
    /// Counts these checks.
    pub fn of<'a>(checks: impl IntoIterator<Item = &'a Check>) -> Self {
        let mut counts = Self::default();
        for check in checks {
            *counts.slot(check.status) += 1;
        }
        counts
    }

    /// Adds the counts of another lot.
    pub fn add(&mut self, other: Self) {
        self.success += other.success;
        self.failure += other.failure;
        self.warning += other.warning;
        self.skipped += other.skipped;
        self.info += other.info;
    }

    fn slot(&mut self, status: Status) -> &mut usize {
        match status {
            Status::Success => &mut self.success,
            Status::Failure => &mut self.failure,
            Status::Warning => &mut self.warning,
            Status::Skipped => &mut self.skipped,
            Status::Info => &mut self.info,
        }
    }
}

/// One line of the summary.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Line {
    /// What was played.
    pub cell: Cell,
    /// The profile by which it was judged.
    pub profile: Profile,
    /// What it means.
    pub verdict: Verdict,
    /// The checks that count in this profile.
    pub counts: Counts,
    /// The advisory checks: in profile `official`, those of our own.
    pub advisory: Counts,
}

/// What came of a run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Summary {
    /// What was tested.
    pub target: String,
    /// The profile that was asked for.
    pub profile: Profile,
    /// The suite that was asked for, if one was.
    pub suite: Option<Suite>,
    /// The cells, in the order of the plan.
    pub lines: Vec<Line>,
    /// The checks that count, over all cells.
    pub counts: Counts,
    /// The advisory checks, over all cells.
    pub advisory: Counts,
    /// The status of every check that counts: what a baseline is compared with, or written from.
    pub results: Results,
    /// How the outcomes compare with the baseline, if there is one.
    pub baseline: Option<Comparison>,
    /// Why nothing was played, if so.
    pub not_run: Option<Finding>,
    /// How the run ends for the shell.
    pub exit: ExitCode,
    /// The exit code of whoever broke the run off before its end, if somebody did; cells are missing then.
    pub interrupted: Option<u8>,
}
