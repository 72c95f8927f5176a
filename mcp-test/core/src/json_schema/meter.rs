//! Limits the steps, time and stack of one validation.
//!
//! The library cannot be interrupted. But it learns everything about a value through [`node`](super::node), where each
//! access spends from a budget. Once the budget is exhausted the accessors return empty values, so that the library comes
//! to an end; [`run`] then discards its meaningless result. Counting steps makes this the same on every machine; processor time
//! is a second line of defense.
//!
//! The budget is thread-local, because validation stays on its thread, and the library creates values for property names
//! that cannot carry a reference to it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use super::{Aborted, Limits};
use crate::clock::ProcessorStopwatch;

/// How many steps are spent between two looks at the clock.
const SLICE: u64 = 1024;

/// The budget of the validation on this thread.
struct Budget {
    /// Steps until the next look at the clock.
    slice: Cell<u64>,
    /// The address of the stack at the start, and how far it may be exceeded.
    base: Cell<usize>,
    stack: Cell<usize>,
    /// The maximum length of a text, if the schema has patterns.
    text: Cell<Option<usize>>,
    reserve: Cell<Reserve>,
}

/// The part of the budget that is checked once per slice.
#[derive(Clone, Copy)]
struct Reserve {
    /// The steps after those of the slice.
    steps: u64,
    /// The processor time that it may take.
    time: Duration,
    /// Runs during a validation.
    watch: Option<ProcessorStopwatch>,
    exhausted: Option<Exhausted>,
}

/// The limit that was reached.
#[derive(Clone, Copy)]
enum Exhausted {
    Steps,
    Time,
    Stack,
    Text,
}

thread_local! {
    /// Empty outside of a validation.
    static BUDGET: Budget = const { Budget {
        slice: Cell::new(0),
        base: Cell::new(0),
        stack: Cell::new(usize::MAX),
        text: Cell::new(None),
        reserve: Cell::new(Reserve { steps: 0, time: Duration::ZERO, watch: None, exhausted: None }),
    } };
}

/// Empties the budget on drop, also if the validation panics.
struct EmptyOnDrop;

impl Drop for EmptyOnDrop {
    fn drop(&mut self) {
        BUDGET.with(|budget| budget.empty(None));
    }
}

/// Runs a validation of at most `steps`; `text` is the maximum length of a text, if the schema has patterns.
pub(super) fn run<T>(
    limits: &Limits,
    steps: u64,
    text: Option<usize>,
    validate: impl FnOnce() -> T,
) -> Result<T, Aborted> {
    let slice = SLICE.min(steps);
    BUDGET.with(|budget| {
        budget.slice.set(slice);
        // Measured from here, because the caller may be anywhere on its stack.
        budget.base.set(stack_address());
        budget.stack.set(limits.stack);
        budget.text.set(text);
        budget.reserve.set(Reserve {
            steps: steps - slice,
            time: limits.time,
            watch: Some(ProcessorStopwatch::start()),
            exhausted: None,
        });
    });
    let empty_on_drop = EmptyOnDrop;
    // A peer's schema or value may trigger a bug of the library, which must not end the whole run.
    let result = catch_unwind(AssertUnwindSafe(validate));
    drop(empty_on_drop);
    // The budget decides before the result: with an exhausted one, a result or a panic means nothing.
    match BUDGET.with(|budget| budget.reserve.get().exhausted) {
        None => result.map_err(|_| Aborted::Panicked),
        Some(Exhausted::Steps) => Err(Aborted::Steps(steps)),
        Some(Exhausted::Time) => Err(Aborted::Time(limits.time)),
        Some(Exhausted::Stack) => Err(Aborted::Stack(limits.stack)),
        Some(Exhausted::Text) => Err(Aborted::Text(text.unwrap_or_default())),
    }
}

/// Spends steps; returns whether the budget allows them.
#[inline]
pub(super) fn spend(steps: u64) -> bool {
    BUDGET.with(|budget| {
        let left = budget.slice.get();
        // The fast path leaves out the clock, which `next_slice` looks at.
        if left > steps && stack_address().abs_diff(budget.base.get()) <= budget.stack.get() {
            budget.slice.set(left - steps);
            return true;
        }
        budget.next_slice(steps)
    })
}

/// Spends what reading a text of this length costs.
#[inline]
pub(super) fn spend_for_text(length: usize) -> bool {
    match BUDGET.with(|budget| budget.text.get()) {
        None => spend(1),
        Some(most) => BUDGET.with(|budget| budget.spend_for_matching(length > most)),
    }
}

/// Whether the schema of this validation has patterns.
pub(super) fn has_patterns() -> bool {
    BUDGET.with(|budget| budget.text.get().is_some())
}

impl Budget {
    fn spend_for_matching(&self, is_too_long: bool) -> bool {
        if is_too_long {
            self.empty(Some(Exhausted::Text));
        }
        // Matching takes its time without spending steps, so the clock is checked for each text.
        self.next_slice(1)
    }

    #[cold]
    fn next_slice(&self, steps: u64) -> bool {
        let reserve = self.reserve.get();
        let left = (self.slice.get() + reserve.steps).saturating_sub(steps);
        let exhausted = if stack_address().abs_diff(self.base.get()) > self.stack.get() {
            Some(Exhausted::Stack)
        } else if left == 0 {
            Some(Exhausted::Steps)
        } else if reserve.watch.is_some_and(|watch| watch.elapsed() > reserve.time) {
            Some(Exhausted::Time)
        } else {
            None
        };
        if exhausted.is_some() {
            self.empty(exhausted);
            return false;
        }
        let slice = SLICE.min(left);
        self.slice.set(slice);
        self.reserve.set(Reserve { steps: left - slice, ..reserve });
        true
    }

    /// Leaves no steps; the first reason is kept.
    fn empty(&self, exhausted: Option<Exhausted>) {
        let reserve = self.reserve.get();
        self.slice.set(0);
        let exhausted = reserve.exhausted.or(exhausted);
        self.reserve.set(Reserve { steps: 0, exhausted, ..reserve });
    }
}

/// The approximate address of the end of this thread's stack.
#[inline(always)]
fn stack_address() -> usize {
    let local = 0_u8;
    std::ptr::from_ref(&local).addr()
}
