//! [`Rule`] and its builder.

use std::fmt;
use std::sync::Arc;

use super::{ClientMessage, Condition, Respond, Times};
use crate::server::handler::Handler;

/// Starts a rule with its first condition.
///
/// ```
/// # extern crate mcp_test_core as mcp_test;
/// use mcp_test::server::{Answer, given, method};
///
/// let rule = given(method("tools/call")).respond_with(Answer::error(-32602, "unknown tool")).expect(1);
/// # drop(rule);
/// ```
pub fn given(condition: impl Condition) -> RuleBuilder {
    RuleBuilder(vec![Arc::new(condition)])
}

/// Builds a rule from its conditions.
#[must_use = "conditions alone do nothing: continue with `respond_with` or `watched`, and mount the rule with `Server::mount`"]
pub struct RuleBuilder(Vec<Arc<dyn Condition>>);

impl RuleBuilder {
    /// Adds a condition that must also be met.
    pub fn and(mut self, condition: impl Condition) -> Self {
        self.0.push(Arc::new(condition));
        self
    }

    /// Sets the response. A notification gets no answer, but the steps of the response still run.
    pub fn respond_with(self, response: impl Respond) -> Rule {
        let response = Handler::new(move |call| response.respond(call));
        Rule::new(self.0, Some(response))
    }

    /// Only counts the messages, which are answered as if the rule did not exist.
    pub fn watched(self) -> Rule {
        Rule::new(self.0, None)
    }
}

/// Which messages get which response, and how many are expected.
#[derive(Clone)]
#[must_use = "a rule does nothing until it is mounted: pass it to `Server::mount`"]
pub struct Rule {
    conditions: Vec<Arc<dyn Condition>>,
    pub(super) response: Option<Handler>,
    pub(super) most: Option<u64>,
    pub(super) expected: Option<Times>,
    name: Option<String>,
}

impl Rule {
    fn new(conditions: Vec<Arc<dyn Condition>>, response: Option<Handler>) -> Self {
        Self { conditions, response, most: None, expected: None, name: None }
    }

    /// Limits the number of responses; after that the rule is skipped, and the matching rule mounted before it answers.
    ///
    /// A server that fails the first call and answers the second:
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::server::{Answer, Server, given, method};
    /// use serde_json::json;
    ///
    /// let server = Server::new(json!({"name": "flaky", "version": "1.0.0"}));
    /// server.mount(given(method("tools/call")).respond_with(json!({"content": []})));
    /// // Mounted last, so that it comes first.
    /// server.mount(
    ///     given(method("tools/call")).respond_with(Answer::error(-32603, "try again")).up_to_n_times(1),
    /// );
    /// ```
    pub fn up_to_n_times(self, most: u64) -> Self {
        Self { most: Some(most), ..self }
    }

    /// Sets the expected number of messages: `2`, `1..`, `..=3`, or `0` for none.
    /// [`Server::verify`](crate::server::Server::verify) reports a deviation.
    pub fn expect(self, times: impl Into<Times>) -> Self {
        Self { expected: Some(times.into()), ..self }
    }

    /// Names the rule for findings.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// The name for findings: the given one, or else the conditions.
    #[must_use]
    pub fn name(&self) -> String {
        // Without backticks, since findings put the whole name between them.
        self.name.clone().unwrap_or_else(|| self.describe().replace('`', ""))
    }

    pub(super) fn matches(&self, message: &ClientMessage) -> bool {
        self.conditions.iter().all(|condition| condition.check(message).is_ok())
    }

    /// A description of the matching messages, to follow "a message".
    pub(super) fn describe(&self) -> String {
        let mut wanted: Vec<_> =
            self.conditions.iter().map(|condition| condition.describe()).collect();
        // The first one reads on from "a message", the others are joined to it with "and".
        let others = wanted.split_off(1.min(wanted.len()));
        wanted.extend((!others.is_empty()).then(|| others.join(" and ")));
        wanted.join(" ")
    }

    /// How many conditions a message meets, and a description of the unmet ones.
    pub(super) fn check(&self, message: &ClientMessage) -> (usize, String) {
        let checked = self.conditions.iter().map(|condition| condition.check(message));
        let (met, unmet): (Vec<_>, Vec<_>) = checked.partition(Result::is_ok);
        let unmet: Vec<_> =
            unmet.into_iter().filter_map(Result::err).map(|unmet| unmet.to_string()).collect();
        (met.len(), unmet.join(" and "))
    }

    /// Whether a message has a method that the rule is about.
    pub(super) fn allows_method_of(&self, message: &ClientMessage) -> bool {
        let mut unmet =
            self.conditions.iter().filter_map(|condition| condition.check(message).err());
        !unmet.any(|unmet| unmet.is_other_method)
    }

    /// The only method that a message may have, if there is one.
    pub(super) fn method(&self) -> Option<&str> {
        self.conditions.iter().find_map(|condition| condition.method())
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        self.conditions.iter().filter_map(|condition| condition.warning()).collect()
    }
}

impl fmt::Debug for RuleBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuleBuilder").field("conditions", &self.0.len()).finish()
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rule").field("name", &self.name()).finish_non_exhaustive()
    }
}
