//! The mounted rules of a server, how many messages each matched, and the messages received.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use super::{ClientMessage, Condition, Rule};
use crate::clock::{self, Deadline};
use crate::json::Value;
use crate::server::handler::Handler;

/// How many messages are kept, the latest ones.
const KEPT: usize = 4096;
/// How many requests without a scripted answer are kept, the first ones, and as many of other methods: later ones are mostly
/// the same.
const KEPT_UNSCRIPTED: usize = 64;
/// How much memory either of them may take, in bytes.
const KEPT_BYTES: usize = 16 * 1024 * 1024;

/// The mounted rules and the received messages; clones share them.
#[derive(Debug, Clone, Default)]
pub(in crate::server) struct RuleRegistry(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<RegistryState>,
    /// How many messages were received; a change wakes those who wait for one.
    received: watch::Sender<u64>,
}

#[derive(Debug, Default)]
pub(super) struct RegistryState {
    pub(super) rules: Vec<MountedRule>,
    pub(super) entries: VecDeque<LogEntry>,
    /// The requests that were refused because nothing in the script answers them.
    unscripted: Vec<ClientMessage>,
    unscripted_bytes: usize,
    bytes: usize,
    clients: u64,
}

/// A mounted rule.
#[derive(Debug, Clone)]
pub(super) struct MountedRule {
    pub(super) rule: Rule,
    /// How many messages it matched.
    pub(super) calls: u64,
    pub(super) is_unmounted: bool,
}

/// A received message.
#[derive(Debug)]
pub(super) struct LogEntry {
    pub(super) message: ClientMessage,
    bytes: usize,
    /// The numbers of the rules that it matched.
    pub(super) matched: Vec<usize>,
}

impl RuleRegistry {
    /// A new registry with the same rules, without any messages.
    pub(in crate::server) fn reset(&self) -> Self {
        let registry = Self::default();
        self.read(|state| {
            // Without the unmounted ones, which stay in the list for their positions only.
            let in_force = state.rules.iter().filter(|mounted| !mounted.is_unmounted);
            for mounted in in_force {
                registry.mount(mounted.rule.clone());
            }
        });
        registry
    }

    /// Mounts a rule and returns its number.
    pub(in crate::server) fn mount(&self, rule: Rule) -> usize {
        self.write(|state| {
            state.rules.push(MountedRule { rule, calls: 0, is_unmounted: false });
            state.rules.len() - 1
        })
    }

    /// Unmounts a rule, so that it is no longer verified.
    pub(super) fn unmount(&self, number: usize) {
        self.write(|state| {
            // The rule stays in the list, because the numbers of the others are their positions.
            if let Some(mounted) = state.rules.get_mut(number) {
                mounted.is_unmounted = true;
            }
        });
    }

    /// Changes a mounted rule.
    pub(super) fn change(&self, number: usize, change: impl FnOnce(Rule) -> Rule) {
        self.write(|state| {
            if let Some(mounted) = state.rules.get_mut(number) {
                mounted.rule = change(mounted.rule.clone());
            }
        });
    }

    /// The methods that the mounted rules answer, as far as they name one.
    pub(in crate::server) fn answered_methods(&self) -> Vec<String> {
        self.read(|state| {
            let rules = state.rules.iter().filter(|mounted| !mounted.is_unmounted);
            let answering = rules.filter(|mounted| mounted.rule.response.is_some());
            answering.filter_map(|mounted| mounted.rule.method().map(str::to_owned)).collect()
        })
    }

    /// Keeps a request that nothing in the script answers.
    pub(in crate::server) fn keep_unscripted(&self, message: ClientMessage) {
        self.write(|state| {
            let kept = state.unscripted.len();
            let is_new = !state.unscripted.iter().any(|it| it.method() == message.method());
            let bytes = state.unscripted_bytes + memory_bytes(&message);
            // The first one in any case, so that it is reported that there was one.
            let fits = bytes <= KEPT_BYTES || kept == 0;
            if fits && (kept < KEPT_UNSCRIPTED || (is_new && kept < 2 * KEPT_UNSCRIPTED)) {
                state.unscripted.push(message);
                state.unscripted_bytes = bytes;
            }
        });
    }

    /// The first requests that nothing in the script answered, in order of arrival.
    pub(in crate::server) fn unscripted(&self) -> Vec<ClientMessage> {
        self.read(|state| state.unscripted.clone())
    }

    pub(super) fn calls(&self, number: usize) -> u64 {
        self.read(|state| state.rules.get(number).map_or(0, |mounted| mounted.calls))
    }

    /// The number for a new client.
    pub(in crate::server) fn next_client(&self) -> u64 {
        self.write(|state| {
            state.clients += 1;
            state.clients - 1
        })
    }

