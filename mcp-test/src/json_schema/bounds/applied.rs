//! How many schemas meet one and the same value, and how many of them in a row.
//!
//! `allOf` and its like, and references, apply schemas to the value that they stand for themselves. What doubles at each
//! of them is exponential in all; what leads back to itself never ends.

use std::collections::BTreeSet;

use super::reach::{Reached, Refused};
use crate::json::Pointer;
use crate::json_schema::{Bound, CompileError, Limits};

/// How much more it costs to look again at what other schemas have looked at, as `unevaluatedProperties` does.
const AGAIN: u64 = 3;

/// Refuses what has no end, or takes too long to come to it.
pub(super) fn check<'a>(reached: &Reached<'a>, limits: &Limits) -> Result<(), Refused<'a>> {
    let known = vec![Known::Nothing; reached.schemas.len()];
    let mut count = Count { reached, limits, known };
    for number in 0..reached.schemas.len() {
        count.of(number, 0)?;
    }
    Ok(())
}

/// What one schema comes to.
#[derive(Clone, Copy)]
struct Applied {
    times: u64,
    in_a_row: usize,
}

#[derive(Clone, Copy)]
enum Known {
    Nothing,
    /// It is being counted.
    Begun,
    All(Applied),
}

struct Count<'a, 'r> {
    reached: &'r Reached<'a>,
    limits: &'r Limits,
    known: Vec<Known>,
}

impl<'a> Count<'a, '_> {
    /// What a schema comes to that is applied after `before` others. It calls itself no deeper than the chain may be.
    fn of(&mut self, number: usize, before: usize) -> Result<Applied, Refused<'a>> {
        let schema = &self.reached.schemas[number];
        let refused = |error| Err((schema.contents, error));
        let beyond = |bound| CompileError::Bounded { pointer: Pointer::root(), bound };
        match self.known[number] {
            Known::All(applied) => return Ok(applied),
            Known::Begun => return refused(CompileError::Endless { pointer: Pointer::root() }),
            Known::Nothing => {}
        }
        if before >= self.limits.chain {
            return refused(beyond(Bound::Chain(self.limits.chain)));
        }
        self.known[number] = Known::Begun;
        let elsewhere = schema.seeks.and_then(|name| self.reached.dynamic.get(name));
        let mut all = Applied { times: 0, in_a_row: 0 };
        // Once each: a dynamic reference may lead where it leads without others.
        let elsewhere = elsewhere.into_iter().flatten();
        let applies: BTreeSet<usize> = schema.applies.iter().chain(elsewhere).copied().collect();
        for next in applies {
            let next = self.of(next, before + 1)?;
            all.times = all.times.saturating_add(next.times);
            all.in_a_row = all.in_a_row.max(next.in_a_row);
        }
        let again = if schema.looks_again { AGAIN } else { 1 };
        all.times = all.times.saturating_mul(again).saturating_add(1);
        all.in_a_row += 1;
        if all.times > self.limits.applications {
            return refused(beyond(Bound::Applications(self.limits.applications)));
        }
        if all.in_a_row > self.limits.chain {
            return refused(beyond(Bound::Chain(self.limits.chain)));
        }
        self.known[number] = Known::All(all);
        Ok(all)
    }
}
