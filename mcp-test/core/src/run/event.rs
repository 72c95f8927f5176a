//! The events of a run, and its summary.

use std::collections::BTreeMap;

use super::{
    Comparison, Counts, Coverage, ExitCode, KnownResults, Outcome, Problems, Results, ScenarioRun,
    Shard, Verdict,
};
use crate::check::Finding;
use crate::scenario::{Profile, Reason, RequirementSet, Suite};
use crate::spec::{ItemKind, Revision, Revisions};
use crate::transport::TransportKind;

/// An event of a run. Outcomes are reported in the order of the plan.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "the largest one comes once per run")]
pub enum RunEvent {
    /// The target runs and speaks MCP.
    PreflightDone(Preflight),
    /// The target cannot be tested; nothing was run.
    PreflightFailed {
        /// Why.
        finding: Finding,
        /// The revision that was tried, if a connection was possible.
        tried: Option<Revision>,
    },
    /// These scenario runs will be run, in this order.
    Planned(Vec<ScenarioRun>),
    /// A scenario run begins.
    Started(ScenarioRun),
    /// A scenario run has ended.
    Finished(Box<Outcome>),
    /// The run has ended.
    Ended(Summary),
}

/// The facts about the target, asked before the run.
#[derive(Debug, Clone, Default)]
pub struct Preflight {
    /// The revisions that it speaks over each transport, oldest first.
    pub speaks: BTreeMap<TransportKind, Vec<Revision>>,
    /// Whether it was asked for every revision, so that it speaks no others.
    pub complete: bool,
    /// Its name and version.
    pub server: Option<String>,
    /// Its tools that the run may call; `None` if no scenario asked for its tools.
    pub called: Option<CalledByRun>,
    /// The lists of which only the first pages are read, [`MAX_PAGES`](crate::client::MAX_PAGES).
    pub cut_lists: Vec<ItemKind>,
}

/// Which of the listed tools a run may call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CalledByRun {
    /// The names of those that it may call.
    pub called: Vec<String>,
    /// How many others are listed.
    pub others: usize,
}

/// One line of the summary.
#[derive(Debug, Clone)]
pub struct Line {
    /// The scenario run.
    pub scenario_run: ScenarioRun,
    /// The profile by which it was judged.
    pub profile: Profile,
    /// The verdict.
    pub verdict: Verdict,
    /// Why none of its checks count, if it belongs to the unscored part of a set.
    pub unscored: Option<Reason>,
    /// How many attempts were made.
    pub attempts: usize,
    /// The checks that count in this profile, or would if the scenario were scored.
    pub counts: Counts,
    /// The advisory checks: in profile `official`, those of our own.
    pub advisory: Counts,
}

/// The revisions that a client under test speaks, as far as its scenario runs have shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientSpeaks {
    /// Those that it spoke.
    pub spoken: Revisions,
    /// Those that it was asked to speak when it spoke one.
    pub asked: Revisions,
}

impl ClientSpeaks {
    /// What one scenario run has shown.
    #[must_use]
    pub const fn new(spoken: Revision, asked: Revision) -> Self {
        Self { spoken: Revisions::only(spoken), asked: Revisions::only(asked) }
    }

    /// What this and another scenario run have shown together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { spoken: self.spoken.union(other.spoken), asked: self.asked.union(other.asked) }
    }

    /// Those that it was asked to speak and never spoke.
    #[must_use]
    pub fn not_spoken(self) -> Revisions {
        self.asked.iter().filter(|it| !self.spoken.contains(*it)).collect()
    }

    /// Whether it was asked to speak the newest revision of MCP, or one that is newer than those that it spoke.
    #[must_use]
    pub fn is_limit(self) -> bool {
        self.asked.newest() > self.spoken.newest() || self.asked.contains(Revision::NEWEST)
    }
}

/// The results of a run.
#[derive(Debug, Clone)]
pub struct Summary {
    /// What was tested.
    pub target: String,
    /// The profile of the plan.
    pub profile: Profile,
    /// The suite of the plan, if it has one.
    pub suite: Option<Suite>,
    /// The selected set of scenarios, not all of which are scored.
    pub requirements: Option<&'static RequirementSet>,
    /// The scenario runs, in the order of the plan.
    pub lines: Vec<Line>,
    /// The checks that count, over all scenario runs.
    pub counts: Counts,
    /// The advisory checks, over all scenario runs.
    pub advisory: Counts,
    /// The status of every check that counts, for a baseline.
    pub results: Results,
    /// The findings, those with one cause as one problem, and what was not tested.
    pub problems: Problems,
    /// Which requirements were tested.
    pub coverage: Coverage,
    /// What the outcomes show about known violations.
    pub known: KnownResults,
    /// How the outcomes compare with the baseline, if there is one.
    pub baseline: Option<Comparison>,
    /// What the client under test speaks, if it has shown that.
    pub client_speaks: Option<ClientSpeaks>,
    /// Why nothing was run, if so.
    pub not_run: Option<Finding>,
    /// The exit code.
    pub exit: ExitCode,
    /// The part of a run that this is.
    pub shard: Option<Shard>,
    /// The scenario runs that were not run after a failure, because the run ended with it; see [`Plan::fail_fast`](super::Plan::fail_fast).
    pub not_started: Vec<ScenarioRun>,
    /// How often the program of the server was started for a connection over standard streams.
    pub program_starts: usize,
    /// How many of these starts were needed because the program had exited or did not answer in time.
    pub program_restarts: usize,
    /// The exit code of an interrupted run, which lacks some scenario runs.
    pub interrupted: Option<u8>,
}
