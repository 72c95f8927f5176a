//! The processor time that judging by the schemas of tools may take in all, how many are compiled, and what is left out beyond that.

use std::time::Duration;

use crate::check::Finding;
use crate::clock::{self, Deadline, ProcessorStopwatch};
use crate::expect::words;

/// The whole budget: an ordinary conversation takes a small part of it, and a hostile one cannot delay the report for long.
const ALLOTTED: Duration = Duration::from_secs(10);

/// The part that a conversation gets even after its time-out, in which an ordinary one is judged.
const LEAST: Duration = Duration::from_millis(500);

/// How many schemas are compiled, each of which takes some kilobytes until the end of the conversation.
const SCHEMAS: usize = 10_000;

/// How much processor time judging by schemas may take, and has taken so far.
#[derive(Debug)]
pub(in crate::check) struct TimeBudget {
    allotted: Duration,
    taken: Duration,
    /// When the conversation has to be judged; from then on only the least budget is left.
    ends: Deadline,
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
        let ends = Deadline::never();
        Self { allotted, taken: Duration::ZERO, ends, compiled: 0, left_out: None }
    }

    /// The whole budget, and after this deadline the least.
    pub(in crate::check) fn until(ends: Deadline) -> Self {
        Self { ends, ..Self::default() }
    }

    /// Whether nothing more is judged.
    pub(super) fn is_spent(&self) -> bool {
        self.taken >= self.allotted || (self.taken >= LEAST && self.ends.has_passed())
    }

    /// Whether one more schema may be compiled; counts it.
    pub(super) fn compiles(&mut self) -> bool {
        let compiles = self.compiled < SCHEMAS && !self.is_spent();
        self.compiled += usize::from(compiles);
        compiles
    }

    pub(super) fn time<T>(&mut self, judge: impl FnOnce() -> T) -> T {
        let watch = ProcessorStopwatch::start();
        let judged = judge();
        self.taken += watch.elapsed();
        judged
    }

    /// Leaves something out; `unjudged` says what.
    pub(super) fn leave_out(&mut self, unjudged: impl FnOnce() -> Finding) {
        // The first one shows which bound was reached.
        let got = if self.taken >= self.allotted {
            format!(
                "schemas and values that take more than {} to be judged",
                clock::format_duration(self.allotted)
            )
        } else if self.is_spent() {
            "schemas and values that were not judged when the time of the scenario was over"
                .to_owned()
        } else {
            format!("more than the {SCHEMAS} schemas that mcp-test judges by")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_the_deadline_the_least_budget_is_left() {
        let passed = || TimeBudget::until(Deadline::after(Duration::ZERO));
        assert!(!passed().is_spent());
        let spent = TimeBudget { taken: LEAST, ..passed() };
        assert!(spent.is_spent());
        let whole = TimeBudget { ends: Deadline::never(), ..spent };
        assert!(!whole.is_spent());
        assert!(TimeBudget { taken: ALLOTTED, ..whole }.is_spent());
    }

    #[test]
    fn what_is_left_out_names_the_bound_that_was_reached() {
        let got = |mut budget: TimeBudget| {
            budget.leave_out(|| Finding::harness("not judged"));
            budget.into_finding().and_then(|finding| finding.got)
        };
        let passed = || TimeBudget::until(Deadline::after(Duration::ZERO));
        insta::assert_snapshot!(
            got(TimeBudget { taken: LEAST, ..passed() }).unwrap_or_default(),
            @"schemas and values that were not judged when the time of the scenario was over"
        );
        insta::assert_snapshot!(
            got(TimeBudget { taken: ALLOTTED, ..passed() }).unwrap_or_default(),
            @"schemas and values that take more than 10 s to be judged"
        );
    }
}
