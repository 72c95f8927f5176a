//! Reducing a failure: the fewest calls with the smallest arguments that still fail in the same way.

use std::collections::HashSet;

use mcp_test_core::clock::Deadline;
use mcp_test_core::expect::words::inert;
use mcp_test_core::json::Value;

use super::chain::{Chain, Step};
use super::failure::{Failure, FailureKind};
use super::operation::Operation;
use crate::generate::Class;

/// How many chains are tried to reduce one failure.
const TRIES: usize = 150;

/// How many, if the failure is that nothing comes: each takes as long as is waited.
const SILENT_TRIES: usize = 20;

/// How often the reduced chain is repeated, to tell what always fails from what fails by chance.
const REPEATS: usize = 2;

/// A failure with the chain that shows it.
#[derive(Debug, Clone)]
pub struct Reduced {
    /// The failure, as it was last seen.
    pub failure: Failure,
    /// The calls that show it. The last one fails.
    pub chain: Chain,
    /// Whether the schema of the tool allows the arguments of the last call.
    pub class: Class,
    /// How often the chain was tried: once to find it, and then to see whether it fails again.
    pub tried: usize,
    /// How often it failed in that.
    pub failed: usize,
}

/// Why a chain is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To see whether it fails as well as a longer one.
    Reduce,
    /// To see whether it fails again.
    Confirm,
}

impl Reduced {
    /// Whether the chain fails every time.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.tried > 1 && self.failed == self.tried
    }

    /// The call that fails.
    pub(super) fn last(&self) -> Option<&Step> {
        self.chain.steps.last()
    }

    /// What is wrong, on one line that names the operation.
    #[must_use]
    pub fn headline(&self) -> String {
        let kind = &self.failure.kind;
        let headline = self.failure.finding.headline.lines().next().unwrap_or_default();
        let Some(operation) = self.last().map(|step| &step.operation) else {
            return inert(headline);
        };
        let is_silent_tool = kind.is_without_reply() && matches!(operation, Operation::Tool(_));
        let name = format!("`{operation}`");
        inert(&match &self.class {
            _ if headline.contains(&name) => headline.to_owned(),
            Class::Invalid { .. } if is_silent_tool => {
                format!("a call of {name} with invalid arguments: {headline}")
            }
            _ if is_silent_tool => format!("a call of {name}: {headline}"),
            _ => format!("{name}: {headline}"),
        })
    }
}

/// Reduces a failure, as far as the time allows. `replay` repeats a chain on a new connection, and `smaller` returns smaller
/// arguments for a step.
pub(super) async fn reduce(
    (chain, class, failure): (Chain, Class, Failure),
    smaller: impl Fn(&Chain, usize) -> Vec<Value>,
    deadline: Deadline,
    mut replay: impl AsyncFnMut(&Chain, Purpose) -> Option<Failure>,
) -> Reduced {
    let tries = if failure.kind == FailureKind::NoReply { SILENT_TRIES } else { TRIES };
    let mut best = Best { chain, failure, tries, deadline, rejected: HashSet::new() };
    // Most failures need nothing but the last call.
    let earlier = best.chain.steps.len().saturating_sub(1);
    if earlier > 0 {
        let alone = best.chain.without(0..earlier);
        if !best.accepts(alone, &mut replay).await {
            best.remove_steps(&mut replay).await;
        }
    }
    for index in (0..best.chain.steps.len()).rev() {
        while let Some(candidate) = best.first_smaller(index, &smaller, &mut replay).await {
            best.chain = candidate;
        }
    }
    let (mut tried, mut failed) = (1, 1);
    for _ in 0..REPEATS {
        let failure = replay(&best.chain, Purpose::Confirm).await;
        tried += 1;
        if let Some(failure) = failure.filter(|it| it.is_like(&best.failure)) {
            failed += 1;
            best.failure = failure;
        }
        if best.deadline.has_passed() {
            break;
        }
    }
    Reduced { failure: best.failure, chain: best.chain, class, tried, failed }
}

/// The shortest chain that is known to fail.
struct Best {
    chain: Chain,
    failure: Failure,
    tries: usize,
    deadline: Deadline,
    /// The chains that did not fail in the same way.
    rejected: HashSet<String>,
}

