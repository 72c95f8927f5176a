//! The rules of a server: mounting them, verifying how often they matched, and what was received.
//!
//! What a rule is, and how it matches, is in [`given`](super::given).

use super::{ClientMessage, Condition, Rule, RuleGuard, Server};
use crate::check::Finding;
use crate::clock::Deadline;

impl Server {
    /// Mounts a rule, before or while clients are served.
    ///
    /// If several rules match a message, the one mounted last answers, until it has answered
    /// [as often as it may](Rule::up_to_n_times). A rule answers whether the capability of its method is declared or not.
    ///
    /// ```
    /// # extern crate mcp_test_core as mcp_test;
    /// use mcp_test::server::{given, method, reference::everything};
    /// use serde_json::json;
    ///
    /// let server = everything();
    /// server.mount(given(method("tools/list")).respond_with(json!({"tools": []})).expect(1));
    /// let findings = server.verify();
    /// assert_eq!(findings[0].got.as_deref(), Some("never; nothing else came"));
    /// ```
    pub fn mount(&self, rule: Rule) {
        self.0.rules.mount(rule);
    }

    /// Mounts a rule for as long as the guard lives.
    ///
    /// # Panics
    ///
    /// When the guard is dropped, if the rule did not match as many messages as expected.
    pub fn mount_as_scoped(&self, rule: Rule) -> RuleGuard {
        RuleGuard::new(self.0.rules.clone(), self.0.rules.mount(rule))
    }

    /// A finding for each mounted rule that matched more or fewer messages than expected, with what was received instead.
    #[must_use = "the findings have to be reported"]
    pub fn verify(&self) -> Vec<Finding> {
        self.0.rules.verify()
    }

    /// Asserts that each mounted rule matched as many messages as expected.
    ///
    /// # Panics
    ///
    /// With all findings of [`Self::verify`].
    #[track_caller]
    pub fn assert_verified(&self) {
        let findings: Vec<_> = self.verify().iter().map(ToString::to_string).collect();
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }

    /// The messages received from clients, in order of arrival; only the latest are kept.
    #[must_use]
    pub fn received(&self) -> Vec<ClientMessage> {
        self.0.rules.received()
    }

    /// Waits for a message that meets the condition, which may already have arrived; `None` if none arrives in time.
    pub async fn until_received(
        &self,
        wanted: impl Condition,
        deadline: Deadline,
    ) -> Option<ClientMessage> {
        self.0.rules.until(&wanted, deadline).await
    }
}
