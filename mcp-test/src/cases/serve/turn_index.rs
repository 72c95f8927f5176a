//! The turns of a contract, indexed by what the client sends.
//!
//! A contract may have thousands of cases with one method. A turn that accepts a single value is found by its fingerprint;
//! turns with rules are few, and all of them are tried.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use mcp_test_core::json::Value;

use super::conversation::TurnId;
use super::incoming::{ExpectedMessage, Incoming};

/// The turns of all methods.
#[derive(Debug, Default)]
pub(super) struct TurnIndex {
    methods: HashMap<String, MethodIndex>,
    /// The turns that accept a single value, by its fingerprint.
    exact: HashMap<u64, Vec<TurnId>>,
}

/// The turns of one method.
#[derive(Debug, Default)]
struct MethodIndex {
    all: ByName,
    /// The turns that may accept other values than the one in the case.
    by_rule: ByName,
}

/// Turns by the tool, resource or prompt that they name.
#[derive(Debug, Default)]
struct ByName {
    named: HashMap<String, Vec<TurnId>>,
    unnamed: Vec<TurnId>,
}

impl TurnIndex {
    pub(super) fn insert(&mut self, method: &str, at: TurnId, expected: &ExpectedMessage) {
        let turns = self.methods.entry(method.to_owned()).or_default();
        turns.all.insert(at, expected.name());
        match expected.only_value() {
            Some(value) => self.exact.entry(fingerprint(value)).or_default().push(at),
            None => turns.by_rule.insert(at, expected.name()),
        }
    }

    /// Whether a turn begins with this method.
    pub(super) fn has(&self, method: &str) -> bool {
        self.methods.contains_key(method)
    }

    pub(super) fn methods(&self) -> impl Iterator<Item = &str> {
        self.methods.keys().map(String::as_str)
    }

    /// The names that messages of a method have, sorted.
    pub(super) fn names(&self, method: &str) -> Vec<&str> {
        let turns = self.methods.get(method);
        let names = turns.into_iter().flat_map(|turns| turns.all.named.keys());
        let mut names: Vec<_> = names.map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// The turns with the same method and name.
    pub(super) fn same_subject(&self, incoming: &Incoming) -> Vec<TurnId> {
        let turns = self.methods.get(&incoming.method);
        turns.map_or_else(Vec::new, |turns| turns.all.same_name(incoming))
    }

    /// The turns that may accept the message.
    pub(super) fn candidates(&self, incoming: &Incoming) -> Vec<TurnId> {
        let turns = self.methods.get(&incoming.method);
        let mut found = turns.map_or_else(Vec::new, |turns| turns.by_rule.same_name(incoming));
        // A case without `_meta` is found by the form without it. Equal fingerprints only make a candidate: `fit` decides.
        for value in incoming.forms() {
            found.extend(self.exact.get(&fingerprint(value)).into_iter().flatten());
        }
        found
    }
}

impl ByName {
    fn insert(&mut self, at: TurnId, name: Option<&str>) {
        match name {
            Some(name) => self.named.entry(name.to_owned()).or_default().push(at),
            None => self.unnamed.push(at),
        }
    }

    fn same_name(&self, incoming: &Incoming) -> Vec<TurnId> {
        let named = incoming.name.as_ref().and_then(|name| self.named.get(name));
        named.into_iter().flatten().chain(&self.unnamed).copied().collect()
    }
}

/// A hash that is the same for equal JSON values, whatever the order of their members.
fn fingerprint(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    match value {
        Value::Null => 0.hash(&mut hasher),
        Value::Bool(value) => (1, value).hash(&mut hasher),
        Value::Number(number) => (2, number).hash(&mut hasher),
        Value::String(text) => (3, text).hash(&mut hasher),
        Value::Array(items) => {
            4.hash(&mut hasher);
            items.iter().for_each(|item| fingerprint(item).hash(&mut hasher));
        }
        Value::Object(object) => {
            let members = object.effective().map(|(name, value)| {
                let mut hasher = DefaultHasher::new();
                (name, fingerprint(value)).hash(&mut hasher);
                hasher.finish()
            });
            // The sum does not depend on the order of the members.
            (5, members.fold(0, u64::wrapping_add)).hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> u64 {
        fingerprint(&Value::parse(text.as_bytes()).expect("JSON").value)
    }

    #[test]
    fn equal_values_have_the_same_fingerprint() {
        assert_eq!(
            parsed(r#"{"a": 1, "b": [true, null]}"#),
            parsed(r#"{"b": [true, null], "a": 1.0}"#)
        );
        assert_eq!(parsed(r#"{"a": 1, "a": 2}"#), parsed(r#"{"a": 2}"#));
        let others =
            ["1", "\"1\"", "[1]", "{}", "[]", "null", "false", "[1, 2]", "[2, 1]", r#"{"a": 1}"#];
        let mut prints = others.map(parsed).to_vec();
        prints.sort_unstable();
        prints.dedup();
        assert_eq!(prints.len(), others.len());
    }
}