impl Best {
    /// Whether a chain fails in the same way.
    async fn fails(
        &mut self,
        chain: &Chain,
        replay: &mut impl AsyncFnMut(&Chain, Purpose) -> Option<Failure>,
    ) -> bool {
        let text = chain.text();
        if self.tries == 0 || self.deadline.has_passed() || self.rejected.contains(&text) {
            return false;
        }
        self.tries -= 1;
        match replay(chain, Purpose::Reduce).await {
            Some(failure) if failure.is_like(&self.failure) => {
                self.failure = failure;
                true
            }
            _ => {
                self.rejected.insert(text);
                false
            }
        }
    }

    /// Takes a chain if it fails in the same way.
    async fn accepts(
        &mut self,
        chain: Chain,
        replay: &mut impl AsyncFnMut(&Chain, Purpose) -> Option<Failure>,
    ) -> bool {
        let fails = self.fails(&chain, replay).await;
        if fails {
            self.chain = chain;
        }
        fails
    }

    /// Removes steps before the last one: halves, then ever smaller parts.
    async fn remove_steps(
        &mut self,
        replay: &mut impl AsyncFnMut(&Chain, Purpose) -> Option<Failure>,
    ) {
        let mut size = self.chain.steps.len().saturating_sub(1).div_ceil(2);
        while size > 0 {
            let mut start = 0;
            while start + 1 < self.chain.steps.len() {
                let end = (start + size).min(self.chain.steps.len() - 1);
                let shorter = self.chain.without(start..end);
                if !self.accepts(shorter, replay).await {
                    start = end;
                }
            }
            size /= 2;
        }
    }

    /// The first chain with smaller arguments for a step that fails in the same way.
    async fn first_smaller(
        &mut self,
        index: usize,
        smaller: &impl Fn(&Chain, usize) -> Vec<Value>,
        replay: &mut impl AsyncFnMut(&Chain, Purpose) -> Option<Failure>,
    ) -> Option<Chain> {
        for arguments in smaller(&self.chain, index) {
            let candidate = self.chain.with_arguments(index, arguments);
            if self.fails(&candidate, replay).await {
                return Some(candidate);
            }
            if self.tries == 0 || self.deadline.has_passed() {
                return None;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use mcp_test_core::check::Finding;
    use serde_json::json;

    use super::*;

    fn failure() -> Failure {
        Failure::new(FailureKind::Closed, Finding::peer("the server exits"))
    }

    fn chain(values: &[i64]) -> Chain {
        let operation = || Operation::Tool("t".to_owned());
        let step = |value: &i64| Step::new(operation(), json!({ "n": value }).into());
        Chain { steps: values.iter().map(step).collect() }
    }

    fn values(chain: &Chain) -> Vec<i64> {
        let value = |step: &Step| step.arguments.get("n").and_then(Value::as_i64);
        chain.steps.iter().filter_map(value).collect()
    }

    /// Reduces a chain of calls with numbers, of which those fail that `fails` says.
    fn reduced(start: &[i64], fails: impl Fn(&[i64]) -> bool) -> Vec<i64> {
        let smaller = |chain: &Chain, index: usize| {
            let value = values(chain).get(index).copied().unwrap_or_default();
            (0..value).map(|smaller| json!({ "n": smaller }).into()).collect()
        };
        let replay = async |chain: &Chain, _| fails(&values(chain)).then(failure);
        let found = (chain(start), Class::Valid, failure());
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let reduced = runtime.block_on(reduce(found, smaller, Deadline::never(), replay));
        assert!(reduced.is_certain());
        values(&reduced.chain)
    }

    #[test]
    fn a_failure_of_one_call_is_reduced_to_that_call_with_the_smallest_arguments() {
        assert_eq!(reduced(&[1, 2, 3, 40], |values| values.last() >= Some(&7)), [7]);
    }

    #[test]
    fn the_earlier_calls_that_are_needed_are_kept() {
        let needs_two = |values: &[i64]| {
            let earlier = &values[..values.len() - 1];
            earlier.iter().any(|value| *value >= 3) && values.last() >= Some(&1)
        };
        assert_eq!(reduced(&[1, 9, 2, 8, 1, 1, 5], needs_two), [3, 1]);
    }

    #[test]
    fn what_fails_by_chance_is_flaky() {
        let mut count = 0;
        let replay = async |_: &Chain, _| {
            count += 1;
            (count % 2 == 0).then(failure)
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let found = (chain(&[1]), Class::Valid, failure());
        let reduced = runtime.block_on(reduce(found, |_, _| Vec::new(), Deadline::never(), replay));
        assert_eq!((reduced.failed, reduced.tried), (2, 3));
        assert!(!reduced.is_certain());
    }
}
