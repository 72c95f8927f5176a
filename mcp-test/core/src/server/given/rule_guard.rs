//! [`RuleGuard`]: keeps a rule mounted and verifies it when dropped.

use super::RuleRegistry;

/// Keeps a rule mounted; created by [`Server::mount_as_scoped`](crate::server::Server::mount_as_scoped).
///
/// # Panics
///
/// Dropping it panics if the rule did not match as many messages as expected, unless the thread is already panicking.
#[derive(Debug)]
#[must_use = "the rule is unmounted when its guard is dropped: bind it to a name other than `_`"]
pub struct RuleGuard {
    registry: RuleRegistry,
    number: usize,
}

impl RuleGuard {
    pub(in crate::server) fn new(registry: RuleRegistry, number: usize) -> Self {
        Self { registry, number }
    }

    /// How many messages the rule matched.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.registry.calls(self.number)
    }
}

impl Drop for RuleGuard {
    fn drop(&mut self) {
        // Before it is unmounted, since unmounted rules are not verified.
        let finding = self.registry.finding(self.number);
        self.registry.unmount(self.number);
        if let Some(finding) = finding
            // A second panic would abort the process, and the message of the first would be lost.
            && !std::thread::panicking()
        {
            // Like an assertion: whoever holds the guard has no result to look at.
            panic!("{finding}");
        }
    }
}
