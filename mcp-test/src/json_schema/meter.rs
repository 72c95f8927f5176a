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
    /// How long a text may be, where patterns may be held against it.
    text: Cell<Option<usize>>,
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
    Text,
}

thread_local! {
    /// Outside of a judgement nothing is left.
    static ACCOUNT: Account = const { Account {
        slice: Cell::new(0),
        base: Cell::new(0),
        stack: Cell::new(usize::MAX),
        text: Cell::new(None),
        rest: Cell::new(Rest { steps: 0, deadline: Deadline::never(), spent: None }),
    } };
}

/// Closes the account, also when the judgement ends in a panic.
struct Close;

impl Drop for Close {
    fn drop(&mut self) {
        ACCOUNT.with(|account| account.close(None));
    }
}

/// Runs one judgement of so many steps; `text` is how long a text may be, if patterns may be held against it.
pub(super) fn run<T>(
    limits: &Limits,
    steps: u64,
    text: Option<usize>,
    judge: impl FnOnce() -> T,
) -> Result<T, Unfinished> {
    let slice = SLICE.min(steps);
    ACCOUNT.with(|account| {
        account.slice.set(slice);
        account.base.set(stack_here());
        account.stack.set(limits.stack);
        account.text.set(text);
        let deadline = Deadline::after(limits.time);
        account.rest.set(Rest { steps: steps - slice, deadline, spent: None });
    });
    let close = Close;
    let judged = catch_unwind(AssertUnwindSafe(judge));
    drop(close);
    match ACCOUNT.with(|account| account.rest.get().spent) {
        None => judged.map_err(|_| Unfinished::Broken),
        Some(Spent::Steps) => Err(Unfinished::Steps(steps)),
        Some(Spent::Time) => Err(Unfinished::Time(limits.time)),
        Some(Spent::Stack) => Err(Unfinished::Stack(limits.stack)),
        Some(Spent::Text) => Err(Unfinished::Text(text.unwrap_or_default())),
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

/// Pays for reading a text of this length.
#[inline]
pub(super) fn pay_for_text(length: usize) -> bool {
    match ACCOUNT.with(|account| account.text.get()) {
        None => pay(1),
        Some(most) => ACCOUNT.with(|account| account.pay_for_matching(length > most)),
    }
}

/// Whether patterns may be held against texts in this judgement.
pub(super) fn may_match() -> bool {
    ACCOUNT.with(|account| account.text.get().is_some())
}

impl Account {
    /// A pattern takes its time without asking for anything, so the clock is looked at each time.
    fn pay_for_matching(&self, is_too_long: bool) -> bool {
        if is_too_long {
            self.close(Some(Spent::Text));
        }
        self.next_slice(1)
    }

    #[cold]
    fn next_slice(&self, steps: u64) -> bool {
        let rest = self.rest.get();
        let left = (self.slice.get() + rest.steps).saturating_sub(steps);
        let spent = if stack_here().abs_diff(self.base.get()) > self.stack.get() {
            Some(Spent::Stack)
        } else if left == 0 {
            Some(Spent::Steps)
        } else if rest.deadline.has_passed() {
            Some(Spent::Time)
        } else {
            None
        };
        if spent.is_some() {
            self.close(spent);
            return false;
        }
        let slice = SLICE.min(left);
        self.slice.set(slice);
        self.rest.set(Rest { steps: left - slice, ..rest });
        true
    }

    /// Nothing is left; why, the first reason tells.
    fn close(&self, spent: Option<Spent>) {
        let rest = self.rest.get();
        self.slice.set(0);
        self.rest.set(Rest { steps: 0, spent: rest.spent.or(spent), ..rest });
    }
}

/// About where the stack of this thread ends now.
#[inline(always)]
fn stack_here() -> usize {
    let here = 0_u8;
    std::ptr::from_ref(&here).addr()
}