    /// Records a message, counts it for the rules that it matches, and returns the handler of the one that responds.
    pub(in crate::server) fn record(
        &self,
        message: ClientMessage,
        reaches_rules: bool,
    ) -> Option<Handler> {
        let response = self.write(|state| {
            let (matched, response) =
                if reaches_rules { state.match_rules(&message) } else { (Vec::new(), None) };
            state.keep(message, matched);
            response
        });
        // After the message is stored, so that those who are woken find it.
        self.0.received.send_modify(|received| *received += 1);
        response
    }

    /// The kept messages, in order of arrival.
    pub(in crate::server) fn received(&self) -> Vec<ClientMessage> {
        self.read(|state| state.entries.iter().map(|entry| entry.message.clone()).collect())
    }

    /// Waits for a message that meets the condition, which may already have arrived.
    pub(in crate::server) async fn until(
        &self,
        wanted: &dyn Condition,
        deadline: Deadline,
    ) -> Option<ClientMessage> {
        let mut received = self.0.received.subscribe();
        let found = async {
            loop {
                // Before the search, so that a message that arrives during it is not missed.
                received.mark_unchanged();
                let found = self.read(|state| {
                    let mut messages = state.entries.iter().map(|entry| &entry.message);
                    messages.find(|message| wanted.check(message).is_ok()).cloned()
                });
                if found.is_some() {
                    return found;
                }
                received.changed().await.ok()?;
            }
        };
        clock::within(deadline, found).await.ok().flatten()
    }

    pub(super) fn read<T>(&self, look: impl FnOnce(&RegistryState) -> T) -> T {
        // A condition of the test may have panicked under the lock; the counts are consistent after each rule.
        look(&self.0.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T>(&self, act: impl FnOnce(&mut RegistryState) -> T) -> T {
        act(&mut self.0.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl RegistryState {
    /// Counts a message for the rules that it matches, the last one first, up to the one that responds.
    fn match_rules(&mut self, message: &ClientMessage) -> (Vec<usize>, Option<Handler>) {
        let mut matched = Vec::new();
        // Later rules come first, so that a test overrides what its fixture mounted.
        for (number, mounted) in self.rules.iter_mut().enumerate().rev() {
            if mounted.is_spent() || !mounted.rule.matches(message) {
                continue;
            }
            mounted.calls += 1;
            matched.push(number);
            if mounted.rule.response.is_some() {
                return (matched, mounted.rule.response.clone());
            }
        }
        (matched, None)
    }

    fn keep(&mut self, message: ClientMessage, matched: Vec<usize>) {
        // A bound on messages alone would not bound memory.
        let bytes = memory_bytes(&message);
        self.bytes += bytes;
        self.entries.push_back(LogEntry { message, bytes, matched });
        while (self.entries.len() > KEPT || self.bytes > KEPT_BYTES)
            && let Some(entry) = self.entries.pop_front()
        {
            self.bytes -= entry.bytes;
        }
    }
}

/// The memory that a message takes.
fn memory_bytes(message: &ClientMessage) -> usize {
    let info = message.client_info.as_ref().map_or(0, Value::memory_bytes);
    info + message.message.to_value().memory_bytes()
}

impl MountedRule {
    pub(super) fn is_spent(&self) -> bool {
        self.is_unmounted || self.rule.most.is_some_and(|most| self.calls >= most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Message, Notification};

    fn message(method: &str, text: &str) -> ClientMessage {
        let notification = Notification::new(method, Some(serde_json::json!({ "t": text }).into()));
        let message = Message::Notification(notification);
        ClientMessage { client: 0, client_info: None, revision: None, message }
    }

    #[test]
    fn the_number_and_size_of_kept_messages_are_bounded() {
        let registry = RuleRegistry::default();
        for number in 0..=KEPT {
            registry.record(message("x", &number.to_string()), true);
        }
        assert_eq!(registry.received().len(), KEPT);
        assert_eq!(registry.received()[0].param("/t"), Some(&"1".into()));
        let large = "x".repeat(KEPT_BYTES / 2);
        for _ in 0..3 {
            registry.record(message("large", &large), true);
        }
        assert_eq!(registry.received().len(), 1);
    }

    #[test]
    fn small_values_count_as_the_memory_that_they_take() {
        let registry = RuleRegistry::default();
        let values = serde_json::Value::from(vec![0; KEPT_BYTES / 200]);
        let message = |method: &str| {
            let notification = Notification::new(method, Some(values.clone().into()));
            ClientMessage { message: Message::Notification(notification), ..message("x", "") }
        };
        for number in 0..4 {
            registry.record(message("x"), true);
            registry.keep_unscripted(message(&number.to_string()));
        }
        // Their texts would fit fifty times.
        assert_eq!(registry.received().len(), 2);
        assert_eq!(registry.unscripted().len(), 2);
    }
}
