//! How many schemas meet one and the same value, and how many of them in a row.
//!
//! `allOf` and its like, and references, apply schemas to the value that they stand for themselves. What doubles at each
//! of them is exponential in all; what leads back to itself never ends.

use std::collections::{BTreeMap, BTreeSet};

use super::reach::{Reached, Refused};
use crate::json::Pointer;
use crate::json_schema::{Bound, CompileError, Limits};

/// How much more it costs to look again at what other schemas have looked at, as `unevaluatedProperties` does.
const AGAIN: u64 = 3;

/// Refuses what has no end, or takes too long to come to it.
pub(super) fn check<'a>(reached: &Reached<'a>, limits: &Limits) -> Result<(), Refused<'a>> {
    let known = vec![Known::Nothing; reached.schemas.len()];
    let mut count = Count { reached, limits, known, named: BTreeMap::new() };
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

impl Applied {
    const NOTHING: Self = Self { times: 0, in_a_row: 0 };

    /// What both come to, when one is applied beside the other.
    fn and(self, other: Self) -> Self {
        let times = self.times.saturating_add(other.times);
        Self { times, in_a_row: self.in_a_row.max(other.in_a_row) }
    }
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
    /// What a dynamic reference to a name may lead to, in all.
    named: BTreeMap<&'a str, Known>,
}

impl<'a> Count<'a, '_> {
    /// What a schema comes to that is applied after `before` others. It calls itself no deeper than the chain may be.
    fn of(&mut self, number: usize, before: usize) -> Result<Applied, Refused<'a>> {
        let reached = self.reached;
        let schema = &reached.schemas[number];
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
        let elsewhere = schema.seeks.and_then(|name| reached.dynamic.get(name));
        let mut all = match schema.seeks {
            Some(name) => self.named(name, number, before)?,
            None => Applied::NOTHING,
        };
        // Once each: a dynamic reference may lead where it leads without others.
        let is_counted = |next: &usize| elsewhere.is_some_and(|them| them.contains(next));
        let applies: BTreeSet<usize> = schema.applies.iter().copied().collect();
        for next in applies.into_iter().filter(|next| !is_counted(next)) {
            all = all.and(self.of(next, before + 1)?);
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

    /// What all schemas come to that a dynamic reference may lead to by this name, in the schema with this number:
    /// summed once, however many refer to it.
    fn named(
        &mut self,
        name: &'a str,
        number: usize,
        before: usize,
    ) -> Result<Applied, Refused<'a>> {
        let reached = self.reached;
        match self.named.get(name) {
            Some(Known::All(applied)) => return Ok(*applied),
            Some(_) => {
                let contents = reached.schemas[number].contents;
                return Err((contents, CompileError::Endless { pointer: Pointer::root() }));
            }
            None => {}
        }
        self.named.insert(name, Known::Begun);
        let mut all = Applied::NOTHING;
        for next in reached.dynamic.get(name).into_iter().flatten() {
            all = all.and(self.of(*next, before + 1)?);
        }
        self.named.insert(name, Known::All(all));
        Ok(all)
    }
}
