//! Rules that are mounted as soon as they have a response, and changed afterwards: how the test of a client scripts its
//! server.

use super::{Condition, Respond, Rule, RuleBuilder, RuleRegistry, Times};

/// Builds a rule that is mounted when it gets its response; made by [`ServerCtx::given`](crate::scenario::ServerCtx::given).
#[derive(Debug)]
#[must_use = "conditions alone do nothing: continue with `respond_with` or `watched`"]
pub struct GivenRule {
    registry: RuleRegistry,
    builder: RuleBuilder,
}

impl GivenRule {
    pub(in crate::server) fn new(registry: RuleRegistry, builder: RuleBuilder) -> Self {
        Self { registry, builder }
    }

    /// Adds a condition that must also be met.
    pub fn and(self, condition: impl Condition) -> Self {
        Self { builder: self.builder.and(condition), ..self }
    }

    /// Mounts the rule with this response. A notification gets no answer, but the steps of the response still run.
    pub fn respond_with(self, response: impl Respond) -> RuleHandle {
        RuleHandle::mount(self.registry, self.builder.respond_with(response))
    }

    /// Mounts a rule that only counts the messages, which are answered as if the rule did not exist.
    pub fn watched(self) -> RuleHandle {
        RuleHandle::mount(self.registry, self.builder.watched())
    }
}

/// A mounted rule, which may be dropped; its methods change the rule.
#[derive(Debug, Clone)]
pub struct RuleHandle {
    registry: RuleRegistry,
    number: usize,
}

impl RuleHandle {
    pub(in crate::server) fn mount(registry: RuleRegistry, rule: Rule) -> Self {
        let number = registry.mount(rule);
        Self { registry, number }
    }

    /// As [`Rule::up_to_n_times`].
    pub fn up_to_n_times(self, most: u64) -> Self {
        self.change(|rule| rule.up_to_n_times(most))
    }

    /// Sets the expected number of messages: `2`, `1..`, `..=3`, or `0` for none; the test fails if there are more or fewer.
    pub fn expect(self, times: impl Into<Times>) -> Self {
        self.change(|rule| rule.expect(times))
    }

    /// Names the rule for findings.
    pub fn named(self, name: impl Into<String>) -> Self {
        self.change(|rule| rule.named(name))
    }

    /// How many messages the rule has matched.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.registry.calls(self.number)
    }

    fn change(self, change: impl FnOnce(Rule) -> Rule) -> Self {
        self.registry.change(self.number, change);
        self
    }
}
