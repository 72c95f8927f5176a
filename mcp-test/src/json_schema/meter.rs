//! What one judgement has used up: steps, time and stack.
//!
//! The library offers no way to stop it. But everything that it learns about a value it learns by asking; each question
//! is paid for here, and when nothing is left the answers are empty, so that it comes to an end by itself. What it then
//! says is worthless, which [`run`] tells. Steps make this the same on every machine; the clock is a second line.
//!
//! The account belongs to the thread: judging never leaves its thread, and where the library makes a value of a property
//! name there is no room for a reference to it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Limits, Unfinished};
use crate::clock::Deadline;

/// How many steps are taken between two looks at the clock.
const SLICE: u64 = 1024;

/// What is left to the judgement that this thread is at.
struct Account {
    /// Steps until the next look at the clock.
    slice: Cell<u64>,
    /// Where the stack was in the beginning, and how far it may go from there.
    base: Cell<usize>,
    stack: Cell<usize>,
    /// What reading one text costs beyond a step.
    text: Cell<u64>,
    rest: Cell<Rest>,
}

/// What is looked at less often.
#[derive(Clone, Copy)]
struct Rest {
    /// Steps after those of the slice.
    steps: u64,
    deadline: Deadline,
    spent: Option<Spent>,
}

#[derive(Clone, Copy)]
enum Spent {
    Steps,
    Time,
    Stack,
}

thread_local! {
    /// Outside of a judgement nothing is left.
    static ACCOUNT: Account = const { Account {
        slice: Cell::new(0),
        base: Cell::new(0),
        stack: Cell::new(usize::MAX),
        text: Cell::new(0),
        rest: Cell::new(Rest { steps: 0, deadline: Deadline::never(), spent: None }),
    } };
}

/// Closes the account, also when the judgement ends in a panic.
struct Close;

impl Drop for Close {
    fn drop(&mut self) {
        ACCOUNT.with(|account| {
            account.slice.set(0);
            let rest = account.rest.get();
            account.rest.set(Rest { steps: 0, ..rest });
        });
    }
}

/// Runs one judgement; `text` is what reading one text costs beyond a step.
pub(super) fn run<T>(
    limits: &Limits,
    text: u64,
    judge: impl FnOnce() -> T,
) -> Result<T, Unfinished> {
    let slice = SLICE.min(limits.steps);
    ACCOUNT.with(|account| {
        account.slice.set(slice);
        account.base.set(stack_here());
        account.stack.set(limits.stack);
        account.text.set(text);
        let deadline = Deadline::after(limits.time);
        account.rest.set(Rest { steps: limits.steps - slice, deadline, spent: None });
    });
    let close = Close;
    let judged = catch_unwind(AssertUnwindSafe(judge));
    drop(close);
    match ACCOUNT.with(|account| account.rest.get().spent) {
        None => judged.map_err(|_| Unfinished::Broken),
        Some(Spent::Steps) => Err(Unfinished::Steps(limits.steps)),
        Some(Spent::Time) => Err(Unfinished::Time(limits.time)),
        Some(Spent::Stack) => Err(Unfinished::Stack(limits.stack)),
    }
}

/// Pays for a step, or for several; whether it could be paid.
#[inline]
pub(super) fn pay(steps: u64) -> bool {
    ACCOUNT.with(|account| {
        let left = account.slice.get();
        if left > steps && stack_here().abs_diff(account.base.get()) <= account.stack.get() {
            account.slice.set(left - steps);
            return true;
        }
        account.next_slice(steps)
    })
}

/// Pays for reading a text.
#[inline]
pub(super) fn pay_for_text() -> bool {
    pay(1 + ACCOUNT.with(|account| account.text.get()))
}

impl Account {
    #[cold]
    fn next_slice(&self, steps: u64) -> bool {
        let mut rest = self.rest.get();
        let left = (self.slice.get() + rest.steps).saturating_sub(steps);
        let deep = stack_here().abs_diff(self.base.get()) > self.stack.get();
        let spent = match () {
            () if rest.spent.is_some() => rest.spent,
            () if deep => Some(Spent::Stack),
            () if left == 0 => Some(Spent::Steps),
            () if rest.deadline.has_passed() => Some(Spent::Time),
            () => None,
        };
        let slice = if spent.is_some() { 0 } else { SLICE.min(left) };
        rest = Rest { steps: if spent.is_some() { 0 } else { left - slice }, spent, ..rest };
        self.slice.set(slice);
        self.rest.set(rest);
        spent.is_none()
    }
}

/// About where the stack of this thread ends now.
#[inline(always)]
fn stack_here() -> usize {
    let here = 0_u8;
    std::ptr::from_ref(&here).addr()
}
