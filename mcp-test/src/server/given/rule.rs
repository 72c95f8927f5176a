//! Making a rule, step by step.

use std::{fmt, sync::Arc};

use super::{ClientMessage, Condition, Respond, Times};
use crate::server::handler::Handler;

/// Begins a rule with its first condition.
///
/// ```
/// use mcp_test::server::{Answer, given, method};
///
/// let rule = given(method("tools/call")).respond_with(Answer::error(-32602, "unknown tool")).expect(1);
/// # drop(rule);
/// ```
pub fn given(condition: impl Condition) -> Given {
    Given(vec![Arc::new(condition)])
}

/// The conditions of a rule to be.
#[must_use = "conditions alone do nothing: go on with `respond_with` or `watched`, and mount the rule with `Server::mount`"]
pub struct Given(Vec<Arc<dyn Condition>>);

impl Given {
    /// Adds a condition, which has to hold as well.
    pub fn and(mut self, condition: impl Condition) -> Self {
        self.0.push(Arc::new(condition));
        self
    }

    /// Says what the server responds with; to a notification nothing is answered, but the steps are taken.
    pub fn respond_with(self, response: impl Respond) -> Rule {
        let response = Handler::new(move |call| response.respond(call));
        Rule::new(self.0, Some(response))
    }

    /// Responds with nothing of its own: it counts the messages, and who would have answered them still does.
    pub fn watched(self) -> Rule {
        Rule::new(self.0, None)
    }
}

/// Which messages are answered how, and how often they are to come.
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

    /// Responds so often and no more; after that the rule is passed over.
    pub fn up_to_n_times(self, most: u64) -> Self {
        Self { most: Some(most), ..self }
    }

    /// Expects so many messages: `2`, `1..`, `..=3`, or `0` for none. [`Server::verify`](crate::server::Server::verify)
    /// tells where it came otherwise.
    pub fn expect(self, times: impl Into<Times>) -> Self {
        Self { expected: Some(times.into()), ..self }
    }

    /// Gives the rule a name, by which findings call it.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// What findings call it: its name, or else its conditions.
    #[must_use]
    pub fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.wanted().replace('`', ""))
    }

    pub(super) fn fits(&self, message: &ClientMessage) -> bool {
        self.conditions.iter().all(|condition| condition.check(message).is_ok())
    }

    /// The messages that it is for, to be read after "a message".
    pub(super) fn wanted(&self) -> String {
        let mut wanted: Vec<_> =
            self.conditions.iter().map(|condition| condition.describe()).collect();
        let others = wanted.split_off(1.min(wanted.len()));
        wanted.extend((!others.is_empty()).then(|| others.join(" and ")));
        wanted.join(" ")
    }

    /// How many conditions a message meets, and what is otherwise.
    pub(super) fn held_against(&self, message: &ClientMessage) -> (usize, String) {
        let checked = self.conditions.iter().map(|condition| condition.check(message));
        let (met, unmet): (Vec<_>, Vec<_>) = checked.partition(Result::is_ok);
        let unmet: Vec<_> = unmet.into_iter().filter_map(Result::err).collect();
        (met.len(), unmet.join(" and "))
    }

    pub(super) fn doubts(&self) -> Vec<String> {
        self.conditions.iter().filter_map(|condition| condition.doubt()).collect()
    }
}

impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Given").field("conditions", &self.0.len()).finish()
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rule").field("name", &self.name()).finish_non_exhaustive()
    }
}
