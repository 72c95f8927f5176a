//! The calls of a tool that are planned before any is made: those that its schema states, and each keyword at its boundaries.

use mcp_test_core::json::Value;

use super::explorable::Explorable;
use crate::generate::{Class, Sample};

/// A call that is planned.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlannedCall {
    pub(super) arguments: Value,
    pub(super) class: Class,
    /// The keywords of the schema that it exercises.
    pub(super) keywords: Vec<String>,
}

impl PlannedCall {
    /// A call with given arguments.
    pub(super) fn with(tool: &Explorable, arguments: &Value) -> Self {
        let class = tool.class_of(arguments);
        Self { arguments: arguments.clone(), class, keywords: Vec::new() }
    }
}

impl From<Sample> for PlannedCall {
    fn from(sample: Sample) -> Self {
        let mut keywords: Vec<String> =
            sample.exercised.into_iter().map(|exercised| exercised.keyword).collect();
        keywords.sort_unstable();
        keywords.dedup();
        Self { arguments: sample.value, class: sample.class, keywords }
    }
}

/// The calls of a tool, in the order in which they are made: first what its author has in mind.
pub(super) fn planned_calls(tool: &Explorable) -> Vec<PlannedCall> {
    if let Some(arguments) = &tool.fixed {
        return vec![PlannedCall::with(tool, arguments)];
    }
    let Ok(Some(generator)) = tool.generator() else { return Vec::new() };
    let stated = generator.stated();
    let coverage = generator.coverage();
    // Valid and invalid arguments take turns, so that neither is left out if the time is short.
    let mut valid = stated.into_iter().chain(coverage).map(PlannedCall::from);
    let mut invalid = generator.invalid().into_iter().map(PlannedCall::from);
    let mut calls = Vec::new();
    loop {
        let pair = [valid.next(), invalid.next()];
        if pair.iter().all(Option::is_none) {
            return calls;
        }
        for call in pair.into_iter().flatten() {
            if calls.iter().all(|known: &PlannedCall| known.arguments != call.arguments) {
                calls.push(call);
            }
        }
    }
}
