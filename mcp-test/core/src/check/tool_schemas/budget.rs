//! The time that judging by the schemas of tools may take in all, how many are compiled, and what is left out beyond that.

use std::time::Duration;

use crate::check::Finding;
use crate::clock::{self, Deadline, Stopwatch};
use crate::expect::words;

/// The default budget: an ordinary conversation takes a small part of it, and a hostile one cannot delay the report for long.
const ALLOTTED: Duration = Duration::from_secs(10);

/// The least budget, with which an ordinary conversation is judged even after its time-out, also on a busy machine.
const LEAST: Duration = Duration::from_millis(500);

/// How many schemas are compiled, each of which takes some kilobytes until the end of the conversation.
const SCHEMAS: usize = 10_000;

/// How much time judging by schemas may take, and has taken so far.
#[derive(Debug)]
pub(in crate::check) struct TimeBudget {
    allotted: Duration,
    taken: Duration,
    /// How many schemas were compiled.
    compiled: usize,
    /// What was left out first, and how much in all.
    left_out: Option<(Finding, usize)>,
}

impl Default for TimeBudget {
    fn default() -> Self {
        Self::new(ALLOTTED)
    }
}

impl TimeBudget {
    pub(super) fn new(allotted: Duration) -> Self {
        Self { allotted, taken: Duration::ZERO, compiled: 0, left_out: None }
    }

    /// What the deadline leaves of the default budget.
    pub(in crate::check) fn until(deadline: Deadline) -> Self {
        let left = deadline.remaining().unwrap_or(ALLOTTED);
        Self::new(left.clamp(LEAST, ALLOTTED))
    }

    /// Whether nothing more is judged.
    pub(super) fn is_spent(&self) -> bool {
        self.taken >= self.allotted
    }

    /// Whether one more schema may be compiled; counts it.
    pub(super) fn compiles(&mut self) -> bool {
        let compiles = self.compiled < SCHEMAS && !self.is_spent();
        self.compiled += usize::from(compiles);
        compiles
    }

    pub(super) fn time<T>(&mut self, judge: impl FnOnce() -> T) -> T {
        let watch = Stopwatch::start();
        let judged = judge();
        self.taken += watch.elapsed();
        judged
    }

    /// Leaves something out; `unjudged` says what.
    pub(super) fn leave_out(&mut self, unjudged: impl FnOnce() -> Finding) {
        // The first one shows which bound was reached.
        let got = match self.is_spent() {
            true => format!(
                "schemas and values that take more than {} to be judged",
                clock::format_duration(self.allotted)
            ),
            false => format!("more than the {SCHEMAS} schemas that mcp-test judges by"),
        };
        let (_, count) = self.left_out.get_or_insert_with(|| (unjudged().got(got), 0));
        *count += 1;
    }

    /// Whether something was left out.
    pub(super) fn has_left_out(&self) -> bool {
        self.left_out.is_some()
    }

    /// The finding that nothing was judged from some point on, if so.
    pub(in crate::check) fn into_finding(self) -> Option<Finding> {
        let (first, count) = self.left_out?;
        let from_here = format!(
            "nothing was judged from here on: {} left out",
            words::count(count, "judgement")
        );
        Some(first.hint(from_here))
    }
}
