//! A chain of calls: what has to be called, in this order, for a failure to show.

use mcp_test_core::json::{Pointer, Value};

use super::operation::Operation;
use crate::known_values::{ResultPart, Source};

/// Calls in the order in which they are made on one connection. The last is the one that is judged.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chain {
    /// The calls.
    pub steps: Vec<Step>,
}

/// One call.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What is requested.
    pub operation: Operation,
    /// The arguments as they were sent when the chain was first seen.
    pub arguments: Value,
    /// The parts of the arguments that come from the results of earlier steps.
    pub links: Vec<Link>,
}

/// A part of the arguments that is taken from the result of an earlier step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The location in the arguments.
    pub argument: Pointer,
    /// The earlier step.
    pub step: usize,
    /// The part of the result.
    pub part: ResultPart,
    /// The location in this part.
    pub result: Pointer,
}

impl Link {
    /// The argument of this name, taken from there.
    pub(super) fn new(argument: &str, source: &Source) -> Self {
        let Source { step, part, pointer } = source.clone();
        Self { argument: Pointer::root().member(argument), step, part, result: pointer }
    }
}

impl Step {
    /// A step without values of results.
    pub(super) fn new(operation: Operation, arguments: Value) -> Self {
        Self { operation, arguments, links: Vec::new() }
    }

    /// The params of the request.
    pub(super) fn params(&self) -> Value {
        self.operation.params(&self.arguments)
    }

    /// Whether other arguments have the same values where these come from earlier results, or none.
    pub(super) fn keeps_links(&self, arguments: &Value) -> bool {
        self.links.iter().all(|link| {
            let at = link.argument.as_str();
            arguments.at(at).is_none_or(|value| self.arguments.at(at) == Some(value))
        })
    }
}

impl Chain {
    /// The calls as a text, which differs from that of other chains.
    pub(super) fn text(&self) -> String {
        let step =
            |step: &Step| format!("{:?} {} {:?}", step.operation, step.arguments, step.links);
        self.steps.iter().map(step).collect::<Vec<_>>().join("\n")
    }

    /// The arguments of a step, with the values that the earlier steps have resulted in now, which `result_of` returns.
    ///
    /// `None` if a result does not have the value that is needed: then the chain cannot go on.
    #[must_use]
    pub fn arguments<'a>(
        &self,
        index: usize,
        result_of: impl Fn(usize) -> Option<&'a Value>,
    ) -> Option<Value> {
        let step = self.steps.get(index)?;
        let mut arguments = step.arguments.clone();
        for link in &step.links {
            let value = result_of(link.step)?.at(link.result.as_str())?.clone();
            if !arguments.set(link.argument.as_str(), value) {
                return None;
            }
        }
        Some(arguments)
    }

    /// The chain without the steps in `range`. A value that came from one of them becomes a constant.
    #[must_use]
    pub fn without(&self, range: std::ops::Range<usize>) -> Self {
        let kept = self.steps.iter().enumerate().filter(|(index, _)| !range.contains(index));
        let steps = kept.map(|(_, step)| {
            let links = step.links.iter().filter(|link| !range.contains(&link.step));
            let moved = links.map(|link| {
                let step = if link.step >= range.end { link.step - range.len() } else { link.step };
                Link { step, ..link.clone() }
            });
            Step { links: moved.collect(), ..step.clone() }
        });
        Self { steps: steps.collect() }
    }

    /// The chain with other arguments for a step. Links into parts that these do not have are dropped.
    #[must_use]
    pub fn with_arguments(&self, index: usize, arguments: Value) -> Self {
        let mut chain = self.clone();
        if let Some(step) = chain.steps.get_mut(index) {
            step.links.retain(|link| arguments.at(link.argument.as_str()).is_some());
            step.arguments = arguments;
        }
        chain
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pointer(text: &str) -> Pointer {
        Pointer::parse(text).expect("a pointer")
    }

    fn step(tool: &str, arguments: serde_json::Value, links: &[(&str, usize, &str)]) -> Step {
        let link = |(argument, step, result): &(&str, usize, &str)| Link {
            argument: pointer(argument),
            step: *step,
            result: pointer(result),
            part: ResultPart::Structured,
        };
        let links = links.iter().map(link).collect();
        let operation = Operation::Tool(tool.to_owned());
        Step { links, ..Step::new(operation, arguments.into()) }
    }

    fn chain() -> Chain {
        Chain {
            steps: vec![
                step("list", json!({}), &[]),
                step("create", json!({"name": "a"}), &[]),
                step(
                    "read",
                    json!({"id": 1, "part": "x"}),
                    &[("/id", 1, "/id"), ("/part", 0, "/0")],
                ),
            ],
        }
    }

    #[test]
    fn linked_arguments_are_those_of_the_results_of_this_time() {
        let of = |results: &[Value; 2]| {
            chain().arguments(2, |step| results.get(step)).map(|it| it.to_string())
        };
        let arguments = of(&[json!(["p"]).into(), json!({"id": 7}).into()]);
        assert_eq!(arguments.as_deref(), Some(r#"{"id":7,"part":"p"}"#));
        assert_eq!(of(&[json!(["p"]).into(), json!({"name": "a"}).into()]), None);
        assert_eq!(chain().arguments(2, |_| None), None);
    }

    #[test]
    fn without_a_step_its_values_are_constants_and_later_steps_move_up() {
        let shorter = chain().without(0..1);
        assert_eq!(
            shorter.steps[1],
            step("read", json!({"id": 1, "part": "x"}), &[("/id", 0, "/id")])
        );
        let alone = chain().without(0..2);
        assert_eq!(alone.steps, [step("read", json!({"id": 1, "part": "x"}), &[])]);
    }

    #[test]
    fn a_link_into_a_part_that_is_gone_is_dropped() {
        let smaller = chain().with_arguments(2, json!({"id": 1}).into());
        assert_eq!(smaller.steps[2], step("read", json!({"id": 1}), &[("/id", 1, "/id")]));
    }
}
