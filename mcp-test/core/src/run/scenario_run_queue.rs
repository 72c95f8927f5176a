//! The order in which the scenario runs of a run are started.
//!
//! Outcomes are reported in the order of the plan, which is another matter.

use std::collections::VecDeque;

/// A scenario run that has not been started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    /// Its place in the plan.
    pub(super) index: usize,
    /// Whether it runs alone.
    pub(super) exclusive: bool,
    /// Whether it starts a program, which keeps a processor busy. Other scenario runs mostly wait for replies.
    pub(super) starts_program: bool,
    /// Whether it calls whatever tools the run may call, and so learns which of them are slow.
    pub(super) calls_tools: bool,
    /// Whether other runs of its scenario wait until the first one has ended.
    pub(super) later_runs_wait: bool,
}

/// The scenario runs that have not been started, in the order of the plan.
///
/// A contract may have 100,000 scenario runs, so that taking one must not look at all of them.
pub(super) struct ScenarioRunQueue {
    waiting: VecDeque<Waiting>,
    /// How many of them start a program.
    programs: usize,
}

impl ScenarioRunQueue {
    /// With one that calls tools first, unless one runs alone before it: it may wait for a slow tool, and so would all that call
    /// tools if they started at the same time. Then those for which others wait.
    pub(super) fn new(scenario_runs: impl IntoIterator<Item = Waiting>) -> Self {
        let mut waiting: VecDeque<Waiting> = scenario_runs.into_iter().collect();
        let reachable = waiting.iter().take_while(|scenario_run| !scenario_run.exclusive).count();
        let reachable = &mut waiting.make_contiguous()[..reachable];
        reachable.sort_by_key(|scenario_run| !scenario_run.later_runs_wait);
        if let Some(place) = reachable.iter().position(|scenario_run| scenario_run.calls_tools) {
            reachable[..=place].rotate_right(1);
        }
        let programs = waiting.iter().filter(|scenario_run| scenario_run.starts_program).count();
        Self { waiting, programs }
    }

    /// The first of the plan that has not been started.
    pub(super) fn first(&self) -> Option<Waiting> {
        self.waiting.front().copied()
    }

    /// How many start a program.
    pub(super) const fn programs(&self) -> usize {
        self.programs
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Waiting> {
        self.waiting.iter().copied()
    }

    /// The next scenario run that is ready: one that starts a program if `may_start`, or else one that does not, as far as there is one. It
    /// is the first of its kind, and not taken from behind one that runs alone.
    pub(super) fn take(
        &mut self,
        may_start: bool,
        is_ready: impl Fn(Waiting) -> bool,
    ) -> Option<Waiting> {
        let most = if self.first()?.exclusive { 1 } else { usize::MAX };
        let reachable = self.waiting.iter().take(most).enumerate();
        let reachable =
            reachable.take_while(|(place, scenario_run)| *place == 0 || !scenario_run.exclusive);
        let mut ready = reachable.filter(|(_, scenario_run)| is_ready(**scenario_run));
        let first = ready.next()?;
        let is_of_kind =
            |(_, scenario_run): &(usize, &Waiting)| scenario_run.starts_program == may_start;
        let of_kind = if may_start { self.programs } else { self.waiting.len() - self.programs };
        let next = match of_kind {
            // There is none to look for.
            0 => first,
            _ => Some(first).into_iter().chain(ready).find(is_of_kind).unwrap_or(first),
        };
        let taken = self.waiting.remove(next.0)?;
        self.programs -= usize::from(taken.starts_program);
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The scenario runs, in the order of the plan: `s` starts a program, `d` runs alone, `t` calls tools, `w` makes later ones wait.
    fn queue(scenario_runs: &str) -> ScenarioRunQueue {
        let waiting = |(index, kind)| Waiting {
            index,
            exclusive: kind == 'd',
            starts_program: kind == 's',
            calls_tools: kind == 't',
            later_runs_wait: kind == 'w',
        };
        ScenarioRunQueue::new(scenario_runs.chars().enumerate().map(waiting))
    }

    /// The places in the plan of the scenario runs, as they are taken.
    fn taken(scenario_runs: &str, may_start: &[bool]) -> Vec<usize> {
        let mut queue = queue(scenario_runs);
        let taken = may_start.iter().filter_map(|may_start| queue.take(*may_start, |_| true));
        taken.map(|scenario_run| scenario_run.index).collect()
    }

    #[test]
    fn programs_are_started_beside_scenario_runs_that_wait() {
        assert_eq!(taken("..s.s", &[true, false, false, true, true]), [2, 0, 1, 4, 3]);
    }

    #[test]
    fn if_all_that_is_left_is_of_one_kind_it_is_taken_in_the_order_of_the_plan() {
        assert_eq!(taken("...", &[true, false, true, true]), [0, 1, 2]);
        assert_eq!(taken("sss", &[false, false, false]), [0, 1, 2]);
    }

    #[test]
    fn one_that_calls_tools_is_the_first_of_those_that_start_no_program() {
        assert_eq!(taken("s..tt", &[true, false, false, false, false]), [0, 3, 1, 2, 4]);
        assert_eq!(taken(".dt", &[false, false, false]), [0, 1, 2]);
    }

    #[test]
    fn one_for_which_others_wait_is_early_and_those_come_when_they_are_ready() {
        assert_eq!(taken("..wtw", &[false; 5]), [3, 2, 4, 0, 1]);
        let mut queue = queue("w.ws");
        let is_first = |scenario_run: Waiting| scenario_run.index != 2;
        let mut take =
            |may_start| queue.take(may_start, is_first).map(|scenario_run| scenario_run.index);
        assert_eq!(
            [take(false), take(false), take(false), take(false)],
            [Some(0), Some(1), Some(3), None]
        );
        assert_eq!(queue.take(true, |_| true).map(|scenario_run| scenario_run.index), Some(2));
    }

    #[test]
    fn of_many_scenario_runs_only_those_up_to_the_taken_one_are_looked_at() {
        let scenario_runs = ".".repeat(100_000);
        let mut queue = queue(&scenario_runs);
        let looked_at = std::cell::Cell::new(0);
        let is_ready = |_: Waiting| {
            looked_at.set(looked_at.get() + 1);
            true
        };
        while queue.take(true, is_ready).is_some() {}
        assert_eq!(looked_at.get(), 100_000);
    }

    #[test]
    fn none_is_taken_from_behind_one_that_runs_alone() {
        assert_eq!(taken(".d.s", &[true, true, true, true]), [0, 1, 3, 2]);
    }
}
