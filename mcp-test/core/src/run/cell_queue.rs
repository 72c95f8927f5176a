//! The order in which the cells of a run are started.
//!
//! Outcomes are reported in the order of the plan, which is another matter.

use std::collections::VecDeque;

/// A cell that has not been started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    /// Its place in the plan.
    pub(super) index: usize,
    /// Whether it runs alone.
    pub(super) disturbs: bool,
    /// Whether it starts a program, which keeps a processor busy. Other cells mostly wait for replies.
    pub(super) starts_program: bool,
    /// Whether it calls whatever tools the run may call, and so learns which of them are slow.
    pub(super) calls_tools: bool,
}

/// The cells that have not been started, in the order of the plan.
pub(super) struct CellQueue {
    waiting: VecDeque<Waiting>,
}

impl CellQueue {
    /// With one that calls tools first, unless one runs alone before it: it may wait for a slow tool, and so would all that call
    /// tools if they started at the same time.
    pub(super) fn new(cells: impl IntoIterator<Item = Waiting>) -> Self {
        let mut waiting: VecDeque<Waiting> = cells.into_iter().collect();
        let mut reachable = waiting.iter().take_while(|cell| !cell.disturbs);
        if let Some(place) = reachable.position(|cell| cell.calls_tools)
            && let Some(cell) = waiting.remove(place)
        {
            waiting.push_front(cell);
        }
        Self { waiting }
    }

    /// The first of the plan that has not been started.
    pub(super) fn first(&self) -> Option<Waiting> {
        self.waiting.front().copied()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Waiting> {
        self.waiting.iter().copied()
    }

    /// The next cell: one that starts a program if `may_start`, or else one that does not, as far as there is one. It is the first
    /// of its kind, and not taken from behind one that runs alone.
    pub(super) fn take(&mut self, may_start: bool) -> Option<Waiting> {
        let reachable = self.waiting.iter().take_while(|cell| !cell.disturbs);
        let mut of_kind = reachable.enumerate().filter(|(_, it)| it.starts_program == may_start);
        let next = of_kind.next().map_or(0, |(place, _)| place);
        self.waiting.remove(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places in the plan of the cells, as they are taken: `s` starts a program, `d` runs alone, `t` calls tools.
    fn taken(cells: &str, may_start: &[bool]) -> Vec<usize> {
        let waiting = |(index, kind)| Waiting {
            index,
            disturbs: kind == 'd',
            starts_program: kind == 's',
            calls_tools: kind == 't',
        };
        let mut queue = CellQueue::new(cells.chars().enumerate().map(waiting));
        let taken = may_start.iter().filter_map(|may_start| queue.take(*may_start));
        taken.map(|cell| cell.index).collect()
    }

    #[test]
    fn programs_are_started_beside_cells_that_wait() {
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
    fn none_is_taken_from_behind_one_that_runs_alone() {
        assert_eq!(taken(".d.s", &[true, true, true, true]), [0, 1, 3, 2]);
    }
}
