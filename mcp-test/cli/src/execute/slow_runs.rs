//! Notices about slow scenario runs, where there is no status line.

use std::time::Duration;

use mcp_test_core::clock::Stopwatch;
use mcp_test_core::expect::words;
use mcp_test_core::run::{Cell, RunEvent};

/// After how long a run is slow, unless half its time-out is less.
const SLOW: Duration = Duration::from_secs(5);

/// What ends soon after anyway needs no notice.
const LEAST: Duration = Duration::from_secs(2);

/// The scenario runs that have not ended, and when there is something to say about them.
pub(super) struct SlowRuns {
    first: Duration,
    running: Vec<Running>,
}

struct Running {
    cell: Cell,
    stopwatch: Stopwatch,
    /// After how long the next notice is due.
    next: Duration,
}

impl SlowRuns {
    /// For scenario runs with this time-out.
    pub(super) fn new(timeout: Duration) -> Self {
        Self { first: SLOW.min(timeout / 2).max(LEAST), running: Vec::new() }
    }

    /// Records `event`.
    pub(super) fn event(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Started(cell) => self.running.push(Running {
                cell: cell.clone(),
                stopwatch: Stopwatch::start(),
                next: self.first,
            }),
            RunEvent::Finished(outcome) => self.running.retain(|it| it.cell != outcome.cell),
            RunEvent::Ended(_) => self.running.clear(),
            _ => {}
        }
    }

    /// The notice that is due, if one is; each time after twice as long.
    pub(super) fn notice(&mut self) -> Option<String> {
        self.notice_at(|stopwatch| stopwatch.elapsed())
    }

    fn notice_at(&mut self, elapsed: impl Fn(Stopwatch) -> Duration) -> Option<String> {
        // Outcomes come in the order of the plan, so that only the first has certainly not ended.
        let slow = self.running.first_mut()?;
        let elapsed = elapsed(slow.stopwatch);
        if elapsed < slow.next {
            return None;
        }
        while slow.next <= elapsed {
            slow.next *= 2;
        }
        let Cell { scenario, revision, transport } = &slow.cell;
        let id = words::name(&scenario.id);
        Some(format!("still running: {id} at {revision} over {transport}, {} s", elapsed.as_secs()))
    }
}

#[cfg(test)]
mod tests {
    use mcp_test_core::run::{Plan, Selection};
    use mcp_test_core::scenario::Profile;
    use mcp_test_core::server::reference::everything;
    use mcp_test_suite::scenarios;

    use super::*;

    fn cells() -> Vec<Cell> {
        let selection = Selection {
            scenarios: ["ping", "tools-list"].map(str::to_owned).into(),
            ..Selection::default()
        };
        let target = everything().target();
        Plan::build(scenarios::all(), target, Profile::Official, &selection).expect("a plan").cells
    }

    /// When there are notices in a run of so many seconds with this time-out.
    fn notices(timeout: u64, seconds: u64) -> Vec<u64> {
        let mut runs = SlowRuns::new(Duration::from_secs(timeout));
        cells().into_iter().for_each(|cell| runs.event(&RunEvent::Started(cell)));
        let is_due = |second: &u64| runs.notice_at(|_| Duration::from_secs(*second)).is_some();
        (0..seconds).filter(is_due).collect()
    }

    #[test]
    fn a_notice_comes_after_half_the_timeout_at_the_latest_and_then_less_and_less_often() {
        assert_eq!(notices(30, 30), [5, 10, 20]);
        assert_eq!(notices(8, 8), [4]);
        assert!(notices(1, 2).is_empty());
        assert_eq!(notices(3600, 100), [5, 10, 20, 40, 80]);
    }

    #[test]
    fn the_oldest_run_is_named() {
        let mut runs = SlowRuns::new(Duration::from_secs(30));
        assert_eq!(runs.notice_at(|_| Duration::MAX), None);
        cells().into_iter().for_each(|cell| runs.event(&RunEvent::Started(cell)));
        let line = runs.notice_at(|_| Duration::from_millis(12_900)).expect("a notice");
        insta::assert_snapshot!(line, @"still running: ping at 2025-11-25 over duplex, 12 s");
    }
}
