//! How long judging by the schemas of tools may take in all, and what is left out when it has taken that long.

use std::time::Duration;

use crate::check::Finding;
use crate::clock::{self, Stopwatch};
use crate::expect::words;

/// How long it may take: an honest conversation takes a small part of it.
const ALLOTTED: Duration = Duration::from_secs(10);

/// How long judging by schemas has taken so far.
#[derive(Debug)]
pub(super) struct Patience {
    allotted: Duration,
    taken: Duration,
    /// What was left out first, and how much in all.
    left_out: Option<(Finding, usize)>,
}

impl Default for Patience {
    fn default() -> Self {
        Self::of(ALLOTTED)
    }
}

impl Patience {
    pub(super) fn of(allotted: Duration) -> Self {
        Self { allotted, taken: Duration::ZERO, left_out: None }
    }

    /// Whether nothing more is judged.
    pub(super) fn is_over(&self) -> bool {
        self.taken >= self.allotted
    }

    pub(super) fn time<T>(&mut self, judge: impl FnOnce() -> T) -> T {
        let watch = Stopwatch::start();
        let judged = judge();
        self.taken += watch.elapsed();
        judged
    }

    /// Leaves something out; `unjudged` says what.
    pub(super) fn leave_out(&mut self, unjudged: impl FnOnce() -> Finding) {
        let (_, count) = self.left_out.get_or_insert_with(|| (unjudged(), 0));
        *count += 1;
    }

    /// Whether something was left out.
    pub(super) fn has_left_out(&self) -> bool {
        self.left_out.is_some()
    }

    /// From where on nothing was judged, and how much that is; nothing where all was.
    pub(super) fn told(self) -> Option<Finding> {
        let (first, count) = self.left_out?;
        let got = format!(
            "schemas and values that take more than {} to be judged",
            clock::in_words(self.allotted)
        );
        let from_here = format!(
            "nothing was judged from here on: {} left out",
            words::count(count, "judgement")
        );
        Some(first.got(got).hint(from_here))
    }
}
