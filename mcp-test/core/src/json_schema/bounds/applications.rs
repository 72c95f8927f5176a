//! Counts how many schemas apply to one value, in total and chained.
//!
//! `allOf`, similar keywords and references apply schemas to the same value. If each doubles the number, the total is
//! exponential; if one refers back to itself, validation never ends.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::{Rejection, SchemaGraph};
use crate::json::Pointer;
use crate::json_schema::{Bound, CompileError, Limits};

/// The factor for evaluating again what other schemas have evaluated, as `unevaluatedProperties` does.
const REEVALUATION_COST: u64 = 3;

/// Refuses a schema whose validation would not end or take too long.
pub(super) fn check<'a>(graph: &SchemaGraph<'a>, limits: &Limits) -> Result<(), Rejection<'a>> {
    let visits = vec![Visit::New; graph.schemas.len()];
    let mut counter = Counter { graph, limits, visits, named: BTreeMap::new() };
    for index in 0..graph.schemas.len() {
        counter.of(index, 0)?;
    }
    Ok(())
}

/// The applications that one schema causes.
#[derive(Clone, Copy)]
struct Applications {
    times: u64,
    chain: usize,
}

impl Applications {
    const ZERO: Self = Self { times: 0, chain: 0 };

    /// The sum for two schemas that apply to the same value.
    fn and(self, other: Self) -> Self {
        let times = self.times.saturating_add(other.times);
        Self { times, chain: self.chain.max(other.chain) }
    }
}

#[derive(Clone, Copy)]
enum Visit {
    New,
    /// It is being counted.
    Started,
    Done(Applications),
}

struct Counter<'a, 'r> {
    graph: &'r SchemaGraph<'a>,
    limits: &'r Limits,
    visits: Vec<Visit>,
    /// The sums of all possible targets of dynamic references, by name.
    named: BTreeMap<&'a str, Visit>,
}

impl<'a> Counter<'a, '_> {
    /// Counts a schema that `before` others precede in the chain; the chain limit bounds the recursion.
    fn of(&mut self, index: usize, before: usize) -> Result<Applications, Rejection<'a>> {
        let graph = self.graph;
        let schema = &graph.schemas[index];
        let rejected = |error| Err((schema.contents, error));
        let limit_exceeded =
            |bound| CompileError::LimitExceeded { pointer: Pointer::root(), bound };
        match self.visits[index] {
            Visit::Done(applied) => return Ok(applied),
            Visit::Started => {
                // Reached again without a step into the value, because only schemas for the same value are followed.
                return rejected(CompileError::InfiniteRecursion { pointer: Pointer::root() });
            }
            Visit::New => {}
        }
        // Checked on the way down as well, so that a long chain cannot overflow the stack before it is counted.
        if before >= self.limits.chain {
            return rejected(limit_exceeded(Bound::Chain(self.limits.chain)));
        }
        self.visits[index] = Visit::Started;
        let elsewhere = schema.dynamic_ref.and_then(|name| graph.dynamic.get(name));
        let mut all = match schema.dynamic_ref {
            Some(name) => self.named(name, index, before)?,
            None => Applications::ZERO,
        };
        // A target of the dynamic reference that is also applied directly counts once.
        let is_counted = |next: &usize| elsewhere.is_some_and(|them| them.contains(next));
        let applies: BTreeSet<usize> = schema.applies.iter().copied().collect();
        for next in applies.into_iter().filter(|next| !is_counted(next)) {
            all = all.and(self.of(next, before + 1)?);
        }
        // Nested, the factor makes the cost exponential in the depth, which is why it is applied at each level.
        let again = if schema.is_reevaluating { REEVALUATION_COST } else { 1 };
        all.times = all.times.saturating_mul(again).saturating_add(1);
        all.chain += 1;
        if all.times > self.limits.applications {
            return rejected(limit_exceeded(Bound::Applications(self.limits.applications)));
        }
        if all.chain > self.limits.chain {
            return rejected(limit_exceeded(Bound::Chain(self.limits.chain)));
        }
        self.visits[index] = Visit::Done(all);
        Ok(all)
    }

    /// The sum of all possible targets of a dynamic reference in the schema at `index`, computed once per name.
    fn named(
        &mut self,
        name: &'a str,
        index: usize,
        before: usize,
    ) -> Result<Applications, Rejection<'a>> {
        let graph = self.graph;
        match self.named.get(name) {
            Some(Visit::Done(applied)) => return Ok(*applied),
            Some(_) => {
                let error = CompileError::InfiniteRecursion { pointer: Pointer::root() };
                return Err((graph.schemas[index].contents, error));
            }
            None => {}
        }
        self.named.insert(name, Visit::Started);
        // The target depends on the path of the validation, so every schema with that anchor is counted.
        let mut all = Applications::ZERO;
        for next in graph.dynamic.get(name).into_iter().flatten() {
            all = all.and(self.of(*next, before + 1)?);
        }
        self.named.insert(name, Visit::Done(all));
        Ok(all)
    }
}
